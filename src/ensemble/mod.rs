//! A whole run: points become units, a backend simulates them, tallies are merged into results.
//!
//! Owns the split into units, the results of an ensemble and their merging; `harvest` keeps the books of what is done,
//! `extend` adds batches, `met` simulates once more what single steps meet. Does not know files (see `store`) or
//! estimators (see `statistics`).

mod extend;
mod harvest;
mod memory;
pub mod met;

pub use harvest::{Harvest, Share, insert as insert_range};
use harvest::{Todo, split};

use crate::engine::{Backend, Fault, Recording, Unit, Watch, Work};
use crate::experiment::Experiment;
use crate::models::{Plan, Point, Problem, Tallies};
use crate::random::Key;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime};

/// Most batches of all points together: their accumulators are kept in memory.
const MOST_BATCHES: u64 = 20_000_000;

/// Everything a finished (or extended) ensemble knows: a pure function of the experiment, but for the provenance.
#[derive(Debug, Clone)]
pub struct Results {
    /// What was asked for.
    pub experiment: Experiment,
    /// The points of the sweep.
    pub points: Vec<Point>,
    /// The resolved plan of each point.
    pub plans: Vec<Plan>,
    /// The accumulators: `batches[point][batch]`.
    pub batches: Vec<Vec<Tallies>>,
    /// Who ran it, where and how fast: no part of the result.
    pub provenance: Provenance,
}

impl Results {
    /// Why a histogram of a point lacks values, if it does: its shares are then not those of a law.
    pub fn lacking(&self, point: usize, histogram: &str) -> Option<&'static str> {
        let lacking = self.experiment.model.lacking.as_ref();
        let lacking = lacking.filter(|lacking| lacking.histogram == histogram)?;
        let sums = (self.batches[point].iter()).flat_map(|batch| batch.sums[lacking.sum]);
        (sums.sum::<u128>() > 0).then_some(lacking.reason)
    }
}

/// Who ran an ensemble, where and how fast.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of the program that simulated.
    pub program_version: String,
    /// `cpu`, `gpu` or `gpu+cpu`.
    pub backend: String,
    /// Name of the adapter, or of the processor's instruction set.
    pub adapter: String,
    /// The adapter's driver, empty on the CPU.
    pub driver: String,
    /// Start, RFC 3339 in UTC.
    pub started: String,
    /// End, RFC 3339 in UTC.
    pub ended: String,
    /// Steps simulated, warm-up included, over all replicas.
    pub steps: u64,
    /// Seconds spent simulating.
    pub seconds: f64,
    /// What went wrong on the way and was mended, one line each.
    pub incidents: Vec<String>,
}

impl Provenance {
    /// Who is about to simulate.
    pub fn of(backend: &dyn Backend) -> Provenance {
        Provenance {
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            backend: backend.kind().to_owned(),
            adapter: backend.adapter(),
            driver: backend.driver(),
            ..Provenance::default()
        }
    }

    /// Adds that of further work.
    pub fn add(&mut self, later: &Provenance) {
        if self.program_version.is_empty() {
            *self = later.clone();
            return;
        }
        let both = |known: &mut String, new: &str| {
            if !known.split(" + ").any(|one| one == new) {
                *known = format!("{known} + {new}");
            }
        };
        both(&mut self.program_version, &later.program_version);
        both(&mut self.backend, &later.backend);
        both(&mut self.adapter, &later.adapter);
        both(&mut self.driver, &later.driver);
        // As text, times of this form are in the order of time.
        self.started = self.started.clone().min(later.started.clone());
        self.ended = self.ended.clone().max(later.ended.clone());
        self.steps = self.steps.saturating_add(later.steps);
        self.seconds += later.seconds;
        self.incidents.extend_from_slice(&later.incidents);
    }
}

/// Why an ensemble could not be run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A point cannot be planned; experiments that come from a file have been checked for this.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// The engine gave up.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// An experiment, resolved: its points, their plans, and what is recorded of each.
#[derive(Debug, Clone)]
pub struct Ensemble {
    /// What was asked for.
    pub experiment: Experiment,
    /// The points of the sweep.
    pub points: Vec<Point>,
    /// The plan of each point.
    pub plans: Vec<Plan>,
}

impl Ensemble {
    /// Resolves every point.
    ///
    /// # Errors
    /// The first point that cannot be planned.
    pub fn new(experiment: &Experiment) -> Result<Ensemble, Problem> {
        let points = experiment.points();
        let plans = points
            .iter()
            .map(experiment.model.plan)
            .collect::<Result<Vec<Plan>, Problem>>()?;
        Ok(Ensemble {
            experiment: experiment.clone(),
            points,
            plans,
        })
    }

    /// Steps of replicas in the whole ensemble, warm-up included; the largest number there is when they are more.
    pub fn steps(&self) -> u64 {
        let replicas = u128::from(self.experiment.replicas);
        let steps: u128 = (self.plans.iter())
            .map(|plan| u128::from(plan.end()) * replicas)
            .sum();
        u64::try_from(steps).unwrap_or(u64::MAX)
    }

    /// Bytes of all accumulators and recordings: their size on disk before compression, see also [`Ensemble::memory_bytes`].
    pub fn result_bytes(&self) -> u64 {
        let batches = u128::from(self.experiment.batches);
        let sums = 4 * self.experiment.model.sums.len() as u128 + 3;
        let words = |plan: &Plan| {
            let recording = self.recording(plan);
            let ensemble = if recording.ensemble { 4 * batches } else { 0 };
            let recorded =
                u128::from(recording.steps) * (ensemble + u128::from(recording.trajectories));
            (plan.bins() as u128 + sums) * batches + recorded
        };
        let words: u128 = self.plans.iter().map(words).sum();
        u64::try_from(8 * words).unwrap_or(u64::MAX)
    }

    /// One piece of work: some replicas of a batch of a point.
    pub fn work(&self, unit: Unit) -> Work<'_> {
        let plan = &self.plans[unit.point as usize];
        let stream = self.points[unit.point as usize].stream;
        Work {
            plan,
            key: Key {
                seed: self.experiment.seed,
                stream,
            },
            unit,
            recording: self.recording(plan),
        }
    }

    /// What is recorded at a point, in steps; experiments that were parsed have whole ones.
    pub fn recording(&self, plan: &Plan) -> Recording {
        let record = &self.experiment.record;
        match record.window(plan) {
            Ok(Some((from, steps))) => Recording {
                trajectories: record.trajectories,
                ensemble: record.ensemble,
                from,
                steps,
            },
            _ => Recording::default(),
        }
    }

    /// Replicas a batch.
    pub fn batch_size(&self) -> u32 {
        self.experiment.replicas / self.experiment.batches
    }

    /// Most replicas a unit of each point, as suits the backend.
    ///
    /// # Errors
    /// [`Fault::TooLarge`] when a replica does not fit the backend, [`Fault::Host`] when there are too many batches.
    pub fn unit_sizes(&self, backend: &dyn Backend) -> Result<Vec<u32>, Fault> {
        let all = self.points.len() as u64 * u64::from(self.experiment.batches);
        if all > MOST_BATCHES {
            return Err(Fault::Host(format!(
                "{} points of {} batches are {all} batches, and results are kept for at most {MOST_BATCHES}; give fewer batches (64 are plenty)",
                self.points.len(),
                self.experiment.batches
            )));
        }
        let size = |point| {
            let whole = Unit {
                point,
                batch: 0,
                first_replica: 0,
                replicas: self.batch_size(),
            };
            backend.replicas_per_unit(&self.work(whole))
        };
        (0..self.points.len() as u32).map(size).collect()
    }

    /// Everything there is to do, as units of the sizes from [`Ensemble::unit_sizes`].
    pub fn units(&self, sizes: &[u32]) -> impl Iterator<Item = Unit> {
        let (batches, size) = (self.experiment.batches, self.batch_size());
        let cells = (0..)
            .zip(sizes)
            .flat_map(move |(point, &most)| (0..batches).map(move |batch| (point, batch, most)));
        cells.flat_map(move |(point, batch, most)| {
            split(point, batch, batch * size..(batch + 1) * size, most)
        })
    }

    /// Simulates everything.
    ///
    /// # Errors
    /// A fault of the backend, or [`Fault::Stopped`] when `watch` asked to stop.
    pub fn run(self, backend: &mut dyn Backend, watch: &Watch) -> Result<Results, RunError> {
        let mut harvest = self.nothing_of(0..self.experiment.batches);
        let provenance = self.simulate(backend, watch, &mut harvest, Share::WHOLE, &|_, _| ())?;
        Ok(self.results(harvest, provenance))
    }

    /// The results, of a harvest of all batches that is complete.
    pub fn results(self, harvest: Harvest, provenance: Provenance) -> Results {
        Results {
            experiment: self.experiment,
            points: self.points,
            plans: self.plans,
            batches: harvest.into_batches(),
            provenance,
        }
    }

    /// Simulates what a harvest lacks of a share, and shows every unit to `keep` as it is done.
    ///
    /// # Errors
    /// A fault of the backend, or [`Fault::Stopped`] when `watch` asked to stop; the harvest then has what was done.
    pub fn simulate(
        &self,
        backend: &mut dyn Backend,
        watch: &Watch,
        harvest: &mut Harvest,
        share: Share,
        keep: &Keep<'_>,
    ) -> Result<Provenance, Fault> {
        let model = self.experiment.model;
        let sizes = self.unit_sizes(backend)?;
        let begun = (SystemTime::now(), Instant::now());
        let mut todo = Todo::new(harvest, &sizes, share, self.experiment.batches);
        let mut steps = 0_u64;
        loop {
            let units = todo.list(harvest);
            if units.is_empty() {
                break;
            }
            let work: Vec<Work<'_>> = units.iter().map(|&unit| self.work(unit)).collect();
            let shared = Mutex::new(&mut *harvest);
            backend.run(model, &work, watch, &|index, tallies| {
                let unit = units[index];
                keep(unit, &tallies);
                let mut harvest = shared.lock().unwrap_or_else(PoisonError::into_inner);
                harvest.add(unit.point, unit.batch, &[unit.range()], &tallies);
            })?;
            steps = work
                .iter()
                .map(Work::steps)
                .fold(steps, u64::saturating_add);
        }
        Ok(Provenance {
            steps,
            seconds: begun.1.elapsed().as_secs_f64(),
            started: rfc3339(begun.0),
            ended: rfc3339(SystemTime::now()),
            incidents: (backend.incidents().iter())
                .map(ToString::to_string)
                .collect(),
            ..Provenance::of(backend)
        })
    }
}

/// What is shown every unit that is done, from any thread.
pub type Keep<'a> = dyn Fn(Unit, &Tallies) + Sync + 'a;

/// A time as text, in UTC.
pub fn rfc3339(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

/// Simulates an experiment on a backend.
///
/// # Errors
/// As for [`Ensemble::run`]; experiments that were parsed can be planned.
pub fn run(
    experiment: &Experiment,
    backend: &mut dyn Backend,
    watch: &Watch,
) -> Result<Results, RunError> {
    Ensemble::new(experiment)?.run(backend, watch)
}

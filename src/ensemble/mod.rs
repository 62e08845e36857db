//! A whole run: points become units, a backend simulates them, tallies are merged into results.
//!
//! Owns the split into units, the results of an ensemble and their merging; `extend` adds batches, `met`
//! simulates once more what single steps meet. Does not know files (see
//! `store`) or estimators (see `statistics`).

mod extend;
pub mod met;

use crate::engine::{Backend, Fault, Recording, Unit, Watch, Work};
use crate::experiment::Experiment;
use crate::models::{Plan, Point, Problem, Tallies};
use crate::random::Key;
use std::ops::Range;
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
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Provenance {
    /// Version of the program that simulated.
    pub program_version: String,
    /// `cpu` or `gpu`.
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

    /// Bytes of all accumulators and recordings: their size in memory, and on disk before compression.
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

    /// Some batches of every point as units of a size that suits the backend: ranges of replicas of one batch.
    ///
    /// # Errors
    /// [`Fault::TooLarge`] when a replica does not fit the backend.
    pub fn units(&self, backend: &dyn Backend, batches: Range<u32>) -> Result<Vec<Unit>, Fault> {
        let batch_size = self.experiment.replicas / self.experiment.batches;
        let all = self.points.len() as u64 * u64::from(self.experiment.batches);
        if all > MOST_BATCHES {
            return Err(Fault::Host(format!(
                "{} points of {} batches are {all} batches, and results are kept for at most {MOST_BATCHES}; give fewer batches (64 are plenty)",
                self.points.len(),
                self.experiment.batches
            )));
        }
        let mut units = Vec::new();
        for point in 0..self.points.len() as u32 {
            let whole = Unit {
                point,
                batch: 0,
                first_replica: 0,
                replicas: batch_size,
            };
            let most = backend.replicas_per_unit(&self.work(whole))?.max(1);
            for batch in batches.clone() {
                let mut first = 0;
                while first < batch_size {
                    let replicas = most.min(batch_size - first);
                    units.push(Unit {
                        point,
                        batch,
                        first_replica: batch * batch_size + first,
                        replicas,
                    });
                    first += replicas;
                }
            }
        }
        Ok(units)
    }

    /// Simulates everything.
    ///
    /// # Errors
    /// A fault of the backend, or [`Fault::Stopped`] when `watch` asked to stop.
    pub fn run(self, backend: &mut dyn Backend, watch: &Watch) -> Result<Results, RunError> {
        let (batches, provenance) = self.simulate(backend, watch, 0..self.experiment.batches)?;
        Ok(Results {
            experiment: self.experiment,
            points: self.points,
            plans: self.plans,
            batches,
            provenance,
        })
    }

    /// Simulates some batches of every point.
    fn simulate(
        &self,
        backend: &mut dyn Backend,
        watch: &Watch,
        range: Range<u32>,
    ) -> Result<(Vec<Vec<Tallies>>, Provenance), Fault> {
        let model = self.experiment.model;
        let units = self.units(backend, range.clone())?;
        let begun = (SystemTime::now(), Instant::now());
        let empty = |plan: &Plan| vec![Tallies::zero(plan, model.sums.len()); range.len()];
        let batches = Mutex::new(self.plans.iter().map(empty).collect::<Vec<Vec<Tallies>>>());
        let work: Vec<Work<'_>> = units.iter().map(|&unit| self.work(unit)).collect();
        backend.run(model, &work, watch, &|index, tallies| {
            let unit = units[index];
            let mut batches = batches.lock().unwrap_or_else(PoisonError::into_inner);
            batches[unit.point as usize][(unit.batch - range.start) as usize].merge(&tallies);
        })?;
        let provenance = Provenance {
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            backend: backend.kind().to_owned(),
            adapter: backend.adapter(),
            driver: backend.driver(),
            started: humantime::format_rfc3339_seconds(begun.0).to_string(),
            ended: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            steps: work.iter().map(Work::steps).fold(0, u64::saturating_add),
            seconds: begun.1.elapsed().as_secs_f64(),
        };
        let batches = batches.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((batches, provenance))
    }
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

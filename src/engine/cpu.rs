//! The CPU engine: threads over units, vectors of replicas inside.
//!
//! Owns scheduling on the CPU and turning lanes into tallies. Knows no model.

use super::lanes::{Group, LANES, Lane, SPARE_ROWS};
use super::{Backend, Fault, InstructionSet, Stretch, Watch, Work};
use crate::models::{Model, Plan, Tallies};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Steps of the first call of a kernel; later calls are as long as [`CALL`] allows. Few: a step may take milliseconds.
const FIRST_STEPS: u32 = 4;
/// What a call of a kernel aims to take, so that the stop flag is seen in time.
const CALL: Duration = Duration::from_millis(40);
/// Increments that a 32-bit count may get before it is drained.
const DRAIN_AT: u64 = 1 << 31;

/// The CPU as a backend.
#[derive(Debug)]
pub struct Cpu {
    set: InstructionSet,
    pool: rayon::ThreadPool,
    /// A fixed number of steps a call of the kernel, for comparisons; adapted to its speed otherwise.
    fixed_steps: Option<u32>,
}

impl Cpu {
    /// An engine with that many threads (0: all cores) and the best instruction set.
    ///
    /// # Errors
    /// [`Fault::Host`] when the threads cannot be started.
    pub fn new(threads: usize) -> Result<Cpu, Fault> {
        Cpu::build(threads, InstructionSet::best(), None)
    }

    /// An engine with that many threads (0: all cores) and a given instruction set.
    ///
    /// # Errors
    /// As for [`Cpu::new`].
    pub fn on(threads: usize, set: InstructionSet) -> Result<Cpu, Fault> {
        Cpu::build(threads, set, None)
    }

    /// An engine for comparisons: a given instruction set, and steps a call of the kernel.
    ///
    /// # Errors
    /// As for [`Cpu::new`].
    pub fn with(threads: usize, set: InstructionSet, steps_per_call: u32) -> Result<Cpu, Fault> {
        Cpu::build(threads, set, Some(steps_per_call.max(1)))
    }

    fn build(threads: usize, set: InstructionSet, fixed_steps: Option<u32>) -> Result<Cpu, Fault> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| {
                Fault::Host(format!(
                    "cannot start {threads} threads: {error}; try --threads 1"
                ))
            })?;
        Ok(Cpu {
            set,
            pool,
            fixed_steps,
        })
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Simulates the pieces that `next` names until it names no more, and hands over their tallies as they come.
    ///
    /// # Errors
    /// The first fault of every thread ends that thread alone; the first of all is returned.
    pub(super) fn run_while(
        &self,
        model: &Model,
        work: &[Work<'_>],
        watch: &Watch,
        next: &(dyn Fn() -> Option<usize> + Sync),
        done: &(dyn Fn(usize, Tallies) + Sync),
    ) -> Result<(), Fault> {
        let (set, fixed_steps) = (self.set, self.fixed_steps);
        let ended = self.pool.broadcast(|_| {
            while let Some(index) = next() {
                let piece = &work[index];
                done(
                    index,
                    simulate(set, fixed_steps, model, piece, watch, &mut |_| {})?,
                );
            }
            Ok(())
        });
        ended.into_iter().collect()
    }

    /// Simulates every piece of work, and reads the final state of each of its replicas, in order: what `read` makes
    /// of (replica, words of its state).
    ///
    /// # Errors
    /// As for [`Backend::run`].
    pub fn read_states<T: Send>(
        &self,
        model: &Model,
        work: &[Work<'_>],
        watch: &Watch,
        read: &(dyn Fn(u32, &[u32]) -> T + Sync),
    ) -> Result<Vec<T>, Fault> {
        let (set, fixed_steps) = (self.set, self.fixed_steps);
        let each = |piece: &Work<'_>| {
            let (first, replicas) = (piece.unit.first_replica, piece.unit.replicas as usize);
            let mut found = Vec::with_capacity(replicas);
            let mut words = vec![0; piece.plan.state_words as usize];
            simulate(set, fixed_steps, model, piece, watch, &mut |state| {
                for lane in 0..LANES.min(replicas - found.len()) {
                    for (word, row) in words.iter_mut().zip(state) {
                        *word = row[lane];
                    }
                    found.push(read(first + found.len() as u32, &words));
                }
            })?;
            Ok(found)
        };
        let found: Result<Vec<Vec<T>>, Fault> =
            (self.pool).install(|| work.par_iter().map(each).collect());
        Ok(found?.into_iter().flatten().collect())
    }
}

/// Replicas of a unit of some 10^7 short steps, a few hundredths of a second on one core: whole groups of lanes.
pub(super) fn unit_size(work: &Work<'_>) -> u32 {
    let steps = u64::from(work.plan.end().max(1)) * u64::from(work.plan.work_per_step.max(1));
    let groups = (10_000_000 / steps.saturating_mul(LANES as u64)).clamp(1, 1 << 16);
    groups as u32 * LANES as u32
}

impl Backend for Cpu {
    fn kind(&self) -> &'static str {
        "cpu"
    }

    fn adapter(&self) -> String {
        format!("{}, {} threads", self.set.name(), self.threads())
    }

    fn driver(&self) -> String {
        String::new()
    }

    fn replicas_per_unit(&self, work: &Work<'_>) -> Result<u32, Fault> {
        Ok(unit_size(work))
    }

    fn run(
        &mut self,
        model: &Model,
        work: &[Work<'_>],
        watch: &Watch,
        done: &(dyn Fn(usize, Tallies) + Sync),
    ) -> Result<(), Fault> {
        let (set, fixed_steps) = (self.set, self.fixed_steps);
        self.pool.install(|| {
            work.par_iter().enumerate().try_for_each(|(index, piece)| {
                let tallies = simulate(set, fixed_steps, model, piece, watch, &mut |_| {})?;
                done(index, tallies);
                Ok(())
            })
        })
    }

    fn final_states(
        &mut self,
        model: &Model,
        work: &Work<'_>,
        watch: &Watch,
    ) -> Result<(Tallies, Vec<u32>), Fault> {
        let (words, replicas) = (work.plan.state_words as usize, work.unit.replicas as usize);
        let mut states = vec![0; words * replicas];
        let mut first = 0;
        let tallies = simulate(
            self.set,
            self.fixed_steps,
            model,
            work,
            watch,
            &mut |state| {
                let active = LANES.min(replicas - first);
                for (word, row) in state.iter().enumerate() {
                    states[word * replicas + first..][..active].copy_from_slice(&row[..active]);
                }
                first += active;
            },
        )?;
        Ok((tallies, states))
    }
}

/// Simulates one unit, group by group, and shows the final state of each group.
fn simulate(
    set: InstructionSet,
    fixed_steps: Option<u32>,
    model: &Model,
    work: &Work<'_>,
    watch: &Watch,
    finished: &mut dyn FnMut(&[Lane]),
) -> Result<Tallies, Fault> {
    let plan = work.plan;
    let mut tallies = Tallies::zero(plan, model.sums.len());
    let mut recorded = [(); 2].map(|()| vec![0u64; plan.recorded_bins as usize]);
    let mut counts = [(); 2].map(|()| vec![Lane::ZERO; plan.recorded_bins as usize + SPARE_ROWS]);
    let mut state = vec![Lane::ZERO; plan.state_words as usize];
    let mut one = vec![0; plan.state_words as usize];
    let mut trace = work.recording.wants(&work.unit).then(Vec::new);
    let mut undrained = 0;
    let increments = u64::from(plan.increments_per_step.max(1));
    let most_steps = (DRAIN_AT / increments).clamp(1, u64::from(u32::MAX)) as u32;
    let mut steps_per_call = fixed_steps.unwrap_or(FIRST_STEPS).min(most_steps);
    let replicas = work.unit.replicas as usize;
    for first in (0..replicas).step_by(LANES) {
        let active = LANES.min(replicas - first);
        if active < LANES {
            drain(&mut counts, &mut recorded, LANES);
        }
        let first_replica = work.unit.first_replica + first as u32;
        for lane in 0..LANES {
            // Lanes without a replica repeat the last one: a start may be the dearest of all.
            if lane < active {
                let replica = first_replica.wrapping_add(lane as u32);
                (model.start)(plan, &work.key, replica, &mut one);
            }
            for (row, &word) in state.iter_mut().zip(&one) {
                row[lane] = word;
            }
        }
        if let Some(trace) = &mut trace {
            trace.clear();
        }
        let mut position = 0;
        for (length, half) in plan.segments() {
            let mut left = length;
            while left > 0 {
                if watch.stopped() {
                    return Err(Fault::Stopped);
                }
                // Only the recorded window is traced, so a call ends where it begins and where it ends.
                let window = [work.recording.from, work.recording.end()];
                let edge = window
                    .into_iter()
                    .find(|&edge| edge > position)
                    .filter(|_| trace.is_some());
                let steps = left
                    .min(steps_per_call)
                    .min(edge.map_or(u32::MAX, |edge| edge - position));
                let recording = (window[0]..window[1]).contains(&position);
                let mut group = Group {
                    key: work.key,
                    first_replica,
                    state: &mut state,
                    counts: &mut counts[half.unwrap_or(0)],
                    trace: trace.as_mut().filter(|_| recording),
                };
                let begun = Instant::now();
                (model.cpu)(set, plan, &mut group, Stretch { steps, half });
                if fixed_steps.is_none() && steps == steps_per_call {
                    steps_per_call = adapted(steps, begun.elapsed()).min(most_steps);
                }
                left -= steps;
                position += steps;
                watch.advance(u64::from(steps) * active as u64);
                undrained += u64::from(steps) * increments;
                if undrained >= DRAIN_AT {
                    drain(&mut counts, &mut recorded, active);
                    undrained = 0;
                }
            }
        }
        if active < LANES {
            drain(&mut counts, &mut recorded, active);
        }
        collect_sums(plan, &state, active, &mut tallies);
        if let Some(trace) = &trace {
            let columns: Vec<&[i32]> = trace.iter().map(|row| &row[..active]).collect();
            record_rows(work, first_replica, &columns, &mut tallies);
        }
        finished(&state);
    }
    drain(&mut counts, &mut recorded, LANES);
    tallies.counts = (model.unfold)(plan, &recorded, &mut tallies.sums);
    tallies.replicas = replicas as u64;
    Ok(tallies)
}

/// Steps of the next call, when one of `steps` took so long.
fn adapted(steps: u32, took: Duration) -> u32 {
    let factor = (CALL.as_secs_f64() / took.as_secs_f64().max(1e-6)).clamp(0.25, 8.0);
    (f64::from(steps) * factor).clamp(1.0, f64::from(u32::MAX)) as u32
}

/// Adds the counts of the first `active` lanes to `recorded`, and clears the counts of all, in both halves.
fn drain(counts: &mut [Vec<Lane>; 2], recorded: &mut [Vec<u64>; 2], active: usize) {
    for (counts, recorded) in counts.iter_mut().zip(recorded) {
        for (row, total) in counts.iter_mut().zip(recorded) {
            *total += row[..active]
                .iter()
                .map(|&count| u64::from(count))
                .sum::<u64>();
            *row = Lane::ZERO;
        }
    }
}

/// Adds the sums and peaks that the state of each replica holds.
fn collect_sums(plan: &Plan, state: &[Lane], active: usize, tallies: &mut Tallies) {
    (0..active).for_each(|lane| tallies.add_replica(plan, |word| state[word as usize][lane]));
}

/// Adds traced values, one row a recorded step and one column a replica.
pub(super) fn record_rows(
    work: &Work<'_>,
    first_replica: u32,
    rows: &[&[i32]],
    tallies: &mut Tallies,
) {
    let recording = work.recording;
    let window = rows.iter().take(recording.steps as usize);
    if recording.ensemble {
        tallies.ensemble.resize(recording.steps as usize, [0; 2]);
        for (sums, row) in tallies.ensemble.iter_mut().zip(window.clone()) {
            for &value in *row {
                sums[0] += i128::from(value);
                sums[1] += i128::from(value) * i128::from(value);
            }
        }
    }
    let columns = rows.first().map_or(0, |row| row.len());
    for column in 0..columns {
        let replica = first_replica + column as u32;
        if replica < recording.trajectories {
            tallies
                .trajectories
                .push((replica, window.clone().map(|row| row[column]).collect()));
        }
    }
}

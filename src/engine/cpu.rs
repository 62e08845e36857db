//! The CPU engine: threads over units, vectors of replicas inside.
//!
//! Owns scheduling on the CPU and turning lanes into tallies. Knows no model.

use super::lanes::{Group, LANES, Lane, SPARE_ROWS};
use super::{Backend, Fault, InstructionSet, Stretch, Watch, Work};
use crate::models::{Model, Plan, Tallies};
use rayon::prelude::*;

/// Steps between looks at the stop flag.
const STEPS_PER_LOOK: u32 = 16_384;
/// Steps after which 32-bit counts are drained, at two increments a step at most.
const STEPS_PER_DRAIN: u64 = 1 << 30;

/// The CPU as a backend.
#[derive(Debug)]
pub struct Cpu {
    set: InstructionSet,
    pool: rayon::ThreadPool,
    steps_per_call: u32,
}

impl Cpu {
    /// An engine with that many threads (0: all cores) and the best instruction set.
    ///
    /// # Errors
    /// [`Fault::Host`] when the threads cannot be started.
    pub fn new(threads: usize) -> Result<Cpu, Fault> {
        Cpu::with(threads, InstructionSet::best(), STEPS_PER_LOOK)
    }

    /// An engine for comparisons: a given instruction set, and steps a call of the kernel.
    ///
    /// # Errors
    /// As for [`Cpu::new`].
    pub fn with(threads: usize, set: InstructionSet, steps_per_call: u32) -> Result<Cpu, Fault> {
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
            steps_per_call: steps_per_call.max(1),
        })
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }
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
        // A unit of some 10^7 steps: a few hundredths of a second, whole groups of lanes.
        let groups =
            (10_000_000 / (u64::from(work.plan.end().max(1)) * LANES as u64)).clamp(1, 1 << 16);
        Ok(groups as u32 * LANES as u32)
    }

    fn run(
        &mut self,
        model: &Model,
        work: &[Work<'_>],
        watch: &Watch,
        done: &(dyn Fn(usize, Tallies) + Sync),
    ) -> Result<(), Fault> {
        let (set, steps_per_call) = (self.set, self.steps_per_call);
        self.pool.install(|| {
            work.par_iter().enumerate().try_for_each(|(index, piece)| {
                let tallies = simulate(set, steps_per_call, model, piece, watch, &mut |_| {})?;
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
            self.steps_per_call,
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
    steps_per_call: u32,
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
    let replicas = work.unit.replicas as usize;
    for first in (0..replicas).step_by(LANES) {
        let active = LANES.min(replicas - first);
        if active < LANES {
            drain(&mut counts, &mut recorded, LANES);
        }
        let first_replica = work.unit.first_replica + first as u32;
        for lane in 0..LANES {
            (model.start)(
                plan,
                &work.key,
                first_replica.wrapping_add(lane as u32),
                &mut one,
            );
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
                let steps = left.min(steps_per_call);
                let recording = position < work.recording.end();
                let mut group = Group {
                    key: work.key,
                    first_replica,
                    state: &mut state,
                    counts: &mut counts[half.unwrap_or(0)],
                    trace: trace.as_mut().filter(|_| recording),
                };
                (model.cpu)(set, plan, &mut group, Stretch { steps, half });
                left -= steps;
                position += steps;
                watch.advance(u64::from(steps) * active as u64);
                undrained += u64::from(steps);
                if undrained > STEPS_PER_DRAIN {
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

/// Adds traced values, one row a step from the start of the span and one column a replica.
pub(super) fn record_rows(
    work: &Work<'_>,
    first_replica: u32,
    rows: &[&[i32]],
    tallies: &mut Tallies,
) {
    let recording = work.recording;
    let window = rows
        .iter()
        .skip(recording.from as usize)
        .take(recording.steps as usize);
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

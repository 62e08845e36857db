//! The schedule of one slot: where its replicas are, where they stop next, and what they have tallied.
//!
//! Owns dispatch planning and the check that no dispatch stopped early. Pure: knows no wgpu.

use super::device::SENTINEL;
use super::shader::slot;
use super::wave::Slot;
use crate::engine::{Work, record_rows};
use crate::models::{Model, Tallies};

/// One slot on its way through the span.
#[derive(Debug)]
pub struct Schedule<'a> {
    work: Work<'a>,
    /// Position that every replica has reached.
    reached: u32,
    /// Position at which the current dispatch stops.
    target: u32,
    /// Rows that fit the device's trace, 0 when nothing is traced.
    trace_rows: u32,
    /// Where the rows of the trace now on the device start, while it is being filled.
    traced_from: Option<u32>,
    /// First word on the device of the counts of the first half; those of the second follow.
    counts_at: usize,
    counts: [Vec<u64>; 2],
    trace: Vec<Vec<i32>>,
    positions: Vec<u32>,
}

impl<'a> Schedule<'a> {
    /// A slot at time 0.
    pub fn new(work: &Work<'a>, place: &Slot) -> Schedule<'a> {
        Schedule {
            work: *work,
            reached: 0,
            target: 0,
            trace_rows: place.trace_rows,
            traced_from: None,
            counts_at: place.counts_at,
            counts: [(); 2].map(|()| vec![0; work.plan.recorded_bins as usize]),
            trace: Vec::new(),
            positions: vec![0; work.unit.replicas as usize],
        }
    }

    /// Whether every replica is at its end.
    pub fn finished(&self) -> bool {
        self.reached >= self.work.plan.end()
    }

    /// How many words the slot counts in: the bins of both halves.
    pub fn count_words(&self) -> usize {
        self.counts.iter().map(Vec::len).sum()
    }

    /// Sets the words that say where and how the next dispatch goes.
    pub fn aim(&mut self, words: &mut [u32]) {
        let mut begin = 0;
        let mut phase = 0;
        for (length, half) in self.work.plan.segments() {
            if self.reached >= begin && self.reached < begin + length {
                self.target = begin + length;
                phase = half.map_or(0, |half| half as u32 + 1);
                break;
            }
            begin += length;
        }
        let window = self.work.recording.from..self.work.recording.end();
        let recording = self.trace_rows > 0 && window.contains(&self.reached) && !self.finished();
        if self.trace_rows > 0 && self.reached < window.start {
            self.target = self.target.min(window.start);
        }
        if recording {
            self.target = (self.target)
                .min(window.end)
                .min(self.reached + self.trace_rows);
        }
        self.traced_from = recording.then_some(self.reached);
        words[slot::TARGET] = self.target;
        words[slot::PHASE] = phase;
        let bins_before = if phase == 2 { self.counts[0].len() } else { 0 };
        words[slot::COUNTS_AT] = (self.counts_at + bins_before) as u32;
        words[slot::TRACED] = u32::from(recording);
        words[slot::FROM] = self.reached;
    }

    /// Takes in (position, microsteps) of every column; returns the steps of replicas advanced.
    /// Fails, with the reason, when a replica neither reached the target nor used its budget.
    pub fn advance(&mut self, columns: &[u32], budget: u32) -> Result<u64, String> {
        let mut slowest = u32::MAX;
        let mut advanced = 0;
        for (replica, pair) in columns
            .chunks_exact(2)
            .take(self.positions.len())
            .enumerate()
        {
            let (position, microsteps) = (pair[0], pair[1]);
            let before = self.positions[replica];
            let whole = position != SENTINEL
                && position >= before
                && position <= self.target
                && (position == self.target || microsteps == budget);
            if !whole {
                let replica = self.work.unit.first_replica + replica as u32;
                return Err(format!(
                    "replica {replica} of point {} was at step {before}, reports step {position} after {microsteps} of {budget} microsteps on its way to step {}",
                    self.work.unit.point, self.target
                ));
            }
            advanced += u64::from(position - before);
            self.positions[replica] = position;
            slowest = slowest.min(position);
        }
        self.reached = if slowest == self.target {
            self.target
        } else {
            self.reached
        };
        Ok(advanced)
    }

    /// Rows of the trace that are complete on the device: all of them once the target is reached.
    pub fn traced_rows(&self) -> u32 {
        self.traced_from
            .filter(|_| self.reached == self.target)
            .map_or(0, |from| self.target - from)
    }

    /// Takes in traced rows.
    pub fn add_trace(&mut self, values: &[u32], stride: u32) {
        let replicas = self.work.unit.replicas as usize;
        for row in values.chunks_exact(stride as usize) {
            self.trace
                .push(row[..replicas].iter().map(|&value| value as i32).collect());
        }
        self.traced_from = None;
    }

    /// Takes in the counts of both halves.
    pub fn add_counts(&mut self, counts: &[u32]) {
        for (total, &count) in self.counts.iter_mut().flatten().zip(counts) {
            *total += u64::from(count);
        }
    }

    /// All that has been tallied, but for the sums in the final states.
    pub fn into_tallies(self, model: &Model) -> Tallies {
        let mut tallies = Tallies::zero(self.work.plan, model.sums.len());
        tallies.replicas = u64::from(self.work.unit.replicas);
        tallies.counts = (model.unfold)(self.work.plan, &self.counts, &mut tallies.sums);
        let rows: Vec<&[i32]> = self.trace.iter().map(Vec::as_slice).collect();
        record_rows(
            &self.work,
            self.work.unit.first_replica,
            &rows,
            &mut tallies,
        );
        tallies
    }
}

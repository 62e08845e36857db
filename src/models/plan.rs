//! What a model hands to an engine (a plan) and what it gets back (tallies).
//!
//! Owns the layout of parameters, tables, state and accumulators as plain words, and the exact
//! merging of accumulators. Knows neither engines nor files.

use super::Histogram;
use serde::{Deserialize, Serialize};

/// Everything an engine needs to simulate one point: words only, the same on every machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The model's parameters as integers, indexed by the model's list of fields.
    pub params: Vec<u32>,
    /// Tables that the kernel looks things up in; never empty.
    pub tables: Vec<u32>,
    /// Words of state a replica.
    pub state_words: u32,
    /// How many of the leading words hold position and sums; the engine reads back at least these.
    pub head_words: u32,
    /// Histograms, in the order of their bins.
    pub histograms: Vec<Histogram>,
    /// How many bins a kernel fills in each half of the measured span; `Model::unfold` makes histograms of them.
    pub recorded_bins: u32,
    /// The state word where the 64-bit sums start: for each quantity, for each half, low then high.
    pub sums_at: u32,
    /// State words that are summed over replicas at the end of the span, for each of `Model::peaks`.
    pub peaks_at: Vec<u32>,
    /// State words whose largest value over replicas is kept, for each of `Model::maxima`.
    pub maxima_at: Vec<u32>,
    /// Position (in steps of the span: ticks, jobs, ...) at which measuring begins.
    pub warmup: u32,
    /// Length of the two measured halves, in the same unit.
    pub halves: [u32; 2],
    /// Steps of the span in one unit of `warmup` and `duration`.
    pub steps_per_unit: f64,
    /// Most increments that one step of the span, in one replica, makes to one bin.
    pub increments_per_step: u32,
    /// The same for one microstep of the shader.
    pub increments_per_microstep: u32,
    /// 32-bit words of one sum in the state: 2, or 3 where 64 bits may not do.
    pub sum_words: u32,
    /// How much longer a step takes than one of a few dozen instructions, roughly: units of work are sized by it.
    pub work_per_step: u32,
    /// Iterations of inner loops that one microstep of the shader makes, at most.
    pub loops_per_microstep: u32,
    /// The state word that is not zero once a replica has left the range of its integers, if there is one.
    pub fault: Option<Fault>,
    /// What one unit of the traced value stands for, in `Model::traced`'s unit.
    pub traced_unit: f64,
    /// Whether the system is known to have no steady state.
    pub unstable: bool,
    /// Integers used by the kernel, as the real numbers they stand for: (parameter, value used).
    pub used: Vec<(&'static str, Vec<f64>)>,
}

/// How a replica says that its integers no longer hold what they should: its point is then an error.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The state word; zero when all is well.
    pub at: u32,
    /// What a word that is not zero means, for people.
    pub means: &'static str,
}

impl Plan {
    /// Position at which the replica is finished.
    pub fn end(&self) -> u32 {
        self.warmup + self.halves[0] + self.halves[1]
    }

    /// The same plan, ended after some steps.
    pub fn ended_after(&self, steps: u32) -> Plan {
        let mut short = self.clone();
        short.warmup = self.warmup.min(steps);
        short.halves[0] = self.halves[0].min(steps - short.warmup);
        short.halves[1] = self.halves[1].min(steps - short.warmup - short.halves[0]);
        short
    }

    /// The segments of the span, in order: their length, and the half they are measured into if any.
    pub fn segments(&self) -> [(u32, Option<usize>); 3] {
        [
            (self.warmup, None),
            (self.halves[0], Some(0)),
            (self.halves[1], Some(1)),
        ]
    }

    /// Where in [`Tallies::counts`] the counts of a histogram are.
    pub fn place(&self, histogram: usize) -> std::ops::Range<usize> {
        let bins = |histograms: &[Histogram]| histograms.iter().map(|h| h.bins as usize).sum();
        let first: usize = bins(&self.histograms[..histogram]);
        first..first + self.histograms[histogram].bins as usize
    }

    /// Which part of which sum a state word is, if it is one; `names` are those of the model's sums.
    pub fn name_of_sum(&self, names: &[&str], word: u32) -> Option<String> {
        let inside = word.checked_sub(self.sums_at)?;
        let name = names.get((inside / (2 * self.sum_words)) as usize)?;
        let part = inside % (2 * self.sum_words);
        let (half, word) = (part / self.sum_words + 1, part % self.sum_words);
        Some(format!("sum of {name}, half {half}, word {word}"))
    }

    /// The index of the histogram of that name.
    pub fn histogram(&self, name: &str) -> Option<usize> {
        self.histograms.iter().position(|h| h.name == name)
    }

    /// Total number of bins of all histograms.
    pub fn bins(&self) -> usize {
        self.histograms.iter().map(|h| h.bins as usize).sum()
    }
}

/// What one unit, one batch or a whole point has accumulated. Merging is integer addition, and the largest of maxima.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tallies {
    /// Number of replicas that have finished.
    pub replicas: u64,
    /// Number of those that have left the range of their integers, see [`Plan::fault`].
    pub faults: u64,
    /// Counts of all histograms, one after another.
    pub counts: Vec<u64>,
    /// For each of the model's sums, its value in each half of the measured span.
    pub sums: Vec<[u128; 2]>,
    /// For each of the model's peaks, its sum over replicas.
    pub peaks: Vec<u128>,
    /// For each of the model's maxima, the largest value over replicas.
    pub maxima: Vec<u64>,
    /// For each recorded tick, sums of the traced value and of its square over replicas (empty unless recorded).
    pub ensemble: Vec<[i128; 2]>,
    /// Whole trajectories of the traced value: (replica, value per recorded tick).
    pub trajectories: Vec<(u32, Vec<i32>)>,
}

impl Tallies {
    /// Empty tallies of the right shape.
    pub fn zero(plan: &Plan, sums: usize) -> Tallies {
        Tallies {
            counts: vec![0; plan.bins()],
            sums: vec![[0; 2]; sums],
            peaks: vec![0; plan.peaks_at.len()],
            maxima: vec![0; plan.maxima_at.len()],
            ..Tallies::default()
        }
    }

    /// Adds the sums, peaks, maxima and faults of one finished replica, whose state words `word` reads.
    pub fn add_replica(&mut self, plan: &Plan, word: impl Fn(u32) -> u32) {
        for (which, sums) in self.sums.iter_mut().enumerate() {
            for (half, sum) in sums.iter_mut().enumerate() {
                let at = plan.sums_at + plan.sum_words * (2 * which as u32 + half as u32);
                *sum += (0..plan.sum_words)
                    .map(|i| u128::from(word(at + i)) << (32 * i))
                    .sum::<u128>();
            }
        }
        if let Some(fault) = &plan.fault {
            self.faults += u64::from(word(fault.at) != 0);
        }
        for (sum, &at) in self.peaks.iter_mut().zip(&plan.peaks_at) {
            *sum += u128::from(word(at));
        }
        for (most, &at) in self.maxima.iter_mut().zip(&plan.maxima_at) {
            *most = (*most).max(u64::from(word(at)));
        }
    }

    /// Adds `other`, exactly.
    pub fn merge(&mut self, other: &Tallies) {
        self.replicas += other.replicas;
        self.faults += other.faults;
        for (a, b) in self.counts.iter_mut().zip(&other.counts) {
            *a += b;
        }
        for (a, b) in self.sums.iter_mut().zip(&other.sums) {
            a[0] += b[0];
            a[1] += b[1];
        }
        for (a, b) in self.peaks.iter_mut().zip(&other.peaks) {
            *a += b;
        }
        for (a, b) in self.maxima.iter_mut().zip(&other.maxima) {
            *a = (*a).max(*b);
        }
        if self.ensemble.is_empty() {
            self.ensemble.clone_from(&other.ensemble);
        } else {
            for (a, b) in self.ensemble.iter_mut().zip(&other.ensemble) {
                a[0] += b[0];
                a[1] += b[1];
            }
        }
        self.trajectories.extend(other.trajectories.iter().cloned());
        self.trajectories.sort_by_key(|(replica, _)| *replica);
    }
}

/// Accumulated sums as real numbers, over the whole measured span or one half of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Totals {
    /// For each of the model's sums, its value.
    pub sums: Vec<f64>,
    /// For each of the model's peaks, its sum over replicas; none for a half.
    pub peaks: Option<Vec<f64>>,
    /// For each of the model's maxima, the largest value over replicas; none for a half, nor where a batch is left
    /// out: such a value has no interval.
    pub maxima: Option<Vec<f64>>,
    /// Counts of all histograms, one after another; none for a half.
    pub counts: Option<Vec<f64>>,
    /// Replicas times measured steps.
    pub steps: f64,
    /// Number of replicas.
    pub replicas: f64,
}

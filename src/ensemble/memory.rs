//! How much memory a run takes.
//!
//! Owns the sum: accumulators, points and plans, what becomes of them, and a fixed amount for the rest. It is an upper
//! bound for the CPU engine, held by tests/memory.rs; a GPU takes host buffers of up to its largest buffer besides.

use super::Ensemble;
use crate::models::{Plan, Point, Tallies, Value};
use std::mem::size_of;

/// The program, its threads, the libraries, and a part file that is being made.
const FIXED: u64 = 160 << 20;
/// What the allocator keeps for itself, a piece of memory.
const PIECE: u64 = 16;
/// An estimate of one quantity at one point, as a row of a table and as five numbers of the file.
const ESTIMATE: u64 = 72 + 5 * 8;

impl Ensemble {
    /// Bytes of memory that a run takes at most, until its result is written.
    pub fn memory_bytes(&self) -> u64 {
        let model = self.experiment.model;
        let batches = u64::from(self.experiment.batches);
        let observables = model.observables.len() as u64 + 1;
        let words = self.result_bytes();
        let fixed_of_batch = size_of::<Tallies>() as u64 + 6 * PIECE;
        let accumulators = (self.points.len() as u64)
            .saturating_mul(batches)
            .saturating_mul(fixed_of_batch)
            .saturating_add(words);
        let described: u64 = (self.plans.iter().map(plan_bytes))
            .chain(self.points.iter().map(point_bytes))
            .sum();
        let estimates = self.points.len() as u64 * observables * ESTIMATE;
        // Of one point at a time: rows of all batches while they are written, and left out one by one.
        let widest = (self.plans.iter()).map(|plan| plan.bins() as u64).max();
        let passing = widest.unwrap_or(0).saturating_mul(8 * 3 * batches);
        [
            accumulators,
            described + described / 2,
            estimates,
            passing,
            FIXED,
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }
}

fn plan_bytes(plan: &Plan) -> u64 {
    let words = plan.params.len() + plan.tables.len() + plan.peaks_at.len() + plan.maxima_at.len();
    let used = (plan.used.iter())
        .map(|(_, numbers)| size_of::<(&str, Vec<f64>)>() as u64 + 8 * numbers.len() as u64 + PIECE)
        .sum::<u64>();
    // Lists grow by doubling, so up to half of them is empty.
    let histograms = plan.histograms.len() * size_of::<crate::models::Histogram>();
    size_of::<Plan>() as u64 + 2 * (4 * words as u64 + histograms as u64 + used) + 6 * PIECE
}

fn point_bytes(point: &Point) -> u64 {
    let values = (point.values.iter()).map(|(_, value)| {
        let own = match value {
            Value::Number(_) | Value::Flag(_) => 0,
            Value::Numbers(numbers) => 8 * numbers.len() as u64 + PIECE,
            Value::Word(word) => word.len() as u64 + PIECE,
            Value::Words(words) => (words.iter())
                .map(|word| word.len() as u64 + PIECE + size_of::<String>() as u64)
                .sum(),
        };
        2 * size_of::<(&str, Value)>() as u64 + own
    });
    size_of::<Point>() as u64 + values.sum::<u64>()
}

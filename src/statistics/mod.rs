//! Statistics: from the accumulators of batches to estimates with honest intervals.
//!
//! Owns the jackknife over batches, Student intervals, tails and quantiles, and the comparison of halves. Knows no particular
//! model and no files.

mod binomial;
mod check;
mod compare;
mod conditional;
mod coverage;
mod estimate;
mod jackknife;
mod share;
mod tail;
mod target;

pub use check::{Check, Comparison};
pub use compare::{Difference, Interval, differences, paired};
pub use conditional::Conditional;
pub use coverage::{Coverage, Outcome, Quantity, Row as CoverageRow, seed_of};
pub use estimate::{Estimate, estimate_point, student_quantile};
pub use jackknife::{Jackknife, jackknife};
pub use share::{Basis, Batches, Share, Spread};
pub use tail::{Quantile, Tail};
pub use target::{next_batches, relative_half_width};

use crate::ensemble::Results;
use crate::models::Observable;
use crate::models::Value;

/// The estimates of every point of a run, and theory beside them.
#[derive(Debug, Clone)]
pub struct Table {
    /// The level of the intervals.
    pub confidence: f64,
    /// The quantities, one a column.
    pub observables: &'static [Observable],
    /// `estimates[point][observable]`.
    pub estimates: Vec<Vec<Estimate>>,
    /// Replicas of each point that left the range of their integers; where there are any, there are no estimates.
    pub faults: Vec<u64>,
    /// `theory[point][observable]`, none where no formula holds.
    pub theory: Vec<Vec<Option<f64>>>,
}

impl Table {
    /// Estimates everything at a level of confidence between 0 and 1.
    pub fn new(results: &Results, confidence: f64) -> Table {
        let model = results.experiment.model;
        let comparisons = results.points.len() * model.observables.len();
        let faults: Vec<u64> = (results.batches.iter())
            .map(|batches| batches.iter().map(|batch| batch.faults).sum())
            .collect();
        let estimate = |point: usize| {
            let mut estimates = match faults[point] {
                0 => {
                    let (plan, batches) = (&results.plans[point], &results.batches[point]);
                    estimate_point(model, plan, batches, confidence, comparisons)
                }
                _ => vec![Estimate::default(); model.observables.len()],
            };
            // What starts in its stationary law cannot drift: halves that differ do so by chance.
            let start = results.points[point].get("start");
            if start == Some(&Value::Word("stationary".to_owned())) {
                estimates
                    .iter_mut()
                    .for_each(|estimate| estimate.drifts = false);
            }
            estimates
        };
        let estimates = (0..results.points.len()).map(estimate).collect();
        let theory = results
            .points
            .iter()
            .map(|point| (model.theory)(point))
            .collect();
        Table {
            confidence,
            observables: model.observables,
            estimates,
            faults,
            theory,
        }
    }

    /// The column of a quantity.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.observables
            .iter()
            .position(|observable| observable.name == name)
    }
}

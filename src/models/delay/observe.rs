//! What `delay` reports: estimates from sums, and theory beside them.

use super::words::{param, sum};
use crate::models::{Plan, Point, Totals};

/// Estimates in the order of the observables; none where a ratio has no denominator.
pub fn estimates(plan: &Plan, totals: &Totals) -> Vec<Option<f64>> {
    let sum = |which: usize| totals.sums[which];
    let ratio = |up: f64, down: f64| (down > 0.0).then(|| up / down);
    let per_unit = plan.steps_per_unit;
    let per_step = |which: usize| ratio(sum(which), totals.steps);
    let a_rms = per_step(sum::SQUARE).map(f64::sqrt);
    let tau = f64::from(plan.params[param::DELAY] + plan.params[param::TRAVEL]) / per_unit;
    vec![
        a_rms,
        a_rms.and_then(|a| ratio(a, 2.0 * tau)),
        ratio(sum(sum::QUEUE_1) - sum(sum::QUEUE_2), totals.steps),
        totals.peaks.as_ref().and_then(|peaks| ratio(peaks[0], totals.replicas)),
        ratio(2.0 * totals.steps / per_unit, sum(sum::CROSSINGS)),
        ratio((sum(sum::COMPLETED_1) + sum(sum::COMPLETED_2)) * per_unit, totals.steps),
        per_step(sum::IDLE_1),
        per_step(sum::IDLE_2),
        ratio(sum(sum::WAITED) / per_unit, sum(sum::JOINED)),
        ratio(sum(sum::MET), sum(sum::JOINED)),
        ratio(sum(sum::REJECTIONS), sum(sum::REQUESTS)),
        ratio(sum(sum::REFUSALS), sum(sum::REQUESTS)),
    ]
}

/// Theory.
pub fn theory(_point: &Point) -> Vec<Option<f64>> {
    vec![None; 12]
}

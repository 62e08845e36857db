//! What `redundancy-states` reports: estimates from sums, and theory beside them.

use super::words::{param, sum};
use crate::models::{Plan, Point, Totals};
use crate::random::probability;
use crate::theory::redundancy::System;

/// Histograms are what the kernels count.
pub fn unfold(plan: &Plan, recorded: &[Vec<u64>; 2], _sums: &mut [[u128; 2]]) -> Vec<u64> {
    let mut counts = vec![0; plan.bins()];
    for recorded in recorded {
        for (total, count) in counts.iter_mut().zip(recorded) {
            *total += count;
        }
    }
    counts
}

/// Estimates in the order of the observables; none where a ratio has no denominator.
///
/// Events come at a constant rate, so means over events are means over time. A job of the start leaves after a time
/// that nobody knows; where one did so in the span, the response times of the others are no fair sample.
pub fn estimates(plan: &Plan, totals: &Totals) -> Vec<Option<f64>> {
    let sum = |which: usize| totals.sums[which];
    let ratio = |up: f64, down: f64| (down > 0.0).then(|| up / down);
    let [servers, copies] = [param::SERVERS, param::COPIES].map(|at| f64::from(plan.params[at]));
    let unit = f64::from(1u32 << plan.params[param::FRACTION_BITS]);
    let fair = sum(sum::UNKNOWN) == 0.0;
    let response = ratio(sum(sum::RESPONSE), sum(sum::COMPLETED) * unit).filter(|_| fair);
    let square = ratio(sum(sum::RESPONSE_SQUARE), sum(sum::COMPLETED) * unit * unit);
    let jobs = ratio(sum(sum::JOBS), totals.steps);
    let queue = jobs.map(|jobs| copies * jobs / servers);
    let arrival = probability(plan.params[param::ARRIVAL]);
    let load = arrival / (1.0 - arrival);
    vec![
        response,
        response
            .zip(square)
            .map(|(mean, square)| square - mean * mean),
        queue,
        queue.map(|queue| queue * (1.0 - load) / load),
        jobs,
        ratio(sum(sum::BUSY), totals.steps),
        ratio(sum(sum::EMPTY), totals.steps),
        ratio(sum(sum::COLLISIONS), sum(sum::ARRIVALS)),
    ]
}

/// Theory in the order of the observables.
pub fn theory(point: &Point) -> Vec<Option<f64>> {
    let system = System::new(
        point.number("servers") as u32,
        point.number("copies") as u32,
        point.number("load"),
    );
    let value = |of: fn(&System) -> f64| system.as_ref().map(of);
    vec![
        value(System::response_mean),
        value(|system| system.response_second_moment() - system.response_mean().powi(2)),
        value(System::queue_mean),
        value(System::queue_normalised),
        value(System::jobs_mean),
        value(System::busy_mean),
        value(System::p_empty),
        value(|system| f64::from(system.copies()) * system.load()),
    ]
}

//! What `selfish-pure` reports: estimates from sums, and theory beside them.

use super::parameters::number_of;
use super::plan::most_moves;
use super::words::{RATIO_BITS, param, sum};
use crate::models::{Plan, Point, Totals, Value};
use crate::theory::selfish::load_bound;

/// Histograms are what the kernels count.
pub fn unfold(_plan: &Plan, recorded: &[Vec<u64>; 2], _sums: &mut [[u128; 2]]) -> Vec<u64> {
    let [first, second] = recorded;
    first.iter().zip(second).map(|(a, b)| a + b).collect()
}

/// Estimates in the order of the observables; none where a ratio has no denominator.
pub fn estimates(plan: &Plan, totals: &Totals) -> Vec<Option<f64>> {
    let ratio = |up: f64, down: f64| (down > 0.0).then(|| up / down);
    let unit = f64::from(1u32 << RATIO_BITS);
    let converged = totals.steps - totals.sums[sum::UNCONVERGED];
    let worst = totals.maxima.as_ref().and_then(|maxima| maxima.first());
    let [exact, instances] = [param::EXACT, param::INSTANCES].map(|at| f64::from(plan.params[at]));
    vec![
        ratio(totals.sums[sum::RATIO], converged * unit),
        worst
            .filter(|&&worst| worst > 0.0)
            .map(|&worst| worst / unit),
        ratio(totals.sums[sum::MOVES], totals.steps),
        ratio(converged, totals.steps),
        ratio(exact, instances),
    ]
}

/// Theory in the order of the observables.
///
/// Where all speeds are equal, no equilibrium is worse than 2 - 2/(m+1); with equal rates, every one has loads that
/// differ by one stream at most and is an optimum; and if the largest unsatisfied stream moves, none moves twice
/// (Even-Dar, Kesselman and Mansour 2007). With one server, or one stream on equal servers, nobody moves.
pub fn theory(point: &Point) -> Vec<Option<f64>> {
    let servers = number_of(point, "servers", "speeds");
    let streams = number_of(point, "streams", "rates");
    let are_equal = |key| match point.get(key) {
        Some(Value::Numbers(values)) => values.iter().all(|value| Some(value) == values.first()),
        Some(Value::Word(_)) => false,
        _ => true,
    };
    let equal = are_equal("speeds") || servers == 1.0;
    let still = servers == 1.0 || equal && streams == 1.0;
    let best = still || equal && (are_equal("rates") || streams == 1.0);
    let enough = f64::from(most_moves(point, streams as u32)) >= streams;
    let ends = still || equal && point.word("order") == "max_rate" && enough;
    let known = |known: bool, value: f64| known.then_some(value);
    vec![
        known(best, 1.0),
        known(best, 1.0).or(known(equal, load_bound(servers as u32))),
        known(still, 0.0),
        known(ends, 1.0),
        None,
    ]
}

//! What `selfish-pure` reports: estimates from sums, and theory beside them.

use super::parameters::EACH_COST;
use super::plan::most_moves;
use super::words::{RATIO_BITS, param, sum};
use crate::models::selfish::parameters::number_of;
use crate::models::selfish::{COSTS, next_costs, next_number};
use crate::models::{Plan, Point, Totals, Value};
use crate::theory::selfish::{Cost, load_bound};

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
    let worst = worst
        .filter(|&&worst| worst > 0.0)
        .map(|&worst| worst / unit);
    let mut found = vec![
        ratio(totals.sums[sum::RATIO], converged * unit),
        worst,
        ratio(totals.sums[sum::MOVES], totals.steps),
        ratio(converged, totals.steps),
        ratio(exact, instances),
    ];
    let host = Host::of(plan);
    found.extend(host.prices(worst));
    found
}

/// What the host keeps of a point behind the kernels' tables.
struct Host {
    /// Utilisation of the busiest server in the best assignment; not a number for several instances.
    optimum: f64,
    load: f64,
    costs: Vec<Cost>,
}

impl Host {
    fn of(plan: &Plan) -> Host {
        let mut words = (plan.tables[plan.params[param::HOST_AT] as usize..].iter()).copied();
        let mut next = || words.next().unwrap_or(0);
        Host {
            optimum: next_number(&mut next),
            load: next_number(&mut next),
            costs: next_costs(&mut next),
        }
    }

    /// Prices of all costs where the busiest server has so many times the load of the optimum.
    fn prices(&self, worst: Option<f64>) -> Vec<Option<f64>> {
        let of = |name: &&str| {
            let cost = self.costs.iter().find(|cost| cost.name() == *name);
            let both = cost.zip(worst).map(|(cost, worst)| {
                let most = cost.at(worst * self.optimum);
                [self.optimum, self.load].map(|best| most / cost.at(best))
            });
            let each = both.map_or([None; EACH_COST], |both| both.map(Some));
            each.map(|price| price.filter(|price| price.is_finite()))
        };
        COSTS.iter().flat_map(of).collect()
    }
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
    let worst = known(best, 1.0).or(known(equal, load_bound(servers as u32)));
    let mut found = vec![
        known(best, 1.0),
        worst,
        known(still, 0.0),
        known(ends, 1.0),
        None,
    ];
    // The plan knows the optimum; it is not made where nothing is known of the worst equilibrium.
    let planned = worst.and_then(|_| super::plan::plan(point).ok());
    found.extend(planned.map_or(vec![None; EACH_COST * COSTS.len()], |plan| {
        let mut prices = Host::of(&plan).prices(worst);
        // A bound of the load bounds the price against the best assignment if that is known exactly.
        if !best && plan.params[param::EXACT] != plan.params[param::INSTANCES] {
            prices.fill(None);
        }
        prices
    }));
    found
}

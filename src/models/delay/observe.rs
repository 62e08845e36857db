//! What `delay` reports: estimates from sums, and theory beside them.

use super::parameters::{OBSERVABLES, bias_used, load_rejection};
use super::words::{param, sum};
use crate::models::{Plan, Point, Totals};
use crate::theory::delay::{adaptability, fluctuations, idle, rejection};

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
        totals
            .peaks
            .as_ref()
            .and_then(|peaks| ratio(peaks[0], totals.replicas)),
        ratio(2.0 * totals.steps / per_unit, sum(sum::CROSSINGS)),
        ratio(
            (sum(sum::COMPLETED_1) + sum(sum::COMPLETED_2)) * per_unit,
            totals.steps,
        ),
        per_step(sum::IDLE_1),
        per_step(sum::IDLE_2),
        ratio(sum(sum::WAITED) / per_unit, sum(sum::JOINED)),
        ratio(sum(sum::MET), sum(sum::JOINED)),
        ratio(sum(sum::REJECTIONS), sum(sum::REQUESTS)),
        ratio(sum(sum::REFUSALS), sum(sum::REQUESTS)),
    ]
}

/// Fewest clients of which the fluid limit says anything.
const FEWEST_CLIENTS: f64 = 20.0;
/// A probability of refusal that no theory here can tell from none.
const NEVER: f64 = 1e-6;

/// Theory in the order of the observables; none where no formula of docs/theory.md holds.
///
/// The formulas are for service times of 1, so times are measured in them first.
pub fn theory(point: &Point) -> Vec<Option<f64>> {
    let service = point.pair("service_time");
    let unit = service[0];
    let times =
        ["information_delay", "travel_time", "idle_time"].map(|name| point.number(name) / unit);
    let tau = times[0] + times[1];
    let clients = point.number("clients");
    let (p, b, r) = (
        point.number("disinformation"),
        bias_used(point),
        point.number("rejection"),
    );
    let load = load_rejection(point);
    let mean_r = r + load * clients / 2.0;
    let symmetric = service[0] == service[1];
    let away = 2.0 * times[1] + times[2];
    let cycle = idle::regime(clients, times[0], times[1], times[2])
        .filter(|_| tau > 0.0 && clients >= FEWEST_CLIENTS);
    let never_idle = cycle.is_some_and(|cycle| cycle.throughput == 2.0);
    // The laws of rejection are for packets that bounce at once, and as often as it takes.
    let limit = point.number("bounce_limit");
    let bounces_freely =
        mean_r == 0.0 || (point.word("bounce") == "at_once" && mean_r.powf(limit + 1.0) < NEVER);

    let mut theory = vec![None; OBSERVABLES.len()];
    let mut set = |name: &str, value: Option<f64>| {
        let column = OBSERVABLES
            .iter()
            .position(|observable| observable.name == name);
        if let (Some(column), Some(value)) = (column, value) {
            theory[column] = value.is_finite().then_some(value);
        }
    };
    if symmetric && b == 0.0 && load == 0.0 && never_idle && bounces_freely {
        // The chance that a request ends at the longer queue: by choice, or by an odd number of rejections.
        let bounced = rejection::equivalent_p(r).unwrap_or(f64::NAN);
        let wrong = p * (1.0 - bounced) + (1.0 - p) * bounced;
        // The walk is free only while its fluctuations stay well within the queues.
        let a_rms = fluctuations::lattice_a_rms(tau, wrong).filter(|a| 2.0 * a < clients - away);
        set("a_rms", a_rms);
        set("a_rms_scaled", a_rms.map(|a| a / (2.0 * tau)));
    }
    if symmetric && b == 0.0 && p == 0.0 && r == 0.0 && load == 0.0 {
        set("throughput", cycle.map(|cycle| cycle.throughput / unit));
        set("period", cycle.map(|cycle| cycle.period * unit));
        set("peak", cycle.map(|cycle| cycle.peak));
        for name in ["idle_fraction_1", "idle_fraction_2"] {
            set(name, cycle.map(|cycle| 1.0 - cycle.throughput / 2.0));
        }
    }
    let steady_bias = point.number("bias_period") == 0.0 && r == 0.0 && load == 0.0;
    if steady_bias && symmetric && b > 0.0 && never_idle {
        let throughput = match point.word("bias_kind") {
            "requests" => adaptability::coin_throughput(b, p),
            _ => adaptability::fixed_clients_throughput(b, p),
        };
        set("throughput", throughput.map(|rate| rate / unit));
    }
    if steady_bias
        && !symmetric
        && b == 0.0
        && away == 0.0
        && clients > 8.0 * tau.max(FEWEST_CLIENTS / 8.0)
    {
        set(
            "throughput",
            adaptability::unequal_throughput(service[0], service[1], p),
        );
    }
    if r > 0.0 && bounces_freely {
        set(
            "rejections_per_request",
            rejection::rejections_per_request(r),
        );
    }
    if load > 0.0 && symmetric && b == 0.0 && away == 0.0 && bounces_freely {
        let floor = rejection::fluctuation_floor(clients, mean_r);
        let bound = rejection::load_dependent_bound(clients, mean_r);
        // Where the oscillation that the delay allows is small, the fluctuations are all there is.
        if let (Some(floor), Some(bound)) = (floor, bound) {
            let value = (bound < floor / 4.0 && clients * (1.0 - mean_r) > 3.0).then_some(floor);
            set("a_rms", value);
            set("a_rms_scaled", value.map(|a| a / (2.0 * tau)));
        }
    }
    theory
}

//! What `redundancy` reports: estimates from sums, and theory beside them.

use super::law::Law;
use super::parameters::OBSERVABLES;
use super::service::Service;
use super::words::{param, policy, sum};
use crate::models::{Plan, Point, TailLaw, Totals};
use crate::theory::redundancy::{System, limit_response_tail};

/// Estimates in the order of the observables; none where they are not defined.
pub fn estimates(plan: &Plan, totals: &Totals) -> Vec<Option<f64>> {
    let mean = |which: usize| (totals.steps > 0.0).then(|| totals.sums[which] / totals.steps);
    let unit = plan.traced_unit;
    let servers = f64::from(plan.params[param::SERVERS]);
    let copies = f64::from(plan.params[param::COPIES]);
    let used = |name: &str| {
        plan.used
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, x)| x[0])
    };
    let rate = used("arrival_rate").unwrap_or(f64::NAN);
    let load = used("load").unwrap_or(f64::NAN);
    let response = mean(sum::RESPONSE).map(|t| t * unit);
    let square = mean(sum::RESPONSE_SQUARE).map(|t| t * unit * unit);
    let wait = mean(sum::WAIT).map(|t| t * unit);
    // Time that all copies of a job spend at their servers together.
    let stay = if plan.params[param::NEEDED] > 1 {
        mean(sum::STAY).map(|t| t * unit)
    } else if plan.params[param::POLICY] == policy::START as u32 {
        response.zip(wait).map(|(t, w)| (copies - 1.0) * w + t)
    } else {
        response.map(|t| copies * t)
    };
    let queue = stay.map(|t| rate * t / servers);
    vec![
        response,
        response
            .zip(square)
            .map(|(mean, square)| square - mean * mean),
        wait,
        queue,
        queue
            .filter(|_| load < 1.0)
            .map(|queue| queue * (1.0 - load) / load),
        response.map(|t| rate * t),
        mean(sum::WORK).map(|t| rate * t * unit),
        mean(sum::EMPTY),
        response.map(|t| (copies * t - 1.0) / load),
    ]
}

/// The exact law of a point's system, where it has one.
pub fn exact(point: &Point) -> Option<System> {
    let random = point.word("policy") == "random";
    let copies = if random { 1.0 } else { point.number("copies") };
    let plain = copies == 1.0
        || point.word("policy") == "cancel_on_completion"
            && point.word("copies_are") == "independent";
    let known = plain
        && point.word("service") == "exponential"
        && point.word("arrivals") == "poisson"
        && point.numbers("speeds").iter().all(|speed| *speed == 1.0);
    if !known {
        return None;
    }
    System::new(
        point.number("servers") as u32,
        copies as u32,
        point.number("load"),
    )
}

/// Laws of the response time. Where the exact one is an exponential, that of many servers says nothing more.
pub static TAILS: &[TailLaw] = &[
    TailLaw {
        histogram: "response",
        name: "exact law",
        exact: true,
        tail: |point, t| Some(tractable(point)?.response_tail(t)),
    },
    TailLaw {
        histogram: "response",
        name: "N → ∞",
        exact: false,
        tail: |point, t| {
            let system = exact(point)?;
            let between = (2..system.servers()).contains(&system.copies());
            let limit = || limit_response_tail(system.copies(), system.load(), t);
            between.then(limit)?
        },
    },
];

/// Most servers whose exact tail is evaluated beside a simulation. It takes up to a tenth of a second there and grows
/// with the square of the servers; beyond, the limit is within one part in thousands.
const MOST_TRACTABLE: f64 = 4096.0;

/// The exact law of a point whose tail does not take long.
fn tractable(point: &Point) -> Option<System> {
    let few = point.number("servers") <= MOST_TRACTABLE;
    few.then(|| exact(point))?
}

/// Theory in the order of the observables; none where no formula of docs/theory.md holds.
pub fn theory(point: &Point) -> Vec<Option<f64>> {
    let load = point.number("load");
    let servers = point.number("servers");
    if let Some(system) = exact(point) {
        let mean = system.response_mean();
        let copies = f64::from(system.copies());
        // Where every server does the same, or a job has one server, the wait is that of M/M/1.
        let alone = copies == 1.0 || copies == servers;
        return vec![
            Some(mean),
            Some(system.response_second_moment() - mean * mean),
            alone.then(|| mean - 1.0 / copies),
            Some(system.queue_mean()),
            Some(system.queue_normalised()),
            Some(system.jobs_mean()),
            Some(system.busy_mean()),
            Some(system.p_empty()),
            Some((copies * mean - 1.0) / load),
        ];
    }
    pollaczek_khinchine(point, load, servers).unwrap_or_else(|| vec![None; OBSERVABLES.len()])
}

/// M/G/1 queues: one server a job, or all servers doing the same.
fn pollaczek_khinchine(point: &Point, load: f64, servers: f64) -> Option<Vec<Option<f64>>> {
    let single = point.word("policy") == "random" || point.number("copies") == 1.0;
    let together = point.number("copies") == servers
        && point.word("copies_are") == "identical"
        && point.word("policy") != "cancel_on_start";
    let speed_1 = point.numbers("speeds").iter().all(|speed| *speed == 1.0);
    if !(single || together) || point.word("arrivals") != "poisson" || !speed_1 {
        return None;
    }
    let service = Service::of(point).ok()?;
    // Arrivals at one server, or at all of them.
    let rate = if single { load } else { load * servers };
    if rate >= 1.0 {
        return None;
    }
    let wait = rate * service.second_moment() / (2.0 * (1.0 - rate));
    let response = 1.0 + wait;
    let copies = if single { 1.0 } else { servers };
    let queue = rate * response;
    let exponential = matches!(service, Service::Law(Law::Exponential));
    Some(vec![
        Some(response),
        exponential.then(|| 1.0 / ((1.0 - rate) * (1.0 - rate))),
        Some(wait),
        Some(queue),
        (load < 1.0).then(|| queue * (1.0 - load) / load),
        Some(load * servers * response),
        Some(load * servers * copies),
        Some((1.0 - rate).powf(if single { servers } else { 1.0 })),
        Some((copies * response - 1.0) / load),
    ])
}

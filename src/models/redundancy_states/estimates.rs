//! What `redundancy-states` reports: estimates from sums, and theory beside them.

use super::words::{param, sum};
use crate::models::{Plan, Point, TailLaw, Totals};
use crate::random::probability;
use crate::theory::redundancy::{System, limit_response_tail, warmup_jobs};

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

/// Most servers whose exact tail is evaluated beside a simulation: its cost grows with their square.
const MOST_TRACTABLE: u32 = 4_096;

/// Laws of the response time (of this system, and of infinitely many servers), of jobs, busy servers and collisions.
pub static TAILS: &[TailLaw] = &[
    TailLaw {
        histogram: "response",
        name: "exact law",
        exact: true,
        tail: |point, t| {
            let system = system(point).filter(|system| system.servers() <= MOST_TRACTABLE)?;
            Some(system.response_tail(t))
        },
    },
    TailLaw {
        histogram: "response",
        name: "N → ∞",
        exact: false,
        tail: |point, t| {
            let system = system(point)?;
            let between = (2..system.servers()).contains(&system.copies());
            between.then(|| limit_response_tail(system.copies(), system.load(), t))?
        },
    },
    TailLaw {
        histogram: "jobs",
        name: "exact law",
        exact: true,
        tail: |point, t| {
            let system = system(point).filter(|system| system.servers() <= MOST_TRACTABLE)?;
            let below = system.jobs_pmf(t.ceil().max(0.0) as usize);
            Some(1.0 - below.iter().sum::<f64>())
        },
    },
    TailLaw {
        histogram: "busy",
        name: "exact law",
        exact: true,
        tail: |point, t| {
            let system = system(point).filter(|system| system.servers() <= MOST_TRACTABLE)?;
            Some(tail_of(&system.busy_pmf(), t))
        },
    },
    TailLaw {
        histogram: "collisions",
        name: "exact law",
        exact: true,
        tail: |point, t| {
            let system = system(point).filter(|system| system.servers() <= MOST_TRACTABLE)?;
            Some(tail_of(&collisions(&system), t))
        },
    },
];

/// P(K >= t) from the chances of 0, 1, ...
fn tail_of(chances: &[f64], t: f64) -> f64 {
    let first = t.ceil().max(0.0) as usize;
    chances.iter().skip(first).sum()
}

/// The chance of each number of collisions that an arriving job meets: what busy servers make of it, by their law.
fn collisions(system: &System) -> Vec<f64> {
    let mut chances = vec![0.0; system.copies() as usize + 1];
    for (busy, weight) in (0..).zip(system.busy_pmf()) {
        for (chance, given) in chances
            .iter_mut()
            .zip(system.collisions_pmf(busy).unwrap_or_default())
        {
            *chance += weight * given;
        }
    }
    chances
}

/// The system of a point, where it has a steady state.
fn system(point: &Point) -> Option<System> {
    let [servers, copies] = ["servers", "copies"].map(|name| point.number(name) as u32);
    System::new(servers, copies, point.number("load"))
}

/// Events of warm-up that an empty start needs: a job is an arrival among (1 + rho) / rho events.
pub fn warmup(point: &Point) -> Option<f64> {
    let [servers, copies] = ["servers", "copies"].map(|name| point.number(name) as u32);
    let load = point.number("load");
    let jobs = warmup_jobs(servers, copies, load).filter(|_| point.word("start") == "empty")?;
    Some(jobs * (1.0 + load) / load)
}

/// Theory in the order of the observables.
pub fn theory(point: &Point) -> Vec<Option<f64>> {
    let system = system(point);
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

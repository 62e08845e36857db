//! Theory beside the estimates of `farm`: servers that are fed by Poisson processes of their own.
//!
//! Owns the mixture over servers; the formulas of one server are in `theory::selfish`. Of drawn allocations
//! only the share of rejected requests is known.

use super::parameters::OBSERVABLES;
use super::site::{Kind, Route, Site};
use crate::models::redundancy::law::Law;
use crate::models::{Point, TailLaw};
use crate::theory::selfish::{Cost, Mixed, mg1_wait, mm1_delay_tail, room};

/// Most streams times servers for which the law of delays is worked out anew at every point of a picture.
const MOST_FOR_TAILS: usize = 100_000;

/// The law of the delay at queues with exponential services: a mixture of exponentials.
pub static TAILS: &[TailLaw] = &[TailLaw {
    histogram: "delay",
    name: "exact law",
    exact: true,
    tail: delay_tail,
}];

fn delay_tail(point: &Point, t: f64) -> Option<f64> {
    let streams = point
        .numbers("rates")
        .len()
        .max(point.number("streams") as usize);
    let servers = point
        .numbers("speeds")
        .len()
        .max(point.number("servers") as usize);
    if point.word("server") != "mm1" || streams * servers > MOST_FOR_TAILS {
        return None;
    }
    let site = Site::of(point).ok().filter(|site| !site.unstable)?;
    let parts = site.speeds.iter().zip(site.rates_at()?);
    let tail =
        |(&speed, rate): (&f64, f64)| rate / site.rate * mm1_delay_tail(rate / speed, speed * t);
    Some(parts.map(tail).sum())
}

/// Theory in the order of the observables; none where no formula holds.
pub fn theory(point: &Point) -> Vec<Option<f64>> {
    let none = || vec![None; OBSERVABLES.len()];
    let Ok(site) = Site::of(point) else {
        return none();
    };
    match site.rates_at().filter(|_| !site.unstable) {
        Some(rates) => mixture(&site, &rates),
        None => {
            let mut found = none();
            found[REJECTED] = drawn(&site);
            found
        }
    }
}

/// Column of the share of rejected requests.
const REJECTED: usize = 2;
/// Most streams times servers for which drawn allocations are summed up.
const MOST_DRAWN: usize = 1 << 20;

/// Rejected requests of equal streams that each draw one of equal servers: the mean over loads of a server, weighted by
/// them (docs/theory.md, "selfish: mixed equilibria").
fn drawn(site: &Site) -> Option<f64> {
    let alike = |values: &[u32]| values.iter().all(|value| Some(value) == values.first());
    let (rates, speeds) = (&site.instance.rates, &site.instance.speeds);
    if site.route != Route::Drawn || !alike(rates) || !alike(speeds) {
        return None;
    }
    let cost = match &site.kind {
        Kind::Room(room) => Cost::Mm1k { room: *room },
        Kind::Connections { connections, room } if room == connections => Cost::ErlangB {
            connections: *connections,
        },
        _ => return None,
    };
    if rates.len() * speeds.len() > MOST_DRAWN {
        return None;
    }
    let mixed = Mixed::new(speeds.len() as u32, rates.len() as u32, site.instance.load)?;
    Some(mixed.cost_average(&cost))
}

/// One server at its own rate, in its own mean service times.
struct One {
    /// Share of its requests that are rejected.
    rejected: f64,
    /// Mean and mean square of the delay of accepted requests.
    delay: f64,
    square: Option<f64>,
}

fn one(kind: &Kind, x: f64) -> One {
    match kind {
        Kind::Queue(law) => {
            let delay = 1.0 + mg1_wait(x, law.second_moment() - 1.0);
            One {
                rejected: 0.0,
                delay,
                square: (*law == Law::Exponential).then_some(2.0 * delay * delay),
            }
        }
        Kind::Room(places) => limited(1, *places, x),
        Kind::Connections {
            connections,
            room: places,
        } => limited(*connections, *places, x),
    }
}

fn limited(connections: u32, places: u32, x: f64) -> One {
    let found = room(connections, places, x);
    One {
        rejected: found.rejected,
        delay: found.delay,
        square: None,
    }
}

fn mixture(site: &Site, rates: &[f64]) -> Vec<Option<f64>> {
    let servers = site.speeds.iter().zip(rates);
    let servers: Vec<(f64, f64, One)> = servers
        .map(|(&speed, &rate)| (speed, rate, one(&site.kind, rate / speed)))
        .collect();
    let total = |value: &dyn Fn(&(f64, f64, One)) -> f64| servers.iter().map(value).sum::<f64>();
    let carried = |(_, rate, one): &(f64, f64, One)| rate * (1.0 - one.rejected);
    let accepted = total(&carried);
    let delay = total(&|server| carried(server) * server.2.delay / server.0) / accepted;
    let squares: Option<f64> = (servers.iter())
        .map(|server| Some(carried(server) * server.2.square? / (server.0 * server.0)))
        .sum();
    let connections = f64::from(site.kind.connections());
    let utilisation = |server: &(f64, f64, One)| carried(server) / (server.0 * connections);
    let utilisations = || servers.iter().map(utilisation);
    let limited = site.kind.room() > 0;
    let worst = match &site.route {
        Route::Fixed(of) => {
            let streams = of
                .iter()
                .zip(&site.instance.rates)
                .filter(|(_, rate)| **rate > 0);
            let rejected = streams.map(|(&server, _)| servers[server as usize].2.rejected);
            rejected.reduce(f64::max)
        }
        // Whatever the stream, each request draws its server.
        _ => Some(1.0 - accepted / site.rate),
    };
    vec![
        Some(delay),
        squares.map(|sum| sum / accepted - delay * delay),
        limited.then_some(1.0 - accepted / site.rate),
        worst.filter(|_| limited),
        Some(accepted / (site.speeds.iter().sum::<f64>() * connections)),
        utilisations().reduce(f64::max),
        utilisations().reduce(f64::min),
        None,
    ]
}

//! How finely the clock of `farm` ticks: its fraction bits f, and the sweep of refreshing.
//!
//! Owns the choice, made once a point. A time that leaves the range of the clock all the same is a fault, never wrong.

use super::site::{Kind, Route, Site};
use super::words::RANGE;
use crate::models::redundancy::clock::sweep;

/// -ln of the chance that one request may leave the range with: below 1e-33.
const RARE: f64 = 77.0;
/// Most and fewest fraction bits at the slowest server's own unit of time.
const BITS: (i32, i32) = (24, 8);
/// Most of them where no simple law bounds the delays.
const BITS_WITHOUT_LAW: i32 = 16;
/// Longest and shortest mean time between requests, in units: its mantissa then keeps 31 bits.
const GAP: (f64, f64) = ((1u32 << 25) as f64, 1.0 / 64.0);

/// The clock of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// A mean service time at speed 1 is 2^bits units.
    pub bits: i32,
    /// Requests from one sweep of refreshing to the next.
    pub sweep: u32,
}

impl Clock {
    /// A mean service time at speed 1, in units.
    pub fn unit(&self) -> f64 {
        libm::ldexp(1.0, self.bits)
    }
}

/// The finest clock that holds all delays (but for a chance of 1e-33 each where their law is known) and a sweep over
/// so many words; none where there is none. `steps` is the length of a replica.
pub(super) fn choose(site: &Site, refreshed: u32, steps: f64) -> Option<Clock> {
    let slowest = site.speeds.iter().copied().fold(f64::INFINITY, f64::min);
    let own = libm::floor(libm::log2(slowest)) as i32;
    let (needed, finest) = needed(site, slowest, steps);
    let holds = |bits: i32| {
        // A farm that may grow for ever gets the coarsest clock rather than none.
        bits == BITS.1 && (site.unstable || site.route == Route::Drawn)
            || libm::ldexp(needed, bits + own) <= f64::from(RANGE)
    };
    (BITS.1..=finest).rev().find_map(|bits| {
        let gap = libm::ldexp(1.0 / site.rate, bits + own);
        let fits = holds(bits) && gap <= GAP.0 && gap >= GAP.1;
        let sweep = sweep(refreshed, f64::from(RANGE) / gap, RARE).filter(|_| fits)?;
        Some(Clock {
            bits: bits + own,
            sweep,
        })
    })
}

/// The longest delay to be held, in mean service times at speed 1, and most fraction bits.
fn needed(site: &Site, slowest: f64, steps: f64) -> (f64, i32) {
    let law = match &site.kind {
        Kind::Queue(law) => law,
        // The sum of K exponentials: Chernoff's bound of the gamma law.
        _ => {
            let room = f64::from(site.kind.room());
            let services = room + (2.0 * RARE * room).sqrt() + RARE;
            return (services / slowest, BITS.0);
        }
    };
    let Some(rates) = site.rates_at().filter(|_| !site.unstable) else {
        // All requests at the slowest server.
        return (2.0 * (steps + RARE) / slowest, BITS_WITHOUT_LAW);
    };
    let busy = site
        .speeds
        .iter()
        .zip(&rates)
        .filter(|(_, rate)| **rate > 0.0);
    let spare = busy
        .map(|(speed, rate)| speed - rate)
        .fold(f64::INFINITY, f64::min);
    match law {
        crate::models::redundancy::law::Law::Exponential => (RARE / spare, BITS.0),
        law => {
            // The rate of decay in heavy traffic, 2 (1 - x) / E[S^2], with a margin of 2.
            let largest = law.largest().unwrap_or_else(|| law.upper(0.5f64.powi(65)));
            let queue = RARE * law.second_moment() / spare;
            (queue + 4.0 * largest / slowest, BITS_WITHOUT_LAW)
        }
    }
}

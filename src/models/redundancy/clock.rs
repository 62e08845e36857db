//! How finely the clock of `redundancy` ticks: the number f of fraction bits, and the sweep of refreshing.
//!
//! Owns the choice, made once a point. docs/determinism.md derives what each bound is for.

use super::kernel::RANGE;
use crate::theory::redundancy::System;

/// Fewest and most fraction bits.
const BITS: (u32, u32) = (8, 25);
/// Most fraction bits where no exact law bounds the response times: 2^14 mean service times are in range.
const BITS_WITHOUT_LAW: u32 = 16;
/// Jobs in the largest run that the chance of leaving the range is computed for.
const MOST_JOBS: f64 = 1e13;
/// That chance.
const CHANCE: f64 = 1e-20;
/// Jobs from one sweep of refreshing to the next, where they may be few.
const SWEEP: u32 = 256;

/// The clock of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// Fraction bits: a mean service time is 2^f units.
    pub bits: u32,
    /// Jobs from one sweep of refreshing to the next.
    pub sweep: u32,
}

/// What the choice depends on.
#[derive(Debug, Clone, Copy)]
pub struct Needs<'a> {
    /// N.
    pub servers: u32,
    /// Rate of arrivals in all, per mean service time.
    pub arrival_rate: f64,
    /// Largest of the mean times between arrivals in the phases of their law, as a multiple of the mean.
    pub longest_phase: f64,
    /// The law of the response time, where it is known.
    pub law: Option<&'a System>,
    /// Largest size at the slowest server, in mean service times.
    pub largest_size: f64,
}

/// The finest clock whose range holds all that is needed; none when even the coarsest does not.
pub fn choose(needs: &Needs<'_>) -> Option<Clock> {
    let finest = if needs.law.is_some() {
        BITS.1
    } else {
        BITS_WITHOUT_LAW
    };
    (BITS.0..=finest).rev().find_map(|bits| {
        let range = f64::from(RANGE) / f64::from(1u32 << bits);
        let fits = match needs.law {
            Some(law) => law.response_tail_bound_ln(range) < ln_share(),
            None => needs.largest_size * 4.0 <= range,
        };
        let gap = needs.longest_phase / needs.arrival_rate;
        // The mantissa of the mean gap has 32 bits with 6 more fraction bits than a unit has.
        let gap_fits = gap * f64::from(1u32 << bits) < f64::from(1u32 << 25);
        if !(fits && gap_fits) {
            return None;
        }
        sweep(needs.servers, range / gap, -ln_share()).map(|sweep| Clock { bits, sweep })
    })
}

/// Logarithm of the chance that one job may have.
fn ln_share() -> f64 {
    libm::log(CHANCE) - libm::log(MOST_JOBS)
}

/// The longest of the sweeps of 256, 128, ... but at least `refreshed` steps that ends within the range, which is
/// `range` mean gaps long, but for a chance of e^-`rare`: the sum of k exponentials of mean 1 passes x k with a chance
/// below e^{-k (x - 1 - ln x)}.
pub fn sweep(refreshed: u32, range: f64, rare: f64) -> Option<u32> {
    let mut sweep = refreshed.max(SWEEP);
    loop {
        let steps = f64::from(sweep);
        let x = range / steps;
        if x > 1.0 && steps * (x - 1.0 - libm::log(x)) > rare {
            return Some(sweep);
        }
        if sweep == refreshed.max(1) {
            return None;
        }
        sweep = (sweep / 2).max(refreshed).max(1);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{Needs, choose};
    use crate::theory::redundancy::System;

    fn needs(system: &System) -> Needs<'_> {
        Needs {
            servers: system.servers(),
            arrival_rate: f64::from(system.servers()) * system.load(),
            longest_phase: 1.0,
            law: Some(system),
            largest_size: f64::INFINITY,
        }
    }

    #[test]
    fn the_finest_clock_that_fits_is_chosen() {
        for (servers, copies, load) in [
            (1, 1, 0.5),
            (10, 2, 0.7),
            (1000, 30, 0.99),
            (65_536, 2, 0.9),
            (65_536, 65_536, 0.5),
            (4, 1, 0.99),
            (10, 3, 1e-4),
        ] {
            let system = System::new(servers, copies, load).unwrap();
            let clock = choose(&needs(&system)).unwrap();
            let range = 2f64.powi(30 - clock.bits as i32);
            assert!(system.response_tail_bound_ln(range) < -76.0, "{clock:?}");
            assert!(clock.sweep >= servers);
            if clock.bits < 25 {
                let finer = system.response_tail_bound_ln(range / 2.0) > -76.0;
                let gaps = range / 2.0 * load * f64::from(servers) / f64::from(clock.sweep);
                assert!(
                    finer || gaps < 200.0,
                    "{servers} {copies} {load}: {clock:?}"
                );
            }
        }
    }

    #[test]
    fn what_no_clock_holds_is_refused() {
        let system = System::new(1, 1, 0.99999).unwrap();
        assert_eq!(choose(&needs(&system)), None);
        let idle = System::new(1, 1, 1e-6).unwrap();
        assert_eq!(choose(&needs(&idle)), None);
        let large = Needs {
            law: None,
            largest_size: 2e6,
            ..needs(&idle)
        };
        assert_eq!(choose(&large), None);
    }
}

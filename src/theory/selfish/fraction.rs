//! A load over a speed as an exact fraction.
//!
//! Owns its order. Does not own what is divided.

use std::cmp::Ordering;

/// The load of a server over its speed, compared by cross multiplication and never rounded. Without speed it is
/// infinite, or 0 if there is no load either.
#[derive(Debug, Clone, Copy)]
pub struct Fraction {
    units: u64,
    speed: u64,
}

impl Fraction {
    /// `units` over `speed`.
    pub fn new(units: u64, speed: u64) -> Fraction {
        let speed = if units == 0 { speed.max(1) } else { speed };
        Fraction { units, speed }
    }

    /// The load, in units of rate.
    pub fn units(self) -> u64 {
        self.units
    }

    /// The speed that it is divided by.
    pub fn speed(self) -> u64 {
        self.speed
    }

    /// Its value, rounded.
    pub fn value(self) -> f64 {
        self.units as f64 / self.speed as f64
    }

    /// This over another: 1 for 0/0 and where both are infinite.
    pub fn over(self, other: Fraction) -> f64 {
        if self == other {
            return 1.0;
        }
        let product = |a: u64, b: u64| (u128::from(a) * u128::from(b)) as f64;
        product(self.units, other.speed) / product(other.units, self.speed)
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Fraction) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        product(self.units, other.speed).cmp(&product(other.units, self.speed))
    }
}

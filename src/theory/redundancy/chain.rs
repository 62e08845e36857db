//! The chain of stages of the response time, followed in time by uniformisation in legs.
//!
//! Owns the numbers: which stages matter, how fast the clock ticks, how probabilities far below the least double are
//! kept apart. Does not know what the chain means (see `response`).

use super::System;

/// Mean number of ticks of the uniformised clock in a leg: e^-256 is still a double, and the ticks beyond the mean
/// cost only half as much again.
const TICKS: f64 = 256.0;

/// Masses are kept near 2^900, so that a stage may hold 1e-560 of the total before it counts as empty.
const UNIT_EXPONENT: i32 = 900;

/// Masses below this are dropped: 1e-560 of the total.
const TINY: f64 = 1e-290;

/// What of the mass may be dropped in a leg, relative to the result.
const DROPPED: f64 = 1e-18;

/// Where a job may be at a time, given that it has not left. Stage m has the index m - d.
pub(super) struct Chain {
    copies: f64,
    /// s_m.
    rates: Vec<f64>,
    /// Probability to go on to the stage below.
    on: Vec<f64>,
    /// The largest rate of this stage and all below.
    fastest: Vec<f64>,
    /// Probability of each stage, times 2^-exponent; 0 outside low..=high, with one 0 at the end.
    mass: Vec<f64>,
    exponent: i32,
    low: usize,
    high: usize,
    time: f64,
    /// Whether the mass has the profile that decays with the slowest rate, that of the top stage.
    settled: bool,
}

/// A stretch of time, with the probability of being there still after each tick.
pub(super) struct Leg {
    start: f64,
    length: f64,
    /// Rate of the ticks; of the decay where there is no tick.
    rate: f64,
    /// P(still there after k ticks) times 2^-exponent; one entry alone decays exponentially.
    alive: Vec<f64>,
    exponent: i32,
}

impl Leg {
    pub(super) fn end(&self) -> f64 {
        self.start + self.length
    }

    /// P(T > t) for t within the leg.
    pub(super) fn tail(&self, t: f64) -> f64 {
        let x = self.rate * (t - self.start).max(0.0);
        if let [alone] = self.alive[..] {
            return libm::scalbn(alone * (-x).exp(), self.exponent);
        }
        let mut weight = (-x).exp();
        let mut sum = 0.0;
        for (alive, tick) in self.alive.iter().zip(1_u32..) {
            sum += weight * alive;
            weight *= x / f64::from(tick);
        }
        libm::scalbn(sum, self.exponent)
    }

    /// The time within the leg at which P(T > t) has fallen to q.
    pub(super) fn time_of(&self, q: f64) -> f64 {
        let at_start = self.tail(self.start);
        if at_start <= q {
            return self.start;
        }
        if self.length == f64::INFINITY {
            return self.start + (at_start / q).ln() / self.rate;
        }
        let (mut low, mut high) = (self.start, self.end());
        loop {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                return high;
            }
            if self.tail(middle) > q {
                low = middle;
            } else {
                high = middle;
            }
        }
    }
}

impl Chain {
    /// All mass in stage N at time 0.
    pub(super) fn new(system: &System) -> Chain {
        let [_, copies] = system.sizes();
        let rates: Vec<f64> = system.stages().map(|stage| stage.rate()).collect();
        let on = system
            .stages()
            .map(|stage| (stage.m - copies) / stage.m)
            .collect();
        let fastest = rates
            .iter()
            .scan(0.0_f64, |largest, &rate| {
                *largest = largest.max(rate);
                Some(*largest)
            })
            .collect();
        let top = rates.len() - 1;
        let mut mass = vec![0.0; rates.len() + 1];
        mass[top] = libm::scalbn(1.0, UNIT_EXPONENT);
        Chain {
            copies,
            rates,
            on,
            fastest,
            mass,
            exponent: -UNIT_EXPONENT,
            low: top,
            high: top,
            time: 0.0,
            settled: false,
        }
    }

    /// The next leg, on the way to P(T > end): whoever is left stays for the rest of the time with a probability of
    /// at least e^-(d rest), the rate of leaving being at most d.
    pub(super) fn leg_towards(&mut self, end: f64) -> Leg {
        let rest = end - self.time;
        self.leg(rest, -self.copies * rest)
    }

    /// The next leg, on the way to where P(T > t) is q.
    pub(super) fn leg_down_to(&mut self, q: f64) -> Leg {
        let total = self.total();
        let share = q.ln() - total.ln() - f64::from(self.exponent) * std::f64::consts::LN_2;
        self.leg(f64::INFINITY, share.min(0.0))
    }

    fn total(&self) -> f64 {
        self.mass[self.low..=self.high].iter().sum()
    }

    /// Goes on for a leg, for no longer than `rest`. `ln_share`: the logarithm of the share of the present mass that
    /// the result is, at least.
    fn leg(&mut self, rest: f64, ln_share: f64) -> Leg {
        let total = self.trim_top(ln_share);
        let start = self.time;
        let exponent = self.exponent;
        if self.high == 0 || self.settled {
            return Leg {
                start,
                length: f64::INFINITY,
                rate: self.rates[self.high],
                alive: vec![total],
                exponent,
            };
        }
        let rate = self.fastest[self.high];
        let ticks = TICKS.min(rate * rest);
        let length = if ticks < TICKS { rest } else { TICKS / rate };
        let alive = self.advance(rate, ticks, total);
        self.time += length;
        // Where the top stage is the slowest, all stages come to decay with it, ever more closely.
        let after = self.total();
        let expected = total * (-self.rates[self.high] * length).exp();
        self.settled = ticks == TICKS
            && self.high + 1 == self.rates.len()
            && (after - expected).abs() <= 1e-13 * expected;
        self.rescale(after);
        Leg {
            start,
            length,
            rate,
            alive,
            exponent,
        }
    }

    /// Drops top stages whose mass cannot change the result. Returns the mass that is left.
    fn trim_top(&mut self, ln_share: f64) -> f64 {
        let total = self.total();
        let allowed = (total.ln() + DROPPED.ln() + ln_share).exp().max(TINY);
        let mut dropped = 0.0;
        while self.high > self.low && dropped + self.mass[self.high] <= allowed {
            dropped += self.mass[self.high];
            self.mass[self.high] = 0.0;
            self.high -= 1;
        }
        self.total()
    }

    /// Brings the total back to where there is room above and below, exactly, by a power of two.
    fn rescale(&mut self, total: f64) {
        let (_, exponent) = libm::frexp(total);
        let by = UNIT_EXPONENT - exponent;
        for mass in &mut self.mass[self.low..=self.high] {
            *mass = libm::scalbn(*mass, by);
        }
        self.exponent = self.exponent.saturating_sub(by);
    }

    /// Replaces the masses by those after a Poisson(`ticks`) number of ticks; returns what is left after each tick.
    ///
    /// A stage further down is always the worse one for staying, as the rate of leaving from it and from all stages
    /// below is larger. So at the lower end a share below 1e-20 of what is above may be dropped.
    fn advance(&mut self, rate: f64, ticks: f64, total: f64) -> Vec<f64> {
        let high = self.high;
        let stay: Vec<f64> = self.rates[..=high]
            .iter()
            .map(|s| (rate - s) / rate)
            .collect();
        let go: Vec<f64> = self.rates[1..=high]
            .iter()
            .zip(&self.on[1..=high])
            .map(|(s, on)| s / rate * on)
            .chain([0.0])
            .collect();
        let mut weight = (-ticks).exp();
        let mut after: Vec<f64> = self.mass.iter().map(|mass| mass * weight).collect();
        let mut alive = vec![total];
        let mut result = weight * total;
        let mut low = self.low;
        let mut lowest = low;
        for tick in 1_u32.. {
            low = low.saturating_sub(1);
            lowest = lowest.min(low);
            weight *= ticks / f64::from(tick);
            let left = step(
                &mut self.mass[low..high + 2],
                &stay[low..],
                &go[low..],
                &mut after[low..=high],
                weight,
            );
            alive.push(left);
            result += weight * left;
            while low < high && self.mass[low] <= (1e-20 * left).max(TINY) {
                self.mass[low] = 0.0;
                low += 1;
            }
            // The weights that follow add up to less than a geometric series.
            let ratio = ticks / f64::from(tick + 1);
            if ratio < 1.0 && left * weight * ratio / (1.0 - ratio) <= DROPPED * result {
                break;
            }
        }
        self.mass[..low].fill(0.0);
        self.mass = after;
        self.low = lowest;
        while self.low < high && self.mass[self.low] < TINY {
            self.mass[self.low] = 0.0;
            self.low += 1;
        }
        alive
    }
}

/// One tick: a stage keeps `stay` of its mass and gets `go` of the one above. Adds `weight` times the new masses to
/// `after` and returns their sum. `mass` has one entry more than the others.
fn step(mass: &mut [f64], stay: &[f64], go: &[f64], after: &mut [f64], weight: f64) -> f64 {
    /// Sums that run side by side, as the processor can.
    const SIDE_BY_SIDE: usize = 8;
    let count = after.len();
    let (mass, stay, go) = (&mut mass[..count + 1], &stay[..count], &go[..count]);
    for at in 0..count {
        mass[at] = mass[at] * stay[at] + mass[at + 1] * go[at];
    }
    let mut sums = [0.0; SIDE_BY_SIDE];
    let mut chunks = mass[..count].chunks_exact(SIDE_BY_SIDE);
    let mut afters = after.chunks_exact_mut(SIDE_BY_SIDE);
    for (chunk, after) in chunks.by_ref().zip(afters.by_ref()) {
        for ((after, sum), mass) in after.iter_mut().zip(&mut sums).zip(chunk) {
            *after += weight * mass;
            *sum += mass;
        }
    }
    let mut sum: f64 = sums.iter().sum();
    for (mass, after) in chunks.remainder().iter().zip(afters.into_remainder()) {
        *after += weight * mass;
        sum += mass;
    }
    sum
}

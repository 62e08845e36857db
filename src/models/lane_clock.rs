//! The time of arrivals in sixteen lanes, as kernels by the workload recursion keep it.
//!
//! Owns the carried fraction of a unit, the span since the last sweep of refreshing, and the refreshing of one time.
//! Which state words these are, and when a sweep ends, is the model's.

use crate::engine::{EvenOdd, LANES, Lane, high_words};

/// The time of the last arrival.
#[derive(Clone, Copy)]
pub struct LaneClock {
    /// With 32 fraction bits.
    time: EvenOdd,
    /// When the last sweep of refreshing began, in units.
    since: Lane,
    /// All times since then, or-ed.
    pub seen: Lane,
}

impl LaneClock {
    /// From its words in the state: units, fraction, and units since the last sweep began.
    #[inline(always)]
    pub fn read(now: &Lane, fraction: &Lane, elapsed: &Lane) -> LaneClock {
        let (mut time, mut since) = ([[0; LANES / 2]; 2], *elapsed);
        for i in 0..LANES {
            since[i] = now[i].wrapping_sub(since[i]);
            time[i % 2][i / 2] = u64::from(now[i]) << 32 | u64::from(fraction[i]);
        }
        LaneClock {
            time,
            since,
            seen: Lane::ZERO,
        }
    }

    /// The words that [`LaneClock::read`] takes, of one lane.
    #[inline(always)]
    pub fn words(&self, lane: usize) -> [u32; 3] {
        let time = self.time[lane % 2][lane / 2];
        let now = (time >> 32) as u32;
        [now, time as u32, now.wrapping_sub(self.since[lane])]
    }

    /// Moves on by gaps in 2^-32 units; returns the new time in units.
    #[inline(always)]
    pub fn advance(&mut self, gap: &EvenOdd, sweep_ends: bool) -> Lane {
        for half in 0..2 {
            for k in 0..LANES / 2 {
                self.time[half][k] = self.time[half][k].wrapping_add(gap[half][k]);
            }
        }
        let now = high_words(&self.time);
        for i in 0..LANES {
            self.seen[i] |= now[i].wrapping_sub(self.since[i]);
        }
        if sweep_ends {
            self.since = now;
        }
        now
    }
}

/// Gaps in 2^-32 units from exponentials, by the mantissa and the shift of their mean.
#[inline(always)]
pub fn scaled_gap(drawn: &EvenOdd, mantissa: u32, shift: u32) -> EvenOdd {
    let mut gap = *drawn;
    for half in 0..2 {
        for k in 0..LANES / 2 {
            gap[half][k] = (gap[half][k] * u64::from(mantissa)) >> (shift & 31);
        }
    }
    gap
}

/// Brings times that may be long past up to now, so that none is ever further in the past than a signed difference.
#[inline(always)]
pub fn refreshed(until: &Lane, now: &Lane) -> Lane {
    let mut fresh = Lane::ZERO;
    for i in 0..LANES {
        let left = (until[i].wrapping_sub(now[i]) as i32).max(0) as u32;
        fresh[i] = now[i].wrapping_add(left);
    }
    fresh
}

//! Sums of `farm` on the CPU over the steps of a stretch.
//!
//! Owns how requests are added. Where sums are kept between stretches is in words.rs, how they get there in kernel.rs.

use crate::engine::{EvenOdd, LANES, Lane, even_odd};
use crate::models::redundancy::kernel::rows;

const NONE: EvenOdd = [[0; LANES / 2]; 2];

/// The sums of a stretch.
pub struct Sums {
    /// Delays.
    pub delay: EvenOdd,
    /// Lower halves of their squares ...
    pub square_low: EvenOdd,
    /// ... and upper halves.
    pub square_high: EvenOdd,
    /// Requests present.
    pub present: EvenOdd,
}

impl Sums {
    /// No requests yet.
    pub const NONE: Sums = Sums {
        delay: NONE,
        square_low: NONE,
        square_high: NONE,
        present: NONE,
    };

    /// Adds the delays of at most eight requests: their squares are at most 2^60 and add up in 64 bits.
    #[inline(always)]
    pub fn add<const J: usize>(&mut self, delays: &[Lane; J]) {
        let (mut times, mut squares) = (NONE, NONE);
        for j in 0..rows::<J>() {
            let delay = even_odd(&delays[j]);
            for half in 0..2 {
                for k in 0..LANES / 2 {
                    let time = delay[half][k];
                    times[half][k] += time;
                    squares[half][k] += time * time;
                }
            }
        }
        for half in 0..2 {
            for k in 0..LANES / 2 {
                self.delay[half][k] += times[half][k];
                self.square_low[half][k] += squares[half][k] & 0xFFFF_FFFF;
                self.square_high[half][k] += squares[half][k] >> 32;
            }
        }
    }

    /// Adds the requests present at an event.
    #[inline(always)]
    pub fn add_present(&mut self, present: &Lane) {
        let present = even_odd(present);
        for half in 0..2 {
            for k in 0..LANES / 2 {
                self.present[half][k] += present[half][k];
            }
        }
    }
}

//! Sums of `redundancy` on the CPU over the jobs of a stretch.
//!
//! Owns how jobs are added. Where sums are kept between stretches is in words.rs, how they get there in kernel.rs.

use super::kernel::{Ended, rows};
use crate::engine::{EvenOdd, LANES, Lane, even_odd};

const NONE: EvenOdd = [[0; LANES / 2]; 2];

/// The sums of a stretch.
pub struct Sums {
    /// Response times.
    pub response: EvenOdd,
    /// Lower halves of their squares ...
    pub square_low: EvenOdd,
    /// ... and upper halves.
    pub square_high: EvenOdd,
    /// Waiting times.
    pub wait: EvenOdd,
    /// Work added to servers.
    pub work: EvenOdd,
    /// Time that copies stay.
    pub stay: EvenOdd,
    /// Jobs that found every server idle.
    pub empty: Lane,
}

impl Sums {
    /// No jobs yet.
    pub const NONE: Sums = Sums {
        response: NONE,
        square_low: NONE,
        square_high: NONE,
        wait: NONE,
        work: NONE,
        stay: NONE,
        empty: Lane::ZERO,
    };

    /// Adds jobs, at most eight: their squares are below 2^60 and add up in 64 bits.
    #[inline(always)]
    pub fn add<const J: usize>(&mut self, jobs: &Ended<J>, stay: bool) {
        let (mut times, mut squares, mut waits, mut works) = (NONE, NONE, NONE, NONE);
        for j in 0..rows::<J>() {
            let response = even_odd(&jobs.response[j]);
            let (wait, work) = (even_odd(&jobs.wait[j]), even_odd(&jobs.work[j]));
            for half in 0..2 {
                for k in 0..LANES / 2 {
                    let time = response[half][k];
                    times[half][k] += time;
                    squares[half][k] += time * time;
                    waits[half][k] += wait[half][k];
                    works[half][k] += work[half][k];
                }
            }
        }
        for half in 0..2 {
            for k in 0..LANES / 2 {
                self.response[half][k] += times[half][k];
                self.square_low[half][k] += squares[half][k] & 0xFFFF_FFFF;
                self.square_high[half][k] += squares[half][k] >> 32;
                self.wait[half][k] += waits[half][k];
                self.work[half][k] += works[half][k];
            }
        }
        if stay {
            for stay in &jobs.stay {
                let stay = even_odd(stay);
                for half in 0..2 {
                    for k in 0..LANES / 2 {
                        self.stay[half][k] += stay[half][k];
                    }
                }
            }
        }
    }
}

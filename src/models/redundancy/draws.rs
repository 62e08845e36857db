//! Interarrival times and sizes of `redundancy` on the CPU, of every law.

use super::kernel::{Kernel, RANGE, Wide};
use super::words::{law, param};
use crate::engine::{LANES, Lane};

impl Kernel<'_, '_> {
    /// Interarrival times from exponentials, in 2^-32 units.
    #[inline(always)]
    pub fn gap(&self, drawn: &Lane) -> Wide {
        let mantissa = u64::from(self.param(param::ARRIVAL_MANTISSA));
        let shift = self.param(param::ARRIVAL_SHIFT) & 31;
        let mut gap = [0u64; LANES];
        for i in 0..LANES {
            gap[i] = (u64::from(drawn[i]) * mantissa) >> shift;
        }
        gap
    }

    /// Interarrival times that are not exponential.
    #[inline(never)]
    pub fn other_gap(&self, _job: u32, _word: &Lane) -> Wide {
        let constant = u64::from(self.param(param::ARRIVAL_UNITS)) << 32
            | u64::from(self.param(param::ARRIVAL_FRACTION));
        [constant; LANES]
    }

    /// Sizes from the words at a place of consecutive jobs, in units for equal speeds.
    #[inline(always)]
    pub fn draw_sizes<const J: usize>(&self, job: u32, place: u32, words: &[Lane; J]) -> [Lane; J] {
        if self.param(param::SERVICE_LAW) == law::EXPONENTIAL as u32 {
            if self.param(param::UNEQUAL) != 0 {
                return self.exponentials(job, place, words, |drawn| drawn);
            }
            let shift = self.param(param::SERVICE_SHIFT) & 31;
            let half = (1 << shift) >> 1;
            return self.exponentials(job, place, words, |drawn| {
                (drawn.wrapping_add(half) >> shift).min(RANGE)
            });
        }
        [Lane::all(self.param(param::SERVICE_UNITS)); J]
    }
}

//! Interarrival times and sizes of `redundancy` on the CPU, of every law, for sixteen lanes.
//!
//! Owns the choice of the fast way, that of exponential ones; all others go through host.rs lane by lane.

use super::host::{gap_from, raw_size, size_at, size_is_short};
use super::kernel::{Kernel, RANGE, Wide};
use super::words::{law, param};
use crate::engine::{LANES, Lane};
use crate::random::{MIDPOINT, Purpose};

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

    /// Interarrival times that are not exponential, in 2^-32 units.
    #[inline(never)]
    pub fn other_gap(&self, job: u32, word: &Lane) -> Wide {
        std::array::from_fn(|i| {
            gap_from(&self.params, self.tables, word[i], || self.more(job, 0, i))
        })
    }

    /// Sizes from the words at a place of consecutive jobs: in units where all speeds are 1, else for `at_speed`.
    #[inline(always)]
    pub fn draw_sizes<const J: usize>(&self, job: u32, place: u32, words: &[Lane; J]) -> [Lane; J] {
        if self.param(param::SERVICE_LAW) != law::EXPONENTIAL as u32 {
            return self.other_sizes(job, place, words);
        }
        if self.param(param::UNEQUAL) == 1 {
            return self.exponentials(job, place, words, |drawn| drawn);
        }
        let shift = self.param(param::SERVICE_SHIFT) & 31;
        let half = (1 << shift) >> 1;
        self.exponentials(job, place, words, |drawn| {
            (drawn.wrapping_add(half) >> shift).min(RANGE)
        })
    }

    /// The same for sizes that are not exponential.
    #[inline(never)]
    fn other_sizes<const J: usize>(&self, job: u32, place: u32, words: &[Lane; J]) -> [Lane; J] {
        let mut sizes = [Lane::ZERO; J];
        for (j, (size, word)) in sizes.iter_mut().zip(words).enumerate() {
            for i in 0..LANES {
                let low = if size_is_short(&self.params, word[i]) {
                    self.more(job.wrapping_add(j as u32), place, i)
                } else {
                    MIDPOINT
                };
                let raw = raw_size(&self.params, self.tables, word[i], low);
                let equal = self.param(param::UNEQUAL) == 0;
                size[i] = if equal { raw.min(RANGE) } else { raw };
            }
        }
        sizes
    }

    /// Sizes at servers of unequal speed.
    #[inline(never)]
    pub fn at_speed(&self, raw: &Lane, server: &Lane) -> Lane {
        let mut sizes = Lane::ZERO;
        for i in 0..LANES {
            sizes[i] = size_at(&self.params, self.tables, raw[i], server[i]);
        }
        sizes
    }

    /// Further bits for the word at a place of a job, in one lane.
    pub fn more(&self, job: u32, place: u32, lane: usize) -> u32 {
        let more =
            self.group
                .key
                .draw(Purpose::RedundancyMore, self.replicas[lane], job, place / 4);
        more[place as usize % 4]
    }
}

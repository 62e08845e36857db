//! Interarrival times and sizes of `redundancy` on the CPU, of every law, for sixteen lanes.
//!
//! Owns the choice of the fast way, that of exponential ones; all others go through host.rs lane by lane.

use super::host::{gap_from, raw_size, rounded, size_at_speed, size_is_short};
use super::kernel::{Kernel, RANGE};
use super::words::{law, param};
use crate::engine::{EvenOdd, LANES, Lane, even_odd};
use crate::models::lane_clock::scaled_gap;
use crate::random::{MIDPOINT, Purpose};

impl Kernel<'_, '_> {
    /// Interarrival times from exponentials, in 2^-32 units.
    #[inline(always)]
    pub fn gap(&self, drawn: &Lane) -> EvenOdd {
        scaled_gap(
            &even_odd(drawn),
            self.param(param::ARRIVAL_MANTISSA),
            self.param(param::ARRIVAL_SHIFT),
        )
    }

    /// Interarrival times that are not exponential, in 2^-32 units.
    #[inline(never)]
    pub fn other_gap(&self, job: u32, word: &Lane) -> EvenOdd {
        let lane = |i: usize| gap_from(&self.params, self.tables, word[i], || self.more(job, 0, i));
        std::array::from_fn(|half| std::array::from_fn(|k| lane(2 * k + half)))
    }

    /// Sizes from the words at a place of consecutive jobs: in units where all speeds are 1, else for `at_speed`.
    #[inline(always)]
    pub fn draw_sizes<const J: usize>(
        &self,
        job: u32,
        place: u32,
        words: &[Lane; J],
        sizes: &mut [Lane; J],
    ) {
        if self.param(param::SERVICE_LAW) != law::EXPONENTIAL as u32 {
            return self.other_sizes(job, place, words, sizes);
        }
        if self.param(param::UNEQUAL) == 1 {
            return self.exponentials(job, place, words, sizes, |_, drawn| drawn);
        }
        let shift = self.param(param::SERVICE_SHIFT) & 31;
        self.exponentials(job, place, words, sizes, |job, drawn| {
            rounded(drawn, shift, job)
        });
    }

    /// The same for sizes that are not exponential.
    #[inline(never)]
    fn other_sizes(&self, job: u32, place: u32, words: &[Lane], sizes: &mut [Lane]) {
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
    }

    /// Sizes at servers of unequal speed.
    #[inline(never)]
    pub fn at_speed(&self, raw: &Lane, server: &Lane) -> Lane {
        let mut sizes = Lane::ZERO;
        for i in 0..LANES {
            sizes[i] = size_at_speed(&self.params, self.tables, raw[i], server[i]);
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

//! What an event of `redundancy-states` adds to on the CPU: counts and sums.

use super::departure::{Departure, mask};
use super::step::{Kernel, Registers};
use super::words::{ENTRY_WORDS, RANGE, SUM_WORDS, param, state, sum};
use crate::engine::{LANES, Lane, add_to_lane, count};
use crate::models::log_linear_bin;

/// A word of 64 bits of every lane.
pub type Wide = [u64; LANES];

/// The sums of a stretch.
pub struct Sums {
    response: Wide,
    square_low: Wide,
    square_high: Wide,
    jobs: Wide,
    busy: Wide,
    collisions: Wide,
    completed: Lane,
    arrivals: Lane,
    empty: Lane,
    unknown: Lane,
}

impl Sums {
    /// Nothing yet.
    pub fn none() -> Sums {
        Sums {
            response: [0; LANES],
            square_low: [0; LANES],
            square_high: [0; LANES],
            jobs: [0; LANES],
            busy: [0; LANES],
            collisions: [0; LANES],
            completed: Lane::ZERO,
            arrivals: Lane::ZERO,
            empty: Lane::ZERO,
            unknown: Lane::ZERO,
        }
    }

    /// Adds them to those of the state.
    #[inline(never)]
    pub fn flush(&self, group_state: &mut [Lane], half: usize) {
        for i in 0..LANES {
            let square = u128::from(self.square_low[i]) + (u128::from(self.square_high[i]) << 32);
            let each = [
                (sum::RESPONSE, u128::from(self.response[i])),
                (sum::RESPONSE_SQUARE, square),
                (sum::COMPLETED, u128::from(self.completed[i])),
                (sum::JOBS, u128::from(self.jobs[i])),
                (sum::BUSY, u128::from(self.busy[i])),
                (sum::ARRIVALS, u128::from(self.arrivals[i])),
                (sum::COLLISIONS, u128::from(self.collisions[i])),
                (sum::EMPTY, u128::from(self.empty[i])),
                (sum::UNKNOWN, u128::from(self.unknown[i])),
            ];
            for (which, amount) in each {
                let at = state::SUMS + SUM_WORDS * (2 * which + half);
                add_to_lane(&mut group_state[at..at + SUM_WORDS], i, amount);
            }
        }
    }
}

impl Kernel<'_, '_> {
    /// Adds a measured event to counts and sums.
    #[inline(always)]
    pub fn observe(
        &mut self,
        r: &mut Registers,
        now: &Lane,
        departure: &Departure,
        arrives: &Lane,
        collisions: &Lane,
    ) {
        // A bin past the last is not counted.
        let mut bins = Lane::ZERO;
        for i in 0..LANES {
            let time = now[i].wrapping_sub(departure.since[i]).min(RANGE - 1);
            let time = time & departure.known[i];
            bins[i] = log_linear_bin(time, self.param(param::BIN_BITS)) | !departure.known[i];
            let square = u64::from(time) * u64::from(time);
            r.sums.response[i] += u64::from(time);
            r.sums.square_low[i] += square & 0xFFFF_FFFF;
            r.sums.square_high[i] += square >> 32;
        }
        count(self.group.counts, &bins);
        for i in 0..LANES {
            r.sums.completed[i] = r.sums.completed[i].wrapping_sub(departure.known[i]);
            r.sums.unknown[i] = r.sums.unknown[i].wrapping_sub(departure.unknown[i]);
            r.sums.arrivals[i] = r.sums.arrivals[i].wrapping_sub(arrives[i]);
            r.sums.empty[i] += u32::from(r.jobs[i] == 0);
            r.sums.jobs[i] += u64::from(r.jobs[i]);
            r.sums.busy[i] += u64::from(r.busy[i]);
            r.sums.collisions[i] += u64::from(collisions[i]);
        }
        self.count_linear(param::JOBS_AT, &r.jobs, &Lane::all(u32::MAX));
        self.count_linear(param::BUSY_AT, &r.busy, &Lane::all(u32::MAX));
        self.count_linear(param::COLLISIONS_AT, collisions, arrives);
        let index = self.short_state(&r.jobs);
        for i in 0..LANES {
            bins[i] = self.param(param::STATES_AT).wrapping_add(index[i]);
        }
        count(self.group.counts, &bins);
    }

    /// Counts a number on the scale whose first bin a parameter and whose width the next one gives.
    #[inline(always)]
    fn count_linear(&mut self, at: usize, numbers: &Lane, counted: &Lane) {
        let (first, shift) = (self.param(at), self.param(at + 1) & 31);
        let mut bins = Lane::ZERO;
        for i in 0..LANES {
            bins[i] = first.wrapping_add(numbers[i] >> shift) | !counted[i];
        }
        count(self.group.counts, &bins);
    }

    /// The index of the aggregate state among the short ones, see plan.rs.
    #[inline(always)]
    fn short_state(&self, jobs: &Lane) -> Lane {
        let list_at = self.param(param::LIST_AT) as usize;
        let second = self.group.state[list_at + ENTRY_WORDS];
        let third = self.group.state[list_at + 2 * ENTRY_WORDS];
        let copies = self.param(param::COPIES);
        let longest = self.param(param::STATES_JOBS);
        let mut index = Lane::ZERO;
        for i in 0..LANES {
            let of_two = second[i].wrapping_add(2);
            let of_three = (copies + 3)
                .wrapping_add(second[i].wrapping_mul(copies + 1))
                .wrapping_add(third[i]);
            let few = jobs[i] & mask(jobs[i] < 2)
                | of_two & mask(jobs[i] == 2)
                | of_three & mask(jobs[i] == 3);
            let other = mask(jobs[i] > longest);
            index[i] = few & !other | self.param(param::STATES_OTHER) & other;
        }
        index
    }
}

//! The CPU kernel of `redundancy`: what jobs of few and of many copies have in common.
//!
//! Owns the clock, the refreshing of workloads, the draws of sizes, the sums, and the loop over jobs.
//! Twin of shaders/models/redundancy.wgsl: same names, same order.
//!
//! Times are absolute, modulo 2^32, and compared by signed difference. A workload in the past means an idle
//! server; one server is refreshed a job, so that none is ever further in the past than 2^31.

use super::exponentials::{Cells, cells};
use super::few::Jobs;
use super::words::{SUM_WORDS, law, param, state, sum};
use crate::engine::{Group, LANES, Lane, Stretch, compile_for_each_instruction_set, count};
use crate::models::{Plan, log_linear_bin};

/// A word of 64 bits of every lane.
pub type Wide = [u64; LANES];

/// What a time must be below to be in the range of the clock.
pub const RANGE: u32 = 1 << 30;

/// Jobs that are worked on at once, phase by phase.
const AHEAD: usize = 8;

/// The kernel while it advances a group.
pub struct Kernel<'a, 'b> {
    /// The model's parameters.
    pub params: [u32; param::COUNT],
    /// Its tables.
    pub tables: &'a [u32],
    /// The first of them, that of exponentials.
    pub cells: Cells,
    /// The group.
    pub group: &'a mut Group<'b>,
    /// The replica of every lane.
    pub replicas: Lane,
}

/// What is in registers between jobs.
pub struct Registers {
    /// Jobs that have arrived.
    pub job: u32,
    /// The server that is refreshed next, when it is one.
    pub place: u32,
    /// Time of the last arrival, with 32 fraction bits.
    clock: Wide,
    /// When the last sweep of refreshing began.
    since: Lane,
    /// When the last server will be idle.
    latest: Lane,
    /// All times of this stretch, or-ed.
    seen: Lane,
    /// Sums of this stretch.
    pub sums: Sums,
}

/// The sums of a stretch.
pub struct Sums {
    response: Wide,
    square_low: Wide,
    square_high: Wide,
    wait: Wide,
    /// Work added to servers.
    pub work: Wide,
    /// Time that copies stay.
    pub stay: Wide,
    empty: Lane,
}

/// Jobs on their way out, one row a job.
pub struct Ended<const J: usize> {
    /// When each job arrived, in units.
    pub now: [Lane; J],
    /// Its response time.
    pub response: [Lane; J],
    /// Its waiting time.
    pub wait: [Lane; J],
    /// Work it added to its servers.
    pub work: [Lane; J],
    /// Time that its copies stayed, where more than one completion was needed.
    pub stay: [Lane; J],
}

impl<const J: usize> Ended<J> {
    /// No jobs yet.
    pub const NONE: Ended<J> = Ended {
        now: [Lane::ZERO; J],
        response: [Lane::ZERO; J],
        wait: [Lane::ZERO; J],
        work: [Lane::ZERO; J],
        stay: [Lane::ZERO; J],
    };
}

impl Sums {
    /// Adds jobs.
    #[inline(always)]
    fn add<const J: usize>(&mut self, jobs: &Ended<J>, stay: bool) {
        for j in 0..rows::<J>() {
            for i in 0..LANES {
                let time = u64::from(jobs.response[j][i]);
                let square = time * time;
                self.response[i] += time;
                self.square_low[i] += square & 0xFFFF_FFFF;
                self.square_high[i] += square >> 32;
            }
            for i in 0..LANES {
                self.wait[i] += u64::from(jobs.wait[j][i]);
                self.work[i] += u64::from(jobs.work[j][i]);
            }
            if stay {
                for i in 0..LANES {
                    self.stay[i] += u64::from(jobs.stay[j][i]);
                }
            }
        }
    }
}

/// J, but opaque to the compiler, so that a loop over rows stays a loop: unrolled ones get scrambled.
#[inline(always)]
pub fn rows<const J: usize>() -> usize {
    std::hint::black_box(J).min(J)
}

/// The bins of a time.
#[inline(always)]
fn bins(times: &Lane, bits: u32, first: u32) -> Lane {
    let mut bins = Lane::ZERO;
    for i in 0..LANES {
        bins[i] = first + log_linear_bin(times[i], bits);
    }
    bins
}

impl Kernel<'_, '_> {
    /// A parameter.
    #[inline(always)]
    pub fn param(&self, index: usize) -> u32 {
        self.params[index]
    }

    /// The time before a job, from its first word.
    #[inline(always)]
    pub fn gap_of(&self, job: u32, word: &Lane) -> Wide {
        if self.param(param::ARRIVAL_LAW) == law::EXPONENTIAL as u32 {
            let [drawn] = self.exponentials(job, 0, &[*word], |drawn| drawn);
            self.gap(&drawn)
        } else {
            self.other_gap(job, word)
        }
    }

    /// Moves the clock to the next arrival, that of the j-th job from here; returns its time in units.
    #[inline(always)]
    pub fn arrive(&self, r: &mut Registers, j: usize, gap: &Wide) -> Lane {
        let mut now = Lane::ZERO;
        for i in 0..LANES {
            r.clock[i] = r.clock[i].wrapping_add(gap[i]);
            now[i] = (r.clock[i] >> 32) as u32;
            r.seen[i] |= now[i].wrapping_sub(r.since[i]);
        }
        if r.place + j as u32 + 1 == self.param(param::SWEEP) {
            r.since = now;
        }
        now
    }

    /// Brings one server that has long been idle up to now.
    #[inline(always)]
    pub fn refresh(&mut self, r: &mut Registers, now: &Lane) {
        if r.place < self.param(param::SERVERS) {
            let at = (self.param(param::SERVERS_AT) + r.place) as usize;
            let mut until = self.group.state[at];
            for i in 0..LANES {
                let left = (until[i].wrapping_sub(now[i]) as i32).max(0) as u32;
                until[i] = now[i].wrapping_add(left);
            }
            self.group.state[at] = until;
        }
        r.place += 1;
        if r.place == self.param(param::SWEEP) {
            r.place = 0;
        }
    }

    /// The end of consecutive jobs: what they are remembered by.
    #[inline(always)]
    pub fn depart<const J: usize, const MEASURED: bool>(
        &mut self,
        r: &mut Registers,
        jobs: &Ended<J>,
    ) {
        let rows = rows::<J>();
        for j in 0..rows {
            let (now, response) = (&jobs.now[j], &jobs.response[j]);
            for i in 0..LANES {
                let latest = (r.latest[i].wrapping_sub(now[i]) as i32).max(0) as u32;
                r.latest[i] = now[i].wrapping_add(latest.max(response[i]));
                r.seen[i] |= response[i];
                if MEASURED {
                    r.sums.empty[i] += u32::from(latest == 0);
                }
            }
        }
        if MEASURED {
            r.sums.add(jobs, self.param(param::NEEDED) > 1);
            let (bits, wait_at) = (self.param(param::BIN_BITS), self.param(param::WAIT_AT));
            for j in 0..rows {
                count(self.group.counts, &bins(&jobs.response[j], bits, 0));
                count(self.group.counts, &bins(&jobs.wait[j], bits, wait_at));
            }
        }
        if let Some(trace) = &mut self.group.trace {
            for response in &jobs.response {
                trace.push(std::array::from_fn(|i| response[i] as i32));
            }
        }
        r.job = r.job.wrapping_add(J as u32);
    }

    /// Reads the registers from the state.
    #[inline(always)]
    fn load(&self) -> Registers {
        let row = |word: usize| self.group.state[word];
        let (now, fraction) = (row(state::CLOCK), row(state::FRACTION));
        let (mut clock, mut since) = ([0; LANES], row(state::ELAPSED));
        for i in 0..LANES {
            since[i] = now[i].wrapping_sub(since[i]);
            clock[i] = u64::from(now[i]) << 32 | u64::from(fraction[i]);
        }
        let job = row(state::POSITION)[0];
        Registers {
            job,
            place: job % self.param(param::SWEEP).max(1),
            clock,
            since,
            latest: row(state::LATEST),
            seen: Lane::ZERO,
            sums: Sums {
                response: [0; LANES],
                square_low: [0; LANES],
                square_high: [0; LANES],
                wait: [0; LANES],
                work: [0; LANES],
                stay: [0; LANES],
                empty: Lane::ZERO,
            },
        }
    }

    /// Writes the registers back.
    #[inline(never)]
    fn save(&mut self, r: &Registers, half: Option<usize>) {
        let group_state = &mut *self.group.state;
        group_state[state::POSITION] = Lane::all(r.job);
        group_state[state::LATEST] = r.latest;
        for i in 0..LANES {
            let now = (r.clock[i] >> 32) as u32;
            group_state[state::CLOCK][i] = now;
            group_state[state::ELAPSED][i] = now.wrapping_sub(r.since[i]);
            group_state[state::FRACTION][i] = r.clock[i] as u32;
            group_state[state::FAULT][i] |= u32::from(r.seen[i] >= RANGE);
        }
        let Some(half) = half else { return };
        let sums = &r.sums;
        for i in 0..LANES {
            let square = u128::from(sums.square_low[i]) + (u128::from(sums.square_high[i]) << 32);
            let each = [
                (sum::RESPONSE, u128::from(sums.response[i])),
                (sum::RESPONSE_SQUARE, square),
                (sum::WAIT, u128::from(sums.wait[i])),
                (sum::WORK, u128::from(sums.work[i])),
                (sum::STAY, u128::from(sums.stay[i])),
                (sum::EMPTY, u128::from(sums.empty[i])),
            ];
            for (which, amount) in each {
                let at = state::SUMS + SUM_WORDS * (2 * which + half);
                let words = &mut group_state[at..at + SUM_WORDS];
                let old: u128 = (0..SUM_WORDS)
                    .map(|k| u128::from(words[k][i]) << (32 * k))
                    .sum();
                for (k, word) in words.iter_mut().enumerate() {
                    word[i] = ((old + amount) >> (32 * k)) as u32;
                }
            }
        }
    }

    /// Advances the group by some jobs of `D` copies.
    #[inline(always)]
    fn advance_few<const D: usize>(&mut self, stretch: Stretch) {
        let mut r = self.load();
        let mut left = stretch.steps as usize;
        let mut jobs = Jobs::<D, AHEAD>::none();
        while left >= AHEAD {
            match stretch.half {
                Some(_) => self.few_jobs::<D, AHEAD, true>(&mut r, &mut jobs),
                None => self.few_jobs::<D, AHEAD, false>(&mut r, &mut jobs),
            }
            left -= AHEAD;
        }
        let mut job = Jobs::<D, 1>::none();
        for _ in 0..left {
            match stretch.half {
                Some(_) => self.few_jobs::<D, 1, true>(&mut r, &mut job),
                None => self.few_jobs::<D, 1, false>(&mut r, &mut job),
            }
        }
        self.save(&r, stretch.half);
    }

    /// Advances the group by some jobs of many copies.
    #[inline(always)]
    fn advance_many(&mut self, stretch: Stretch) {
        let mut r = self.load();
        for _ in 0..stretch.steps {
            if stretch.half.is_some() {
                self.many_step::<true>(&mut r);
            } else {
                self.many_step::<false>(&mut r);
            }
        }
        self.save(&r, stretch.half);
    }
}

#[inline(always)]
fn advance(plan: &Plan, group: &mut Group<'_>, stretch: Stretch) {
    let replicas = group.replicas();
    let mut params = [0; param::COUNT];
    params.copy_from_slice(&plan.params);
    let mut kernel = Kernel {
        params,
        tables: &plan.tables,
        cells: cells(&plan.tables),
        group,
        replicas,
    };
    match kernel.param(param::COPIES) {
        1 => kernel.advance_few::<1>(stretch),
        2 => kernel.advance_few::<2>(stretch),
        3 => kernel.advance_few::<3>(stretch),
        4 => kernel.advance_few::<4>(stretch),
        _ => kernel.advance_many(stretch),
    }
}

compile_for_each_instruction_set! {
    /// Advances a group of replicas by a stretch of jobs.
    kernel = advance
}

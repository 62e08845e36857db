//! The CPU kernel of `redundancy`: what jobs of few and of many copies have in common.
//!
//! Owns the clock, the refreshing of workloads, the draws of sizes, the sums, and the loop over jobs.
//! Twin of shaders/models/redundancy.wgsl: same names, same order.
//!
//! Times are absolute, modulo 2^32, and compared by signed difference. A workload in the past means an idle
//! server; one server is refreshed a job, so that none is ever further in the past than 2^31.

use super::exponentials::{Cells, cells};
use super::few::Jobs;
use super::sums::Sums;
use super::words::{SUM_WORDS, law, param, state, sum};
use crate::engine::{EvenOdd, Group, LANES, Lane, Places, Stretch};
use crate::engine::{add_to_lane, compile_for_each_instruction_set, count_at};
use crate::models::lane_clock::{LaneClock, refreshed};
use crate::models::{Plan, log_linear_bin};

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
    /// When the last job arrived.
    pub clock: LaneClock,
    /// When the last server will be idle.
    latest: Lane,
    /// All response times of this stretch, or-ed.
    seen: Lane,
    /// Whether the last jobs have yet to be counted.
    pub uncounted: bool,
    /// Sums of this stretch.
    pub sums: Sums,
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
    /// Where response and wait are counted.
    pub bins: [[Places; J]; 2],
}

impl<const J: usize> Ended<J> {
    /// No jobs yet.
    pub const NONE: Ended<J> = Ended {
        now: [Lane::ZERO; J],
        response: [Lane::ZERO; J],
        wait: [Lane::ZERO; J],
        work: [Lane::ZERO; J],
        stay: [Lane::ZERO; J],
        bins: [[Places::FIRST; J]; 2],
    };
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
    pub fn gap_of(&self, job: u32, word: &Lane) -> EvenOdd {
        if self.param(param::ARRIVAL_LAW) == law::EXPONENTIAL as u32 {
            let mut drawn = [Lane::ZERO];
            self.exponentials(job, 0, &[*word], &mut drawn, |_, drawn| drawn);
            self.gap(&drawn[0])
        } else {
            self.other_gap(job, word)
        }
    }

    /// Moves the clock to the next arrival, that of the j-th job from here; returns its time in units.
    #[inline(always)]
    pub fn arrive(&self, clock: &mut LaneClock, place: u32, gap: &EvenOdd) -> Lane {
        clock.advance(gap, place + 1 == self.param(param::SWEEP))
    }

    /// Brings one server that has long been idle up to now.
    #[inline(always)]
    pub fn refresh(&mut self, r: &mut Registers, now: &Lane) {
        if r.place < self.param(param::SERVERS) {
            let at = (self.param(param::SERVERS_AT) + r.place) as usize;
            self.group.state[at] = refreshed(&self.group.state[at], now);
        }
        r.place += 1;
        if r.place == self.param(param::SWEEP) {
            r.place = 0;
        }
    }

    /// The end of consecutive jobs: what they are remembered by, and where `count` will count them.
    #[inline(always)]
    pub fn depart<const J: usize, const MEASURED: bool>(
        &mut self,
        r: &mut Registers,
        jobs: &mut Ended<J>,
    ) {
        let rows = rows::<J>();
        // Copies, so that they stay in registers for the loop.
        let (mut latest, mut seen, mut empty) = (r.latest, r.seen, Lane::ZERO);
        for j in 0..rows {
            let (now, response) = (&jobs.now[j], &jobs.response[j]);
            for i in 0..LANES {
                let left = (latest[i].wrapping_sub(now[i]) as i32).max(0) as u32;
                latest[i] = now[i].wrapping_add(left.max(response[i]));
                seen[i] |= response[i];
                empty[i] += u32::from(left == 0);
            }
        }
        (r.latest, r.seen) = (latest, seen);
        if MEASURED {
            for i in 0..LANES {
                r.sums.empty[i] += empty[i];
            }
            r.sums.add(jobs, self.param(param::NEEDED) > 1);
            let (bits, wait_at) = (self.param(param::BIN_BITS), self.param(param::WAIT_AT));
            // One row of counts is not for bins.
            let past = self.group.counts.len().saturating_sub(1);
            for j in 0..rows {
                jobs.bins[0][j] = Places::new(past, &bins(&jobs.response[j], bits, 0));
                jobs.bins[1][j] = Places::new(past, &bins(&jobs.wait[j], bits, wait_at));
            }
        }
        if let Some(trace) = &mut self.group.trace {
            for response in &jobs.response {
                trace.push(std::array::from_fn(|i| response[i] as i32));
            }
        }
        r.job = r.job.wrapping_add(J as u32);
    }

    /// Counts the j-th of jobs on their way out.
    #[inline(always)]
    pub fn count<const J: usize>(&mut self, jobs: &Ended<J>, j: usize) {
        for bins in &jobs.bins {
            count_at(self.group.counts, &bins[j]);
        }
    }

    /// Reads the registers from the state.
    #[inline(always)]
    fn load(&self) -> Registers {
        let row = |word: usize| self.group.state[word];
        let job = row(state::POSITION)[0];
        Registers {
            job,
            place: job % self.param(param::SWEEP).max(1),
            clock: LaneClock::read(
                &row(state::CLOCK),
                &row(state::FRACTION),
                &row(state::ELAPSED),
            ),
            latest: row(state::LATEST),
            seen: Lane::ZERO,
            uncounted: false,
            sums: Sums::NONE,
        }
    }

    /// Writes the registers back.
    #[inline(never)]
    fn save(&mut self, r: &Registers, half: Option<usize>) {
        let group_state = &mut *self.group.state;
        group_state[state::POSITION] = Lane::all(r.job);
        group_state[state::LATEST] = r.latest;
        for i in 0..LANES {
            let words = r.clock.words(i);
            for (at, word) in [state::CLOCK, state::FRACTION, state::ELAPSED]
                .into_iter()
                .zip(words)
            {
                group_state[at][i] = word;
            }
            let seen = r.seen[i] | r.clock.seen[i];
            group_state[state::FAULT][i] |= u32::from(seen >= RANGE);
        }
        let Some(half) = half else { return };
        let sums = &r.sums;
        for i in 0..LANES {
            let of = |wide: &EvenOdd| u128::from(wide[i % 2][i / 2]);
            let each = [
                (sum::RESPONSE, of(&sums.response)),
                (
                    sum::RESPONSE_SQUARE,
                    of(&sums.square_low) + (of(&sums.square_high) << 32),
                ),
                (sum::WAIT, of(&sums.wait)),
                (sum::WORK, of(&sums.work)),
                (sum::STAY, of(&sums.stay)),
                (sum::EMPTY, u128::from(sums.empty[i])),
            ];
            for (which, amount) in each {
                let at = state::SUMS + SUM_WORDS * (2 * which + half);
                add_to_lane(&mut group_state[at..at + SUM_WORDS], i, amount);
            }
        }
    }

    /// Advances the group by some jobs of `D` copies.
    #[inline(always)]
    fn advance_few<const D: usize>(&mut self, stretch: Stretch) {
        let mut r = self.load();
        let mut left = stretch.steps as usize;
        let (mut first, mut second) = (Jobs::<D, AHEAD>::none(), Jobs::<D, AHEAD>::none());
        let (mut jobs, mut next) = (&mut first, &mut second);
        if left >= AHEAD {
            for j in 0..rows::<AHEAD>() {
                self.draw_words(r.job, jobs, j);
            }
        }
        while left >= AHEAD {
            match stretch.half {
                Some(_) => self.few_jobs::<D, AHEAD, true>(&mut r, jobs, next),
                None => self.few_jobs::<D, AHEAD, false>(&mut r, jobs, next),
            }
            std::mem::swap(&mut jobs, &mut next);
            left -= AHEAD;
        }
        if r.uncounted {
            for j in 0..rows::<AHEAD>() {
                self.count(&next.ended, j);
            }
            r.uncounted = false;
        }
        let (mut job, mut next) = (Jobs::<D, 1>::none(), Jobs::<D, 1>::none());
        for _ in 0..left {
            self.draw_words(r.job, &mut job, 0);
            match stretch.half {
                Some(_) => {
                    self.few_jobs::<D, 1, true>(&mut r, &mut job, &mut next);
                    self.count(&job.ended, 0);
                    r.uncounted = false;
                }
                None => self.few_jobs::<D, 1, false>(&mut r, &mut job, &mut next),
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

//! The CPU kernel of `redundancy` for few copies: jobs of sixteen replicas, several jobs at a time.
//!
//! Owns a job from its arrival to its departure where its servers fit registers; many.rs has the other way.
//! Twin of shaders/models/redundancy.wgsl: same names.
//!
//! What does not depend on the servers' work is done for [`AHEAD`] jobs at once, phase by phase: words that a
//! phase writes one by one are read as vectors only in a later one, when they have long been in the cache.

use super::kernel::{Ended, Kernel, RANGE, Registers, rows};
use super::words::{law, param, policy};
use crate::engine::{LANES, Lane, Places, draw, pick_at, put_at};
use crate::random::Purpose;
use std::hint::black_box;

/// Most copies of a job whose servers are kept in registers.
pub const MOST_COPIES: usize = 4;
/// Most blocks of random words that such a job takes: an arrival, and choice, size and tie of each copy.
const MOST_BLOCKS: usize = 4;
/// Jobs on their way, one row a job.
pub struct Jobs<const D: usize, const J: usize> {
    /// Random words, by place.
    words: [[Lane; J]; 4 * MOST_BLOCKS],
    /// The sizes, by copy.
    sizes: [[Lane; J]; D],
    /// Where the workloads of its servers are, by copy.
    places: [[Places; J]; D],
    /// How they end.
    pub ended: Ended<J>,
}

/// What a job leaves at its servers, in units from its arrival.
#[derive(Clone, Copy)]
struct Left<const D: usize> {
    then: [Lane; D],
    response: Lane,
    wait: Lane,
    stay: Lane,
}

impl<const D: usize, const J: usize> Jobs<D, J> {
    /// No jobs yet.
    pub fn none() -> Jobs<D, J> {
        Jobs {
            words: [[Lane::ZERO; J]; 4 * MOST_BLOCKS],
            sizes: [[Lane::ZERO; J]; D],
            places: [[Places::FIRST; J]; D],
            ended: Ended::NONE,
        }
    }
}

impl Kernel<'_, '_> {
    /// The next `J` jobs, of `D` copies. Their random words have been drawn; those of the `J` jobs after them
    /// are drawn on the way, and the `J` jobs before them counted, which `next` still holds: both keep the
    /// processor busy while it waits for the work left at servers.
    #[inline(always)]
    pub fn few_jobs<const D: usize, const J: usize, const MEASURED: bool>(
        &mut self,
        r: &mut Registers,
        jobs: &mut Jobs<D, J>,
        next: &mut Jobs<D, J>,
    ) {
        self.arrivals(r, jobs);
        self.sizes(r, jobs);
        self.choices(jobs);
        let after = r.job.wrapping_add(J as u32);
        for j in 0..rows::<J>() {
            if MEASURED && r.uncounted {
                self.count(&next.ended, j);
            }
            self.accept(r, jobs, j);
            self.draw_words(after, next, j);
        }
        self.depart::<J, MEASURED>(r, &mut jobs.ended);
        r.uncounted = MEASURED;
    }

    /// The random words of the j-th job from `job` on.
    #[inline(always)]
    pub fn draw_words<const D: usize, const J: usize>(
        &self,
        job: u32,
        jobs: &mut Jobs<D, J>,
        j: usize,
    ) {
        let blocks = (self.param(param::BLOCKS) as usize).min(MOST_BLOCKS);
        let key = self.group.key.words(Purpose::RedundancyJob);
        let job = job.wrapping_add(j as u32);
        for block in 0..blocks {
            let drawn = draw(key, job, &self.replicas, block as u32);
            // By index: an iterator over the rows by value copies each of them twice more, at half the speed with AVX2.
            for word in 0..4 {
                jobs.words[4 * block + word][j] = drawn[word];
            }
        }
    }

    /// When the jobs arrive.
    #[inline(always)]
    fn arrivals<const D: usize, const J: usize>(&self, r: &mut Registers, jobs: &mut Jobs<D, J>) {
        // A copy, so that it stays in registers for the loop.
        let mut clock = r.clock;
        if self.param(param::ARRIVAL_LAW) == law::EXPONENTIAL as u32 {
            let now = &mut jobs.ended.now;
            self.exponentials(r.job, 0, &jobs.words[0], now, |_, drawn| drawn);
            for j in 0..rows::<J>() {
                let gap = self.gap(&now[j]);
                now[j] = self.arrive(&mut clock, r.place + j as u32, &gap);
            }
        } else {
            for j in 0..J {
                let gap = self.other_gap(r.job.wrapping_add(j as u32), &jobs.words[0][j]);
                jobs.ended.now[j] = self.arrive(&mut clock, r.place + j as u32, &gap);
            }
        }
        r.clock = clock;
    }

    /// The size of each copy at its server, in units.
    #[inline(always)]
    fn sizes<const D: usize, const J: usize>(&self, r: &Registers, jobs: &mut Jobs<D, J>) {
        let (first, step) = (
            self.param(param::SERVICE_WORD) as usize,
            self.param(param::SERVICE_STEP) as usize,
        );
        for copy in 0..D {
            if copy > 0 && step == 0 {
                jobs.sizes[copy] = jobs.sizes[0];
                continue;
            }
            let place = (first + step * copy) % (4 * MOST_BLOCKS);
            let words = &jobs.words[place];
            self.draw_sizes(r.job, place as u32, words, &mut jobs.sizes[copy]);
        }
    }

    /// The servers of each job, and sizes at servers of their own speed.
    #[inline(always)]
    fn choices<const D: usize, const J: usize>(&self, jobs: &mut Jobs<D, J>) {
        let servers = self.param(param::SERVERS) as usize;
        let unequal = self.param(param::UNEQUAL) == 1;
        for j in 0..rows::<J>() {
            let chosen: [Lane; D] = self.choose(&jobs.words, j);
            for (copy, server) in chosen.iter().enumerate() {
                jobs.places[copy][j] = Places::new(servers, server);
                if unequal {
                    jobs.sizes[copy][j] = self.at_speed(&jobs.sizes[copy][j], server);
                }
            }
        }
    }

    /// d distinct servers in a random order: the first d places of a shuffle that starts in order. The place
    /// that a copy draws holds its own server unless an earlier copy swapped it away.
    #[inline(always)]
    fn choose<const D: usize, const J: usize>(
        &self,
        words: &[[Lane; J]; 4 * MOST_BLOCKS],
        j: usize,
    ) -> [Lane; D] {
        let servers = self.param(param::SERVERS);
        let (first, step) = (
            self.param(param::CHOICE_WORD) as usize,
            self.param(param::CHOICE_STEP) as usize,
        );
        let mut places = [Lane::ZERO; D];
        let mut chosen = [Lane::ZERO; D];
        if D as u32 == servers {
            for (copy, chosen) in chosen.iter_mut().enumerate() {
                *chosen = Lane::all(copy as u32);
            }
            return chosen;
        }
        let mut word = words[first % (4 * MOST_BLOCKS)][j];
        for copy in 0..D {
            if step > 0 {
                word = words[(first + step * copy) % (4 * MOST_BLOCKS)][j];
            }
            let choices = servers.wrapping_sub(copy as u32);
            for i in 0..LANES {
                let product = u64::from(word[i]) * u64::from(choices);
                places[copy][i] = copy as u32 + (product >> 32) as u32;
                word[i] = product as u32;
                let mut place = places[copy][i];
                for earlier in (0..copy).rev() {
                    let moved = place == places[earlier][i];
                    place = if moved { earlier as u32 } else { place };
                }
                chosen[copy][i] = place;
            }
        }
        chosen
    }

    /// One job joins its servers.
    #[inline(always)]
    fn accept<const D: usize, const J: usize>(
        &mut self,
        r: &mut Registers,
        jobs: &mut Jobs<D, J>,
        j: usize,
    ) {
        let at = self.param(param::SERVERS_AT) as usize;
        let now = jobs.ended.now[j];
        let sizes: [Lane; D] = std::array::from_fn(|copy| jobs.sizes[copy][j]);
        self.refresh(r, &now);
        let mut left = [Lane::ZERO; D];
        for (left, places) in left.iter_mut().zip(&jobs.places) {
            let until = pick_at(&self.group.state[at..], &places[j]);
            for i in 0..LANES {
                let work = until[i].wrapping_sub(now[i]) as i32;
                left[i] = work.max(0) as u32;
            }
        }
        // The rarer rules get copies: they read lanes one by one, which would keep these in memory for all rules.
        let job = if self.param(param::POLICY) == policy::START as u32 {
            self.first_start(&jobs.words, j, &black_box(left), &black_box(sizes))
        } else if self.param(param::NEEDED) > 1 {
            self.needed_completions(&black_box(left), &black_box(sizes))
        } else {
            first_completion(&left, &sizes)
        };
        let mut work = Lane::ZERO;
        for copy in 0..D {
            let mut until = Lane::ZERO;
            for i in 0..LANES {
                until[i] = now[i].wrapping_add(job.then[copy][i]);
                work[i] = work[i].wrapping_add(job.then[copy][i].wrapping_sub(left[copy][i]));
            }
            put_at(&mut self.group.state[at..], &jobs.places[copy][j], &until);
        }
        jobs.ended.response[j] = job.response;
        jobs.ended.wait[j] = job.wait;
        jobs.ended.work[j] = work;
        if self.param(param::NEEDED) > 1 {
            jobs.ended.stay[j] = job.stay;
        }
    }

    /// The server with the least work left takes the job, one of them at random when they are several.
    #[inline(always)]
    fn first_start<const D: usize, const J: usize>(
        &self,
        words: &[[Lane; J]; 4 * MOST_BLOCKS],
        j: usize,
        left: &[Lane; D],
        sizes: &[Lane; D],
    ) -> Left<D> {
        let first = self.param(param::TIE_WORD) as usize;
        let step = self.param(param::CHOICE_STEP).max(1) as usize;
        let (mut wait, mut size) = (left[0], sizes[0]);
        let (mut winner, mut tied) = (Lane::ZERO, Lane::all(1));
        for copy in 1..D {
            let word = words[(first + step * copy) % (4 * MOST_BLOCKS)][j];
            for i in 0..LANES {
                let less = left[copy][i] < wait[i];
                let equal = left[copy][i] == wait[i];
                tied[i] = if less { 1 } else { tied[i] + u32::from(equal) };
                let drawn = (u64::from(word[i]) * u64::from(tied[i])) >> 32 == 0;
                let wins = less | (equal & drawn & (first > 0));
                winner[i] = if wins { copy as u32 } else { winner[i] };
                size[i] = if wins { sizes[copy][i] } else { size[i] };
                wait[i] = wait[i].min(left[copy][i]);
            }
        }
        let mut response = Lane::ZERO;
        for i in 0..LANES {
            response[i] = (wait[i] + size[i]).min(RANGE);
        }
        let mut then = *left;
        for (copy, then) in then.iter_mut().enumerate() {
            for i in 0..LANES {
                then[i] = if winner[i] == copy as u32 {
                    response[i]
                } else {
                    then[i]
                };
            }
        }
        Left {
            then,
            response,
            wait,
            stay: Lane::ZERO,
        }
    }

    /// The k-th completion cancels the copies that are left.
    #[inline(always)]
    fn needed_completions<const D: usize>(&self, left: &[Lane; D], sizes: &[Lane; D]) -> Left<D> {
        let needed = self.param(param::NEEDED) as usize;
        let mut job = first_completion(left, sizes);
        let mut sorted = [Lane::ZERO; D];
        for i in 0..LANES {
            let mut times = [0; D];
            for copy in 0..D {
                let mut time = left[copy][i] + sizes[copy][i];
                for known in times.iter_mut().take(copy) {
                    let least = time.min(*known);
                    time = time.max(*known);
                    *known = least;
                }
                times[copy] = time;
            }
            for (row, time) in sorted.iter_mut().zip(times) {
                row[i] = time;
            }
        }
        job.response = sorted[(needed - 1).min(D - 1)];
        for i in 0..LANES {
            job.response[i] = job.response[i].min(RANGE);
        }
        for copy in 0..D {
            for i in 0..LANES {
                let done = left[copy][i] + sizes[copy][i];
                job.then[copy][i] = done.min(left[copy][i].max(job.response[i]));
                job.stay[i] += done.min(job.response[i]);
            }
        }
        job
    }
}

/// The first completion cancels the other copies.
#[inline(always)]
fn first_completion<const D: usize>(left: &[Lane; D], sizes: &[Lane; D]) -> Left<D> {
    let mut job = Left {
        then: *left,
        response: Lane::ZERO,
        wait: Lane::ZERO,
        stay: Lane::ZERO,
    };
    for i in 0..LANES {
        let (mut response, mut wait) = (RANGE, RANGE * 2);
        for copy in 0..D {
            response = response.min(left[copy][i] + sizes[copy][i]);
            wait = wait.min(left[copy][i]);
        }
        for copy in 0..D {
            job.then[copy][i] = left[copy][i].max(response);
        }
        job.response[i] = response;
        job.wait[i] = wait;
    }
    job
}

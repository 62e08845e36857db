//! The CPU kernel of `redundancy` for many copies: one job in each of sixteen replicas.
//!
//! Owns a job whose servers do not fit registers: they are the first d places of an order of servers that is
//! kept in the state and shuffled on. Two passes over the copies: what each server has left, then what it gets.
//! Twin of shaders/models/redundancy_many.wgsl: same names, same order.

use super::kernel::{Ended, Kernel, RANGE, Registers};
use super::words::{param, policy};
use crate::engine::{LANES, Lane, Places, draw, pick, put};
use crate::random::Purpose;

/// The random words of a job, a block at a time.
struct Words {
    job: u32,
    block: u32,
    drawn: [Lane; 4],
}

/// What the first pass finds.
struct Found {
    response: Lane,
    wait: Lane,
    /// The copy whose server takes the job when the first start cancels, and its size.
    winner: Lane,
    size: Lane,
    tied: Lane,
}

impl Kernel<'_, '_> {
    /// The word at a place of a job.
    #[inline(always)]
    fn word(&self, words: &mut Words, place: u32) -> Lane {
        let block = place / 4;
        if block != words.block {
            let key = self.group.key.words(Purpose::RedundancyJob);
            words.drawn = draw(key, words.job, &self.replicas, block);
            words.block = block;
        }
        words.drawn[place as usize % 4]
    }

    /// One job with more copies than [`super::few::MOST_COPIES`].
    #[inline(always)]
    pub fn many_step<const MEASURED: bool>(&mut self, r: &mut Registers) {
        let mut words = Words {
            job: r.job,
            block: u32::MAX,
            drawn: [Lane::ZERO; 4],
        };
        let first = self.word(&mut words, 0);
        let gap = self.gap_of(r.job, &first);
        let now = self.arrive(&mut r.clock, r.place, &gap);
        self.refresh(r, &now);
        let found = self.look(&mut words, &now);
        self.give::<MEASURED>(r, &now, &found);
        let mut ended = Ended {
            now: [now],
            response: [found.response],
            wait: [found.wait],
            // Both are summed by `give`, since a job's may pass 32 bits.
            work: [Lane::ZERO],
            stay: [Lane::ZERO],
            bins: [[Places::FIRST]; 2],
        };
        self.depart::<1, MEASURED>(r, &mut ended);
        if MEASURED {
            self.count(&ended, 0);
        }
    }

    /// The servers of a copy: drawn in the first pass, known in the second.
    #[inline(always)]
    fn server(&mut self, copy: u32, choice: Option<&mut Lane>) -> Lane {
        let servers = self.param(param::SERVERS);
        if self.param(param::COPIES) == servers {
            return Lane::all(copy);
        }
        let at = self.param(param::ORDER_AT) as usize;
        let own = at + copy as usize;
        if let Some(word) = choice {
            let mut place = Lane::ZERO;
            for i in 0..LANES {
                let product = u64::from(word[i]) * u64::from(servers - copy);
                place[i] = copy + (product >> 32) as u32;
                word[i] = product as u32;
            }
            let order = &mut self.group.state[at..at + servers as usize];
            let swapped = pick(order, &place);
            let mine = self.group.state[own];
            put(
                &mut self.group.state[at..at + servers as usize],
                &place,
                &mine,
            );
            self.group.state[own] = swapped;
        }
        self.group.state[own]
    }

    /// Work left at servers, in units.
    #[inline(always)]
    fn left(&self, server: &Lane, now: &Lane) -> Lane {
        let at = self.param(param::SERVERS_AT) as usize;
        let until = pick(
            &self.group.state[at..at + self.param(param::SERVERS) as usize],
            server,
        );
        let mut left = Lane::ZERO;
        for i in 0..LANES {
            left[i] = (until[i].wrapping_sub(now[i]) as i32).max(0) as u32;
        }
        left
    }

    /// The first pass: draws servers and sizes, and finds when the job is done.
    #[inline(always)]
    fn look(&mut self, words: &mut Words, now: &Lane) -> Found {
        let copies = self.param(param::COPIES);
        let needed = self.param(param::NEEDED) as usize;
        let starts = self.param(param::POLICY) == policy::START as u32;
        let least_at = self.param(param::LEAST_AT) as usize;
        let choice_step = self.param(param::CHOICE_STEP);
        let tie_word = self.param(param::TIE_WORD);
        let mut found = Found {
            response: Lane::all(u32::MAX),
            wait: Lane::all(u32::MAX),
            winner: Lane::ZERO,
            size: Lane::ZERO,
            tied: Lane::ZERO,
        };
        if needed > 1 {
            self.group.state[least_at..least_at + needed].fill(Lane::all(u32::MAX));
        }
        let mut choice = Lane::ZERO;
        let mut size = [Lane::ZERO];
        for copy in 0..copies {
            if copies < self.param(param::SERVERS) && (copy == 0 || choice_step > 0) {
                choice = self.word(words, self.param(param::CHOICE_WORD) + choice_step * copy);
            }
            let server = self.server(copy, Some(&mut choice));
            let left = self.left(&server, now);
            let place = self.param(param::SERVICE_WORD) + self.param(param::SERVICE_STEP) * copy;
            if copy == 0 || self.param(param::SERVICE_STEP) > 0 {
                let word = self.word(words, place);
                self.draw_sizes(words.job, place, &[word], &mut size);
            }
            let size = if self.param(param::UNEQUAL) == 1 {
                self.at_speed(&size[0], &server)
            } else {
                size[0]
            };
            if starts {
                let tie = if tie_word > 0 {
                    self.word(words, tie_word + choice_step.max(1) * copy)
                } else {
                    Lane::all(u32::MAX)
                };
                for i in 0..LANES {
                    let less = left[i] < found.wait[i];
                    let equal = left[i] == found.wait[i];
                    found.tied[i] = if less {
                        1
                    } else {
                        found.tied[i] + u32::from(equal)
                    };
                    let drawn = (u64::from(tie[i]) * u64::from(found.tied[i])) >> 32 == 0;
                    let wins = less | (equal & drawn & (tie_word > 0));
                    found.winner[i] = if wins { copy } else { found.winner[i] };
                    found.size[i] = if wins { size[i] } else { found.size[i] };
                }
            }
            let mut done = Lane::ZERO;
            for i in 0..LANES {
                done[i] = left[i] + size[i];
                found.wait[i] = found.wait[i].min(left[i]);
                found.response[i] = found.response[i].min(done[i]);
            }
            if needed > 1 {
                self.group.state[least_at + needed + copy as usize] = done;
                for least in &mut self.group.state[least_at..least_at + needed] {
                    for i in 0..LANES {
                        let smaller = done[i].min(least[i]);
                        done[i] = done[i].max(least[i]);
                        least[i] = smaller;
                    }
                }
            }
        }
        if needed > 1 {
            found.response = self.group.state[least_at + needed - 1];
        }
        if starts {
            for i in 0..LANES {
                found.response[i] = found.wait[i] + found.size[i];
            }
        }
        for i in 0..LANES {
            found.response[i] = found.response[i].min(RANGE);
        }
        found
    }

    /// The second pass: gives servers their work, and sums up what is added and how long copies stay.
    #[inline(always)]
    fn give<const MEASURED: bool>(&mut self, r: &mut Registers, now: &Lane, found: &Found) {
        let needed = self.param(param::NEEDED) as usize;
        let starts = self.param(param::POLICY) == policy::START as u32;
        let done_at = self.param(param::LEAST_AT) as usize + needed;
        let at = self.param(param::SERVERS_AT) as usize;
        let servers = self.param(param::SERVERS) as usize;
        for copy in 0..self.param(param::COPIES) {
            let server = self.server(copy, None);
            let left = self.left(&server, now);
            let mut then = Lane::ZERO;
            for i in 0..LANES {
                then[i] = left[i].max(found.response[i]);
            }
            if starts {
                for i in 0..LANES {
                    then[i] = if found.winner[i] == copy {
                        found.response[i]
                    } else {
                        left[i]
                    };
                }
            }
            if needed > 1 {
                let done = self.group.state[done_at + copy as usize];
                for i in 0..LANES {
                    then[i] = then[i].min(done[i]);
                    if MEASURED {
                        r.sums.stay[i % 2][i / 2] += u64::from(done[i].min(found.response[i]));
                    }
                }
            }
            let mut until = Lane::ZERO;
            for i in 0..LANES {
                until[i] = now[i].wrapping_add(then[i]);
                if MEASURED {
                    r.sums.work[i % 2][i / 2] += u64::from(then[i] - left[i]);
                }
            }
            put(&mut self.group.state[at..at + servers], &server, &until);
        }
    }
}

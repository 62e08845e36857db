//! The CPU kernel of `farm`: what requests at queues and events at connections have in common.
//!
//! Owns the registers, the choice of streams and servers, and the way between registers and state. requests.rs and
//! events.rs have the steps. Twin of shaders/models/farm.wgsl: same names.

use super::sums::Sums;
use super::words::{RANGE, SUM_WORDS, param, route, state, sum};
use crate::engine::{EvenOdd, Group, LANES, Lane, Stretch};
use crate::engine::{add_to_lane, compile_for_each_instruction_set, look_up_two, pick};
use crate::models::Plan;
use crate::models::lane_clock::LaneClock;
use crate::models::redundancy::exponentials::{Cells, cells};
use crate::random::Purpose;

/// The kernel while it advances a group.
pub struct Kernel<'a, 'b> {
    /// The model's parameters.
    params: [u32; param::COUNT],
    /// Its tables.
    pub tables: &'a [u32],
    /// The first of them, that of exponentials.
    pub cells: Cells,
    /// The group.
    pub group: &'a mut Group<'b>,
    /// The replica of every lane.
    pub replicas: Lane,
    /// The key of the draws of requests.
    pub key: [u32; 4],
}

/// What is in registers between steps.
pub struct Registers {
    /// Requests, or events, so far.
    pub step: u32,
    /// The word that is refreshed next, when it is one.
    pub place: u32,
    /// When the last request arrived.
    pub clock: LaneClock,
    /// All delays of this stretch, or-ed.
    pub seen: Lane,
    /// Requests present, where servers are counted.
    pub present: Lane,
    /// The sums of this stretch.
    pub sums: Sums,
}

impl Kernel<'_, '_> {
    /// A parameter.
    #[inline(always)]
    pub fn param(&self, index: usize) -> u32 {
        self.params[index]
    }

    /// One of so many from a random word: by an alias table, or each as likely as the others where there is none.
    #[inline(always)]
    pub fn chosen(&self, word: &Lane, at: u32, choices: u32) -> Lane {
        let mut chosen = Lane::ZERO;
        for i in 0..LANES {
            chosen[i] = ((u64::from(word[i]) * u64::from(choices)) >> 32) as u32;
        }
        if at > 0 {
            let mut places = Lane::ZERO;
            for i in 0..LANES {
                places[i] = 2 * chosen[i];
            }
            let [limit, other] = look_up_two(&self.tables[at as usize..], &places);
            for i in 0..LANES {
                chosen[i] = if word[i] < limit[i] {
                    chosen[i]
                } else {
                    other[i]
                };
            }
        }
        chosen
    }

    /// The stream of a request.
    #[inline(always)]
    pub fn stream(&self, word: &Lane) -> Lane {
        self.chosen(
            word,
            self.param(param::STREAM_AT),
            self.param(param::STREAMS),
        )
    }

    /// A server by its speed.
    #[inline(always)]
    pub fn server_by_speed(&self, word: &Lane) -> Lane {
        self.chosen(
            word,
            self.param(param::SERVER_AT),
            self.param(param::SERVERS),
        )
    }

    /// The server of a request of a stream, and the factor of its sizes; the word is for routes that draw.
    #[inline(always)]
    pub fn route(&self, stream: &Lane, word: &Lane) -> [Lane; 2] {
        let way = self.param(param::ROUTE) as usize;
        if way == route::FIXED {
            let mut places = Lane::ZERO;
            for i in 0..LANES {
                places[i] = 2 * stream[i];
            }
            return look_up_two(
                &self.tables[self.params[param::ROUTE_AT] as usize..],
                &places,
            );
        }
        let server = if way == route::DRAWN {
            pick(
                &self.group.state[self.params[param::ALLOCATION_AT] as usize..],
                stream,
            )
        } else {
            self.server_by_speed(word)
        };
        let at = self.param(param::FACTOR_AT) as usize;
        let factor = if at == 0 {
            Lane::all(self.param(param::FACTOR))
        } else {
            look_up_two(&self.tables[at..], &server)[0]
        };
        [server, factor]
    }

    /// Further bits for a word of a step, in one lane.
    pub fn more(&self, step: u32, place: usize, lane: usize) -> u32 {
        let key = self.group.key;
        key.draw(Purpose::FarmMore, self.replicas[lane], step, 0)[place]
    }

    /// Reads the registers from the state.
    #[inline(always)]
    fn load(&self) -> Registers {
        let row = |word: usize| self.group.state[word];
        let step = row(state::POSITION)[0];
        Registers {
            step,
            place: step % self.param(param::SWEEP).max(1),
            clock: LaneClock::read(
                &row(state::CLOCK),
                &row(state::FRACTION),
                &row(state::ELAPSED),
            ),
            seen: Lane::ZERO,
            present: row(state::PRESENT),
            sums: Sums::NONE,
        }
    }

    /// Writes the registers back.
    #[inline(never)]
    fn save(&mut self, r: &Registers, half: Option<usize>) {
        let group_state = &mut *self.group.state;
        group_state[state::POSITION] = Lane::all(r.step);
        group_state[state::PRESENT] = r.present;
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
            let square = of(&sums.square_low) + (of(&sums.square_high) << 32);
            let each = [
                (sum::DELAY, of(&sums.delay)),
                (sum::DELAY_SQUARE, square),
                (sum::PRESENT, of(&sums.present)),
            ];
            for (which, amount) in each {
                let at = state::SUMS + SUM_WORDS * (2 * which + half);
                add_to_lane(&mut group_state[at..at + SUM_WORDS], i, amount);
            }
        }
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
        key: group.key.words(Purpose::FarmRequest),
        group,
        replicas,
    };
    let mut r = kernel.load();
    let (counting, limited) = (
        kernel.param(param::COUNTING) == 1,
        kernel.param(param::ROOM) > 0,
    );
    match (counting, limited, stretch.half.is_some()) {
        (true, _, false) => kernel.events::<false>(&mut r, stretch.steps),
        (true, _, true) => kernel.events::<true>(&mut r, stretch.steps),
        (_, false, false) => kernel.requests::<false, false>(&mut r, stretch.steps),
        (_, false, true) => kernel.requests::<false, true>(&mut r, stretch.steps),
        (_, true, false) => kernel.requests::<true, false>(&mut r, stretch.steps),
        (_, true, true) => kernel.requests::<true, true>(&mut r, stretch.steps),
    }
    kernel.save(&r, stretch.half);
}

compile_for_each_instruction_set! {
    /// Advances a group of replicas by a stretch of requests, or events.
    kernel = advance
}

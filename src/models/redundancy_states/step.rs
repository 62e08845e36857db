//! The CPU kernel of `redundancy-states`: sixteen replicas, all at the same event.
//!
//! Owns the clock, what an event is, arrivals, and the loop over events. Twin of
//! shaders/models/redundancy_states.wgsl: same names, same order.
//!
//! Times of arrival are absolute, modulo 2^32. The oldest job is looked at in every event, so none grows older than
//! the range of the clock unnoticed. A job of the start counts as arrived when the clock began.

use super::departure::mask;
use super::observe::{Sums, Wide};
use super::trials::Urn;
use super::words::{ENTRY_WORDS, RANGE, fault, param, state};
use crate::engine::{
    Group, LANES, Lane, Stretch, compile_for_each_instruction_set, draw, look_up_two, put,
};
use crate::models::Plan;
use crate::random::{
    MIDPOINT, Purpose, exponential, exponential_cell, exponential_of, is_short, normalise,
};

/// The kernel while it advances a group.
pub struct Kernel<'a, 'b> {
    params: [u32; param::COUNT],
    tables: &'a [u32],
    /// The group.
    pub group: &'a mut Group<'b>,
    /// The replica of every lane.
    pub replicas: Lane,
    event_key: [u32; 4],
    /// The key of the draws of collisions.
    pub collision_key: [u32; 4],
}

/// What is in registers between events.
pub struct Registers {
    /// Events that have happened.
    pub event: u32,
    /// Jobs in the list.
    pub jobs: Lane,
    /// Busy servers.
    pub busy: Lane,
    /// Jobs of the start that are still there.
    pub old: Lane,
    /// Time of the last event, with 32 fraction bits.
    clock: Wide,
    /// All times of this stretch, or-ed.
    seen: Lane,
    /// Whether the list had no room.
    full: Lane,
    /// The sums of this stretch.
    pub sums: Sums,
}

impl Kernel<'_, '_> {
    /// A parameter.
    #[inline(always)]
    pub fn param(&self, index: usize) -> u32 {
        self.params[index]
    }

    /// Exponential times in units of 2^-26, from the two words of each.
    #[inline(always)]
    fn exponentials(&self, first: &Lane, second: &Lane) -> Lane {
        let (mut zeros, mut mantissa) = (Lane::ZERO, Lane::ZERO);
        let mut cell = Lane::ZERO;
        let mut shortest = u32::MAX;
        for i in 0..LANES {
            (zeros[i], mantissa[i]) = normalise(first[i], MIDPOINT);
            cell[i] = exponential_cell(mantissa[i]);
            shortest = shortest.min(first[i]);
        }
        let [base, slope] = look_up_two(self.tables, &cell);
        let mut drawn = Lane::ZERO;
        for i in 0..LANES {
            drawn[i] = exponential_of(zeros[i], mantissa[i], base[i], slope[i]);
        }
        if is_short(shortest) {
            self.lengthen(first, second, &mut drawn);
        }
        drawn
    }

    /// The same where a word is so small that it needs more bits.
    #[cold]
    #[inline(never)]
    fn lengthen(&self, first: &Lane, second: &Lane, drawn: &mut Lane) {
        for i in 0..LANES {
            if is_short(first[i]) {
                drawn[i] = exponential(self.tables, first[i], second[i]);
            }
        }
    }

    /// Moves the clock to the event; returns its time in units.
    #[inline(always)]
    fn tick(&self, r: &mut Registers, drawn: &Lane) -> Lane {
        let mantissa = u64::from(self.param(param::GAP_MANTISSA));
        let shift = self.param(param::GAP_SHIFT) & 31;
        let oldest = self.group.state[self.param(param::LIST_AT) as usize + 1];
        let mut now = Lane::ZERO;
        for i in 0..LANES {
            let gap = (u64::from(drawn[i]) * mantissa) >> shift;
            r.clock[i] = r.clock[i].wrapping_add(gap);
            now[i] = (r.clock[i] >> 32) as u32;
            let age = now[i].wrapping_sub(oldest[i]) & mask(r.jobs[i] > 0);
            r.seen[i] |= (gap >> 32) as u32 | age;
        }
        now
    }

    /// In the lanes of the mask, a job arrives; returns how many of its servers are busy with older ones.
    #[inline(always)]
    fn arrive(&mut self, r: &mut Registers, arrives: &Lane, now: &Lane) -> Lane {
        let copies = self.param(param::COPIES);
        let mut urn = Urn {
            trials: Lane::ZERO,
            population: Lane::all(self.param(param::SERVERS)),
            marked: Lane::ZERO,
        };
        for i in 0..LANES {
            urn.marked[i] = r.busy[i] & arrives[i];
            urn.trials[i] = copies & mask(urn.marked[i] > 0);
        }
        let collisions = self.hits(r.event, 0, &urn);
        let room = self.param(param::ROOM);
        // A lane without a new job writes what its first entry holds anyway.
        let list = &mut self.group.state[self.params[param::LIST_AT] as usize..];
        let mut entry = [list[0], list[1]];
        let mut places = [Lane::ZERO, Lane::all(1)];
        for i in 0..LANES {
            let accepted = arrives[i] & mask(r.jobs[i] < room);
            let own = copies.wrapping_sub(collisions[i]);
            entry[0][i] = own & accepted | entry[0][i] & !accepted;
            entry[1][i] = now[i] & accepted | entry[1][i] & !accepted;
            let place = (ENTRY_WORDS as u32).wrapping_mul(r.jobs[i]) & accepted;
            places[0][i] = place;
            places[1][i] = place + 1;
            r.full[i] |= arrives[i] & !accepted;
            r.busy[i] = r.busy[i].wrapping_add(own & accepted);
            r.jobs[i] = r.jobs[i].wrapping_sub(accepted);
        }
        put(list, &places[0], &entry[0]);
        put(list, &places[1], &entry[1]);
        collisions
    }

    /// One event.
    #[inline(always)]
    fn event<const MEASURED: bool>(&mut self, r: &mut Registers) {
        let words = draw(self.event_key, r.event, &self.replicas, 0);
        let drawn = self.exponentials(&words[2], &words[3]);
        let now = self.tick(r, &drawn);
        let (servers, threshold) = (self.param(param::SERVERS), self.param(param::ARRIVAL));
        let (mut arrives, mut departs, mut chosen) = (Lane::ZERO, Lane::ZERO, Lane::ZERO);
        for i in 0..LANES {
            arrives[i] = mask((words[0][i] >> 1) < threshold);
            chosen[i] = ((u64::from(words[1][i]) * u64::from(servers)) >> 32) as u32;
            departs[i] = !arrives[i] & mask(chosen[i] < r.busy[i]);
        }
        let departure = self.depart(r, &departs, &chosen);
        let collisions = self.arrive(r, &arrives, &now);
        if MEASURED {
            self.observe(r, &now, &departure, &arrives, &collisions);
        }
        if let Some(trace) = &mut self.group.trace {
            trace.push(std::array::from_fn(|i| r.jobs[i] as i32));
        }
        r.event += 1;
    }

    /// Reads the registers from the state.
    #[inline(always)]
    fn load(&self) -> Registers {
        let row = |word: usize| self.group.state[word];
        let (now, fraction) = (row(state::CLOCK), row(state::FRACTION));
        let mut clock = [0; LANES];
        for i in 0..LANES {
            clock[i] = u64::from(now[i]) << 32 | u64::from(fraction[i]);
        }
        Registers {
            event: row(state::POSITION)[0],
            jobs: row(state::JOBS),
            busy: row(state::BUSY),
            old: row(state::OLD),
            clock,
            seen: Lane::ZERO,
            full: Lane::ZERO,
            sums: Sums::none(),
        }
    }

    /// Writes the registers back.
    #[inline(never)]
    fn save(&mut self, r: &Registers, half: Option<usize>) {
        let group_state = &mut *self.group.state;
        group_state[state::POSITION] = Lane::all(r.event);
        group_state[state::JOBS] = r.jobs;
        group_state[state::BUSY] = r.busy;
        group_state[state::OLD] = r.old;
        for (i, &clock) in r.clock.iter().enumerate() {
            group_state[state::CLOCK][i] = (clock >> 32) as u32;
            group_state[state::FRACTION][i] = clock as u32;
            let late = u32::from(r.seen[i] >= RANGE) << fault::TIME;
            group_state[state::FAULT][i] |= late | (r.full[i] & 1) << fault::ROOM;
        }
        if let Some(half) = half {
            r.sums.flush(group_state, half);
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
        event_key: group.key.words(Purpose::StatesEvent),
        collision_key: group.key.words(Purpose::StatesCollision),
        group,
        replicas,
    };
    let mut r = kernel.load();
    for _ in 0..stretch.steps {
        if stretch.half.is_some() {
            kernel.event::<true>(&mut r);
        } else {
            kernel.event::<false>(&mut r);
        }
    }
    kernel.save(&r, stretch.half);
}

compile_for_each_instruction_set! {
    /// Advances a group of replicas by a stretch of events.
    kernel = advance
}

//! A look and a move of `selfish-pure` on the CPU, in all lanes.
//!
//! Owns the best response and whose turn it is.

use super::step::{Descent, Kernel, is_less, mask};
use super::words::{order, param};
use crate::engine::{LANES, Lane, pick, put};

/// Most servers whose loads are moved in one pass over them all.
const FEW: u32 = 64;

/// A stream that looks.
struct Look {
    /// Which it is.
    chosen: Lane,
    /// Its rate.
    rate: Lane,
    /// Its server.
    home: Lane,
    /// The load there.
    load: Lane,
    /// The server where it would be best off: its own, where it is satisfied.
    best: Lane,
    /// The load of that server with the stream.
    best_load: Lane,
}

impl Kernel<'_, '_> {
    /// One stream of every start looks, and moves if it is better off elsewhere.
    #[inline(always)]
    pub fn look(&mut self, d: &mut Descent) {
        let chosen = self.chosen(d);
        let mut index = Lane::ZERO;
        for i in 0..LANES {
            index[i] = d.instance[i].wrapping_add(chosen[i]);
        }
        let home = pick(self.homes(), &chosen);
        let load = pick(self.loads(), &home);
        let mut look = Look {
            rate: self.look_up(&index),
            best: home,
            best_load: load,
            chosen,
            home,
            load,
        };
        if self.equal() {
            look.least_loaded(d);
        } else {
            self.best_response(&mut look);
        }
        let (streams, satisfied) = (self.param(param::STREAMS), self.param(param::SATISFIED));
        let most = self.param(param::MAX_MOVES);
        let draws = self.param(param::ORDER) == order::RANDOM as u32;
        let last_drawn = if draws { streams } else { u32::MAX };
        let (mut moving, mut any) = (Lane::ZERO, 0);
        for i in 0..LANES {
            let unsatisfied = mask(look.best[i] != look.home[i]) & d.active[i];
            let stopped = unsatisfied & mask(d.moves[i] == most);
            moving[i] = unsatisfied & !stopped & mask(d.quiet[i] < last_drawn);
            any |= moving[i];
            d.moves[i] = d.moves[i].wrapping_sub(moving[i]);
            d.quiet[i] = d.quiet[i].wrapping_add(1) & !unsatisfied;
            let next = d.cursor[i].wrapping_add(1);
            d.cursor[i] = next & mask(next < streams);
            let done = d.active[i] & mask(d.quiet[i] == satisfied);
            d.satisfied[i] |= done;
            d.active[i] &= !(done | stopped);
        }
        if any != 0 {
            self.relocate(d, &look, &moving);
        }
    }

    /// The stream that looks.
    #[inline(always)]
    fn chosen(&self, d: &Descent) -> Lane {
        let kind = self.param(param::ORDER) as usize;
        let streams = self.param(param::STREAMS);
        let mut chosen = Lane::ZERO;
        if kind == order::RANDOM {
            let word = self.word(d);
            for i in 0..LANES {
                let drawn = ((u64::from(word[i]) * u64::from(streams)) >> 32) as u32;
                let in_order = mask(d.quiet[i] >= streams);
                chosen[i] = drawn & !in_order | d.quiet[i].wrapping_sub(streams) & in_order;
            }
        } else if kind == order::FIRST {
            chosen = d.quiet;
        } else {
            chosen = d.cursor;
        }
        chosen
    }

    /// The first server where load over speed would be least, if that is less than at home. Home itself never is:
    /// with the stream twice it is no better.
    #[inline(always)]
    fn best_response(&self, look: &mut Look) {
        let (mut best, mut least) = (look.home, look.load);
        let mut speed = pick(&self.speeds, &look.home);
        let loads_at = self.param(param::LOADS_AT) as usize;
        let rows = &self.group.state[loads_at..loads_at + self.speeds.len()];
        for (j, (there, own)) in (0..).zip(rows.iter().zip(&self.speeds)) {
            for i in 0..LANES {
                let with = there[i].wrapping_add(look.rate[i]);
                let less = 0u32.wrapping_sub(is_less([with, own[i]], [least[i], speed[i]]));
                least[i] = with & less | least[i] & !less;
                speed[i] = own[i] & less | speed[i] & !less;
                best[i] = j & less | best[i] & !less;
            }
        }
        look.best = best;
        look.best_load = least;
    }

    /// Moves streams in the lanes of the mask.
    #[inline(always)]
    fn relocate(&mut self, d: &mut Descent, look: &Look, moving: &Lane) {
        let mut server = Lane::ZERO;
        for i in 0..LANES {
            server[i] = look.best[i] & moving[i] | look.home[i] & !moving[i];
        }
        // A lane that does not move writes what is there anyway.
        put(self.homes(), &look.chosen, &server);
        if self.equal() && self.param(param::SERVERS) <= FEW {
            self.shift_loads(d, look, moving);
            return;
        }
        let (mut left, mut joined) = (Lane::ZERO, Lane::ZERO);
        for i in 0..LANES {
            left[i] = look.load[i].wrapping_sub(look.rate[i] & moving[i]);
            joined[i] = look.best_load[i] & moving[i] | look.load[i] & !moving[i];
        }
        let loads = self.loads();
        put(loads, &look.home, &left);
        put(loads, &server, &joined);
        if self.equal() {
            self.find_least(d);
        }
    }

    /// The loads after the moves and the least of them in one pass over all servers: words that are put one by one
    /// would have to leave the store queue before vectors are read there.
    #[inline(always)]
    fn shift_loads(&mut self, d: &mut Descent, look: &Look, moving: &Lane) {
        let mut rate = Lane::ZERO;
        for i in 0..LANES {
            rate[i] = look.rate[i] & moving[i];
        }
        let (mut least, mut least_load) = (Lane::ZERO, Lane::all(u32::MAX));
        for (j, load) in (0..).zip(self.loads()) {
            for i in 0..LANES {
                let joins = rate[i] & mask(look.best[i] == j);
                let leaves = rate[i] & mask(look.home[i] == j);
                load[i] = load[i].wrapping_add(joins).wrapping_sub(leaves);
                let less = mask(load[i] < least_load[i]);
                least_load[i] = load[i] & less | least_load[i] & !less;
                least[i] = j & less | least[i] & !less;
            }
        }
        d.least = least;
        d.least_load = least_load;
    }

    /// Finds the first of the least loaded servers.
    #[inline(always)]
    pub fn find_least(&self, d: &mut Descent) {
        let rows = self.param(param::LOADS_AT) as usize..self.param(param::HOMES_AT) as usize;
        let (mut least, mut least_load) = (Lane::ZERO, Lane::all(u32::MAX));
        for (j, load) in (0..).zip(&self.group.state[rows]) {
            for i in 0..LANES {
                let less = mask(load[i] < least_load[i]);
                least_load[i] = load[i] & less | least_load[i] & !less;
                least[i] = j & less | least[i] & !less;
            }
        }
        d.least = least;
        d.least_load = least_load;
    }
}

impl Look {
    /// The best response where all speeds are equal: the least loaded server is it, or nobody is better off anywhere.
    #[inline(always)]
    fn least_loaded(&mut self, d: &Descent) {
        for i in 0..LANES {
            let with = d.least_load[i].wrapping_add(self.rate[i]);
            let less = mask(with < self.load[i]);
            self.best_load[i] = with & less | self.load[i] & !less;
            self.best[i] = d.least[i] & less | self.home[i] & !less;
        }
    }
}

//! A look and a move of `selfish-pure` on the CPU, in all lanes.
//!
//! Owns the best response and whose turn it is.

use super::step::{Descent, Kernel, is_less, mask};
use super::words::{order, param};
use crate::engine::{LANES, Lane, pick, put};

/// Where a stream would be best off.
struct Response {
    /// The server: its own, where it is satisfied.
    server: Lane,
    /// The load of that server with the stream.
    load: Lane,
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
        let rate = self.look_up(&index);
        let home = pick(self.homes(), &chosen);
        let load = pick(self.loads(), &home);
        let best = if self.equal() {
            least_loaded(d, &home, &load, &rate)
        } else {
            self.best_response(&home, &load, &rate)
        };
        let (streams, satisfied) = (self.param(param::STREAMS), self.param(param::SATISFIED));
        let most = self.param(param::MAX_MOVES);
        let draws = self.param(param::ORDER) == order::RANDOM as u32;
        let last_drawn = if draws { streams } else { u32::MAX };
        let (mut moving, mut any) = (Lane::ZERO, 0);
        for i in 0..LANES {
            let unsatisfied = mask(best.server[i] != home[i]) & d.active[i];
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
            self.relocate(&chosen, &home, &load, &rate, &best, &moving);
            if self.equal() {
                self.find_least(d);
            }
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

    /// The first server where load over speed would be least, if that is less than at home. Home itself never is: with the
    /// stream twice it is no better.
    #[inline(always)]
    fn best_response(&mut self, home: &Lane, load: &Lane, rate: &Lane) -> Response {
        let mut best = Response {
            server: *home,
            load: *load,
        };
        let mut speed = pick(&self.speeds, home);
        let loads_at = self.param(param::LOADS_AT) as usize;
        let rows = &self.group.state[loads_at..loads_at + self.speeds.len()];
        for (j, (there, own)) in (0..).zip(rows.iter().zip(&self.speeds)) {
            for i in 0..LANES {
                let with = there[i].wrapping_add(rate[i]);
                let less = 0u32.wrapping_sub(is_less([with, own[i]], [best.load[i], speed[i]]));
                best.load[i] = with & less | best.load[i] & !less;
                speed[i] = own[i] & less | speed[i] & !less;
                best.server[i] = j & less | best.server[i] & !less;
            }
        }
        best
    }

    /// Moves streams in the lanes of the mask.
    #[inline(always)]
    fn relocate(
        &mut self,
        chosen: &Lane,
        home: &Lane,
        load: &Lane,
        rate: &Lane,
        best: &Response,
        moving: &Lane,
    ) {
        // A lane that does not move writes what is there anyway.
        let (mut left, mut server, mut joined) = (Lane::ZERO, Lane::ZERO, Lane::ZERO);
        for i in 0..LANES {
            left[i] = load[i].wrapping_sub(rate[i] & moving[i]);
            server[i] = best.server[i] & moving[i] | home[i] & !moving[i];
            joined[i] = best.load[i] & moving[i] | load[i] & !moving[i];
        }
        let loads = self.loads();
        put(loads, home, &left);
        put(loads, &server, &joined);
        put(self.homes(), chosen, &server);
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

/// The best response where all speeds are equal: the least loaded server is it, or nobody is better off anywhere.
#[inline(always)]
fn least_loaded(d: &Descent, home: &Lane, load: &Lane, rate: &Lane) -> Response {
    let mut best = Response {
        server: Lane::ZERO,
        load: Lane::ZERO,
    };
    for i in 0..LANES {
        best.load[i] = d.least_load[i].wrapping_add(rate[i]);
        let less = mask(best.load[i] < load[i]);
        best.server[i] = d.least[i] & less | home[i] & !less;
    }
    best
}

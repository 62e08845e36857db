//! The best assignment of given streams to given servers: the least possible largest load over speed.
//!
//! Owns the search: branch and bound, exact for small instances, and a certified lower bound where it would take too
//! long. Does not own the bounds that it starts from (`bounds`), costs or equilibria.

use super::Fraction;
use super::bounds::lower_bound;

/// Branches tried before [`optimum`] settles for a lower bound.
const BUDGET: u64 = 200_000;

/// Pairs of streams that the improvement of the first assignment compares at most.
const PAIRS: usize = 10_000_000;

/// The optimum of an instance, or a bound on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Optimum {
    /// The largest load over speed in the best assignment; if not `exact`, no assignment has less.
    pub value: Fraction,
    /// Whether `value` is attained.
    pub exact: bool,
}

/// The optimum for streams with `rates` on servers with `speeds`, at most 200,000 branches. A server without speed takes
/// no streams; if none has speed, the value is infinite, and 0 without traffic.
pub fn optimum(rates: &[u32], speeds: &[u32]) -> Optimum {
    optimum_within(rates, speeds, BUDGET)
}

/// [`optimum`] with another number of branches; 0 for bounds and quick assignments only.
pub fn optimum_within(rates: &[u32], speeds: &[u32], budget: u64) -> Optimum {
    let descending = |list: &[u32]| {
        let some = list.iter().filter(|value| **value > 0);
        let mut list: Vec<u64> = some.map(|value| u64::from(*value)).collect();
        list.sort_unstable_by(|a, b| b.cmp(a));
        list
    };
    let (rates, speeds) = (descending(rates), descending(speeds));
    let bound = lower_bound(&rates, &speeds);
    let mut search = Search::new(&rates, &speeds, bound);
    let exact = speeds.is_empty() || search.run(budget);
    Optimum {
        value: if exact { search.best } else { bound },
        exact,
    }
}

/// A depth-first search, largest streams first, for assignments better than the best one known.
struct Search<'a> {
    rates: &'a [u64],
    speeds: &'a [u64],
    bound: Fraction,
    best: Fraction,
    /// The largest load of each server that is still better than `best`.
    caps: Vec<u64>,
    loads: Vec<u64>,
    /// The servers of the streams placed so far.
    place: Vec<usize>,
    /// The traffic of all streams from the i-th on.
    rest: Vec<u64>,
}

impl<'a> Search<'a> {
    fn new(rates: &'a [u64], speeds: &'a [u64], bound: Fraction) -> Search<'a> {
        let mut rest = vec![0; rates.len() + 1];
        for at in (0..rates.len()).rev() {
            rest[at] = rest[at + 1] + rates[at];
        }
        let mut search = Search {
            rates,
            speeds,
            bound,
            best: Fraction::new(rest[0], 0),
            caps: vec![0; speeds.len()],
            loads: vec![0; speeds.len()],
            place: Vec::with_capacity(rates.len()),
            rest,
        };
        search.greedy();
        search
    }

    fn over(&self, server: usize, more: u64) -> Fraction {
        Fraction::new(self.loads[server] + more, self.speeds[server])
    }

    /// Every stream, largest first, where it ends with the least load over speed.
    fn greedy(&mut self) {
        let servers = 0..self.speeds.len();
        for rate in self.rates {
            let there = servers
                .clone()
                .min_by_key(|&server| self.over(server, *rate));
            let Some(there) = there else { return };
            self.loads[there] += rate;
            self.place.push(there);
        }
        self.improve();
        self.best = self.largest();
        self.place.clear();
        self.loads.fill(0);
    }

    fn largest(&self) -> Fraction {
        let each = (0..self.speeds.len()).map(|server| self.over(server, 0));
        each.max().unwrap_or(self.best)
    }

    /// Moves a stream off the fullest server, or exchanges it for a smaller one, as long as that helps.
    fn improve(&mut self) {
        let mut pairs = PAIRS;
        loop {
            let max = self.largest();
            if max <= self.bound {
                return;
            }
            let mut servers = 0..self.speeds.len();
            let Some(full) = servers.find(|&server| self.over(server, 0) == max) else {
                return;
            };
            let streams = 0..self.rates.len();
            let on_it: Vec<usize> = streams.filter(|&i| self.place[i] == full).collect();
            let cost = on_it.len() * self.rates.len();
            if cost > pairs {
                return;
            }
            pairs -= cost;
            if !on_it.iter().any(|&stream| self.relieve(max, full, stream)) {
                return;
            }
        }
    }

    /// Takes `stream` off the server `full` if that leaves both servers concerned below `max`.
    fn relieve(&mut self, max: Fraction, full: usize, stream: usize) -> bool {
        let rate = self.rates[stream];
        let fits = |search: &Self, to: usize, back: u64| {
            to != full
                && back < rate
                && Fraction::new(search.loads[to] + rate - back, search.speeds[to]) < max
        };
        let move_to = (0..self.speeds.len()).find(|&to| fits(self, to, 0));
        let exchange = || (0..self.rates.len()).find(|&i| fits(self, self.place[i], self.rates[i]));
        let (to, back) = match move_to {
            Some(to) => (to, None),
            None => match exchange() {
                Some(other) => (self.place[other], Some(other)),
                None => return false,
            },
        };
        let returned = back.map_or(0, |other| self.rates[other]);
        self.loads[full] -= rate - returned;
        self.loads[to] += rate - returned;
        self.place[stream] = to;
        if let Some(other) = back {
            self.place[other] = full;
        }
        true
    }

    /// Searches for better assignments; whether `best` is the optimum in the end.
    fn run(&mut self, budget: u64) -> bool {
        if self.best <= self.bound {
            return true;
        }
        self.tighten();
        let mut from = 0;
        let mut branches = 0;
        loop {
            if self.place.len() == self.rates.len() {
                self.best = self.largest();
                if self.best <= self.bound {
                    return true;
                }
                self.tighten();
                // Whatever else follows a choice that is now too much is too much as well.
                while self
                    .loads
                    .iter()
                    .zip(&self.caps)
                    .any(|(load, cap)| load > cap)
                {
                    match self.undo() {
                        Some(server) => from = server + 1,
                        None => return true,
                    }
                }
            } else if let Some(server) = self.choice(from) {
                if branches == budget {
                    return false;
                }
                branches += 1;
                let stream = self.place.len();
                self.place.push(server);
                self.loads[server] += self.rates[stream];
                // Equal streams are placed in the order of the servers.
                let equal = self.rates.get(stream + 1) == Some(&self.rates[stream]);
                from = if equal { server } else { 0 };
            } else {
                match self.undo() {
                    Some(server) => from = server + 1,
                    None => return true,
                }
            }
        }
    }

    /// Lets no server reach `best` any more.
    fn tighten(&mut self) {
        let (units, speed) = (self.best.units(), self.best.speed());
        for (cap, here) in self.caps.iter_mut().zip(self.speeds) {
            let reached = u128::from(units) * u128::from(*here);
            *cap = (reached.saturating_sub(1) / u128::from(speed)) as u64;
        }
    }

    fn undo(&mut self) -> Option<usize> {
        let server = self.place.pop()?;
        self.loads[server] -= self.rates[self.place.len()];
        Some(server)
    }

    /// The first server from `from` on that the next stream can go to.
    fn choice(&self, from: usize) -> Option<usize> {
        let stream = self.place.len();
        let (rate, least) = (self.rates[stream], self.rates.last()?);
        let room = |server: usize| self.caps[server].saturating_sub(self.loads[server]);
        // Room for less than the smallest stream is lost.
        let usable = (0..self.speeds.len())
            .map(room)
            .filter(|room| room >= least);
        if usable.sum::<u64>() < self.rest[stream] {
            return None;
        }
        (from..self.speeds.len()).find(|&server| room(server) >= rate && !self.repeats(server))
    }

    /// Whether an earlier server is in the same state, so that the two could change names.
    fn repeats(&self, server: usize) -> bool {
        let same = |other: &usize| self.speeds[*other] == self.speeds[server];
        let mut earlier = (0..server).rev().take_while(same);
        earlier.any(|other| self.loads[other] == self.loads[server])
    }
}

//! The CPU kernel of `selfish-pure`: sixteen replicas, all at the same start, each in a descent of its own.
//!
//! Owns where streams start, the loop over looks, and what a start adds to. Twin of shaders/models/selfish_pure.wgsl:
//! same names, same order.

use super::tables::ratio;
use super::words::{LAST_TURN, SUM_WORDS, param, state, sum, unit};
use crate::engine::{
    Group, LANES, Lane, Stretch, add_to_lane, compile_for_each_instruction_set, count, draw,
    look_up_two, pick, put,
};
use crate::models::{Plan, log_linear_bin};
use crate::random::Purpose;

/// The kernel while it advances a group.
pub struct Kernel<'a, 'b> {
    params: [u32; param::COUNT],
    /// The plan's tables.
    pub tables: &'a [u32],
    /// The group.
    pub group: &'a mut Group<'b>,
    /// The speed of each server, in every lane that of its instance; empty where all are equal.
    pub speeds: Vec<Lane>,
    replicas: Lane,
    key: [u32; 4],
}

/// A start under way. Masks have all bits set or none.
pub struct Descent {
    /// Starts that have ended.
    start: u32,
    /// Looks so far.
    turn: u32,
    /// The words of the block that this look's word is from.
    words: [Lane; 4],
    /// Where the instance is in the tables.
    pub instance: Lane,
    /// Whether the start goes on.
    pub active: Lane,
    /// Whether it ended in an equilibrium.
    pub satisfied: Lane,
    /// Looks since the last move.
    pub quiet: Lane,
    /// Whose turn it is, in turn.
    pub cursor: Lane,
    /// Moves so far.
    pub moves: Lane,
    /// The least loaded server, the first of them, where all speeds are equal ...
    pub least: Lane,
    /// ... and its load.
    pub least_load: Lane,
}

/// The sums of a stretch.
struct Sums {
    ratio: [u64; LANES],
    moves: [u64; LANES],
    unconverged: Lane,
    worst: Lane,
}

/// All bits set, or none.
#[inline(always)]
pub fn mask(condition: bool) -> u32 {
    0u32.wrapping_sub(u32::from(condition))
}

/// Whether a / b < c / d, for a and c below 2^31 and b and d below 2^32: the sign of a d - c b.
#[inline(always)]
pub fn is_less([a, b]: [u32; 2], [c, d]: [u32; 2]) -> u32 {
    let difference = (u64::from(a) * u64::from(d)).wrapping_sub(u64::from(c) * u64::from(b));
    (difference >> 32) as u32 >> 31
}

impl Kernel<'_, '_> {
    /// A parameter.
    #[inline(always)]
    pub fn param(&self, index: usize) -> u32 {
        self.params[index]
    }

    /// Whether all speeds are equal.
    #[inline(always)]
    pub fn equal(&self) -> bool {
        self.param(param::EQUAL) != 0
    }

    /// The loads of all servers.
    #[inline(always)]
    pub fn loads(&mut self) -> &mut [Lane] {
        let (from, to) = (self.param(param::LOADS_AT), self.param(param::HOMES_AT));
        &mut self.group.state[from as usize..to as usize]
    }

    /// The servers of all streams.
    #[inline(always)]
    pub fn homes(&mut self) -> &mut [Lane] {
        &mut self.group.state[self.params[param::HOMES_AT] as usize..]
    }

    /// A word of the tables for every lane.
    #[inline(always)]
    pub fn look_up(&self, index: &Lane) -> Lane {
        let [word, _] = look_up_two(self.tables, index);
        word
    }

    /// The word of this look.
    #[inline(always)]
    pub fn word(&self, d: &Descent) -> Lane {
        d.words[(d.turn & 3) as usize]
    }

    /// Draws the instance.
    #[inline(always)]
    fn choose_instance(&mut self, d: &mut Descent, word: &Lane) {
        let (instances, block) = (self.param(param::INSTANCES), self.param(param::BLOCK));
        for i in 0..LANES {
            let chosen = (u64::from(word[i]) * u64::from(instances)) >> 32;
            d.instance[i] = (chosen as u32).wrapping_mul(block);
        }
        // The speeds of the only instance are read once.
        let fixed = instances == 1 && !self.speeds.is_empty();
        if !self.equal() && !fixed {
            self.read_speeds(&d.instance);
        }
    }

    #[inline(never)]
    fn read_speeds(&mut self, instance: &Lane) {
        let speeds_at = self.param(param::STREAMS);
        let servers = self.param(param::SERVERS);
        self.speeds.clear();
        for server in 0..servers {
            let mut index = Lane::ZERO;
            for i in 0..LANES {
                index[i] = instance[i] + speeds_at + unit::COUNT as u32 * server;
            }
            self.speeds.push(self.look_up(&index));
        }
    }

    /// Puts all streams on random servers.
    #[inline(always)]
    fn place(&mut self, start: u32) -> Descent {
        let mut d = Descent {
            start,
            turn: 0,
            words: [Lane::ZERO; 4],
            instance: Lane::ZERO,
            active: Lane::all(u32::MAX),
            satisfied: Lane::ZERO,
            quiet: Lane::ZERO,
            cursor: Lane::ZERO,
            moves: Lane::ZERO,
            least: Lane::ZERO,
            least_load: Lane::ZERO,
        };
        self.loads().fill(Lane::ZERO);
        let (servers, streams) = (self.param(param::SERVERS), self.param(param::STREAMS));
        for block in 0..self.param(param::FIRST_LOOK) {
            let words = draw(self.key, start, &self.replicas, block);
            for (k, word) in (0..).zip(&words) {
                if block == 0 && k == 0 {
                    self.choose_instance(&mut d, word);
                    continue;
                }
                let stream = 4 * block + k - 1;
                if stream >= streams {
                    break;
                }
                let (mut home, mut index) = (Lane::ZERO, Lane::ZERO);
                for i in 0..LANES {
                    home[i] = ((u64::from(word[i]) * u64::from(servers)) >> 32) as u32;
                    index[i] = d.instance[i].wrapping_add(stream);
                }
                let rate = self.look_up(&index);
                let loads = self.loads();
                let mut load = pick(loads, &home);
                for i in 0..LANES {
                    load[i] = load[i].wrapping_add(rate[i]);
                }
                put(loads, &home, &load);
                self.homes()[stream as usize] = home;
            }
        }
        if self.equal() {
            self.find_least(&mut d);
        }
        d
    }

    /// Lets streams look until all starts have ended.
    #[inline(always)]
    fn descend(&mut self, d: &mut Descent) {
        let draws = self.param(param::ORDER) == super::words::order::RANDOM as u32;
        loop {
            if draws && d.turn & 3 == 0 {
                let block = self.param(param::FIRST_LOOK) + (d.turn >> 2);
                d.words = draw(self.key, d.start, &self.replicas, block);
            }
            self.look(d);
            let mut active = 0;
            for i in 0..LANES {
                active |= d.active[i];
            }
            if active == 0 || d.turn == LAST_TURN {
                return;
            }
            d.turn += 1;
        }
    }

    /// The largest load over speed, over the optimum.
    #[inline(always)]
    fn ratio(&mut self, d: &Descent) -> Lane {
        let (mut most, mut server) = (Lane::ZERO, Lane::ZERO);
        let equal = self.equal();
        let mut speed = Lane::all(1);
        for (j, row) in (0..).zip(self.loads_at()..self.param(param::HOMES_AT) as usize) {
            let load = self.group.state[row];
            if equal {
                for i in 0..LANES {
                    most[i] = most[i].max(load[i]);
                }
            } else {
                let own = self.speeds[j as usize];
                for i in 0..LANES {
                    let more = 0u32.wrapping_sub(is_less([most[i], speed[i]], [load[i], own[i]]));
                    most[i] = load[i] & more | most[i] & !more;
                    speed[i] = own[i] & more | speed[i] & !more;
                    server[i] = j & more | server[i] & !more;
                }
            }
        }
        let mut index = Lane::ZERO;
        for i in 0..LANES {
            let at = server[i].wrapping_mul(unit::COUNT as u32);
            index[i] =
                (d.instance[i] + self.params[param::STREAMS] + unit::SCALE as u32).wrapping_add(at);
        }
        let [scale, shift] = look_up_two(self.tables, &index);
        let mut found = Lane::ZERO;
        for i in 0..LANES {
            found[i] = ratio(most[i], scale[i], shift[i]);
        }
        found
    }

    /// The first row of loads.
    #[inline(always)]
    fn loads_at(&self) -> usize {
        self.param(param::LOADS_AT) as usize
    }

    /// One start.
    #[inline(always)]
    fn start<const MEASURED: bool>(&mut self, start: u32, sums: &mut Sums) {
        let mut d = self.place(start);
        self.descend(&mut d);
        let ratio = self.ratio(&d);
        if MEASURED {
            // A bin past the last is not counted.
            let mut bins = Lane::ZERO;
            let bits = self.param(param::BIN_BITS);
            for i in 0..LANES {
                let kept = ratio[i] & d.satisfied[i];
                bins[i] = log_linear_bin(ratio[i], bits) | !d.satisfied[i];
                sums.worst[i] = sums.worst[i].max(kept);
                sums.unconverged[i] += 1 & !d.satisfied[i];
                sums.ratio[i] += u64::from(kept);
                sums.moves[i] += u64::from(d.moves[i]);
            }
            count(self.group.counts, &bins);
        }
        if let Some(trace) = &mut self.group.trace {
            trace.push(std::array::from_fn(|i| ratio[i] as i32));
        }
    }
}

#[inline(always)]
fn advance(plan: &Plan, group: &mut Group<'_>, stretch: Stretch) {
    let replicas = group.replicas();
    let mut params = [0; param::COUNT];
    params.copy_from_slice(&plan.params);
    let key = group.key.words(Purpose::PureMove);
    let begun = group.state[state::POSITION][0];
    let mut sums = Sums {
        ratio: [0; LANES],
        moves: [0; LANES],
        unconverged: Lane::ZERO,
        worst: group.state[state::WORST],
    };
    let mut kernel = Kernel {
        params,
        tables: &plan.tables,
        group,
        speeds: Vec::new(),
        replicas,
        key,
    };
    for start in begun..begun + stretch.steps {
        if stretch.half.is_some() {
            kernel.start::<true>(start, &mut sums);
        } else {
            kernel.start::<false>(start, &mut sums);
        }
    }
    group.state[state::POSITION] = Lane::all(begun + stretch.steps);
    group.state[state::WORST] = sums.worst;
    let Some(half) = stretch.half else { return };
    for i in 0..LANES {
        let each = [
            (sum::RATIO, u128::from(sums.ratio[i])),
            (sum::MOVES, u128::from(sums.moves[i])),
            (sum::UNCONVERGED, u128::from(sums.unconverged[i])),
        ];
        for (which, amount) in each {
            let at = state::SUMS + SUM_WORDS * (2 * which + half);
            add_to_lane(&mut group.state[at..at + SUM_WORDS], i, amount);
        }
    }
}

compile_for_each_instruction_set! {
    /// Advances a group of replicas by a stretch of starts.
    kernel = advance
}

//! The CPU kernel of `selfish-mixed`: sixteen replicas, all at the same stream or server of the same profile.
//!
//! Owns the drawing of servers and the counting of loads. Twin of shaders/models/selfish_mixed.wgsl: same names, same
//! order. Between profiles the loads are zeros, so the position is all that a profile starts from.

use super::words::{class, param, state, stream};
use crate::engine::{
    Group, LANES, Lane, Places, Stretch, add_at, compile_for_each_instruction_set, count, count_at,
    draw, look_up_two, pick,
};
use crate::models::Plan;
use crate::random::Purpose;

/// Most streams a server for which nearly all loads are below [`PACKED`].
const FEW: u32 = 4;
/// Loads that have a byte.
const PACKED: u32 = 16;
/// Servers that a byte can count.
const MOST_IN_BYTE: usize = 255;

/// One in the place of that bit, zero past the last.
#[inline(always)]
fn one_at(bit: u64) -> u64 {
    if bit < 64 { 1 << bit } else { 0 }
}

/// The kernel while it advances a group.
struct Kernel<'a, 'b> {
    params: [u32; param::COUNT],
    tables: &'a [u32],
    group: &'a mut Group<'b>,
    replicas: Lane,
    key: [u32; 4],
    measured: bool,
}

/// The busiest servers of a profile.
struct Busiest {
    /// The bin of each: its class and load.
    bin: Lane,
    load: Lane,
    /// Their speed.
    speed: Lane,
    /// How many servers are at or above their capacity.
    overloaded: Lane,
}

impl Kernel<'_, '_> {
    #[inline(always)]
    fn param(&self, index: usize) -> u32 {
        self.params[index]
    }

    /// A word of a table of rows.
    #[inline(always)]
    fn table(&self, at: usize, row: u32, words: usize, word: usize) -> u32 {
        self.tables[self.params[at] as usize + row as usize * words + word]
    }

    /// Every stream draws a server uniformly, has a rate of one unit, and nobody asks which it drew.
    #[inline(always)]
    fn choose_plainly(&mut self, profile: u32) {
        let (streams, servers) = (self.param(param::STREAMS), self.param(param::SERVERS));
        let mut places = [Places::FIRST; 4];
        for block in 0..streams.div_ceil(4) {
            let words = draw(self.key, profile, &self.replicas, block);
            for (places, word) in places.iter_mut().zip(&words) {
                let mut server = Lane::ZERO;
                for l in 0..LANES {
                    server[l] = ((u64::from(word[l]) * u64::from(servers)) >> 32) as u32;
                }
                *places = Places::new(servers as usize, &server);
            }
            let places = std::hint::black_box(&places);
            let here = (streams - 4 * block).min(4) as usize;
            for places in &places[..here] {
                count_at(self.loads(), places);
            }
        }
    }

    /// Every stream draws a server.
    #[inline(always)]
    fn choose(&mut self, profile: u32) {
        let (streams, servers) = (self.param(param::STREAMS), self.param(param::SERVERS));
        for block in 0..streams.div_ceil(4) {
            let words = draw(self.key, profile, &self.replicas, block);
            for (i, word) in (4 * block..streams).zip(&words) {
                let mut server = Lane::ZERO;
                for l in 0..LANES {
                    server[l] = ((u64::from(word[l]) * u64::from(servers)) >> 32) as u32;
                }
                if self.param(param::STRATEGIES) == 1 {
                    self.follow_strategy(i, word, &mut server);
                }
                let places = Places::new(servers as usize, &server);
                let rate = self.table(param::STREAM_AT, i, stream::COUNT, stream::RATE);
                add_at(self.loads(), std::hint::black_box(&places), rate);
                if self.param(param::MET) == 1 {
                    self.group.state[(self.param(param::CHOSEN_AT) + i) as usize] = server;
                }
            }
        }
    }

    /// Of the two servers of a column, the one that the stream's strategy gives to the word.
    #[inline(always)]
    fn follow_strategy(&self, i: u32, word: &Lane, column: &mut Lane) {
        let at = self.table(param::STREAM_AT, i, stream::COUNT, stream::STRATEGY_AT) as usize;
        let mut place = Lane::ZERO;
        for l in 0..LANES {
            place[l] = 2 * column[l];
        }
        let [threshold, other] = look_up_two(&self.tables[at..], &place);
        for l in 0..LANES {
            column[l] = if word[l] < threshold[l] {
                column[l]
            } else {
                other[l]
            };
        }
    }

    /// The loads of all servers.
    #[inline(always)]
    fn loads(&mut self) -> &mut [Lane] {
        let at = self.params[param::LOADS_AT] as usize;
        &mut self.group.state[at..at + self.params[param::SERVERS] as usize]
    }

    /// Counts the load of every server, and sets it back to zero.
    #[inline(always)]
    fn look<const PLAIN: bool>(&mut self, busiest: &mut Busiest) {
        let (loads, servers) = (self.param(param::LOADS), self.param(param::SERVERS));
        let counts_at = self.param(param::SERVER_BINS);
        let (loads_at, bins_at) = (
            self.param(param::LOADS_AT) as usize,
            self.param(param::BINS_AT) as usize,
        );
        let traced = self.group.trace.is_some();
        let packed = self.measured && !traced && self.param(param::STREAMS) / FEW <= servers;
        let mut first = 0;
        for k in 0..self.param(param::CLASSES) {
            let offset = k * loads;
            let end = self.table(param::CLASS_AT, k, class::COUNT, class::END);
            let speed = self.table(param::CLASS_AT, k, class::COUNT, class::SPEED);
            let full = self.table(param::CLASS_AT, k, class::COUNT, class::FULL);
            let mut most = Lane::ZERO;
            if PLAIN && packed {
                self.look_packed(first, end.min(servers), counts_at + offset, &mut most);
                first = end;
            }
            for j in first..end.min(servers) {
                let row = &mut self.group.state[loads_at + j as usize];
                let load = std::mem::replace(row, Lane::ZERO);
                let mut bin = Lane::ZERO;
                for l in 0..LANES {
                    most[l] = most[l].max(load[l]);
                    bin[l] = counts_at + offset + load[l];
                }
                if self.measured {
                    count(self.group.counts, &bin);
                }
                if traced {
                    for l in 0..LANES {
                        busiest.overloaded[l] += u32::from(load[l] >= full);
                    }
                }
                if !PLAIN && self.param(param::MET) == 1 {
                    for l in 0..LANES {
                        bin[l] -= counts_at;
                    }
                    self.group.state[bins_at + j as usize] = bin;
                }
            }
            for l in 0..LANES {
                // w/s above the largest so far, multiplied out.
                let above = u64::from(most[l]) * u64::from(busiest.speed[l])
                    > u64::from(busiest.load[l]) * u64::from(speed);
                busiest.load[l] = if above { most[l] } else { busiest.load[l] };
                busiest.speed[l] = if above { speed } else { busiest.speed[l] };
                busiest.bin[l] = if above {
                    offset + most[l]
                } else {
                    busiest.bin[l]
                };
            }
            first = end;
        }
    }

    /// The same for servers whose loads are nearly all below [`PACKED`]: how many of them have each load is counted in
    /// bytes of registers, since adding to sixteen counts one by one takes longer.
    #[inline(always)]
    fn look_packed(&mut self, first: u32, end: u32, bins_at: u32, most: &mut Lane) {
        let loads_at = self.param(param::LOADS_AT);
        let rows = (loads_at + first) as usize..(loads_at + end) as usize;
        for rows in self.group.state[rows].chunks_mut(MOST_IN_BYTE) {
            let (mut low, mut high) = ([0u64; LANES], [0u64; LANES]);
            let mut top = Lane::ZERO;
            for row in rows.iter() {
                for l in 0..LANES {
                    top[l] = top[l].max(row[l]);
                    let bits = 8 * u64::from(row[l]);
                    low[l] += one_at(bits);
                    high[l] += one_at(bits.wrapping_sub(64));
                }
            }
            let largest = top.iter().fold(0, |largest, &load| load.max(largest));
            if largest < PACKED {
                for load in 0..=largest {
                    let counts = &mut self.group.counts[(bins_at + load) as usize];
                    let half = if load < 8 { &low } else { &high };
                    for l in 0..LANES {
                        counts[l] =
                            counts[l].wrapping_add((half[l] >> (8 * (load & 7))) as u32 & 255);
                    }
                }
            } else {
                for row in rows.iter() {
                    let mut bin = Lane::ZERO;
                    for l in 0..LANES {
                        bin[l] = bins_at + row[l];
                    }
                    count(self.group.counts, &bin);
                }
            }
            for l in 0..LANES {
                most[l] = most[l].max(top[l]);
            }
            rows.fill(Lane::ZERO);
        }
    }

    /// Counts the load that every stream meets at its server.
    #[inline(always)]
    fn meet(&mut self) {
        let at = |index: usize| self.params[index] as usize;
        let (bins_at, chosen_at) = (at(param::BINS_AT), at(param::CHOSEN_AT));
        let servers = at(param::SERVERS);
        for i in 0..self.param(param::STREAMS) {
            let first = self.table(param::STREAM_AT, i, stream::COUNT, stream::BINS);
            let chosen = self.group.state[chosen_at + i as usize];
            let mut bin = pick(&self.group.state[bins_at..bins_at + servers], &chosen);
            for l in 0..LANES {
                bin[l] = bin[l].wrapping_add(first);
            }
            count(self.group.counts, &bin);
        }
    }

    /// One profile.
    #[inline(always)]
    fn profile<const PLAIN: bool>(&mut self, profile: u32) {
        let mut busiest = Busiest {
            bin: Lane::ZERO,
            load: Lane::ZERO,
            speed: Lane::all(1),
            overloaded: Lane::ZERO,
        };
        if PLAIN {
            self.choose_plainly(profile);
        } else {
            self.choose(profile);
        }
        self.look::<PLAIN>(&mut busiest);
        if self.measured {
            count(self.group.counts, &busiest.bin);
            if !PLAIN && self.param(param::MET) == 1 {
                self.meet();
            }
        }
        if let Some(trace) = &mut self.group.trace {
            trace.push(std::array::from_fn(|l| busiest.overloaded[l] as i32));
        }
    }

    #[inline(always)]
    fn advance<const PLAIN: bool>(&mut self, steps: u32) {
        let first = self.group.state[state::POSITION][0];
        for step in 0..steps {
            self.profile::<PLAIN>(first.wrapping_add(step));
        }
        self.group.state[state::POSITION] = Lane::all(first.wrapping_add(steps));
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
        key: group.key.words(Purpose::MixedProfile),
        measured: stretch.half.is_some(),
        group,
        replicas,
    };
    let plain = params[param::EQUAL] == 1 && params[param::STRATEGIES] + params[param::MET] == 0;
    if plain {
        kernel.advance::<true>(stretch.steps);
    } else {
        kernel.advance::<false>(stretch.steps);
    }
}

compile_for_each_instruction_set! {
    /// Advances a group of replicas by a stretch of profiles.
    kernel = advance
}

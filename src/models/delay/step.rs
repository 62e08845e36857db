//! The CPU kernel of `delay`: one tick of sixteen replicas.
//!
//! Owns the rules of a tick. Twin of shaders/models/delay.wgsl: same names, same order. The rules are
//! functions of one lane without branches; each phase is one loop over lanes that calls them, so that
//! it compiles to vector instructions (several small loops would be unrolled and mangled instead).
//! All lanes are at the same tick; a tick with more than two requests takes several passes.

use super::words::{param, state, sum};
use crate::engine::{Group, LANES, Lane, Stretch, compile_for_each_instruction_set, count, look_up};
use crate::models::Plan;
use crate::random::{CERTAIN, Purpose, block, minus_log2, multiply_high};

/// Passes after which 32-bit sums are added to the 64-bit ones, long before any can overflow:
/// a pass adds at most 2 * 65,535 to one of them.
const PASSES_PER_FLUSH: u32 = 16_384;

/// What a client sees: 0 when queue 1 is shorter, 1 when both are equal, 2 when it is longer.
#[inline(always)]
pub fn seen(work_1: u32, work_2: u32) -> u32 {
    u32::from(work_1 > work_2) + u32::from(work_1 >= work_2)
}

/// What differs between variants of the kernel, known when it is compiled.
trait Variant {
    const REJECTS: bool;
    const TRAVELS: bool;
    const FIXED: bool;
    const MEASURED: bool;
}

struct Options<const REJECTS: bool, const TRAVELS: bool, const FIXED: bool, const MEASURED: bool>;

impl<const R: bool, const T: bool, const F: bool, const M: bool> Variant for Options<R, T, F, M> {
    const REJECTS: bool = R;
    const TRAVELS: bool = T;
    const FIXED: bool = F;
    const MEASURED: bool = M;
}

/// The registers of a group: state words that every tick touches, and sums since the last flush.
struct Registers {
    tick: u32,
    queue: [Lane; 2],
    left: [Lane; 2],
    last_sign: Lane,
    peak: Lane,
    pending: Lane,
    pending_bounced: Lane,
    served: u32,
    seen: Lane,
    sums: [Lane; sum::COUNT],
    /// Upper halves of the sums that can pass 32 bits between flushes.
    square_high: Lane,
    waited_high: Lane,
}

/// What is the same in all lanes at a tick.
struct Tick {
    history_slot: u32,
    line_slot: u32,
    bounced_slot: u32,
    prefers_2: bool,
}

/// A packet on its way into a queue, in every lane.
struct Packets {
    /// 1 where there is one.
    active: Lane,
    biased: Lane,
    to_1: Lane,
    bounces: Lane,
}

#[inline(always)]
fn add64(low: &mut u32, high: &mut u32, value: u32) {
    *low = low.wrapping_add(value);
    *high = high.wrapping_add(u32::from(*low < value));
}

/// `if condition { yes } else { no }` without a branch, which would keep a loop over lanes from becoming vector instructions.
#[inline(always)]
fn select(condition: bool, yes: u32, no: u32) -> u32 {
    no ^ ((yes ^ no) & u32::from(condition).wrapping_neg())
}

#[inline(always)]
fn wrap(slot: u32, slots: u32) -> u32 {
    if slot >= slots { slot - slots } else { slot }
}

/// Adds 32-bit sums, with their upper halves, to the 64-bit ones of the state.
#[inline(never)]
fn add_sums(state: &mut [Lane], low: &[Lane; sum::COUNT], high: &[Lane; sum::COUNT], half: usize) {
    for which in 0..sum::COUNT {
        let at = state::SUMS + 4 * which + 2 * half;
        for i in 0..LANES {
            let old = (u64::from(state[at + 1][i]) << 32) | u64::from(state[at][i]);
            let total = old + ((u64::from(high[which][i]) << 32) | u64::from(low[which][i]));
            state[at][i] = total as u32;
            state[at + 1][i] = (total >> 32) as u32;
        }
    }
}

struct Kernel<'a, 'b> {
    /// A copy, so that the compiler sees that no write to the state can change it.
    params: [u32; param::COUNT],
    tables: &'a [u32],
    group: &'a mut Group<'b>,
    replicas: Lane,
}

impl Kernel<'_, '_> {
    #[inline(always)]
    fn param(&self, index: usize) -> u32 {
        self.params[index]
    }

    #[inline(always)]
    fn row(&mut self, at: usize, slot: u32) -> &mut Lane {
        &mut self.group.state[self.params[at] as usize + slot as usize]
    }

    /// Completion at one server in lane `i`: a packet that is done leaves and the next one starts.
    #[inline(always)]
    fn complete<V: Variant>(&self, r: &mut Registers, server: usize, i: usize) -> u32 {
        let left = r.left[server][i];
        let done = u32::from(left == 1);
        let queue = r.queue[server][i].wrapping_sub(done);
        let next = select(queue > 0, self.param(param::SERVICE_1 + server), 0);
        r.queue[server][i] = queue;
        r.left[server][i] = select(left == 1, next, left.saturating_sub(1));
        if V::MEASURED {
            r.sums[sum::COMPLETED_1 + server][i] += done;
        }
        done
    }

    /// Takes the identity of a completed packet off its queue: 1 for a free client, 2^16 for a biased one.
    fn release(&mut self, done: u32, server: usize, i: usize) -> u32 {
        if done == 0 {
            return 0;
        }
        let head = self.group.state[state::FIFO_1_HEAD + server][i];
        let word = self.row(param::FIFO_1_AT + server, head / 32)[i];
        self.group.state[state::FIFO_1_HEAD + server][i] = wrap(head + 1, self.param(param::FIFO_WORDS) * 32);
        select((word >> (head % 32)) & 1 == 1, 1 << 16, 1)
    }

    /// Completed clients go home, idle and come back; who is due now is pending.
    #[inline(always)]
    fn begin_tick<V: Variant>(&mut self, r: &mut Registers, tick: &Tick) {
        let mut clients = Lane::ZERO;
        for i in 0..LANES {
            let done_1 = self.complete::<V>(r, 0, i);
            let done_2 = self.complete::<V>(r, 1, i);
            clients[i] = if V::FIXED { self.release(done_1, 0, i) + self.release(done_2, 1, i) } else { done_1 + done_2 };
        }
        let slots = self.param(param::LINE_SLOTS);
        if slots > 1 {
            let back = wrap(tick.line_slot + self.param(param::LINE_DELAY), slots);
            let mut line = *self.row(param::LINE_AT, back);
            for i in 0..LANES {
                line[i] += clients[i];
            }
            *self.row(param::LINE_AT, back) = line;
            r.pending = std::mem::replace(self.row(param::LINE_AT, tick.line_slot), Lane::ZERO);
        } else {
            r.pending = clients;
        }
        if V::TRAVELS {
            r.pending_bounced = std::mem::replace(self.row(param::BOUNCED_LINE_AT, tick.bounced_slot), Lane::ZERO);
        }
        let mut slot = tick.history_slot;
        if self.param(param::AFTER_COMPLETIONS) == 1 {
            let mut now = Lane::ZERO;
            for i in 0..LANES {
                now[i] = self.compare_queues(r, i);
            }
            *self.row(param::HISTORY_AT, slot) = now;
            slot = wrap(slot + 1, self.param(param::HISTORY_SLOTS));
        }
        r.seen = *self.row(param::HISTORY_AT, slot);
        r.served = 0;
    }

    #[inline(always)]
    fn compare_queues(&self, r: &Registers, i: usize) -> u32 {
        seen(r.queue[0][i].wrapping_mul(self.param(param::WEIGHT_1)), r.queue[1][i].wrapping_mul(self.param(param::WEIGHT_2)))
    }

    /// The decision of the next client of lane `i`, unless a bounced packet comes first.
    #[inline(always)]
    fn choose<V: Variant>(&self, r: &mut Registers, tick: &Tick, packets: &mut Packets, word: u32, i: usize) {
        let thresholds = if tick.prefers_2 { param::CHOICE_SHORTER_2 } else { param::CHOICE_SHORTER_1 };
        let threshold = select(r.seen[i] == 0, self.param(thresholds),
            select(r.seen[i] == 1, self.param(thresholds + 1), self.param(thresholds + 2)));
        let bounced = if V::TRAVELS { packets.active[i] } else { 0 };
        let asks = u32::from(r.pending[i] != 0) & (1 - bounced);
        let mut chooses_1 = u32::from((word >> 1) < threshold);
        let mut one = 1;
        if V::FIXED {
            let is_biased = u32::from(r.pending[i] & 0xFFFF == 0);
            chooses_1 = select(is_biased == 1, u32::from(!tick.prefers_2), chooses_1);
            one = select(is_biased == 1, 1 << 16, 1);
            packets.biased[i] = select(bounced == 1, packets.biased[i], is_biased);
        }
        packets.to_1[i] = select(bounced == 1, packets.to_1[i], chooses_1);
        packets.active[i] = bounced | asks;
        r.pending[i] -= select(asks == 1, one, 0);
        if V::MEASURED {
            r.sums[sum::REQUESTS][i] += asks;
        }
    }

    /// A packet joins its queue in lane `i`; how long it will wait is known at once, since services
    /// take fixed times. Returns the queue it met and its wait.
    #[inline(always)]
    fn join<V: Variant>(&self, r: &mut Registers, active: u32, to_1: u32, i: usize) -> (u32, u32) {
        let service = [self.param(param::SERVICE_1), self.param(param::SERVICE_2)];
        let (queue, left) = ([r.queue[0][i], r.queue[1][i]], [r.left[0][i], r.left[1][i]]);
        let met = select(to_1 == 1, queue[0], queue[1]);
        let ahead = met.wrapping_sub(1).wrapping_mul(select(to_1 == 1, service[0], service[1]));
        let wait = select(met == 0, 0, select(to_1 == 1, left[0], left[1]).wrapping_add(ahead));
        let joins = [active & to_1, active & (1 - to_1)];
        for server in 0..2 {
            r.left[server][i] = select((joins[server] == 1) & (queue[server] == 0), service[server], left[server]);
            r.queue[server][i] = queue[server].wrapping_add(joins[server]);
        }
        if V::MEASURED {
            let counted = active.wrapping_neg();
            r.sums[sum::JOINED][i] += active;
            r.sums[sum::MET][i] += met & counted;
            add64(&mut r.sums[sum::WAITED][i], &mut r.waited_high[i], wait & counted);
        }
        (met, wait)
    }

    /// One request, or one bounced packet, of every lane that has any left in this tick.
    #[inline(always)]
    fn serve<V: Variant>(&mut self, r: &mut Registers, tick: &Tick, word: &Lane) {
        let mut packets = Packets { active: Lane::ZERO, biased: Lane::ZERO, to_1: Lane::ZERO, bounces: Lane::ZERO };
        let (mut met, mut wait) = (Lane::ZERO, Lane::ZERO);
        if V::TRAVELS {
            self.take_bounced(r, &mut packets);
        }
        if V::REJECTS || V::FIXED {
            for i in 0..LANES {
                self.choose::<V>(r, tick, &mut packets, word[i], i);
            }
            if V::TRAVELS {
                self.test_once::<V>(r, tick, &mut packets);
            } else if V::REJECTS {
                self.bounce_at_once::<V>(r, tick, &mut packets);
            }
            if V::FIXED {
                self.remember(r, &packets);
            }
            for i in 0..LANES {
                (met[i], wait[i]) = self.join::<V>(r, packets.active[i], packets.to_1[i], i);
            }
        } else {
            for i in 0..LANES {
                self.choose::<V>(r, tick, &mut packets, word[i], i);
                (met[i], wait[i]) = self.join::<V>(r, packets.active[i], packets.to_1[i], i);
            }
        }
        if V::MEASURED {
            self.count_joined(&packets.active, &met, &wait);
        }
        r.served += 1;
    }

    /// Counts the waits, and the queues met unless they are read off the waits.
    #[inline(always)]
    fn count_joined(&mut self, active: &Lane, met: &Lane, wait: &Lane) {
        let mut bins = Lane::ZERO;
        let (shift, at) = (self.param(param::WAIT_SHIFT), self.param(param::WAIT_AT));
        for i in 0..LANES {
            bins[i] = select(active[i] == 1, at + (wait[i] >> shift), u32::MAX);
        }
        count(self.group.counts, &bins);
        if self.param(param::QUEUE_RECORDED) == 1 {
            let (shift, at) = (self.param(param::QUEUE_SHIFT), self.param(param::QUEUE_AT));
            for i in 0..LANES {
                bins[i] = select(active[i] == 1, at + (met[i] >> shift), u32::MAX);
            }
            count(self.group.counts, &bins);
        }
    }

    /// Takes the first packet that travelled between servers and is due, where there is one.
    #[inline(always)]
    fn take_bounced(&mut self, r: &mut Registers, packets: &mut Packets) {
        let clients = self.param(param::CLIENTS);
        for i in 0..LANES {
            if r.pending_bounced[i] > 0 {
                r.pending_bounced[i] -= 1;
                let head = self.group.state[state::BOUNCED_HEAD][i];
                let packet = self.row(param::BOUNCED_AT, head)[i];
                self.group.state[state::BOUNCED_HEAD][i] = wrap(head + 1, clients);
                self.group.state[state::BOUNCED_LENGTH][i] -= 1;
                packets.active[i] = 1;
                packets.to_1[i] = packet & 1;
                packets.biased[i] = (packet >> 1) & 1;
                packets.bounces[i] = packet >> 2;
            }
        }
    }

    /// The random words of one rejection test.
    #[inline(always)]
    fn rejection_words(&self, r: &Registers) -> [Lane; 4] {
        let key = self.group.key.words(Purpose::DelayRejection);
        block([Lane::all(r.tick), Lane::ZERO, self.replicas, Lane::all(r.served)], key)
    }

    /// A packet that travels when it bounces meets one server, which takes it, sends it on or refuses it.
    #[inline(always)]
    fn test_once<V: Variant>(&mut self, r: &mut Registers, tick: &Tick, packets: &mut Packets) {
        let Packets { active, biased, to_1, bounces } = packets;
        let words = self.rejection_words(r);
        let (clients, limit) = (self.param(param::CLIENTS), self.param(param::BOUNCE_LIMIT));
        let travel_slots = self.param(param::BOUNCED_SLOTS);
        let arrives = wrap(tick.bounced_slot + self.param(param::TRAVEL), travel_slots);
        let mut refused = Lane::ZERO;
        for i in 0..LANES {
            let length = select(to_1[i] == 1, r.queue[0][i], r.queue[1][i]);
            let threshold = self.tables[(self.param(param::REJECTION_AT) + length) as usize];
            if active[i] == 0 || (words[0][i] >> 1) >= threshold {
                continue;
            }
            active[i] = 0;
            if V::MEASURED {
                r.sums[sum::REJECTIONS][i] += 1;
            }
            if bounces[i] >= limit {
                refused[i] = 1;
                continue;
            }
            let head = self.group.state[state::BOUNCED_HEAD][i];
            let waiting = self.group.state[state::BOUNCED_LENGTH][i];
            let tail = wrap(head + waiting, clients);
            self.row(param::BOUNCED_AT, tail)[i] = (1 - to_1[i]) | (biased[i] << 1) | ((bounces[i] + 1) << 2);
            self.group.state[state::BOUNCED_LENGTH][i] = waiting + 1;
            self.row(param::BOUNCED_LINE_AT, arrives)[i] += 1;
        }
        self.send_back::<V>(r, tick, &refused, biased);
    }

    /// A packet that bounces at once: where it ends and after how many rejections, without a loop.
    ///
    /// With rejection probabilities r and s at the first and the other server, the first takes it in
    /// the end with probability (1 - r) / (1 - r s); the number of whole rounds of two rejections is
    /// independent of that and geometric, P(at least k) = (r s)^k.
    #[inline(always)]
    fn bounce_at_once<V: Variant>(&mut self, r: &mut Registers, tick: &Tick, packets: &mut Packets) {
        let Packets { active, biased, to_1, .. } = packets;
        let words = self.rejection_words(r);
        let clients = self.param(param::CLIENTS) as usize;
        let slice = |at: usize| &self.tables[self.params[at] as usize..][..clients + 1];
        let (rejection, bits) = (slice(param::REJECTION_AT), slice(param::REJECTION_BITS_AT));
        let rejection = [look_up(rejection, &r.queue[0]), look_up(rejection, &r.queue[1])];
        let bits = [look_up(bits, &r.queue[0]), look_up(bits, &r.queue[1])];
        let limit = self.param(param::BOUNCE_LIMIT);
        let mut exponent = Lane::ZERO;
        for i in 0..LANES {
            exponent[i] = minus_log2(self.tables, words[2][i], words[3][i]);
        }
        let mut refused = Lane::ZERO;
        for i in 0..LANES {
            let first = select(to_1[i] == 1, rejection[0][i], rejection[1][i]);
            let other = select(to_1[i] == 1, rejection[1][i], rejection[0][i]);
            let both = select(first == CERTAIN, other, multiply_high(first << 1, other));
            let stays = u32::from(multiply_high(words[0][i], CERTAIN - both) < CERTAIN - first);
            let round_bits = bits[0][i] + bits[1][i];
            let rounds = select(round_bits == 0, 1 << 20, (exponent[i] / round_bits.max(1)).min(1 << 20));
            let rejections = 2 * rounds + (1 - stays);
            refused[i] = active[i] & u32::from(rejections > limit);
            let counted = active[i] * select(rejections > limit, limit + 1, rejections);
            to_1[i] = select(stays == 1, to_1[i], 1 - to_1[i]);
            active[i] &= 1 - refused[i];
            if V::MEASURED {
                r.sums[sum::REJECTIONS][i] += counted;
            }
        }
        self.send_back::<V>(r, tick, &refused, biased);
    }

    /// Refused clients go home and idle for at least one tick.
    #[inline(always)]
    fn send_back<V: Variant>(&mut self, r: &mut Registers, tick: &Tick, refused: &Lane, biased: &Lane) {
        let back = wrap(tick.line_slot + self.param(param::REFUSED_DELAY), self.param(param::LINE_SLOTS));
        let mut line = *self.row(param::LINE_AT, back);
        for i in 0..LANES {
            line[i] += refused[i] << (16 * biased[i]);
        }
        *self.row(param::LINE_AT, back) = line;
        if V::MEASURED {
            for i in 0..LANES {
                r.sums[sum::REFUSALS][i] += refused[i];
            }
        }
    }

    /// Puts the identity of a packet at the end of its queue.
    #[inline(always)]
    fn remember(&mut self, r: &Registers, packets: &Packets) {
        let Packets { active, biased, to_1, .. } = packets;
        let room = self.param(param::FIFO_WORDS) * 32;
        for i in 0..LANES {
            if active[i] == 1 {
                let server = (1 - to_1[i]) as usize;
                let head = self.group.state[state::FIFO_1_HEAD + server][i];
                let tail = wrap(head + r.queue[server][i], room);
                let word = &mut self.row(param::FIFO_1_AT + server, tail / 32)[i];
                *word = (*word & !(1 << (tail % 32))) | (biased[i] << (tail % 32));
            }
        }
    }

    /// Records A and moves on.
    #[inline(always)]
    fn end_tick<V: Variant>(&mut self, r: &mut Registers, tick: &Tick) {
        let (clients, shift) = (self.param(param::CLIENTS), self.param(param::A_SHIFT));
        let (mut bins, mut now) = (Lane::ZERO, Lane::ZERO);
        for i in 0..LANES {
            now[i] = self.compare_queues(r, i);
            let (queue_1, queue_2, last) = (r.queue[0][i], r.queue[1][i], r.last_sign[i]);
            let sign = u32::from(queue_1 > queue_2) | (u32::from(queue_1 < queue_2) << 1);
            r.last_sign[i] = select(sign == 0, last, sign);
            if V::MEASURED {
                let size = queue_1.max(queue_2).wrapping_sub(queue_1.min(queue_2));
                // Signs are 0, 1, 2: only a change between 1 and 2 makes 3.
                r.sums[sum::CROSSINGS][i] += u32::from(sign | last == 3);
                r.peak[i] = r.peak[i].max(size);
                add64(&mut r.sums[sum::SQUARE][i], &mut r.square_high[i], size.wrapping_mul(size));
                r.sums[sum::QUEUE_1][i] += queue_1;
                r.sums[sum::QUEUE_2][i] += queue_2;
                r.sums[sum::IDLE_1][i] += u32::from(queue_1 == 0);
                r.sums[sum::IDLE_2][i] += u32::from(queue_2 == 0);
                bins[i] = clients.wrapping_add(queue_1).wrapping_sub(queue_2) >> shift;
            }
        }
        if self.param(param::AFTER_COMPLETIONS) == 0 {
            *self.row(param::HISTORY_AT, tick.history_slot) = now;
        }
        if V::MEASURED {
            count(self.group.counts, &bins);
        }
        if let Some(trace) = &mut self.group.trace {
            let mut a = [0; LANES];
            for i in 0..LANES {
                a[i] = r.queue[0][i] as i32 - r.queue[1][i] as i32;
            }
            trace.push(a);
        }
        r.tick += 1;
    }

    /// Reads the registers from the state.
    #[inline(always)]
    fn load(&self) -> Registers {
        let row = |word: usize| self.group.state[word];
        Registers {
            tick: row(state::POSITION)[0],
            queue: [row(state::QUEUE_1), row(state::QUEUE_2)],
            left: [row(state::LEFT_1), row(state::LEFT_2)],
            last_sign: row(state::LAST_SIGN),
            peak: row(state::PEAK),
            pending: Lane::ZERO,
            pending_bounced: Lane::ZERO,
            served: 0,
            seen: Lane::ZERO,
            sums: [Lane::ZERO; sum::COUNT],
            square_high: Lane::ZERO,
            waited_high: Lane::ZERO,
        }
    }

    /// Adds the sums to the 64-bit ones of the state and clears them.
    #[inline(always)]
    fn flush(&mut self, r: &mut Registers, half: Option<usize>) {
        // Copies, so that no register of the loop over ticks has its address taken.
        let mut high = [Lane::ZERO; sum::COUNT];
        high[sum::SQUARE] = r.square_high;
        high[sum::WAITED] = r.waited_high;
        add_sums(self.group.state, &std::hint::black_box(r.sums), &high, half.unwrap_or(0));
        r.sums = [Lane::ZERO; sum::COUNT];
        r.square_high = Lane::ZERO;
        r.waited_high = Lane::ZERO;
    }

    /// Writes the registers back. Between ticks nothing is pending or served.
    #[inline(always)]
    fn save(&mut self, r: &Registers) {
        let state = &mut self.group.state;
        state[state::POSITION] = Lane::all(r.tick);
        state[state::QUEUE_1] = r.queue[0];
        state[state::QUEUE_2] = r.queue[1];
        state[state::LEFT_1] = r.left[0];
        state[state::LEFT_2] = r.left[1];
        state[state::LAST_SIGN] = r.last_sign;
        state[state::PEAK] = r.peak;
    }

    /// Advances the group by a stretch of ticks, measured or not.
    #[inline(always)]
    fn advance_either<const R: bool, const T: bool, const F: bool>(&mut self, stretch: Stretch) {
        if stretch.half.is_some() {
            self.advance::<Options<R, T, F, true>>(stretch);
        } else {
            self.advance::<Options<R, T, F, false>>(stretch);
        }
    }

    /// Advances the group by a stretch of ticks.
    #[inline(always)]
    fn advance<V: Variant>(&mut self, stretch: Stretch) {
        let mut r = self.load();
        let key = self.group.key.words(Purpose::DelayChoice);
        let slots = [self.param(param::HISTORY_SLOTS).max(1), self.param(param::LINE_SLOTS).max(1), self.param(param::BOUNCED_SLOTS).max(1)];
        let half_period = self.param(param::BIAS_HALF_PERIOD);
        let mut tick = Tick {
            history_slot: r.tick % slots[0],
            line_slot: r.tick % slots[1],
            bounced_slot: r.tick % slots[2],
            prefers_2: false,
        };
        let mut passes = 0;
        let mut first_block = [Lane::ZERO; 4];
        for step in 0..stretch.steps {
            if half_period > 0 {
                tick.prefers_2 = (r.tick.wrapping_sub(self.param(param::TRAVEL)) / half_period) & 1 == 1;
            }
            // Two ticks share a block: each takes two of its four words.
            if r.tick & 1 == 0 || step == 0 {
                first_block = block([Lane::all(r.tick >> 1), Lane::ZERO, self.replicas, Lane::ZERO], key);
            }
            self.begin_tick::<V>(&mut r, &tick);
            let mut words = first_block;
            loop {
                let (first, second) = if r.tick & 1 == 0 { (words[0], words[1]) } else { (words[2], words[3]) };
                self.serve::<V>(&mut r, &tick, &first);
                self.serve::<V>(&mut r, &tick, &second);
                passes += 1;
                if !V::REJECTS || !(0..LANES).any(|i| (r.pending[i] | r.pending_bounced[i]) != 0) {
                    break;
                }
                words = block([Lane::all(r.tick >> 1), Lane::ZERO, self.replicas, Lane::all(r.served >> 1)], key);
                if passes >= PASSES_PER_FLUSH {
                    self.flush(&mut r, stretch.half);
                    passes = 0;
                }
            }
            self.end_tick::<V>(&mut r, &tick);
            tick.history_slot = wrap(tick.history_slot + 1, slots[0]);
            tick.line_slot = wrap(tick.line_slot + 1, slots[1]);
            tick.bounced_slot = wrap(tick.bounced_slot + 1, slots[2]);
            if passes >= PASSES_PER_FLUSH {
                self.flush(&mut r, stretch.half);
                passes = 0;
            }
        }
        self.flush(&mut r, stretch.half);
        self.save(&r);
    }
}

#[inline(always)]
fn advance(plan: &Plan, group: &mut Group<'_>, stretch: Stretch) {
    let replicas = group.replicas();
    let mut params = [0; param::COUNT];
    params.copy_from_slice(&plan.params);
    let flag = |index: usize| params[index] == 1;
    let mut kernel = Kernel { params, tables: &plan.tables, group, replicas };
    match (flag(param::REJECTS), flag(param::BOUNCE_TRAVELS), flag(param::FIXED_CLIENTS)) {
        (false, _, false) => kernel.advance_either::<false, false, false>(stretch),
        (false, _, true) => kernel.advance_either::<false, false, true>(stretch),
        (true, false, false) => kernel.advance_either::<true, false, false>(stretch),
        (true, false, true) => kernel.advance_either::<true, false, true>(stretch),
        (true, true, false) => kernel.advance_either::<true, true, false>(stretch),
        (true, true, true) => kernel.advance_either::<true, true, true>(stretch),
    }
}

compile_for_each_instruction_set! {
    /// Advances a group of replicas by a stretch of ticks.
    kernel = advance
}

//! The CPU kernel of `delay`: one tick of sixteen replicas.
//!
//! Owns the rules of a tick. Twin of shaders/models/delay.wgsl: same names, same order; rejection is in
//! reject.rs. The rules are functions of one lane without branches or comparisons: conditions are masks
//! (all bits or none) made from signs. Each phase is one loop over lanes that calls them, so that it
//! compiles to vector instructions (several small loops would be unrolled and mangled instead).
//! All lanes are at the same tick; a tick with more than two requests takes several passes.

use super::words::{param, state, sum};
use crate::engine::{Group, LANES, Lane, Stretch, compile_for_each_instruction_set, count};
use crate::models::Plan;
use crate::random::{Purpose, block};

/// What differs between variants of the kernel, known when it is compiled.
pub(super) trait Variant {
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
pub(super) struct Registers {
    pub tick: u32,
    pub queue: [Lane; 2],
    pub left: [Lane; 2],
    pub last_sign: Lane,
    pub peak: Lane,
    pub pending: Lane,
    pub pending_bounced: Lane,
    pub served: u32,
    /// Passes since the last flush.
    pub passes: u32,
    /// What the delayed comparison adds to the threshold of choosing server 1.
    pub seen: Lane,
    pub sums: [Lane; sum::COUNT],
}

/// What is the same in all lanes at a tick.
pub(super) struct Tick {
    pub history_slot: u32,
    pub line_slot: u32,
    pub bounced_slot: u32,
    /// Threshold of choosing server 1 when both queues look equal.
    pub centre: u32,
    /// Mask: biased clients prefer server 1.
    pub prefers_1: u32,
}

/// A packet on its way into a queue, in every lane: masks, but for the bounces.
pub(super) struct Packets {
    pub active: Lane,
    pub biased: Lane,
    pub to_1: Lane,
    pub bounces: Lane,
}

/// All bits where `x`, taken as a signed number, is negative.
#[inline(always)]
pub(super) fn negative(x: u32) -> u32 {
    ((x as i32) >> 31) as u32
}

/// All bits where `x` is not zero, for x < 2^31.
#[inline(always)]
pub(super) fn some(x: u32) -> u32 {
    negative(x.wrapping_neg())
}

/// `yes` where the mask is set, `no` elsewhere.
#[inline(always)]
pub(super) fn blend(mask: u32, yes: u32, no: u32) -> u32 {
    no ^ ((yes ^ no) & mask)
}

/// What the comparison of two queues adds to the threshold of choosing server 1: `half` when queue 1
/// is shorter, nothing when both are equal, minus `half` when it is longer.
#[inline(always)]
pub fn compare(work_1: u32, work_2: u32, half: u32) -> u32 {
    let shorter = negative(work_1.wrapping_sub(work_2));
    let longer = negative(work_2.wrapping_sub(work_1));
    (half & shorter).wrapping_sub(half & longer)
}

#[inline(always)]
pub(super) fn wrap(slot: u32, slots: u32) -> u32 {
    if slot >= slots { slot - slots } else { slot }
}

/// Adds 32-bit sums to the 64-bit ones of the state.
#[inline(never)]
fn add_sums(state: &mut [Lane], sums: &[Lane; sum::COUNT], half: usize) {
    for (which, sum) in sums.iter().enumerate() {
        let at = state::SUMS + 4 * which + 2 * half;
        for i in 0..LANES {
            let old = (u64::from(state[at + 1][i]) << 32) | u64::from(state[at][i]);
            let total = old + u64::from(sum[i]);
            state[at][i] = total as u32;
            state[at + 1][i] = (total >> 32) as u32;
        }
    }
}

pub(super) struct Kernel<'a, 'b> {
    /// A copy, so that the compiler sees that no write to the state can change it.
    params: [u32; param::COUNT],
    pub tables: &'a [u32],
    pub group: &'a mut Group<'b>,
    pub replicas: Lane,
}

impl Kernel<'_, '_> {
    #[inline(always)]
    pub fn param(&self, index: usize) -> u32 {
        self.params[index]
    }

    #[inline(always)]
    pub fn row(&mut self, at: usize, slot: u32) -> &mut Lane {
        &mut self.group.state[self.params[at] as usize + slot as usize]
    }

    /// Completion at one server: a packet that is done leaves and the next one starts. Returns a mask.
    #[inline(always)]
    fn complete<V: Variant>(&self, r: &mut Registers, server: usize, i: usize) -> u32 {
        let left = r.left[server][i];
        let busy = some(left);
        let done = busy & !negative(1u32.wrapping_sub(left));
        let queue = r.queue[server][i].wrapping_add(done);
        r.queue[server][i] = queue;
        r.left[server][i] = left
            .wrapping_add(busy)
            .wrapping_add(self.param(param::SERVICE_1 + server) & done & some(queue));
        if V::MEASURED {
            r.sums[sum::COMPLETED_1 + server][i] =
                r.sums[sum::COMPLETED_1 + server][i].wrapping_sub(done);
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
        self.group.state[state::FIFO_1_HEAD + server][i] =
            wrap(head + 1, self.param(param::FIFO_WORDS) * 32);
        1 << (16 * ((word >> (head % 32)) & 1))
    }

    #[inline(always)]
    fn compare_queues(&self, r: &Registers, i: usize) -> u32 {
        let work =
            |server: usize| r.queue[server][i].wrapping_mul(self.param(param::WEIGHT_1 + server));
        compare(work(0), work(1), self.param(param::CHOICE_HALF))
    }

    /// The decision of the next client, where `free` allows one: masks of (asks, to 1, biased).
    #[inline(always)]
    fn choose<V: Variant>(
        &self,
        r: &mut Registers,
        tick: &Tick,
        free: u32,
        word: u32,
        i: usize,
    ) -> (u32, u32, u32) {
        let pending = r.pending[i];
        let asks = free
            & if V::FIXED {
                some(pending >> 16) | some(pending & 0xFFFF)
            } else {
                some(pending)
            };
        let threshold = tick.centre.wrapping_add(r.seen[i]);
        let chooses_1 = negative((word >> 1).wrapping_sub(threshold));
        if V::MEASURED && V::REJECTS {
            r.sums[sum::REQUESTS][i] = r.sums[sum::REQUESTS][i].wrapping_sub(asks);
        }
        if V::FIXED {
            let biased = !some(pending & 0xFFFF);
            r.pending[i] = pending.wrapping_sub(asks & blend(biased, 1 << 16, 1));
            (asks, blend(biased, tick.prefers_1, chooses_1), biased)
        } else {
            r.pending[i] = pending.wrapping_add(asks);
            (asks, chooses_1, 0)
        }
    }

    /// A packet joins its queue; how long it will wait is known at once, since services take fixed
    /// times. Returns the queue it met and its wait.
    #[inline(always)]
    fn join<V: Variant>(&self, r: &mut Registers, active: u32, to_1: u32, i: usize) -> (u32, u32) {
        let service = [self.param(param::SERVICE_1), self.param(param::SERVICE_2)];
        let (queue, left) = ([r.queue[0][i], r.queue[1][i]], [r.left[0][i], r.left[1][i]]);
        let met = blend(to_1, queue[0], queue[1]);
        let ahead = met
            .wrapping_sub(1)
            .wrapping_mul(blend(to_1, service[0], service[1]));
        let wait = blend(to_1, left[0], left[1]).wrapping_add(ahead) & some(met);
        let joins = [active & to_1, active & !to_1];
        for server in 0..2 {
            r.left[server][i] =
                left[server].wrapping_add(service[server] & joins[server] & !some(queue[server]));
            r.queue[server][i] = queue[server].wrapping_sub(joins[server]);
        }
        if V::MEASURED {
            r.sums[sum::JOINED][i] = r.sums[sum::JOINED][i].wrapping_sub(active);
            r.sums[sum::MET][i] += met & active;
            r.sums[sum::WAITED][i] = r.sums[sum::WAITED][i].wrapping_add(wait & active);
        }
        (met, wait)
    }

    /// Records A; returns its bin.
    #[inline(always)]
    fn record<V: Variant>(&self, r: &mut Registers, i: usize) -> u32 {
        let (queue_1, queue_2, last) = (r.queue[0][i], r.queue[1][i], r.last_sign[i]);
        let a = queue_1.wrapping_sub(queue_2);
        let sign = (a.wrapping_neg() >> 31) | ((a >> 31) << 1);
        r.last_sign[i] = blend(some(sign), sign, last);
        if V::MEASURED {
            let size = (a as i32).unsigned_abs();
            // Signs are 0, 1, 2: only a change between 1 and 2 makes 3.
            r.sums[sum::CROSSINGS][i] += ((sign | last) + 1) >> 2;
            r.peak[i] = r.peak[i].max(size);
            r.sums[sum::SQUARE][i] = r.sums[sum::SQUARE][i].wrapping_add(size.wrapping_mul(size));
            r.sums[sum::QUEUE_1][i] += queue_1;
            r.sums[sum::QUEUE_2][i] += queue_2;
            r.sums[sum::IDLE_1][i] += queue_1.wrapping_sub(1) >> 31;
            r.sums[sum::IDLE_2][i] += queue_2.wrapping_sub(1) >> 31;
        }
        self.param(param::CLIENTS).wrapping_add(a) >> self.param(param::A_SHIFT)
    }

    /// Counts the waits, and the queues met unless they are read off the waits.
    #[inline(always)]
    fn count_joined(&mut self, active: &Lane, met: &Lane, wait: &Lane) {
        let mut bins = Lane::ZERO;
        let (shift, at) = (self.param(param::WAIT_SHIFT), self.param(param::WAIT_AT));
        for i in 0..LANES {
            bins[i] = (at + (wait[i] >> shift)) | !active[i];
        }
        count(self.group.counts, &bins);
        if self.param(param::QUEUE_RECORDED) == 1 {
            let (shift, at) = (self.param(param::QUEUE_SHIFT), self.param(param::QUEUE_AT));
            for i in 0..LANES {
                bins[i] = (at + (met[i] >> shift)) | !active[i];
            }
            count(self.group.counts, &bins);
        }
    }

    /// A tick of the plainest variant, without rejection or identities: at most two requests, all in
    /// one loop, so that little but sums goes through memory.
    #[inline(always)]
    fn plain_tick<V: Variant>(&mut self, r: &mut Registers, tick: &Tick, words: [&Lane; 2]) {
        let slots = self.param(param::LINE_SLOTS);
        let line = if slots > 1 { u32::MAX } else { 0 };
        let due = *self.row(param::LINE_AT, tick.line_slot);
        let after = self.param(param::AFTER_COMPLETIONS).wrapping_neg();
        let history_slots = self.param(param::HISTORY_SLOTS);
        let sees_now = if history_slots == 1 { after } else { 0 };
        let past = *self.row(
            param::HISTORY_AT,
            wrap(tick.history_slot + (after & 1), history_slots),
        );
        let (mut clients, mut now, mut bins) = (Lane::ZERO, Lane::ZERO, Lane::ZERO);
        let (mut active, mut met, mut wait) = ([Lane::ZERO; 2], [Lane::ZERO; 2], [Lane::ZERO; 2]);
        for i in 0..LANES {
            let done = self
                .complete::<V>(r, 0, i)
                .wrapping_add(self.complete::<V>(r, 1, i))
                .wrapping_neg();
            clients[i] = done;
            r.pending[i] = blend(line, due[i], done);
            let after_completions = self.compare_queues(r, i);
            r.seen[i] = blend(sees_now, after_completions, past[i]);
            for which in 0..2 {
                let (asks, to_1, _) = self.choose::<V>(r, tick, u32::MAX, words[which][i], i);
                active[which][i] = asks;
                (met[which][i], wait[which][i]) = self.join::<V>(r, asks, to_1, i);
            }
            now[i] = blend(after, after_completions, self.compare_queues(r, i));
            bins[i] = self.record::<V>(r, i);
        }
        *self.row(param::HISTORY_AT, tick.history_slot) = now;
        if slots > 1 {
            *self.row(param::LINE_AT, tick.line_slot) = Lane::ZERO;
            *self.row(
                param::LINE_AT,
                wrap(tick.line_slot + self.param(param::LINE_DELAY), slots),
            ) = clients;
        }
        if V::MEASURED {
            count(self.group.counts, &bins);
            self.count_joined(&active[0], &met[0], &wait[0]);
            self.count_joined(&active[1], &met[1], &wait[1]);
        }
    }

    /// Completed clients go home, idle and come back; who is due now is pending.
    #[inline(always)]
    fn begin_tick<V: Variant>(&mut self, r: &mut Registers, tick: &Tick) {
        let mut clients = Lane::ZERO;
        for i in 0..LANES {
            let done = [self.complete::<V>(r, 0, i), self.complete::<V>(r, 1, i)];
            clients[i] = if V::FIXED {
                self.release(done[0], 0, i) + self.release(done[1], 1, i)
            } else {
                done[0].wrapping_add(done[1]).wrapping_neg()
            };
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
            r.pending_bounced = std::mem::replace(
                self.row(param::BOUNCED_LINE_AT, tick.bounced_slot),
                Lane::ZERO,
            );
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

    /// One request, or one bounced packet, of every lane that has any left in this tick.
    #[inline(always)]
    fn serve<V: Variant>(&mut self, r: &mut Registers, tick: &Tick, word: &Lane) {
        let mut packets = Packets {
            active: Lane::ZERO,
            biased: Lane::ZERO,
            to_1: Lane::ZERO,
            bounces: Lane::ZERO,
        };
        let (mut met, mut wait) = (Lane::ZERO, Lane::ZERO);
        if V::TRAVELS {
            self.take_bounced(r, &mut packets);
        }
        for i in 0..LANES {
            let bounced = packets.active[i];
            let (asks, to_1, biased) = self.choose::<V>(r, tick, !bounced, word[i], i);
            packets.active[i] = bounced | asks;
            packets.to_1[i] = blend(bounced, packets.to_1[i], to_1);
            packets.biased[i] = blend(bounced, packets.biased[i], biased);
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
        if V::MEASURED {
            self.count_joined(&packets.active, &met, &wait);
        }
        r.served += 1;
    }

    /// Puts the identity of a packet at the end of its queue.
    #[inline(always)]
    fn remember(&mut self, r: &Registers, packets: &Packets) {
        let room = self.param(param::FIFO_WORDS) * 32;
        for i in 0..LANES {
            if packets.active[i] != 0 {
                let server = (!packets.to_1[i] & 1) as usize;
                let head = self.group.state[state::FIFO_1_HEAD + server][i];
                let tail = wrap(head + r.queue[server][i], room);
                let word = &mut self.row(param::FIFO_1_AT + server, tail / 32)[i];
                *word = (*word & !(1 << (tail % 32))) | ((packets.biased[i] & 1) << (tail % 32));
            }
        }
    }

    /// A tick of any other variant: as many passes as the lane with the most requests needs.
    #[inline(always)]
    fn general_tick<V: Variant>(
        &mut self,
        r: &mut Registers,
        tick: &Tick,
        first_block: &[Lane; 4],
        half: Option<usize>,
    ) {
        let key = self.group.key.words(Purpose::DelayChoice);
        self.begin_tick::<V>(r, tick);
        let mut words = *first_block;
        loop {
            let (first, second) = if r.tick & 1 == 0 {
                (words[0], words[1])
            } else {
                (words[2], words[3])
            };
            self.serve::<V>(r, tick, &first);
            self.serve::<V>(r, tick, &second);
            if !V::REJECTS || !(0..LANES).any(|i| (r.pending[i] | r.pending_bounced[i]) != 0) {
                break;
            }
            words = block(
                [
                    Lane::all(r.tick >> 1),
                    Lane::ZERO,
                    self.replicas,
                    Lane::all(r.served >> 1),
                ],
                key,
            );
            self.count_pass(r, half);
        }
        let (mut bins, mut now) = (Lane::ZERO, Lane::ZERO);
        for i in 0..LANES {
            now[i] = self.compare_queues(r, i);
            bins[i] = self.record::<V>(r, i);
        }
        if self.param(param::AFTER_COMPLETIONS) == 0 {
            *self.row(param::HISTORY_AT, tick.history_slot) = now;
        }
        if V::MEASURED {
            count(self.group.counts, &bins);
        }
    }

    /// Counts a pass and flushes before any 32-bit sum can overflow.
    #[inline(always)]
    fn count_pass(&mut self, r: &mut Registers, half: Option<usize>) {
        r.passes += 1;
        if r.passes >= self.param(param::PASSES_PER_FLUSH) {
            self.flush(r, half);
        }
    }

    /// Adds the sums to the 64-bit ones of the state and clears them.
    #[inline(always)]
    fn flush(&mut self, r: &mut Registers, half: Option<usize>) {
        if self.param(param::REJECTS) == 0 {
            r.sums[sum::REQUESTS] = r.sums[sum::JOINED];
        }
        // A copy, so that no register of the loop over ticks has its address taken.
        add_sums(
            self.group.state,
            &std::hint::black_box(r.sums),
            half.unwrap_or(0),
        );
        r.sums = [Lane::ZERO; sum::COUNT];
        r.passes = 0;
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
            passes: 0,
            seen: Lane::ZERO,
            sums: [Lane::ZERO; sum::COUNT],
        }
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
        let slots = [
            param::HISTORY_SLOTS,
            param::LINE_SLOTS,
            param::BOUNCED_SLOTS,
        ]
        .map(|at| self.param(at).max(1));
        let half_period = self.param(param::BIAS_HALF_PERIOD);
        let mut tick = Tick {
            history_slot: r.tick % slots[0],
            line_slot: r.tick % slots[1],
            bounced_slot: r.tick % slots[2],
            centre: self.param(param::CHOICE_CENTRE_1),
            prefers_1: u32::MAX,
        };
        let mut words = [Lane::ZERO; 4];
        for step in 0..stretch.steps {
            if half_period > 0 {
                let swapped = (r.tick.wrapping_sub(self.param(param::TRAVEL)) / half_period) & 1;
                tick.prefers_1 = swapped.wrapping_sub(1);
                tick.centre = self.param(param::CHOICE_CENTRE_1 + swapped as usize);
            }
            // Two ticks share a block: each takes two of its four words.
            if r.tick & 1 == 0 || step == 0 {
                words = block(
                    [
                        Lane::all(r.tick >> 1),
                        Lane::ZERO,
                        self.replicas,
                        Lane::ZERO,
                    ],
                    key,
                );
            }
            if V::REJECTS || V::FIXED {
                self.general_tick::<V>(&mut r, &tick, &words, stretch.half);
            } else if r.tick & 1 == 0 {
                self.plain_tick::<V>(&mut r, &tick, [&words[0], &words[1]]);
            } else {
                self.plain_tick::<V>(&mut r, &tick, [&words[2], &words[3]]);
            }
            if let Some(trace) = &mut self.group.trace {
                let mut a = [0; LANES];
                for i in 0..LANES {
                    a[i] = r.queue[0][i] as i32 - r.queue[1][i] as i32;
                }
                trace.push(a);
            }
            r.tick += 1;
            tick.history_slot = wrap(tick.history_slot + 1, slots[0]);
            tick.line_slot = wrap(tick.line_slot + 1, slots[1]);
            tick.bounced_slot = wrap(tick.bounced_slot + 1, slots[2]);
            self.count_pass(&mut r, stretch.half);
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
    let mut kernel = Kernel {
        params,
        tables: &plan.tables,
        group,
        replicas,
    };
    match (
        flag(param::REJECTS),
        flag(param::BOUNCE_TRAVELS),
        flag(param::FIXED_CLIENTS),
    ) {
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

//! The rules of a tick of `delay`, for one lane: completion, decision, joining, recording.
//!
//! Twin of the functions of the same names in shaders/models/delay.wgsl. The rules are functions without
//! branches or comparisons: conditions are masks made from signs. Owns the registers of a group too.
//! Which tick calls what is in plain.rs and general.rs.

use super::masks::{blend, compare, negative, some};
use super::words::{param, sum};
use crate::engine::{Group, LANES, Lane, count, draw};
use crate::random::Purpose;

/// What differs between variants of the kernel, known when it is compiled.
pub(super) trait Variant {
    const REJECTS: bool;
    const TRAVELS: bool;
    const FIXED: bool;
    const MEASURED: bool;
}

pub(super) struct Options<
    const REJECTS: bool,
    const TRAVELS: bool,
    const FIXED: bool,
    const MEASURED: bool,
>;

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

/// The random words of a pair of ticks, drawn when the first is needed: each tick takes two of four.
pub(super) struct Words {
    /// Half the tick, or more than any when nothing has been drawn.
    pair: u32,
    words: [Lane; 4],
}

impl Words {
    #[inline(always)]
    pub fn none() -> Words {
        Words {
            pair: u32::MAX,
            words: [Lane::ZERO; 4],
        }
    }

    #[inline(always)]
    pub fn drawn(kernel: &Kernel<'_, '_>, pair: u32, block: u32) -> Words {
        let key = kernel.group.key.words(Purpose::DelayChoice);
        Words {
            pair,
            words: draw(key, pair, &kernel.replicas, block),
        }
    }

    /// The two words of a tick.
    #[inline(always)]
    pub fn of(&self, tick: u32) -> [Lane; 2] {
        if tick & 1 == 0 {
            [self.words[0], self.words[1]]
        } else {
            [self.words[2], self.words[3]]
        }
    }

    /// The same, drawn if need be.
    #[inline(always)]
    pub fn at(&mut self, tick: u32, kernel: &Kernel<'_, '_>) -> [Lane; 2] {
        if self.pair != tick >> 1 {
            *self = Words::drawn(kernel, tick >> 1, 0);
        }
        self.of(tick)
    }
}

pub(super) struct Kernel<'a, 'b> {
    /// A copy, so that the compiler sees that no write to the state can change it.
    pub params: [u32; param::COUNT],
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
    pub fn complete<V: Variant>(&self, r: &mut Registers, server: usize, i: usize) -> u32 {
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

    #[inline(always)]
    pub fn compare_queues(&self, r: &Registers, i: usize) -> u32 {
        let work =
            |server: usize| r.queue[server][i].wrapping_mul(self.param(param::WEIGHT_1 + server));
        compare(work(0), work(1), self.param(param::CHOICE_HALF))
    }

    /// The decision of the next client, where `free` allows one: masks of (asks, to 1, biased).
    #[inline(always)]
    pub fn choose<V: Variant>(
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
    pub fn join<V: Variant>(
        &self,
        r: &mut Registers,
        active: u32,
        to_1: u32,
        i: usize,
    ) -> (u32, u32) {
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
    pub fn record<V: Variant>(&self, r: &mut Registers, i: usize) -> u32 {
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
    pub fn count_joined(&mut self, active: &Lane, met: &Lane, wait: &Lane) {
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
}

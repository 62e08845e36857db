//! Rejection in the CPU kernel of `delay`: packets that bounce at once, or travel from server to server.
//!
//! Twin of shaders/models/delay_reject.wgsl. Owns what happens between a
//! decision and joining a queue.

use super::masks::{blend, negative, some, wrap};
use super::rules::{Kernel, Packets, Registers, Tick, Variant};
use super::words::{param, state, sum};
use crate::engine::{LANES, Lane, draw, look_up_two};
use crate::random::{CERTAIN, Purpose, interpolate, multiply_high, node, normalise};

impl Kernel<'_, '_> {
    /// Takes the first packet that travelled between servers and is due, where there is one.
    #[inline(always)]
    pub(super) fn take_bounced(&mut self, r: &mut Registers, packets: &mut Packets) {
        let clients = self.param(param::CLIENTS);
        for i in 0..LANES {
            if r.pending_bounced[i] > 0 {
                r.pending_bounced[i] -= 1;
                let head = self.group.state[state::BOUNCED_HEAD][i];
                let packet = self.row(param::BOUNCED_AT, head)[i];
                self.group.state[state::BOUNCED_HEAD][i] = wrap(head + 1, clients);
                self.group.state[state::BOUNCED_LENGTH][i] -= 1;
                packets.active[i] = u32::MAX;
                packets.to_1[i] = (packet & 1).wrapping_neg();
                packets.biased[i] = ((packet >> 1) & 1).wrapping_neg();
                packets.bounces[i] = packet >> 2;
            }
        }
    }

    /// The random words of one rejection test.
    #[inline(always)]
    fn rejection_words(&self, r: &Registers) -> [Lane; 4] {
        let key = self.group.key.words(Purpose::DelayRejection);
        draw(key, r.tick, &self.replicas, r.served)
    }

    /// A packet that travels when it bounces meets one server, which takes it, sends it on or refuses it.
    #[inline(always)]
    pub(super) fn test_once<V: Variant>(
        &mut self,
        r: &mut Registers,
        tick: &Tick,
        packets: &mut Packets,
    ) {
        let words = self.rejection_words(r);
        let (clients, limit) = (self.param(param::CLIENTS), self.param(param::BOUNCE_LIMIT));
        let arrives = wrap(
            tick.bounced_slot + self.param(param::TRAVEL),
            self.param(param::BOUNCED_SLOTS),
        );
        let mut refused = Lane::ZERO;
        for i in 0..LANES {
            let (to_1, bounces) = (packets.to_1[i], packets.bounces[i]);
            let length = blend(to_1, r.queue[0][i], r.queue[1][i]);
            let threshold = self.tables[(self.param(param::REJECTION_AT) + 2 * length) as usize];
            if packets.active[i] == 0 || (words[0][i] >> 1) >= threshold {
                continue;
            }
            packets.active[i] = 0;
            if V::MEASURED {
                r.sums[sum::REJECTIONS][i] += 1;
            }
            if bounces >= limit {
                refused[i] = u32::MAX;
                continue;
            }
            let waiting = self.group.state[state::BOUNCED_LENGTH][i];
            let tail = wrap(self.group.state[state::BOUNCED_HEAD][i] + waiting, clients);
            self.row(param::BOUNCED_AT, tail)[i] =
                (!to_1 & 1) | (packets.biased[i] & 2) | ((bounces + 1) << 2);
            self.group.state[state::BOUNCED_LENGTH][i] = waiting + 1;
            self.row(param::BOUNCED_LINE_AT, arrives)[i] += 1;
        }
        self.send_back::<V>(r, tick, &refused, &packets.biased);
    }

    /// `random::minus_log2` in every lane.
    #[inline(always)]
    fn minus_log2(&self, high: &Lane, low: &Lane) -> Lane {
        let (mut zeros, mut mantissa) = (Lane::ZERO, Lane::ZERO);
        let (mut nodes, mut found) = (Lane::ZERO, Lane::ZERO);
        for i in 0..LANES {
            (zeros[i], mantissa[i]) = normalise(high[i], low[i]);
            nodes[i] = node(mantissa[i]);
        }
        let [below, above] = look_up_two(self.tables, &nodes);
        for i in 0..LANES {
            found[i] = interpolate(zeros[i], mantissa[i], below[i], above[i]);
        }
        found
    }

    /// A packet that bounces at once: where it ends and after how many rejections, without a loop.
    ///
    /// With rejection probabilities r and s at the first and the other server, the first takes it in
    /// the end with probability (1 - r) / (1 - r s); the number of whole rounds of two rejections is
    /// independent of that and geometric, P(at least k) = (r s)^k.
    #[inline(always)]
    pub(super) fn bounce_at_once<V: Variant>(
        &mut self,
        r: &mut Registers,
        tick: &Tick,
        packets: &mut Packets,
    ) {
        let words = self.rejection_words(r);
        let clients = self.param(param::CLIENTS) as usize;
        let table = &self.tables[self.param(param::REJECTION_AT) as usize..][..2 * (clients + 1)];
        let place = |queue: &Lane| Lane(queue.map(|length| 2 * length));
        let [rejection_1, bits_1] = look_up_two(table, &place(&r.queue[0]));
        let [rejection_2, bits_2] = look_up_two(table, &place(&r.queue[1]));
        let limit = self.param(param::BOUNCE_LIMIT);
        let exponent = self.minus_log2(&words[2], &words[3]);
        let mut refused = Lane::ZERO;
        for i in 0..LANES {
            let (active, to_1) = (packets.active[i], packets.to_1[i]);
            let first = blend(to_1, rejection_1[i], rejection_2[i]);
            let other = blend(to_1, rejection_2[i], rejection_1[i]);
            // CERTAIN is 2^31: doubling it leaves nothing, and the sign tells.
            let both = blend(negative(first), other, multiply_high(first << 1, other));
            let stays =
                negative(multiply_high(words[0][i], CERTAIN - both).wrapping_sub(CERTAIN - first));
            let round_bits = bits_1[i] + bits_2[i];
            let rounds = blend(
                some(round_bits >> 1 | round_bits & 1),
                (exponent[i] / round_bits.max(1)).min(1 << 20),
                1 << 20,
            );
            let rejections = 2 * rounds + (!stays & 1);
            let over = negative(limit.wrapping_sub(rejections));
            refused[i] = active & over;
            packets.to_1[i] = !(to_1 ^ stays);
            packets.active[i] = active & !over;
            if V::MEASURED {
                r.sums[sum::REJECTIONS][i] += active & blend(over, limit + 1, rejections);
            }
        }
        self.send_back::<V>(r, tick, &refused, &packets.biased);
    }

    /// Refused clients go home and idle for at least one tick.
    #[inline(always)]
    fn send_back<V: Variant>(
        &mut self,
        r: &mut Registers,
        tick: &Tick,
        refused: &Lane,
        biased: &Lane,
    ) {
        let back = wrap(
            tick.line_slot + self.param(param::REFUSED_DELAY),
            self.param(param::LINE_SLOTS),
        );
        let mut line = *self.row(param::LINE_AT, back);
        for i in 0..LANES {
            line[i] += refused[i] & blend(biased[i], 1 << 16, 1);
        }
        *self.row(param::LINE_AT, back) = line;
        if V::MEASURED {
            for i in 0..LANES {
                r.sums[sum::REFUSALS][i] = r.sums[sum::REFUSALS][i].wrapping_sub(refused[i]);
            }
        }
    }
}

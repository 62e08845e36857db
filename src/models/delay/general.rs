//! A tick of `delay` with rejection or fixed clients: any number of requests, in passes of two.
//!
//! Owns the order of a tick and the queues of identities. The rules are in rules.rs, rejection in reject.rs.

use super::masks::{blend, wrap};
use super::rules::{Kernel, Packets, Registers, Tick, Variant};
use super::words::{param, state};
use crate::engine::{LANES, Lane, count, draw};
use crate::random::Purpose;

impl Kernel<'_, '_> {
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
    pub fn general_tick<V: Variant>(
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
            words = draw(key, r.tick >> 1, &self.replicas, r.served >> 1);
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
}

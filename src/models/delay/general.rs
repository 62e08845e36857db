//! A tick of `delay` with rejection or fixed clients: any number of requests, in passes of two.
//!
//! Owns the order of a tick and the queues of identities. The rules are in rules.rs, rejection in reject.rs.

use super::masks::{blend, wrap};
use super::rules::{Kernel, Packets, Registers, Tick, Variant, Words};
use super::words::{param, state};
use crate::engine::{LANES, Lane, count, pick, put};

impl Kernel<'_, '_> {
    /// Takes the identities of completed packets off their queue: 1 for a free client, 2^16 for a biased one.
    #[inline(always)]
    fn release(&mut self, done: &Lane, server: usize) -> Lane {
        let room = self.param(param::FIFO_WORDS) * 32;
        let first = self.param(param::FIFO_1_AT + server) - self.param(param::FIFO_1_AT);
        let head = self.group.state[state::FIFO_1_HEAD + server];
        let (mut at, mut next, mut clients) = (Lane::ZERO, Lane::ZERO, Lane::ZERO);
        for i in 0..LANES {
            at[i] = first + head[i] / 32;
            next[i] = blend(done[i], wrap(head[i] + 1, room), head[i]);
        }
        self.group.state[state::FIFO_1_HEAD + server] = next;
        let word = pick(self.fifos(), &at);
        for i in 0..LANES {
            clients[i] = done[i] & (1 << (16 * ((word[i] >> (head[i] % 32)) & 1)));
        }
        clients
    }

    /// The words of the identities at server 1, then those at server 2.
    #[inline(always)]
    fn fifos(&mut self) -> &mut [Lane] {
        let (at, words) = (
            self.param(param::FIFO_1_AT) as usize,
            self.param(param::FIFO_WORDS) as usize,
        );
        &mut self.group.state[at..at + 2 * words]
    }

    /// Completed clients go home, idle and come back; who is due now is pending.
    #[inline(always)]
    fn begin_tick<V: Variant>(&mut self, r: &mut Registers, tick: &Tick) {
        let (mut clients, mut done) = (Lane::ZERO, [Lane::ZERO; 2]);
        for i in 0..LANES {
            done[0][i] = self.complete::<V>(r, 0, i);
            done[1][i] = self.complete::<V>(r, 1, i);
            clients[i] = done[0][i].wrapping_add(done[1][i]).wrapping_neg();
        }
        if V::FIXED {
            let released = [self.release(&done[0], 0), self.release(&done[1], 1)];
            for i in 0..LANES {
                clients[i] = released[0][i] + released[1][i];
            }
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

    /// Puts the identities of packets at the ends of their queues.
    #[inline(always)]
    fn remember(&mut self, r: &Registers, packets: &Packets) {
        let room = self.param(param::FIFO_WORDS) * 32;
        let second = self.param(param::FIFO_2_AT) - self.param(param::FIFO_1_AT);
        let heads = [
            self.group.state[state::FIFO_1_HEAD],
            self.group.state[state::FIFO_2_HEAD],
        ];
        let (mut at, mut clear, mut set) = (Lane::ZERO, Lane::ZERO, Lane::ZERO);
        for i in 0..LANES {
            let to_1 = packets.to_1[i];
            let tail = wrap(
                blend(to_1, heads[0][i], heads[1][i]) + blend(to_1, r.queue[0][i], r.queue[1][i]),
                room,
            );
            at[i] = (tail / 32) + (second & !to_1);
            clear[i] = packets.active[i] & (1 << (tail % 32));
            set[i] = clear[i] & packets.biased[i];
        }
        let fifos = self.fifos();
        let mut word = pick(fifos, &at);
        for i in 0..LANES {
            word[i] = (word[i] & !clear[i]) | set[i];
        }
        put(fifos, &at, &word);
    }

    /// A tick of any other variant: as many passes as the lane with the most requests needs.
    #[inline(always)]
    pub fn general_tick<V: Variant>(
        &mut self,
        r: &mut Registers,
        tick: &Tick,
        words: &mut Words,
        half: Option<usize>,
    ) {
        self.begin_tick::<V>(r, tick);
        let [mut first, mut second] = words.at(r.tick, self);
        loop {
            self.serve::<V>(r, tick, &first);
            self.serve::<V>(r, tick, &second);
            if !V::REJECTS || !(0..LANES).any(|i| (r.pending[i] | r.pending_bounced[i]) != 0) {
                break;
            }
            let more = Words::drawn(self, r.tick >> 1, r.served >> 1);
            [first, second] = more.of(r.tick);
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

//! A tick of `delay` without rejection or fixed clients, where at most two requests are decided.
//!
//! Owns the order of that tick. The rules themselves are in rules.rs.

use super::masks::{blend, wrap};
use super::rules::{Kernel, Registers, Tick, Variant, Words};
use super::words::param;
use crate::engine::{LANES, Lane, count};

impl Kernel<'_, '_> {
    /// A tick without rejection or identities.
    #[inline(always)]
    pub fn plain_tick<V: Variant>(&mut self, r: &mut Registers, tick: &Tick, words: &mut Words) {
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
        let mut any = 0;
        for i in 0..LANES {
            let done = self
                .complete::<V>(r, 0, i)
                .wrapping_add(self.complete::<V>(r, 1, i))
                .wrapping_neg();
            clients[i] = done;
            r.pending[i] = blend(line, due[i], done);
            any |= r.pending[i];
            now[i] = self.compare_queues(r, i);
            r.seen[i] = blend(sees_now, now[i], past[i]);
        }
        // Where services take many ticks, nobody asks at most of them.
        if any != 0 {
            let words = words.at(r.tick, self);
            let (mut active, mut met, mut wait) =
                ([Lane::ZERO; 2], [Lane::ZERO; 2], [Lane::ZERO; 2]);
            for i in 0..LANES {
                for which in 0..2 {
                    let (asks, to_1, _) = self.choose::<V>(r, tick, u32::MAX, words[which][i], i);
                    active[which][i] = asks;
                    (met[which][i], wait[which][i]) = self.join::<V>(r, asks, to_1, i);
                }
            }
            if V::MEASURED {
                self.count_joined(&active[0], &met[0], &wait[0]);
                self.count_joined(&active[1], &met[1], &wait[1]);
            }
        }
        for i in 0..LANES {
            now[i] = blend(after, now[i], self.compare_queues(r, i));
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
        }
    }
}

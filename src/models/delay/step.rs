//! The CPU kernel of `delay`: advances sixteen replicas, all at the same tick, by a stretch.
//!
//! Owns the loop over ticks and the choice of the variant: walk.rs, plain.rs or general.rs. Twin of
//! shaders/models/delay.wgsl: same names, same order.
//!
//! The rules (rules.rs) are functions of one lane. Each phase of a tick is one loop over lanes that calls
//! them, so that it compiles to vector instructions (several small loops would be unrolled and mangled instead).

use super::masks::wrap;
use super::rules::{Kernel, Options, Registers, Tick, Variant, Words};
use super::tallies::add_sums;
use super::walk;
use super::words::{param, state, sum};
use crate::engine::{Group, Lane, Stretch, compile_for_each_instruction_set};
use crate::models::Plan;

impl Kernel<'_, '_> {
    /// Counts a pass and flushes before any 32-bit sum can overflow.
    #[inline(always)]
    pub fn count_pass(&mut self, r: &mut Registers, half: Option<usize>) {
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
        let mut words = Words::none();
        for _ in 0..stretch.steps {
            let decided = r.tick.wrapping_sub(self.param(param::TRAVEL));
            if let Some(halves) = decided.checked_div(half_period) {
                let swapped = halves & 1;
                tick.prefers_1 = swapped.wrapping_sub(1);
                tick.centre = self.param(param::CHOICE_CENTRE_1 + swapped as usize);
            }
            if V::REJECTS || V::FIXED {
                self.general_tick::<V>(&mut r, &tick, &mut words, stretch.half);
            } else {
                self.plain_tick::<V>(&mut r, &tick, &mut words);
            }
            if let Some(trace) = &mut self.group.trace {
                trace.push(std::array::from_fn(|i| {
                    r.queue[0][i] as i32 - r.queue[1][i] as i32
                }));
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
    if plan.params[param::WALK] == 1 {
        return walk::advance(plan, group, stretch);
    }
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

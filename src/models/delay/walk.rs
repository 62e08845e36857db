//! The CPU kernel of `delay` where its state is one number: N_1 walks up and down by at most one a tick.
//!
//! That is so where services take one tick, in phase, and clients are always at one of the servers: no
//! journeys, no idle times, no rejection, and nobody to be told apart. Then N_2 = N - N_1, every server
//! with packets completes one each tick, and its client decides at once. A tick that takes N_1 from n to m
//! is counted once, in bin 2 n + m, from which tallies.rs reads all histograms and nearly all sums.
//! Owns that tick; twin of shaders/models/delay_walk.wgsl. The rules in general are those of step.rs.
//!
//! What makes it fast, and must stay: one loop over lanes a tick, without branches, whose registers are
//! values (no reference to them leaves an inlined function), so that they are vectors that stay in registers.

use super::masks::{blend, compare, negative, some};
use super::tallies::add_sum;
use super::words::{param, state, sum};
use crate::engine::{Group, LANES, Lane, Stretch, count, draw};
use crate::models::Plan;
use crate::random::Purpose;

/// The registers of a group.
#[derive(Clone, Copy)]
struct Walk {
    /// N_1.
    queue: Lane,
    /// The last A that was not zero, or zero.
    last: Lane,
    /// Largest |A|.
    peak: Lane,
    /// Changes of sign of A.
    crossings: Lane,
}

/// What is the same in all lanes and at all ticks of a stretch.
struct Constants {
    clients: u32,
    half: u32,
}

/// What is the same in all lanes at a tick.
struct Tick<'a> {
    /// Threshold of choosing server 1 when both queues look equal.
    centre: u32,
    /// The random words of the two decisions.
    words: [&'a Lane; 2],
    /// What the delayed comparison adds to the threshold; takes the comparison of this tick.
    history: &'a mut Lane,
}

/// One tick; returns the bins of the moves. `NOW`: clients see the queues after this tick's completions.
#[inline(always)]
fn step<const NOW: bool, const MEASURED: bool>(
    walk: &mut Walk,
    constants: &Constants,
    tick: Tick<'_>,
) -> Lane {
    let Constants { clients, half } = *constants;
    let mut w = *walk;
    let past = *tick.history;
    let (mut now, mut bins) = (Lane::ZERO, Lane::ZERO);
    for i in 0..LANES {
        let before = w.queue[i];
        // Masks: which servers complete a packet. At least one does.
        let done = [some(before), some(clients.wrapping_sub(before))];
        let left = before.wrapping_add(done[0]);
        let seen = if NOW {
            now[i] = compare(
                left,
                clients.wrapping_sub(before).wrapping_add(done[1]),
                half,
            );
            now[i]
        } else {
            past[i]
        };
        let threshold = tick.centre.wrapping_add(seen);
        let to_1 = |which: usize| negative((tick.words[which][i] >> 1).wrapping_sub(threshold));
        let after = left
            .wrapping_sub(to_1(0))
            .wrapping_sub(to_1(1) & done[0] & done[1]);
        let a = (after << 1).wrapping_sub(clients);
        if !NOW {
            now[i] = (half & negative(a)).wrapping_sub(half & negative(a.wrapping_neg()));
        }
        let last = w.last[i];
        let newest = last ^ ((a ^ last) & (negative(a) | negative(a.wrapping_neg())));
        w.queue[i] = after;
        w.last[i] = newest;
        if MEASURED {
            // Opposite signs, neither zero.
            w.crossings[i] += ((newest ^ last) & (last | last.wrapping_neg())) >> 31;
            w.peak[i] = w.peak[i].max((a as i32).unsigned_abs());
            bins[i] = (before << 1).wrapping_add(after);
        }
    }
    *tick.history = now;
    *walk = w;
    bins
}

/// Advances the group by a stretch of ticks.
#[inline(always)]
fn advance_as<const NOW: bool, const MEASURED: bool, const TRACED: bool>(
    plan: &Plan,
    group: &mut Group<'_>,
    stretch: Stretch,
) {
    let p = |index: usize| plan.params[index];
    let key = group.key.words(Purpose::DelayChoice);
    let replicas = group.replicas();
    let constants = Constants {
        clients: p(param::CLIENTS),
        half: p(param::CHOICE_HALF),
    };
    let (centre_1, centre_2, half_period) = (
        p(param::CHOICE_CENTRE_1),
        p(param::CHOICE_CENTRE_2),
        p(param::BIAS_HALF_PERIOD),
    );
    let (head, rings) = group.state.split_at_mut(p(param::HISTORY_AT) as usize);
    let history = &mut rings[..p(param::HISTORY_SLOTS) as usize];
    let mut walk = load(head);
    let mut tick = head[state::POSITION][0];
    let end = tick.wrapping_add(stretch.steps);
    let mut slot = tick as usize % history.len().max(1);
    let mut words = [Lane::ZERO; 4];
    let mut fresh = false;
    while tick != end {
        // Two ticks share a block: each takes two of its four words.
        if tick & 1 == 0 || !fresh {
            words = draw(key, tick >> 1, &replicas, 0);
            fresh = true;
        }
        let swapped = tick.checked_div(half_period).unwrap_or(0) & 1;
        let centre = blend(swapped.wrapping_neg(), centre_2, centre_1);
        let pair = if tick & 1 == 0 {
            [&words[0], &words[1]]
        } else {
            [&words[2], &words[3]]
        };
        let bins = step::<NOW, MEASURED>(
            &mut walk,
            &constants,
            Tick {
                centre,
                words: pair,
                history: &mut history[slot],
            },
        );
        if MEASURED {
            count(group.counts, &bins);
        }
        if TRACED && let Some(trace) = &mut group.trace {
            trace.push(
                walk.queue
                    .map(|queue| 2 * queue as i32 - constants.clients as i32),
            );
        }
        slot = if slot + 1 == history.len() {
            0
        } else {
            slot + 1
        };
        tick = tick.wrapping_add(1);
    }
    save(head, &walk, end, constants.clients, stretch.half);
}

/// Reads the registers from the state.
#[inline(always)]
fn load(state: &[Lane]) -> Walk {
    let last = |sign: u32| (sign & 1).wrapping_sub(sign >> 1);
    Walk {
        queue: state[state::QUEUE_1],
        last: Lane(state[state::LAST_SIGN].map(last)),
        peak: state[state::PEAK],
        crossings: Lane::ZERO,
    }
}

/// Writes the registers back, and what follows from them, and adds up the crossings.
#[inline(always)]
fn save(state: &mut [Lane], walk: &Walk, position: u32, clients: u32, half: Option<usize>) {
    state[state::POSITION] = Lane::all(position);
    state[state::PEAK] = walk.peak;
    let (sign, left) = (
        |last: u32| blend(negative(last), 2, last.min(1)),
        |queue: u32| queue.min(1),
    );
    state[state::LAST_SIGN] = Lane(walk.last.map(sign));
    state[state::QUEUE_1] = walk.queue;
    state[state::QUEUE_2] = Lane(walk.queue.map(|queue| clients - queue));
    state[state::LEFT_1] = Lane(state[state::QUEUE_1].map(left));
    state[state::LEFT_2] = Lane(state[state::QUEUE_2].map(left));
    if let Some(half) = half {
        add_sum(state, sum::CROSSINGS, half, &walk.crossings);
    }
}

/// Advances the group by a stretch of ticks.
#[inline(always)]
pub(super) fn advance(plan: &Plan, group: &mut Group<'_>, stretch: Stretch) {
    match (
        plan.params[param::AFTER_COMPLETIONS] == 1,
        stretch.half.is_some(),
        group.trace.is_some(),
    ) {
        (false, false, false) => advance_as::<false, false, false>(plan, group, stretch),
        (false, false, true) => advance_as::<false, false, true>(plan, group, stretch),
        (false, true, false) => advance_as::<false, true, false>(plan, group, stretch),
        (false, true, true) => advance_as::<false, true, true>(plan, group, stretch),
        (true, false, false) => advance_as::<true, false, false>(plan, group, stretch),
        (true, false, true) => advance_as::<true, false, true>(plan, group, stretch),
        (true, true, false) => advance_as::<true, true, false>(plan, group, stretch),
        (true, true, true) => advance_as::<true, true, true>(plan, group, stretch),
    }
}

//! The random numbers alone: the limit that every kernel is measured against.
//!
//! Owns a kernel that only draws blocks and folds them into its state, so that none can be left out.

use super::{Group, LANES, Stretch, compile_for_each_instruction_set, draw};
use crate::models::Plan;
use crate::random::Purpose;

#[inline(always)]
fn draw_and_fold(_plan: &Plan, group: &mut Group<'_>, stretch: Stretch) {
    let key = group.key.words(Purpose::DelayChoice);
    let replicas = group.replicas();
    let mut folded = group.state[0];
    for step in 0..stretch.steps {
        let words = draw(key, step, &replicas, 0);
        for i in 0..LANES {
            folded[i] ^= words[0][i] ^ words[1][i] ^ words[2][i] ^ words[3][i];
        }
    }
    group.state[0] = folded;
}

compile_for_each_instruction_set! {
    /// Draws one block a step in every lane.
    draws_alone = draw_and_fold
}

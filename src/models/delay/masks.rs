//! Conditions as masks, all bits or none: what the rules of `delay` are written in, so that they vectorise.
//!
//! Owns arithmetic on one lane. Knows no state.

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

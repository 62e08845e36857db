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

/// `a / b`, rounded down, for a < 2^31 and b > 0. By way of floating point numbers, which vectorise where whole
/// numbers do not divide: rounded to the nearest whole number in the lowest bits of 2^52 + a / b, then corrected.
#[inline(always)]
pub(super) fn quotient(a: u32, b: u32) -> u32 {
    const TO_WHOLE: f64 = 4_503_599_627_370_496.0;
    // A larger divisor would leave the signed numbers, and the result at zero.
    let b = b.min(i32::MAX as u32);
    let nearest = (f64::from(a as i32) / f64::from(b as i32) + TO_WHOLE).to_bits() as u32;
    nearest.wrapping_add(negative(a.wrapping_sub(nearest.wrapping_mul(b))))
}

#[cfg(test)]
mod tests {
    use super::quotient;

    #[test]
    fn the_quotient_is_that_of_whole_numbers() {
        let most = (1 << 31) - 2;
        let mut tops: Vec<u32> = (0..300)
            .flat_map(|i| [i, most - i, (1 << 30) + i, 0x2AAA_AAAA - i])
            .collect();
        let mut bottoms: Vec<u32> = (1..300)
            .flat_map(|i| [i, most - i, u32::MAX - i, 0x1555_5555 + i])
            .collect();
        for i in 1..300u32 {
            bottoms.push(0x9E37_79B9u32.wrapping_mul(i) >> (i % 31));
            tops.push(i.wrapping_mul(0x85EB_CA6B) >> (1 + i % 31));
        }
        for &b in bottoms.iter().filter(|&&b| b > 0) {
            for multiple in [1, 2, 3, 1_000, 65_535] {
                let product = u64::from(b) * multiple;
                for a in [product - 1, product]
                    .into_iter()
                    .filter(|&a| a <= u64::from(most))
                {
                    assert_eq!(quotient(a as u32, b), a as u32 / b, "{a} / {b}");
                }
            }
            for &a in tops.iter().filter(|&&a| a <= most) {
                assert_eq!(quotient(a, b), a / b, "{a} / {b}");
            }
        }
    }
}

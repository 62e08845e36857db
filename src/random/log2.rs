//! The logarithm of a uniform number in integers: -log2 U in units of 2^-25.
//!
//! Owns the table and the algorithm (leading zeros give the whole part, a table with linear
//! interpolation the rest). WGSL twin: shaders/lib/log2.wgsl.

/// Fraction bits of the result.
pub const LOG2_FRACTION_BITS: u32 = 25;

/// Words of the table: 257 nodes of log2(1 + f), in units of 2^-31.
pub const LOG2_TABLE_WORDS: usize = 257;

/// The table. Nodes are raised by the mean error of a chord, h^2 / (12 ln 2 (1 + f)^2), h = 1/256,
/// so that interpolation between them is right on average; the last node is held below 2.
pub fn log2_table() -> Vec<u32> {
    let h = 1.0 / 256.0;
    (0..LOG2_TABLE_WORDS)
        .map(|k| {
            let f = k as f64 * h;
            let raise = h * h / (12.0 * std::f64::consts::LN_2 * (1.0 + f) * (1.0 + f));
            let node = libm::log2(1.0 + f) + if k == 0 || k == 256 { 0.0 } else { raise };
            libm::round(node * 2_147_483_648.0) as u32
        })
        .collect()
}

/// The upper half of a 64-bit product.
#[inline(always)]
pub(crate) fn multiply_high(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// What `minus_log2` returns for the two smallest uniform numbers, 0 and 2^-64.
pub const LARGEST_LOG2: u32 = (1 << 31) - 2;

/// -log2 of the uniform number `(high * 2^32 + low) / 2^64`, in units of 2^-25, at most `LARGEST_LOG2`.
#[inline(always)]
pub fn minus_log2(table: &[u32], high: u32, low: u32) -> u32 {
    let (zeros, mantissa) = normalise(high, low);
    let node = node(mantissa) as usize;
    interpolate(zeros, mantissa, table[node], table[node + 1])
}

/// The first step of `minus_log2`: leading zeros of the number, and its 32 bits from the first one on.
/// Without branches and in 32 bits, so that it vectorises; so is `interpolate`.
#[inline(always)]
pub fn normalise(high: u32, low: u32) -> (u32, u32) {
    let short = high == 0;
    let (first, second) = if short { (low, 0) } else { (high, low) };
    let zeros = first.leading_zeros().min(31);
    let mantissa = (first << zeros) | ((second >> 1) >> (31 - zeros));
    (if short { zeros + 32 } else { zeros }, mantissa)
}

/// The table entry below a mantissa.
#[inline(always)]
pub fn node(mantissa: u32) -> u32 {
    (mantissa >> 23) & 255
}

/// The last step of `minus_log2`: interpolates between the table entries around the mantissa.
#[inline(always)]
pub fn interpolate(zeros: u32, mantissa: u32, below: u32, above: u32) -> u32 {
    let fraction = mantissa << 9;
    let rise = multiply_high(above.wrapping_sub(below) << 8, fraction) >> 8;
    let log2 = below.wrapping_add(rise);
    let found = ((zeros + 1) << LOG2_FRACTION_BITS).wrapping_sub((log2.wrapping_add(32)) >> 6);
    if zeros > 62 { LARGEST_LOG2 } else { found }
}

/// -log2 of a probability given as a 31-bit threshold, in units of 2^-25: the exact value, rounded.
/// An impossible event gets 2^31 - 1, more than `minus_log2` ever returns.
pub fn minus_log2_of(threshold: u32) -> u32 {
    if threshold == 0 {
        return u32::MAX >> 1;
    }
    let bits = 31.0 - libm::log2(f64::from(threshold));
    libm::round(bits * f64::from(1u32 << LOG2_FRACTION_BITS)) as u32
}

#[cfg(test)]
mod tests {
    use super::{LARGEST_LOG2, log2_table, minus_log2, minus_log2_of};

    const UNIT: f64 = (1u64 << super::LOG2_FRACTION_BITS) as f64;

    #[test]
    fn the_logarithm_is_right_for_every_number_of_leading_zeros() {
        let table = log2_table();
        for zeros in 0..63u32 {
            for pattern in [
                0u64,
                0x1234_5678_9ABC_DEF0,
                0x7FFF_FFFF_FFFF_FFFF,
                0x5555_5555_5555_5555,
            ] {
                let word = ((1u64 << 63) | pattern) >> zeros;
                let exact = 64.0 - libm::log2(word as f64);
                let found = f64::from(minus_log2(&table, (word >> 32) as u32, word as u32)) / UNIT;
                assert!(
                    (found - exact).abs() < 4e-6,
                    "zeros {zeros} word {word:x}: {found} {exact}"
                );
            }
        }
    }

    #[test]
    fn the_mean_over_a_fine_grid_is_one_nat() {
        let table = log2_table();
        let n = 1u64 << 22;
        let mean: f64 = (0..n)
            .map(|i| {
                let word = (i << 42) | (1 << 41);
                f64::from(minus_log2(&table, (word >> 32) as u32, word as u32)) / UNIT
            })
            .sum::<f64>()
            / n as f64;
        let exact = 1.0 / std::f64::consts::LN_2;
        assert!((mean / exact - 1.0).abs() < 2e-7, "{mean} against {exact}");
    }

    #[test]
    fn the_ends_of_the_range_are_ordinary() {
        let table = log2_table();
        assert_eq!(minus_log2(&table, 0, 0), LARGEST_LOG2);
        assert!(minus_log2(&table, 0, 2) < LARGEST_LOG2);
        assert_eq!(minus_log2(&table, u32::MAX, u32::MAX), 0);
        assert_eq!(minus_log2_of(1 << 31), 0);
        assert_eq!(minus_log2_of(1 << 30), 1 << 25);
        assert!(
            minus_log2_of(0) > LARGEST_LOG2,
            "an impossible event takes longer than any draw"
        );
    }
}

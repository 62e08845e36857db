//! Exponential times in integers: -ln U in units of 2^-26, and when a uniform number needs a second word.
//!
//! Owns the table and the algorithm (leading zeros give multiples of ln 2, least-squares lines in 256 cells
//! the rest). WGSL twin: shaders/lib/exponential.wgsl. docs/determinism.md derives the errors.

use super::log2::{multiply_high, normalise};

/// Fraction bits of the result.
pub const EXPONENTIAL_FRACTION_BITS: u32 = 26;

/// Cells of the table, in [1, 2).
const CELLS: usize = 256;

/// Words of the table: base and slope of the line in each cell.
pub const EXPONENTIAL_TABLE_WORDS: usize = 2 * CELLS;

/// A uniform number whose first word is below this needs a second random word: without one, the far tail
/// would be coarse. From here on the midpoint [`MIDPOINT`] is taken for it, which is within 2^-21 of the number.
pub const SHORT_WORD: u32 = 1 << 20;

/// The second word of a uniform number that needs none.
pub const MIDPOINT: u32 = 1 << 31;

/// Whether a uniform number with this first word needs a second random word. See [`SHORT_WORD`].
#[inline(always)]
pub fn is_short(high: u32) -> bool {
    high < SHORT_WORD
}

/// ln 2 in units of 2^-26, rounded up.
pub(crate) const LN_2: u32 = 46_516_320;

/// By how much `LN_2` is too large, in units of 2^-31: 4.0902, rounded. What is left raises the mean by 8.4e-11.
pub(crate) const LN_2_EXCESS: u32 = 4;

/// The table: for the cell around `middle`, with 1 + f the mantissa, ln(1 + f) is replaced by the line with the
/// least mean square error. Base in units of 2^-31, for 1 + f = 0 (so negative, in two's complement), slope in units of 2^-32.
///
/// With x the half-width of the cell over its middle, the mean of ln(1 + f) is ln middle - x^2/6 - x^4/20 and the
/// slope (1 + x^2/5 + 3 x^4/35) / middle, by integration of the series of the logarithm; the next terms are below 1e-17.
pub fn exponential_table() -> Vec<u32> {
    let unit = 2_147_483_648.0;
    (0..CELLS)
        .flat_map(|cell| {
            let middle = 1.0 + (cell as f64 + 0.5) / CELLS as f64;
            let x = 0.5 / CELLS as f64 / middle;
            let square = x * x;
            let mean = libm::log(middle) - square / 6.0 - square * square / 20.0;
            let slope = (1.0 + square / 5.0 + 3.0 * square * square / 35.0) / middle;
            let slope_word = libm::round(slope * 2.0 * unit);
            // A mantissa stands for what its 32 bits leave open: its middle is half a step up.
            let base = mean - slope_word / (2.0 * unit) * (middle - 0.5 / unit);
            // 16 rounds to the nearest multiple of 32. That ties go up is half a unit too much on average,
            // that `multiply_high` rounds down half a unit too little.
            let base_word = libm::round(base * unit) as i64 + 16;
            [base_word as u32, slope_word as u32]
        })
        .collect()
}

/// -ln U for U = `(high * 2^32 + low) / 2^64`, in units of 2^-26. U = 0 is treated as 2^-64 and gives the
/// largest value, 64 ln 2 = 44.36; the smallest is 0. A line may fall below 0 next to U = 1: 0 is returned there.
#[inline(always)]
pub fn exponential(table: &[u32], high: u32, low: u32) -> u32 {
    let (zeros, mantissa) = normalise(high, low);
    let cell = exponential_cell(mantissa) as usize;
    exponential_of(zeros, mantissa, table[cell], table[cell + 1])
}

/// Where the two words of a mantissa's cell start in the table. Vectorises; so does `exponential_of`.
#[inline(always)]
pub fn exponential_cell(mantissa: u32) -> u32 {
    (mantissa >> 22) & 510
}

/// The last step of `exponential`, from `normalise` and the two words of the cell.
#[inline(always)]
pub fn exponential_of(zeros: u32, mantissa: u32, base: u32, slope: u32) -> u32 {
    let octaves = zeros.wrapping_add(1);
    let line = base.wrapping_add(multiply_high(slope, mantissa | 0x8000_0000));
    let below = line.wrapping_add(octaves.wrapping_mul(LN_2_EXCESS)) >> 5;
    octaves.wrapping_mul(LN_2).max(below).wrapping_sub(below)
}

#[cfg(test)]
mod tests {
    use super::super::log2::normalise;
    use super::{EXPONENTIAL_FRACTION_BITS, MIDPOINT, SHORT_WORD, exponential, exponential_of};
    use super::{exponential_cell, exponential_table, is_short};

    const UNIT: f64 = (1u64 << EXPONENTIAL_FRACTION_BITS) as f64;
    /// Largest error of a line, at the ends of the first cell: h^2 / 12, h = 1/256.
    const LINE: f64 = 1.0 / (12.0 * 65536.0);

    /// -ln(word / 2^64) in units of 2^-56: bits of log2 by repeated squaring, times ln 2. Integers only.
    fn exact(word: u64) -> u64 {
        const LN_2: u128 = 0xB172_17F7_D1CF_79AB;
        let zeros = word.leading_zeros();
        let mut x = word << zeros;
        let mut log2 = 0u64;
        for _ in 0..57 {
            let square = u128::from(x) * u128::from(x);
            let two = square >> 127 == 1;
            log2 = log2 << 1 | u64::from(two);
            x = (square >> if two { 64 } else { 63 }) as u64;
        }
        let bits = (u128::from(zeros + 1) << 57) - u128::from(log2);
        ((bits * LN_2) >> 65) as u64
    }

    fn draw(table: &[u32], word: u64) -> f64 {
        f64::from(exponential(table, (word >> 32) as u32, word as u32)) / UNIT
    }

    #[test]
    fn the_logarithm_is_right_for_every_number_of_leading_zeros() {
        let table = exponential_table();
        let mut largest = 0f64;
        for zeros in 0..64u32 {
            for step in 0..8192u64 {
                let word = (1u64 << 63 | step << 50 | (step * 0x9E37_79B9_7F4A) >> 14) >> zeros;
                let exact = exact(word) as f64 / (1u64 << 56) as f64;
                largest = largest.max((draw(&table, word) - exact).abs());
            }
        }
        println!("largest error {largest:e}");
        assert!(largest < LINE + 0.52 / UNIT, "{largest:e}");
        assert!(largest > 0.9 * LINE, "the grid misses the ends of cells");
    }

    /// (leading zeros, i, value) for `1 << bits` numbers in each of the `octaves` first octaves, rarest first so
    /// that a sum in floats loses none: number i is `low(i)` above the start of the ith part of its octave.
    fn values(
        table: &[u32],
        octaves: u32,
        bits: u32,
        low: impl Fn(u64) -> u64 + Copy,
        short: bool,
    ) -> impl Iterator<Item = (u32, u64, f64)> {
        (0..octaves).rev().flat_map(move |zeros| {
            (0..1u64 << bits).map(move |i| {
                let mut word = (1u64 << 63 | i << (63 - bits) | low(i)) >> zeros;
                if short && !is_short((word >> 32) as u32) {
                    word = word >> 32 << 32 | u64::from(MIDPOINT);
                }
                (zeros, i, draw(table, word))
            })
        })
    }

    #[test]
    fn mean_and_variance_are_one_with_and_without_second_words() {
        let table = exponential_table();
        for short in [false, true] {
            let (mut mean, mut square) = (0.0, 0.0);
            let bits = 20;
            // Scattered over the part, since every bit of a mantissa takes part in the rounding.
            let low = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (1 + bits);
            for (zeros, _, value) in values(&table, 60, bits, low, short) {
                let weight = 0.5f64.powi((zeros + 1 + bits) as i32);
                mean += weight * value;
                square += weight * value * value;
            }
            let variance = square - mean * mean;
            let [first, second] = [mean - 1.0, variance - 1.0];
            println!("mean - 1 {first:e}, variance - 1 {second:e}");
            assert!(first.abs() < 3e-10 && second.abs() < 1e-9);
        }
    }

    /// The number of words with a value above t, over 2^64, by bisection.
    fn tail(table: &[u32], t: f64) -> f64 {
        let (mut inside, mut outside) = (0u64, u64::MAX);
        while outside - inside > 1 {
            let middle = inside + (outside - inside) / 2;
            if draw(table, middle) > t {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        outside as f64 / 2f64.powi(64)
    }

    #[test]
    fn the_tail_is_right_to_the_error_of_a_line_and_the_resolution_of_a_word() {
        let table = exponential_table();
        let mut largest = 0f64;
        for step in 1..=4000 {
            let t = f64::from(step) * 0.01 + 0.000_123;
            let (found, exact) = (tail(&table, t), (-t).exp());
            // A value is off by a line and a step of its grid, and the count of words is a whole number.
            let allowed = exact * (LINE + 1.0 / UNIT) + 0.5f64.powi(63);
            assert!((found - exact).abs() < allowed, "{t}: {found:e} {exact:e}");
            if t > 21.0 {
                assert!((found - exact).abs() < 1e-15, "{t}: {found:e} {exact:e}");
            }
            if t < 30.0 {
                largest = largest.max((found / exact - 1.0).abs());
            }
        }
        println!("largest relative error of the tail up to 30: {largest:e}");
        assert!((draw(&table, 1) - 64.0 * 2f64.ln()).abs() < LINE + 1.0 / UNIT);
    }

    /// d E[min of d] - 1, the minimum being the value at the largest of d uniform numbers.
    fn minimum(table: &[u32], d: i32) -> f64 {
        let bits = 19;
        let mut below = 0.0;
        let mean: f64 = values(table, 30, bits, |_| 1 << (62 - bits), false)
            .map(|(zeros, i, value)| {
                let step = 0.5f64.powi((zeros + 1 + bits) as i32);
                let upto = (step * ((1u64 << bits) + i + 1) as f64).powi(d);
                value * (upto - std::mem::replace(&mut below, upto))
            })
            .sum();
        mean * f64::from(d) - 1.0
    }

    #[test]
    fn the_least_of_d_is_right_on_average_while_d_is_small_against_the_cells() {
        let table = exponential_table();
        for (d, allowed) in [(2, 1e-8), (10, 1e-8), (100, 1e-7), (160, 1e-7), (360, 1e-6)] {
            let error = minimum(&table, d);
            println!("d {d}: {error:e}");
            assert!(error.abs() < allowed, "d {d}: {error:e}");
        }
        assert!(
            minimum(&table, 1000).abs() > 1e-6,
            "why there are other tables"
        );
    }

    #[test]
    fn the_ends_of_the_range_are_ordinary() {
        let table = exponential_table();
        assert_eq!(exponential(&table, 0, 0), exponential(&table, 0, 1));
        assert_eq!(exponential(&table, u32::MAX, u32::MAX), 0);
        assert!(exponential(&table, 0, 1) > exponential(&table, 0, 2));
        assert!(is_short(0) && is_short(SHORT_WORD - 1) && !is_short(SHORT_WORD));
        // Nothing a lane can hold overflows.
        for zeros in [0, 63, u32::MAX] {
            for mantissa in [0, 1, u32::MAX] {
                let cell = exponential_cell(mantissa) as usize;
                exponential_of(zeros, mantissa, table[cell], table[cell + 1]);
                exponential_of(zeros, mantissa, u32::MAX, u32::MAX);
            }
        }
        let (zeros, mantissa) = normalise(3, 5);
        let cell = exponential_cell(mantissa) as usize;
        assert_eq!(
            exponential_of(zeros, mantissa, table[cell], table[cell + 1]),
            exponential(&table, 3, 5)
        );
    }
}

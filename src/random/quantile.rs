//! Random values of any law, in integers: a table of its quantile function, finer and finer towards both ends.
//!
//! Owns the host's tables and the algorithm: the first bit of a uniform number picks the side, the others are the
//! distance from that end; each octave of the distance has 32 cells, each cell a line. WGSL twin:
//! shaders/lib/quantile.wgsl. Which quantile function it is, is the caller's business.

use super::exponential::is_short;
use super::log2::{multiply_high, normalise};

/// Octaves of the distance from an end.
const OCTAVES: usize = 64;

/// Cells of an octave.
const CELLS: usize = 32;

/// Cells of a table: of the upper side, then of the lower one.
const TABLE_CELLS: usize = 2 * OCTAVES * CELLS;

/// Words of a table: for each cell the lower and upper word of its base, then of its rise.
pub const QUANTILE_TABLE_WORDS: usize = 4 * TABLE_CELLS;

/// Nodes and weights of Gauss-Legendre quadrature on [-1, 1].
const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_08),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (0.906_179_845_938_664, 0.236_926_885_056_189_08),
];

/// Integrals of value(y) and y value(y) over [from, to], within [-1, 1]. Where five nodes do not follow the
/// function (a kink between the scales of a mixture), the interval is halved, at most `halvings` times.
fn integrals(value: &dyn Fn(f64) -> f64, from: f64, to: f64, halvings: u32) -> [f64; 2] {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let mut sums = [0.0; 2];
    let mut fourth = 0.0;
    for (node, weight) in GAUSS {
        let y = middle + half * node;
        let part = weight * half * value(y);
        sums[0] += part;
        sums[1] += part * y;
        let square = node * node;
        fourth += part * ((35.0 * square - 30.0) * square + 3.0) / 8.0;
    }
    // The fourth Legendre coefficient; the error of the sums is of the order of the tenth.
    if halvings > 0 && fourth.abs() > 1e-6 * sums[0].abs() {
        let lower = integrals(value, from, middle, halvings - 1);
        let upper = integrals(value, middle, to, halvings - 1);
        return [lower[0] + upper[0], lower[1] + upper[1]];
    }
    sums
}

/// The lines that replace a quantile function: base and rise for each cell, both at least 0. `upper(q)` is the
/// value exceeded with probability q, `lower(p)` the value not exceeded with probability p, for q and p up to 1/2;
/// values are at least 0. A line has the mean of the function over its cell, and the slope with the least mean
/// square error unless that would take it below 0. It rises with the value: on the upper side the base belongs
/// to the end of the cell with the greater distance.
pub fn unit_cells(upper: &dyn Fn(f64) -> f64, lower: &dyn Fn(f64) -> f64) -> Vec<[f64; 2]> {
    let mut cells = Vec::with_capacity(TABLE_CELLS);
    for (side, sign) in [(upper, -1.0), (lower, 1.0)] {
        for zeros in 0..OCTAVES {
            // Probability of half a cell: half of a side's octave 2^-(zeros + 1), over 32 cells, over 2.
            let half = libm::scalbn(0.5, -(zeros as i32) - 7);
            for cell in 0..CELLS {
                let middle = half * (2 * (CELLS + cell) + 1) as f64;
                let value = |y: f64| side(middle + sign * half * y);
                let [integral, moment] = integrals(&value, -1.0, 1.0, 20);
                let mean = 0.5 * integral;
                let slope = (1.5 * moment).clamp(0.0, mean.max(0.0));
                cells.push([mean - slope, 2.0 * slope]);
            }
        }
    }
    cells
}

/// The table of a law from the lines of `unit_cells` times `scale`, in units with 32 fraction bits. Values beyond
/// 2^31 units are stored as 2^31, so that whoever meets one knows that it is out of range.
pub fn quantile_table(cells: &[[f64; 2]], scale: f64) -> Vec<u32> {
    let largest = libm::scalbn(1.0, 63);
    let fixed = |value: f64| libm::round((value * scale * 4_294_967_296.0).min(largest)) as u64;
    cells
        .iter()
        .flat_map(|&[base, rise]| {
            let from = fixed(base);
            let rise = fixed(rise).min((1 << 63) - from);
            [
                from as u32,
                (from >> 32) as u32,
                rise as u32,
                (rise >> 32) as u32,
            ]
        })
        .collect()
}

/// Whether a draw with this first word needs a second random word: its distance from the nearer end is
/// below `SHORT_WORD`. Otherwise `MIDPOINT` is taken.
#[inline(always)]
pub fn quantile_is_short(high: u32) -> bool {
    is_short(distance(high))
}

/// The distance of a word from the end of its side: 0 is the upper end, all ones the lower one.
#[inline(always)]
fn distance(high: u32) -> u32 {
    (high ^ 0u32.wrapping_sub(high >> 31)) & 0x7FFF_FFFF
}

/// The value at the uniform number `(high * 2^32 + low) / 2^64`, counted from the largest value at 0 down to the
/// median below 1/2 and from the smallest at 1 up to it; 32 fraction bits. Both sides have probability 1/2 exactly.
#[inline(always)]
pub fn quantile(table: &[u32], high: u32, low: u32) -> u64 {
    let (place, fraction) = quantile_place(high, low);
    let at = place as usize;
    let cell = [table[at], table[at + 1], table[at + 2], table[at + 3]];
    quantile_of(cell, fraction)
}

/// The first step of `quantile`: where the four words of the cell start in the table, and how far into the cell
/// the number is, in units of 2^-32. Without branches and in 32 bits, so that it vectorises.
#[inline(always)]
pub fn quantile_place(high: u32, low: u32) -> (u32, u32) {
    let side = high >> 31;
    let (zeros, mantissa) = normalise(distance(high) << 1 | low >> 31, low << 1);
    let cell = ((side << 6 | zeros) << 5) | ((mantissa >> 26) & 31);
    // The upper side counts from the far end, where values are small.
    let fraction = (mantissa << 6) ^ side.wrapping_sub(1);
    (cell << 2, fraction)
}

/// The last step of `quantile`: base + rise * fraction, rounded down.
#[inline(always)]
pub fn quantile_of(cell: [u32; 4], fraction: u32) -> u64 {
    let base = u64::from(cell[0]) | u64::from(cell[1]) << 32;
    let whole = u64::from(cell[3]).wrapping_mul(u64::from(fraction));
    let part = u64::from(multiply_high(cell[2], fraction));
    base.wrapping_add(whole).wrapping_add(part)
}

/// Mean and second moment of what a table draws, over the cells' exact probabilities, in units.
#[cfg(test)]
pub(crate) fn moments(table: &[u32]) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for (index, words) in table.chunks_exact(4).enumerate() {
        let number = |low: u32, high: u32| f64::from(high) + f64::from(low) / 4_294_967_296.0;
        let (base, rise) = (number(words[0], words[1]), number(words[2], words[3]));
        let weight = 0.5f64.powi((index / CELLS % OCTAVES) as i32 + 2) / CELLS as f64;
        sums[0] += weight * (base + 0.5 * rise);
        sums[1] += weight * (base * base + base * rise + rise * rise / 3.0);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::super::exponential::{MIDPOINT, SHORT_WORD};
    use super::{QUANTILE_TABLE_WORDS, moments, quantile, quantile_is_short, quantile_of};
    use super::{quantile_place, quantile_table, unit_cells};

    const SCALE: f64 = 65536.0;

    fn exponential() -> Vec<u32> {
        let cells = unit_cells(&|q| -libm::log(q), &|p| -libm::log1p(-p));
        quantile_table(&cells, SCALE)
    }

    fn draw(table: &[u32], high: u32, low: u32) -> f64 {
        quantile(table, high, low) as f64 / 4_294_967_296.0 / SCALE
    }

    #[test]
    fn a_table_follows_its_quantile_function_on_both_sides_and_in_every_octave() {
        let table = exponential();
        assert_eq!(table.len(), QUANTILE_TABLE_WORDS);
        let mut largest = 0f64;
        for zeros in 0..62u32 {
            for step in 0..1024u64 {
                // The distance from an end, in units of 2^-64.
                let distance = (1 << 62 | step << 52 | 0x00_1234_5678) >> zeros;
                let probability = distance as f64 / 2f64.powi(64);
                let above = draw(&table, (distance >> 32) as u32, distance as u32);
                let exact = -probability.ln();
                largest = largest.max((above - exact).abs());
                let below = draw(&table, !(distance >> 32) as u32, distance as u32);
                let exact = -(-probability).ln_1p();
                let allowed = 5e-5 * exact + 2.0 / 4_294_967_296.0 / SCALE;
                assert!(
                    (below - exact).abs() < allowed,
                    "{zeros} {step}: {below:e} {exact:e}"
                );
            }
        }
        // A line is off by the second derivative times h^2 / 12, here (1/32)^2 / 12.
        println!("largest error above {largest:e}");
        assert!(largest < 1.01 / (12.0 * 1024.0), "{largest:e}");
    }

    #[test]
    fn mean_and_second_moment_are_those_of_the_law() {
        let [mean, square] = moments(&exponential());
        let (mean, square) = (mean / SCALE, square / SCALE / SCALE);
        println!(
            "mean - 1 {:e}, second moment / 2 - 1 {:e}",
            mean - 1.0,
            square / 2.0 - 1.0
        );
        assert!((mean - 1.0).abs() < 1e-12, "{mean}");
        assert!((square / 2.0 - 1.0).abs() < 1e-8, "{square}");
    }

    /// d E[min of d] - 1 for exponential values: the survival function to the power d, along each line.
    fn minimum(table: &[u32], d: f64) -> f64 {
        let mut mean = 0.0;
        for side in [0u64, 1] {
            for zeros in 0..62u32 {
                for step in 0..4096u64 {
                    let distance = (1 << 62 | step << 50 | 1 << 49) >> zeros;
                    let half = (1u64 << 49) as f64 / 2f64.powi(64 + zeros as i32);
                    let middle = distance as f64 / 2f64.powi(64);
                    let high = (distance >> 32) as u32;
                    let word = if side == 0 { high } else { !high };
                    let (near, far) = (middle - half, middle + half);
                    let weight = if side == 0 {
                        far.powf(d) - near.powf(d)
                    } else {
                        (d * (-near).ln_1p()).exp() - (d * (-far).ln_1p()).exp()
                    };
                    mean += weight * draw(table, word, distance as u32);
                }
            }
        }
        d * mean - 1.0
    }

    #[test]
    fn the_least_of_thousands_is_right_on_average() {
        let table = exponential();
        for d in [1.0, 2.0, 10.0, 100.0, 1e3, 1e4, 65536.0] {
            let error = minimum(&table, d);
            println!("d {d}: {error:e}");
            assert!(error.abs() < 1e-7, "d {d}: {error:e}");
        }
    }

    #[test]
    fn values_fall_as_the_uniform_number_rises() {
        let table = exponential();
        let mut last = u64::MAX;
        let mut worst = 0f64;
        for zeros in (0..63u32).rev() {
            for step in 0..2048u64 {
                let distance = (1 << 62 | step << 51) >> zeros;
                let value = quantile(&table, (distance >> 32) as u32, distance as u32);
                worst = worst.max(value as f64 / last as f64 - 1.0);
                last = value;
            }
        }
        println!("largest step back above {worst:e}");
        assert!(worst <= 0.0, "{worst:e}");
    }

    #[test]
    fn the_ends_and_the_middle_are_ordinary() {
        let table = exponential();
        assert!(draw(&table, 0, 0) > 44.3 && draw(&table, 0, 0) < 45.1);
        assert!(draw(&table, 0, u32::MAX) < draw(&table, 0, 0));
        assert!(draw(&table, u32::MAX, 0) < 1e-9);
        let median = std::f64::consts::LN_2;
        for high in [0x7FFF_FFFF, 0x8000_0000] {
            assert!((draw(&table, high, MIDPOINT) - median).abs() < 1e-4);
        }
        for (high, short) in [
            (0, true),
            (SHORT_WORD - 1, true),
            (SHORT_WORD, false),
            (1 << 31, false),
            (!SHORT_WORD, false),
            (!(SHORT_WORD - 1), true),
            (u32::MAX, true),
        ] {
            assert_eq!(quantile_is_short(high), short, "{high:x}");
            for low in [0, 1, MIDPOINT, u32::MAX] {
                let (place, _) = quantile_place(high, low);
                assert!(place as usize + 4 <= QUANTILE_TABLE_WORDS && place % 4 == 0);
            }
        }
        // Nothing a table can hold overflows.
        quantile_of([u32::MAX; 4], u32::MAX);
    }

    #[test]
    fn values_out_of_range_are_stored_as_two_to_the_31() {
        let table = quantile_table(
            &[[1e12, 5.0], [3e9, 3e9], [1.0, 1e300], [0.0, f64::NAN]],
            1.0,
        );
        assert_eq!(table[..8], [0, 1 << 31, 0, 0, 0, 1 << 31, 0, 0]);
        assert_eq!(table[8..12], [0, 1, 0, (1 << 31) - 1]);
        assert_eq!(quantile_of([0, 1, 0, 5], 1 << 31), (3 << 32) + (1 << 31));
    }

    #[test]
    fn lines_keep_their_mean_and_stay_above_zero() {
        // A function whose least-squares line starts below zero in the first cell of each octave.
        let steep = |p: f64| libm::pow(p, 200.0);
        let cells = unit_cells(&|_| 1.0, &steep);
        assert!(cells.iter().all(|&[base, rise]| base >= 0.0 && rise >= 0.0));
        let clamped = cells[TABLE / 2..]
            .iter()
            .filter(|cell| cell[0] == 0.0 && cell[1] > 0.0);
        assert!(clamped.count() > 0);
        let mean: f64 = (0..32)
            .map(|cell| cells[TABLE / 2 + cell])
            .map(|[base, rise]| base + rise / 2.0)
            .sum();
        let exact = 0.5f64.powi(201) / 201.0 * (1.0 - 0.5f64.powi(201)) * 128.0;
        assert!((mean / exact - 1.0).abs() < 1e-9, "{mean:e} {exact:e}");
    }

    const TABLE: usize = super::TABLE_CELLS;
}

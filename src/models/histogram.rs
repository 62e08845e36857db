//! The bins of a histogram: which integers each of them counts, and what those stand for.
//!
//! Owns the two scales (equal bins, and bins of equal ratio). Does not count.

/// A histogram of a whole number.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Name in the output file.
    pub name: &'static str,
    /// Number of bins.
    pub bins: u32,
    /// Which whole numbers a bin counts.
    pub scale: Scale,
    /// What the whole number 1 stands for, in `unit`s.
    pub step: f64,
    /// Unit of the quantity, empty for pure numbers.
    pub unit: &'static str,
}

/// How bins follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Bin `i` counts values in `origin + width * [i, i + 1)`.
    Linear {
        /// Lowest value of the first bin.
        origin: i64,
        /// Values a bin, a power of two.
        width: u32,
    },
    /// Log-linear: `2^bits` bins of equal width in each octave `[2^k, 2^(k+1))`, and a bin for each value
    /// below `2^bits`. Starts at zero.
    LogLinear {
        /// log2 of the bins an octave.
        bits: u32,
    },
}

impl Histogram {
    /// Lowest whole number that bin `bin` counts; for the number of bins, the end of the last one.
    pub fn edge(&self, bin: u32) -> i64 {
        match self.scale {
            Scale::Linear { origin, width } => {
                origin.saturating_add(i64::from(bin).saturating_mul(i64::from(width)))
            }
            Scale::LogLinear { bits } => {
                let octave = (bin >> bits).max(1) - 1;
                let place = i64::from(bin) - (i64::from(octave) << bits);
                place << octave
            }
        }
    }

    /// The same in real units.
    pub fn lower(&self, bin: u32) -> f64 {
        self.edge(bin) as f64 * self.step
    }

    /// How many whole numbers bin `bin` counts.
    pub fn width(&self, bin: u32) -> i64 {
        self.edge(bin + 1) - self.edge(bin)
    }
}

/// The bin of a value on a log-linear scale of `2^bits` bins an octave.
#[inline(always)]
pub fn log_linear_bin(value: u32, bits: u32) -> u32 {
    let octave = (31 - (value | 1).leading_zeros()).max(bits) - bits;
    (octave << bits) + (value >> octave)
}

/// Bins of a log-linear scale that hold every 32-bit value below `2^top`.
pub const fn log_linear_bins(bits: u32, top: u32) -> u32 {
    (top - bits + 1) << bits
}

#[cfg(test)]
mod tests {
    use super::{Histogram, Scale, log_linear_bin, log_linear_bins};

    #[test]
    fn every_value_is_in_the_bin_whose_edges_hold_it() {
        for bits in [0, 3, 5, 10] {
            let histogram = Histogram {
                name: "t",
                bins: log_linear_bins(bits, 30),
                scale: Scale::LogLinear { bits },
                step: 1.0,
                unit: "",
            };
            let values = (0..5000).chain((5..30).flat_map(|k| {
                [
                    (1u32 << k) - 1,
                    1 << k,
                    (1 << k) + 1,
                    (1 << k) / 3 * 4,
                    (1 << k) / 7 * 11,
                ]
            }));
            for value in values.filter(|&value| value < 1 << 30) {
                let bin = log_linear_bin(value, bits);
                let edges = [histogram.edge(bin), histogram.edge(bin + 1)];
                assert!(
                    edges[0] <= i64::from(value) && i64::from(value) < edges[1],
                    "{bits} bits: {value} in bin {bin}, {edges:?}"
                );
                assert!(bin < histogram.bins);
            }
            assert_eq!(histogram.edge(histogram.bins), 1 << 30);
        }
    }

    #[test]
    fn linear_bins_are_equally_wide() {
        let histogram = Histogram {
            name: "a",
            bins: 7,
            scale: Scale::Linear {
                origin: -6,
                width: 2,
            },
            step: 0.5,
            unit: "",
        };
        assert_eq!([histogram.edge(0), histogram.edge(3)], [-6, 0]);
        assert_eq!(histogram.width(4), 2);
        assert!((histogram.lower(4) - 1.0).abs() < 1e-15);
    }
}

//! How far a result is from the interval that its experiment asks for.
//!
//! Owns the width of intervals of estimates and of named quantiles, and how many batches are likely to be enough.

use super::{Table, Tail};
use crate::ensemble::Results;
use crate::experiment::{NamedQuantile, Target};

/// Most and least growth of the number of batches at once: widths of few batches are uncertain themselves.
const GROWTH: (f64, f64) = (1.2, 4.0);
/// More batches than the widths suggest, since they may turn out wider.
const MARGIN: f64 = 1.1;

/// Half the width of the interval over the value, at the point where it is largest; none while some point has no
/// interval.
pub fn relative_half_width(results: &Results, target: &Target, confidence: f64) -> Option<f64> {
    let widths: Option<Vec<f64>> = match NamedQuantile::parse(&target.estimate) {
        Some(quantile)
            if results
                .plans
                .first()?
                .histogram(quantile.histogram)
                .is_some() =>
        {
            (0..results.points.len())
                .map(|point| of_quantile(results, point, quantile, confidence))
                .collect()
        }
        _ => {
            let table = Table::new(results, confidence);
            let column = table.column(&target.estimate)?;
            let widths = table.estimates.iter().map(|row| {
                let (mean, (low, high)) = (row[column].mean?, row[column].interval?);
                Some((high - low) / 2.0 / mean.abs())
            });
            widths.collect()
        }
    };
    widths?.into_iter().reduce(f64::max)
}

fn of_quantile(
    results: &Results,
    point: usize,
    quantile: NamedQuantile<'_>,
    confidence: f64,
) -> Option<f64> {
    let index = results.plans[point].histogram(quantile.histogram)?;
    let found = Tail::of(results, point, index, confidence).quantile(quantile.q);
    let (bin, low, high) = (found.bin?, found.low?, found.high?);
    Some((high - low) / (bin.0 + bin.1))
}

/// The number of batches at which the target is likely to be reached, at most `most`; `width` is that of `batches`.
pub fn next_batches(batches: u32, width: Option<f64>, target: f64, most: u32) -> u32 {
    let growth = width.map_or(GROWTH.1, |width| (width / target).powi(2) * MARGIN);
    let next = f64::from(batches) * growth.clamp(GROWTH.0, GROWTH.1);
    (next.ceil().min(f64::from(u32::MAX)) as u32).clamp(batches, most.max(batches))
}

#[cfg(test)]
mod tests {
    use super::next_batches;

    #[test]
    fn batches_grow_with_the_square_of_the_width_within_bounds() {
        assert_eq!(next_batches(64, Some(0.02), 0.02 / 1.1, 1000), 86);
        assert_eq!(next_batches(64, Some(0.1), 0.01, 1000), 256);
        assert_eq!(next_batches(64, Some(0.1), 0.01, 100), 100);
        assert_eq!(next_batches(64, Some(0.0101), 0.01, 1000), 77);
        assert_eq!(next_batches(64, None, 0.01, 1000), 256);
    }
}

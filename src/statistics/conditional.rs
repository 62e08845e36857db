//! A chance as the mean of what it is given each of many independent observations, and when not to trust it.
//!
//! Owns the estimate, its interval and its judgement; docs/statistics.md says how often it holds. What is observed, and
//! the law given it, is the model's.

use super::jackknife::Jackknife;
use statrs::distribution::{ContinuousCDF, Normal};

/// Least effective number of observations.
const LEAST_EFFECTIVE: f64 = 400.0;
/// Largest share of the estimate that may be missing from it.
const MOST_UNSEEN: f64 = 0.05;
/// By how many times that share the upper end is raised.
const RAISED: f64 = 3.0;
/// Largest weights from which the missing share is judged.
const LARGEST: usize = 10;

/// The mean of weights between 0 and 1: chances of an event, each given an observation of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditional {
    /// The mean.
    pub p: f64,
    /// Its standard error.
    pub se: f64,
    /// How many equal weights would be worth as much, (sum w)^2 / sum w^2.
    pub effective: f64,
    /// Share of the mean that may lie in weights above the largest that was seen, see [`Conditional::new`].
    pub unseen: f64,
    /// The interval; none where the weights cannot be relied on.
    pub interval: Option<(f64, f64)>,
}

impl Conditional {
    /// Judges weights, which this brings into another order; none where there are fewer than two, or all are zero.
    ///
    /// Rare observations carry far tails: a sample that lacks them is too low, and its own variance says that all is
    /// well. What it may lack is judged by its largest weights: if P(w > x) = C / x above the largest weight seen, M,
    /// up to 1, which no chance exceeds, then weights above M carry C ln(1/M) of the mean. The k-th largest of n weights
    /// is near C n / k, so C is of the order of the mean of the ten largest over n, and the missing share is their
    /// mean share of the sum times ln(1/M). A lighter tail carries less.
    ///
    /// The interval is the normal one after Hall's transformation ([`Jackknife::interval`]), its upper end raised by
    /// three times the missing share; it is given for at least 400 effective observations and a missing share of at
    /// most 5 %.
    pub fn new(weights: &mut [f64], confidence: f64) -> Option<Conditional> {
        let count = weights.len();
        if count < 2 {
            return None;
        }
        let nth = LARGEST.min(count) - 1;
        let (above, least, _) = weights.select_nth_unstable_by(nth, |a, b| b.total_cmp(a));
        let largest = above.iter().fold(*least, |a, &b| a.max(b));
        if largest.is_nan() || largest <= 0.0 {
            return None;
        }
        let top = (above.iter().sum::<f64>() + *least) / largest / (nth + 1) as f64;
        // In units of the largest, so that cubes of 1e-200 do not vanish.
        let power = |k: i32| weights.iter().map(|w| (w / largest).powi(k)).sum::<f64>();
        let n = count as f64;
        let (sum, squares) = (power(1), power(2));
        let mean = sum / n;
        let effective = sum * sum / squares;
        let central = |k: i32| {
            let each = weights.iter().map(|w| (w / largest - mean).powi(k));
            each.sum::<f64>() / n
        };
        let variance = central(2);
        let spread = variance > f64::EPSILON * mean * mean;
        let jackknife = Jackknife {
            value: mean,
            se: Some(if spread {
                (variance / (n - 1.0)).sqrt()
            } else {
                0.0
            }),
            skewness: if spread {
                central(3) / variance.powf(1.5)
            } else {
                0.0
            },
        };
        let unseen = top / sum * -largest.min(1.0).ln();
        let normal = Normal::standard().inverse_cdf(0.5 + confidence / 2.0);
        let reliable = effective >= LEAST_EFFECTIVE && unseen <= MOST_UNSEEN;
        let ends = |(low, high): (f64, f64)| {
            let high = high + RAISED * unseen * mean;
            ((largest * low).max(0.0), (largest * high).min(1.0))
        };
        let interval = jackknife.interval(normal, count);
        Some(Conditional {
            p: largest * mean,
            se: largest * jackknife.se.unwrap_or(0.0),
            effective,
            unseen,
            interval: interval.filter(|_| reliable).map(ends),
        })
    }

    /// Independent observations of the event itself whose share would have the same standard error: p (1 - p) / se^2;
    /// none where the error is zero.
    pub fn as_good_as(&self) -> Option<f64> {
        // The ratio first: a square of 1e-200 is nothing.
        let relative = self.se / self.p;
        (relative > 0.0).then(|| (1.0 - self.p) / self.p / (relative * relative))
    }

    /// Fewest observations for which there can be an interval.
    pub const LEAST: u32 = LEAST_EFFECTIVE as u32;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::Conditional;

    #[test]
    fn equal_weights_leave_no_doubt_however_small_they_are() {
        for weight in [1.0, 1e-200, 1e-300] {
            let found = Conditional::new(&mut [weight; 500], 0.95).unwrap();
            assert!((found.effective - 500.0).abs() < 1e-9);
            assert!((found.p / weight - 1.0).abs() < 1e-12 && found.se == 0.0);
            assert_eq!(found.as_good_as(), None);
        }
        // But weights of 1e-300 may hide larger ones.
        let found = |weight| Conditional::new(&mut [weight; 500], 0.95).unwrap();
        assert_eq!(found(1.0).interval, Some((1.0, 1.0)));
        assert!(found(1e-300).interval.is_none());
    }

    #[test]
    fn mean_error_and_effective_number_are_those_of_the_definition() {
        let mut weights: Vec<f64> = (0..1000).map(|i| f64::from(i % 4) / 4.0).collect();
        let found = Conditional::new(&mut weights, 0.95).unwrap();
        assert!((found.p - 0.375).abs() < 1e-12);
        // Squares: mean (0 + 1 + 4 + 9) / 64; variance that less 9/64.
        let variance: f64 = 14.0 / 64.0 - 9.0 / 64.0;
        assert!((found.se - (variance / 999.0).sqrt()).abs() < 1e-12);
        assert!((found.effective - 1000.0 * 36.0 / 56.0).abs() < 1e-9);
        // The ten largest are 0.75 of a sum of 375.
        assert!((found.unseen - 0.75 / 375.0 * (4.0_f64 / 3.0).ln()).abs() < 1e-12);
        let (low, high) = found.interval.unwrap();
        let half = 1.959_964 * found.se;
        assert!((low - (0.375 - half)).abs() < 0.01 * half, "{low}");
        let raised = 0.375 + half + 3.0 * found.unseen * 0.375;
        assert!((high - raised).abs() < 0.01 * half, "{high} {raised}");
        let worth = found.as_good_as().unwrap();
        assert!((worth - 0.375 * 0.625 / (variance / 999.0)).abs() < 1e-6);
    }

    #[test]
    fn a_few_weights_that_carry_everything_are_refused() {
        // P(w > x) like 1/x: every decade carries as much as the last.
        let mut heavy: Vec<f64> = (1..=100_000).map(|k| 1e-8 / f64::from(k)).collect();
        let heavy = Conditional::new(&mut heavy, 0.95).unwrap();
        assert!(heavy.interval.is_none() && heavy.effective < 100.0 && heavy.unseen > 0.05);
        // The same number of weights that differ little is accepted.
        let mut light: Vec<f64> = (1..=100_000)
            .map(|k| 1e-8 / (1.0 + f64::from(k)).ln())
            .collect();
        assert!(
            Conditional::new(&mut light, 0.95)
                .unwrap()
                .interval
                .is_some()
        );
    }

    #[test]
    fn there_is_nothing_to_say_without_weights_above_zero() {
        assert_eq!(Conditional::new(&mut [], 0.95), None);
        assert_eq!(Conditional::new(&mut [0.5], 0.95), None);
        assert_eq!(Conditional::new(&mut [0.0; 9], 0.95), None);
        let few = Conditional::new(&mut [0.5, 0.25, 0.5], 0.95).unwrap();
        assert!(few.interval.is_none(), "three are too few");
    }
}

//! The delete-one jackknife over batches (Quenouille 1949, Tukey 1958).
//!
//! Owns the standard error and the interval of any smooth function of pooled sums: ratios, roots, differences.

/// Relative differences that are rounding, not randomness.
const ROUNDING: f64 = 1e-13;

/// A function of pooled sums, and its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jackknife {
    /// The function of all batches pooled.
    pub value: f64,
    /// Its standard error: none with a single batch, or where leaving one out leaves it undefined.
    pub se: Option<f64>,
    /// The skewness of what batches contribute, zero where they agree.
    pub skewness: f64,
}

/// Relative skewness over the root of the number of batches below which the interval is expanded: rounding.
const STRAIGHT: f64 = 1e-4;

impl Jackknife {
    /// The interval with Student's quantile `student` for its level and `batches` batches.
    ///
    /// Student's t is for contributions that are symmetric; a variance or a small share is a mean of skewed ones, and
    /// their t would lie below the truth too often. Hall's monotone transformation removes the skewness (Journal of
    /// the Royal Statistical Society B 54, 1992, 221): t + g t^2/(3 n^(1/2)) + g^2 t^3/(27 n) + g/(6 n^(1/2)).
    pub fn interval(&self, student: f64, batches: usize) -> Option<(f64, f64)> {
        let se = self.se?;
        let skew = self.skewness / (batches as f64).sqrt();
        let back = |w: f64| {
            if skew.abs() < STRAIGHT {
                w - skew * (1.0 + 2.0 * w * w) / 6.0
            } else {
                3.0 / skew * ((1.0 + skew * (w - skew / 6.0)).cbrt() - 1.0)
            }
        };
        Some((
            self.value - se * back(student),
            self.value - se * back(-student),
        ))
    }
}

/// The value on all batches, and the standard error from leaving out one at a time:
/// se^2 = (B - 1)/B * sum (theta_(b) - mean theta_(.))^2.
pub fn jackknife(pooled: Option<f64>, left_out: &[Option<f64>]) -> Option<Jackknife> {
    let value = pooled?;
    let thetas: Option<Vec<f64>> = left_out.iter().copied().collect();
    let batches = left_out.len() as f64;
    let spread = thetas.filter(|thetas| thetas.len() > 1).map(|thetas| {
        let mean = thetas.iter().sum::<f64>() / batches;
        let power = |n: i32| {
            thetas
                .iter()
                .map(|theta| (theta - mean).powi(n))
                .sum::<f64>()
        };
        let (squares, cubes) = (power(2), power(3));
        let se = ((batches - 1.0) / batches * squares).sqrt();
        // Batches that are all the same differ by rounding alone.
        if se > ROUNDING * mean.abs() {
            // A batch contributes what is missing without it.
            (se, -cubes * batches.sqrt() / squares.powf(1.5))
        } else {
            (0.0, 0.0)
        }
    });
    Some(Jackknife {
        value,
        se: spread.map(|(se, _)| se),
        skewness: spread.map_or(0.0, |(_, skewness)| skewness),
    })
}

#[cfg(test)]
mod tests {
    use super::jackknife;

    #[test]
    fn for_a_mean_it_is_the_usual_standard_error() {
        let batches = [3.0, 5.0, 4.0, 8.0, 1.0];
        let n = batches.len() as f64;
        let total: f64 = batches.iter().sum();
        let left_out: Vec<Option<f64>> = batches
            .iter()
            .map(|x| Some((total - x) / (n - 1.0)))
            .collect();
        let mean = total / n;
        let variance = batches.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
        let found = jackknife(Some(mean), &left_out)
            .and_then(|j| j.se)
            .unwrap_or(f64::NAN);
        assert!((found - (variance / n).sqrt()).abs() < 1e-12, "{found}");
    }

    #[test]
    fn one_batch_has_a_value_and_no_error() {
        let one = jackknife(Some(2.0), &[None]);
        assert_eq!(one.map(|j| (j.value, j.se)), Some((2.0, None)));
    }

    #[test]
    fn the_interval_is_students_without_skewness_and_leans_towards_the_long_tail_with_it() {
        let of = |batches: &[f64]| {
            let (n, total) = (batches.len() as f64, batches.iter().sum::<f64>());
            let rest: Vec<_> = batches
                .iter()
                .map(|x| Some((total - x) / (n - 1.0)))
                .collect();
            let found = jackknife(Some(total / n), &rest);
            let found = found.and_then(|j| Some((j, j.se?, j.interval(2.0, batches.len())?)));
            found.unwrap_or_else(|| panic!("{batches:?} has an interval"))
        };
        let (found, se, (low, high)) = of(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!((low - 3.0 + 2.0 * se).abs() < 1e-9 && (high - 3.0 - 2.0 * se).abs() < 1e-9);
        assert!(found.skewness.abs() < 1e-9);
        let skewed = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 11.0];
        let (found, se, (low, high)) = of(&skewed);
        // Third moment over the second to 3/2: (8 - 1) / sqrt(8).
        assert!((found.skewness - 7.0 / 8.0_f64.sqrt()).abs() < 1e-9);
        let mean = 19.0 / 9.0;
        assert!(
            low > mean - 2.0 * se && high > mean + 3.0 * se,
            "{low} {high}"
        );
        // Transformed, the ends are two on either side.
        let skew = found.skewness / 3.0;
        for (end, expected) in [(low, 2.0), (high, -2.0)] {
            let t = (mean - end) / se;
            let straight = t + skew * t * t / 3.0 + skew * skew * t.powi(3) / 27.0 + skew / 6.0;
            assert!((straight - expected).abs() < 1e-9, "{straight}");
        }
    }
}

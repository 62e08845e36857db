//! The delete-one jackknife over batches (Quenouille 1949, Tukey 1958).
//!
//! Owns the standard error of any smooth function of pooled sums: ratios, roots, differences.

/// Relative differences that are rounding, not randomness.
const ROUNDING: f64 = 1e-13;

/// A function of pooled sums, and its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jackknife {
    /// The function of all batches pooled.
    pub value: f64,
    /// Its standard error: none with a single batch, or where leaving one out leaves it undefined.
    pub se: Option<f64>,
}

/// The value on all batches, and the standard error from leaving out one at a time:
/// se^2 = (B - 1)/B * sum (theta_(b) - mean theta_(.))^2.
pub fn jackknife(pooled: Option<f64>, left_out: &[Option<f64>]) -> Option<Jackknife> {
    let value = pooled?;
    let thetas: Option<Vec<f64>> = left_out.iter().copied().collect();
    let batches = left_out.len() as f64;
    let se = thetas.filter(|thetas| thetas.len() > 1).map(|thetas| {
        let mean = thetas.iter().sum::<f64>() / batches;
        let squares: f64 = thetas
            .iter()
            .map(|theta| (theta - mean) * (theta - mean))
            .sum();
        let se = ((batches - 1.0) / batches * squares).sqrt();
        // Batches that are all the same differ by rounding alone.
        if se > ROUNDING * mean.abs() { se } else { 0.0 }
    });
    Some(Jackknife { value, se })
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
}

//! Estimates of one point: pooled values, standard errors, intervals, and whether the halves agree.

use super::jackknife::jackknife;
use crate::models::{Model, Plan, Tallies, Totals};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Chance of any false alarm in a run whose halves are all steady: shared by all comparisons.
const FALSE_ALARM: f64 = 0.01;
/// Differences of halves below this share of the estimate are never called drift: a half need not hold whole periods.
const DRIFT_TOLERANCE: f64 = 1e-3;

/// One quantity at one point. What does not exist is none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Estimate {
    /// The pooled value.
    pub mean: Option<f64>,
    /// Its standard error over batches.
    pub se: Option<f64>,
    /// The ends of its interval.
    pub interval: Option<(f64, f64)>,
    /// Whether the second half of the measured span differs from the first beyond chance.
    pub drifts: bool,
}

/// The quantile of Student's t with `freedom` degrees of freedom that a two-sided interval of that confidence needs.
pub fn student_quantile(confidence: f64, freedom: f64) -> Option<f64> {
    let law = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let quantile = law.inverse_cdf(0.5 + confidence / 2.0);
    quantile.is_finite().then_some(quantile)
}

/// Sums of some halves of the measured span as real numbers.
fn totals(plan: &Plan, tallies: &Tallies, halves: &[usize]) -> Totals {
    let sum = |sums: &[u128; 2]| halves.iter().map(|&half| sums[half]).sum::<u128>() as f64;
    let whole = halves.len() == 2;
    let length: u64 = halves
        .iter()
        .map(|&half| u64::from(plan.halves[half]))
        .sum();
    Totals {
        sums: tallies.sums.iter().map(sum).collect(),
        peaks: whole.then(|| tallies.peaks.iter().map(|&peak| peak as f64).collect()),
        maxima: (whole && !tallies.maxima.is_empty())
            .then(|| tallies.maxima.iter().map(|&most| most as f64).collect()),
        counts: whole.then(|| tallies.counts.iter().map(|&count| count as f64).collect()),
        steps: length as f64 * tallies.replicas as f64,
        replicas: tallies.replicas as f64,
    }
}

/// All batches but one, as far as that is known from them all: maxima are not.
fn without(pooled: &Tallies, batch: &Tallies) -> Tallies {
    let mut rest = Tallies {
        replicas: pooled.replicas - batch.replicas,
        ..Tallies::default()
    };
    rest.sums = pooled
        .sums
        .iter()
        .zip(&batch.sums)
        .map(|(a, b)| [a[0] - b[0], a[1] - b[1]])
        .collect();
    rest.peaks = pooled
        .peaks
        .iter()
        .zip(&batch.peaks)
        .map(|(a, b)| a - b)
        .collect();
    rest.counts = (pooled.counts.iter().zip(&batch.counts))
        .map(|(a, b)| a - b)
        .collect();
    rest
}

/// All batches together.
fn pooled(model: &Model, plan: &Plan, batches: &[Tallies]) -> Tallies {
    let mut pooled = Tallies::zero(plan, model.sums.len());
    for batch in batches {
        pooled.replicas += batch.replicas;
        for (a, b) in pooled.sums.iter_mut().zip(&batch.sums) {
            *a = [a[0] + b[0], a[1] + b[1]];
        }
        for (a, b) in pooled.peaks.iter_mut().zip(&batch.peaks) {
            *a += b;
        }
        for (a, b) in pooled.maxima.iter_mut().zip(&batch.maxima) {
            *a = (*a).max(*b);
        }
        for (a, b) in pooled.counts.iter_mut().zip(&batch.counts) {
            *a += b;
        }
    }
    pooled
}

/// Estimates of every observable from all batches, and from all but each of them.
pub(super) fn left_out(
    model: &Model,
    plan: &Plan,
    batches: &[Tallies],
) -> (Vec<Option<f64>>, Vec<Vec<Option<f64>>>) {
    let pooled = pooled(model, plan, batches);
    let values = |tallies: &Tallies| (model.estimates)(plan, &totals(plan, tallies, &[0, 1]));
    let rest = batches.iter().map(|batch| values(&without(&pooled, batch)));
    (values(&pooled), rest.collect())
}

/// Estimates of every observable of a point from its batches.
///
/// `comparisons` is how many comparisons of halves the whole run makes.
pub fn estimate_point(
    model: &Model,
    plan: &Plan,
    batches: &[Tallies],
    confidence: f64,
    comparisons: usize,
) -> Vec<Estimate> {
    let pooled = pooled(model, plan, batches);
    let values = |tallies: &Tallies, halves: &[usize]| {
        (model.estimates)(plan, &totals(plan, tallies, halves))
    };
    let difference = |tallies: &Tallies| -> Vec<Option<f64>> {
        let (first, second) = (values(tallies, &[0]), values(tallies, &[1]));
        first
            .iter()
            .zip(&second)
            .map(|(a, b)| Some((*b)? - (*a)?))
            .collect()
    };
    let (all, drift) = (values(&pooled, &[0, 1]), difference(&pooled));
    // One at a time: histograms of all of them together may be large.
    let leaving_out = |batch: &Tallies| {
        let rest = without(&pooled, batch);
        (values(&rest, &[0, 1]), difference(&rest))
    };
    let (rest_values, rest_drifts): (Vec<_>, Vec<_>) = batches.iter().map(leaving_out).unzip();
    let freedom = batches.len() as f64 - 1.0;
    let quantile = student_quantile(confidence, freedom);
    let alarm = student_quantile(1.0 - FALSE_ALARM / comparisons.max(1) as f64, freedom);
    (0..model.observables.len())
        .map(|which| {
            let column = |rows: &[Vec<Option<f64>>]| rows.iter().map(|row| row[which]).collect::<Vec<_>>();
            let Some(value) = jackknife(all[which], &column(&rest_values)) else { return Estimate::default() };
            let halves = jackknife(drift[which], &column(&rest_drifts));
            let drifts = halves.is_some_and(|halves| {
                let beyond_chance = matches!((halves.se, alarm), (Some(se), Some(alarm)) if halves.value.abs() > alarm * se);
                beyond_chance && halves.value.abs() > DRIFT_TOLERANCE * value.value.abs()
            });
            let interval = quantile.and_then(|t| value.interval(t, batches.len()));
            Estimate { mean: Some(value.value), se: value.se, interval, drifts }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::student_quantile;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, expected) in [
            (1.0, 12.706_204_736_174_7),
            (9.0, 2.262_157_162_740_99),
            (63.0, 1.998_340_542_520_74),
        ] {
            let found = student_quantile(0.95, freedom).unwrap_or(f64::NAN);
            assert!((found / expected - 1.0).abs() < 1e-6, "{freedom}: {found}");
        }
        assert_eq!(
            student_quantile(0.95, 0.0),
            None,
            "one batch has no interval"
        );
    }
}

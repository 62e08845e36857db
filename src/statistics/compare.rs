//! Two points beside each other: differences and ratios of estimates, with intervals.
//!
//! Owns when batches are paired (same seed, same stream, same sizes: batch b of both drew the same numbers), and what
//! pairing saves.

use super::estimate::left_out;
use super::jackknife::{Jackknife, jackknife};
use super::student_quantile;
use crate::ensemble::Results;

/// An estimate at two points.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Name of the estimate.
    pub name: &'static str,
    /// Its value at the first point and at the second.
    pub values: [Option<f64>; 2],
    /// Second minus first, its standard error and the ends of its interval.
    pub difference: Option<Interval>,
    /// Second over first, likewise; none where the first is zero.
    pub ratio: Option<Interval>,
    /// Variance of the difference if the points were independent, over that of the difference: what common random
    /// numbers save. None where batches are not paired.
    pub saved: Option<f64>,
}

/// A value with its standard error and interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The value.
    pub value: f64,
    /// Its standard error over batches.
    pub se: Option<f64>,
    /// The ends of its interval.
    pub interval: Option<(f64, f64)>,
}

/// Whether batches of two points drew the same random numbers.
pub fn paired(first: (&Results, usize), second: (&Results, usize)) -> bool {
    let drawn = |(results, point): (&Results, usize)| {
        let experiment = &results.experiment;
        (
            experiment.model.name,
            experiment.seed,
            results.points[point].stream,
            experiment.replicas,
            experiment.batches,
        )
    };
    drawn(first) == drawn(second)
}

/// Differences of all estimates between two points of the same model.
pub fn differences(
    first: (&Results, usize),
    second: (&Results, usize),
    confidence: f64,
) -> Vec<Difference> {
    let paired = paired(first, second);
    let of = |(results, point): (&Results, usize)| {
        let (model, plan) = (results.experiment.model, &results.plans[point]);
        left_out(model, plan, &results.batches[point])
    };
    let (a, b) = (of(first), of(second));
    let model = first.0.experiment.model;
    let one = |(which, observable): (usize, &crate::models::Observable)| {
        let column =
            |rows: &[Vec<Option<f64>>]| rows.iter().map(|row| row[which]).collect::<Vec<_>>();
        let pair = |f: &dyn Fn(f64, f64) -> f64| {
            let both = |(x, y): (&Option<f64>, &Option<f64>)| Some(f((*x)?, (*y)?));
            let value = both((&a.0[which], &b.0[which]));
            if paired {
                let rest: Vec<_> = column(&a.1).iter().zip(&column(&b.1)).map(both).collect();
                let freedom = rest.len() as f64 - 1.0;
                return with_interval(jackknife(value, &rest)?, freedom, confidence);
            }
            // Vary one at a time: the variances add up.
            let (x, y) = (a.0[which]?, b.0[which]?);
            let vary = |rest: Vec<Option<f64>>, f: &dyn Fn(f64) -> f64| {
                let rest: Vec<_> = rest.into_iter().map(|value| Some(f(value?))).collect();
                let freedom = rest.len() as f64 - 1.0;
                jackknife(value, &rest).map(|found| (found, freedom))
            };
            let (by_a, freedom_a) = vary(column(&a.1), &|x| f(x, y))?;
            let (by_b, freedom_b) = vary(column(&b.1), &|y| f(x, y))?;
            let variances = by_a.se.zip(by_b.se).map(|(u, v)| [u * u, v * v]);
            let se = variances.map(|[u, v]| (u + v).sqrt());
            // Welch and Satterthwaite.
            let freedom = variances.map_or(f64::NAN, |[u, v]| {
                (u + v).powi(2) / (u * u / freedom_a + v * v / freedom_b)
            });
            let value = by_a.value;
            let found = Jackknife {
                value,
                se,
                skewness: 0.0,
            };
            with_interval(found, freedom, confidence)
        };
        let difference = pair(&|x, y| y - x);
        let ratio = (a.0[which] != Some(0.0)).then(|| pair(&|x, y| y / x));
        let saved = difference.and_then(|found| {
            let own = |value, rest: &[Vec<Option<f64>>]| jackknife(value, &column(rest))?.se;
            let [u, v] = [own(a.0[which], &a.1)?, own(b.0[which], &b.1)?];
            let se = found.se.filter(|se| paired && *se > 0.0)?;
            Some((u * u + v * v) / (se * se))
        });
        Difference {
            name: observable.name,
            values: [a.0[which], b.0[which]],
            difference,
            ratio: ratio.flatten().filter(|ratio| ratio.value.is_finite()),
            saved,
        }
    };
    model.observables.iter().enumerate().map(one).collect()
}

fn with_interval(found: Jackknife, freedom: f64, confidence: f64) -> Option<Interval> {
    let quantile = match found.se {
        Some(0.0) => Some(0.0),
        _ => student_quantile(confidence, freedom),
    };
    let interval = found
        .se
        .zip(quantile)
        .map(|(se, t)| (found.value - t * se, found.value + t * se));
    Some(Interval {
        value: found.value,
        se: found.se,
        interval,
    })
}

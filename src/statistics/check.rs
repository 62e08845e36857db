//! Whether a result agrees with the exact laws: a z for each comparison, and one verdict for all of them.
//!
//! Owns the comparisons and the allowance for their number (Bonferroni: valid however they depend on each other).
//! Approximations, limits and bounds are not compared, nor points that are not steady.

use super::{Basis, Table, Tail};
use crate::ensemble::Results;
use crate::models::TailLaw;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use statrs::function::beta::beta_reg;

/// Chances at whose thresholds tails are compared.
const LEVELS: [f64; 5] = [0.5, 0.1, 0.01, 1e-3, 1e-4];
/// Below so many effective events, as many as the law expects, a share is not compared.
const FEWEST_EVENTS: f64 = 40.0;
/// Positive estimates with a larger relative standard error rest on events too few for a normal error.
const COARSE: f64 = 0.25;
/// An event of which each replica is expected to see less than this over the number of replicas may well not be seen.
const SURELY_SEEN: f64 = 20.0;
/// Relative differences that are rounding.
const ROUNDING: f64 = 1e-9;

/// One estimate beside its exact value.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Index of the point.
    pub point: usize,
    /// Name of the estimate, or `P(NAME >= t)`.
    pub what: String,
    /// The estimate.
    pub found: f64,
    /// Its standard error.
    pub se: f64,
    /// The exact value.
    pub exact: f64,
    /// The difference in standard errors; infinite where an estimate without spread differs.
    pub z: f64,
    /// The chance of a difference as large, if the simulation is right.
    pub p: f64,
}

/// All comparisons of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// The comparisons, in the order of points.
    pub comparisons: Vec<Comparison>,
    /// Points that were left out since they are void or not steady.
    pub left_out: Vec<usize>,
}

impl Check {
    /// Compares every estimate that has an exact law at a point where `usable` holds.
    pub fn new(results: &Results, table: &Table, usable: impl Fn(usize) -> bool) -> Check {
        let mut check = Check {
            comparisons: Vec::new(),
            left_out: Vec::new(),
        };
        let freedom = f64::from(results.experiment.batches) - 1.0;
        for point in 0..results.points.len() {
            if !usable(point) {
                check.left_out.push(point);
                continue;
            }
            let estimates = estimates(results, table, point);
            let all = estimates.chain(tails(results, table, point));
            let replicas = f64::from(results.experiment.replicas);
            let unseen = |found: f64, exact: f64| found == 0.0 && exact * replicas < SURELY_SEEN;
            let all = all.filter(|(_, found, se, exact, effective)| {
                let fine = *se <= COARSE * exact && !unseen(*found, *exact);
                *exact <= 0.0 || effective.is_some() || fine
            });
            let all = all.filter_map(|(what, found, se, exact, effective)| {
                let (z, p) = match effective {
                    Some(effective) => z_and_p_of_share(found, effective, exact),
                    None => z_and_p(found, se, exact, freedom)?,
                };
                Some(Comparison {
                    point,
                    what,
                    found,
                    se,
                    exact,
                    z,
                    p,
                })
            });
            check.comparisons.extend(all);
        }
        check
    }

    /// The chance that any of so many comparisons is as far off as the worst one, at most.
    pub fn p(&self) -> f64 {
        let least = self.comparisons.iter().map(|c| c.p).fold(1.0, f64::min);
        (least * self.comparisons.len() as f64).min(1.0)
    }

    /// The root mean square z: about 1 where all is well, much less where standard errors are too large.
    pub fn spread(&self) -> f64 {
        let squares: f64 = self.comparisons.iter().map(|c| c.z * c.z).sum();
        (squares / self.comparisons.len().max(1) as f64).sqrt()
    }
}

/// What is compared, the estimate, its standard error, the exact value, and how many independent observations a share of
/// dependent ones is worth.
type Row = (String, f64, f64, f64, Option<f64>);

fn estimates<'a>(
    results: &'a Results,
    table: &'a Table,
    point: usize,
) -> impl Iterator<Item = Row> + 'a {
    let exact = results.experiment.model.exact;
    let columns = table.observables.iter().enumerate();
    columns
        .filter(move |(_, observable)| exact.contains(&observable.name))
        .filter_map(move |(column, observable)| {
            let estimate = table.estimates[point][column];
            let theory = table.theory[point][column]?;
            Some((
                observable.name.to_owned(),
                estimate.mean?,
                estimate.se?,
                theory,
                None,
            ))
        })
}

/// The tails of histograms with an exact law, at the first edges where the law is below some levels.
fn tails<'a>(
    results: &'a Results,
    table: &'a Table,
    point: usize,
) -> impl Iterator<Item = Row> + 'a {
    let laws = results
        .experiment
        .model
        .tails
        .iter()
        .filter(|law| law.exact);
    laws.flat_map(move |law| tail(results, table, point, law))
}

fn tail(results: &Results, table: &Table, point: usize, law: &TailLaw) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let plan = &results.plans[point];
    let Some(index) = plan.histogram(law.histogram) else {
        return rows;
    };
    if results.lacking(point, law.histogram).is_some() {
        return rows;
    }
    let at = &results.points[point];
    let unit = plan.histograms[index].step;
    let tail = Tail::of(results, point, index, table.confidence);
    // Clusters of events are as large in far tails as in near ones, but few of them tell their own size: the
    // largest that any threshold has shown is taken for all beyond.
    let mut inflation = 1.0_f64;
    for level in LEVELS {
        let Some(t) = law.quantile(at, 1.0 - level, unit.max(1.0)) else {
            break;
        };
        let Some((edge, share)) = tail.at(t) else {
            break;
        };
        let what = format!("P({} >= {edge})", law.histogram);
        let (Some(p), Some(se), Some(exact)) = (share.p, share.se, (law.tail)(at, edge)) else {
            continue;
        };
        let observed = share.events as f64 / p;
        let dependent = share.basis != Basis::Independent;
        if dependent {
            inflation = inflation.max(se * se * observed / (p * (1.0 - p)));
        }
        let effective = observed / inflation;
        let rarer = exact.min(1.0 - exact);
        if effective * rarer >= FEWEST_EVENTS && rows.iter().all(|(known, ..)| *known != what) {
            rows.push((what, p, se, exact, dependent.then_some(effective)));
        }
    }
    rows
}

/// For a share of observations worth so many independent ones: the chance by the law of which
/// [`jeffreys`](super::binomial::jeffreys) takes quantiles, as a z.
fn z_and_p_of_share(found: f64, effective: f64, exact: f64) -> (f64, f64) {
    let (a, b) = (found * effective + 0.5, (1.0 - found) * effective + 0.5);
    let below = beta_reg(a, b, exact.clamp(0.0, 1.0));
    let tail = below.min(1.0 - below).max(f64::MIN_POSITIVE);
    let z = Normal::standard().inverse_cdf(tail).abs();
    (if exact > found { -z } else { z }, (2.0 * tail).min(1.0))
}

fn z_and_p(found: f64, se: f64, exact: f64, freedom: f64) -> Option<(f64, f64)> {
    let difference = found - exact;
    if difference.abs() <= ROUNDING * exact.abs() {
        return Some((0.0, 1.0));
    }
    if se == 0.0 {
        return Some((f64::INFINITY.copysign(difference), 0.0));
    }
    let z = difference / se;
    let law = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some((z, 2.0 * law.cdf(-z.abs())))
}

#[cfg(test)]
mod tests {
    use super::{Check, Comparison, z_and_p};

    #[test]
    fn a_z_has_the_chance_of_students_law() {
        let p = z_and_p(2.262_157, 1.0, 0.0, 9.0).map(|(_, p)| p);
        assert!((p.unwrap_or(f64::NAN) - 0.05).abs() < 1e-6);
        assert_eq!(z_and_p(1.0, 0.0, 1.0 + 1e-12, 9.0), Some((0.0, 1.0)));
        assert_eq!(z_and_p(1.0, 0.0, 2.0, 9.0), Some((f64::NEG_INFINITY, 0.0)));
    }

    #[test]
    fn the_verdict_allows_for_the_number_of_comparisons() {
        let one = |p| Comparison {
            point: 0,
            what: String::new(),
            found: 0.0,
            se: 1.0,
            exact: 0.0,
            z: 1.0,
            p,
        };
        let mut check = Check {
            comparisons: vec![one(0.004); 5],
            left_out: Vec::new(),
        };
        assert!((check.p() - 0.02).abs() < 1e-15);
        check.comparisons.extend(vec![one(0.5); 1000]);
        assert!(check.p() == 1.0 && check.spread() == 1.0);
    }
}

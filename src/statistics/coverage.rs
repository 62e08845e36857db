//! How often intervals hold what they claim to hold, counted over repetitions of an experiment under fresh seeds.
//!
//! Owns which quantities of an ensemble have an exact value to be held (estimates, quantiles, and tails at edges chosen
//! by how many events are expected), the seed of each repetition, and the counting. The intervals are those of
//! `estimate` and `tail`, and repetitions are run by the caller.

use super::binomial::clopper_pearson;
use super::{Table, Tail};
use crate::ensemble::{Ensemble, Results};
use crate::models::{Point, TailLaw};
use crate::random::{Key, Purpose};

/// Quantiles whose intervals are judged.
const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 0.9999];
/// Numbers of events that the tails which are judged expect in a run, besides one half of all observations.
const EVENTS: [f64; 5] = [10.0, 100.0, 1e3, 1e4, 1e5];
/// A tail with more than this chance is not called rare: one half stands for it.
const FREQUENT: f64 = 0.25;
/// Relative differences that are rounding: what does not vary has an interval without a width.
const ROUNDING: f64 = 1e-9;
/// Level of the interval for a share of repetitions.
const SHARE_LEVEL: f64 = 0.95;

/// The seed of a repetition: two words of Threefry under the experiment's seed, at an address of their own.
pub fn seed_of(seed: u64, run: u32) -> u64 {
    let [low, high, ..] = Key { seed, stream: 0 }.draw(Purpose::Repetition, run, 0, 0);
    u64::from(low) | u64::from(high) << 32
}

/// What an interval is for.
#[derive(Debug, Clone, PartialEq)]
pub enum Quantity {
    /// The estimate of that column of the table.
    Estimate {
        /// Its column.
        column: usize,
    },
    /// A quantile of a histogram.
    Quantile {
        /// The index of the histogram.
        histogram: usize,
        /// Which quantile, between 0 and 1.
        q: f64,
    },
    /// P(V >= edge) of a histogram.
    Tail {
        /// The index of the histogram.
        histogram: usize,
        /// The edge, in the histogram's unit.
        edge: f64,
        /// Events that a run sees on average.
        events: f64,
    },
}

/// One quantity at one point, and how its intervals have fared.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Index of the point.
    pub point: usize,
    /// What it is called: `response_mean`, `response_p99`, `P(response >= 2)`.
    pub name: String,
    /// What it is.
    pub quantity: Quantity,
    /// Its exact value.
    pub exact: f64,
    /// Repetitions that gave an interval.
    pub intervals: u64,
    /// Repetitions that gave none.
    pub without: u64,
    /// Intervals that lie below the exact value, and above it.
    pub missed: [u64; 2],
    /// Intervals without an upper end.
    pub unbounded: u64,
    /// Sum of half widths over the exact value, of the intervals that have both ends.
    half_widths: f64,
    /// Number, sum and sum of squares of (estimate - exact) / standard error.
    z: [f64; 3],
}

/// What one repetition says about one row.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outcome {
    /// The ends of the interval; the upper one may be missing.
    interval: Option<(f64, Option<f64>)>,
    /// (estimate - exact) / standard error.
    z: Option<f64>,
}

/// How intervals of one level have fared.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// The level of the intervals.
    pub confidence: f64,
    /// Repetitions so far.
    pub runs: u64,
    /// The quantities, in the order of points.
    pub rows: Vec<Row>,
}

impl Coverage {
    /// Everything in an ensemble that has an exact value; `first` is one of the repetitions, which tells how many
    /// observations a run makes. The exact laws are evaluated here, once.
    pub fn new(first: &Results, confidence: f64) -> Coverage {
        let mut rows = Vec::new();
        for point in 0..first.points.len() {
            rows.extend(estimates(first, point));
            for law in exact_laws(first.experiment.model.tails) {
                rows.extend(tails(first, point, law));
            }
        }
        Coverage {
            confidence,
            runs: 0,
            rows,
        }
    }

    /// Whether anything in an ensemble has an exact value.
    pub fn possible(ensemble: &Ensemble) -> bool {
        let model = ensemble.experiment.model;
        ensemble.points.iter().any(|point| {
            let exact =
                (model.observables.iter().zip((model.theory)(point))).any(|(observable, value)| {
                    value.is_some() && model.exact.contains(&observable.name)
                });
            exact || exact_laws(model.tails).any(|law| (law.tail)(point, 1.0).is_some())
        })
    }

    /// What one repetition says: an outcome a row.
    pub fn outcomes(&self, results: &Results) -> Vec<Outcome> {
        let table = Table::new(results, self.confidence);
        let mut known: Option<(usize, usize, Tail<'_>)> = None;
        let mut outcomes = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let histogram = match row.quantity {
                Quantity::Estimate { column } => {
                    let estimate = &table.estimates[row.point][column];
                    outcomes.push(Outcome {
                        interval: estimate.interval.map(|(low, high)| (low, Some(high))),
                        z: z(estimate.mean, estimate.se, row.exact),
                    });
                    continue;
                }
                Quantity::Quantile { histogram, .. } | Quantity::Tail { histogram, .. } => {
                    histogram
                }
            };
            let name = results.plans[row.point].histograms[histogram].name;
            if table.faults[row.point] > 0 || results.lacking(row.point, name).is_some() {
                outcomes.push(Outcome::default());
                continue;
            }
            if !matches!(&known, Some((point, index, _)) if (*point, *index) == (row.point, histogram))
            {
                known = None;
            }
            let (_, _, tail) = known.get_or_insert_with(|| {
                let tail = Tail::of(results, row.point, histogram, self.confidence);
                (row.point, histogram, tail)
            });
            outcomes.push(row.of_tail(tail));
        }
        outcomes
    }

    /// Counts one repetition.
    pub fn add(&mut self, outcomes: &[Outcome]) {
        self.runs += 1;
        for (row, outcome) in self.rows.iter_mut().zip(outcomes) {
            row.add(outcome);
        }
    }
}

impl Row {
    /// What a tail says about a quantile or a share of it.
    fn of_tail(&self, tail: &Tail<'_>) -> Outcome {
        match self.quantity {
            Quantity::Quantile { q, .. } => {
                let found = tail.quantile(q);
                Outcome {
                    interval: found.low.map(|low| (low, found.high)),
                    z: None,
                }
            }
            Quantity::Tail { edge, .. } => {
                let share = tail.at(edge).map(|(_, share)| share);
                Outcome {
                    interval: share
                        .and_then(|share| share.interval)
                        .map(|(low, high)| (low, Some(high))),
                    z: share.and_then(|share| z(share.p, share.se, self.exact)),
                }
            }
            Quantity::Estimate { .. } => Outcome::default(),
        }
    }

    fn add(&mut self, outcome: &Outcome) {
        let Some((low, high)) = outcome.interval else {
            self.without += 1;
            return;
        };
        self.intervals += 1;
        let rounding = ROUNDING * self.exact.abs();
        self.missed[0] += u64::from(high.is_some_and(|high| high < self.exact - rounding));
        self.missed[1] += u64::from(low > self.exact + rounding);
        match high {
            Some(high) => self.half_widths += (high - low) / 2.0 / self.exact.abs(),
            None => self.unbounded += 1,
        }
        if let Some(z) = outcome.z {
            for (sum, power) in self.z.iter_mut().zip([1.0, z, z * z]) {
                *sum += power;
            }
        }
    }

    /// Intervals that held the exact value.
    pub fn held(&self) -> u64 {
        self.intervals - self.missed[0] - self.missed[1]
    }

    /// The share of intervals that held the exact value; none without intervals.
    pub fn coverage(&self) -> Option<f64> {
        (self.intervals > 0).then(|| self.held() as f64 / self.intervals as f64)
    }

    /// The 95 % interval of that share: repetitions are independent, so it is Clopper and Pearson's.
    pub fn coverage_interval(&self) -> Option<(f64, f64)> {
        (self.intervals > 0).then(|| clopper_pearson(self.held(), self.intervals, SHARE_LEVEL))
    }

    /// Mean of half the width over the exact value, of the intervals that have both ends.
    pub fn relative_half_width(&self) -> Option<f64> {
        let bounded = self.intervals - self.unbounded;
        (bounded > 0 && self.exact != 0.0).then(|| self.half_widths / bounded as f64)
    }

    /// Mean of (estimate - exact) / standard error: zero without bias.
    pub fn mean_z(&self) -> Option<f64> {
        (self.z[0] > 0.0).then(|| self.z[1] / self.z[0])
    }

    /// Root of its mean square: about one where standard errors are right.
    pub fn rms_z(&self) -> Option<f64> {
        (self.z[0] > 0.0).then(|| (self.z[2] / self.z[0]).sqrt())
    }
}

fn row(point: usize, name: String, quantity: Quantity, exact: f64) -> Row {
    Row {
        point,
        name,
        quantity,
        exact,
        intervals: 0,
        without: 0,
        missed: [0; 2],
        unbounded: 0,
        half_widths: 0.0,
        z: [0.0; 3],
    }
}

fn z(value: Option<f64>, se: Option<f64>, exact: f64) -> Option<f64> {
    let se = se.filter(|se| *se > 0.0)?;
    Some((value? - exact) / se)
}

fn exact_laws(laws: &'static [TailLaw]) -> impl Iterator<Item = &'static TailLaw> {
    laws.iter().filter(|law| law.exact)
}

/// A row for every estimate with an exact value.
fn estimates(results: &Results, point: usize) -> Vec<Row> {
    let model = results.experiment.model;
    let theory = (model.theory)(&results.points[point]);
    let columns = model.observables.iter().zip(theory).enumerate();
    columns
        .filter(|(_, (observable, _))| model.exact.contains(&observable.name))
        .filter_map(|(column, (observable, exact))| {
            let quantity = Quantity::Estimate { column };
            Some(row(point, observable.name.to_owned(), quantity, exact?))
        })
        .collect()
}

/// Rows for quantiles and tails of the histogram that a law is about, as far as it has values.
fn tails(results: &Results, point: usize, law: &TailLaw) -> Vec<Row> {
    let (plan, at) = (&results.plans[point], &results.points[point]);
    let Some(histogram) = plan.histogram(law.histogram) else {
        return Vec::new();
    };
    let place = plan.place(histogram);
    let observed = |counts: &[u64]| counts[place.clone()].iter().sum::<u64>();
    let total: u64 = (results.batches[point].iter())
        .map(|batch| observed(&batch.counts))
        .sum();
    let quantile = |q: f64| law.quantile(at, q, plan.histograms[histogram].step.max(1.0));
    let mut rows: Vec<Row> = QUANTILES
        .iter()
        .filter_map(|&q| {
            // Two digits at least: the median is p50.
            let name = format!("{}_p{:0<2}", law.histogram, &q.to_string()[2..]);
            Some(row(
                point,
                name,
                Quantity::Quantile { histogram, q },
                quantile(q)?,
            ))
        })
        .collect();
    let rare = (EVENTS.iter().rev())
        .map(|events| events / total as f64)
        .filter(|level| *level < FREQUENT);
    for level in [0.5].into_iter().chain(rare) {
        let found = at_level(plan, histogram, law, at, quantile(1.0 - level));
        let Some((edge, exact)) = found else { continue };
        let name = format!("P({} >= {edge})", law.histogram);
        let events = exact * total as f64;
        let quantity = Quantity::Tail {
            histogram,
            edge,
            events,
        };
        // Coarse bins may have one edge for several levels.
        if rows.iter().all(|known| known.name != name) {
            rows.push(row(point, name, quantity, exact));
        }
    }
    rows
}

/// The edge at a quantile, and the chance of values from there on; none at the start of the histogram or beyond its end.
fn at_level(
    plan: &crate::models::Plan,
    histogram: usize,
    law: &TailLaw,
    point: &Point,
    t: Option<f64>,
) -> Option<(f64, f64)> {
    let histogram = &plan.histograms[histogram];
    let t = t?;
    let edge = (1..=histogram.bins)
        .map(|bin| histogram.lower(bin))
        .find(|edge| *edge >= t)?;
    Some((edge, (law.tail)(point, edge)?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Outcome, Quantity, row, seed_of};

    #[test]
    fn repetitions_have_seeds_of_their_own_that_never_change() {
        let seeds: Vec<u64> = (0..1000).map(|run| seed_of(2018, run)).collect();
        let mut distinct = seeds.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 1000);
        assert_ne!(seeds[0], seed_of(2019, 0));
        assert_eq!(
            seeds[..2],
            [1_438_167_658_866_500_679, 6_602_557_998_041_524_249]
        );
    }

    #[test]
    fn what_lies_within_ends_on_them_and_below_a_missing_one_is_held() {
        let mut row = row(0, String::new(), Quantity::Estimate { column: 0 }, 2.0);
        let outcome = |low, high, z| Outcome {
            interval: Some((low, high)),
            z,
        };
        row.add(&outcome(1.0, Some(3.0), Some(0.5)));
        row.add(&outcome(2.0, Some(2.0), Some(-1.5)));
        row.add(&outcome(1.0, None, None));
        row.add(&outcome(0.0, Some(1.9), None));
        row.add(&outcome(2.1, None, None));
        row.add(&Outcome::default());
        assert_eq!((row.intervals, row.without, row.unbounded), (5, 1, 2));
        assert_eq!((row.held(), row.missed), (3, [1, 1]));
        assert_eq!(row.coverage(), Some(0.6));
        let (low, high) = row.coverage_interval().unwrap();
        assert!((low - 0.146_6).abs() < 1e-4 && (high - 0.947_3).abs() < 1e-4);
        assert!((row.relative_half_width().unwrap() - (0.5 + 0.0 + 0.475) / 3.0).abs() < 1e-15);
        assert_eq!(row.mean_z(), Some(-0.5));
        assert!((row.rms_z().unwrap() - 1.25_f64.sqrt()).abs() < 1e-15);
    }
}

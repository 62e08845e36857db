//! The tail of a histogram, P(V >= v) at every edge of a bin, and the quantiles that follow.
//!
//! Owns how a threshold and a quantile meet the bins: values are read at edges, without interpolation. Intervals of
//! shares are `share`'s.
//!
//! A histogram counts whole numbers V of its step, which a continuous quantity is rounded to. So a threshold stands for
//! half a step less of the quantity itself, and a quantile is known to half a step at best.

use super::binomial::least_observations;
use super::share::{Basis, Batches, Share, Spread};
use crate::ensemble::Results;
use crate::experiment::Observe;
use crate::models::{Histogram, Tallies};

/// A threshold this close to a whole number of steps is one: decimal fractions have no exact quotient.
const ROUNDING: f64 = 1e-9;

/// The tail of one histogram of one point.
#[derive(Debug, Clone)]
pub struct Tail<'a> {
    histogram: &'a Histogram,
    /// P(V >= edge) for the lower edge of each bin, and the end of the last.
    shares: Vec<Share>,
    total: u64,
    batches: usize,
    replicas: u64,
    independent: bool,
    confidence: f64,
}

/// A quantile, as far as bins and data tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantile {
    /// Lower and upper edge of the bin that it lies in; none without observations.
    pub bin: Option<(f64, f64)>,
    /// Lower end of its interval, the lower edge of a bin.
    pub low: Option<f64>,
    /// Upper end of its interval, the upper edge of a bin.
    pub high: Option<f64>,
    /// Why an end is missing.
    pub reason: Option<String>,
}

impl<'a> Tail<'a> {
    /// The tail of the histogram of that index at a point.
    pub fn of(results: &'a Results, point: usize, index: usize, confidence: f64) -> Tail<'a> {
        let (plan, batches) = (&results.plans[point], &results.batches[point]);
        let place = plan.place(index);
        let counts: Vec<&[u64]> = (batches.iter())
            .map(|batch| &batch.counts[place.clone()])
            .collect();
        let replicas = batches.iter().map(|batch| batch.replicas).sum();
        // A step may give several values, or none.
        let one_each =
            |(counts, batch): (&&[u64], &Tallies)| counts.iter().sum::<u64>() == batch.replicas;
        let independent =
            results.experiment.observe == Observe::One && counts.iter().zip(batches).all(one_each);
        let histogram = &plan.histograms[index];
        Tail::new(histogram, &counts, replicas, independent, confidence)
    }

    /// The tail of `histogram` from its counts in each batch, and replicas in all batches together; `independent`
    /// where each replica gave one observation.
    pub fn new(
        histogram: &'a Histogram,
        counts: &[&[u64]],
        replicas: u64,
        independent: bool,
        confidence: f64,
    ) -> Tail<'a> {
        let mut above: Vec<u64> = counts.iter().map(|batch| batch.iter().sum()).collect();
        let totals = above.clone();
        let batches = Batches::new(&totals, replicas, independent, confidence);
        let mut spreads = vec![batches.spread(&above)];
        for bin in 0..histogram.bins as usize {
            for (above, batch) in above.iter_mut().zip(counts) {
                *above -= batch[bin];
            }
            // An empty bin changes nothing.
            let last = spreads[bin];
            let changed = counts.iter().any(|batch| batch[bin] > 0);
            spreads.push(if changed {
                batches.spread(&above)
            } else {
                last
            });
        }
        let mut shares = shares(&batches, &spreads);
        // What is above the start of the histogram holds by definition.
        if batches.total() > 0 {
            shares[0].interval = Some((1.0, 1.0));
            shares[0].basis = Basis::Certain;
        }
        Tail {
            histogram,
            shares,
            total: batches.total(),
            batches: counts.len(),
            replicas,
            independent,
            confidence,
        }
    }

    /// P(V >= edge) for the lower edge of each bin, and the end of the last: (edge in real units, share).
    pub fn edges(&self) -> impl Iterator<Item = (f64, &Share)> {
        (0..).map(|bin| self.histogram.lower(bin)).zip(&self.shares)
    }

    /// The first edge that is not below `t`, and P(V >= edge); none beyond the last edge.
    pub fn at(&self, t: f64) -> Option<(f64, &Share)> {
        let steps = t / self.histogram.step;
        let whole = steps.round();
        let near = (steps - whole).abs() <= ROUNDING * steps.abs().max(1.0);
        let least = if near { whole } else { steps.ceil() };
        let (mut low, mut high) = (0, self.histogram.bins + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if (self.histogram.edge(middle) as f64) < least {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let share = self.shares.get(low as usize)?;
        Some((self.histogram.lower(low), share))
    }

    /// The last edge of all.
    pub fn end(&self) -> f64 {
        self.histogram.lower(self.histogram.bins)
    }

    /// The quantile x of `q`: the least value with P(V <= x) >= q.
    ///
    /// It lies in the first bin at whose upper edge P(V >= edge) <= 1 - q. Its interval inverts those of the tail and
    /// ends on edges, outwards: from the last edge before any interval of the tail reaches down to 1 - q, to the first
    /// edge from which on all of them are below. Where only what was never seen could bound it and does not, that end
    /// is missing; the start of the histogram bounds it from below in any case.
    pub fn quantile(&self, q: f64) -> Quantile {
        let edge = |index: usize| self.histogram.lower(index as u32);
        let reached = |share: &Share| (self.total - share.events) as f64 >= q * self.total as f64;
        let Some(upper) = self
            .shares
            .iter()
            .position(reached)
            .filter(|_| self.total > 0)
        else {
            return Quantile {
                bin: None,
                low: None,
                high: None,
                reason: Some("no observations".to_owned()),
            };
        };
        let bin = Some((edge(upper.saturating_sub(1)), edge(upper)));
        if self.batches < 2 && !self.independent {
            return Quantile {
                bin,
                low: None,
                high: None,
                reason: Some("one batch: no interval".to_owned()),
            };
        }
        let level = 1.0 - q;
        let ends = |share: &Share| share.interval.unwrap_or((0.0, 1.0));
        let both_seen = |share: &Share| (1..self.total).contains(&share.events);
        // Edges below which, and from which on, no interval of shares that vary holds the level.
        let above = |share: &Share| !both_seen(share) || ends(share).0 > level;
        let first = self
            .shares
            .iter()
            .position(|share| share.events == 0 || !above(share));
        let last = self.shares.iter().rposition(|share| {
            share.events == self.total || (both_seen(share) && ends(share).1 > level)
        });
        let low = first.unwrap_or(upper).saturating_sub(1);
        let low = if ends(&self.shares[low]).0 > level {
            low
        } else {
            0
        };
        let high = last.unwrap_or(0) + 1;
        let bounded = self
            .shares
            .get(high)
            .is_some_and(|share| ends(share).1 <= level);
        Quantile {
            bin,
            low: Some(edge(low)),
            high: bounded.then(|| edge(high)),
            reason: (!bounded).then(|| self.unbounded(q)),
        }
    }

    /// Why nothing bounds the quantile `q` from above.
    fn unbounded(&self, q: f64) -> String {
        let missing = least_observations(q, self.confidence).saturating_sub(self.replicas);
        match missing {
            0 => "no upper bound at this size: too few observations beyond".to_owned(),
            missing if self.independent => {
                format!("no upper bound at this size; {missing} more replicas needed")
            }
            missing => format!(
                "no upper bound at this size: too few observations beyond; {missing} more replicas would do"
            ),
        }
    }
}

/// Shares of all edges: from the median outwards, each edge hands on the inflation that it knows.
fn shares(batches: &Batches<'_>, spreads: &[Spread]) -> Vec<Share> {
    let middle = spreads.partition_point(|spread| 2 * spread.events > batches.total());
    let outwards = |edges: &mut dyn Iterator<Item = &Spread>| {
        let (mut carried, mut knows) = (batches.largest_inflation(), true);
        let mut last: Option<(Spread, Share)> = None;
        let share = |spread: &Spread| {
            if let Some((_, share)) = last.filter(|(known, _)| known == spread) {
                return share;
            }
            // Beyond the first edge that knows none, one that seems to may owe it to a few small clusters.
            knows &= spread.inflation().is_some();
            carried = spread.inflation().filter(|_| knows).unwrap_or(carried);
            let trusted = if knows { *spread } else { spread.doubted() };
            let share = batches.share(&trusted, carried);
            last = Some((*spread, share));
            share
        };
        edges.map(share).collect::<Vec<Share>>()
    };
    let mut shares = outwards(&mut spreads[..middle].iter().rev());
    shares.reverse();
    shares.extend(outwards(&mut spreads[middle..].iter()));
    shares
}

#[cfg(test)]
#[path = "tail_tests.rs"]
mod tests;

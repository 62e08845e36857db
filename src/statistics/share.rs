//! The share of the observations that meet a condition, such as being above a threshold, and how sure it is.
//!
//! Owns the choice of the interval. Where each replica gave one observation, they are independent, and the interval is
//! the exact one of `binomial`. Otherwise observations of one replica depend on each other, and only batches are
//! independent:
//!
//! - The jackknife over batches gives the variance of the share. Over that of as many independent observations it is the
//!   inflation (design effect: Kish, Survey Sampling, 1965), and the observations over it are the effective ones.
//! - The interval is that of a binomial law with so many observations (Korn and Graubard, Survey Methodology 24, 1998,
//!   193), with Jeffreys' half counts, as what is counted comes in clusters of any size and has no steps; Student's t is
//!   allowed for as they do. It never leaves \[0, 1\], has the skewness of a count, and is Student's where events abound.
//! - Where few effective events were seen, the variance rests on few clusters, and those that were seen are mostly the
//!   small ones. Then the inflation is not taken below the one that is `carried` there from the nearest threshold with
//!   enough events: clusters do not grow towards the tail.
//! - Where no event was seen: the chance that a replica sees any is at most 1 - alpha^(1/R), as none of R independent
//!   replicas did, and the share of events cannot exceed that chance.
//!
//! The same holds with "event" and "no event" exchanged. docs/statistics.md compares the alternatives.

use super::binomial::{clopper_pearson, jeffreys};
use super::jackknife::jackknife;
use super::student_quantile;
use statrs::distribution::{ContinuousCDF, Normal};

/// Effective events, and others, from which on the jackknife knows the inflation.
const ENOUGH: f64 = 20.0;

/// A share of observations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Observations that met the condition, all batches pooled.
    pub events: u64,
    /// Their share; none without observations.
    pub p: Option<f64>,
    /// Its standard error: none where all observations agree, or with one batch unless they are independent.
    pub se: Option<f64>,
    /// The ends of its interval; none with one batch, unless its observations are independent.
    pub interval: Option<(f64, f64)>,
    /// What the interval rests on.
    pub basis: Basis,
}

/// What the interval of a share rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Nothing: there is no observation.
    NoData,
    /// Nothing: there is one batch.
    OneBatch,
    /// The condition holds by definition.
    Certain,
    /// The binomial law: all observations are independent.
    Independent,
    /// The jackknife over batches.
    Batches,
    /// The same, but few events: how they cluster is taken from nearer thresholds, if that is more.
    FewEvents,
    /// No event in so many replicas.
    NotSeen(u64),
    /// Nothing but events in so many replicas.
    AlwaysSeen(u64),
}

/// How often a condition was met, and how much batches differ in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Observations that met the condition, all batches pooled.
    pub events: u64,
    /// The standard error of their share by the jackknife; none with one batch, or where all observations agree.
    se: Option<f64>,
    /// The variance of the share over that of as many independent observations.
    inflation: f64,
    /// Whether enough was seen to know it.
    known: bool,
}

impl Spread {
    /// The inflation, if enough events were seen to know it.
    pub fn inflation(&self) -> Option<f64> {
        self.known.then_some(self.inflation)
    }

    /// The same, but what was seen is not taken for enough.
    pub fn doubted(self) -> Spread {
        Spread {
            known: false,
            ..self
        }
    }
}

/// Observations of independent batches, and the level of intervals.
#[derive(Debug, Clone)]
pub struct Batches<'a> {
    /// Observations of each batch.
    totals: &'a [u64],
    /// All of them.
    total: u64,
    /// Replicas in all batches together.
    replicas: u64,
    /// Whether each of them gave one observation.
    independent: bool,
    /// The level of the intervals.
    confidence: f64,
    /// The square of the normal quantile over Student's; none with one batch.
    allowance: Option<f64>,
}

impl<'a> Batches<'a> {
    /// Batches of so many observations each, from so many replicas in all; `independent` where each replica gave one.
    pub fn new(
        totals: &'a [u64],
        replicas: u64,
        independent: bool,
        confidence: f64,
    ) -> Batches<'a> {
        let student = student_quantile(confidence, totals.len() as f64 - 1.0);
        let normal = Normal::standard().inverse_cdf(0.5 + confidence / 2.0);
        Batches {
            totals,
            total: totals.iter().sum(),
            replicas,
            independent,
            confidence,
            allowance: student.map(|student| (normal / student) * (normal / student)),
        }
    }

    /// All observations.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The largest inflation there is when replicas are independent: all observations of a replica agree.
    pub fn largest_inflation(&self) -> f64 {
        (self.total as f64 / self.replicas.max(1) as f64).max(1.0)
    }

    /// How often a condition was met, `hits[batch]` times in a batch.
    pub fn spread(&self, hits: &[u64]) -> Spread {
        let events: u64 = hits.iter().sum();
        let seen = (1..self.total).contains(&events);
        let ratio = |hits: u64, total: u64| (total > 0).then(|| hits as f64 / total as f64);
        let se = if !seen || self.independent {
            None
        } else {
            let left_out: Vec<Option<f64>> = (hits.iter().zip(self.totals))
                .map(|(&hit, &total)| ratio(events - hit, self.total - total))
                .collect();
            jackknife(ratio(events, self.total), &left_out).and_then(|jackknife| jackknife.se)
        };
        let n = self.total as f64;
        let p = events as f64 / n;
        let inflation = se.map_or(1.0, |se| se * se * n / (p * (1.0 - p)));
        let rarer = events.min(self.total - events) as f64;
        Spread {
            events,
            se,
            inflation,
            known: se.is_some() && rarer >= ENOUGH * inflation.max(1.0),
        }
    }

    /// The share of observations that met a condition. Where the inflation is not known, it is taken to be
    /// `carried` at least.
    pub fn share(&self, spread: &Spread, carried: f64) -> Share {
        let events = spread.events;
        let p = (self.total > 0).then(|| events as f64 / self.total as f64);
        let share = |interval, basis| Share {
            events,
            p,
            se: spread.se,
            interval,
            basis,
        };
        let Some(p) = p else {
            return share(None, Basis::NoData);
        };
        if self.independent {
            return self.independent_share(share(None, Basis::NoData), p);
        }
        let Some(allowance) = self.allowance else {
            return share(None, Basis::OneBatch);
        };
        let bound = -((1.0 - self.confidence).ln() / self.replicas as f64).exp_m1();
        if events == 0 {
            return share(Some((0.0, bound)), Basis::NotSeen(self.replicas));
        }
        if events == self.total {
            return share(Some((1.0 - bound, 1.0)), Basis::AlwaysSeen(self.replicas));
        }
        let (inflation, basis) = match spread.inflation() {
            // Batches that all agree.
            Some(0.0) => return share(Some((p, p)), Basis::Batches),
            Some(known) => (known, Basis::Batches),
            // Few events are not known to be more even than independent ones.
            None => (spread.inflation.max(carried).max(1.0), Basis::FewEvents),
        };
        let effective = self.total as f64 / inflation * allowance;
        share(Some(jeffreys(p, effective, self.confidence)), basis)
    }

    /// The share where all observations are independent.
    fn independent_share(&self, share: Share, p: f64) -> Share {
        let n = self.total as f64;
        let seen = (1..self.total).contains(&share.events);
        Share {
            se: seen.then(|| (p * (1.0 - p) / n).sqrt()),
            interval: Some(clopper_pearson(share.events, self.total, self.confidence)),
            basis: match share.events {
                0 => Basis::NotSeen(self.replicas),
                all if all == self.total => Basis::AlwaysSeen(self.replicas),
                _ => Basis::Independent,
            },
            ..share
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Basis, Batches, Share};

    /// The share of batches of `each` observations, with an inflation of `carried` from nearer thresholds.
    fn carrying(hits: &[u64], each: u64, replicas: u64, carried: f64) -> Share {
        let totals = vec![each; hits.len()];
        let batches = Batches::new(&totals, replicas, false, 0.95);
        batches.share(&batches.spread(hits), carried)
    }

    fn share(hits: &[u64], each: u64, replicas: u64) -> Share {
        carrying(hits, each, replicas, 1.0)
    }

    #[test]
    fn a_frequent_event_has_the_mean_of_batches_and_about_students_interval() {
        let hits = [480, 510, 530, 470, 505];
        let found = share(&hits, 1000, 5);
        let shares = hits.map(|hit| hit as f64 / 1000.0);
        let mean = shares.iter().sum::<f64>() / 5.0;
        let squares: f64 = shares.iter().map(|p| (p - mean) * (p - mean)).sum();
        let se = (squares / 20.0).sqrt();
        assert!((found.p.unwrap() - mean).abs() < 1e-15);
        assert!((found.se.unwrap() / se - 1.0).abs() < 1e-9);
        // Student's t with 4 degrees of freedom.
        let (low, high) = found.interval.unwrap();
        let ratio = (high - low) / (2.0 * 2.776_445_105 * se);
        assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
        assert!(((low + high) / 2.0 - mean).abs() < 0.001);
        assert_eq!(found.basis, Basis::Batches);
    }

    #[test]
    fn what_no_replica_saw_is_bounded_by_the_number_of_replicas() {
        let found = share(&[0; 8], 1_000_000, 400);
        assert_eq!((found.events, found.p, found.se), (0, Some(0.0), None));
        let (low, high) = found.interval.unwrap();
        // 0.05^(1/400), not 3 over the number of observations.
        assert!(low == 0.0 && (high - 0.007_461_3).abs() < 1e-6, "{high}");
        assert_eq!(found.basis, Basis::NotSeen(400));
        let all = share(&[50; 8], 50, 400);
        assert_eq!(all.interval.unwrap(), (1.0 - high, 1.0));
        assert_eq!(all.basis, Basis::AlwaysSeen(400));
    }

    #[test]
    fn single_events_have_jeffreys_poisson_interval_with_a_little_for_the_batches() {
        // Three single events: gamma(3.5) quantiles 0.84493 and 8.00638, of 0.9520 of them, (1.960 / 2.0096)^2.
        let mut hits = [0; 50];
        hits[..3].fill(1);
        let found = share(&hits, 20_000, 50);
        let (low, high) = found.interval.unwrap();
        assert_eq!(found.basis, Basis::FewEvents);
        assert!((low * 1e6 / 0.83 - 1.0).abs() < 0.03, "{low}");
        assert!((high * 1e6 / 8.2 - 1.0).abs() < 0.03, "{high}");
        let misses: Vec<u64> = hits.iter().map(|hit| 20_000 - hit).collect();
        let (low_of_misses, high_of_misses) = share(&misses, 20_000, 50).interval.unwrap();
        assert!((1.0 - low_of_misses - high).abs() < 1e-12);
        assert!((1.0 - high_of_misses - low).abs() < 1e-12);
    }

    #[test]
    fn events_of_one_batch_count_as_one() {
        let mut hits = [0; 50];
        hits[7] = 90;
        let (low, high) = share(&hits, 20_000, 50).interval.unwrap();
        // One cluster of 90: gamma(1.5) has 0.1079 and 4.674 of them.
        assert!((low * 1e6 / 90.0 / 0.104 - 1.0).abs() < 0.05, "{low}");
        assert!((high * 1e6 / 90.0 / 4.8 - 1.0).abs() < 0.05, "{high}");
    }

    #[test]
    fn few_events_count_as_the_clusters_of_nearer_thresholds_if_those_are_larger() {
        let mut hits = [0; 50];
        hits[..4].fill(2);
        let alone = share(&hits, 20_000, 500).interval.unwrap();
        let clustered = carrying(&hits, 20_000, 500, 40.0);
        let (low, high) = clustered.interval.unwrap();
        assert_eq!(clustered.basis, Basis::FewEvents);
        // 8 events are a fifth of a cluster of 40: gamma(0.7), up to 3.1 clusters.
        assert!((high * 1e6 / (40.0 * 3.2) - 1.0).abs() < 0.05, "{high}");
        assert!(low < alone.0 && high > 5.0 * alone.1);
        // Where enough was seen, its own inflation stands.
        let hits: Vec<u64> = (0..50).map(|batch| 90 + batch % 20).collect();
        assert_eq!(
            share(&hits, 20_000, 500),
            carrying(&hits, 20_000, 500, 40.0)
        );
    }

    #[test]
    fn equal_batches_of_few_events_are_not_certain() {
        let found = share(&[1; 12], 1000, 12);
        assert_eq!(found.se, Some(0.0));
        let (low, high) = found.interval.unwrap();
        assert!(low < 0.0007 && high > 0.0017, "{low} {high}");
        // Those of many are.
        assert_eq!(share(&[100; 12], 1000, 12).interval, Some((0.1, 0.1)));
    }

    #[test]
    fn where_one_batch_carries_most_events_they_are_few_however_many() {
        let mut hits = [0; 20];
        hits[..11].fill(20);
        hits[0] = 4000;
        // Student's interval would begin below zero.
        let found = share(&hits, 100_000, 20);
        let (low, high) = found.interval.unwrap();
        assert!(found.se.unwrap() * 2.093 > found.p.unwrap());
        assert_eq!(found.basis, Basis::FewEvents);
        assert!(low > 0.0 && low < 0.15 * found.p.unwrap(), "{low}");
        assert!(high > 4.0 * found.p.unwrap(), "{high}");
        let misses = hits.map(|hit| 100_000 - hit);
        let mirrored = share(&misses, 100_000, 20).interval.unwrap();
        assert!((1.0 - mirrored.0 - high).abs() < 1e-9 && (1.0 - mirrored.1 - low).abs() < 1e-9);
    }

    #[test]
    fn independent_observations_have_the_exact_interval_even_in_one_batch() {
        let one = Batches::new(&[10], 10, true, 0.95);
        let found = one.share(&one.spread(&[1]), 1.0);
        let (low, high) = found.interval.unwrap();
        assert!((low - 0.002_528_6).abs() < 1e-7 && (high - 0.445_016_1).abs() < 1e-7);
        assert_eq!((found.p, found.basis), (Some(0.1), Basis::Independent));
        let none = one.share(&one.spread(&[0]), 1.0);
        assert!((none.interval.unwrap().1 - 0.308_497_1).abs() < 1e-7);
        assert_eq!(none.basis, Basis::NotSeen(10));
    }

    #[test]
    fn one_batch_has_a_share_and_no_interval_and_nothing_has_neither() {
        let one = share(&[3], 10, 7);
        assert_eq!((one.p, one.interval), (Some(0.3), None));
        assert_eq!(one.basis, Basis::OneBatch);
        let none = share(&[0, 0], 0, 7);
        assert_eq!((none.p, none.basis), (None, Basis::NoData));
    }
}

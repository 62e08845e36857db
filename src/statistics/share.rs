//! The share of the observations that meet a condition, such as being above a threshold, and how sure it is.
//!
//! Owns the choice of the interval. Where each replica gave one observation, they are independent, and the interval is
//! the exact one of `binomial`. Otherwise observations of one replica depend on each other, so only batches and replicas
//! count as independent:
//!
//! - Where the event is frequent: the delete-one jackknife over batches and Student's t.
//! - Where few events were seen, or the former interval leaves \[0, 1\], batches that saw any are too few for Student's t, and their counts too skewed. The
//!   events of a batch then count as one cluster, however they depend on each other, and the clusters as a Poisson
//!   number: Fay and Feuer's interval for a weighted sum of Poisson numbers (Statistics in Medicine 16, 1997, 791),
//!   with the sizes of the clusters as weights. For single events it is the exact Poisson interval. It stands where it
//!   is the wider one.
//! - Where no event was seen: the chance that a replica sees any is at most 1 - alpha^(1/R), as none of R independent
//!   replicas did, and the share of events cannot exceed that chance.
//!
//! The same holds with "event" and "no event" exchanged. A share lies in \[0, 1\], so an interval that would leave it is cut
//! there.

use super::binomial::clopper_pearson;
use super::jackknife::jackknife;
use super::student_quantile;
use statrs::distribution::{ContinuousCDF, Gamma};

/// Below so many events an interval does not rest on the jackknife alone.
const FEW_EVENTS: u64 = 100;
/// Nor where some batches saw none and less than so many saw any.
const FEW_BATCHES: usize = 10;

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
    /// Clusters of few events, or the jackknife where that is wider.
    FewEvents,
    /// No event in so many replicas.
    NotSeen(u64),
    /// Nothing but events in so many replicas.
    AlwaysSeen(u64),
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
    /// Student's quantile for it; none with one batch.
    student: Option<f64>,
}

impl<'a> Batches<'a> {
    /// Batches of so many observations each, from so many replicas in all; `independent` where each replica gave one.
    pub fn new(
        totals: &'a [u64],
        replicas: u64,
        independent: bool,
        confidence: f64,
    ) -> Batches<'a> {
        let freedom = totals.len() as f64 - 1.0;
        Batches {
            totals,
            total: totals.iter().sum(),
            replicas,
            independent,
            confidence,
            student: student_quantile(confidence, freedom),
        }
    }

    /// All observations.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The share of observations that met a condition; `hits[batch]` of them did.
    pub fn share(&self, hits: &[u64]) -> Share {
        let events: u64 = hits.iter().sum();
        let none = Share {
            events,
            p: None,
            se: None,
            interval: None,
            basis: Basis::NoData,
        };
        if self.total == 0 {
            return none;
        }
        let ratio = |hits: u64, total: u64| (total > 0).then(|| hits as f64 / total as f64);
        let p = ratio(events, self.total);
        if self.independent {
            return self.independent_share(none);
        }
        let Some(student) = self.student else {
            let basis = Basis::OneBatch;
            return Share { p, basis, ..none };
        };
        let bound = -((1.0 - self.confidence).ln() / self.replicas as f64).exp_m1();
        if events == 0 {
            let (interval, basis) = (Some((0.0, bound)), Basis::NotSeen(self.replicas));
            return Share {
                p,
                interval,
                basis,
                ..none
            };
        }
        if events == self.total {
            let (interval, basis) = (Some((1.0 - bound, 1.0)), Basis::AlwaysSeen(self.replicas));
            return Share {
                p,
                interval,
                basis,
                ..none
            };
        }
        let left_out: Vec<Option<f64>> = (hits.iter().zip(self.totals))
            .map(|(&hit, &total)| ratio(events - hit, self.total - total))
            .collect();
        let value = p.unwrap_or(f64::NAN);
        let se = jackknife(p, &left_out).and_then(|jackknife| jackknife.se);
        let jackknife = se.map(|se| (value - student * se, value + student * se));
        let misses: Vec<u64> = hits
            .iter()
            .zip(self.totals)
            .map(|(hit, all)| all - hit)
            .collect();
        // An interval beyond what a share can be rests on too few batches, however many events they saw.
        let leaves = |test: &dyn Fn((f64, f64)) -> bool| jackknife.is_none_or(test);
        let clusters = if few(hits) || leaves(&|(low, _)| low <= 0.0) {
            self.clusters(hits)
        } else if few(&misses) || leaves(&|(_, high)| high >= 1.0) {
            self.clusters(&misses)
                .map(|(low, high)| (1.0 - high, 1.0 - low))
        } else {
            let (interval, basis) = (jackknife, Basis::Batches);
            return Share {
                events,
                p,
                se,
                interval,
                basis,
            };
        };
        let interval = match (clusters, jackknife) {
            (Some(clusters), Some(jackknife)) => Some(wider(cut(clusters), jackknife)),
            (clusters, jackknife) => clusters.or(jackknife).map(cut),
        };
        Share {
            events,
            p,
            se,
            interval,
            basis: Basis::FewEvents,
        }
    }

    /// The share where all observations are independent.
    fn independent_share(&self, share: Share) -> Share {
        let n = self.total as f64;
        let p = share.events as f64 / n;
        let seen = (1..self.total).contains(&share.events);
        Share {
            p: Some(p),
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

    /// Fay and Feuer's interval, each batch with events a cluster of that weight.
    fn clusters(&self, hits: &[u64]) -> Option<(f64, f64)> {
        let weights = || hits.iter().map(|&hit| hit as f64);
        let sum: f64 = weights().sum();
        let squares: f64 = weights().map(|weight| weight * weight).sum();
        let largest = weights().fold(0.0, f64::max);
        let tail = (1.0 - self.confidence) / 2.0;
        let quantile = |sum: f64, squares: f64, p: f64| {
            let law = Gamma::new(sum * sum / squares, sum / squares).ok()?;
            Some(law.inverse_cdf(p) / self.total as f64)
        };
        let low = quantile(sum, squares, tail)?;
        let high = quantile(sum + largest, squares + largest * largest, 1.0 - tail)?;
        (low.is_finite() && high.is_finite()).then_some((low, high))
    }
}

/// Whether too few events were seen, or by too few batches, for the jackknife alone.
fn few(hits: &[u64]) -> bool {
    let batches = hits.iter().filter(|&&hit| hit > 0).count();
    hits.iter().sum::<u64>() < FEW_EVENTS || (batches < FEW_BATCHES && batches < hits.len())
}

/// The interval within what a share can be.
fn cut((low, high): (f64, f64)) -> (f64, f64) {
    (low.clamp(0.0, 1.0), high.clamp(0.0, 1.0))
}

/// The further of the ends. An end of the jackknife beyond 0 or 1 says nothing, as both kinds of observations were
/// seen: there the other interval's stands.
fn wider(clusters: (f64, f64), jackknife: (f64, f64)) -> (f64, f64) {
    let low = if jackknife.0 > 0.0 {
        jackknife.0.min(clusters.0)
    } else {
        clusters.0
    };
    let high = if jackknife.1 < 1.0 {
        jackknife.1.max(clusters.1)
    } else {
        clusters.1
    };
    (low, high)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Basis, Batches, Share};

    fn share(hits: &[u64], each: u64, replicas: u64) -> Share {
        Batches::new(&vec![each; hits.len()], replicas, false, 0.95).share(hits)
    }

    #[test]
    fn a_frequent_event_has_the_mean_of_batches_and_students_interval() {
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
        assert!(((high - low) / (2.0 * 2.776_445_105 * se) - 1.0).abs() < 1e-6);
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
    fn single_events_have_the_exact_poisson_interval() {
        // Three events in 10^6 observations: 0.61867 to 8.76727 (Garwood 1936).
        let mut hits = [0; 50];
        hits[..3].fill(1);
        let found = share(&hits, 20_000, 50);
        let (low, high) = found.interval.unwrap();
        assert_eq!(found.basis, Basis::FewEvents);
        assert!((low * 1e6 - 0.618_67).abs() < 1e-5, "{low}");
        assert!((high * 1e6 - 8.767_27).abs() < 1e-5, "{high}");
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
        // One cluster of 90: 0.0253 and 5.5716 of them.
        assert!((low * 1e6 / 90.0 - 0.025_318).abs() < 1e-5, "{low}");
        assert!((high * 1e6 / 90.0 - 5.5716).abs() < 1e-3, "{high}");
    }

    #[test]
    fn the_further_of_the_ends_stands_unless_it_leaves_what_a_share_can_be() {
        // Five events: the jackknife's 5 - 2.01 sqrt(5 * 45/49) is below Garwood's 1.6235, its upper end below 11.668.
        let mut hits = [0; 50];
        hits[..5].fill(1);
        let (low, high) = share(&hits, 20_000, 50).interval.unwrap();
        assert!((low * 1e6 - 0.693_767).abs() < 1e-5, "{low}");
        assert!((high * 1e6 - 11.668_3).abs() < 1e-3, "{high}");
    }

    #[test]
    fn equal_batches_of_few_events_are_not_certain() {
        let found = share(&[1; 12], 1000, 12);
        assert_eq!(found.se, Some(0.0));
        let (low, high) = found.interval.unwrap();
        assert!(low < 0.0007 && high > 0.0017, "{low} {high}");
    }

    #[test]
    fn where_one_batch_carries_most_events_they_are_few_however_many() {
        let mut hits = [0; 20];
        hits[..11].fill(20);
        hits[0] = 4000;
        // The jackknife's interval would begin below zero.
        let found = share(&hits, 100_000, 20);
        let (low, high) = found.interval.unwrap();
        assert!(found.se.unwrap() * 2.093 > found.p.unwrap());
        assert_eq!(found.basis, Basis::FewEvents);
        assert!(low > 0.0 && low < 0.1 * found.p.unwrap(), "{low}");
        assert!(high > 4.0 * found.p.unwrap(), "{high}");
        let misses = hits.map(|hit| 100_000 - hit);
        let mirrored = share(&misses, 100_000, 20).interval.unwrap();
        assert!((1.0 - mirrored.0 - high).abs() < 1e-12 && (1.0 - mirrored.1 - low).abs() < 1e-12);
    }

    #[test]
    fn independent_observations_have_the_exact_interval_even_in_one_batch() {
        let one = Batches::new(&[10], 10, true, 0.95);
        let found = one.share(&[1]);
        let (low, high) = found.interval.unwrap();
        assert!((low - 0.002_528_6).abs() < 1e-7 && (high - 0.445_016_1).abs() < 1e-7);
        assert_eq!((found.p, found.basis), (Some(0.1), Basis::Independent));
        let none = one.share(&[0]);
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

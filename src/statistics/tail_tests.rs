//! Tails and quantiles of batches with known answers.

#![allow(clippy::unwrap_used)]

use super::{Basis, Tail};
use crate::models::{Histogram, Scale, log_linear_bin, log_linear_bins};

fn linear(bins: u32, width: u32, step: f64) -> Histogram {
    Histogram {
        name: "wait",
        bins,
        scale: Scale::Linear { origin: 0, width },
        step,
        unit: "",
    }
}

/// The tail of batches that are given as counts.
fn tail<'a>(histogram: &'a Histogram, batches: &[Vec<u64>]) -> Tail<'a> {
    let counts: Vec<&[u64]> = batches.iter().map(Vec::as_slice).collect();
    Tail::new(histogram, &counts, 16 * batches.len() as u64, false, 0.95)
}

#[test]
fn a_threshold_between_edges_moves_up_and_an_edge_stays_itself() {
    let histogram = linear(6, 2, 0.1);
    let tail = tail(
        &histogram,
        &[vec![4, 3, 2, 1, 0, 0], vec![4, 3, 2, 1, 0, 0]],
    );
    // 0.6 / 0.1 is 5.999999999999999 in floating point.
    for (t, edge, events) in [
        (-1.0, 0.0, 20),
        (0.0, 0.0, 20),
        (0.05, 0.2, 12),
        (0.2, 0.2, 12),
        (0.3, 0.4, 6),
        (0.6, 0.6, 2),
        (0.600_001, 0.8, 0),
        (1.2, 1.2, 0),
    ] {
        let (used, share) = tail.at(t).unwrap();
        assert!((used - edge).abs() < 1e-12, "{t}: {used}");
        assert_eq!(share.events, events, "{t}");
    }
    assert!(tail.at(1.3).is_none(), "beyond {}", tail.end());
}

#[test]
fn on_a_log_linear_scale_every_edge_is_found_as_itself() {
    let histogram = Histogram {
        name: "response",
        bins: log_linear_bins(3, 20),
        scale: Scale::LogLinear { bits: 3 },
        step: 1.0 / 4096.0,
        unit: "",
    };
    let tail = tail(&histogram, &vec![vec![1; histogram.bins as usize]; 2]);
    for bin in 0..=histogram.bins {
        let (edge, share) = tail.at(histogram.lower(bin)).unwrap();
        assert_eq!(edge, histogram.lower(bin));
        assert_eq!(share.events, 2 * u64::from(histogram.bins - bin));
    }
}

#[test]
fn what_holds_by_definition_is_certain_and_what_was_always_seen_is_not() {
    let histogram = linear(4, 1, 1.0);
    let tail = tail(&histogram, &[vec![0, 0, 5, 5], vec![0, 0, 5, 5]]);
    let bases: Vec<Basis> = tail.edges().map(|(_, share)| share.basis).collect();
    assert_eq!(
        bases[..3],
        [Basis::Certain, Basis::AlwaysSeen(32), Basis::AlwaysSeen(32)]
    );
    assert_eq!(bases[4], Basis::NotSeen(32));
    let intervals: Vec<_> = tail
        .edges()
        .filter_map(|(_, share)| share.interval)
        .collect();
    assert_eq!(intervals[0], (1.0, 1.0));
    assert!(intervals[1].0 < 1.0);
}

#[test]
fn a_quantile_is_the_bin_where_the_tail_falls_to_its_level() {
    let histogram = linear(10, 1, 0.5);
    let tail = tail(&histogram, &vec![vec![100; 10]; 20]);
    for (q, low) in [
        (0.05, 0),
        (0.1, 0),
        (0.100_1, 1),
        (0.5, 4),
        (0.9, 8),
        (0.95, 9),
    ] {
        let bin = (f64::from(low) / 2.0, f64::from(low + 1) / 2.0);
        assert_eq!(tail.quantile(q).bin, Some(bin), "{q}");
    }
    // Batches that agree have no error: the interval is the bin, or both where the level is met at their edge.
    let quantile = tail.quantile(0.55);
    assert_eq!((quantile.low, quantile.high), (Some(2.5), Some(3.0)));
    let quantile = tail.quantile(0.5);
    assert_eq!((quantile.low, quantile.high), (Some(2.0), Some(2.5)));
}

#[test]
fn the_interval_of_a_quantile_ends_on_the_outer_edges_of_what_the_tail_allows() {
    // Batches differ in how much is above 3: the share of values from 3 on is 0.5 on average.
    let histogram = linear(6, 1, 1.0);
    let batch = |high: u64| vec![100, 100, 300 - high, high, 100, 100];
    let batches: Vec<Vec<u64>> = (0..10).map(|i| batch(105 + 10 * i)).collect();
    let tail = tail(&histogram, &batches);
    let (_, share) = tail.at(3.0).unwrap();
    let (low, high) = share.interval.unwrap();
    assert!((share.p.unwrap() - 0.5).abs() < 1e-12 && low < 0.49 && high > 0.51);
    // The median is undecided between the bins at 2 and 3, a level beyond the interval is not.
    let median = tail.quantile(0.5);
    assert_eq!(median.bin, Some((2.0, 3.0)));
    assert_eq!((median.low, median.high), (Some(2.0), Some(4.0)));
    let below = tail.quantile(1.0 - high - 0.001);
    assert_eq!((below.low, below.high), (Some(2.0), Some(3.0)));
    let above = tail.quantile(1.0 - low + 0.001);
    assert_eq!((above.low, above.high), (Some(3.0), Some(4.0)));
}

#[test]
fn the_interval_of_a_quantile_holds_that_of_every_value_of_the_tail_consistent_with_it() {
    // Exponential values by a fixed sequence: every edge strictly inside is rejected by the tail's own interval, or not.
    let histogram = Histogram {
        name: "response",
        bins: log_linear_bins(5, 24),
        scale: Scale::LogLinear { bits: 5 },
        step: 1.0 / 65536.0,
        unit: "",
    };
    let mut state = 1_u64;
    let mut uniform = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let batches: Vec<Vec<u64>> = (0..32)
        .map(|_| {
            let mut counts = vec![0; histogram.bins as usize];
            for _ in 0..5000 {
                let value = (-uniform().ln() * 65536.0).round() as u32;
                counts[log_linear_bin(value, 5) as usize] += 1;
            }
            counts
        })
        .collect();
    let tail = tail(&histogram, &batches);
    for q in [0.01, 0.1, 0.5, 0.9, 0.99, 0.999] {
        let found = tail.quantile(q);
        let (low, high) = (found.low.unwrap(), found.high.unwrap());
        let (bin_low, bin_high) = found.bin.unwrap();
        assert!(low <= bin_low && bin_high <= high, "{q}: {found:?}");
        let exact = -(-q).ln_1p();
        assert!(low <= exact && exact <= high, "{q}: {exact} {found:?}");
        // The same quantile of a law 20 % slower is outside.
        assert!(!(low..=high).contains(&(1.2 * exact)), "{q}: {found:?}");
        for (edge, share) in tail.edges() {
            let (least, most) = share.interval.unwrap();
            if least <= 1.0 - q && 1.0 - q < most && (1..160_000).contains(&share.events) {
                assert!(low <= edge && edge < high, "{q}: {edge} {found:?}");
            }
        }
    }
}

#[test]
fn a_quantile_that_data_cannot_bound_has_no_upper_end_and_says_why() {
    let histogram = linear(5, 1, 1.0);
    let mut batches = vec![vec![900, 90, 9, 0, 0]; 20];
    batches[3][2] += 1;
    let tail = tail(&histogram, &batches);
    let far = tail.quantile(0.999_9);
    assert_eq!(far.bin, Some((2.0, 3.0)));
    assert_eq!(far.high, None);
    assert!(far.reason.unwrap().contains("no upper bound"));
    assert!(far.low.is_some());
    // 320 replicas bound what was never seen by 0.0093: enough for 0.99, whose level lies between seen shares anyway.
    let near = tail.quantile(0.98);
    assert_eq!((near.high, near.reason), (Some(2.0), None));
}

#[test]
fn one_batch_and_none_have_no_intervals() {
    let histogram = linear(2, 1, 1.0);
    let one = tail(&histogram, &[vec![5, 5]]).quantile(0.4);
    assert_eq!((one.bin, one.low, one.high), (Some((0.0, 1.0)), None, None));
    assert_eq!(one.reason.as_deref(), Some("one batch: no interval"));
    let none = tail(&histogram, &[vec![0, 0], vec![0, 0]]);
    assert_eq!(none.quantile(0.5).bin, None);
    assert_eq!(none.at(1.0).unwrap().1.basis, Basis::NoData);
}

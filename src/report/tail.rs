//! Tails and quantiles of a result, with what theory says beside them: as numbers, and as JSON.
//!
//! Owns which rows there are. Shares, quantiles and their intervals are made by `statistics`; the text is
//! `tail_text`'s.

pub use super::tail_text::text;
use super::{histogram_index, steady, swept_json, void_histogram};
use crate::ensemble::Results;
use crate::models::{Point, TailLaw};
use crate::statistics::{Basis, Quantile, Share, Table, Tail};
use serde_json::json;

/// What is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// Thresholds, in the histogram's unit.
    pub at: &'a [f64],
    /// Quantiles, between 0 and 1.
    pub quantiles: &'a [f64],
    /// Name of the histogram; none takes that of a time.
    pub histogram: Option<&'a str>,
    /// Index of the only point to show; none shows all.
    pub point: Option<u32>,
}

/// Tails and quantiles of a result.
#[derive(Debug)]
pub struct Tails {
    /// Which histogram.
    pub histogram: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The points.
    pub points: Vec<PointTail>,
}

/// Tails and quantiles at one point.
#[derive(Debug)]
pub struct PointTail {
    /// Index of the point.
    pub index: usize,
    /// Whether nothing speaks against a steady state there.
    pub steady: bool,
    /// Replicas that left the range of their integers; where there are any, there are no numbers.
    pub faults: u64,
    /// A row a threshold.
    pub tail: Vec<TailRow>,
    /// A row a quantile.
    pub quantiles: Vec<QuantileRow>,
}

/// P(T >= t).
#[derive(Debug)]
pub struct TailRow {
    /// The threshold asked for.
    pub t: f64,
    /// The edge used, and the share of values from there on; none beyond the last edge, or where the histogram is void.
    pub found: Option<(f64, Share)>,
    /// P(T >= edge) by the exact law.
    pub exact: Option<f64>,
    /// The same by a limiting law.
    pub limit: Option<f64>,
    /// What a reader should know about the numbers, or why there are none.
    pub reason: Option<String>,
}

/// A quantile.
#[derive(Debug)]
pub struct QuantileRow {
    /// Which one.
    pub q: f64,
    /// Its bin and interval; none where the histogram is void.
    pub found: Option<Quantile>,
    /// The quantile of the exact law.
    pub exact: Option<f64>,
    /// Why an end of its interval, or everything, is missing.
    pub reason: Option<String>,
}

/// What a reader should know about an interval.
fn remark(basis: Basis) -> Option<String> {
    match basis {
        Basis::Certain | Basis::Batches | Basis::Independent => None,
        Basis::NoData => Some("no observations".to_owned()),
        Basis::OneBatch => Some("one batch: no interval".to_owned()),
        Basis::FewEvents => Some("few events".to_owned()),
        Basis::NotSeen(replicas) => Some(format!("not seen in {replicas} replicas")),
        Basis::AlwaysSeen(replicas) => Some(format!("nothing else seen in {replicas} replicas")),
    }
}

/// The laws of a histogram: the exact one, and that of a limit.
pub(super) fn laws(results: &Results, histogram: &str) -> [Option<&'static TailLaw>; 2] {
    [true, false].map(|exact| {
        let laws = results.experiment.model.tails.iter();
        laws.filter(|law| law.histogram == histogram)
            .find(|law| law.exact == exact)
    })
}

/// Finds tails and quantiles.
///
/// # Errors
/// A histogram or a point that does not exist, and which there are.
pub fn tails(results: &Results, table: &Table, request: &Request<'_>) -> Result<Tails, String> {
    let index = histogram_index(results, request.histogram)?;
    let count = results.points.len();
    let wanted = match request.point {
        None => 0..count,
        Some(point) if (point as usize) < count => point as usize..point as usize + 1,
        Some(point) => {
            return Err(format!(
                "--point {point}: this file has the points 0 to {}",
                count - 1
            ));
        }
    };
    let first = &results.plans[0].histograms[index];
    Ok(Tails {
        histogram: first.name,
        unit: first.unit,
        points: wanted
            .map(|point| at_point(results, table, request, point, index))
            .collect(),
    })
}

fn at_point(
    results: &Results,
    table: &Table,
    request: &Request<'_>,
    index: usize,
    histogram: usize,
) -> PointTail {
    let (point, faults) = (&results.points[index], table.faults[index]);
    let tail = Tail::of(results, index, histogram, table.confidence);
    let histogram = &results.plans[index].histograms[histogram];
    let [exact, limit] = laws(results, histogram.name);
    let void = void_histogram(results, table, index, histogram.name);
    let value = |law: Option<&TailLaw>, t: f64| law.and_then(|law| (law.tail)(point, t));
    let tail_row = |&t: &f64| {
        let found = tail
            .at(t)
            .filter(|_| void.is_none())
            .map(|(edge, share)| (edge, *share));
        let edge = found.map_or(t, |(edge, _)| edge);
        let reason = match (found, void) {
            (Some((_, share)), _) => remark(share.basis),
            (None, Some(void)) => Some(void.to_owned()),
            (None, None) => Some(format!(
                "beyond the histogram, which ends at {}",
                tail.end()
            )),
        };
        TailRow {
            t,
            found,
            exact: value(exact, edge),
            limit: value(limit, edge),
            reason,
        }
    };
    let quantile_row = |&q: &f64| {
        let found = Some(tail.quantile(q)).filter(|_| void.is_none());
        QuantileRow {
            q,
            exact: exact.and_then(|law| exact_quantile(law, point, q, found.as_ref())),
            reason: match &found {
                Some(quantile) => quantile.reason.clone(),
                None => void.map(str::to_owned),
            },
            found,
        }
    };
    PointTail {
        index,
        steady: steady(results, table, index),
        faults,
        tail: request.at.iter().map(tail_row).collect(),
        quantiles: request.quantiles.iter().map(quantile_row).collect(),
    }
}

/// The quantile of a law, sought from what the data say.
fn exact_quantile(law: &TailLaw, point: &Point, q: f64, found: Option<&Quantile>) -> Option<f64> {
    let near = found
        .and_then(|quantile| quantile.bin)
        .map_or(1.0, |(_, high)| high);
    law.quantile(point, q, if near > 0.0 { near } else { 1.0 })
}

/// Everything as JSON; what does not exist is null.
pub fn json(results: &Results, table: &Table, tails: &Tails) -> serde_json::Value {
    let tail_row = |row: &TailRow| {
        let share = row.found.map(|(_, share)| share);
        let interval = share.and_then(|share| share.interval);
        json!({
            "t": row.t, "edge": row.found.map(|(edge, _)| edge), "p": share.and_then(|share| share.p),
            "se": share.and_then(|share| share.se), "lo": interval.map(|(lo, _)| lo),
            "hi": interval.map(|(_, hi)| hi), "exact": row.exact, "limit": row.limit,
            "events": share.map(|share| share.events),
            "few_events": share.map(|share| matches!(share.basis, Basis::FewEvents | Basis::NotSeen(_))),
            "reason": row.reason,
        })
    };
    let quantile_row = |row: &QuantileRow| {
        let found = row.found.as_ref();
        let bin = found.and_then(|quantile| quantile.bin);
        json!({
            "q": row.q, "lo_edge": bin.map(|(lo, _)| lo), "hi_edge": bin.map(|(_, hi)| hi),
            "lo": found.and_then(|quantile| quantile.low), "hi": found.and_then(|quantile| quantile.high),
            "exact": row.exact, "reason": row.reason,
        })
    };
    let points: Vec<serde_json::Value> = (tails.points.iter())
        .map(|point| {
            json!({
                "point": point.index,
                "parameters": swept_json(&results.experiment, &results.points[point.index]),
                "steady": point.steady, "faults": point.faults,
                "tail": point.tail.iter().map(tail_row).collect::<Vec<_>>(),
                "quantiles": point.quantiles.iter().map(quantile_row).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "title": results.experiment.title, "model": results.experiment.model.name,
        "seed": results.experiment.seed.to_string(), "replicas": results.experiment.replicas,
        "batches": results.experiment.batches, "confidence": table.confidence,
        "histogram": tails.histogram, "unit": tails.unit, "points": points,
    })
}

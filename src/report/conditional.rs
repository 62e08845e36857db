//! Tails from what jobs meet: conditional estimates at thresholds, and the depth to which they can be relied on.
//!
//! Owns which rows there are, and JSON. The estimate and its judgement are `statistics`'; the text is
//! `conditional_text`'s.

pub use super::conditional_text::text;
use super::tail::laws;
use super::{number, steady, swept_json, void_histogram};
use crate::ensemble::Results;
use crate::models::ConditionalLaw;
use crate::statistics::{Conditional, Table};
use rayon::prelude::*;
use serde_json::json;

/// By how much thresholds grow while the depth is sought.
const STEP: f64 = 1.25;
/// Relative width to which it is found.
const CLOSE: f64 = 1e-3;
/// Most steps towards it.
const MOST_STEPS: usize = 200;
/// Levels at whose thresholds rows stand where none are asked for: powers of a tenth.
const LEVELS: [f64; 20] = [
    std::f64::consts::LOG10_2,
    1.0,
    2.0,
    3.0,
    4.0,
    5.0,
    6.0,
    8.0,
    10.0,
    12.0,
    15.0,
    20.0,
    25.0,
    30.0,
    40.0,
    50.0,
    75.0,
    100.0,
    150.0,
    200.0,
];

/// The conditional tail of one point.
#[derive(Debug)]
pub struct PointTail {
    /// Index of the point.
    pub index: usize,
    /// Whether nothing speaks against a steady state there.
    pub steady: bool,
    /// Replicas that left the range of their integers; where there are any, there are no numbers.
    pub faults: u64,
    /// How many observations, one a replica.
    pub observations: usize,
    /// Which job of a replica is looked at, from 1.
    pub job: u64,
    /// The deepest threshold and its chance that can be relied on, if there is one.
    pub depth: Option<(f64, f64)>,
    /// A row a threshold.
    pub tail: Vec<Row>,
}

/// P(V > t).
#[derive(Debug)]
pub struct Row {
    /// The threshold.
    pub t: f64,
    /// The estimate; none where it cannot be relied on.
    pub found: Option<Conditional>,
    /// The same by the exact law.
    pub exact: Option<f64>,
    /// The same by a limiting law.
    pub limit: Option<f64>,
    /// Why there is none.
    pub reason: Option<String>,
}

/// What jobs of one point met.
#[derive(Debug)]
pub struct Met<'a> {
    /// The law given that.
    pub law: &'a ConditionalLaw,
    /// Index of the point.
    pub point: usize,
    /// The observations, one after another.
    pub observations: &'a [f64],
    /// How many there are.
    pub count: usize,
}

impl Met<'_> {
    /// The estimate at a threshold.
    fn at(&self, results: &Results, t: f64, confidence: f64) -> Option<Conditional> {
        let width = (self.observations.len() / self.count.max(1)).max(1);
        let point = &results.points[self.point];
        let mut weights: Vec<f64> = (self.observations)
            .par_chunks(width * 256)
            .flat_map_iter(|some| (self.law.chances)(point, some, t))
            .collect();
        Conditional::new(&mut weights, confidence)
    }
}

/// The tail at thresholds, or at those of round levels down to where it cannot be relied on; `weighed` is called after
/// each estimate, some dozens of times.
pub fn tail(
    results: &Results,
    table: &Table,
    met: &Met<'_>,
    at: &[f64],
    weighed: &dyn Fn(),
) -> PointTail {
    let plan = &results.plans[met.point];
    let mut found = PointTail {
        index: met.point,
        steady: steady(results, table, met.point),
        faults: table.faults[met.point],
        observations: met.count,
        job: u64::from((met.law.before)(plan)) + 1,
        depth: None,
        tail: Vec::new(),
    };
    let void = void_histogram(results, table, met.point, met.law.histogram);
    let estimate = |t: f64| {
        let found = met.at(results, t, table.confidence);
        weighed();
        found
    };
    let walk = if void.is_none() {
        walk(&estimate)
    } else {
        Vec::new()
    };
    found.depth = walk.last().copied();
    let thresholds = if at.is_empty() {
        ladder(&walk)
    } else {
        at.to_vec()
    };
    let refused = match (void, found.depth) {
        (Some(void), _) => void.to_owned(),
        (None, Some((_, p))) => format!("not reliable below {}", number::significant(p, 2)),
        (None, None) if met.count < Conditional::LEAST as usize => format!(
            "not reliable: {} observations, and at least {} are needed",
            met.count,
            Conditional::LEAST
        ),
        (None, None) => "not reliable at all".to_owned(),
    };
    let laws = laws(results, met.law.histogram);
    for t in thresholds {
        let near = found.depth.filter(|(deepest, _)| t <= *deepest);
        let row = near
            .and_then(|_| estimate(t))
            .filter(|row| row.interval.is_some());
        let [exact, limit] = laws.map(|law| (law?.tail)(&results.points[met.point], t));
        found.tail.push(Row {
            t,
            reason: row.is_none().then(|| refused.clone()),
            found: row,
            exact,
            limit,
        });
    }
    found
}

/// Thresholds and their chances, upwards to the deepest that can be relied on; none where there is no such.
fn walk(estimate: &dyn Fn(f64) -> Option<Conditional>) -> Vec<(f64, f64)> {
    let reliable = |t: f64| {
        let found = estimate(t).filter(|found| found.interval.is_some())?;
        Some((t, found.p))
    };
    let mut first = 1.0;
    for _ in 0..MOST_STEPS {
        if estimate(first).is_some_and(|found| found.p > 0.5) {
            break;
        }
        first /= 2.0;
    }
    let mut walk = Vec::new();
    let mut beyond = first;
    for _ in 0..MOST_STEPS {
        let Some(found) = reliable(beyond) else { break };
        walk.push(found);
        beyond *= STEP;
    }
    let Some(&(mut deepest, _)) = walk.last() else {
        return walk;
    };
    while beyond - deepest > CLOSE * deepest {
        let middle = 0.5 * (deepest + beyond);
        match reliable(middle) {
            Some(found) => {
                deepest = middle;
                walk.push(found);
            }
            None => beyond = middle,
        }
    }
    walk
}

/// Thresholds of three digits near the levels that were passed, and one beyond the last.
fn ladder(walk: &[(f64, f64)]) -> Vec<f64> {
    let round = |t: f64| {
        let unit = 10.0_f64.powf(t.log10().floor() - 2.0);
        (t / unit).round() * unit
    };
    let crossing = |level: &f64| {
        let log = |p: f64| -p.log10();
        let pairs = walk.windows(2).map(|pair| (pair[0], pair[1]));
        let passed = pairs.into_iter().find(|(_, (_, p))| log(*p) >= *level)?;
        let ((low, p), (high, q)) = passed;
        let share = ((level - log(p)) / (log(q) - log(p))).clamp(0.0, 1.0);
        Some(round(low + share * (high - low)))
    };
    let mut thresholds: Vec<f64> = LEVELS.iter().filter_map(crossing).collect();
    let (deepest, _) = walk.last().copied().unwrap_or((1.0, 1.0));
    thresholds.push(round(STEP * deepest));
    thresholds.dedup();
    thresholds
}

/// Everything as JSON; what does not exist is null.
pub fn json(
    results: &Results,
    table: &Table,
    law: &ConditionalLaw,
    points: &[PointTail],
) -> serde_json::Value {
    let row = |row: &Row| {
        let interval = row.found.and_then(|found| found.interval);
        json!({
            "t": row.t, "p": row.found.map(|found| found.p), "se": row.found.map(|found| found.se),
            "lo": interval.map(|(lo, _)| lo), "hi": interval.map(|(_, hi)| hi),
            "exact": row.exact, "limit": row.limit, "effective": row.found.map(|found| found.effective),
            "unseen": row.found.map(|found| found.unseen),
            "as_good_as": row.found.and_then(|found| found.as_good_as()), "reason": row.reason,
        })
    };
    let points: Vec<serde_json::Value> = (points.iter())
        .map(|point| {
            json!({
                "point": point.index,
                "parameters": swept_json(&results.experiment, &results.points[point.index]),
                "steady": point.steady, "faults": point.faults, "observations": point.observations,
                "job": point.job, "reliable_to": point.depth.map(|(t, p)| json!({ "t": t, "p": p })),
                "tail": point.tail.iter().map(row).collect::<Vec<_>>(),
            })
        })
        .collect();
    let unit = &results.plans[0].histograms;
    let unit = unit
        .iter()
        .find(|histogram| histogram.name == law.histogram);
    json!({
        "title": results.experiment.title, "model": results.experiment.model.name,
        "seed": results.experiment.seed.to_string(), "estimator": "conditional",
        "replicas": results.experiment.replicas, "confidence": table.confidence,
        "histogram": law.histogram, "unit": unit.map(|histogram| histogram.unit), "points": points,
    })
}

//! Reports: tables and figures for people and programs.
//!
//! Owns how results are shown. Does not compute statistics or read files.

mod best;
pub mod conditional;
mod conditional_text;
pub mod coverage;
mod distributions;
pub mod draw;
pub mod figure;
pub mod figures;
mod heatmap;
pub mod html;
pub(crate) mod number;
mod quantity;
pub mod summary;
pub mod tail;
mod tail_text;
mod trajectory;

use crate::ensemble::Results;
use crate::experiment::Experiment;
use crate::models::{Histogram, Point, Scale, Value};
use crate::statistics::{Estimate, Table};
use crate::store::{Columns, Ensemble, Estimates};
use serde_json::json;

/// The indices of the points at which the halves of some estimate differ beyond chance.
pub fn drifting_points(table: &Table) -> Vec<usize> {
    let drifts = |row: &[Estimate]| row.iter().any(|estimate| estimate.drifts);
    (0..table.estimates.len())
        .filter(|&point| drifts(&table.estimates[point]))
        .collect()
}

/// The indices of the points that are known to have no steady state.
pub fn unstable_points(results: &Results) -> Vec<usize> {
    (0..results.plans.len())
        .filter(|&point| results.plans[point].unstable)
        .collect()
}

/// Where an empty start has less warm-up than is known to be needed: how many points, the worst of them, and what it
/// needs.
pub fn short_warmup(experiment: &Experiment, points: &[Point]) -> Option<String> {
    let needed = |point: &Point| {
        let needed = (experiment.model.warmup)(point)?.ceil();
        (needed > point.warmup).then_some((point.index, needed))
    };
    let short: Vec<(u32, f64)> = points.iter().filter_map(needed).collect();
    let (worst, needed) = short
        .iter()
        .copied()
        .reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    Some(format!(
        "the warm-up of {} {unit} is short at {} of {} points: from an empty start point {worst} needs {needed} {unit} for a bias of its means below 1e-4",
        experiment.warmup,
        short.len(),
        points.len(),
        unit = experiment.model.span_unit,
    ))
}

/// The indices of the points where replicas left the range of their integers: they have no estimates.
pub fn faulty_points(table: &Table) -> Vec<usize> {
    (0..table.faults.len())
        .filter(|&point| table.faults[point] > 0)
        .collect()
}

/// Whether nothing speaks against a steady state at a point: no fault, no drift, and none is known to be lacking.
pub fn steady(results: &Results, table: &Table, point: usize) -> bool {
    table.faults[point] == 0
        && !results.plans[point].unstable
        && table.estimates[point]
            .iter()
            .all(|estimate| !estimate.drifts)
}

/// What happened at the first of the points at fault, for people; none when there is none.
pub fn fault_message(results: &Results, table: &Table) -> Option<String> {
    let faulty = faulty_points(table);
    let &first = faulty.first()?;
    let means = results.plans[first].fault.as_ref().map_or("", |f| f.means);
    Some(format!(
        "{} of {} points are void: at point {first}, {} of {} replicas {means}",
        faulty.len(),
        results.points.len(),
        table.faults[first],
        results.experiment.replicas
    ))
}

/// Where histograms are not those of a law, and why, a line each; nothing about points at fault.
pub fn lacking_notes(results: &Results, table: &Table) -> Vec<String> {
    let Some(lacking) = &results.experiment.model.lacking else {
        return Vec::new();
    };
    let void = |&point: &usize| {
        table.faults[point] == 0
            && void_histogram(results, table, point, lacking.histogram).is_some()
    };
    let points = (0..results.points.len()).filter(void).count();
    if points == 0 {
        return Vec::new();
    }
    let (name, all) = (lacking.histogram, results.points.len());
    vec![format!(
        "no {name} at {points} of {all} points: {}",
        lacking.reason
    )]
}

/// Why the shares of a point's histogram are not those of a law, if they are not.
fn void_histogram(
    results: &Results,
    table: &Table,
    point: usize,
    histogram: &str,
) -> Option<&'static str> {
    if table.faults[point] > 0 {
        return Some("void: replicas left the range of their integers");
    }
    results.lacking(point, histogram)
}

/// A number as JSON, a whole one without a fraction.
pub(crate) fn json_number(x: f64) -> serde_json::Value {
    /// Beyond, not every whole number is a double.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if x.fract() == 0.0 && x.abs() <= EXACT {
        json!(x as i64)
    } else {
        json!(x)
    }
}

/// A value as JSON; of a long list how many numbers it has.
fn json_value(value: &Value) -> serde_json::Value {
    /// Most numbers of a list that are written out.
    const MOST: usize = 20;
    match value {
        Value::Number(x) => json_number(*x),
        Value::Numbers(xs) if xs.len() > MOST => json!({"count": xs.len()}),
        Value::Numbers(xs) => xs.iter().map(|&x| json_number(x)).collect(),
        Value::Word(word) => json!(word),
        Value::Words(words) => json!(words),
        Value::Flag(flag) => json!(flag),
    }
}

/// The swept parameters of a point as JSON; all given ones when nothing is swept.
pub fn swept_json(experiment: &Experiment, point: &Point) -> serde_json::Value {
    let names: Vec<&str> = match &experiment.sweeps[..] {
        [] => experiment.fixed.iter().map(|(name, _)| *name).collect(),
        sweeps => sweeps.iter().map(|sweep| sweep.name).collect(),
    };
    names
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), json_value(point.get(name)?))))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// The estimates in the form that the store writes.
pub fn stored(results: &Results, table: &Table) -> Estimates {
    let columns = table
        .observables
        .iter()
        .enumerate()
        .map(|(which, observable)| {
            let column = |pick: &dyn Fn(&Estimate) -> Option<f64>| -> Vec<f64> {
                table
                    .estimates
                    .iter()
                    .map(|row| pick(&row[which]).unwrap_or(f64::NAN))
                    .collect()
            };
            Columns {
                name: observable.name,
                unit: observable.unit,
                long_name: observable.help,
                mean: column(&|estimate| estimate.mean),
                se: column(&|estimate| estimate.se),
                lo: column(&|estimate| estimate.interval.map(|(lo, _)| lo)),
                hi: column(&|estimate| estimate.interval.map(|(_, hi)| hi)),
                theory: table
                    .theory
                    .iter()
                    .map(|row| row[which].unwrap_or(f64::NAN))
                    .collect(),
            }
        });
    let ensembles = if results.experiment.record.ensemble {
        results
            .batches
            .iter()
            .map(|batches| {
                let (mean, variance) = trajectory::ensemble_moments(batches).into_iter().unzip();
                Ensemble { mean, variance }
            })
            .collect()
    } else {
        Vec::new()
    };
    Estimates {
        confidence: table.confidence,
        columns: columns.collect(),
        ensembles,
    }
}

/// The place of a histogram among those of each point: the one of that name, or else the first on a log-linear scale,
/// `wait`, or the first that starts at zero or above.
///
/// # Errors
/// The names there are, when `name` is none of them.
pub fn histogram_index(results: &Results, name: Option<&str>) -> Result<usize, String> {
    let histograms = results
        .plans
        .first()
        .map_or(&[][..], |plan| &plan.histograms);
    let find = |test: &dyn Fn(&Histogram) -> bool| histograms.iter().position(test);
    let found = match name {
        Some(name) => find(&|histogram| histogram.name == name),
        None => find(&|histogram| matches!(histogram.scale, Scale::LogLinear { .. }))
            .or_else(|| find(&|histogram| histogram.name == "wait"))
            .or_else(|| find(&|histogram| histogram.edge(0) >= 0))
            .or_else(|| find(&|_| true)),
    };
    found.ok_or_else(|| {
        let names: Vec<&str> = histograms.iter().map(|h| h.name).collect();
        let wanted = name.map_or(String::new(), |name| format!(" `{name}`"));
        format!(
            "there is no histogram{wanted}; this file has: {}",
            names.join(", ")
        )
    })
}

/// A histogram as CSV: point, swept parameters, (batch,) lowest whole number of the bin, whole numbers a bin, count,
/// and the bin's edges in the histogram's unit, which the last column names. Empty bins have rows, too.
///
/// # Errors
/// The names there are, when `name` is none of them.
pub fn histogram_csv(results: &Results, name: &str, by_batch: bool) -> Result<String, String> {
    let index = histogram_index(results, Some(name))?;
    let sweeps: Vec<&str> = results
        .experiment
        .sweeps
        .iter()
        .map(|sweep| sweep.name)
        .collect();
    let mut header = vec!["point"];
    header.extend(&sweeps);
    if by_batch {
        header.push("batch");
    }
    header.extend(["value", "width", "count", "lower", "upper", "unit"]);
    let mut text = header.join(",") + "\n";
    for ((point, plan), batches) in results
        .points
        .iter()
        .zip(&results.plans)
        .zip(&results.batches)
    {
        let first = plan.place(index).start;
        let histogram = &plan.histograms[index];
        let values: Vec<String> = sweeps
            .iter()
            .filter_map(|name| point.get(name))
            .map(|value| summary::csv_field(&value.to_string()))
            .collect();
        let prefix: String = std::iter::once(point.index.to_string())
            .chain(values)
            .map(|field| field + ",")
            .collect();
        for bin in 0..histogram.bins {
            let (value, width) = (histogram.edge(bin), histogram.width(bin));
            let edges = [bin, bin + 1].map(|bin| histogram.lower(bin).to_string());
            let edges = format!("{},{}", edges.join(","), summary::csv_field(histogram.unit));
            let counts = batches
                .iter()
                .map(|batch| batch.counts[first + bin as usize]);
            if by_batch {
                for (batch, count) in counts.enumerate() {
                    text.push_str(&format!(
                        "{prefix}{batch},{value},{width},{count},{edges}\n"
                    ));
                }
            } else {
                text.push_str(&format!(
                    "{prefix}{value},{width},{},{edges}\n",
                    counts.sum::<u64>()
                ));
            }
        }
    }
    Ok(text)
}

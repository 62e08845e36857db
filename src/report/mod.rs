//! Reports: tables and figures for people and programs.
//!
//! Owns how results are shown. Does not compute statistics or read files.

mod distributions;
pub mod draw;
pub mod figure;
pub mod figures;
pub(crate) mod number;
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

/// A value as JSON.
fn json_value(value: &Value) -> serde_json::Value {
    match value {
        Value::Number(x) => json!(x),
        Value::Numbers(xs) => json!(xs),
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

/// A histogram as CSV: point, swept parameters, (batch,) lowest value of the bin, values a bin, count.
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
    header.extend(["value", "width", "count"]);
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
            let counts = batches
                .iter()
                .map(|batch| batch.counts[first + bin as usize]);
            if by_batch {
                for (batch, count) in counts.enumerate() {
                    text.push_str(&format!("{prefix}{batch},{value},{width},{count}\n"));
                }
            } else {
                text.push_str(&format!(
                    "{prefix}{value},{width},{}\n",
                    counts.sum::<u64>()
                ));
            }
        }
    }
    Ok(text)
}

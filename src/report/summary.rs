//! The summary of a result file: a table for people, JSON and CSV for programs.
//!
//! One row a point: the swept parameters, then each estimate with its interval and theory beside it.

use super::{
    drifting_points, fault_message, faulty_points, lacking_notes, number, short_warmup, steady,
    swept_json, unstable_points,
};
use crate::ensemble::Results;
use crate::models::Value;
use crate::statistics::{Estimate, Table};
use comfy_table::{CellAlignment, presets};
use serde_json::json;

/// Names of the columns that identify a point.
pub(super) fn swept(results: &Results) -> Vec<&'static str> {
    results
        .experiment
        .sweeps
        .iter()
        .map(|sweep| sweep.name)
        .collect()
}

/// Why an estimate is not shown: it was not asked for, is undefined or infinite, ...
const NOT_THERE: &str = "they do not exist here";
/// ... or says nothing.
const ALL_ZERO: &str = "they are 0 everywhere";
/// Most names of estimates that are not shown.
const MOST_NAMED: usize = 8;

/// What is the same at every point and says nothing: (name, reason).
pub(super) fn uninformative(table: &Table, which: usize) -> Option<&'static str> {
    let values: Vec<Option<f64>> = table.estimates.iter().map(|row| row[which].mean).collect();
    if values.iter().all(Option::is_none) {
        Some(NOT_THERE)
    } else if values.iter().all(|value| *value == Some(0.0))
        && table
            .theory
            .iter()
            .all(|row| row[which].is_none_or(|t| t == 0.0))
    {
        Some(ALL_ZERO)
    } else {
        None
    }
}

/// The table for people. Where it is wider than `width` columns it is split: each part repeats the swept parameters.
pub fn text(results: &Results, table: &Table, width: Option<usize>) -> String {
    let mut text = heading(results);
    for part in parts(results, table, width) {
        text.push_str(&format!("{part}\n\n"));
    }
    text + &notes(results, table)
}

/// What was run, and on what.
pub(super) fn heading(results: &Results) -> String {
    let experiment = &results.experiment;
    let provenance = &results.provenance;
    format!(
        "{}\nmodel {}, seed {}, {} replicas in {} batches, warmup {} and duration {} {}; {} on {}\n\n",
        experiment.title,
        experiment.model.name,
        experiment.seed,
        experiment.replicas,
        experiment.batches,
        experiment.warmup,
        experiment.duration,
        experiment.model.span_unit,
        provenance.backend,
        provenance.adapter
    )
}

/// The columns of one estimate: itself, and theory where there is any.
fn columns(table: &Table, which: usize) -> Vec<Vec<String>> {
    let mut own = vec![table.observables[which].name.to_owned()];
    own.extend(table.estimates.iter().map(|row| cell(&row[which])));
    if table.theory.iter().all(|row| row[which].is_none()) {
        return vec![own];
    }
    let mut theory = vec!["theory".to_owned()];
    let value = |theory: Option<f64>| theory.map_or("-".to_owned(), |x| number::significant(x, 5));
    theory.extend(table.theory.iter().map(|row| value(row[which])));
    vec![own, theory]
}

/// The columns that say which point a row is about.
pub(super) fn labels(results: &Results) -> Vec<Vec<String>> {
    let mut labels = vec![vec!["point".to_owned()]];
    labels[0].extend((0..results.points.len()).map(|index| index.to_string()));
    for name in swept(results) {
        let mut column = vec![name.to_owned()];
        column.extend(results.points.iter().map(|point| match point.get(name) {
            Some(Value::Number(x)) => number::significant(*x, 6),
            Some(other) => other.to_string(),
            None => String::new(),
        }));
        labels.push(column);
    }
    labels
}

/// The table, in as many parts as the width asks for.
fn parts(results: &Results, table: &Table, width: Option<usize>) -> Vec<String> {
    let labels = labels(results);
    let wide = |columns: &[Vec<String>]| -> usize {
        let widest = |column: &Vec<String>| {
            column
                .iter()
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
                + 2
        };
        columns.iter().map(widest).sum()
    };
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(wide(&labels)));
    let mut parts: Vec<Vec<Vec<String>>> = vec![Vec::new()];
    for which in (0..table.observables.len()).filter(|&which| uninformative(table, which).is_none())
    {
        let columns = columns(table, which);
        let full = parts
            .last()
            .is_some_and(|part| !part.is_empty() && wide(part) + wide(&columns) > room);
        if full {
            parts.push(Vec::new());
        }
        if let Some(part) = parts.last_mut() {
            part.extend(columns);
        }
    }
    parts
        .into_iter()
        .map(|part| render(&labels, &part, results.points.len()))
        .collect()
}

fn render(labels: &[Vec<String>], part: &[Vec<String>], points: usize) -> String {
    let columns: Vec<&Vec<String>> = labels.iter().chain(part).collect();
    let row = |index: usize| {
        columns
            .iter()
            .map(|column| column[index].clone())
            .collect::<Vec<String>>()
    };
    let mut rows = comfy_table::Table::new();
    rows.load_style(presets::NOTHING).set_header(row(0));
    for index in 1..=points {
        rows.add_row(row(index));
    }
    for column in rows.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    rows.trim_fmt()
}

/// What the reader of the table should know.
fn notes(results: &Results, table: &Table) -> String {
    let batches = results.experiment.batches;
    let mut text = if batches > 1 {
        format!(
            "± half of the {} % interval (Student t over {batches} batches, corrected for skewness)\n",
            table.confidence * 100.0
        )
    } else {
        "one batch: there are no intervals; give the experiment more batches\n".to_owned()
    };
    if batches > 1 && shows_no_formula(table) {
        text.truncate(text.len() - 1);
        text.push_str("; theory \"-\": no formula holds there\n");
    }
    if let Some(mean) = sample_means(results) {
        text.push_str(&format!(
            "measured sizes are scaled to mean 1: the unit of time is their mean, {mean}\n"
        ));
    }
    for reason in [NOT_THERE, ALL_ZERO] {
        let names: Vec<&str> = (table.observables.iter().enumerate())
            .filter(|(which, _)| uninformative(table, *which) == Some(reason))
            .map(|(_, observable)| observable.name)
            .collect();
        let more = match names.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        if !names.is_empty() {
            let named = names[..names.len().min(MOST_NAMED)].join(", ");
            text.push_str(&format!("not shown, since {reason}: {named}{more}\n"));
        }
    }
    text + &warnings(results, table)
}

/// Whether some column of theory has a formula at some points and none at others.
fn shows_no_formula(table: &Table) -> bool {
    (0..table.observables.len())
        .filter(|&which| uninformative(table, which).is_none())
        .any(|which| {
            let known = (table.theory.iter()).filter(|row| row[which].is_some());
            (1..table.theory.len()).contains(&known.count())
        })
}

/// The means of measured sizes before scaling: of all points where they are the same, else their range.
fn sample_means(results: &Results) -> Option<String> {
    let used = results.plans.iter().flat_map(|plan| &plan.used);
    let means = used.filter(|(name, _)| *name == "sample_mean");
    let means = means.filter_map(|(_, values)| values.first().copied());
    let range = means.map(|mean| (mean, mean));
    let (least, most) = range.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    Some(if least < most {
        let [least, most] = [least, most].map(|mean| number::significant(mean, 6));
        format!("{least} to {most}")
    } else {
        number::significant(most, 6)
    })
}

/// What casts doubt on the numbers of a run, a line each.
pub(super) fn warnings(results: &Results, table: &Table) -> String {
    let mut text = String::new();
    let all = fault_message(results, table).into_iter();
    let short = short_warmup(&results.experiment, &results.points);
    for warning in all.chain(short).chain(lacking_notes(results, table)) {
        text.push_str(&format!("! {warning}\n"));
    }
    let unstable = unstable_points(results);
    if !unstable.is_empty() {
        text.push_str(&format!(
            "! unstable: {} of {} points have no steady state; their numbers grow with the span and describe nothing else\n",
            unstable.len(),
            results.points.len()
        ));
    }
    let drifting = drifting_points(table);
    if !drifting.is_empty() {
        text.push_str(&format!(
            "! not steady: at {} of {} points the second half of the measured span differs from the first; a longer warm-up is needed, or there is no stationary law\n",
            drifting.len(),
            results.points.len()
        ));
    }
    text
}

fn cell(estimate: &Estimate) -> String {
    let half = estimate.interval.map(|(lo, hi)| (hi - lo) / 2.0);
    let mark = if estimate.drifts { "! " } else { "" };
    estimate.mean.map_or("-".to_owned(), |mean| {
        format!("{mark}{}", number::with_half_width(mean, half))
    })
}

/// Everything as JSON; what does not exist is null.
pub fn json(results: &Results, table: &Table) -> serde_json::Value {
    let points: Vec<serde_json::Value> = results.points.iter().enumerate().map(|(index, point)| {
        let estimates: serde_json::Map<String, serde_json::Value> = table.observables.iter().enumerate().map(|(which, observable)| {
            let estimate = &table.estimates[index][which];
            let value = json!({
                "mean": estimate.mean, "se": estimate.se, "lo": estimate.interval.map(|(lo, _)| lo),
                "hi": estimate.interval.map(|(_, hi)| hi), "theory": table.theory[index][which], "drifts": estimate.drifts,
            });
            (observable.name.to_owned(), value)
        }).collect();
        json!({
            "parameters": swept_json(&results.experiment, point), "steady": steady(results, table, index),
            "estimates": estimates,
        })
    }).collect();
    json!({
        "title": results.experiment.title, "model": results.experiment.model.name, "seed": results.experiment.seed.to_string(),
        "replicas": results.experiment.replicas, "batches": results.experiment.batches, "confidence": table.confidence,
        "drifting_points": drifting_points(table), "unstable_points": unstable_points(results),
        "faulty_points": faulty_points(table), "points": points,
    })
}

/// A field of CSV, quoted where it must be.
pub fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Everything as CSV; what does not exist is empty.
pub fn csv(results: &Results, table: &Table) -> String {
    let sweeps = swept(results);
    let mut header = vec!["point".to_owned()];
    header.extend(sweeps.iter().map(|name| (*name).to_owned()));
    for observable in table.observables {
        let name = observable.name;
        header.extend(
            ["", "_se", "_lo", "_hi", "_theory", "_drifts"].map(|end| format!("{name}{end}")),
        );
    }
    let mut text = header.join(",") + "\n";
    let field = |value: Option<f64>| value.map_or(String::new(), |x| x.to_string());
    for (index, point) in results.points.iter().enumerate() {
        let mut row = vec![index.to_string()];
        row.extend(sweeps.iter().map(|name| {
            point
                .get(name)
                .map_or(String::new(), |value| csv_field(&value.to_string()))
        }));
        for (which, estimate) in table.estimates[index].iter().enumerate() {
            row.extend(
                [
                    estimate.mean,
                    estimate.se,
                    estimate.interval.map(|(lo, _)| lo),
                    estimate.interval.map(|(_, hi)| hi),
                    table.theory[index][which],
                ]
                .map(field),
            );
            row.push(estimate.drifts.to_string());
        }
        text.push_str(&(row.join(",") + "\n"));
    }
    text
}

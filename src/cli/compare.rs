//! `queuefarm compare`: differences and ratios between two results, or between points of one.

use super::summary::level;
use super::{Failure, open, output};
use crate::ensemble::Results;
use crate::report::number::{significant, with_half_width};
use crate::report::swept_json;
use crate::statistics::{Difference, Interval, differences, paired};
use clap::Args;
use comfy_table::{CellAlignment, presets};
use serde_json::json;
use std::path::PathBuf;

/// Compare two result files, or points of one, with intervals for differences and ratios
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm compare a.h5 b.h5                    point by point
  queuefarm compare a.h5                         every point with the first
  queuefarm compare a.h5 --points 0,3            two points of one file
  queuefarm compare a.h5 b.h5 --points 0,3       a point of each

Batches that drew the same random numbers (same seed, same stream, same sizes; within a file with
common_random_numbers = true) are compared in pairs. `saved` is by how much that reduces the variance of the
difference: so many times the replicas would be needed without.")]
pub struct Arguments {
    /// A result file
    first: PathBuf,
    /// Another one, of the same model
    second: Option<PathBuf>,
    /// Indices of two points, from 0: of the one file, or one of each
    #[arg(long, value_name = "P,Q", value_parser = points)]
    points: Option<(usize, usize)>,
    /// Level of the intervals
    #[arg(long, default_value_t = 0.95, value_parser = level)]
    confidence: f64,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Two indices.
fn points(text: &str) -> Result<(usize, usize), String> {
    let pair = text
        .split_once(',')
        .and_then(|(p, q)| Some((p.trim().parse().ok()?, q.trim().parse().ok()?)));
    pair.ok_or_else(|| "two indices of points with a comma between them, such as 0,3".to_owned())
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let first = open::results(&arguments.first)?;
    let other = match &arguments.second {
        Some(path) => Some(open::results(path)?),
        None => None,
    };
    let second = other.as_ref().unwrap_or(&first);
    let models = [&first, second].map(|results| results.experiment.model.name);
    if models[0] != models[1] {
        return Err(Failure::Usage(format!(
            "the files are of different models, {} and {}: their estimates have nothing in common",
            models[0], models[1]
        )));
    }
    let pairs = pairs(arguments, &first, other.as_ref())?;
    let mut rows = Vec::new();
    for (p, q) in pairs {
        let sides = ((&first, p), (second, q));
        let found = differences(sides.0, sides.1, arguments.confidence);
        rows.push((p, q, paired(sides.0, sides.1), found));
    }
    if arguments.json {
        let value = |interval: &Option<Interval>| {
            interval.map(|i| {
                json!({
                    "value": i.value, "se": i.se, "lo": i.interval.map(|i| i.0), "hi": i.interval.map(|i| i.1),
                })
            })
        };
        let rows: Vec<_> = rows
            .iter()
            .map(|(p, q, paired, found)| {
                let estimates: serde_json::Map<String, serde_json::Value> = (found.iter())
                    .map(|d| {
                        (d.name.to_owned(), json!({
                            "first": d.values[0], "second": d.values[1], "difference": value(&d.difference),
                            "ratio": value(&d.ratio), "variance_saved": d.saved,
                        }))
                    })
                    .collect();
                json!({
                    "first": {"point": p, "parameters": swept_json(&first.experiment, &first.points[*p])},
                    "second": {"point": q, "parameters": swept_json(&second.experiment, &second.points[*q])},
                    "paired": paired, "estimates": estimates,
                })
            })
            .collect();
        return output::print_json(
            &json!({"confidence": arguments.confidence, "comparisons": rows}),
        );
    }
    let all: String = rows.iter().map(text).collect();
    output::print(&all)
}

/// Which points are compared.
fn pairs(
    arguments: &Arguments,
    first: &Results,
    other: Option<&Results>,
) -> Result<Vec<(usize, usize)>, Failure> {
    let counts = [first, other.unwrap_or(first)].map(|results| results.points.len());
    if let Some((p, q)) = arguments.points {
        for (point, count) in [(p, counts[0]), (q, counts[1])] {
            if point >= count {
                return Err(Failure::Usage(format!(
                    "--points: there is no point {point}; the file has the points 0 to {}",
                    count - 1
                )));
            }
        }
        return Ok(vec![(p, q)]);
    }
    match other {
        Some(_) if counts[0] == counts[1] => Ok((0..counts[0]).map(|p| (p, p)).collect()),
        Some(_) => Err(Failure::Usage(format!(
            "the files have {} and {} points; say which to compare, such as --points 0,0",
            counts[0], counts[1]
        ))),
        None if counts[0] > 1 => Ok((1..counts[0]).map(|q| (0, q)).collect()),
        None => Err(Failure::Usage(
            "the file has one point; name a second file to compare it with".to_owned(),
        )),
    }
}

fn text((p, q, paired, found): &(usize, usize, bool, Vec<Difference>)) -> String {
    let mut rows = comfy_table::Table::new();
    rows.load_style(presets::NOTHING);
    let mut header = vec!["estimate", "first", "second", "difference", "ratio"];
    if *paired {
        header.push("saved");
    }
    rows.set_header(header);
    let half = |interval: &Option<Interval>| {
        interval.map_or("-".to_owned(), |i| {
            let half = i.interval.map(|(low, high)| (high - low) / 2.0);
            with_half_width(i.value, half)
        })
    };
    for d in found.iter().filter(|d| d.difference.is_some()) {
        let number = |x: Option<f64>| x.map_or("-".to_owned(), |x| significant(x, 6));
        let mut row = vec![
            d.name.to_owned(),
            number(d.values[0]),
            number(d.values[1]),
            half(&d.difference),
            half(&d.ratio),
        ];
        if *paired {
            row.push(d.saved.map_or("-".to_owned(), |saved| {
                format!("{}x", significant(saved, 3))
            }));
        }
        rows.add_row(row);
    }
    for column in rows.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let how = if *paired {
        "same random numbers, batches compared in pairs"
    } else {
        "independent"
    };
    format!(
        "point {p} and point {q}: second minus first, second over first; {how}\n{}\n\n",
        rows.trim_fmt()
    )
}

//! The figure of measured coverage: a row for each quantity, in it a mark for each point, and the nominal level.
//!
//! Owns what shares a row. What is counted is `statistics::coverage`'s.

use super::figure::{Axis, Figure, Mark, Series, Style};
use super::number::significant;
use super::quantity::legend;
use crate::ensemble::Ensemble;
use crate::statistics::{Coverage, CoverageRow, Quantity};

/// How far from 95 % a share may be for the intervals to be called right, in percent; in proportion at other levels.
const TOLERANCE: f64 = 1.5;
/// A tail with more than this chance is not named by its events: one half stands for it.
const FREQUENT: f64 = 0.25;
/// The share of a row's height over which its marks are spread.
const SPREAD: f64 = 0.6;
/// The share that the axis shows at least, in percent; and the next that it shows, where there is any below that.
const STEP: f64 = 10.0;

/// Makes the figure of how often intervals held the exact value.
pub fn figure(ensemble: &Ensemble, coverage: &Coverage) -> Figure {
    let experiment = &ensemble.experiment;
    let swept: Vec<&str> = experiment.sweeps.iter().map(|sweep| sweep.name).collect();
    let mut names: Vec<String> = Vec::new();
    for row in &coverage.rows {
        let name = name(row);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    // The first row is at the top.
    names.reverse();
    let points = ensemble.points.len() as f64;
    let place = |row: &CoverageRow| {
        let of_row = names.iter().position(|known| *known == name(row));
        let of_point = SPREAD * (0.5 - (row.point as f64 + 0.5) / points);
        of_row.map_or(f64::NAN, |at| at as f64 + 0.5 + of_point)
    };
    let mut series: Vec<Series> = (ensemble.points.iter().enumerate())
        .map(|(index, point)| Series {
            label: legend(experiment.model, &swept, point),
            marks: (coverage.rows.iter())
                .filter(|row| row.point == index)
                .filter_map(|row| mark(row, place(row)))
                .collect(),
            style: Style::Sideways,
            ..Series::default()
        })
        .collect();
    let least = (series.iter().flat_map(|series| &series.marks))
        .filter_map(|mark| mark.interval)
        .fold(100.0 * coverage.confidence, |least, (low, _)| {
            least.min(low)
        });
    series.push(nominal(coverage.confidence, names.len()));
    let without = coverage.rows.iter().filter(|row| row.intervals == 0);
    let without = match without.count() {
        0 => String::new(),
        count => format!("{count} of the quantities had no interval in any run.\n"),
    };
    Figure {
        title: experiment.title.clone(),
        x: Axis {
            label: "intervals that held the exact value (%)".to_owned(),
            range: Some((STEP * ((least / STEP).ceil() - 1.0).max(0.0), 100.0)),
            ..Axis::default()
        },
        y: Axis {
            names,
            ..Axis::default()
        },
        series,
        note: format!(
            "{without}{} runs of {} replicas in {} batches, seed {}; the confidence intervals are Clopper and Pearson's, 95 %, of each share",
            coverage.runs, experiment.replicas, experiment.batches, experiment.seed
        ),
        ..Figure::default()
    }
}

/// What a row is called at all points: tails that expect about as many events share a row, wherever their edges are.
fn name(row: &CoverageRow) -> String {
    match row.quantity {
        Quantity::Tail { .. } if row.exact > FREQUENT => {
            format!("P({} ≥ median)", of(row))
        }
        Quantity::Tail { events, .. } => {
            let about = 10f64.powi(events.log10().round() as i32);
            format!("P({} ≥ t), {} events", of(row), significant(about, 6))
        }
        _ => row.name.clone(),
    }
}

/// What the tail of a row is the tail of.
fn of(row: &CoverageRow) -> &str {
    let (what, _) = row.name.split_once(" >=").unwrap_or((&row.name, ""));
    what.trim_start_matches("P(")
}

fn mark(row: &CoverageRow, y: f64) -> Option<Mark> {
    let interval = row.coverage_interval();
    Some(Mark {
        x: 100.0 * row.coverage()?,
        y,
        interval: interval.map(|(low, high)| (100.0 * low, 100.0 * high)),
    })
}

/// The nominal level as a line, on a band of what is near enough to it.
fn nominal(confidence: f64, rows: usize) -> Series {
    let (level, top) = (100.0 * confidence, rows as f64);
    let tolerance = TOLERANCE * (1.0 - confidence) / 0.05;
    let ends = [level - tolerance, level + tolerance];
    let words = ends.map(|end| significant(end, 4));
    Series {
        label: format!(
            "nominal: {} %, and {} to {} %",
            significant(level, 6),
            words[0],
            words[1]
        ),
        marks: ends
            .map(|x| Mark {
                x,
                y: 0.0,
                interval: Some((0.0, top)),
            })
            .to_vec(),
        line: vec![(level, 0.0), (level, top)],
        style: Style::Reference,
        ..Series::default()
    }
}

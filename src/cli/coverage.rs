//! `queuefarm coverage`: repeats an experiment under fresh seeds, and counts how often intervals held the exact value.
//!
//! Owns the loop over repetitions and the table. What is counted, and the seeds, are `statistics`'; the picture is
//! `report::coverage`'s.

use super::backend::Choice;
use super::summary::level;
use super::{Failure, dry_run, open, output, plot, progress, run, stop};
use crate::engine::{Backend, Fault, Watch};
use crate::ensemble::{Ensemble, Results, RunError};
use crate::report::number::significant;
use crate::report::{self, draw, swept_json};
use crate::statistics::{Coverage, CoverageRow, Outcome, Quantity, seed_of};
use clap::Args;
use comfy_table::{CellAlignment, presets};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Most repetitions that are kept in memory at a time, and their bytes.
const TOGETHER: (u64, u64) = (64, 1 << 28);

/// Measure how often intervals hold the exact value
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm coverage tail.toml --runs 1000
  queuefarm coverage tail.toml --runs 4000 --set replicas=4096 --set load=0.9 --plot coverage.svg
  queuefarm coverage tail.toml --runs 1000 --json | jq '.rows[] | [.name, .coverage]'

The experiment is run again and again, each time under a seed that follows from its own and the number of the run, and
no result is written. For every estimate, quantile and tail with an exact law, the table says how often the interval held
the exact value. `low` and `high` are the 95 % interval of that share (Clopper and Pearson), `below` and `above` the
shares of intervals that lie below the exact value and above it, `half width` the mean of half the width over the exact
value, `z` the mean of (estimate - exact) / standard error. `short` marks shares surely below the level of intervals.")]
pub struct Arguments {
    /// The experiment file (TOML)
    file: PathBuf,
    /// How often to run it
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Level of the intervals
    #[arg(long, default_value_t = 0.95, value_parser = level)]
    confidence: f64,
    #[command(flatten)]
    choice: Choice,
    /// The seed from which those of the runs follow, instead of the file's: decimal or 0x...
    #[arg(long, value_name = "S", value_parser = run::seed)]
    seed: Option<u64>,
    /// Replace or add a key of the file: replicas=128, load=0.3
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Also draw the shares, beside the level that they should have
    #[arg(long, value_name = "FIG.svg|FIG.png")]
    plot: Option<PathBuf>,
    /// No progress and no messages
    #[arg(short, long)]
    quiet: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut experiment = open::experiment(&arguments.file, &arguments.set, arguments.seed)?;
    // Of a single run, one would want these; here they cost time, and adding batches until an interval is narrow
    // would change what is measured.
    experiment.record.trajectories = 0;
    experiment.record.ensemble = false;
    let say = |text: &str| {
        if !arguments.quiet {
            eprintln!("{text}");
        }
    };
    if experiment.target.take().is_some() {
        say("note: the target is not pursued: every run has the replicas of the file");
    }
    let name = arguments.file.display();
    if experiment.batches < 2 {
        return Err(Failure::Usage(format!(
            "{name}: with one batch there are no intervals; give more, for example --set batches=64"
        )));
    }
    let ensemble = Ensemble::new(&experiment).map_err(Failure::failed)?;
    if !Coverage::possible(&ensemble) {
        return Err(Failure::Usage(format!(
            "{name}: no exact law is known for these parameters of {}, so nothing says what an interval should hold; docs/theory.md says where there is one",
            experiment.model.name
        )));
    }
    if let Some(complaint) = dry_run::too_large(&ensemble) {
        return Err(Failure::Failed(complaint));
    }
    if let Some(picture) = &arguments.plot {
        draw::check(picture).map_err(plot::not_drawn)?;
    }
    let mut backend = arguments.choice.open()?;
    let (steps, span) = (ensemble.steps(), experiment.model.span);
    let total = steps.saturating_mul(u64::from(arguments.runs));
    say(&format!(
        "{}: {} runs of {} points of {} replicas in {} batches, {} replica-{span} on {}",
        experiment.model.name,
        arguments.runs,
        ensemble.points.len(),
        experiment.replicas,
        experiment.batches,
        progress::count(total as f64),
        backend.adapter()
    ));
    let watch = Arc::new(Watch::new());
    stop::on_signals(&watch);
    let what = format!("replica-{span}");
    let mut coverage = None;
    let ended = progress::show(&watch, total, arguments.quiet, &what, || {
        repeat(
            &ensemble,
            arguments,
            backend.as_mut(),
            &watch,
            &mut coverage,
        )
    });
    for incident in backend.incidents() {
        say(&format!("warning: {incident}"));
    }
    if let Some(coverage) = &coverage {
        if arguments.json {
            output::print_json(&as_json(&ensemble, arguments, coverage))?;
        } else {
            output::print(&text(&ensemble, coverage))?;
        }
        if let Some(picture) = &arguments.plot {
            let figure = report::coverage::figure(&ensemble, coverage);
            draw::draw(&figure, picture).map_err(plot::not_drawn)?;
            say(&format!("wrote {}", picture.display()));
        }
    }
    let done = coverage.map_or(0, |coverage| coverage.runs);
    ended.map_err(|error| match error {
        RunError::Fault(Fault::Stopped) => Failure::Interrupted(format!(
            "interrupted after {done} of {} runs",
            arguments.runs
        )),
        other => Failure::failed(other),
    })
}

/// Repeats the ensemble; what has been counted stands in `coverage` even where this ends early.
fn repeat(
    ensemble: &Ensemble,
    arguments: &Arguments,
    backend: &mut dyn Backend,
    watch: &Watch,
    coverage: &mut Option<Coverage>,
) -> Result<(), RunError> {
    let (most, bytes) = TOGETHER;
    let together = (bytes / ensemble.result_bytes().max(1)).clamp(1, most) as usize;
    let runs: Vec<u32> = (0..arguments.runs).collect();
    for chunk in runs.chunks(together) {
        let mut ended = Ok(());
        let mut results: Vec<Results> = Vec::with_capacity(chunk.len());
        for &run in chunk {
            let mut again = ensemble.clone();
            again.experiment.seed = seed_of(ensemble.experiment.seed, run);
            match again.run(backend, watch) {
                Ok(done) => results.push(done),
                Err(error) => {
                    ended = Err(error);
                    break;
                }
            }
        }
        let Some(first) = results.first() else {
            return ended;
        };
        let coverage = coverage.get_or_insert_with(|| Coverage::new(first, arguments.confidence));
        let known = &*coverage;
        let outcomes: Vec<Vec<Outcome>> = (results.par_iter())
            .map(|results| known.outcomes(results))
            .collect();
        for outcomes in &outcomes {
            coverage.add(outcomes);
        }
        ended?;
    }
    Ok(())
}

/// Whether the interval of the share lies below the level of the intervals.
fn short(row: &CoverageRow, confidence: f64) -> bool {
    row.coverage_interval()
        .is_some_and(|(_, high)| high < confidence)
}

fn share(count: u64, row: &CoverageRow) -> Option<f64> {
    (row.intervals > 0).then(|| count as f64 / row.intervals as f64)
}

fn text(ensemble: &Ensemble, coverage: &Coverage) -> String {
    let percent = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{:.1}", 100.0 * x));
    let number = |x: Option<f64>, digits| x.map_or("-".to_owned(), |x| significant(x, digits));
    let mut rows = comfy_table::Table::new();
    rows.load_style(presets::NOTHING);
    rows.set_header([
        "point",
        "estimate",
        "exact",
        "events",
        "held %",
        "low",
        "high",
        "below",
        "above",
        "half width %",
        "z",
        "unbounded",
        "none",
        "",
    ]);
    for row in &coverage.rows {
        let events = match row.quantity {
            Quantity::Tail { events, .. } => format!("{events:.0}"),
            _ => String::new(),
        };
        let interval = row.coverage_interval();
        rows.add_row([
            row.point.to_string(),
            row.name.clone(),
            significant(row.exact, 5),
            events,
            percent(row.coverage()),
            percent(interval.map(|(low, _)| low)),
            percent(interval.map(|(_, high)| high)),
            percent(share(row.missed[0], row)),
            percent(share(row.missed[1], row)),
            number(row.relative_half_width().map(|width| 100.0 * width), 3),
            row.mean_z().map_or("-".to_owned(), |z| format!("{z:.2}")),
            percent(share(row.unbounded, row)),
            row.without.to_string(),
            if short(row, coverage.confidence) {
                "short"
            } else {
                ""
            }
            .to_owned(),
        ]);
    }
    for column in [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] {
        if let Some(column) = rows.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let experiment = &ensemble.experiment;
    format!(
        "{}\n{} runs, seed {}, {} replicas in {} batches, {} % intervals\n\n{}\n",
        experiment.title,
        coverage.runs,
        experiment.seed,
        experiment.replicas,
        experiment.batches,
        significant(100.0 * coverage.confidence, 6),
        rows.trim_fmt()
    )
}

fn as_json(ensemble: &Ensemble, arguments: &Arguments, coverage: &Coverage) -> Value {
    let experiment = &ensemble.experiment;
    let rows: Vec<Value> = (coverage.rows.iter())
        .map(|row| {
            let (kind, q, edge, events) = match row.quantity {
                Quantity::Estimate { .. } => ("estimate", None, None, None),
                Quantity::Quantile { q, .. } => ("quantile", Some(q), None, None),
                Quantity::Tail { edge, events, .. } => ("tail", None, Some(edge), Some(events)),
            };
            let interval = row.coverage_interval();
            json!({
                "point": row.point, "name": row.name, "kind": kind, "q": q, "edge": edge, "expected_events": events,
                "exact": row.exact, "intervals": row.intervals, "without_interval": row.without, "held": row.held(),
                "coverage": row.coverage(), "lo": interval.map(|(low, _)| low), "hi": interval.map(|(_, high)| high),
                "below": row.missed[0], "above": row.missed[1], "unbounded": row.unbounded,
                "relative_half_width": row.relative_half_width(), "mean_z": row.mean_z(), "rms_z": row.rms_z(),
                "short": short(row, coverage.confidence),
            })
        })
        .collect();
    let seeds = (0..coverage.runs as u32)
        .map(|run| format!("{:#018x}", seed_of(experiment.seed, run)))
        .collect::<Vec<String>>();
    let points: Vec<Value> = (ensemble.points.iter())
        .map(|point| swept_json(experiment, point))
        .collect();
    json!({
        "model": experiment.model.name, "title": experiment.title, "seed": experiment.seed, "runs": coverage.runs,
        "runs_asked": arguments.runs, "confidence": coverage.confidence, "replicas": experiment.replicas,
        "batches": experiment.batches, "points": points, "rows": rows, "seeds": seeds,
    })
}

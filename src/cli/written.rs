//! The end of a simulation: the result is written, and what was done is said.

use super::target::Aim;
use super::{Failure, output, progress};
use crate::ensemble::Results;
use crate::statistics::Table;
use crate::{report, store};
use serde_json::json;
use std::path::Path;

/// The level of the intervals stored beside the estimates.
pub const STORED_CONFIDENCE: f64 = 0.95;

/// What is said, and how.
#[derive(Debug, Clone, Copy)]
pub struct Voice {
    /// Nothing, but errors.
    pub quiet: bool,
    /// As JSON.
    pub json: bool,
}

/// Writes results to a file, over one that is there, and says what was done; `parts` is where finished work may be kept.
pub fn write(
    results: &Results,
    path: &Path,
    parts: Option<&Path>,
    aim: Option<&Aim>,
    voice: Voice,
) -> Result<(), Failure> {
    let table = Table::new(results, STORED_CONFIDENCE);
    store::write(path, results, &report::stored(results, &table)).map_err(|error| {
        match parts.filter(|parts| parts.is_dir()) {
            Some(parts) => Failure::Failed(format!(
                "{error}\nwhat was kept before is in {}; the same command goes on from there",
                parts.display()
            )),
            None => Failure::failed(error),
        }
    })?;
    let (experiment, provenance) = (&results.experiment, &results.provenance);
    let span = experiment.model.span;
    let rate = provenance.steps as f64 / provenance.seconds.max(1e-9);
    let drifting = report::drifting_points(&table).len();
    if drifting > 0 && !voice.quiet {
        eprintln!(
            "note: at {} the halves of the measured span differ; `queuefarm summary` marks them",
            progress::counted(drifting, "point")
        );
    }
    for note in report::lacking_notes(results, &table) {
        if !voice.quiet {
            eprintln!("note: {note}");
        }
    }
    let faulty = report::faulty_points(&table).len();
    let ending = match report::fault_message(results, &table) {
        None => Ok(()),
        Some(fault) => Err(Failure::Failed(format!(
            "{fault}; {} holds the others",
            path.display()
        ))),
    };
    if voice.json {
        output::print_json(&json!({
            "output": path, "model": experiment.model.name, "seed": experiment.seed.to_string(), "points": results.points.len(),
            "replicas": experiment.replicas, "batches": experiment.batches, "backend": provenance.backend,
            "adapter": provenance.adapter, "steps": provenance.steps, "seconds": provenance.seconds,
            "steps_per_second": rate, "drifting_points": drifting, "faulty_points": faulty,
            "target": aim.map(Aim::json),
        }))?;
        return ending;
    }
    if voice.quiet {
        return ending;
    }
    let aimed = aim.map_or(String::new(), |aim| format!("{}\n", aim.text()));
    output::print(&format!(
        "{}: {} in {}, {} replica-{span}/s\n{aimed}",
        path.display(),
        progress::counted(results.points.len(), "point"),
        progress::duration(provenance.seconds),
        progress::count(rate)
    ))?;
    ending
}

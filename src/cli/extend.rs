//! `queuefarm extend`: more batches for a result file, the same bits as all at once.

use super::backend::Choice;
use super::written::{self, Voice};
use super::{Failure, open, progress, run};
use crate::engine::{Fault, Watch};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

/// Add batches to a result file
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm extend out.h5 --batches 64
  queuefarm extend out.h5 --batches 192 -o larger.h5

The new batches have the size of those in the file, and the next replica numbers: the result is the same, bit for bit,
as if all batches had been asked for at once, on any backend. The file is replaced when the new one is complete.")]
pub struct Arguments {
    /// The result file
    file: PathBuf,
    /// Batches to add at every point
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..))]
    batches: u32,
    /// Another file for the result; the old one is then left as it is
    #[arg(short, long, value_name = "OUT.h5")]
    output: Option<PathBuf>,
    #[command(flatten)]
    choice: Choice,
    /// Overwrite an existing file that --output names
    #[arg(long)]
    force: bool,
    /// No progress and no messages
    #[arg(short, long)]
    quiet: bool,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut results = open::results(&arguments.file)?;
    let path = arguments.output.as_ref().unwrap_or(&arguments.file);
    if arguments.output.is_some() && path.exists() && !arguments.force {
        return Err(Failure::Usage(format!(
            "{} exists; add --force to overwrite it, or name another file with -o",
            path.display()
        )));
    }
    crate::store::check_writable(path).map_err(Failure::failed)?;
    let ensemble = results
        .ensemble_of(arguments.batches)
        .map_err(Failure::failed)?;
    if let Some(complaint) = super::dry_run::too_large(&ensemble) {
        return Err(Failure::Failed(complaint));
    }
    let mut backend = arguments.choice.open()?;
    let experiment = &results.experiment;
    let steps = (ensemble.steps()).saturating_sub(results.provenance.steps);
    let what = format!("replica-{}", experiment.model.span);
    let watch = Arc::new(Watch::new());
    run::stop_on_interrupt(&watch);
    let extended = progress::show(&watch, steps, arguments.quiet, &what, || {
        results.extend(arguments.batches, backend.as_mut(), &watch)
    });
    extended.map_err(|fault| match fault {
        Fault::Stopped => Failure::Interrupted(format!(
            "interrupted: {} is left as it was",
            arguments.file.display()
        )),
        other => Failure::failed(other),
    })?;
    let voice = Voice {
        quiet: arguments.quiet,
        json: arguments.json,
    };
    written::write(&results, path, None, voice)
}

//! `queuefarm extend`: more batches for a result file, the same bits as all at once.

use super::backend::Choice;
use super::session::Session;
use super::written::{self, Voice};
use super::{Failure, open, stop};
use crate::ensemble::Share;
use crate::store::parts::Parts;
use clap::Args;
use std::path::PathBuf;

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
    /// Stop after that time, in order and resumably: 90s, 45min, 3h
    #[arg(long, value_name = "TIME")]
    time_limit: Option<humantime::Duration>,
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
    let backend = arguments.choice.open()?;
    let mut session = Session::new(backend, path, Share::WHOLE, arguments.quiet);
    stop::on_signals(&session.watch);
    if let Some(limit) = arguments.time_limit {
        stop::after(limit.into(), &session.watch);
    }
    let range = results.experiment.batches..ensemble.experiment.batches;
    let (harvest, provenance) = session.simulate(&ensemble, range)?;
    results.append(ensemble, harvest, &provenance);
    let voice = Voice {
        quiet: arguments.quiet,
        json: arguments.json,
    };
    let parts = Parts::beside(&session.output);
    written::write(&results, path, Some(&parts), None, voice)?;
    session.clear(&results.experiment);
    Ok(())
}

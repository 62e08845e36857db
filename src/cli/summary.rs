//! `queuefarm summary`: estimates with intervals, and theory beside them.

use super::{Failure, open, output};
use crate::report::summary;
use crate::statistics::Table;
use clap::Args;
use std::path::PathBuf;

/// Print the estimates of a result file, with intervals and theory
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm summary fig2.h5
  queuefarm summary fig2.h5 --confidence 0.99
  queuefarm summary fig2.h5 --csv > fig2.csv
  queuefarm summary fig2.h5 --json | jq '.points[0].estimates.a_rms'")]
pub struct Arguments {
    /// The result file
    file: PathBuf,
    /// Everything as JSON; what does not exist is null
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Everything as comma-separated values; what does not exist is empty
    #[arg(long)]
    csv: bool,
    /// Level of the intervals
    #[arg(long, default_value_t = 0.95, value_parser = level)]
    confidence: f64,
}

/// A level of confidence.
pub fn level(text: &str) -> Result<f64, String> {
    let level: f64 = text
        .parse()
        .map_err(|_| "a number between 0 and 1, such as 0.95".to_owned())?;
    if level > 0.0 && level < 1.0 {
        Ok(level)
    } else {
        Err("must lie between 0 and 1, such as 0.95 (not 95)".to_owned())
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let results = open::results(&arguments.file)?;
    let table = Table::new(&results, arguments.confidence);
    if arguments.json {
        output::print_json(&summary::json(&results, &table))
    } else if arguments.csv {
        output::print(&summary::csv(&results, &table))
    } else {
        let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        output::print(&summary::text(&results, &table, width))
    }
}

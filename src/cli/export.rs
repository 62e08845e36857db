//! `queuefarm export`: a histogram as comma-separated values.

use super::{Failure, open, output};
use clap::Args;
use std::path::PathBuf;

/// Print a histogram of a result file as CSV: point, swept parameters, bin, count
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm export fig2.h5 --histogram a --csv > a.csv
  queuefarm export fig2.h5 --histogram wait --csv --by-batch")]
pub struct Arguments {
    /// The result file
    file: PathBuf,
    /// Which histogram
    #[arg(long, value_name = "NAME")]
    histogram: String,
    /// As comma-separated values, the one format there is
    #[arg(long, required = true)]
    csv: bool,
    /// One row for each batch, instead of all batches added up
    #[arg(long)]
    by_batch: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let results = open::results(&arguments.file)?;
    let text = crate::report::histogram_csv(&results, &arguments.histogram, arguments.by_batch)
        .map_err(Failure::Usage)?;
    output::print(&text)
}

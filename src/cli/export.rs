//! `queuefarm export`: a histogram as comma-separated values.

use super::{Failure, open, output};
use crate::report;
use crate::statistics::Table;
use clap::Args;
use std::path::PathBuf;

/// Print a histogram of a result file as CSV: point, swept parameters, bin, count, edges
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm export fig2.h5 --histogram a --csv > a.csv
  queuefarm export fig2.h5 --histogram wait --csv --by-batch

A bin counts `width` whole numbers from `value` on (steps of a clock, packets, ...); `lower` and `upper` are its edges
in the unit that the last column names, and a value at the lower edge is in the bin. Every bin has a row.")]
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

/// Any level: only what is void is asked for.
const CONFIDENCE: f64 = 0.95;

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let results = open::results(&arguments.file)?;
    let text = report::histogram_csv(&results, &arguments.histogram, arguments.by_batch)
        .map_err(Failure::Usage)?;
    let table = Table::new(&results, CONFIDENCE);
    for note in report::fault_message(&results, &table)
        .into_iter()
        .chain(report::lacking_notes(&results, &table))
    {
        eprintln!("note: {note}");
    }
    output::print(&text)
}

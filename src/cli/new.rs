//! `queuefarm new`: a commented experiment file to start from.

use super::{Failure, open, output};
use clap::Args;

/// Print a commented experiment file to start from
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  queuefarm new delay > mine.toml")]
pub struct Arguments {
    /// The model
    #[arg(value_parser = open::ModelName, hide_possible_values = true)]
    model: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    output::print(open::model(&arguments.model)?.starter)
}

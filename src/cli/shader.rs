//! `queuefarm shader`: the WGSL that a GPU runs.

use super::{Failure, open, output};
use clap::Args;

/// Print the assembled WGSL of a model
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  queuefarm shader delay > delay.wgsl")]
pub struct Arguments {
    /// The model
    #[arg(value_parser = open::ModelName, hide_possible_values = true)]
    model: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    output::print(&crate::engine::gpu::shader::assemble(open::model(
        &arguments.model,
    )?))
}

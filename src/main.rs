//! The command line program; everything it does is in the library.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    queuefarm::cli::main(queuefarm::cli::Cli::parse())
}

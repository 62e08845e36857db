//! `queuefarm completions`: completion scripts for shells.

use super::{Cli, Failure, output};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm completions bash > ~/.local/share/bash-completion/completions/queuefarm
  queuefarm completions fish > ~/.config/fish/completions/queuefarm.fish")]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut Cli::command(),
        "queuefarm",
        &mut script,
    );
    output::print(&String::from_utf8_lossy(&script))
}

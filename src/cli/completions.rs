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
    let all = Cli::command();
    // The scripts would offer hidden commands, too.
    let shown = all.get_subcommands().filter(|one| !one.is_hide_set());
    let mut offered = clap::Command::new("queuefarm")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommands(shown.cloned());
    clap_complete::generate(arguments.shell, &mut offered, "queuefarm", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

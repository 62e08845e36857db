//! The command line: one file a command, arguments raw, exit codes decided here.
//!
//! Owns the list of commands and what their ends mean: 0 done, 1 failed, 2 wrong usage, 75 stopped and resumable, 130 interrupted.

mod backend;
mod bench;
mod check;
mod compare;
mod completions;
mod conditional;
mod coverage;
mod devices;
mod dry_run;
mod export;
mod extend;
mod guard;
mod merge;
mod models;
mod new;
mod open;
mod output;
mod plot;
mod progress;
mod replay;
mod report;
mod run;
mod session;
mod shader;
mod shard;
mod status;
mod stop;
mod submit;
mod summary;
mod tail;
mod target;
mod theory;
mod unverified;
mod verify;
mod written;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Massive ensembles of load-balancing models, answered with distributions, tails and confidence intervals.
#[derive(Debug, Parser)]
#[command(
    name = "queuefarm",
    version,
    about,
    max_term_width = 100,
    after_help = "Examples:
  queuefarm new delay > mine.toml           an experiment to start from
  queuefarm run mine.toml -o mine.h5        simulate it
  queuefarm summary mine.h5                 estimates with intervals, and theory beside them
  queuefarm tail mine.h5 --at 1,2,5         probabilities of large values, and quantiles
  queuefarm plot mine.h5 -o mine.svg        the picture
  queuefarm report mine.h5                  one HTML page with all of it

Exit codes: 0 done, 1 failed, 2 wrong usage, 75 stopped and resumable, 130 interrupted."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Arguments),
    Extend(extend::Arguments),
    Status(status::Arguments),
    Submit(submit::Arguments),
    Merge(merge::Arguments),
    Summary(summary::Arguments),
    Tail(tail::Arguments),
    Theory(theory::Arguments),
    Check(check::Arguments),
    Compare(compare::Arguments),
    Coverage(coverage::Arguments),
    Plot(plot::Arguments),
    Report(report::Arguments),
    Export(export::Arguments),
    Replay(replay::Arguments),
    Verify(verify::Arguments),
    Models(models::Arguments),
    New(new::Arguments),
    Devices(devices::Arguments),
    Bench(bench::Arguments),
    Shader(shader::Arguments),
    Completions(completions::Arguments),
    #[command(hide = true)]
    ReadUnverified(unverified::Arguments),
}

/// How a command that did not do its work ends.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Exit code 1, with what went wrong.
    Failed(String),
    /// Exit code 2, with what to type instead.
    Usage(String),
    /// Exit code 75: stopped in order by the system or a limit of time; the same command goes on.
    Stopped(String),
    /// Exit code 130.
    Interrupted(String),
}

impl Failure {
    fn failed(error: impl std::fmt::Display) -> Failure {
        Failure::Failed(error.to_string())
    }
}

/// Runs a command and says how it ended.
pub fn main(cli: Cli) -> ExitCode {
    let result = match cli.command {
        Command::Run(arguments) => run::run(arguments),
        Command::Extend(arguments) => extend::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Submit(arguments) => submit::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Summary(arguments) => summary::run(&arguments),
        Command::Tail(arguments) => tail::run(&arguments),
        Command::Theory(arguments) => theory::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Coverage(arguments) => coverage::run(&arguments),
        Command::Plot(arguments) => plot::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Models(arguments) => models::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Devices(arguments) => devices::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Shader(arguments) => shader::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::ReadUnverified(arguments) => unverified::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Failed(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
        Err(Failure::Stopped(message)) => {
            eprintln!("{message}");
            ExitCode::from(75)
        }
        Err(Failure::Interrupted(message)) => {
            eprintln!("{message}");
            ExitCode::from(130)
        }
    }
}

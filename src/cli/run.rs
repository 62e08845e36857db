//! `queuefarm run`: an experiment file becomes a result file.

use super::backend::Choice;
use super::{Failure, dry_run, open, progress};
use super::{target, written};
use crate::engine::{Fault, Watch};
use crate::ensemble::{Ensemble, Results, RunError};
use crate::{report, store};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Simulate an experiment file and write an HDF5 file
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm run fig2.toml -o fig2.h5
  queuefarm run fig2.toml --set replicas=128 --set disinformation=0.3 --seed 7
  queuefarm run fig2.toml --backend gpu --adapter llvmpipe
  queuefarm run fig2.toml --dry-run")]
pub struct Arguments {
    /// The experiment file (TOML; `queuefarm new MODEL` writes one)
    file: PathBuf,
    /// The result file; the experiment's name with .h5 by default
    #[arg(short, long, value_name = "OUT.h5")]
    output: Option<PathBuf>,
    #[command(flatten)]
    choice: Choice,
    /// The seed, instead of the file's: decimal or 0x...
    #[arg(long, value_name = "S", value_parser = seed)]
    seed: Option<u64>,
    /// Replace or add a key of the file: replicas=128, disinformation=0.3, clients='{list=[10,20]}', record.trajectories=2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Overwrite an existing result file
    #[arg(long)]
    force: bool,
    /// Say what would be done: points, units, memory, disk, time
    #[arg(long)]
    dry_run: bool,
    /// No progress and no messages
    #[arg(short, long)]
    quiet: bool,
    /// Print what was done (or would be) as JSON
    #[arg(long)]
    json: bool,
}

/// A seed in decimal or hexadecimal.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "a seed is a whole number from 0 to 18446744073709551615, or 0x and up to 16 hexadecimal digits".to_owned())
}

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let experiment = open::experiment(&arguments.file, &arguments.set, arguments.seed)?;
    let path = arguments.output.clone().unwrap_or_else(|| {
        PathBuf::from(
            arguments
                .file
                .with_extension("h5")
                .file_name()
                .unwrap_or_default(),
        )
    });
    let mut backend = arguments.choice.open()?;
    let ensemble = Ensemble::new(&experiment).map_err(Failure::failed)?;
    let short = report::short_warmup(&experiment, &ensemble.points);
    if let Some(note) = short.filter(|_| !arguments.quiet) {
        eprintln!("note: {note}");
    }
    if arguments.dry_run {
        return dry_run::run(&ensemble, backend.as_mut(), &path, arguments.json);
    }
    if path.exists() && !arguments.force {
        return Err(Failure::Usage(format!(
            "{} exists; add --force to overwrite it, or name another file with -o",
            path.display()
        )));
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(Failure::Usage(format!(
            "the folder {} does not exist; create it first: mkdir -p {0}",
            folder.display()
        )));
    }
    let same = |a: &Path, b: &Path| {
        a.canonicalize()
            .is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
    };
    if same(&path, &arguments.file) {
        return Err(Failure::Usage(format!(
            "{} is the experiment; name another file with -o",
            path.display()
        )));
    }
    store::check_writable(&path).map_err(Failure::failed)?;
    if let Some(complaint) = dry_run::too_large(&ensemble) {
        return Err(Failure::Failed(complaint));
    }
    let say = |text: &str| {
        if !arguments.quiet {
            eprintln!("{text}");
        }
    };
    if experiment.seed_was_drawn {
        say(&format!(
            "seed {} (drawn; it is recorded in the result)",
            experiment.seed
        ));
    }
    let (steps, span) = (ensemble.steps(), experiment.model.span);
    say(&format!(
        "{}: {} of {} replicas in {} batches, {} replica-{span} on {}",
        experiment.model.name,
        progress::counted(ensemble.points.len(), "point"),
        experiment.replicas,
        experiment.batches,
        progress::count(steps as f64),
        backend.adapter()
    ));
    let watch = Arc::new(Watch::new());
    stop_on_interrupt(&watch);
    let begun = Instant::now();
    let what = format!("replica-{span}");
    let finished = progress::show(&watch, steps, arguments.quiet, &what, || {
        ensemble.run(backend.as_mut(), &watch)
    });
    let interrupted = format!("interrupted: {} is not written", path.display());
    let mut results = finished.map_err(|error| match error {
        RunError::Fault(Fault::Stopped) => Failure::Interrupted(interrupted.clone()),
        other => Failure::failed(other),
    })?;
    let aim = match results.experiment.target.clone() {
        None => None,
        Some(target) => {
            let mut more = |results: &mut Results, batches: u32| {
                let until = results.ensemble_of(batches)?.steps();
                progress::show(&watch, until, arguments.quiet, &what, || {
                    results.extend(batches, backend.as_mut(), &watch)
                })
            };
            let aim = target::reach(&mut results, &target, begun, &say, &mut more);
            Some(aim.map_err(|fault| match fault {
                Fault::Stopped => Failure::Interrupted(interrupted),
                other => Failure::failed(other),
            })?)
        }
    };
    let path = if arguments.force {
        path
    } else {
        still_free(path, &say)
    };
    let voice = written::Voice {
        quiet: arguments.quiet,
        json: arguments.json,
    };
    written::write(&results, &path, aim.as_ref(), voice)
}

/// The path, or, when a file of that name has appeared during the run, one beside it.
fn still_free(path: PathBuf, say: &dyn Fn(&str)) -> PathBuf {
    if !path.exists() {
        return path;
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let candidates = (1..).map(|n| path.with_file_name(format!("{stem}-{n}.h5")));
    let free = candidates.into_iter().find(|candidate| !candidate.exists());
    let free = free.unwrap_or_else(|| path.clone());
    say(&format!(
        "note: {} appeared during the run and is kept; writing {}",
        path.display(),
        free.display()
    ));
    free
}

/// An interrupt stops the simulation; a second one, or one while the result is written, ends the program
/// at once, without a half-written file.
pub(super) fn stop_on_interrupt(watch: &Arc<Watch>) {
    let watch = Arc::clone(watch);
    // Setting a handler fails only where one is set already; interrupts then end the program at once.
    let _ = ctrlc::set_handler(move || {
        if store::abandon() || watch.stopped() {
            eprintln!("interrupted: the result is not written");
            std::process::exit(130);
        }
        watch.stop();
    });
}

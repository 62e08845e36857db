//! `queuefarm run`: an experiment file becomes a result file.

use super::backend::Choice;
use super::session::{self, Session};
use super::shard::{self, Shard};
use super::submit::quote;
use super::{Failure, dry_run, open, output, progress, stop};
use super::{target, written};
use crate::ensemble::{Ensemble, Provenance, Results, Share};
use crate::experiment::Experiment;
use crate::store::parts::Parts;
use crate::{report, store};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Simulate an experiment file and write an HDF5 file
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm run fig2.toml -o fig2.h5
  queuefarm run fig2.toml --set replicas=128 --set disinformation=0.3 --seed 7
  queuefarm run fig2.toml --backend gpu --adapter llvmpipe
  queuefarm run fig2.toml --time-limit 3h
  queuefarm run fig2.toml --shard 3/8
  queuefarm run fig2.toml --dry-run

What is done is kept in OUT.h5.parts while a run takes longer than some seconds. A run that was stopped, by an interrupt,
by a limit of time or by a crash of the machine, goes on from there when the same command is given again: the result
is the same, bit for bit.")]
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
    /// Stop after that time, in order and resumably: 90s, 45min, 3h
    #[arg(long, value_name = "TIME")]
    time_limit: Option<humantime::Duration>,
    /// Do the I-th of N equal parts only; `slurm` takes both from the job array (see `queuefarm merge`)
    #[arg(long, value_name = "I/N|slurm", value_parser = shard::parse)]
    shard: Option<Shard>,
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

/// The result file: as asked for, or named after the experiment and in the working folder.
pub(super) fn output_of(experiment: &Path, asked: Option<&Path>) -> PathBuf {
    let name = || experiment.with_extension("h5");
    asked.map_or_else(
        || PathBuf::from(name().file_name().unwrap_or_default()),
        Path::to_owned,
    )
}

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let mut experiment = open::experiment(&arguments.file, &arguments.set, arguments.seed)?;
    let path = output_of(&arguments.file, arguments.output.as_deref());
    let share = share(&arguments, &experiment)?;
    let backend = arguments.choice.open()?;
    let mut session = Session::new(backend, &path, share, arguments.quiet);
    if experiment.seed_was_drawn {
        adopt_seed(&mut experiment, &path)?;
    }
    let ensemble = Ensemble::new(&experiment).map_err(Failure::failed)?;
    if let Some(note) = report::short_warmup(&experiment, &ensemble.points) {
        session.say(&format!("note: {note}"));
    }
    if arguments.dry_run {
        let folder = Parts::beside(&path);
        if folder.is_dir() {
            Parts::open(&folder, &experiment).map_err(session::refused)?;
            session.say(&format!(
                "note: {} is there: `queuefarm status` shows what is done; this is about all of it",
                folder.display()
            ));
        }
        if path.exists() && !arguments.force {
            session.say(&format!(
                "note: {} exists; a run needs --force",
                path.display()
            ));
        }
        return dry_run::run(&ensemble, session.backend.as_mut(), &path, arguments.json);
    }
    if path.exists() && !arguments.force {
        return there_already(&session, &ensemble);
    }
    check_place(&path, &arguments.file)?;
    if let Some(complaint) = dry_run::too_large(&ensemble) {
        return Err(Failure::Failed(complaint));
    }
    if let Some(note) = dry_run::little_space(&ensemble, &path) {
        session.say(&format!("note: {note}"));
    }
    if experiment.seed_was_drawn {
        session.say(&format!(
            "seed {} (drawn; it is recorded in the result)",
            experiment.seed
        ));
    }
    let (steps, span) = (ensemble.steps(), experiment.model.span);
    session.say(&format!(
        "{}: {} of {} replicas in {} batches, {} replica-{span} on {}, at most {}B of memory{}",
        experiment.model.name,
        progress::counted(ensemble.points.len(), "point"),
        experiment.replicas,
        experiment.batches,
        progress::count(steps as f64),
        session.backend.adapter(),
        progress::count(ensemble.memory_bytes() as f64),
        if share == Share::WHOLE {
            String::new()
        } else {
            format!(", shard {} of {}", share.index + 1, share.of)
        }
    ));
    stop::on_signals(&session.watch);
    if let Some(limit) = arguments.time_limit {
        stop::after(limit.into(), &session.watch);
    }
    let begun = Instant::now();
    let (harvest, provenance) = session.simulate(&ensemble, 0..experiment.batches)?;
    if share != Share::WHOLE {
        return say_shard(&session, &provenance, arguments.json);
    }
    let mut results = ensemble.results(harvest, provenance);
    let aim = match results.experiment.target.clone() {
        None => None,
        Some(target) => {
            let quiet = arguments.quiet;
            let say = |text: &str| {
                if !quiet {
                    eprintln!("{text}");
                }
            };
            let mut more = |results: &mut Results, batches: u32| {
                let larger = results.ensemble_of(batches).map_err(Failure::failed)?;
                let range = results.experiment.batches..larger.experiment.batches;
                let (harvest, provenance) = session.simulate(&larger, range)?;
                results.append(larger, harvest, &provenance);
                Ok(())
            };
            Some(target::reach(
                &mut results,
                &target,
                begun,
                &say,
                &mut more,
            )?)
        }
    };
    let path = if arguments.force {
        path
    } else {
        still_free(path, &|text| session.say(text))
    };
    let voice = written::Voice {
        quiet: arguments.quiet,
        json: arguments.json,
    };
    let parts = Parts::beside(&session.output);
    written::write(&results, &path, Some(&parts), aim.as_ref(), voice)?;
    session.clear(&experiment);
    Ok(())
}

/// The part of the ensemble that was asked for.
fn share(arguments: &Arguments, experiment: &Experiment) -> Result<Share, Failure> {
    let Some(shard) = arguments.shard else {
        return Ok(Share::WHOLE);
    };
    let share = shard.share().map_err(Failure::Usage)?;
    shard::check(share.of, experiment, &arguments.file)?;
    Ok(share)
}

/// An experiment without a seed goes on with the one that was drawn when it was begun.
fn adopt_seed(experiment: &mut Experiment, path: &Path) -> Result<(), Failure> {
    let there = Parts::experiment(&Parts::beside(path)).map_err(Failure::failed)?;
    if let Some(there) = there.filter(|there| there.seed_was_drawn) {
        experiment.seed = there.seed;
    }
    Ok(())
}

/// What follows where the result is there: a run that was stopped after writing it has only to remove its parts.
fn there_already(session: &Session, ensemble: &Ensemble) -> Result<(), Failure> {
    let path = &session.output;
    let exists = |more: &str| {
        Err(Failure::Usage(format!(
            "{} exists{more}; add --force to overwrite it, or name another file with -o",
            path.display()
        )))
    };
    let folder = Parts::beside(path);
    if !folder.is_dir() || session.share != Share::WHOLE {
        return exists("");
    }
    let Ok(parts) = Parts::open(&folder, &ensemble.experiment) else {
        return exists("");
    };
    let complete = store::read(path)
        .is_ok_and(|there| there.experiment.resolved() == ensemble.experiment.resolved());
    if !complete {
        return exists("");
    }
    if parts.beyond(ensemble).map_err(Failure::failed)? > 0 {
        return exists(&format!(
            " and is complete, and {} holds finished work of further batches: the same `queuefarm extend` as before goes on from it",
            folder.display()
        ));
    }
    // What shards have left is not this run's to remove.
    if Parts::numbers_of_shards(&folder).is_empty() {
        session.clear(&ensemble.experiment);
    }
    session.say(&format!("{}: complete already", path.display()));
    Ok(())
}

/// Whether the result can be written where it is to be.
pub(super) fn check_place(path: &Path, experiment: &Path) -> Result<(), Failure> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(Failure::Usage(format!(
            "the folder {} does not exist; create it first: mkdir -p {}",
            folder.display(),
            quote::shell(&folder.display().to_string())
        )));
    }
    let same = |a: &Path, b: &Path| {
        a.canonicalize()
            .is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
    };
    if same(path, experiment) {
        return Err(Failure::Usage(format!(
            "{} is the experiment; name another file with -o",
            path.display()
        )));
    }
    store::check_writable(path).map_err(Failure::failed)
}

/// What a shard has done, and what comes next.
fn say_shard(session: &Session, provenance: &Provenance, json: bool) -> Result<(), Failure> {
    let parts = Parts::beside(&session.output);
    let Share { index, of } = session.share;
    if json {
        return output::print_json(&json!({
            "parts": parts, "shard": index + 1, "shards": of, "steps": provenance.steps, "seconds": provenance.seconds,
            "backend": provenance.backend, "adapter": provenance.adapter,
        }));
    }
    if session.quiet {
        return Ok(());
    }
    output::print(&format!(
        "{}: shard {} of {of} is done; when all are: queuefarm merge {} -o {}\n",
        parts.display(),
        index + 1,
        quote::shell(&parts.display().to_string()),
        quote::shell(&session.output.display().to_string())
    ))
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

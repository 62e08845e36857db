//! `queuefarm submit`: an experiment becomes an array of Slurm jobs and a merge after it.
//!
//! Owns what is refused before anything is submitted, and the order of submitting. The scripts' text is `script`'s.

pub mod quote;
mod script;
mod time;

use super::{Failure, open, output, progress, run, shard};
use crate::experiment::Experiment;
use crate::store::parts::Parts;
use clap::Args;
use script::Job;
use serde_json::json;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tasks of an array where the cluster's administrators have not decided otherwise (MaxArraySize=1001, which is the first
/// number that is too large).
const MOST_TASKS: u32 = 1_000;

/// Run an experiment as an array of Slurm jobs, and merge their parts
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm submit fig2.toml --tasks 16
  queuefarm submit fig2.toml --tasks 16 --time 2:00:00 --partition short --cpus 8
  queuefarm submit fig2.toml --tasks 4 --gpus 1 --dry-run

The scripts and the logs are kept in OUT.h5.slurm/, finished work in OUT.h5.parts/. A task that runs into its limit of time goes
back into the queue and goes on. What else a cluster wants is given to sbatch by its variables, such as SBATCH_ACCOUNT or
SBATCH_MEM_PER_NODE, or written into the scripts of --dry-run. After failures the same command again goes on from what is kept.")]
pub struct Arguments {
    /// The experiment file; it must have a seed
    file: PathBuf,
    /// Shards: tasks of the job array
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    tasks: u32,
    /// The result file; the experiment's name with .h5 by default
    #[arg(short, long, value_name = "OUT.h5")]
    output: Option<PathBuf>,
    /// The limit of time of each task, as Slurm writes it: 2:00:00 for two hours
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    time: Option<time::Limit>,
    /// The partition
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,
    /// Cores of each task
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    cpus: u16,
    /// GPUs of each task: 1 simulates on a GPU, 0 on the CPU
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = gpus)]
    gpus: u8,
    /// The seed, instead of the file's: decimal or 0x...
    #[arg(long, value_name = "S", value_parser = run::seed)]
    seed: Option<u64>,
    /// Replace or add a key of the file, as for `queuefarm run`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print the scripts and submit nothing
    #[arg(long)]
    dry_run: bool,
    /// Print what was submitted (or would be) as JSON
    #[arg(long)]
    json: bool,
}

fn gpus(text: &str) -> Result<u8, String> {
    match text {
        "0" => Ok(0),
        "1" => Ok(1),
        _ => Err("0 or 1: a task uses one GPU, and for more GPUs give more --tasks".to_owned()),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let experiment = open::experiment(&arguments.file, &arguments.set, arguments.seed)?;
    shard::check(arguments.tasks, &experiment, &arguments.file)?;
    if arguments.tasks > MOST_TASKS {
        return Err(Failure::Usage(format!(
            "{} tasks, and an array of Slurm has at most {MOST_TASKS} (its MaxArraySize is 1001 unless set otherwise); \
             give fewer tasks and more --cpus",
            arguments.tasks
        )));
    }
    let result = run::output_of(&arguments.file, arguments.output.as_deref());
    if result.exists() {
        return Err(Failure::Usage(format!(
            "{} exists; move it away, or name another file with -o",
            result.display()
        )));
    }
    let job = job(arguments, &result)?;
    if arguments.dry_run {
        return show(&job, arguments.json);
    }
    run::check_place(&result, &arguments.file)?;
    let (array, merge) = submit(&job, &experiment, &Parts::beside(&result))?;
    if arguments.json {
        return output::print_json(&json!({
            "array_job": array, "merge_job": merge, "tasks": job.tasks, "output": job.output, "parts": job.parts,
            "array_script": job.shards_path(), "merge_script": job.merge_path(),
        }));
    }
    output::print(&format!(
        "submitted: job {array}, {} ({}), and after it job {merge}, the merge into {}\n\
         progress:  queuefarm status {}; logs and scripts in {}\n",
        progress::counted(job.tasks as usize, "shard"),
        match &job.time {
            None => "no limit of time asked for".to_owned(),
            Some(limit) => {
                let limit = std::time::Duration::from_secs(limit.seconds);
                format!("{} each at a time", humantime::format_duration(limit))
            }
        },
        job.output,
        quote::shell(&job.output),
        job.scripts,
    ))
}

fn job(arguments: &Arguments, result: &Path) -> Result<Job, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        Failure::Failed(format!("cannot find out where this program is: {error}"))
    })?;
    let folder = std::env::current_dir()
        .map_err(|error| Failure::Failed(format!("cannot find out the working folder: {error}")))?;
    let mut changes = Vec::new();
    for change in &arguments.set {
        changes.extend(["--set".to_owned(), change.clone()]);
    }
    if let Some(seed) = arguments.seed {
        changes.extend(["--seed".to_owned(), seed.to_string()]);
    }
    let mut scripts = OsString::from(result);
    scripts.push(".slurm");
    let partition = arguments.partition.clone();
    if partition
        .as_deref()
        .is_some_and(|name| name.is_empty() || name.contains(char::is_control))
    {
        return Err(Failure::Usage(
            "--partition: the name of a partition (see `sinfo`)".to_owned(),
        ));
    }
    Ok(Job {
        program: quote::path(&program)?,
        folder: quote::path(&folder)?,
        file: quote::path(&arguments.file)?,
        output: quote::path(result)?,
        parts: quote::path(&Parts::beside(result))?,
        scripts: quote::path(Path::new(&scripts))?,
        name: result
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        changes,
        tasks: arguments.tasks,
        cpus: arguments.cpus,
        gpu: arguments.gpus > 0,
        time: arguments.time.clone(),
        partition,
    })
}

/// What would be written and typed.
fn show(job: &Job, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return output::print_json(&json!({
            "tasks": job.tasks, "output": job.output, "parts": job.parts,
            "array_script": { "path": job.shards_path(), "text": job.shards() },
            "merge_script": { "path": job.merge_path(), "text": job.merge() },
        }));
    }
    output::print(&format!(
        "### {} would be:\n{}\n### {} would be:\n{}\n### and then, with ID for what the first one prints:\n\
         # sbatch --parsable {}\n# sbatch --parsable --dependency=afterany:ID {}\n",
        job.shards_path(),
        job.shards(),
        job.merge_path(),
        job.merge(),
        quote::shell(&job.shards_path()),
        quote::shell(&job.merge_path()),
    ))
}

/// Writes the scripts, introduces the experiment to the folder of parts, so that a file that is changed before the tasks
/// start is refused by them, and submits. The numbers of the two jobs.
fn submit(job: &Job, experiment: &Experiment, folder: &Path) -> Result<(String, String), Failure> {
    let there = folder.is_dir();
    let mut parts =
        Parts::open(folder, experiment).map_err(|error| Failure::Usage(error.to_string()))?;
    for (path, text) in [
        (job.shards_path(), job.shards()),
        (job.merge_path(), job.merge()),
    ] {
        std::fs::create_dir_all(&job.scripts)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| Failure::Failed(format!("cannot write {path}: {error}")))?;
    }
    parts
        .occupy(experiment, "submit")
        .map_err(Failure::failed)?;
    let array = match sbatch(&[&job.shards_path()]) {
        Ok(array) => array,
        Err(failure) => {
            if !there {
                parts.remove().map_err(Failure::failed)?;
            }
            return Err(failure);
        }
    };
    // Not afterok: Slurm never forgets that a task failed, even if it was put back and did its work. The merge itself
    // looks whether everything is there.
    let dependency = format!("--dependency=afterany:{array}");
    let merge = sbatch(&[&dependency, &job.merge_path()]).map_err(|failure| {
        let (Failure::Failed(why) | Failure::Usage(why) | Failure::Stopped(why) | Failure::Interrupted(why)) = failure;
        Failure::Failed(format!(
            "{why}\nthe shards are submitted as job {array}, the merge is not: sbatch {dependency} {}, or scancel {array}",
            quote::shell(&job.merge_path())
        ))
    })?;
    Ok((array, merge))
}

/// Submits one script; the number of the job.
fn sbatch(arguments: &[&str]) -> Result<String, Failure> {
    let output = Command::new("sbatch")
        .arg("--parsable")
        .args(arguments)
        .output();
    let output = output.map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::Failed(
            "there is no sbatch on the PATH: submit where Slurm is, look at the scripts with --dry-run, or run the shards \
             yourself: queuefarm run FILE --shard 1/8 -o OUT.h5 and so on, then queuefarm merge"
                .to_owned(),
        ),
        _ => Failure::Failed(format!("cannot run sbatch: {error}")),
    })?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(Failure::Failed(format!(
            "sbatch refused {}: {}",
            arguments.last().unwrap_or(&""),
            said.trim()
        )));
    }
    if !said.trim().is_empty() {
        eprintln!("{}", said.trim());
    }
    // NUMBER, or NUMBER;CLUSTER.
    let printed = String::from_utf8_lossy(&output.stdout);
    let number = printed.trim().split(';').next().unwrap_or_default();
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Failure::Failed(format!(
            "sbatch printed {:?} instead of the number of a job; see squeue",
            printed.trim()
        )));
    }
    Ok(number.to_owned())
}

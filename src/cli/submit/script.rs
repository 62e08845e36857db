//! The two scripts that Slurm gets: an array of shards, and the merge after it.
//!
//! Owns their text and nothing else: what stands in a [`Job`] has been checked. What a shard does at its limit of time is
//! decided here: Slurm warns the script, the script ends the run in order, and puts the task back into the queue.

use super::quote::{directive, pattern, shell};
use super::time::Limit;

/// How often a task that runs into its limit of time is put back.
const REQUEUES: u32 = 20;
/// Seconds before the limit at which Slurm warns, if a tenth of the time is not less.
const WARNING: u64 = 60;
/// A warning is not later than this.
const LATEST_WARNING: u64 = 5;

/// What is submitted. Paths are as `quote::path` makes them.
#[derive(Debug, Clone)]
pub struct Job {
    /// This program.
    pub program: String,
    /// The working folder, to which all other paths are relative.
    pub folder: String,
    /// The experiment.
    pub file: String,
    /// The result file.
    pub output: String,
    /// The folder of its parts.
    pub parts: String,
    /// The folder of scripts and logs.
    pub scripts: String,
    /// What the jobs are called.
    pub name: String,
    /// Arguments of `run` that change the experiment, such as `--seed`, `5`.
    pub changes: Vec<String>,
    /// Shards.
    pub tasks: u32,
    /// Cores a task.
    pub cpus: u16,
    /// Whether a task has a GPU.
    pub gpu: bool,
    /// Limit of time of a task.
    pub time: Option<Limit>,
    /// The partition.
    pub partition: Option<String>,
}

impl Job {
    /// The script of the shards.
    pub fn shards(&self) -> String {
        format!("{}{}", self.shards_head(), self.shards_body())
    }

    /// The script of the merge.
    pub fn merge(&self) -> String {
        let mut head = vec![
            format!("--job-name={}", directive(&format!("{}-merge", self.name))),
            self.log("merge-%j.log"),
            "--cpus-per-task=1".to_owned(),
        ];
        head.extend(self.everywhere());
        format!(
            "#!/bin/bash\n\
             # The merge of the shards; it refuses, by name, what is missing or damaged. Written by `queuefarm submit`.\n\
             # By itself, when all shards are done: sbatch {}\n\
             {}\nexec {} merge {} -o {}\n",
            shell(&self.merge_path()),
            lines(&head),
            shell(&self.program),
            shell(&self.parts),
            shell(&self.output),
        )
    }

    /// Where the script of the shards is kept.
    pub fn shards_path(&self) -> String {
        format!("{}/shards.sh", self.scripts)
    }

    /// Where the script of the merge is kept.
    pub fn merge_path(&self) -> String {
        format!("{}/merge.sh", self.scripts)
    }

    fn shards_head(&self) -> String {
        let warning = self.time.as_ref().map_or(WARNING, |limit| {
            (limit.seconds / 10).clamp(LATEST_WARNING, WARNING)
        });
        let mut head = vec![
            format!("--job-name={}", directive(&self.name)),
            format!("--array=1-{}", self.tasks),
            self.log("shard-%A_%a.log"),
            format!("--cpus-per-task={}", self.cpus),
            format!("--signal=B:USR1@{warning}"),
            "--requeue".to_owned(),
        ];
        if self.gpu {
            head.push("--gpus=1".to_owned());
        }
        head.extend(self.everywhere());
        format!(
            "#!/bin/bash\n\
             # {} shards of one run. Written by `queuefarm submit`, which overwrites it.\n\
             # Some shards again: sbatch --array=3,7 {}\n\
             {}\n",
            self.tasks,
            shell(&self.shards_path()),
            lines(&head)
        )
    }

    /// The task's number is given as i/n, not as `slurm`: an array of some of the tasks then still means the same shards.
    fn shards_body(&self) -> String {
        let mut run = vec![
            shell(&self.program),
            "run".to_owned(),
            shell(&self.file),
            "-o".to_owned(),
            shell(&self.output),
        ];
        run.extend(self.changes.iter().map(|word| shell(word)));
        let backend = if self.gpu { "gpu" } else { "cpu" };
        BODY.replace("@RUN@", &run.join(" "))
            .replace("@SHARDS@", &self.tasks.to_string())
            .replace("@BACKEND@", backend)
            .replace("@REQUEUES@", &REQUEUES.to_string())
    }

    fn log(&self, name: &str) -> String {
        let path = format!("{}/{name}", pattern(&self.scripts));
        format!("--output={}", directive(&path))
    }

    fn everywhere(&self) -> Vec<String> {
        let mut head = vec![
            format!("--chdir={}", directive(&self.folder)),
            "--open-mode=append".to_owned(),
        ];
        let time = self.time.as_ref();
        head.extend(time.map(|limit| format!("--time={}", limit.text)));
        let partition = self.partition.as_deref();
        head.extend(partition.map(|name| format!("--partition={}", directive(name))));
        head
    }
}

/// A signal ends the shell's `wait` and not what it waits for, so it waits again. A task is named by the array and its
/// number: SLURM_JOB_ID of one task is that of the whole array.
const BODY: &str = r#"late= signalled= stopping=
@RUN@ \
    --shard "$SLURM_ARRAY_TASK_ID/@SHARDS@" --backend @BACKEND@ --threads "$SLURM_CPUS_PER_TASK" &
run=$!

# USR1 comes from Slurm shortly before the limit of time, TERM from scancel: both let the run keep what it has done.
# It is told once: told again, it would not finish the file that it is writing.
stop() {
    signalled=yes
    [ -n "$stopping" ] || kill -TERM "$run" 2>/dev/null
    stopping=yes
}
trap 'late=yes; stop' USR1
trap 'stop' TERM

wait "$run"
status=$?
while [ -n "$signalled" ]; do
    signalled=
    wait "$run"
    status=$?
done

# After the limit of time the task goes back into the queue and goes on there; not without end. That the run is not done
# is enough to know: of two signals at once, bash may forget what the run ended with (75 when stopped in order).
if [ -n "$late" ] && [ "$status" != 0 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt @REQUEUES@ ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$status"
"#;

fn lines(head: &[String]) -> String {
    head.iter()
        .map(|line| format!("#SBATCH {line}\n"))
        .collect()
}

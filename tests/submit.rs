//! `queuefarm submit`: what Slurm is given, what is refused before, and what the script of a shard does with signals. A
//! real Slurm is asked by scripts/slurm-test.sh.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

#[path = "common/program.rs"]
mod program;

use program::{folder_with, json, queuefarm, stderr};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const DELAY: &str = "model = \"delay\"\nseed = 5\nreplicas = 64\nbatches = 4\nwarmup = 10\nduration = 10\n[parameters]\nclients = { list = [20, 30] }\ninformation_delay = 3\n";

fn program_in(folder: &Path, name: &str, text: &str) {
    fs::create_dir_all(folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/bash\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Submits in a folder where `bin/sbatch` writes down what it gets, one argument a line, and answers with `text`.
fn submit(folder: &Path, sbatch: &str, arguments: &[&str]) -> Output {
    let record = "printf '%s\\n' call \"$@\" >> calls";
    program_in(
        &folder.join("bin"),
        "sbatch",
        &format!("{record}\n{sbatch}"),
    );
    let path = format!(
        "{}:{}",
        folder.join("bin").display(),
        std::env::var("PATH").unwrap()
    );
    Command::new(env!("CARGO_BIN_EXE_queuefarm"))
        .arg("submit")
        .args(arguments)
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .unwrap()
}

/// Numbers for two jobs, the first of them as a federation of clusters prints it.
const TWO_JOBS: &str = "case $* in *dependency*) echo 42 ;; *) echo '41;north' ;; esac";

fn calls(folder: &Path) -> String {
    fs::read_to_string(folder.join("calls")).unwrap_or_default()
}

#[test]
fn the_array_is_submitted_and_then_the_merge_that_waits_for_it() {
    let folder = folder_with("a.toml", DELAY);
    let folder = folder.path();
    let all = [
        "a.toml",
        "--tasks",
        "8",
        "--time",
        "2:00:00",
        "--partition",
        "short",
        "--gpus",
        "1",
        "--cpus",
        "3",
    ];
    let output = submit(folder, TWO_JOBS, &all);
    assert!(output.status.success(), "{}", stderr(&output));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("job 41, 8 shards (2h each at a time), and after it job 42"),
        "{said}"
    );
    assert_eq!(
        calls(folder),
        "call\n--parsable\na.h5.slurm/shards.sh\ncall\n--parsable\n--dependency=afterany:41\na.h5.slurm/merge.sh\n"
    );
    let shards = fs::read_to_string(folder.join("a.h5.slurm/shards.sh")).unwrap();
    let merge = fs::read_to_string(folder.join("a.h5.slurm/merge.sh")).unwrap();
    let here = folder.canonicalize().unwrap();
    for line in [
        "#!/bin/bash",
        "#SBATCH --array=1-8",
        "#SBATCH --cpus-per-task=3",
        "#SBATCH --gpus=1",
        "#SBATCH --requeue",
        "#SBATCH --signal=B:USR1@60",
        "#SBATCH --time=2:00:00",
        "#SBATCH --partition=\"short\"",
        "#SBATCH --output=\"a.h5.slurm/shard-%A_%a.log\"",
        &format!("#SBATCH --chdir=\"{}\"", here.display()),
        "    --shard \"$SLURM_ARRAY_TASK_ID/8\" --backend gpu --threads \"$SLURM_CPUS_PER_TASK\" &",
    ] {
        assert!(shards.lines().any(|l| l == line), "{line}\n{shards}");
    }
    assert!(
        merge.contains("merge a.h5.parts -o a.h5\n") && merge.contains("--partition=\"short\""),
        "{merge}"
    );
    assert!(
        !merge.contains("--array") && !merge.contains("--gpus"),
        "{merge}"
    );
    // Again, as JSON: the folder of parts is of this experiment already.
    let again = json(&submit(
        folder,
        TWO_JOBS,
        &["a.toml", "--tasks", "4", "--json"],
    ));
    assert_eq!(
        (&again["array_job"], &again["merge_job"]),
        (&"41".into(), &"42".into())
    );
    assert_eq!(again["tasks"], 4);
    // What would become another experiment's is refused, and nothing is submitted.
    let before = calls(folder);
    let other = submit(folder, TWO_JOBS, &["a.toml", "--tasks", "4", "--seed", "6"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("+ seed = 6"), "{}", stderr(&other));
    assert_eq!(calls(folder), before);
}

#[test]
fn a_dry_run_shows_both_scripts_and_leaves_nothing() {
    let folder = folder_with("a.toml", DELAY);
    let dry = [
        "submit",
        "a.toml",
        "--tasks",
        "8",
        "--dry-run",
        "--time",
        "5",
    ];
    let output = queuefarm(&folder, &dry);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("--backend cpu"),
        "{said}"
    );
    // A tenth of five minutes.
    assert!(
        said.contains("--signal=B:USR1@30") && said.contains("--dependency=afterany:ID"),
        "{said}"
    );
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    let shown = json(&queuefarm(&folder, &[&dry[..], &["--json"]].concat()));
    let text = |script: &str| shown[script]["text"].as_str().unwrap().to_owned();
    assert!(said.contains(&text("array_script")) && said.contains(&text("merge_script")));
}

#[test]
fn what_cannot_be_submitted_is_refused_before_anything_is() {
    let folder = folder_with("a.toml", DELAY);
    let folder = folder.path();
    fs::write(
        folder.join("seedless.toml"),
        DELAY.replace("seed = 5\n", ""),
    )
    .unwrap();
    let target = format!(
        "target = {{ estimate = \"a_mean\", relative_half_width = 0.1, max_replicas = 1000 }}\n{DELAY}"
    );
    fs::write(folder.join("target.toml"), target).unwrap();
    fs::write(folder.join("there.h5"), "").unwrap();
    for (arguments, said) in [
        (
            &["seedless.toml", "--tasks", "2"][..],
            "add a line such as seed = ",
        ),
        (&["target.toml", "--tasks", "2"], "target"),
        (&["a.toml", "--tasks", "9"], "9 shards, but only 8 batches"),
        (
            &[
                "a.toml",
                "--tasks",
                "1001",
                "--set",
                "batches=1024",
                "--set",
                "replicas=1024",
            ],
            "MaxArraySize is 1001",
        ),
        (&["a.toml", "--tasks", "0"], "--tasks"),
        (&["a.toml"], "--tasks"),
        (
            &["a.toml", "--tasks", "2", "--time", "3h"],
            "HOURS:MINUTES:SECONDS",
        ),
        (
            &["a.toml", "--tasks", "2", "--gpus", "2"],
            "give more --tasks",
        ),
        (&["a.toml", "--tasks", "2", "--partition", ""], "sinfo"),
        (
            &["a.toml", "--tasks", "2", "-o", "there.h5"],
            "there.h5 exists",
        ),
        (&["a.toml", "--tasks", "2", "-o", "no/a.h5"], "mkdir -p no"),
        (&["a.toml", "--tasks", "2", "-o", "a\\b.h5"], "backslash"),
        (&["a.toml", "--tasks", "2", "-o", "a\nb.h5"], "line breaks"),
    ] {
        let output = submit(folder, TWO_JOBS, arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains(said),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
    assert_eq!(calls(folder), "");
    let seeded = submit(
        folder,
        TWO_JOBS,
        &["seedless.toml", "--tasks", "2", "--seed", "0x10"],
    );
    assert!(seeded.status.success(), "{}", stderr(&seeded));
    let shards = fs::read_to_string(folder.join("seedless.h5.slurm/shards.sh")).unwrap();
    assert!(shards.contains(" --seed 16 "), "{shards}");
}

#[test]
fn what_sbatch_says_is_passed_on_and_nothing_is_left_in_the_way() {
    let folder = folder_with("a.toml", DELAY);
    let folder = folder.path();
    let submit_a = |sbatch: &str| {
        let output = submit(folder, sbatch, &["a.toml", "--tasks", "2"]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        stderr(&output)
    };
    let said = submit_a("echo 'error: invalid account' >&2; exit 1");
    assert!(
        said.contains("sbatch refused a.h5.slurm/shards.sh: error: invalid account"),
        "{said}"
    );
    assert!(!folder.join("a.h5.parts").exists());
    let said = submit_a("echo what");
    assert!(said.contains("printed \"what\""), "{said}");
    let said = submit_a("case $* in *dependency*) exit 1 ;; *) echo 41 ;; esac");
    assert!(
        said.contains("sbatch --dependency=afterany:41 a.h5.slurm/merge.sh, or scancel 41"),
        "{said}"
    );
    // Without a Slurm.
    let output = Command::new(env!("CARGO_BIN_EXE_queuefarm"))
        .args(["submit", "a.toml", "--tasks", "2", "-o", "b.h5"])
        .current_dir(folder)
        .env("PATH", folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(
        said.contains("no sbatch on the PATH")
            && said.contains("--dry-run")
            && said.contains("--shard 1/8"),
        "{said}"
    );
}

/// Starts the script of the shards as Slurm does, with a `scontrol` that writes down what it gets.
fn start(folder: &Path, script: &str, task: u32, restarts: u32) -> Child {
    program_in(&folder.join("bin"), "scontrol", "echo \"$@\" >> requeued");
    let path = format!(
        "{}:{}",
        folder.join("bin").display(),
        std::env::var("PATH").unwrap()
    );
    Command::new("bash")
        .arg(script)
        .current_dir(folder)
        .env("PATH", path)
        .env("SLURM_ARRAY_TASK_ID", task.to_string())
        .env("SLURM_ARRAY_JOB_ID", "41")
        .env("SLURM_RESTART_COUNT", restarts.to_string())
        .env("SLURM_CPUS_PER_TASK", "1")
        .env("late", "yes")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn odd_names_stay_whole_and_the_scripts_do_the_work() {
    let name = "it's \"a\" $HOME `x` 5%; é.toml";
    let folder = folder_with(name, DELAY);
    let folder = folder.path();
    let set = "clients={ list = [21, 22] }";
    let output = submit(
        folder,
        TWO_JOBS,
        &[
            name,
            "--tasks",
            "2",
            "--set",
            set,
            "--set",
            "title=\"$x 'y'\"",
        ],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let scripts = "it's \"a\" $HOME `x` 5%; é.h5.slurm";
    let shards = format!("{scripts}/shards.sh");
    let text = fs::read_to_string(folder.join(&shards)).unwrap();
    let log = r#"#SBATCH --output="it's \"a\" $HOME `x` 5%%; é.h5.slurm/shard-%A_%a.log""#;
    assert!(text.lines().any(|line| line == log), "{text}");
    for task in [1, 2] {
        let output = start(folder, &shards, task, 0).wait_with_output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let merged = Command::new("bash")
        .arg(format!("{scripts}/merge.sh"))
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(merged.status.success(), "{}", stderr(&merged));
    let whole = queuefarm(
        folder,
        &[
            "run",
            name,
            "-o",
            "whole.h5",
            "-q",
            "--backend",
            "cpu",
            "--set",
            set,
            "--set",
            "title=\"$x 'y'\"",
        ],
    );
    assert!(whole.status.success(), "{}", stderr(&whole));
    let read = |name: &str| queuefarm::store::read(&folder.join(name)).unwrap();
    let (merged, whole) = (
        read(scripts.strip_suffix(".slurm").unwrap()),
        read("whole.h5"),
    );
    assert!(merged.batches == whole.batches && merged.experiment.title == whole.experiment.title);
}

#[test]
fn a_shard_goes_back_into_the_queue_at_its_limit_of_time_and_only_then() {
    let folder = folder_with("a.toml", DELAY);
    let folder = folder.path();
    let long = ["a.toml", "--tasks", "2", "--set", "duration=40000000"];
    assert!(submit(folder, TWO_JOBS, &long).status.success());
    let lock = folder.join("a.h5.parts/shard-2-of-2.lock");
    for (signals, restarts, requeued) in [
        (&["-USR1"][..], 0, "requeue 41_2\n"),
        (&["-USR1", "-TERM"], 19, "requeue 41_2\n"),
        (&["-USR1"], 20, ""),
        (&["-TERM"], 0, ""),
    ] {
        let _ = fs::remove_file(folder.join("requeued"));
        let _ = fs::remove_file(&lock);
        let child = start(folder, "a.h5.slurm/shards.sh", 2, restarts);
        let begun = Instant::now();
        while !lock.exists() && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        // The script sets its traps while the program starts.
        std::thread::sleep(Duration::from_millis(500));
        for signal in signals {
            let kill = Command::new("kill")
                .args([*signal, &child.id().to_string()])
                .status();
            assert!(kill.unwrap().success());
            // Bash can lose the first of two signals that come within a millisecond. Slurm's are seconds apart.
            std::thread::sleep(Duration::from_millis(50));
        }
        let output = child.wait_with_output().unwrap();
        let code = output.status.code();
        let forgotten = signals.len() == 2 && code == Some(255);
        assert!(
            code == Some(75) || forgotten,
            "{signals:?}: {}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains("terminated: "),
            "{}",
            stderr(&output)
        );
        let said = fs::read_to_string(folder.join("requeued")).unwrap_or_default();
        assert_eq!(said, requeued, "{signals:?} after {restarts}");
    }
}

//! The program as its users meet it: results, messages, exit codes.
#![allow(clippy::unwrap_used)]

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use std::path::Path;

const SMALL: &str = r#"title = "small"
model = "delay"
seed = 7
replicas = 32
batches = 8
warmup = 100
duration = 400
[parameters]
clients = 60
information_delay = { list = [2, 4] }
disinformation = { from = 0.0, to = 0.3, count = 3 }
[record]
trajectories = 2
ensemble = true
to = 50
"#;

fn queuefarm() -> Command {
    let mut command = Command::cargo_bin("queuefarm").unwrap();
    command.env("NODEVICE_SELECT", "1").env_remove("COLUMNS");
    command
}

/// A folder with `small.toml` and, once asked, `small.h5`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("small.toml"), SMALL).unwrap();
    folder
}

fn run_small(folder: &Path) {
    queuefarm()
        .current_dir(folder)
        .args(["run", "small.toml", "--backend", "cpu", "--quiet"])
        .assert()
        .success();
}

fn json(output: &[u8]) -> Value {
    serde_json::from_slice(output).unwrap()
}

#[test]
fn a_run_writes_a_file_that_summary_reads() {
    let folder = folder();
    queuefarm()
        .current_dir(&folder)
        .args(["run", "small.toml", "-o", "out.h5", "--backend", "cpu"])
        .assert()
        .success()
        .stdout(contains("out.h5: 6 points"))
        .stderr(contains("delay: 6 points of 32 replicas in 8 batches"));
    let assert = queuefarm()
        .current_dir(&folder)
        .args(["summary", "out.h5", "--json"])
        .assert()
        .success();
    let summary = json(&assert.get_output().stdout);
    let points = summary["points"].as_array().unwrap();
    assert_eq!(points.len(), 6);
    let first = &points[0];
    assert_eq!(first["parameters"]["information_delay"], 2.0);
    let a_rms = &first["estimates"]["a_rms"];
    for key in ["mean", "se", "lo", "hi", "theory"] {
        assert!(a_rms[key].is_number(), "{key} of {a_rms}");
    }
    assert!(a_rms["lo"].as_f64() <= a_rms["mean"].as_f64());
    assert!(
        points[1]["estimates"]["period"]["theory"].is_null(),
        "no formula for the period with p > 0"
    );
    let csv = queuefarm()
        .current_dir(&folder)
        .args(["summary", "out.h5", "--csv"])
        .assert()
        .success();
    let text = String::from_utf8(csv.get_output().stdout.clone()).unwrap();
    assert_eq!(text.lines().count(), 7);
    assert!(text.starts_with(
        "point,information_delay,disinformation,a_rms,a_rms_se,a_rms_lo,a_rms_hi,a_rms_theory"
    ));
}

#[test]
fn a_wider_confidence_gives_wider_intervals() {
    let folder = folder();
    run_small(folder.path());
    let half = |level: &str| {
        let assert = queuefarm()
            .current_dir(&folder)
            .args(["summary", "small.h5", "--json", "--confidence", level])
            .assert()
            .success();
        let a_rms = json(&assert.get_output().stdout)["points"][1]["estimates"]["a_rms"].clone();
        a_rms["hi"].as_f64().unwrap() - a_rms["lo"].as_f64().unwrap()
    };
    // Student t with 7 degrees of freedom, 3.4995 against 2.3646, and a bit more where batches are skewed.
    let ratio = half("0.99") / half("0.95") / (3.499_483 / 2.364_624);
    assert!((1.0..1.3).contains(&ratio), "{ratio}");
    queuefarm()
        .current_dir(&folder)
        .args(["summary", "small.h5", "--confidence", "95"])
        .assert()
        .code(2)
        .stderr(contains("0.95"));
}

#[test]
fn one_batch_has_estimates_without_intervals() {
    let folder = folder();
    queuefarm()
        .current_dir(&folder)
        .args([
            "run",
            "small.toml",
            "--set",
            "batches=1",
            "--quiet",
            "--backend",
            "cpu",
        ])
        .assert()
        .success();
    let assert = queuefarm()
        .current_dir(&folder)
        .args(["summary", "small.h5", "--json"])
        .assert()
        .success();
    let estimate = json(&assert.get_output().stdout)["points"][0]["estimates"]["a_rms"].clone();
    assert!(estimate["mean"].is_number() && estimate["se"].is_null() && estimate["lo"].is_null());
}

#[test]
fn an_existing_result_is_kept_without_force() {
    let folder = folder();
    std::fs::write(folder.path().join("small.h5"), "precious").unwrap();
    queuefarm()
        .current_dir(&folder)
        .args(["run", "small.toml"])
        .assert()
        .code(2)
        .stderr(contains("--force"));
    assert_eq!(
        std::fs::read_to_string(folder.path().join("small.h5")).unwrap(),
        "precious"
    );
    queuefarm()
        .current_dir(&folder)
        .args(["run", "small.toml", "--force", "--backend", "cpu"])
        .assert()
        .success();
}

#[test]
fn errors_name_file_line_and_key_and_exit_with_2() {
    let folder = folder();
    let wrong = SMALL.replace("information_delay", "information_dealy");
    std::fs::write(folder.path().join("wrong.toml"), wrong).unwrap();
    queuefarm()
        .current_dir(&folder)
        .args(["run", "wrong.toml"])
        .assert()
        .code(2)
        .stdout("")
        .stderr(contains("wrong.toml, line 10").and(contains("did you mean `information_delay`?")));
    queuefarm()
        .current_dir(&folder)
        .args(["run", "missing.toml"])
        .assert()
        .code(2)
        .stderr(contains("missing.toml"));
    queuefarm()
        .current_dir(&folder)
        .args(["run", "small.toml", "--set", "clients=0"])
        .assert()
        .code(2)
        .stderr(contains("--set"));
    queuefarm()
        .args(["models", "delya"])
        .assert()
        .code(2)
        .stderr(contains("the models are: delay"));
    queuefarm().args(["frobnicate"]).assert().code(2);
}

#[test]
fn a_file_that_is_no_result_is_refused_with_1() {
    let folder = folder();
    queuefarm()
        .current_dir(&folder)
        .args(["summary", "small.toml"])
        .assert()
        .code(1)
        .stderr(contains("small.toml"));
    queuefarm()
        .current_dir(&folder)
        .args(["summary", "none.h5"])
        .assert()
        .code(1)
        .stderr(contains("none.h5"));
}

#[test]
fn a_short_warmup_is_said_with_the_one_that_is_needed() {
    let folder = folder();
    let file = "model = \"redundancy\"\nseed = 1\nreplicas = 64\nbatches = 16\nwarmup = 10\nduration = 10\n[parameters]\n\
                servers = 10\ncopies = 2\nload = { list = [0.5, 0.7] }\n";
    std::fs::write(folder.path().join("short.toml"), file).unwrap();
    let run = |set: &[&str]| {
        let mut command = queuefarm();
        command.current_dir(folder.path());
        command.args(["run", "short.toml", "--backend", "cpu", "--force"]);
        for set in set {
            command.args(["--set", set]);
        }
        command.assert().success();
        let mut summary = queuefarm();
        summary.current_dir(folder.path());
        let summary = summary.args(["summary", "short.h5"]).assert().success();
        String::from_utf8(summary.get_output().stdout.clone()).unwrap()
    };
    // 9 max(rho/(1 - sqrt(rho))^2, N rho/((d - 1)(1 - rho))) jobs at load 0.7.
    let needed = (9.0 * 0.7 / (1.0 - 0.7_f64.sqrt()).powi(2)).ceil();
    let said = run(&[]);
    let note = format!(
        "! the warm-up of 10 jobs is short at 2 of 2 points: from an empty start point 1 needs {needed} jobs"
    );
    assert!(said.contains(&note), "{note}\n{said}");
    assert!(run(&[&format!("warmup={}", needed - 1.0)]).contains("is short at 1 of 2 points"));
    assert!(!run(&[&format!("warmup={needed}")]).contains("is short"));
    assert!(!run(&["start=\"stationary\"", "warmup=0"]).contains("is short"));
}

#[test]
fn a_drawn_seed_is_said_recorded_and_repeatable() {
    let folder = folder();
    let without = SMALL.replace("seed = 7\n", "");
    std::fs::write(folder.path().join("drawn.toml"), without).unwrap();
    let assert = queuefarm()
        .current_dir(&folder)
        .args(["run", "drawn.toml", "--json", "--backend", "cpu"])
        .assert()
        .success();
    let seed = json(&assert.get_output().stdout)["seed"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(String::from_utf8_lossy(&assert.get_output().stderr).contains(&seed));
    queuefarm()
        .current_dir(&folder)
        .args([
            "run",
            "drawn.toml",
            "-o",
            "again.h5",
            "--seed",
            &seed,
            "--quiet",
            "--backend",
            "cpu",
        ])
        .assert()
        .success();
    let summary = |file: &str| {
        queuefarm()
            .current_dir(&folder)
            .args(["summary", file, "--csv"])
            .assert()
            .success()
            .get_output()
            .stdout
            .clone()
    };
    assert_eq!(summary("drawn.h5"), summary("again.h5"));
}

#[test]
fn threads_do_not_change_a_result() {
    let folder = folder();
    let export = |threads: &str| {
        queuefarm()
            .current_dir(&folder)
            .args([
                "run",
                "small.toml",
                "--force",
                "--quiet",
                "--backend",
                "cpu",
                "--threads",
                threads,
            ])
            .assert()
            .success();
        queuefarm()
            .current_dir(&folder)
            .args([
                "export",
                "small.h5",
                "--histogram",
                "wait",
                "--csv",
                "--by-batch",
            ])
            .assert()
            .success()
            .get_output()
            .stdout
            .clone()
    };
    assert_eq!(export("1"), export("3"));
}

#[test]
fn a_dry_run_says_what_would_be_done_and_does_nothing() {
    let folder = folder();
    let assert = queuefarm()
        .current_dir(&folder)
        .args([
            "run",
            "small.toml",
            "--dry-run",
            "--json",
            "--backend",
            "cpu",
        ])
        .assert()
        .success();
    let plan = json(&assert.get_output().stdout);
    assert_eq!(plan["points"], 6);
    assert_eq!(plan["steps"], 6 * 32 * 500);
    assert!(plan["seconds"].as_f64().unwrap() > 0.0 && plan["disk_bytes"].as_u64().unwrap() > 0);
    assert!(!folder.path().join("small.h5").exists());
}

#[test]
fn plots_are_drawn_as_svg_and_png_and_other_endings_refused() {
    let folder = folder();
    run_small(folder.path());
    for file in ["sweep.svg", "sweep.png"] {
        queuefarm()
            .current_dir(&folder)
            .args(["plot", "small.h5", "-o", file])
            .assert()
            .success();
        assert!(std::fs::metadata(folder.path().join(file)).unwrap().len() > 5_000);
    }
    queuefarm()
        .current_dir(&folder)
        .args(["plot", "small.h5", "-o", "path.svg", "--kind", "trajectory"])
        .assert()
        .success();
    queuefarm()
        .current_dir(&folder)
        .args(["plot", "small.h5", "-o", "sweep.gif"])
        .assert()
        .code(2)
        .stderr(contains(".svg"));
    queuefarm()
        .current_dir(&folder)
        .args(["plot", "small.h5", "-o", "x.svg", "--estimate", "a_rns"])
        .assert()
        .code(2)
        .stderr(contains("a_rms"));
}

#[test]
fn a_replayed_replica_is_the_one_of_the_ensemble() {
    let folder = folder();
    run_small(folder.path());
    let replay = |file: &str| {
        let assert = queuefarm()
            .current_dir(&folder)
            .args(["replay", file, "--point", "4", "--replica", "1", "--json"])
            .assert()
            .success();
        json(&assert.get_output().stdout)
    };
    let (from_result, from_file) = (replay("small.h5"), replay("small.toml"));
    assert_eq!(from_result, from_file);
    let results = queuefarm::store::read(&folder.path().join("small.h5")).unwrap();
    let recorded = &results.batches[4][0].trajectories[1];
    assert_eq!(recorded.0, 1);
    let path: Vec<i64> = from_result["trajectory"]
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_i64().unwrap())
        .collect();
    assert_eq!(path.len(), 500);
    assert!(
        recorded
            .1
            .iter()
            .zip(&path)
            .all(|(a, b)| i64::from(*a) == *b)
            && recorded.1.len() == 50
    );
    // A whole batch of replicas, one by one, adds up to the batch.
    let squares: u64 = (0..4)
        .map(|replica| {
            let assert = queuefarm()
                .current_dir(&folder)
                .args([
                    "replay",
                    "small.h5",
                    "--point",
                    "4",
                    "--json",
                    "--replica",
                    &replica.to_string(),
                ])
                .assert()
                .success();
            json(&assert.get_output().stdout)["sums_by_half"]["square"]
                .as_array()
                .unwrap()
                .iter()
                .map(|x| x.as_u64().unwrap())
                .sum::<u64>()
        })
        .sum();
    let which = results
        .experiment
        .model
        .sums
        .iter()
        .position(|name| *name == "square")
        .unwrap();
    assert_eq!(
        u128::from(squares),
        results.batches[4][0].sums[which].iter().sum::<u128>()
    );
    queuefarm()
        .current_dir(&folder)
        .args(["replay", "small.h5", "--point", "6", "--replica", "0"])
        .assert()
        .code(2)
        .stderr(contains("points 0 to 5"));
}

#[test]
fn a_recorded_window_is_dated_as_replay_dates_it() {
    let folder = folder();
    let window = [
        "--set",
        "record.from=10.5",
        "--set",
        "record.to=20",
        "--set",
        "ticks_per_service=2",
    ];
    queuefarm()
        .current_dir(&folder)
        .args(["run", "small.toml", "--quiet", "--backend", "cpu"])
        .args(window)
        .assert()
        .success();
    let replay = queuefarm()
        .current_dir(&folder)
        .args(["replay", "small.h5", "--point", "2", "--replica", "1"])
        .assert()
        .success();
    let text = String::from_utf8(replay.get_output().stdout.clone()).unwrap();
    let file = hdf5::File::open(folder.path().join("small.h5")).unwrap();
    let read = |name: &str| file.dataset(name).unwrap().read_1d::<f64>().unwrap()[2];
    let (from, step) = (read("recorded_from"), read("recorded_step"));
    let path = &queuefarm::store::read(&folder.path().join("small.h5"))
        .unwrap()
        .batches[2][0]
        .trajectories[1]
        .1;
    assert_eq!(path.len(), 19);
    for (index, value) in path.iter().enumerate() {
        let line = format!("\n{},{value}\n", from + index as f64 * step);
        assert!(text.contains(&line), "{line:?}");
    }
    queuefarm()
        .current_dir(&folder)
        .args([
            "run",
            "small.toml",
            "--set",
            "record.from=10.3",
            "-o",
            "x.h5",
        ])
        .assert()
        .code(2)
        .stderr(contains("not a whole number"));
}

#[test]
fn the_starter_file_runs_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let starter = queuefarm()
        .args(["new", "delay"])
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    std::fs::write(folder.path().join("mine.toml"), starter).unwrap();
    queuefarm()
        .current_dir(&folder)
        .args([
            "run",
            "mine.toml",
            "--set",
            "replicas=64",
            "--set",
            "duration=200",
            "--quiet",
            "--backend",
            "cpu",
        ])
        .assert()
        .success();
}

#[test]
fn every_experiment_of_the_repository_is_valid() {
    let mut seen = 0;
    for entry in std::fs::read_dir("data/experiments").unwrap() {
        let path = entry.unwrap().path();
        let source = std::fs::read_to_string(&path).unwrap();
        if let Err(problems) = queuefarm::experiment::Experiment::parse(
            &source,
            &path.display().to_string(),
            &[],
            None,
        ) {
            panic!("{problems}");
        }
        seen += 1;
    }
    assert!(seen >= 9, "{seen} experiments");
}

#[test]
fn help_has_examples_and_completions_exist() {
    for command in [
        "run",
        "summary",
        "plot",
        "report",
        "export",
        "replay",
        "verify",
        "models",
        "new",
        "shader",
        "completions",
    ] {
        queuefarm()
            .args([command, "--help"])
            .assert()
            .success()
            .stdout(contains("Example"));
    }
    for shell in ["bash", "zsh", "fish", "powershell"] {
        queuefarm()
            .args(["completions", shell])
            .assert()
            .success()
            .stdout(contains("queuefarm"));
    }
    queuefarm()
        .args(["models", "delay"])
        .assert()
        .success()
        .stdout(contains("information_delay").and(contains("a_rms")));
    queuefarm()
        .args(["shader", "delay"])
        .assert()
        .success()
        .stdout(contains("@compute"));
    queuefarm()
        .arg("devices")
        .assert()
        .success()
        .stdout(contains("auto takes"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_behind_and_exits_with_130() {
    use std::process::{Command as Plain, Stdio};
    use std::time::{Duration, Instant};
    let folder = folder();
    let mut child = Plain::new(assert_cmd::cargo::cargo_bin("queuefarm"))
        .current_dir(&folder)
        .args([
            "run",
            "small.toml",
            "--backend",
            "cpu",
            "--set",
            "duration=100000000",
            "--set",
            "disinformation=0.2",
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let asked = Instant::now();
    Plain::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert!(
        asked.elapsed() < Duration::from_secs(5),
        "stopping took {:?}",
        asked.elapsed()
    );
    let left: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["small.toml"]);
}

#[test]
fn the_gpu_writes_the_same_result_as_the_cpu() {
    let folder = folder();
    let found = queuefarm::engine::gpu::adapters();
    let Some(adapter) = found.first() else {
        assert!(
            std::env::var_os("REQUIRE_GPU").is_none(),
            "REQUIRE_GPU is set and there is no adapter"
        );
        eprintln!("SKIPPED, no adapter");
        return;
    };
    run_small(folder.path());
    queuefarm()
        .current_dir(&folder)
        .args([
            "run",
            "small.toml",
            "-o",
            "gpu.h5",
            "--quiet",
            "--adapter",
            &adapter.name,
        ])
        .assert()
        .success();
    let read = |file: &str| queuefarm::store::read(&folder.path().join(file)).unwrap();
    let (cpu, gpu) = (read("small.h5"), read("gpu.h5"));
    assert_eq!(cpu.batches, gpu.batches);
    assert_eq!(gpu.provenance.backend, "gpu");
}

#[test]
fn bench_measures_every_model_on_every_backend() {
    let assert = queuefarm()
        .args(["bench", "--json", "--seconds", "0.01"])
        .assert()
        .success();
    let found = json(&assert.get_output().stdout);
    let figures = found["measurements"].as_array().unwrap();
    for model in queuefarm::models::MODELS {
        let rows = || figures.iter().filter(|row| row["model"] == model.name);
        let cpu = || rows().filter(|row| row["backend"] == "cpu");
        let sets = queuefarm::engine::InstructionSet::available().len();
        assert_eq!(cpu().count(), sets + 1, "{}", model.name);
        assert_eq!(rows().next().unwrap()["ratio"], 1.0);
        for row in rows() {
            assert!(row["steps_per_second"].as_f64().unwrap() > 1e3, "{row}");
            let share = &row["random_share"];
            assert_eq!(share.is_number(), row["backend"] == "cpu", "{row}");
        }
    }
    let adapters = queuefarm::engine::gpu::adapters().len() * queuefarm::models::MODELS.len();
    let skipped = found["skipped"].as_array().unwrap().len();
    let gpu = figures.iter().filter(|row| row["backend"] == "gpu").count();
    assert_eq!(gpu + skipped, adapters);
}

#[test]
fn bench_takes_one_model_and_refuses_what_is_no_time() {
    queuefarm()
        .args(["bench", "--model", "delay", "--seconds", "0.01"])
        .assert()
        .success()
        .stdout(contains("ticks/s").and(contains("redundancy").not()));
    for (argument, value) in [("--seconds", "0"), ("--model", "delai")] {
        queuefarm()
            .args(["bench", argument, value])
            .assert()
            .code(2);
    }
}

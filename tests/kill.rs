//! `kill -9` at any moment, again and again: what is resumed has the bits of an undisturbed run.
#![cfg(all(unix, feature = "fault-injection"))]
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/program.rs"]
mod program;

use program::{folder_with, queuefarm, stderr};
use queuefarm::store;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Some tenths of a second of work on one thread.
const DELAY: &str = "model = \"delay\"\nseed = 5\nreplicas = 1024\nbatches = 32\nwarmup = 100\nduration = 25000\n[parameters]\nclients = { list = [40, 41] }\ninformation_delay = 3\ndisinformation = 0.2\n[record]\ntrajectories = 3\nensemble = true\nfrom = 10\nto = 40\n";
/// How often the program is killed.
const KILLS: u32 = 200;

#[test]
fn killed_moved_sharded_and_resumed_on_the_other_backend_it_is_the_same_result() {
    let folder = folder_with("a.toml", DELAY);
    let parts = "part-seconds=0.02";
    let run = |folder: &std::path::Path, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_queuefarm"));
        command.args(["run", "a.toml", "-q"]).args(arguments);
        command.current_dir(folder).env("QUEUEFARM_FAULTS", parts);
        command
    };
    let cpu = ["--backend", "cpu", "--threads", "1"];
    let whole = run(folder.path(), &[&cpu[..], &["-o", "whole.h5"]].concat());
    assert!({ whole }.status().unwrap().success());
    let whole = store::read(&folder.path().join("whole.h5")).unwrap();
    // Killed as soon as something is kept.
    let mut child = run(folder.path(), &[&cpu[..], &["-o", "a.h5"]].concat())
        .spawn()
        .unwrap();
    let kept = folder.path().join("a.h5.parts");
    let some = || {
        let entries = std::fs::read_dir(&kept).into_iter().flatten().flatten();
        entries
            .filter(|entry| entry.path().extension().is_some_and(|end| end == "part"))
            .count()
    };
    while some() < 2 {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended before it was killed"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // Moved, and a share of the rest done there.
    let other = tempfile::tempdir().unwrap();
    for name in ["a.toml", "a.h5.parts"] {
        std::fs::rename(folder.path().join(name), other.path().join(name)).unwrap();
    }
    let shard = run(
        other.path(),
        &[&cpu[..], &["-o", "a.h5", "--shard", "2/3"]].concat(),
    );
    assert!({ shard }.status().unwrap().success());
    let status = queuefarm(&other, &["status", "a.h5", "--json"]);
    let done: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
    let replicas = done["replicas_done"].as_u64().unwrap();
    assert!(
        (2 * 1024 / 3 - 32..2 * 1024).contains(&replicas),
        "{replicas} are done"
    );
    // The rest on a GPU, if there is one.
    let gpu = common::gpu().map(|gpu| gpu.summary().name.clone());
    let backend = gpu
        .as_ref()
        .map_or(vec!["--backend", "cpu"], |name| vec!["--adapter", name]);
    let rest = run(other.path(), &[&backend[..], &["-o", "a.h5"]].concat());
    assert!({ rest }.status().unwrap().success());
    let there = store::read(&other.path().join("a.h5")).unwrap();
    assert!(there.batches == whole.batches, "the bits differ");
    assert_eq!(
        there.provenance.backend,
        if gpu.is_some() { "cpu + gpu" } else { "cpu" }
    );
    assert!(!other.path().join("a.h5.parts").exists());
}

#[test]
fn two_hundred_kills_at_random_change_nothing() {
    let folder = folder_with("a.toml", DELAY);
    let run = |output: &'static str| {
        let arguments = [
            "run",
            "a.toml",
            "-q",
            "--threads",
            "1",
            "--backend",
            "cpu",
            "-o",
            output,
        ];
        let mut command = Command::new(env!("CARGO_BIN_EXE_queuefarm"));
        command.args(arguments).current_dir(&folder);
        command.env("QUEUEFARM_FAULTS", "part-seconds=0.02");
        command.stderr(Stdio::piped());
        command
    };
    let begun = Instant::now();
    assert!(run("whole.h5").status().unwrap().success());
    let whole = store::read(&folder.path().join("whole.h5")).unwrap();
    let undisturbed = begun.elapsed();
    let path = folder.path().join("a.h5");
    let (mut kills, mut ends, mut resumed) = (0, 0, 0);
    let mut state = 2018_u64;
    loop {
        let resumes = folder.path().join("a.h5.parts/experiment.json").exists();
        let mut child = run("a.h5").spawn().unwrap();
        // Up to two thirds of an undisturbed run, so that some end, and most are killed on the way.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let wait = undisturbed.mul_f64((state >> 40) as f64 / (1 << 24) as f64 * 0.67);
        let until = Instant::now()
            + if kills < KILLS {
                wait
            } else {
                Duration::from_secs(60)
            };
        let status = loop {
            match child.try_wait().unwrap() {
                None if Instant::now() < until => std::thread::sleep(Duration::from_micros(200)),
                found => break found,
            }
        };
        if status.is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        let output = child.wait_with_output().unwrap();
        assert!(
            status.is_none_or(|status| status.success()),
            "{}",
            stderr(&output)
        );
        resumed += u32::from(resumes);
        // Whether it was killed before, while or after it was written: what is there is right.
        if path.exists() {
            let there = store::read(&path).unwrap();
            assert!(
                there.batches == whole.batches,
                "the bits differ after {kills} kills"
            );
            assert_eq!(there.experiment.resolved(), whole.experiment.resolved());
            let status = queuefarm(&folder, &["status", "a.h5"]);
            assert!(status.status.success(), "{}", stderr(&status));
            if status.stdout.starts_with(b"a.h5: complete") {
                ends += 1;
                std::fs::remove_file(&path).unwrap();
                if kills >= KILLS {
                    break;
                }
            }
        }
    }
    eprintln!("{kills} kills, {resumed} runs resumed, {ends} results");
    assert!(
        resumed > KILLS / 4 && ends > KILLS / 20,
        "{resumed} resumed, {ends} ended"
    );
    // Nothing is left but what was killed while it was written.
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            ["a.toml", "whole.h5"].contains(&name.as_str()) || name.ends_with(".tmp"),
            "{name} is left"
        );
    }
}

//! Runs that were stopped, killed, sharded or damaged, and go on: the same bits as undisturbed ones.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/program.rs"]
mod program;

use program::{folder_with, json, queuefarm, stderr};
use queuefarm::store;
use std::fs;
use std::path::{Path, PathBuf};

/// Half a second of work on one thread.
const DELAY: &str = "model = \"delay\"\nseed = 5\nreplicas = 1536\nbatches = 12\nwarmup = 100\nduration = 40000\n[parameters]\nclients = { list = [40, 41] }\ninformation_delay = 3\ndisinformation = 0.2\n[record]\ntrajectories = 3\nensemble = true\nfrom = 10\nto = 40\n";

fn parts(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("a.h5.parts")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut parts: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "part"))
        .collect();
    parts.sort();
    parts
}

/// `a.toml`, a run of it that was stopped by its limit of time with several parts, and the undisturbed `whole.h5`.
fn stopped() -> tempfile::TempDir {
    let folder = folder_with("a.toml", DELAY);
    let whole = ["run", "a.toml", "-o", "whole.h5", "-q", "--backend", "cpu"];
    assert!(queuefarm(&folder, &whole).status.success());
    // A limit that ends within the run, on a slow machine and on a fast one.
    for limit in ["300ms", "150ms", "75ms", "600ms", "1200ms"] {
        let run = [
            "run",
            "a.toml",
            "--backend",
            "cpu",
            "--threads",
            "1",
            "--time-limit",
            limit,
        ];
        let output = queuefarm(&folder, &run);
        if output.status.code() == Some(75) && folder.path().join("a.h5.parts").is_dir() {
            assert!(stderr(&output).contains("the same command goes on from there"));
            assert!(!folder.path().join("a.h5").exists());
            return folder;
        }
        let _ = fs::remove_file(folder.path().join("a.h5"));
    }
    panic!("no limit stopped the run");
}

/// Ends the run, and compares it with the undisturbed one.
fn goes_on(folder: &tempfile::TempDir, arguments: &[&str]) -> String {
    let run = [&["run", "a.toml"], arguments].concat();
    let output = queuefarm(folder, &run);
    assert!(output.status.success(), "{}", stderr(&output));
    same_as_whole(folder);
    assert!(!folder.path().join("a.h5.parts").exists());
    stderr(&output)
}

fn same_as_whole(folder: &tempfile::TempDir) {
    let read = |name: &str| store::read(&folder.path().join(name)).unwrap();
    let (a, whole) = (read("a.h5"), read("whole.h5"));
    assert!(a.batches == whole.batches, "the bits differ");
    assert_eq!(a.experiment.resolved(), whole.experiment.resolved());
}

#[test]
fn a_run_that_was_stopped_goes_on_where_it_was_and_gives_the_same_bits() {
    let folder = stopped();
    let status = json(&queuefarm(&folder, &["status", "a.h5", "--json"]));
    let done = status["replicas_done"].as_u64().unwrap();
    assert!(done > 0 && done < 2 * 1536 && status["complete"] == false);
    assert_eq!(status["damaged"].as_array().unwrap().len(), 0);
    let said = goes_on(&folder, &["--backend", "cpu"]);
    assert!(
        said.contains(&format!("with {done} replicas are done")),
        "{said}"
    );
    // What was done was not done again.
    let read = store::read(&folder.path().join("a.h5")).unwrap();
    let ticks = 2 * 1536 * 40_100;
    assert_eq!(read.provenance.steps, ticks);
    let status = json(&queuefarm(&folder, &["status", "a.h5", "--json"]));
    assert_eq!(status["complete"], true);
}

#[test]
fn it_goes_on_in_another_folder_and_on_the_other_backend() {
    let folder = stopped();
    let other = tempfile::tempdir().unwrap();
    let to = |name: &str| other.path().join(name);
    fs::create_dir(to("a.h5.parts")).unwrap();
    for entry in fs::read_dir(folder.path().join("a.h5.parts")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to("a.h5.parts").join(entry.file_name())).unwrap();
    }
    for name in ["a.toml", "whole.h5"] {
        fs::copy(folder.path().join(name), to(name)).unwrap();
    }
    match common::gpu() {
        Some(gpu) => {
            let name = gpu.summary().name.clone();
            goes_on(&other, &["--adapter", &name]);
        }
        None => drop(goes_on(&other, &["--backend", "cpu"])),
    }
}

#[test]
fn damaged_parts_are_named_and_done_again() {
    let folder = stopped();
    let part = parts(folder.path()).pop().unwrap();
    let bytes = fs::read(&part).unwrap();
    let name = part.file_name().unwrap().to_str().unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    for (damaged, what) in [
        (&flipped[..], "its checksum is wrong"),
        (&bytes[..bytes.len() / 2], "its checksum is wrong"),
        (&bytes[..100], "it is cut short"),
        (&[][..], "it is no part of this format"),
    ] {
        fs::write(&part, damaged).unwrap();
        let status = json(&queuefarm(&folder, &["status", "a.h5", "--json"]));
        assert!(
            status["damaged"][0]["what"]
                .as_str()
                .unwrap()
                .contains(what)
        );
        let merged = queuefarm(&folder, &["merge", "a.h5.parts", "-o", "m.h5"]);
        assert_eq!(merged.status.code(), Some(1));
        assert!(stderr(&merged).contains(name) && stderr(&merged).contains(what));
    }
    let said = goes_on(&folder, &["--backend", "cpu"]);
    assert!(said.contains("warning: ") && said.contains(name), "{said}");
}

#[test]
fn another_experiment_is_refused_with_the_difference_and_more_batches_are_not_another_one() {
    let folder = stopped();
    for (change, gone, come) in [
        ("seed=6", "- seed = 5", "+ seed = 6"),
        (
            "duration=40002",
            "- duration = 40000.0",
            "+ duration = 40002.0",
        ),
        (
            "disinformation=0.3",
            "- disinformation = 0.2",
            "+ disinformation = 0.3",
        ),
        (
            "batches=24",
            "- replicas a batch = 128",
            "+ replicas a batch = 64",
        ),
    ] {
        let output = queuefarm(
            &folder,
            &["run", "a.toml", "--set", change, "--backend", "cpu"],
        );
        assert_eq!(output.status.code(), Some(2), "{change}");
        let said = stderr(&output);
        assert!(said.contains(gone) && said.contains(come), "{said}");
        assert!(said.contains("rm -r a.h5.parts"), "{said}");
    }
    let more = [
        "--set",
        "replicas=1792",
        "--set",
        "batches=14",
        "--backend",
        "cpu",
    ];
    let output = queuefarm(&folder, &[&["run", "a.toml"], &more[..]].concat());
    assert!(stderr(&output).contains("going on from a.h5.parts"));
    let read = |name: &str| store::read(&folder.path().join(name)).unwrap();
    let (larger, whole) = (read("a.h5"), read("whole.h5"));
    assert!(
        (0..2)
            .all(|p| larger.batches[p][..12] == whole.batches[p] && larger.batches[p].len() == 14)
    );
}

#[test]
fn a_drawn_seed_is_the_same_after_a_stop() {
    let folder = stopped();
    let without = DELAY.replace("seed = 5\n", "");
    fs::write(folder.path().join("b.toml"), &without).unwrap();
    let run = ["run", "b.toml", "--backend", "cpu", "--threads", "1"];
    let first = queuefarm(&folder, &[&run[..], &["--time-limit", "100ms"]].concat());
    assert_eq!(first.status.code(), Some(75), "{}", stderr(&first));
    let seed = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("seed ")).unwrap();
        line.split(' ').nth(1).unwrap().to_owned()
    };
    let second = queuefarm(&folder, &run);
    assert!(second.status.success());
    assert_eq!(seed(&stderr(&first)), seed(&stderr(&second)));
}

#[test]
fn shards_make_the_whole_and_what_is_missing_or_twice_there_is_refused_by_name() {
    let folder = folder_with("a.toml", DELAY);
    let whole = ["run", "a.toml", "-o", "whole.h5", "-q", "--backend", "cpu"];
    assert!(queuefarm(&folder, &whole).status.success());
    let shard = |which: &str, output: &str| {
        let run = [
            "run",
            "a.toml",
            "--shard",
            which,
            "-o",
            output,
            "--backend",
            "cpu",
        ];
        let output = queuefarm(&folder, &run);
        assert!(output.status.success(), "{}", stderr(&output));
    };
    // Two into one folder, one into its own.
    shard("1/3", "a.h5");
    shard("3/3", "a.h5");
    let merge = |folders: &[&str]| {
        let merge = [&["merge", "-o", "a.h5"], folders].concat();
        queuefarm(&folder, &merge)
    };
    let output = merge(&["a.h5.parts"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("shard 2 of 3: 8 batches missing"),
        "{}",
        stderr(&output)
    );
    shard("2/3", "b.h5");
    assert!(merge(&["a.h5.parts", "b.h5.parts"]).status.success());
    same_as_whole(&folder);
    fs::remove_file(folder.path().join("a.h5")).unwrap();
    // A copy of a part is no harm; the same batches simulated twice are named.
    fs::create_dir(folder.path().join("copy.parts")).unwrap();
    for entry in fs::read_dir(folder.path().join("a.h5.parts")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(
            entry.path(),
            folder.path().join("copy.parts").join(entry.file_name()),
        )
        .unwrap();
    }
    let output = merge(&["a.h5.parts", "copy.parts", "b.h5.parts"]);
    assert!(output.status.success(), "{}", stderr(&output));
    fs::remove_file(folder.path().join("a.h5")).unwrap();
    shard("4/6", "c.h5");
    let output = merge(&["a.h5.parts", "b.h5.parts", "c.h5.parts"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("c.h5.parts")
            && stderr(&output).contains("that another part holds, too")
    );
    // Another experiment's parts do not fit.
    let other = [
        "run",
        "a.toml",
        "--set",
        "seed=9",
        "--shard",
        "2/3",
        "-o",
        "d.h5",
        "--backend",
        "cpu",
    ];
    assert!(queuefarm(&folder, &other).status.success());
    let output = merge(&["a.h5.parts", "d.h5.parts"]);
    assert!(stderr(&output).contains("d.h5.parts") && stderr(&output).contains("+ seed = 5"));
}

#[test]
fn shards_need_a_seed_and_enough_batches() {
    let folder = folder_with("a.toml", &DELAY.replace("seed = 5\n", ""));
    let run = |more: &[&str]| {
        let run = [&["run", "a.toml", "--backend", "cpu"], more].concat();
        let output = queuefarm(&folder, &run);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        stderr(&output)
    };
    assert!(run(&["--shard", "1/2"]).contains("add a line such as seed = "));
    assert!(run(&["--shard", "1/25", "--seed", "1"]).contains("only 24 batches"));
    assert!(run(&["--shard", "slurm", "--seed", "1"]).contains("SLURM_ARRAY_TASK_ID is not set"));
    assert!(run(&["--shard", "0/2"]).contains("3/8 for the third of eight"));
}

#[test]
fn an_extension_that_was_stopped_goes_on_too() {
    let folder = folder_with("a.toml", DELAY);
    for (name, replicas, batches) in [("a.h5", "128", "1"), ("whole.h5", "1536", "12")] {
        let (replicas, batches) = (format!("replicas={replicas}"), format!("batches={batches}"));
        let run = [
            "run",
            "a.toml",
            "-q",
            "-o",
            name,
            "--backend",
            "cpu",
            "--set",
            &replicas,
            "--set",
            &batches,
        ];
        assert!(queuefarm(&folder, &run).status.success());
    }
    let extend = [
        "extend",
        "a.h5",
        "--batches",
        "11",
        "--backend",
        "cpu",
        "--threads",
        "1",
    ];
    let output = queuefarm(&folder, &[&extend[..], &["--time-limit", "150ms"]].concat());
    assert_eq!(output.status.code(), Some(75), "{}", stderr(&output));
    assert_eq!(
        store::read(&folder.path().join("a.h5"))
            .unwrap()
            .experiment
            .batches,
        1
    );
    let output = queuefarm(&folder, &extend);
    assert!(
        stderr(&output).contains("going on from a.h5.parts"),
        "{}",
        stderr(&output)
    );
    same_as_whole(&folder);
}

#[test]
fn what_lies_beyond_a_result_is_not_removed_with_its_parts() {
    let folder = stopped();
    // A run of fewer batches takes what it can use, and leaves the rest.
    let less = [
        "--set",
        "replicas=128",
        "--set",
        "batches=1",
        "--backend",
        "cpu",
    ];
    let output = queuefarm(
        &folder,
        &[&["run", "a.toml", "-o", "a.h5"], &less[..]].concat(),
    );
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("a.h5.parts stays"),
        "{}",
        stderr(&output)
    );
    // Now they look like those of an extension; the run that made the result does not remove them either.
    let output = queuefarm(
        &folder,
        &[&["run", "a.toml", "-o", "a.h5"], &less[..]].concat(),
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("queuefarm extend"),
        "{}",
        stderr(&output)
    );
    let status = json(&queuefarm(&folder, &["status", "a.h5", "--json"]));
    assert_eq!(status["batches_in_result"], 1);
    let missing = status["missing"][0]["batches"][0][0].as_u64().unwrap();
    assert!(missing > 0, "the batch of the result is not missing");
    let extend = ["extend", "a.h5", "--batches", "11", "--backend", "cpu"];
    let output = queuefarm(&folder, &extend);
    assert!(
        stderr(&output).contains("going on from a.h5.parts"),
        "{}",
        stderr(&output)
    );
    same_as_whole(&folder);
    assert!(!folder.path().join("a.h5.parts").exists());
}

#[test]
fn a_run_and_a_shard_do_not_work_in_one_folder_at_once() {
    let folder = stopped();
    let path = folder.path().join("a.h5.parts/shard-1-of-2.lock");
    let lock = fs::File::create(path).unwrap();
    lock.lock().unwrap();
    let output = queuefarm(&folder, &["run", "a.toml", "--backend", "cpu"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("(shard-1-of-2) is at work on it"),
        "{}",
        stderr(&output)
    );
    let shard = ["run", "a.toml", "--backend", "cpu", "--shard", "2/2"];
    assert!(queuefarm(&folder, &shard).status.success());
}

#[test]
fn a_run_that_pursues_a_target_is_not_complete_nor_merged_before_it_ends() {
    let target = "target = { estimate = \"a_rms\", relative_half_width = 0.000001, max_replicas = 1000000 }\n";
    let folder = folder_with(
        "a.toml",
        &DELAY.replace("[parameters]", &format!("{target}[parameters]")),
    );
    let run = ["run", "a.toml", "--backend", "cpu", "--time-limit", "2s"];
    let output = queuefarm(&folder, &run);
    assert_eq!(output.status.code(), Some(75), "{}", stderr(&output));
    let status = json(&queuefarm(&folder, &["status", "a.h5", "--json"]));
    assert_eq!(
        (&status["complete"], &status["target"]),
        (&false.into(), &"a_rms".into())
    );
    let output = queuefarm(&folder, &["merge", "a.h5.parts", "-o", "m.h5"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("until a target is reached"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_result_that_is_there_while_its_parts_are_too_is_complete() {
    let folder = stopped();
    fs::copy(folder.path().join("whole.h5"), folder.path().join("a.h5")).unwrap();
    let said = goes_on(&folder, &["--backend", "cpu"]);
    assert!(said.contains("complete already"), "{said}");
    // Without parts it is a file like any other.
    let again = queuefarm(&folder, &["run", "a.toml", "--backend", "cpu"]);
    assert_eq!(again.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn a_termination_is_resumable_with_75_and_an_interrupt_with_130() {
    use std::process::{Command, Stdio};
    let folder = folder_with("a.toml", DELAY);
    for (signal, code) in [("-TERM", 75), ("-INT", 130)] {
        let child = Command::new(env!("CARGO_BIN_EXE_queuefarm"))
            .current_dir(&folder)
            .args([
                "run",
                "a.toml",
                "--backend",
                "cpu",
                "--set",
                "duration=4000000",
            ])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(600));
        let kill = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
    }
    assert!(!folder.path().join("a.h5").exists());
}

#[test]
fn two_runs_of_one_result_do_not_mix() {
    let folder = stopped();
    let lock = fs::File::open(folder.path().join("a.h5.parts/run.lock")).unwrap();
    lock.lock().unwrap();
    let output = queuefarm(&folder, &["run", "a.toml", "--backend", "cpu"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("another run is at work on it"));
    let status = json(&queuefarm(&folder, &["status", "a.h5", "--json"]));
    assert_eq!(status["at_work"][0], "run");
    drop(lock);
    goes_on(&folder, &["--backend", "cpu"]);
}

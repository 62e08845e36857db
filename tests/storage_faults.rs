//! Disks that are full, folders that vanish or cannot be written, no locks, a clock that goes back: nothing is lost.
#![cfg(all(target_os = "linux", feature = "fault-injection"))]
#![allow(clippy::unwrap_used)]

#[path = "common/program.rs"]
mod program;

use program::{folder_with, queuefarm, stderr};
use queuefarm::store;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Half a second of work on one thread of a fast machine.
const DELAY: &str = "model = \"delay\"\nseed = 5\nreplicas = 1024\nbatches = 32\nwarmup = 100\nduration = 100000\n[parameters]\nclients = { list = [40, 41] }\ninformation_delay = 3\ndisinformation = 0.2\n";
const RUN: [&str; 7] = ["run", "a.toml", "--threads", "1", "--backend", "cpu", "-q"];

/// A folder with `a.toml` and `whole.h5`.
fn folder() -> tempfile::TempDir {
    let folder = folder_with("a.toml", DELAY);
    let output = queuefarm(&folder, &[&RUN[..], &["-o", "whole.h5"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    folder
}

fn with_faults(folder: &tempfile::TempDir, faults: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queuefarm"));
    let command = command
        .args(RUN)
        .current_dir(folder)
        .env("QUEUEFARM_FAULTS", faults);
    command.output().unwrap()
}

fn same_as_whole(folder: &Path) {
    let read = |name: &str| store::read(&folder.join(name)).unwrap();
    assert!(
        read("a.h5").batches == read("whole.h5").batches,
        "the bits differ"
    );
    let left = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left
        .filter(|name| name.to_string_lossy().contains(".parts"))
        .collect();
    assert!(left.is_empty(), "{left:?} is left");
}

#[test]
fn a_disk_that_is_full_for_a_while_costs_nothing() {
    let folder = folder();
    // The second and third file: what the folder is about is the first.
    let output = with_faults(&folder, "part-seconds=0.02,disk-full@2,disk-full@3");
    assert!(output.status.success(), "{}", stderr(&output));
    same_as_whole(folder.path());
}

#[test]
fn a_disk_that_stays_full_stops_the_run_and_what_was_kept_is_resumed() {
    let folder = folder();
    let output = with_faults(&folder, "part-seconds=0.02,disk-full@4..");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("free some space"), "{said}");
    assert!(
        said.contains("what was kept before is in a.h5.parts"),
        "{said}"
    );
    assert!(!folder.path().join("a.h5").exists());
    let mut command = Command::new(env!("CARGO_BIN_EXE_queuefarm"));
    let loud = RUN[..6].to_vec();
    let output = command.args(loud).current_dir(&folder).output().unwrap();
    assert!(
        stderr(&output).contains("going on from a.h5.parts: 2 parts"),
        "{}",
        stderr(&output)
    );
    same_as_whole(folder.path());
}

#[test]
fn a_disk_that_is_full_when_the_result_is_assembled_leaves_all_parts() {
    let folder = folder();
    // How many files a run begins depends on its speed: all from one on that is late enough are refused, but for parts.
    let output = with_faults(&folder, "part-seconds=1000,disk-full@1");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("a.h5: cannot write"),
        "{}",
        stderr(&output)
    );
    assert!(!folder.path().join("a.h5").exists());
    assert!(with_faults(&folder, "").status.success());
    same_as_whole(folder.path());
}

/// Runs a script in a mount namespace of its own, or says why that cannot be done.
fn in_namespace(folder: &Path, script: &str) -> Option<Output> {
    let may = Command::new("unshare").args(["-rm", "true"]).output();
    if !may.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: no mount namespaces here");
        return None;
    }
    let mut command = Command::new("unshare");
    let command = command
        .args(["-rm", "bash", "-c", script])
        .current_dir(folder);
    let command = command.env("Q", env!("CARGO_BIN_EXE_queuefarm"));
    Some(command.output().unwrap())
}

#[test]
fn a_real_disk_that_fills_up_is_survived() {
    let folder = folder();
    let script =
        "set -e; mkdir small; mount -t tmpfs -o size=100k none small; cp a.toml small; cd small
        run() { $Q run a.toml --threads 1 --backend cpu; }
        code=0; QUEUEFARM_FAULTS=part-seconds=0.02 run || code=$?; echo \"code $code\"; ls
        test ! -e a.h5
        mount -o remount,size=20m none .; run; cp a.h5 ..; ls -a; test ! -e a.h5.parts";
    let Some(output) = in_namespace(folder.path(), script) else {
        return;
    };
    let (out, said) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr(&output),
    );
    assert!(
        output.status.success() && out.contains("code 1"),
        "{out}{said}"
    );
    assert!(said.contains("may take up to"), "{said}");
    assert!(
        said.contains("free some space") && said.contains("going on from a.h5.parts"),
        "{said}"
    );
    same_as_whole(folder.path());
}

#[test]
fn a_disk_that_cannot_be_written_is_refused_at_once() {
    let folder = folder();
    let script = "set -e; mkdir fixed; mount -t tmpfs none fixed; cp a.toml fixed; cd fixed; mount -o remount,ro none .
        code=0; $Q run a.toml --backend cpu || code=$?; echo \"code $code\"";
    let Some(output) = in_namespace(folder.path(), script) else {
        return;
    };
    assert!(String::from_utf8_lossy(&output.stdout).contains("code 1"));
    let said = stderr(&output);
    assert!(
        said.contains("a.h5: cannot create") && said.contains("change the permissions"),
        "{said}"
    );
}

#[test]
fn something_else_with_the_name_of_the_folder_is_refused_and_left_alone() {
    let folder = folder();
    fs::write(folder.path().join("a.h5.parts"), "mine").unwrap();
    let output = with_faults(&folder, "part-seconds=0.02");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("a.h5.parts: cannot keep parts"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read(folder.path().join("a.h5.parts")).unwrap(), b"mine");
}

#[test]
fn a_folder_of_parts_that_vanishes_during_the_run_does_not_change_the_result() {
    let folder = folder();
    let parts = folder.path().join("a.h5.parts");
    let mut command = Command::new(env!("CARGO_BIN_EXE_queuefarm"));
    let command = command
        .args(RUN)
        .current_dir(&folder)
        .stderr(Stdio::piped());
    let mut child = command
        .env("QUEUEFARM_FAULTS", "part-seconds=0.02")
        .spawn()
        .unwrap();
    let mut removed = 0;
    while child.try_wait().unwrap().is_none() {
        removed += u32::from(fs::remove_dir_all(&parts).is_ok());
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    assert!(removed > 1, "removed {removed} times");
    if output.status.success() {
        same_as_whole(folder.path());
    } else {
        // Three in a row: refused in words, and the same command goes on.
        assert!(
            stderr(&output).contains("could not be kept"),
            "{}",
            stderr(&output)
        );
        assert!(with_faults(&folder, "").status.success());
        same_as_whole(folder.path());
    }
}

/// A library before the C library: no locks, and a clock that goes back.
fn shim(folder: &Path) -> Option<PathBuf> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/shim.c");
    let library = folder.join("shim.so");
    let mut compiler = Command::new("cc");
    let compiler = compiler
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(source)
        .arg("-ldl");
    compiler
        .status()
        .is_ok_and(|status| status.success())
        .then_some(library)
}

#[test]
fn a_file_system_without_locks_and_a_clock_that_goes_back_are_survived() {
    let folder = folder();
    let library = shim(folder.path()).expect("Rust links with cc, so it is there");
    let run = |lock: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_queuefarm"));
        let command = command
            .args(RUN)
            .current_dir(&folder)
            .env("LD_PRELOAD", &library);
        let command = command.env("HDF5_USE_FILE_LOCKING", lock);
        command
            .env("QUEUEFARM_FAULTS", "part-seconds=0.02")
            .output()
            .unwrap()
    };
    // The HDF5 library insists on locks unless it is told not to: refused before any work is done.
    let output = run("TRUE");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("HDF5_USE_FILE_LOCKING=FALSE"),
        "{}",
        stderr(&output)
    );
    assert!(!folder.path().join("a.h5.parts").exists());
    let output = run("FALSE");
    assert!(output.status.success(), "{}", stderr(&output));
    same_as_whole(folder.path());
    let provenance = store::read(&folder.path().join("a.h5")).unwrap().provenance;
    assert!(
        provenance.ended < provenance.started,
        "the clock did not go back"
    );
    assert!(provenance.seconds > 0.0 && provenance.seconds < 60.0);
}

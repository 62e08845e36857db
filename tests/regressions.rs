//! Inputs that once went wrong, and what fuzzing found: each is read, or refused in words, in time and without a panic.
#![allow(clippy::unwrap_used)]

#[path = "common/round_trip.rs"]
mod round_trip;

use assert_cmd::Command;
use predicates::str::contains;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder of data/fuzz, in order.
fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data/fuzz")
        .join(folder);
    let mut cases: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    assert!(!cases.is_empty());
    cases
}

fn queuefarm() -> Command {
    Command::cargo_bin("queuefarm").unwrap()
}

#[test]
fn experiments_that_fuzzing_found_are_refused_or_read() {
    for case in cases("experiment") {
        eprintln!("{}", case.display());
        round_trip::check(
            &String::from_utf8_lossy(&fs::read(&case).unwrap()),
            "fuzz.toml",
        );
    }
}

#[test]
fn tables_that_fuzzing_found_are_refused_or_read() {
    for case in cases("table") {
        eprintln!("{}", case.display());
        round_trip::check_table(&fs::read(&case).unwrap());
    }
}

/// Result files that crash libhdf5 1.10.8 or keep it busy without an end: other versions may read them.
#[cfg(unix)]
#[test]
fn result_files_that_crash_the_library_are_refused_in_words() {
    for case in cases("result") {
        let name = case.display().to_string();
        if name.contains("endless") {
            continue;
        }
        let output = queuefarm().arg("summary").arg(&case).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let refused =
            output.status.code() == Some(1) && said.starts_with(&format!("error: {name}: "));
        assert!(refused || output.status.success(), "{name}: {said}");
    }
}

/// What the program starts itself as, with less time than it gives.
#[cfg(unix)]
#[test]
fn a_result_file_that_keeps_the_library_busy_is_given_up_in_time() {
    let folder = tempfile::tempdir().unwrap();
    for case in cases("result") {
        let begun = std::time::Instant::now();
        let mut command = queuefarm();
        command.args(["read-unverified", "--memory=4294967296", "--seconds=2"]);
        command.arg(&case).arg(folder.path().join("copy.h5"));
        // Wall time, on a machine that may be busy with other tests.
        let output = command
            .timeout(std::time::Duration::from_secs(120))
            .output()
            .unwrap();
        assert!(begun.elapsed().as_secs() < 100, "{}", case.display());
        assert_ne!(output.status.code(), Some(101), "{}", case.display());
    }
}

#[cfg(unix)]
#[test]
fn inputs_without_an_end_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let endless = "model = \"redundancy\"\nwarmup = 1\nduration = 1\n[parameters]\nservers = 2\nservice = \"samples\"\n\
                   service_samples = { file = \"/dev/zero\", column = \"a\" }\n";
    fs::write(folder.path().join("endless.toml"), endless).unwrap();
    let mut command = queuefarm();
    command.current_dir(&folder).args(["run", "endless.toml"]);
    command
        .assert()
        .code(2)
        .stderr(contains("/dev/zero is no regular file"));
    let mut command = queuefarm();
    command
        .args(["run", "/dev/zero", "-o", "x.h5"])
        .current_dir(&folder);
    command
        .assert()
        .code(2)
        .stderr(contains("larger than 64 MiB"));
    for command in ["summary", "tail", "check", "compare"] {
        let mut queuefarm = queuefarm();
        queuefarm.args([command, "/dev/zero"]).current_dir(&folder);
        queuefarm
            .assert()
            .failure()
            .stderr(contains("not a regular file"));
    }
}

//! Result files that are not as they were written, as every command that takes one meets them.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

#[path = "output/synthetic.rs"]
mod synthetic;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use queuefarm::store::{StoreError, read, read_unverified, write};
use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use synthetic::{RECORDED, estimates, experiment, results};

/// Bytes at the end that hold the checksum.
const SEAL: usize = 128;

/// Every command that reads a result, without the one that writes to it.
const COMMANDS: [&[&str]; 8] = [
    &["summary", "x.h5"],
    &["tail", "x.h5", "--histogram", "wait_1"],
    &["check", "x.h5"],
    &["compare", "x.h5"],
    &["plot", "x.h5", "-o", "x.svg"],
    &["report", "x.h5", "--force"],
    &["export", "x.h5", "--csv", "--histogram", "wait_1"],
    &["replay", "x.h5", "--point", "0", "--replica", "3"],
];

/// Held by each test: the HDF5 library locks files, and the programs that other tests start inherit its open ones.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder with `x.h5`, and its bytes.
fn folder() -> (tempfile::TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.h5");
    let results = results(experiment(RECORDED), |_| 30);
    write(&path, &results, &estimates(&results)).unwrap();
    let bytes = fs::read(&path).unwrap();
    (folder, bytes)
}

fn queuefarm(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("queuefarm").unwrap();
    command.current_dir(folder).args(arguments);
    // Temporary copies would be seen in here.
    command.env("TMPDIR", folder);
    command
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = (fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Sets the attribute `resolved`, as another program would.
fn set_resolved(path: &Path, text: &str) {
    let text: hdf5::types::VarLenUnicode = text.parse().unwrap();
    let file = hdf5::File::open_rw(path).unwrap();
    file.attr("resolved").unwrap().write_scalar(&text).unwrap();
    file.close().unwrap();
}

#[test]
fn every_command_refuses_a_file_that_was_changed_after_it_was_written() {
    let _alone = alone();
    let (folder, mut bytes) = folder();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(folder.path().join("x.h5"), &bytes).unwrap();
    let extend: &[&str] = &["extend", "x.h5", "--batches", "1"];
    for command in COMMANDS.into_iter().chain([extend]) {
        queuefarm(folder.path(), command)
            .assert()
            .code(1)
            .stdout("")
            .stderr(starts_with(
                "error: x.h5: damaged: its checksum says that it was changed",
            ));
    }
    assert_eq!(fs::read(folder.path().join("x.h5")).unwrap(), bytes);
    assert_eq!(names(folder.path()), ["x.h5"]);
}

#[test]
fn every_command_reads_a_file_without_a_checksum_and_says_so() {
    let _alone = alone();
    let (folder, bytes) = folder();
    let path = folder.path().join("x.h5");
    for command in COMMANDS {
        fs::write(&path, &bytes).unwrap();
        let expected = queuefarm(folder.path(), command).output().unwrap();
        fs::write(&path, &bytes[..bytes.len() - SEAL]).unwrap();
        let found = queuefarm(folder.path(), command).output().unwrap();
        assert_eq!(found.status.code(), expected.status.code(), "{command:?}");
        assert_eq!(found.stdout, expected.stdout, "{command:?}");
        let [expected, found] = [expected, found].map(|o| String::from_utf8(o.stderr).unwrap());
        let (note, rest) = found.split_once('\n').unwrap();
        assert!(note.starts_with("note: x.h5 has no checksum"), "{note}");
        assert_eq!(rest, expected);
    }
    assert_eq!(names(folder.path()), ["x.h5", "x.html", "x.svg"]);
}

#[test]
fn a_file_that_another_program_has_edited_is_read_with_care() {
    let _alone = alone();
    let (folder, bytes) = folder();
    let path = folder.path().join("x.h5");
    let before = read(&path).unwrap();
    let file = hdf5::File::open_rw(&path).unwrap();
    file.new_attr::<u64>()
        .create("mine")
        .unwrap()
        .write_scalar(&7_u64)
        .unwrap();
    file.close().unwrap();
    assert!(matches!(read(&path), Err(StoreError::Unverified { .. })));
    assert_eq!(read_unverified(&path).unwrap().batches, before.batches);
    queuefarm(folder.path(), &["summary", "x.h5"])
        .assert()
        .success()
        .stderr(contains("has no checksum"));
    // Extending writes it anew, with a checksum.
    queuefarm(
        folder.path(),
        &[
            "extend",
            "x.h5",
            "--batches",
            "1",
            "--quiet",
            "--backend",
            "cpu",
        ],
    )
    .assert()
    .success();
    assert_eq!(
        read(&path).unwrap().experiment.batches,
        before.experiment.batches + 1
    );
    assert_ne!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_file_that_was_cut_short_is_refused_in_the_words_of_what_is_wrong() {
    let _alone = alone();
    let (folder, bytes) = folder();
    for length in [8, 100, bytes.len() / 2, bytes.len() - SEAL - 1] {
        fs::write(folder.path().join("x.h5"), &bytes[..length]).unwrap();
        let error = queuefarm(folder.path(), &["summary", "x.h5"])
            .assert()
            .code(1);
        error
            .stdout("")
            .stderr(starts_with("error: x.h5: damaged: ").and(contains("restore the file")));
    }
    assert_eq!(names(folder.path()), ["x.h5"]);
}

#[test]
fn a_file_that_asks_for_more_memory_than_there_may_be_is_refused() {
    let _alone = alone();
    let (folder, _) = folder();
    let path = folder.path().join("x.h5");
    let resolved = read(&path).unwrap().experiment.resolved();
    let vast = resolved
        .replace("replicas = 12", "replicas = 4000000000")
        .replace("batches = 4", "batches = 4000000000");
    assert_ne!(vast, resolved);
    set_resolved(&path, &vast);
    queuefarm(folder.path(), &["summary", "x.h5"])
        .assert()
        .code(1)
        .stderr(contains(
            "x.h5: it has no checksum, and reading it takes more than the 4",
        ));
    assert_eq!(names(folder.path()), ["x.h5"]);
}

#[test]
fn a_place_for_the_copy_that_is_not_there_is_named() {
    let _alone = alone();
    let (folder, bytes) = folder();
    fs::write(folder.path().join("x.h5"), &bytes[..bytes.len() - SEAL]).unwrap();
    let mut command = queuefarm(folder.path(), &["summary", "x.h5"]);
    command
        .env("TMPDIR", "nowhere")
        .assert()
        .code(1)
        .stderr(contains("nowhere").and(contains("TMPDIR")));
}

#[test]
fn the_hidden_command_is_neither_in_the_help_nor_in_completions() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["--help"][..],
        &["completions", "bash"],
        &["completions", "fish"],
        &["completions", "zsh"],
    ] {
        let output = queuefarm(folder.path(), arguments).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains("summary") && !text.contains("unverified"),
            "{arguments:?}"
        );
    }
}

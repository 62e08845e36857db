//! Results of small experiments, and what `queuefarm tail` says of them.
#![allow(dead_code, reason = "not every test file needs all of it")]

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

/// The program in a folder.
pub fn queuefarm(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("queuefarm").unwrap();
    command
        .env("NODEVICE_SELECT", "1")
        .env_remove("COLUMNS")
        .current_dir(folder);
    command
}

/// A folder with the result `out.h5` of an experiment.
pub fn run(experiment: &str, set: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("out.toml"), experiment).unwrap();
    let mut command = queuefarm(folder.path());
    command.args(["run", "out.toml", "--backend", "cpu", "--quiet"]);
    for set in set {
        command.args(["--set", set]);
    }
    command.assert().success();
    folder
}

/// What the command says in JSON.
pub fn tail(folder: &tempfile::TempDir, arguments: &[&str]) -> Value {
    let mut command = queuefarm(folder.path());
    command.args(["tail", "out.h5", "--json"]).args(arguments);
    let assert = command.assert().success();
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

/// A number of JSON.
pub fn number(value: &Value) -> f64 {
    let number = value.as_f64();
    number.unwrap_or_else(|| panic!("{value} is no number"))
}

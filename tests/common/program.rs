//! The program as a child process: arguments in, what it said out.
#![allow(dead_code, reason = "not every test file needs all of it")]

use std::path::Path;
use std::process::{Command, Output};

/// A folder with one file in it.
pub fn folder_with(name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    folder
}

/// Runs the program in a folder.
pub fn queuefarm(folder: impl AsRef<Path>, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_queuefarm"))
        .args(arguments)
        .current_dir(folder)
        .env("NODEVICE_SELECT", "1")
        .output()
        .unwrap()
}

/// What it printed, as JSON.
pub fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What it said.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

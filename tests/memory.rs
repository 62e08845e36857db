//! A run takes no more memory than it says before it begins, however many replicas and points there are.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

#[path = "common/program.rs"]
mod program;

use program::{folder_with, json, queuefarm};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Bytes stated by --dry-run, and the most that the program then had.
fn stated_and_taken(text: &str) -> (u64, u64) {
    let folder = folder_with("a.toml", text);
    let dry = [
        "run",
        "a.toml",
        "--backend",
        "cpu",
        "--dry-run",
        "--json",
        "-q",
    ];
    let stated = json(&queuefarm(&folder, &dry))["memory_bytes"]
        .as_u64()
        .unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_queuefarm"))
        .args(["run", "a.toml", "--backend", "cpu", "-q"])
        .current_dir(&folder)
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut taken = 0;
    let code = loop {
        // The most that it had so far; nothing once it has ended.
        let most = std::fs::read_to_string(&status).ok().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
            line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
        });
        taken = taken.max(most.unwrap_or(0) * 1024);
        match child.try_wait().unwrap() {
            Some(code) => break code,
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    assert!(code.success());
    (stated, taken)
}

/// `points` points of `replicas` replicas in `batches` batches.
fn experiment(points: u32, replicas: u32, batches: u32) -> String {
    format!(
        "model = \"delay\"\nseed = 3\nreplicas = {replicas}\nbatches = {batches}\nwarmup = 0\nduration = 1\n[parameters]\n\
         clients = 50\ninformation_delay = 1\ndisinformation = {{ from = 0, to = 1, count = {points} }}\n"
    )
}

#[test]
fn memory_grows_with_points_and_batches_as_stated() {
    let (stated, taken) = stated_and_taken(&experiment(3_000, 8, 8));
    assert!(taken < stated, "{taken} of {stated}");
    // The statement is not so large that it says nothing.
    assert!(taken > stated / 3, "{taken} of {stated}");
}

#[test]
fn memory_does_not_grow_with_replicas() {
    let (stated, taken) = stated_and_taken(&experiment(2, 2_000_000, 64));
    assert!(taken < stated, "{taken} of {stated}");
    let folder = folder_with("a.toml", &experiment(2, 100_000_000, 64));
    let dry = [
        "run",
        "a.toml",
        "--backend",
        "cpu",
        "--dry-run",
        "--json",
        "-q",
    ];
    let more = json(&queuefarm(&folder, &dry))["memory_bytes"]
        .as_u64()
        .unwrap();
    assert_eq!(more, stated);
    assert!(stated < 256 << 20);
}

#[test]
fn what_does_not_fit_is_refused_before_it_begins() {
    let text = experiment(100_000, 200, 200);
    let folder = folder_with("a.toml", &text);
    let output = queuefarm(&folder, &["run", "a.toml", "--backend", "cpu"]);
    let said = program::stderr(&output);
    if output.status.success() {
        panic!("a machine with much memory: make the experiment larger");
    }
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("of memory and") && said.contains("are free"),
        "{said}"
    );
}

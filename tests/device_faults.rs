//! Faults made on purpose on a software adapter: whatever fails, the results are those of the CPU, bit for bit.
#![cfg(feature = "fault-injection")]
#![allow(clippy::unwrap_used)]

use queuefarm::ensemble::Results;
use std::path::Path;
use std::process::{Command, Output};

/// More replicas than the first wave of a software adapter holds, so that there are two waves.
const EXPERIMENT: &str = r#"
model = "delay"
seed = 11
replicas = 12288
batches = 8
warmup = 20
duration = 200
[parameters]
clients = 30
information_delay = 10
disinformation = { list = [0.0, 0.3] }
"#;

/// The software adapter, or a visible skip; REQUIRE_GPU turns the skip into a failure.
fn adapter() -> Option<String> {
    let adapters = queuefarm::engine::gpu::adapters();
    let software = adapters.into_iter().find(|adapter| !adapter.is_gpu);
    if software.is_none() {
        assert!(
            std::env::var_os("REQUIRE_GPU").is_none(),
            "REQUIRE_GPU is set and there is no software adapter"
        );
        eprintln!("SKIPPED, no software adapter");
    }
    software.map(|adapter| adapter.name)
}

fn run(folder: &Path, output: &str, faults: &str, arguments: &[&str]) -> Output {
    let ended = Command::new(env!("CARGO_BIN_EXE_queuefarm"))
        .current_dir(folder)
        .env("QUEUEFARM_FAULTS", faults)
        .args(["run", "e.toml", "-o", output, "--force"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        ended.status.success(),
        "{faults}: {}",
        String::from_utf8_lossy(&ended.stderr)
    );
    ended
}

fn read(folder: &Path, output: &str) -> Results {
    queuefarm::store::read(&folder.join(output)).unwrap()
}

/// Runs with these faults, compares with the undisturbed CPU, and looks for what a warning must tell.
fn disturbed(faults: &[(&str, &[&str])]) {
    let Some(adapter) = adapter() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("e.toml"), EXPERIMENT).unwrap();
    run(folder, "cpu.h5", "", &["--backend", "cpu"]);
    let right = read(folder, "cpu.h5");
    for (faults, told) in faults {
        for kind in ["gpu", "all"] {
            let place = ["--backend", kind, "--adapter", &adapter];
            let ended = run(folder, "disturbed.h5", faults, &place);
            let found = read(folder, "disturbed.h5");
            assert_eq!(found.batches, right.batches, "{faults} on {kind}");
            let by = if kind == "all" { "gpu+cpu" } else { "gpu" };
            assert_eq!(found.provenance.backend, by);
            // On `all` the CPU may have taken the unit that was to fail.
            let said = String::from_utf8_lossy(&ended.stderr);
            let warned = |words: &&&str| {
                said.lines()
                    .any(|line| line.starts_with("warning") && line.contains(**words))
            };
            assert!(!faults.is_empty() || !said.contains("warning"), "{said}");
            assert!(
                kind == "all" || told.iter().all(|words| warned(&words)),
                "{faults}: {said}"
            );
        }
    }
}

#[test]
fn without_faults_nothing_is_told_and_all_places_agree() {
    disturbed(&[("", &[])]);
}

#[test]
fn a_lost_device_is_opened_again() {
    disturbed(&[
        (
            "device-lost@1",
            &["device lost", "redone on the same device"],
        ),
        (
            "device-lost@3",
            &["device lost", "redone on the same device"],
        ),
        ("driver-panic@2", &["gave up", "redone on the same device"]),
    ]);
}

#[test]
fn a_device_that_is_lost_again_and_again_is_given_up() {
    disturbed(&[
        ("device-lost@2..", &["device lost", "given up"]),
        ("driver-panic@1..", &["gave up", "given up"]),
    ]);
}

#[test]
fn a_lack_of_memory_makes_waves_narrower() {
    disturbed(&[
        (
            "out-of-memory@1",
            &["out of device memory", "redone on the same device"],
        ),
        ("out-of-memory@2..", &["out of device memory", "given up"]),
    ]);
}

#[test]
fn a_dispatch_that_stops_early_is_noticed_and_redone() {
    disturbed(&[
        (
            "short-dispatch@2",
            &["stopped early", "redone on the same device"],
        ),
        ("short-dispatch@1..", &["stopped early", "given up"]),
    ]);
}

#[test]
fn a_wrong_answer_is_noticed_and_redone() {
    disturbed(&[
        (
            "wrong-answer@1",
            &["a wrong answer", "redone on the same device"],
        ),
        ("wrong-answer@1..", &["a wrong answer", "given up"]),
    ]);
}

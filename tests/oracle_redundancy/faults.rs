//! A workload that leaves the range of the clock, as a user meets it: the run ends with an error, the file says how
//! many replicas did, their point has no estimates, and the other points stand.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

/// Without an exact law the clock has at most 16 fraction bits, so the range is 2^14 mean service times. At a load of 2
/// the work at the server grows by half a mean service time a job: 2^15 jobs reach the end, 20,000 do not.
const FILE: &str = "model = \"redundancy\"\nseed = 3\nreplicas = 20\nbatches = 5\nwarmup = 0\n\
                    [parameters]\nservers = 1\ncopies = 1\nallow_unstable = true\n\
                    load = { list = [0.5, 2.0] }\n";

fn queuefarm(folder: &tempfile::TempDir) -> Command {
    let mut command = Command::cargo_bin("queuefarm").unwrap();
    command
        .env("NODEVICE_SELECT", "1")
        .env_remove("COLUMNS")
        .current_dir(folder);
    command
}

fn folder(duration: u32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = FILE.replace("warmup", &format!("duration = {duration}\nwarmup"));
    std::fs::write(folder.path().join("x.toml"), file).unwrap();
    folder
}

#[test]
fn a_workload_beyond_the_range_is_an_error_that_voids_its_point_alone() {
    let folder = folder(36_000);
    queuefarm(&folder)
        .args(["run", "x.toml", "-o", "x.h5", "--backend", "cpu", "--json"])
        .assert()
        .code(1)
        .stdout(contains("\"faulty_points\": 1").or(contains("\"faulty_points\":1")))
        .stderr(contains("1 of 2 points are void"))
        .stderr(contains(
            "at point 1, 20 of 20 replicas met a time beyond the range of the clock",
        ))
        .stderr(contains("x.h5 holds the others"));
    let output = queuefarm(&folder)
        .args(["summary", "x.h5", "--json"])
        .output()
        .unwrap();
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["faulty_points"], serde_json::json!([1]));
    let [stands, void] = [0, 1].map(|point| &summary["points"][point]);
    assert_eq!(void["steady"], false);
    for (name, estimate) in void["estimates"].as_object().unwrap() {
        for part in ["mean", "se", "lo", "hi"] {
            assert!(estimate[part].is_null(), "{name} {part}: {estimate}");
        }
    }
    let mean = &stands["estimates"]["response_mean"];
    let z = (mean["mean"].as_f64().unwrap() - 2.0) / mean["se"].as_f64().unwrap();
    assert!(z.abs() < 4.5, "z = {z}");
    let read = queuefarm::store::read(&folder.path().join("x.h5")).unwrap();
    let faults: Vec<u64> = read.batches[1].iter().map(|batch| batch.faults).collect();
    assert_eq!(faults, [4; 5], "each of the four replicas of each batch");
    assert!(read.batches[0].iter().all(|batch| batch.faults == 0));
}

#[test]
fn a_workload_within_the_range_is_no_fault() {
    let folder = folder(20_000);
    queuefarm(&folder)
        .args(["run", "x.toml", "-o", "x.h5", "--backend", "cpu"])
        .assert()
        .success();
    let read = queuefarm::store::read(&folder.path().join("x.h5")).unwrap();
    assert!(read.batches[1].iter().all(|batch| batch.faults == 0));
}

//! `queuefarm tail --estimator conditional`: right far beyond what can be counted, and silent where it would not be.
#![allow(clippy::unwrap_used)]

#[path = "conditional/coverage.rs"]
mod coverage;
#[path = "conditional/refusals.rs"]
mod refusals;
#[path = "common/tails.rs"]
mod tails;

use predicates::prelude::*;
use predicates::str::contains;
use queuefarm::theory::redundancy::System;
use serde_json::Value;
use tails::{number, queuefarm, run, tail};

/// One job a replica, from the stationary law.
const STATIONARY: &str = r#"title = "far tails"
model = "redundancy"
seed = 61
replicas = 65536
batches = 64
warmup = 0
duration = 1
[parameters]
servers = 20
copies = 5
load = 0.5
start = "stationary"
"#;

/// |z| that one number may have: one in 150,000 has more.
const Z: f64 = 4.5;

/// The same for the conditional estimator, at the first point.
fn conditional(folder: &tempfile::TempDir, arguments: &[&str]) -> Value {
    let estimator = ["--estimator", "conditional"];
    tail(folder, &[&estimator, arguments].concat())["points"][0].clone()
}

/// z of a row against a probability.
fn z(row: &Value, exact: f64) -> f64 {
    (number(&row["p"]) - exact) / number(&row["se"])
}

#[test]
fn a_tail_of_1e_8_is_right_to_parts_in_a_hundred_from_65536_jobs() {
    let folder = run(STATIONARY, &[]);
    let found = conditional(&folder, &["--at", "0,0.5,1,2,4"]);
    let rows = found["tail"].as_array().unwrap();
    assert_eq!((number(&rows[0]["p"]), number(&rows[0]["se"])), (1.0, 0.0));
    let [law, twin] = [0.5, 0.52].map(|load| System::new(20, 5, load).unwrap());
    for row in &rows[1..] {
        let t = number(&row["t"]);
        let exact = law.response_tail(t);
        assert!((number(&row["exact"]) / exact - 1.0).abs() < 1e-9);
        // The standard error misses a part of what rare states carry.
        let missing = number(&row["unseen"]) * exact / number(&row["se"]);
        assert!(z(row, exact).abs() < Z + missing, "{row}");
        assert!(
            z(row, twin.response_tail(t)).abs() > Z + missing,
            "another load: {row}"
        );
        let (low, high) = (number(&row["lo"]), number(&row["hi"]));
        assert!(low < number(&row["p"]) && number(&row["p"]) < high);
        assert!(low <= exact && exact <= high, "{row}");
    }
    let far = &rows[4];
    assert!((number(&far["exact"]) / 8.14e-9 - 1.0).abs() < 1e-3);
    assert!(
        (number(&far["p"]) / number(&far["exact"]) - 1.0).abs() < 0.05,
        "{far}"
    );
    // Counting a job in a hundred million as well takes ten million times as many of them.
    assert!(number(&far["as_good_as"]) > 1e11, "{far}");
    assert_eq!(
        (number(&found["observations"]), number(&found["job"])),
        (65536.0, 1.0)
    );
}

#[test]
fn where_rare_states_carry_everything_it_says_so_and_gives_no_number() {
    let set = ["servers=10", "copies=2", "load=0.7", "replicas=131072"];
    let folder = run(STATIONARY, &set);
    let found = conditional(&folder, &["--at", "2,5,15"]);
    let rows = found["tail"].as_array().unwrap();
    for row in &rows[..2] {
        let exact = number(&row["exact"]);
        assert!(z(row, exact).abs() < Z, "{row}");
        assert!(
            number(&row["lo"]) <= exact && exact <= number(&row["hi"]),
            "{row}"
        );
        assert!(row["reason"].is_null());
    }
    // Without judgement the mean at 15 is low by a factor of two and claims some per cent.
    for key in ["p", "se", "lo", "hi", "as_good_as", "effective"] {
        assert!(rows[2][key].is_null(), "{key}");
    }
    let reason = rows[2]["reason"].as_str().unwrap();
    let depth = number(&found["reliable_to"]["p"]);
    assert!(reason.starts_with("not reliable below ") && depth > 1e-6 && depth < 1e-4);
    let mut command = queuefarm(folder.path());
    command.args([
        "tail",
        "out.h5",
        "--estimator",
        "conditional",
        "--at",
        "5,15",
    ]);
    let text = contains("not reliable below").and(contains("P(response > t)"));
    command
        .assert()
        .success()
        .stdout(text.and(contains("as good as")));
}

#[test]
fn without_thresholds_rows_go_down_to_where_it_is_no_longer_reliable() {
    let folder = run(STATIONARY, &["replicas=16384"]);
    let found = conditional(&folder, &[]);
    let rows = found["tail"].as_array().unwrap();
    let (last, reliable) = rows.split_last().unwrap();
    assert!(last["p"].is_null() && last["reason"].is_string());
    let found: Vec<f64> = reliable.iter().map(|row| number(&row["p"])).collect();
    assert!(
        found.len() >= 6 && found.is_sorted_by(|a, b| a > b),
        "{found:?}"
    );
    for (p, level) in found.iter().zip([0.5, 0.1, 0.01, 0.001, 0.0001]) {
        assert!((p / level - 1.0).abs() < 0.1, "{p} for {level}");
    }
}

#[test]
fn from_an_empty_start_it_is_the_last_job_of_the_span() {
    // Few copies and many take different ways through the kernel.
    for (servers, copies, load) in [(10, 2, 0.5), (12, 6, 0.3), (3, 1, 0.6)] {
        let set = [
            &format!("servers={servers}"),
            &format!("copies={copies}"),
            &format!("load={load}"),
            "start=empty",
            "warmup=290",
            "duration=10",
            "replicas=32768",
        ];
        let folder = run(STATIONARY, &set.map(|set| -> &str { set }));
        let found = conditional(&folder, &["--at", "0.25,0.5,1"]);
        assert_eq!(number(&found["job"]), 300.0);
        let twin = System::new(servers, copies, load + 0.05).unwrap();
        for row in found["tail"].as_array().unwrap() {
            assert!(z(row, number(&row["exact"])).abs() < Z, "{copies}: {row}");
            let other = twin.response_tail(number(&row["t"]));
            assert!(z(row, other).abs() > Z, "another load: {copies}: {row}");
        }
    }
}

#[test]
fn other_arrivals_and_unequal_speeds_agree_with_counts() {
    let set = [
        "servers=4",
        "copies=2",
        "start=empty",
        "arrivals=deterministic",
        "speeds=[0.5,1,1,2]",
        "warmup=200",
        "duration=50",
        "replicas=32768",
    ];
    let folder = run(STATIONARY, &set);
    // Edges of bins of 1/32 of an octave.
    let at = ["--at", "1,2,4"];
    let counts = tail(&folder, &at)["points"][0]["tail"].clone();
    let found = conditional(&folder, &at)["tail"].clone();
    for (row, count) in found
        .as_array()
        .unwrap()
        .iter()
        .zip(counts.as_array().unwrap())
    {
        assert_eq!(row["t"], count["edge"]);
        let error = number(&row["se"]).hypot(number(&count["se"]));
        let z = |p: f64| (p - number(&count["p"])) / error;
        assert!(z(number(&row["p"])).abs() < Z, "{row} {count}");
        assert!(
            z(1.2 * number(&row["p"])).abs() > Z,
            "a fifth too much: {row}"
        );
        assert!(row["exact"].is_null(), "no law is known there");
    }
}

#[test]
fn a_subsample_is_the_first_replicas_whatever_the_threads() {
    let folder = run(STATIONARY, &["replicas=8192"]);
    let arguments = [
        "tail",
        "out.h5",
        "--json",
        "--estimator",
        "conditional",
        "--subsample",
        "1500",
    ];
    let with = |threads: &str| {
        let mut command = queuefarm(folder.path());
        command.args(arguments).env("RAYON_NUM_THREADS", threads);
        command.assert().success().get_output().stdout.clone()
    };
    let found = with("1");
    assert_eq!(found, with("3"));
    let value: Value = serde_json::from_slice(&found).unwrap();
    assert_eq!(value["points"][0]["observations"], 1500);
    // As many replicas as that alone give the same.
    let alone = run(STATIONARY, &["replicas=1500", "batches=1"]);
    let rows = conditional(&alone, &[])["tail"].clone();
    assert_eq!(rows, value["points"][0]["tail"]);
}

//! `queuefarm theory` as its users meet it.
#![allow(clippy::unwrap_used)]

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

fn theory(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("queuefarm").unwrap();
    command.env_remove("COLUMNS").arg("theory").args(arguments);
    command
}

const POINT: [&str; 6] = [
    "--set",
    "servers=100",
    "--set",
    "copies=3",
    "--set",
    "load=0.9",
];

fn json(arguments: &[&str]) -> Value {
    let output = theory(arguments).assert().success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

#[test]
fn the_exact_law_is_printed_as_json() {
    let arguments = [&["redundancy"][..], &POINT, &["--tail", "1,2,5", "--json"]].concat();
    let law = json(&arguments);
    let keys: Vec<&str> = law
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let mut expected = vec![
        "servers",
        "copies",
        "load",
        "jobs_mean",
        "jobs_var",
        "p_empty",
        "response_mean",
        "response_second_moment",
        "queue_mean",
        "queue_normalised",
        "optimal_copies",
        "warmup_jobs",
        "jobs_pmf",
        "tail",
    ];
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    let mean = law["response_mean"].as_f64().unwrap();
    assert!((mean - 1.0550475349072892).abs() < 1e-12);
    assert_eq!(law["servers"], 100);
    let listed: f64 = law["jobs_pmf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|chance| chance.as_f64().unwrap())
        .sum();
    assert!((listed - 1.0).abs() < 2e-12);
    let tail = law["tail"].as_array().unwrap();
    assert_eq!(tail.len(), 3);
    assert_eq!(tail[0]["t"], 1.0);
    let p = tail[0]["p"].as_f64().unwrap();
    assert!((p - 0.4944575921373361).abs() < 1e-12);
    let limit = tail[0]["limit"].as_f64().unwrap();
    assert!((limit - 0.4766165155490838).abs() < 1e-12);
}

#[test]
fn both_names_of_the_law_say_the_same() {
    let one = [&["redundancy"][..], &POINT, &["--json"]].concat();
    let other = [&["redundancy-states"][..], &POINT, &["--json"]].concat();
    assert_eq!(json(&one), json(&other));
}

#[test]
fn people_get_a_table_with_symbols() {
    theory(&[&["redundancy"][..], &POINT, &["--tail", "0.5,30"]].concat())
        .assert()
        .success()
        .stdout(
            contains("E[T]")
                .and(contains("1.05505"))
                .and(contains("P(T > t)")),
        );
}

#[test]
fn a_model_prints_its_own_theory() {
    let law = json(&[
        "delay",
        "--set",
        "clients=200",
        "--set",
        "information_delay=10",
        "--set",
        "disinformation=0.3",
        "--json",
    ]);
    let a_rms = law["a_rms"].as_f64().unwrap();
    assert!((a_rms - 6.4).abs() < 0.3);
    assert!(law.as_object().unwrap().len() > 3);
    theory(&[
        "delay",
        "--set",
        "clients=200",
        "--set",
        "information_delay=10",
    ])
    .assert()
    .success()
    .stdout(contains("a_rms"));
}

#[test]
fn wrong_usage_says_what_to_type_instead() {
    let point = |set: [&'static str; 3]| {
        let mut arguments = vec!["redundancy"];
        for argument in set {
            arguments.extend(["--set", argument]);
        }
        arguments
    };
    for (arguments, message) in [
        (
            point(["servers=9", "copies=2", "laod=0.5"]),
            "did you mean `load`",
        ),
        (point(["servers=9", "copies=2", "load=1.0"]), "unstable"),
        (point(["servers=9", "copies=2", "load=1.5"]), "unstable"),
        (
            point(["servers=9", "copies=2", "load=x"]),
            "above 0 and below 1",
        ),
        (
            point(["servers=9", "copies=2", "load=-1"]),
            "above 0 and below 1",
        ),
        (point(["servers=9", "copies=10", "load=.5"]), "from 1 to 9"),
        (
            point(["servers=9.5", "copies=1", "load=.5"]),
            "whole number from 1",
        ),
        (
            point(["servers=1e9", "copies=1", "load=.5"]),
            "from 1 to 100000",
        ),
        (
            point(["servers=9", "copies", "load=.5"]),
            "expected key=value",
        ),
        (point(["servers=9", "servers=9", "load=.5"]), "set twice"),
        (
            vec!["redundancy", "--set", "servers=9"],
            "missing: copies, load",
        ),
        (vec!["redundncy"], "did you mean `redundancy`"),
        (vec!["delay"], "clients"),
        (
            vec![
                "delay",
                "--set",
                "clients={list=[10,20]}",
                "--set",
                "information_delay=1",
            ],
            "one point",
        ),
        (vec!["delay", "--tail", "1"], "no law of response times"),
    ] {
        theory(&arguments)
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(message));
    }
    theory(&[&["redundancy"][..], &POINT, &["--tail", "1,-2"]].concat())
        .assert()
        .code(2)
        .stderr(contains("at least 0"));
}

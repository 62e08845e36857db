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
                .and(contains("P(T ≥ t)").and(contains("N → ∞"))),
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
        (vec!["selfish", "--tail", "1"], "no law of response times"),
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

fn farm(set: &[&'static str]) -> Vec<&'static str> {
    let set = set.iter().flat_map(|argument| ["--set", *argument]);
    ["selfish"].into_iter().chain(set).collect()
}

#[test]
fn selfish_traffic_on_queues_has_no_bounded_price() {
    let law = json(
        &[
            &farm(&["servers=10", "cost=mm1", "load=0.3"])[..],
            &["--json"],
        ]
        .concat(),
    );
    assert_eq!(law["price_bounded"], false);
    for key in ["price_bound", "doubling", "guarantee"] {
        assert!(law[key].is_null(), "{key}");
    }
    let number = |value: &Value| value.as_f64().unwrap();
    let worst = &law["worst_pure"];
    assert!((number(&worst["nash"]) - 1.0 / (1.0 - 6.0 / 11.0)).abs() < 1e-12);
    assert!((number(&worst["optimum"]) - 1.0 / 0.7).abs() < 1e-12);
    assert_eq!(worst["utilisation"], 0.3);
    let mixed = &law["mixed"];
    assert!(mixed["cost_max"].is_null() && mixed["ratio"].is_null());
    assert!((number(&mixed["overload"]) - 0.12695104).abs() < 1e-9);
    assert!((number(&mixed["stream_overload"]) - 0.052972138).abs() < 1e-9);
    assert_eq!(law["degradation_mixed"], 10.0);
    assert_eq!(law["degradation_mixed_exact"], true);
    assert!((number(&law["degradation_pure"]) - 20.0 / 11.0).abs() < 1e-12);
    theory(&farm(&["servers=10", "cost=mm1", "load=0.3"]))
        .assert()
        .success()
        .stdout(contains("infinite").and(contains("0.126951")));
}

#[test]
fn selfish_traffic_on_rejecting_servers_has_a_price_and_a_guarantee() {
    let set = [
        "servers=100",
        "streams=10000",
        "load=0.5",
        "cost=erlang_b",
        "connections=100",
    ];
    let law = json(&[&farm(&set)[..], &["--json"]].concat());
    assert_eq!(law["price_bounded"], true);
    assert_eq!(law["doubling"], 2.0_f64.powi(100));
    let stream = law["mixed"]["cost_stream"].as_f64().unwrap();
    assert!((stream / 1.9119152770526577e-07 - 1.0).abs() < 1e-9);
    let guarantee = law["guarantee"].as_f64().unwrap();
    assert!(stream < guarantee && guarantee < 1e-2, "{guarantee}");
    assert_eq!(law["degradation_mixed_exact"], false);
    theory(&farm(&set))
        .assert()
        .success()
        .stdout(contains("at most 100"));
}

#[test]
fn a_table_of_costs_is_read_from_lists() {
    let set = [
        "servers=2",
        "cost=table",
        "table_load=[0, 0.5, 1]",
        "table_cost=[1,2,4]",
    ];
    let law = json(&[&farm(&set)[..], &["--json"]].concat());
    assert_eq!(law["doubling"], 2.0);
    assert_eq!(law["mixed"]["cost_stream"], 3.0);
}

#[test]
fn wrong_farms_are_refused_in_words() {
    for (set, message) in [
        (&["servers=10"][..], "missing: cost"),
        (&["cost=mm1"], "missing: servers"),
        (&["servers=10", "cost=mm2"], "did you mean `mm1`"),
        (
            &["servers=10", "cost=banana"],
            "erlang_b, exponential, table",
        ),
        (
            &["servers=10", "cost=mm1", "power=2"],
            "only cost=power has it",
        ),
        (&["servers=0", "cost=mm1"], "from 1 to 100000"),
        (
            &["servers=10", "cost=mm1", "streams=1.5"],
            "whole number from 1",
        ),
        (
            &["servers=2", "cost=mm1", "streams=100000"],
            "from 1 to 20000",
        ),
        (&["servers=10", "cost=mm1", "load=-1"], "above 0"),
        (
            &["servers=10", "cost=mm1", "load=0.5", "load=0.6"],
            "set twice",
        ),
        (&["servers=10", "cost=mm1", "speed=2"], "unknown key"),
        (&["servers=10", "cost=power", "power=-1"], "from 0 to 50"),
        (
            &["servers=10", "cost=exponential", "load=900"],
            "too large a number",
        ),
        (
            &["servers=10", "cost=table", "table_load=[0,1]"],
            "missing: table_cost",
        ),
        (
            &[
                "servers=10",
                "cost=table",
                "table_load=[0,1]",
                "table_cost=[2,1]",
            ],
            "must not cost less",
        ),
        (
            &[
                "servers=10",
                "cost=table",
                "table_load=x",
                "table_cost=[2,1]",
            ],
            "a list of numbers",
        ),
    ] {
        theory(&farm(set))
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(message));
    }
    theory(&["selfihs"])
        .assert()
        .code(2)
        .stderr(contains("did you mean `selfish`"));
}

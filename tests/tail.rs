//! `queuefarm tail` as its users meet it: what it prints, what it refuses, and exact values within the intervals.
#![allow(clippy::unwrap_used)]

#[path = "common/tails.rs"]
mod tails;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use tails::{number, queuefarm, run, tail};

const DELAY: &str = r#"title = "waiting"
model = "delay"
seed = 7
replicas = 64
batches = 16
warmup = 100
duration = 400
[parameters]
clients = 60
information_delay = { list = [2, 4] }
disinformation = 0.3
"#;

/// Small, from its stationary law, so that the exact one holds from the first job on.
const REDUNDANCY: &str = r#"title = "response"
model = "redundancy"
seed = 2018
replicas = 4096
batches = 64
warmup = 0
duration = 500
[parameters]
servers = 10
copies = { list = [1, 2, 3, 10] }
load = 0.7
start = "stationary"
"#;

#[test]
fn thresholds_move_up_to_edges_and_each_row_shows_both() {
    let folder = run(DELAY, &[]);
    let found = tail(&folder, &["--at", "20,29.5,30,1e9"]);
    assert_eq!(found["histogram"], "wait");
    assert_eq!(found["unit"], "time units");
    let points = found["points"].as_array().unwrap();
    assert_eq!(points.len(), 2);
    assert_eq!(points[1]["parameters"]["information_delay"], 4.0);
    assert_eq!(points[0]["steady"], true);
    let rows = points[0]["tail"].as_array().unwrap();
    assert_eq!(
        (number(&rows[1]["t"]), number(&rows[1]["edge"])),
        (29.5, 30.0)
    );
    for key in ["p", "lo", "hi", "events", "se", "reason", "exact", "limit"] {
        assert_eq!(rows[1][key], rows[2][key], "{key}");
    }
    assert!(number(&rows[1]["lo"]) < number(&rows[1]["p"]));
    assert!(number(&rows[1]["p"]) < number(&rows[1]["hi"]));
    assert!(rows[1]["exact"].is_null(), "no law is known there");
    // Beyond the histogram there is no edge to read at.
    assert!(rows[3]["edge"].is_null() && rows[3]["p"].is_null());
    assert!(
        rows[3]["reason"]
            .as_str()
            .unwrap()
            .contains("beyond the histogram")
    );
    assert_eq!(points[0]["quantiles"].as_array().unwrap().len(), 0);
}

#[test]
fn counts_are_those_of_the_exported_histogram() {
    let folder = run(DELAY, &[]);
    let mut command = queuefarm(folder.path());
    let export = command
        .args(["export", "out.h5", "--histogram", "queue", "--csv"])
        .assert();
    let csv = String::from_utf8(export.get_output().stdout.clone()).unwrap();
    let expected: u64 = csv
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter(|row| row[0] == "1" && row[2].parse::<i64>().unwrap() >= 30)
        .map(|row| row[4].parse::<u64>().unwrap())
        .sum();
    let found = tail(
        &folder,
        &["--at", "30", "--histogram", "queue", "--point", "1"],
    );
    assert_eq!(found["points"].as_array().unwrap().len(), 1);
    assert_eq!(found["points"][0]["tail"][0]["events"], expected);
}

#[test]
fn exported_bins_have_edges_in_the_unit_that_the_last_column_names() {
    let folder = run(REDUNDANCY, &["replicas=64", "duration=50"]);
    let export = |arguments: &[&str]| {
        let mut command = queuefarm(folder.path());
        let assert = command.arg("export").args(arguments).assert().success();
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    let csv = export(&["out.h5", "--histogram", "response", "--csv"]);
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some("point,copies,value,width,count,lower,upper,unit")
    );
    let mut last: Option<(String, f64)> = None;
    for line in lines {
        let row: Vec<&str> = line.split(',').collect();
        let [value, width, lower, upper] = [2, 3, 5, 6].map(|i| row[i].parse::<f64>().unwrap());
        assert_eq!(row[7], "mean service times");
        // `value` and `width` count the clock's units, the same for all bins.
        assert!(
            (upper - lower) * value <= lower * width * (1.0 + 1e-9) + 1e-12,
            "{line}"
        );
        assert!(lower < upper, "{line}");
        if let Some((point, edge)) = last.filter(|(point, _)| point == row[0]) {
            assert_eq!(
                edge, lower,
                "bins of point {point} follow each other: {line}"
            );
        } else {
            assert_eq!(lower, 0.0, "{line}");
        }
        last = Some((row[0].to_owned(), upper));
    }
    let help = export(&["--help"]);
    for word in ["lower", "unit"] {
        assert!(help.contains(word), "{help}");
    }
}

#[test]
fn what_was_not_seen_has_an_upper_end_from_the_number_of_replicas() {
    let folder = run(DELAY, &[]);
    let row = tail(&folder, &["--at", "55"])["points"][0]["tail"][0].clone();
    assert_eq!((number(&row["p"]), number(&row["lo"])), (0.0, 0.0));
    assert!((number(&row["hi"]) - (1.0 - 0.05_f64.powf(1.0 / 64.0))).abs() < 1e-12);
    assert_eq!(row["reason"], "not seen in 64 replicas");
    assert_eq!(row["few_events"], true);
    queuefarm(folder.path())
        .args(["tail", "out.h5", "--at", "55"])
        .assert()
        .success()
        .stdout(contains("not seen in 64 replicas").and(contains("P(wait ≥ t)")));
}

#[test]
fn a_quantile_that_the_data_cannot_bound_says_so() {
    let folder = run(DELAY, &[]);
    let rows = tail(&folder, &["--quantiles", "0.5,0.99999999"])["points"][0]["quantiles"].clone();
    assert!(rows[0]["hi"].is_number() && rows[0]["reason"].is_null());
    assert!(rows[1]["hi"].is_null() && rows[1]["lo"].is_number());
    assert!(
        rows[1]["reason"]
            .as_str()
            .unwrap()
            .contains("no upper bound")
    );
}

#[test]
fn one_batch_has_no_intervals() {
    let folder = run(DELAY, &["batches=1"]);
    let found = tail(&folder, &["--at", "30", "--quantiles", "0.5"])["points"][0].clone();
    let (row, quantile) = (&found["tail"][0], &found["quantiles"][0]);
    assert!(row["p"].is_number() && row["se"].is_null() && row["lo"].is_null());
    assert!(quantile["lo_edge"].is_number() && quantile["lo"].is_null());
    assert_eq!(quantile["reason"], "one batch: no interval");
}

#[test]
fn a_wider_confidence_gives_wider_intervals() {
    let folder = run(DELAY, &[]);
    let width = |level: &str| {
        let row =
            tail(&folder, &["--at", "30", "--confidence", level])["points"][0]["tail"][0].clone();
        number(&row["hi"]) - number(&row["lo"])
    };
    // Student t with 15 degrees of freedom, 2.9467 against 2.1314, but for the skewness of a count.
    let ratio = width("0.99") / width("0.95");
    assert!((ratio - 2.946_713 / 2.131_450).abs() < 0.02, "{ratio}");
}

#[test]
fn wrong_arguments_are_refused_with_what_is_right() {
    let folder = run(DELAY, &[]);
    for (arguments, message) in [
        (&["--at", "1,x"][..], "numbers with commas"),
        (&["--quantiles", "99"], "write 0.99"),
        (&["--quantiles", "1"], "between 0 and 1"),
        (&["--quantiles", "0"], "between 0 and 1"),
        (
            &["--histogram", "response"],
            "this file has: a, wait, queue",
        ),
        (&["--point", "2"], "the points 0 to 1"),
        (&["--confidence", "95"], "0.95"),
    ] {
        let mut command = queuefarm(folder.path());
        let assert = command.args(["tail", "out.h5"]).args(arguments).assert();
        assert.code(2).stderr(contains(message));
    }
}

/// Of all rows with an interval, how many hold the exact value, and how many there are.
fn held(found: &Value) -> (usize, usize) {
    let (mut held, mut all) = (0, 0);
    for point in found["points"].as_array().unwrap() {
        let rows = point["tail"]
            .as_array()
            .unwrap()
            .iter()
            .chain(point["quantiles"].as_array().unwrap());
        for row in rows.filter(|row| row["hi"].is_number()) {
            let exact = number(&row["exact"]);
            all += 1;
            held += usize::from(number(&row["lo"]) <= exact && exact <= number(&row["hi"]));
        }
    }
    (held, all)
}

const ROWS: [&str; 4] = [
    "--at",
    "0.25,0.5,1,2,4",
    "--quantiles",
    "0.01,0.5,0.9,0.99,0.999",
];

#[test]
fn exact_values_lie_in_the_intervals_and_those_of_another_load_do_not() {
    // At 99.99 % each of 40 intervals fails once in 10^4: together once in 250, and the seed is fixed.
    let level = ["--confidence", "0.9999"];
    let folder = run(REDUNDANCY, &[]);
    let found = tail(&folder, &[&ROWS[..], &level].concat());
    let (inside, all) = held(&found);
    assert!(all >= 38, "{all} of 40 rows have an interval");
    assert_eq!(inside, all, "{found:#}");
    // The twin: the same law against a simulation at load 0.72.
    let other = run(REDUNDANCY, &["load=0.72"]);
    let mut other = tail(&other, &[&ROWS[..], &level].concat());
    for (point, exact) in found["points"].as_array().unwrap().iter().enumerate() {
        for rows in ["tail", "quantiles"] {
            for (row, exact) in exact[rows].as_array().unwrap().iter().enumerate() {
                other["points"][point][rows][row]["exact"] = exact["exact"].clone();
            }
        }
    }
    let (inside, all) = held(&other);
    assert!(inside < all / 2, "{inside} of {all} at another load");
}

#[test]
fn the_default_histogram_is_that_of_response_times_and_laws_stand_beside_it() {
    let folder = run(REDUNDANCY, &["replicas=256"]);
    let found = tail(&folder, &["--at", "1"]);
    assert_eq!(found["histogram"], "response");
    let points = found["points"].as_array().unwrap();
    // d = 1: an M/M/1 queue; d = 10: all servers as one, ten times as fast.
    for (point, rate) in [(0, 0.3), (3, 3.0)] {
        let exact = number(&points[point]["tail"][0]["exact"]);
        assert!((exact / f64::exp(-rate) - 1.0).abs() < 1e-12);
        assert!(points[point]["tail"][0]["limit"].is_null());
    }
    let limit = number(&points[1]["tail"][0]["limit"]);
    // [rho + (1 - rho) e^t]^-2.
    assert!((limit * (0.7 + 0.3 * 1_f64.exp()).powi(2) - 1.0).abs() < 1e-12);
    queuefarm(folder.path())
        .args(["tail", "out.h5", "--at", "1"])
        .assert()
        .success()
        .stdout(contains("exact law").and(contains("N → ∞")));
}

#[test]
fn a_value_at_the_edge_counts_and_a_threshold_just_above_zero_asks_for_any_wait_at_all() {
    let set = ["replicas=64", "service='deterministic'", "start='empty'"];
    let set = [&set[..], &["copies=1", "load=0.3"]].concat();
    let folder = run(REDUNDANCY, &set);
    // No response is shorter than its size of 1, and those of jobs that did not wait are exactly as long.
    let at_one = tail(&folder, &["--at", "1"])["points"][0]["tail"][0].clone();
    assert_eq!(number(&at_one["p"]), 1.0);
    let rows =
        tail(&folder, &["--at", "0,1e-8", "--histogram", "wait"])["points"][0]["tail"].clone();
    assert_eq!(
        (number(&rows[0]["edge"]), number(&rows[0]["p"])),
        (0.0, 1.0)
    );
    assert!(number(&rows[1]["edge"]) > 0.0);
    // A server is busy for a share rho of the time.
    assert!((number(&rows[1]["p"]) - 0.3).abs() < 0.01, "{rows}");
}

#[test]
fn an_exact_quantile_is_the_inverse_of_the_exact_tail() {
    let folder = run(REDUNDANCY, &["replicas=256"]);
    let found = tail(&folder, &["--quantiles", "0.5,0.999"]);
    let quantiles = found["points"][3]["quantiles"].as_array().unwrap();
    for (row, q) in quantiles.iter().zip([0.5_f64, 0.999]) {
        let expected = -(1.0 - q).ln() / 3.0;
        assert!((number(&row["exact"]) / expected - 1.0).abs() < 1e-9);
    }
}

#[test]
fn tails_and_histograms_are_drawn_and_experiments_may_ask_for_them() {
    let settings = "[plot]\nkind = \"tail\"\nhistogram = \"response\"\n";
    let folder = run(&format!("{REDUNDANCY}{settings}"), &["replicas=256"]);
    let draw = |name: &str, arguments: &[&str]| {
        let mut command = queuefarm(folder.path());
        command
            .args(["plot", "out.h5", "-o", name])
            .args(arguments)
            .assert()
            .success();
        std::fs::read_to_string(folder.path().join(name)).unwrap()
    };
    let tail = draw("tail.svg", &[]);
    for text in [
        "exact law",
        "N → ∞",
        "confidence interval",
        "d = 10",
        "mean service times",
    ] {
        assert!(tail.replace('\u{a0}', " ").contains(text), "{text}");
    }
    let histogram = draw(
        "histogram.svg",
        &["--kind", "histogram", "--histogram", "wait"],
    );
    assert!(histogram.contains("density of wait") && !histogram.contains("exact law"));
    // An M/M/1 queue is empty with probability 0.3: that is no density, and the legend says it.
    let histogram = histogram.replace('\u{a0}', " ");
    let shares = histogram.split("P(wait = 0) = ").skip(1);
    let share = shares
        .map(|rest| {
            rest.split('<')
                .next()
                .unwrap()
                .trim()
                .parse::<f64>()
                .unwrap()
        })
        .next();
    assert!((share.unwrap() - 0.3).abs() < 0.02, "{share:?}");
    queuefarm(folder.path())
        .args([
            "plot",
            "out.h5",
            "-o",
            "x.svg",
            "--kind",
            "tail",
            "--histogram",
            "size",
        ])
        .assert()
        .code(2)
        .stderr(contains("this file has: response, wait"));
}

#[test]
fn a_plot_of_a_distribution_is_checked_with_the_experiment() {
    let folder = tempfile::tempdir().unwrap();
    for (settings, message) in [
        ("kind = \"tail\"\nhistogram = \"wit\"", "wait"),
        ("kind = \"tail\"\nestimate = \"a_rms\"", "distribution"),
        ("histogram = \"wait\"", "estimates"),
        ("kind = \"tial\"", "tail"),
    ] {
        std::fs::write(
            folder.path().join("out.toml"),
            format!("{DELAY}[plot]\n{settings}\n"),
        )
        .unwrap();
        let mut command = queuefarm(folder.path());
        command
            .args(["run", "out.toml", "--dry-run", "--backend", "cpu"])
            .assert()
            .code(2)
            .stderr(contains(message));
    }
}

#[test]
fn a_histogram_that_lacks_values_has_no_tail() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chain.toml");
    let run = |warmup: u32| -> Value {
        let source = format!(
            "model = \"redundancy-states\"\nseed = 3\nreplicas = 64\nbatches = 16\nwarmup = {warmup}\nduration = 400\n\
             [parameters]\nservers = 10\ncopies = 2\nload = 0.5\nstart = \"stationary\"\n"
        );
        std::fs::write(&file, source).unwrap();
        let out = folder.path().join(format!("{warmup}.h5"));
        let run = Command::cargo_bin("queuefarm")
            .unwrap()
            .arg("run")
            .arg(&file)
            .arg("-o")
            .arg(&out)
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
        let tail = Command::cargo_bin("queuefarm")
            .unwrap()
            .arg("tail")
            .arg(&out)
            .args(["--at", "0.5", "--json"])
            .output()
            .unwrap();
        serde_json::from_slice(&tail.stdout).unwrap()
    };
    let cold = &run(0)["points"][0]["tail"][0];
    assert!(cold["p"].is_null() && cold["lo"].is_null(), "{cold}");
    assert!(
        cold["reason"].as_str().unwrap().contains("warm-up"),
        "{cold}"
    );
    let warm = &run(2000)["points"][0]["tail"][0];
    assert!(
        warm["p"].as_f64().unwrap() > 0.5 && warm["reason"].is_null(),
        "{warm}"
    );
}

//! Intervals hold what they claim as often as they claim, and naive ones do not; `queuefarm coverage` counts it.
#![allow(clippy::unwrap_used)]

use assert_cmd::Command;
use predicates::str::contains;
use queuefarm::engine::{Cpu, Watch};
use queuefarm::ensemble::{Results, run};
use queuefarm::experiment::Experiment;
use queuefarm::statistics::{
    Coverage, CoverageRow, Quantity, Table, Tail, jackknife, seed_of, student_quantile,
};
use serde_json::Value;
use std::path::Path;

const CONFIDENCE: f64 = 0.95;
/// Standard errors that a share of repetitions may be off. Seeds are fixed: a test holds or it does not.
const Z: f64 = 3.3;

fn experiment(observed: &str, load: f64) -> Experiment {
    let text = format!(
        "model = \"redundancy\"\nseed = 2018\nwarmup = 0\nbatches = 64\n{observed}\n[parameters]\nservers = 10\ncopies = 2\nload = {load}\nstart = \"stationary\"\nbins_an_octave = 128\n"
    );
    Experiment::parse(&text, "t.toml", &[], None).unwrap()
}

/// Repeats an experiment; `also` sees every repetition.
fn repeat(
    mut experiment: Experiment,
    runs: u32,
    also: &mut dyn FnMut(&Results, &Coverage),
) -> Coverage {
    let (mut cpu, seed) = (Cpu::new(0).unwrap(), experiment.seed);
    let mut coverage = None;
    for index in 0..runs {
        experiment.seed = seed_of(seed, index);
        let results = run(&experiment, &mut cpu, &Watch::new()).unwrap();
        let coverage = coverage.get_or_insert_with(|| Coverage::new(&results, CONFIDENCE));
        let outcomes = coverage.outcomes(&results);
        coverage.add(&outcomes);
        also(&results, coverage);
    }
    coverage.unwrap()
}

/// A share of repetitions between two, allowing for their number.
fn assert_between(what: &str, held: f64, runs: u32, least: f64, most: f64) {
    let slack = Z * (0.95 * 0.05 / f64::from(runs)).sqrt();
    assert!(
        held >= least - slack && held <= most + slack,
        "{what}: {held} of {runs} is not {least} to {most} within {slack}"
    );
}

/// Every row holds the value as often as it should: a share that rests on few events may hold it a bit more often, and so
/// may quantiles, which end on bins.
fn assert_holds(coverage: &Coverage, runs: u32) {
    assert!(coverage.rows.len() > 15);
    for row in &coverage.rows {
        let (least, most) = match row.quantity {
            Quantity::Estimate { .. } => (0.935, 0.965),
            Quantity::Quantile { .. } => (0.935, 1.0),
            Quantity::Tail { .. } => (0.94, 0.98),
        };
        // What is expected less than ten times in a run is no mean: see the tail for it.
        if row.name != "p_empty" {
            assert_between(&row.name, row.coverage().unwrap(), runs, least, most);
        }
        if let Quantity::Estimate { .. } = row.quantity {
            assert!(
                row.mean_z().unwrap().abs() < 0.35,
                "{}: {:?}",
                row.name,
                row.mean_z()
            );
        }
    }
}

fn tail_row(coverage: &Coverage, about: f64) -> &CoverageRow {
    let near = |row: &&CoverageRow| matches!(row.quantity, Quantity::Tail { events, .. } if events > 0.5 * about && events < 1.5 * about);
    coverage.rows.iter().find(near).unwrap()
}

fn response(results: &Results) -> (usize, Vec<&[u64]>) {
    let index = results.plans[0].histogram("response").unwrap();
    let place = results.plans[0].place(index);
    let counts = results.batches[0]
        .iter()
        .map(|batch| &batch.counts[place.clone()]);
    (index, counts.collect())
}

#[test]
fn with_every_job_intervals_hold_and_the_twin_that_takes_jobs_for_independent_falls_short() {
    const RUNS: u32 = 300;
    let mut naive = [0; 2];
    let observed = "replicas = 1024\nduration = 100";
    let coverage = repeat(experiment(observed, 0.7), RUNS, &mut |results, coverage| {
        let (index, counts) = response(results);
        let twin = Tail::new(
            &results.plans[0].histograms[index],
            &counts,
            1024,
            true,
            CONFIDENCE,
        );
        for (held, events) in naive.iter_mut().zip([51_000.0, 10_000.0]) {
            let row = tail_row(coverage, events);
            let Quantity::Tail { edge, .. } = row.quantity else {
                unreachable!()
            };
            let (low, high) = twin.at(edge).unwrap().1.interval.unwrap();
            *held += u32::from(low <= row.exact && row.exact <= high);
        }
    });
    assert_holds(&coverage, RUNS);
    // Their variances are 3 and 7 times what independence gives: 73 % and 54 %.
    for (held, most) in naive.into_iter().zip([0.85, 0.7]) {
        assert!(f64::from(held) < most * f64::from(RUNS), "{naive:?}");
    }
}

#[test]
fn where_jobs_hang_together_shares_of_few_clusters_hold_and_students_t_falls_short() {
    const RUNS: u32 = 300;
    let mut naive = 0;
    let student = student_quantile(CONFIDENCE, 63.0).unwrap();
    let observed = "replicas = 1024\nduration = 100";
    let coverage = repeat(
        experiment(observed, 0.95),
        RUNS,
        &mut |results, coverage| {
            let row = tail_row(coverage, 100.0);
            let Quantity::Tail { edge, .. } = row.quantity else {
                unreachable!()
            };
            let (index, counts) = response(results);
            let histogram = &results.plans[0].histograms[index];
            let bin = (0..histogram.bins)
                .find(|bin| histogram.lower(*bin) >= edge)
                .unwrap() as usize;
            let hits: Vec<f64> = counts
                .iter()
                .map(|batch| batch[bin..].iter().sum::<u64>() as f64)
                .collect();
            let (all, size) = (hits.iter().sum::<f64>(), 1600.0);
            let rest: Vec<Option<f64>> = hits
                .iter()
                .map(|hit| Some((all - hit) / (63.0 * size)))
                .collect();
            let found = jackknife(Some(all / (64.0 * size)), &rest).unwrap();
            let far = (found.value - row.exact).abs();
            naive += u32::from(all > 0.0 && far <= student * found.se.unwrap());
        },
    );
    assert_holds(&coverage, RUNS);
    assert!(f64::from(naive) < 0.88 * f64::from(RUNS), "{naive}");
    // A hundred events are two clusters: no quantile is bounded there, and the table says so.
    let far = coverage
        .rows
        .iter()
        .find(|row| row.name == "response_p9999")
        .unwrap();
    assert!(
        far.unbounded > 9 * far.intervals / 10
            && far.relative_half_width().is_none_or(f64::is_finite)
    );
}

#[test]
fn with_one_job_a_replica_intervals_hold() {
    const RUNS: u32 = 300;
    let observed = "observe = \"one\"\nreplicas = 16384";
    let coverage = repeat(experiment(observed, 0.7), RUNS, &mut |_, _| {});
    assert_holds(&coverage, RUNS);
    // The exact interval of p99.99 needs 36,887 replicas.
    let unbounded = |name: &str| {
        coverage
            .rows
            .iter()
            .find(|row| row.name == name)
            .unwrap()
            .unbounded
    };
    assert_eq!(
        (unbounded("response_p9999"), unbounded("response_p99")),
        (u64::from(RUNS), 0)
    );
}

#[test]
fn a_law_of_another_load_is_not_held() {
    let experiment = experiment("replicas = 1024\nduration = 100", 0.7);
    let (mut cpu, seed) = (Cpu::new(0).unwrap(), experiment.seed);
    let mut wrong = None;
    for index in 0..40 {
        let mut again = experiment.clone();
        again.seed = seed_of(seed, index);
        let results = run(&again, &mut cpu, &Watch::new()).unwrap();
        let coverage = wrong.get_or_insert_with(|| {
            let mut claimed = results.clone();
            let load = claimed.points[0]
                .values
                .iter_mut()
                .find(|(key, _)| *key == "load");
            load.unwrap().1 = queuefarm::models::Value::Number(0.72);
            Coverage::new(&claimed, CONFIDENCE)
        });
        let outcomes = coverage.outcomes(&results);
        coverage.add(&outcomes);
    }
    let wrong = wrong.unwrap();
    let mean = wrong
        .rows
        .iter()
        .find(|row| row.name == "response_mean")
        .unwrap();
    assert!(mean.coverage().unwrap() < 0.3 && mean.mean_z().unwrap() < -2.0);
    assert_eq!(mean.missed[0] + mean.held(), 40, "all of them lie below");
}

#[test]
fn what_rests_on_exact_zero_spread_is_held() {
    let text = "model = \"farm\"\nseed = 1\nreplicas = 64\nbatches = 16\nwarmup = 50\nduration = 50\n[parameters]\nservers = 4\nstreams = 8\nload = 0.5\n";
    let experiment = Experiment::parse(text, "t.toml", &[], None).unwrap();
    let coverage = repeat(experiment, 5, &mut |results, _| {
        let table = Table::new(results, CONFIDENCE);
        let column = table.column("utilisation_mean").unwrap();
        assert_eq!(table.estimates[0][column].se, Some(0.0));
    });
    let row = coverage
        .rows
        .iter()
        .find(|row| row.name == "utilisation_mean")
        .unwrap();
    assert_eq!((row.held(), row.mean_z()), (5, None));
}

const SMALL: &str = "title = \"small\"\nmodel = \"redundancy\"\nseed = 7\nreplicas = 128\nbatches = 16\nwarmup = 0\nduration = 20\n[parameters]\nservers = 5\ncopies = { list = [1, 2] }\nload = 0.5\nstart = \"stationary\"\n";

fn queuefarm(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("queuefarm").unwrap();
    command
        .env("NODEVICE_SELECT", "1")
        .env_remove("COLUMNS")
        .current_dir(folder)
        .args(["coverage", "t.toml", "--backend", "cpu"]);
    command
}

fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.toml"), text).unwrap();
    folder
}

fn json(folder: &tempfile::TempDir, arguments: &[&str]) -> Value {
    let mut command = queuefarm(folder.path());
    let assert = command.arg("--json").args(arguments).assert().success();
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

#[test]
fn the_command_counts_and_is_a_function_of_the_experiment() {
    let folder = folder(SMALL);
    let found = json(&folder, &["--runs", "30"]);
    assert_eq!(found, json(&folder, &["--runs", "30", "--threads", "1"]));
    assert_eq!(
        (&found["runs"], &found["seed"], &found["confidence"]),
        (&30.into(), &7.into(), &0.95.into())
    );
    assert_eq!(found["points"].as_array().unwrap().len(), 2);
    let seeds = found["seeds"].as_array().unwrap();
    assert_eq!(seeds[29], format!("{:#018x}", seed_of(7, 29)));
    let rows = found["rows"].as_array().unwrap();
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    let median = row("response_p50");
    assert_eq!(
        (&median["kind"], &median["q"], &median["intervals"]),
        (&"quantile".into(), &0.5.into(), &30.into())
    );
    for row in rows {
        let number = |key: &str| row[key].as_u64().unwrap();
        assert_eq!(
            number("held") + number("below") + number("above"),
            number("intervals")
        );
        assert_eq!(number("intervals") + number("without_interval"), 30);
        assert!(row["lo"].as_f64() <= row["coverage"].as_f64());
    }
    let other = json(&folder, &["--runs", "30", "--seed", "8"]);
    assert_ne!(found["rows"], other["rows"]);
    let wider = json(&folder, &["--runs", "30", "--confidence", "0.5"]);
    let held = |found: &Value| found["rows"][0]["held"].as_u64().unwrap();
    assert!(held(&wider) < held(&found));
}

#[test]
fn the_table_names_what_was_done() {
    let folder = folder(SMALL);
    queuefarm(folder.path())
        .args(["--runs", "5", "--set", "copies=2"])
        .assert()
        .success()
        .stdout(contains(
            "small\n5 runs, seed 7, 128 replicas in 16 batches, 95 % intervals",
        ))
        .stdout(contains("response_p9999"))
        .stdout(contains("held %"));
}

#[test]
fn a_picture_shows_each_quantity_beside_the_nominal_level() {
    let folder = folder(SMALL);
    let found = json(&folder, &["--runs", "30", "--plot", "c.svg"]);
    let svg = std::fs::read_to_string(folder.path().join("c.svg")).unwrap();
    for row in found["rows"].as_array().unwrap() {
        if row["kind"] != "tail" {
            let name = row["name"].as_str().unwrap();
            assert!(svg.contains(name), "{name}");
        }
    }
    for text in [
        "P(response ≥ median)",
        "P(response ≥ t), 10 events",
        "nominal: 95 %",
        "93.5 to 96.5 %",
        "30 runs of 128 replicas in 16 batches, seed 7",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    // Points are drawn beside each other, not over each other: a mark for each row.
    let discs = svg.matches("<circle").count();
    assert!(discs > 10, "{discs}");
    json(&folder, &["--runs", "30", "--plot", "c.png"]);
    assert!(folder.path().join("c.png").metadata().unwrap().len() > 10_000);
}

#[test]
fn a_picture_that_cannot_be_drawn_is_refused_before_anything_is_run() {
    let folder = folder(SMALL);
    for (file, said) in [("c.pdf", ".svg or .png"), ("no/c.svg", "does not exist")] {
        let mut command = queuefarm(folder.path());
        command.args(["--runs", "4000000", "--plot", file]);
        command.assert().code(2).stderr(contains(said));
    }
}

#[test]
fn what_cannot_be_measured_is_refused_with_a_reason() {
    let refuse = |text: &str, arguments: &[&str], message: &str| {
        let folder = folder(text);
        let mut command = queuefarm(folder.path());
        command.args(["--runs", "3"]).args(arguments);
        command.assert().code(2).stderr(contains(message));
    };
    refuse(
        SMALL,
        &[
            "--set",
            "service=\"deterministic\"",
            "--set",
            "start=\"empty\"",
            "--set",
            "copies=2",
        ],
        "no exact law is known",
    );
    refuse(
        SMALL,
        &["--set", "batches=1"],
        "with one batch there are no intervals",
    );
    refuse(SMALL, &["--set", "load=2"], "load");
    let folder = folder(SMALL);
    queuefarm(folder.path())
        .args(["--runs", "0"])
        .assert()
        .code(2);
}

#[cfg(unix)]
#[test]
fn an_interrupt_reports_what_was_done_so_far() {
    let folder = folder(SMALL);
    let program = assert_cmd::cargo::cargo_bin("queuefarm");
    let child = std::process::Command::new(program)
        .current_dir(folder.path())
        .args([
            "coverage",
            "t.toml",
            "--backend",
            "cpu",
            "--json",
            "--runs",
            "4000000",
        ])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted after"));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let runs = found["runs"].as_u64().unwrap();
    assert!((1..4_000_000).contains(&runs));
    assert_eq!(found["rows"][0]["intervals"], runs);
}

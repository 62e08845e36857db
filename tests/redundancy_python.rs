//! The `redundancy` kernel against a simulator that shares nothing with it: tests/python/redundancy_reference.py, which
//! moves copies of jobs through real queues and cancels them. Same configurations, other random numbers: the means
//! over replicas must agree within 4.5 of their combined standard errors, and slightly wrong parameters must not.
#![allow(clippy::unwrap_used)]

#[path = "common/python.rs"]
mod python;

use queuefarm::engine::{Cpu, Watch};
use queuefarm::ensemble::run;
use queuefarm::experiment::Experiment;
use queuefarm::models::Point;
use queuefarm::statistics::Table;
use serde_json::{Value, json};

/// Jobs a replica: the same for both simulators, so that even a start that is not forgotten is the same.
const WARMUP: u32 = 400;
const DURATION: u32 = 2_000;
const PYTHON_REPLICAS: u32 = 24;
const REPLICAS: u32 = 2_048;
const LIMIT: f64 = 4.5;

/// Lines of experiment files that together use every policy and law.
const CONFIGURATIONS: &[&str] = &[
    // The first completion cancels: independent and identical copies, few and many.
    "servers = 5\ncopies = 2\nload = 0.7",
    "servers = 8\ncopies = 6\nload = 0.6\nservice = \"uniform\"",
    "servers = 6\ncopies = 2\nload = 0.5\ncopies_are = \"identical\"",
    "servers = 7\ncopies = 5\nload = 0.2\ncopies_are = \"identical\"\nservice = \"weibull\"\nservice_shape = 0.7",
    "servers = 4\ncopies = 2\nload = 0.5\nservice = \"erlang\"\nservice_shape = 3\narrivals = \"deterministic\"",
    "servers = 5\ncopies = 3\nload = 0.7\nservice = \"hyperexponential\"\narrivals = \"hyperexponential\"",
    "servers = 4\ncopies = 3\nload = 0.6\nspeeds = [0.5, 1, 2, 1]",
    "servers = 3\ncopies = 2\nload = 0.4\ncopies_are = \"identical\"\nspeeds = [1, 0.5, 3]",
    // The first start cancels.
    "servers = 5\ncopies = 2\nload = 0.7\npolicy = \"cancel_on_start\"",
    "servers = 8\ncopies = 5\nload = 0.8\npolicy = \"cancel_on_start\"\nservice = \"weibull\"",
    "servers = 3\ncopies = 2\nload = 0.6\npolicy = \"cancel_on_start\"\nspeeds = [0.5, 1, 2]",
    "servers = 7\ncopies = 6\nload = 0.5\npolicy = \"cancel_on_start\"\nspeeds = [0.5, 1, 2, 1, 1, 0.25, 3]\nservice = \"deterministic\"",
    // Several completions are needed.
    "servers = 5\ncopies = 3\nload = 0.3\npolicy = \"fork_join\"\nneeded = 2",
    "servers = 6\ncopies = 4\nload = 0.15\npolicy = \"fork_join\"\nneeded = 4\nservice = \"samples\"\nservice_samples = [1, 2, 2, 5]",
    "servers = 9\ncopies = 7\nload = 0.1\npolicy = \"fork_join\"\nneeded = 3\ncopies_are = \"identical\"",
    "servers = 8\ncopies = 6\nload = 0.15\npolicy = \"fork_join\"\nneeded = 4\nspeeds = [1, 2, 1, 1, 0.5, 1, 1, 1]",
    // One server, whatever d.
    "servers = 4\ncopies = 3\nload = 0.6\npolicy = \"random\"\nservice = \"deterministic\"",
];

/// Estimates of both.
const ESTIMATES: &[&str] = &[
    "response_mean",
    "wait_mean",
    "busy_mean",
    "jobs_mean",
    "queue_mean",
    "p_empty",
];

fn experiment(parameters: &str, seed: u64) -> Experiment {
    let file = format!(
        "model = \"redundancy\"\nseed = {seed}\nreplicas = {REPLICAS}\nbatches = 64\nwarmup = {WARMUP}\n\
         duration = {DURATION}\n[parameters]\n{parameters}\n"
    );
    Experiment::parse(&file, "python.toml", &[], None)
        .unwrap_or_else(|problems| panic!("{problems}\n{file}"))
}

/// A configuration in Python's words.
fn for_python(point: &Point, seed: usize) -> Value {
    let whole = |name| point.number(name) as u64;
    let mut speeds = point.numbers("speeds");
    if speeds.len() == 1 {
        speeds = vec![speeds[0]; whole("servers") as usize];
    }
    json!({
        "warmup": WARMUP,
        "duration": DURATION,
        "replicas": PYTHON_REPLICAS,
        "seed": seed,
        "parameters": {
            "copies": whole("copies"),
            "load": point.number("load"),
            "policy": point.word("policy"),
            "needed": whole("needed"),
            "identical": point.word("copies_are") == "identical",
            "speeds": speeds,
            "service": point.word("service"),
            "service_shape": point.number("service_shape"),
            "service_low": point.number("service_low"),
            "service_weights": point.numbers("service_weights"),
            "service_rates": point.numbers("service_rates"),
            "service_samples": point.numbers("service_samples"),
            "arrivals": point.word("arrivals"),
            "arrival_weights": point.numbers("arrival_weights"),
            "arrival_rates": point.numbers("arrival_rates"),
        },
    })
}

/// Mean and standard error of the mean.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// The differences of all estimates in combined standard errors.
fn distances(parameters: &str, seed: u64, python: &Value) -> Vec<(&'static str, f64)> {
    let experiment = experiment(parameters, seed);
    let results = run(&experiment, &mut Cpu::new(0).unwrap(), &Watch::new()).unwrap();
    let table = Table::new(&results, 0.95);
    let compare = |&name: &&'static str| {
        let ours = table.estimates[0][table.column(name).unwrap()];
        let replicas = python.as_array().unwrap();
        let values: Vec<f64> = replicas.iter().map(|r| r[name].as_f64().unwrap()).collect();
        let (mean, error) = mean_and_error(&values);
        let combined = error.hypot(ours.se.unwrap());
        (name, (ours.mean.unwrap() - mean) / combined)
    };
    ESTIMATES.iter().map(compare).collect()
}

#[test]
fn a_simulator_of_single_copies_finds_the_same() {
    let configurations: Vec<Value> = (CONFIGURATIONS.iter().enumerate())
        .map(|(index, parameters)| for_python(&experiment(parameters, 1).points()[0], index))
        .collect();
    let Some(answers) = python::answers("redundancy_reference.py", &configurations) else {
        return;
    };

    let mut squares = Vec::new();
    let mut missed = Vec::new();
    for (index, parameters) in CONFIGURATIONS.iter().enumerate() {
        for (name, z) in distances(parameters, index as u64, &answers[index]) {
            if z.is_nan() || z.abs() > LIMIT {
                missed.push(format!("z = {z:.2} for {name} with\n{parameters}"));
            }
            squares.push(z * z);
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    // Not only is none far off: all together they are as close as chance has it.
    let spread = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    assert!(spread < 1.4, "root mean square z = {spread}");

    for (index, right, wrong) in [
        (0, "load = 0.7", "load = 0.74"),
        (0, "copies = 2", "copies = 3"),
        (3, "service_shape = 0.7", "service_shape = 1"),
        (4, "deterministic", "poisson"),
        (6, "load = 0.6", "load = 0.64"),
        (7, "identical", "independent"),
        (8, "cancel_on_start", "cancel_on_completion"),
        (10, "[0.5, 1, 2]", "[0.4, 1, 2.1]"),
        (12, "needed = 2", "needed = 1"),
        (13, "[1, 2, 2, 5]", "[1, 2, 2.5, 4.5]"),
        (14, "identical", "independent"),
        (15, "copies = 6", "copies = 5"),
        (16, "random", "cancel_on_start"),
    ] {
        let changed = CONFIGURATIONS[index].replacen(right, wrong, 1);
        assert_ne!(changed, CONFIGURATIONS[index]);
        let worst = distances(&changed, 99, &answers[index])
            .iter()
            .fold(0.0, |worst: f64, (_, z)| worst.max(z.abs()));
        assert!(
            worst > LIMIT,
            "z = {worst:.1} does not tell {wrong} from {right}"
        );
    }
}

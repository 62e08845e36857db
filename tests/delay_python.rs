//! The `delay` kernels against a simulator that shares nothing with them: tests/python/delay_reference.py, which
//! moves clients with identities between real queues. Same configurations, other random numbers: the means over
//! replicas must agree within 4.5 of their combined standard errors, and a slightly wrong delay or p must not.
#![allow(clippy::unwrap_used)]

#[path = "common/python.rs"]
mod python;

use queuefarm::engine::{Cpu, Watch};
use queuefarm::ensemble::run;
use queuefarm::experiment::Experiment;
use queuefarm::models::Point;
use queuefarm::statistics::Table;
use serde_json::{Value, json};

/// Time units: the same for both simulators.
const WARMUP: u32 = 300;
const DURATION: u32 = 4_000;
const PYTHON_REPLICAS: u32 = 12;
const REPLICAS: u32 = 512;
const LIMIT: f64 = 4.5;

/// Lines of experiment files that together use every rule.
const CONFIGURATIONS: &[&str] = &[
    // Plain; in and out of phase, both conventions.
    "clients = 20\ninformation_delay = 2\ndisinformation = 0.2",
    "clients = 21\ninformation_delay = 2\ninformation = \"exclusive\"\nticks_per_service = 2\nphase = 1\ndisinformation = 0.1",
    "clients = 20\ninformation_delay = 0\ndisinformation = 0.2",
    // Travel and idle time, with servers that run idle.
    "clients = 30\ninformation_delay = 3\ntravel_time = 2\nidle_time = 3\ndisinformation = 0.15",
    "clients = 12\ninformation_delay = 8\ntravel_time = 1\nidle_time = 1\ndisinformation = 0.1\nstart = \"random\"",
    // Unequal servers, compared both ways.
    "clients = 24\ninformation_delay = 3\nservice_time = [1, 2]\ndisinformation = 0.2",
    "clients = 24\ninformation_delay = 3\nservice_time = [1.5, 1]\nticks_per_service = 2\ncompare = \"work\"\ndisinformation = 0.25",
    // Bias of both kinds, steady and alternating.
    "clients = 24\ninformation_delay = 3\nbias = 0.3\ndisinformation = 0.2",
    "clients = 24\ninformation_delay = 3\nbias = 0.3\ndisinformation = 0.2\nbias_period = 10\ntravel_time = 1",
    "clients = 20\ninformation_delay = 3\nticks_per_service = 2\nphase = 1\nbias = 0.25\nbias_kind = \"clients\"\ndisinformation = 0.3",
    "clients = 20\ninformation_delay = 3\nticks_per_service = 2\nphase = 1\nbias = 0.5\nbias_kind = \"clients\"\nbias_period = 30\ndisinformation = 0.2\nidle_time = 1",
    // Constant and load-dependent rejection, at once and by travel, with small limits and c > 2/N.
    "clients = 20\ninformation_delay = 3\nrejection = 0.4",
    "clients = 20\ninformation_delay = 3\nrejection = 0.6\nbounce_limit = 2\nidle_time = 1",
    "clients = 24\ninformation_delay = 3\nload_rejection_scaled = 0.7\ndisinformation = 0.05",
    "clients = 24\ninformation_delay = 3\nload_rejection_scaled = 1.5\nbounce_limit = 5",
    "clients = 10\ninformation_delay = 2\nload_rejection = 0.9\nbounce_limit = 3\ndisinformation = 0.1",
    "clients = 24\ninformation_delay = 3\ntravel_time = 1\nrejection = 0.5\nbounce = \"travel\"\nbounce_limit = 2",
    "clients = 24\ninformation_delay = 3\ntravel_time = 2\nload_rejection_scaled = 0.8\nbounce = \"travel\"\nstart = \"all_in_1\"\nbias = 0.2",
];

/// Python's names of estimates, and ours.
const ESTIMATES: &[&str] = &[
    "a_rms",
    "a_mean",
    "peak",
    "period",
    "throughput",
    "idle_fraction_1",
    "idle_fraction_2",
    "wait_mean",
    "queue_met",
    "rejections_per_request",
    "refusals",
];

fn experiment(parameters: &str, seed: u64) -> Experiment {
    let file = format!(
        "model = \"delay\"\nseed = {seed}\nreplicas = {REPLICAS}\nbatches = 64\nwarmup = {WARMUP}\n\
         duration = {DURATION}\n[parameters]\n{parameters}\n"
    );
    Experiment::parse(&file, "python.toml", &[], None)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// A configuration in Python's words: all times in ticks, c itself.
fn in_ticks(point: &Point, seed: usize) -> Value {
    let unit = point.number("ticks_per_service");
    let ticks = |time: f64| (time * unit).round() as u64;
    let time = |name| ticks(point.number(name));
    let scaled = point.number("load_rejection_scaled");
    let c = point
        .number("load_rejection")
        .max(2.0 * scaled / point.number("clients"));
    json!({
        "warmup": ticks(f64::from(WARMUP)),
        "duration": ticks(f64::from(DURATION)),
        "replicas": PYTHON_REPLICAS,
        "seed": seed,
        "parameters": {
            "ticks_per_unit": unit as u64,
            "clients": point.number("clients") as u64,
            "service": point.pair("service_time").map(ticks),
            "phase": point.number("phase") as u64,
            "delay": time("information_delay"),
            "travel": time("travel_time"),
            "idle": time("idle_time"),
            "information": point.word("information"),
            "compare": point.word("compare"),
            "disinformation": point.number("disinformation"),
            "bias": point.number("bias"),
            "bias_kind": point.word("bias_kind"),
            "bias_period": time("bias_period"),
            "rejection": point.number("rejection"),
            "load_rejection": c,
            "bounce": point.word("bounce"),
            "bounce_limit": point.number("bounce_limit") as u64,
            "start": point.word("start"),
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

/// An estimate as a mean of something that is averaged over replicas: squares and frequencies.
fn linear(name: &str, value: f64) -> f64 {
    match name {
        "a_rms" => value * value,
        "period" => 1.0 / value,
        _ => value,
    }
}

/// The differences of all estimates in combined standard errors.
fn distances(parameters: &str, seed: u64, python: &Value) -> Vec<(&'static str, f64)> {
    let results = run(
        &experiment(parameters, seed),
        &mut Cpu::new(0).unwrap(),
        &Watch::new(),
    )
    .unwrap();
    let table = Table::new(&results, 0.95);
    let compare = |&name: &&'static str| {
        let ours = table.estimates[0][table.column(name).unwrap()];
        let values: Vec<f64> = python
            .as_array()
            .unwrap()
            .iter()
            .map(|replica| linear(name, replica[name].as_f64().unwrap()))
            .collect();
        let (mean, error) = mean_and_error(&values);
        let value = ours.mean.unwrap();
        // The derivative of the square and of the reciprocal.
        let slope = match name {
            "a_rms" => 2.0 * value,
            "period" => 1.0 / (value * value),
            _ => 1.0,
        };
        // Events so rare that Python saw none, or one: give or take one.
        let one_event = 1.0 / f64::from(PYTHON_REPLICAS * DURATION);
        let combined = error.max(one_event).hypot(slope * ours.se.unwrap());
        (name, (linear(name, value) - mean) / combined)
    };
    ESTIMATES.iter().map(compare).collect()
}

#[test]
fn a_simulator_of_single_clients_finds_the_same() {
    let points = CONFIGURATIONS
        .iter()
        .map(|parameters| experiment(parameters, 1).points().remove(0));
    let configurations: Vec<Value> = points
        .enumerate()
        .map(|(index, point)| in_ticks(&point, index))
        .collect();
    let Some(answers) = python::answers("delay_reference.py", &configurations) else {
        return;
    };

    let mut squares = Vec::new();
    for (index, parameters) in CONFIGURATIONS.iter().enumerate() {
        for (name, z) in distances(parameters, index as u64, &answers[index]) {
            assert!(z.abs() < LIMIT, "z = {z:.2} for {name} with\n{parameters}");
            squares.push(z * z);
        }
    }
    // Not only is none far off: all together they are as close as chance has it.
    let spread = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    assert!(spread < 1.4, "root mean square z = {spread}");

    let worst = |parameters: &str, index: usize| {
        distances(parameters, 99, &answers[index])
            .iter()
            .fold(0.0, |worst: f64, (_, z)| worst.max(z.abs()))
    };
    for (index, right, wrong) in [
        (0, "disinformation = 0.2", "disinformation = 0.22"),
        (1, "information_delay = 2", "information_delay = 2.5"),
        (3, "travel_time = 2", "travel_time = 3"),
        (6, "compare = \"work\"", "compare = \"queue\""),
        (9, "bias_kind = \"clients\"", "bias_kind = \"requests\""),
        (12, "bounce_limit = 2", "bounce_limit = 3"),
        (
            13,
            "load_rejection_scaled = 0.7",
            "load_rejection_scaled = 0.72",
        ),
        (16, "bounce = \"travel\"", "bounce = \"at_once\""),
    ] {
        let changed = CONFIGURATIONS[index].replace(right, wrong);
        assert_ne!(changed, CONFIGURATIONS[index]);
        let z = worst(&changed, index);
        assert!(z > LIMIT, "z = {z:.1} does not tell {wrong} from {right}");
    }
}

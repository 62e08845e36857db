//! The two kernels of redundancy-d, the workload recursion and the aggregate chain, against each other.
//!
//! They share the random numbers and the list of jobs at a stationary start, and nothing else. What both estimate must
//! agree within z = 4.5 of the standard errors of both: 4 systems of at most 7 estimates and 5 tail probabilities are
//! at most 48 comparisons, a false alarm of which is 3 in 10,000. Seeds are fixed. A load 2 % off must fail.
#![allow(clippy::unwrap_used)]

use queuefarm::engine::{Cpu, Watch};
use queuefarm::ensemble::{Results, run};
use queuefarm::experiment::Experiment;
use queuefarm::statistics::Table;
use queuefarm::theory::redundancy::System;

const Z: f64 = 4.5;
/// Quantities that both models estimate.
const BOTH: [&str; 7] = [
    "response_mean",
    "response_var",
    "queue_mean",
    "queue_normalised",
    "jobs_mean",
    "busy_mean",
    "p_empty",
];

/// A run of a model at (N, d, rho); warm-up and duration in its own unit.
fn results(model: &str, system: (u32, u32, f64), span: [u32; 2], seed: u64) -> Results {
    let (servers, copies, load) = system;
    let [warmup, duration] = span;
    let source = format!(
        "model = \"{model}\"\nseed = {seed}\nreplicas = 512\nbatches = 32\nwarmup = {warmup}\nduration = {duration}\n\
         [parameters]\nservers = {servers}\ncopies = {copies}\nload = {load}\nstart = \"stationary\"\n"
    );
    let experiment = Experiment::parse(&source, "test.toml", &[], None).unwrap();
    run(&experiment, &mut Cpu::new(0).unwrap(), &Watch::new()).unwrap()
}

/// Mean and standard error over batches of the share of responses of at least `t`, a bin edge.
fn share_beyond(results: &Results, t: f64) -> (f64, f64) {
    let plan = &results.plans[0];
    let at = plan
        .histograms
        .iter()
        .position(|h| h.name == "response")
        .unwrap();
    let first: usize = plan.histograms[..at].iter().map(|h| h.bins as usize).sum();
    let histogram = &plan.histograms[at];
    let edge = (0..histogram.bins)
        .find(|&bin| histogram.lower(bin) >= t)
        .unwrap();
    assert_eq!(histogram.lower(edge), t, "an edge of a bin");
    let shares: Vec<f64> = (results.batches[0].iter())
        .map(|batch| {
            let counts = &batch.counts[first..first + histogram.bins as usize];
            let all: u64 = counts.iter().sum();
            counts[edge as usize..].iter().sum::<u64>() as f64 / all as f64
        })
        .collect();
    let n = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / n;
    let variance = shares.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// The z of every comparison, with its name.
fn comparisons(system: (u32, u32, f64), other_load: f64) -> Vec<(String, f64)> {
    let (servers, copies, load) = system;
    // Events are arrivals, services and null events: about as many of them as jobs times 1 + 1/rho.
    let jobs = 300 * servers;
    let events = f64::from(jobs) * (1.0 + 1.0 / load);
    let workloads = results("redundancy", system, [0, jobs], 7);
    let chain = results(
        "redundancy-states",
        (servers, copies, other_load),
        [
            (20.0 * f64::from(servers) * (1.0 + load) / load) as u32 + 4_000,
            events as u32,
        ],
        8,
    );
    let tables = [&workloads, &chain].map(|results| Table::new(results, 0.95));
    let mut found = Vec::new();
    let mut compare = |what: String, a: (f64, f64), b: (f64, f64)| {
        let se = (a.1 * a.1 + b.1 * b.1).sqrt();
        assert!(se > 0.0, "{what} has no standard error");
        found.push((what, (a.0 - b.0) / se));
    };
    // An empty system must be common enough to be met.
    let empty = System::new(servers, copies, load).unwrap().p_empty() > 1e-3;
    for name in BOTH.into_iter().filter(|name| *name != "p_empty" || empty) {
        let [a, b] = [0, 1].map(|which: usize| {
            let table = &tables[which];
            let estimate = table.estimates[0][table.column(name).unwrap()];
            (estimate.mean.unwrap(), estimate.se.unwrap())
        });
        compare(format!("{system:?} {name}"), a, b);
    }
    let mean = tables[0].estimates[0][0].mean.unwrap();
    for multiple in [0.25, 0.5, 1.0, 2.0, 3.0] {
        // The next lower power of two is an edge whatever the clock.
        let t = 2f64.powf((mean * multiple).log2().floor());
        let [a, b] = [&workloads, &chain].map(|results| share_beyond(results, t));
        compare(format!("{system:?} P(T >= {t})"), a, b);
    }
    found
}

#[test]
fn both_kernels_give_the_same_response_times() {
    for system in [(10, 2, 0.7), (5, 5, 0.6), (20, 3, 0.85), (60, 8, 0.5)] {
        for (what, z) in comparisons(system, system.2) {
            assert!(z.abs() < Z, "{what}: z = {z:.2}");
        }
    }
}

#[test]
fn a_load_two_percent_off_is_found() {
    let found = comparisons((10, 2, 0.7), 0.714);
    let response = found
        .iter()
        .find(|(what, _)| what.ends_with("response_mean"));
    let jobs = found.iter().find(|(what, _)| what.ends_with("jobs_mean"));
    assert!(response.unwrap().1 < -Z, "{response:?}");
    assert!(jobs.unwrap().1 < -Z, "{jobs:?}");
}

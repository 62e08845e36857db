//! `selfish-mixed` against closed forms, against all profiles of small farms, and against profiles drawn one by one.
//!
//! Every run has a fixed seed. Means are met within z = 4.5 standard errors, taken from independent batches; numbers of
//! rare profiles within a Poisson law at the same level. Each kind of test has a twin that must fail.
#![allow(clippy::unwrap_used)]

use queuefarm::engine::{Backend, Cpu, Recording, Unit, Watch, Work};
use queuefarm::models::selfish_mixed::MODEL;
use queuefarm::models::{Plan, Point, Tallies, Totals, Value};
use queuefarm::random::{Key, Purpose};
use std::sync::Mutex;

#[path = "selfish_mixed/edges.rs"]
mod edges;
#[path = "selfish_mixed/literal.rs"]
mod literal;
#[path = "selfish_mixed/rows.rs"]
mod rows;

const Z: f64 = 4.5;
/// One-sided chance of a deviation by [`Z`] standard errors.
const LEVEL: f64 = 3.4e-6;
/// Independent batches of every run.
const BATCHES: u32 = 64;

/// A point: defaults and changes.
fn point(duration: u32, changes: &[(&str, Value)]) -> Point {
    Point {
        index: 0,
        stream: 0,
        warmup: 0.0,
        duration: f64::from(duration),
        values: (MODEL.parameters.iter())
            .map(|parameter| {
                let change = changes.iter().find(|(name, _)| *name == parameter.name);
                let value = change.map(|(_, value)| value.clone());
                let default = || Value::from(parameter.default.unwrap());
                (parameter.name, value.unwrap_or_else(default))
            })
            .collect(),
    }
}

fn number(x: impl Into<f64>) -> Value {
    Value::Number(x.into())
}

fn costs(names: &[&str]) -> (&'static str, Value) {
    let words = names.iter().map(|&name| name.to_owned()).collect();
    ("costs", Value::Words(words))
}

fn unit(first_replica: u32, replicas: u32) -> Unit {
    Unit {
        point: 0,
        batch: 0,
        first_replica,
        replicas,
    }
}

/// Tallies of each batch of so many replicas.
fn simulate(plan: &Plan, replicas: u32) -> Vec<Tallies> {
    let work: Vec<Work<'_>> = (0..BATCHES)
        .map(|batch| Work {
            plan,
            key: Key {
                seed: 1999,
                stream: 0,
            },
            unit: unit(batch * replicas, replicas),
            recording: Recording::default(),
        })
        .collect();
    let results = Mutex::new(vec![Tallies::default(); work.len()]);
    Cpu::new(0)
        .unwrap()
        .run(&MODEL, &work, &Watch::new(), &|index, tallies| {
            results.lock().unwrap()[index] = tallies;
        })
        .unwrap();
    results.into_inner().unwrap()
}

/// Estimates by name.
fn estimate(plan: &Plan, tallies: &Tallies, name: &str) -> Option<f64> {
    let measured = f64::from(plan.halves[0] + plan.halves[1]);
    let totals = Totals {
        sums: (tallies.sums.iter())
            .map(|halves| (halves[0] + halves[1]) as f64)
            .collect(),
        peaks: None,
        maxima: None,
        counts: Some(tallies.counts.iter().map(|&count| count as f64).collect()),
        steps: tallies.replicas as f64 * measured,
        replicas: tallies.replicas as f64,
    };
    let which = MODEL.observables.iter().position(|o| o.name == name);
    (MODEL.estimates)(plan, &totals)[which.unwrap()]
}

fn all(batches: &[Tallies], plan: &Plan) -> Tallies {
    let mut all = Tallies::zero(plan, MODEL.sums.len());
    for batch in batches {
        all.merge(batch);
    }
    all
}

/// z of the mean of an estimate over batches; 0 where every batch has the exact value.
fn z(plan: &Plan, batches: &[Tallies], name: &str, exact: f64) -> f64 {
    let values: Vec<f64> = (batches.iter())
        .map(|batch| estimate(plan, batch, name).unwrap_or(f64::NAN))
        .collect();
    if values.iter().all(|x| (x - exact).abs() <= 1e-12 * exact) {
        return 0.0;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean - exact) / (square / (count * (count - 1.0))).sqrt()
}

/// The smaller of P(X <= k) and P(X >= k) for a Poisson number X.
fn poisson_tail(mean: f64, k: f64) -> f64 {
    let mut term = (-mean).exp();
    let (mut below, mut i) = (0.0, 0.0);
    while i < k {
        below += term;
        i += 1.0;
        term *= mean / i;
    }
    (below + term).min(1.0 - below)
}

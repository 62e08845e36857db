//! `selfish-mixed` against closed forms, against all profiles of small farms, and against profiles drawn one by one.
//!
//! Every run has a fixed seed. Means are met within z = 4.5 standard errors, taken from independent batches; numbers of
//! rare profiles within a Poisson law at the same level. Each kind of test has a twin that must fail.
#![allow(clippy::unwrap_used)]

#[path = "common/batches.rs"]
mod batches;

use queuefarm::models::selfish_mixed::MODEL;
use queuefarm::models::{Plan, Point, Tallies, Value};
use queuefarm::random::{Key, Purpose};

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

/// Tallies of each batch of so many replicas.
fn simulate(plan: &Plan, replicas: u32) -> Vec<Tallies> {
    batches::simulate(&MODEL, plan, 1999, BATCHES, replicas)
}

/// Estimates by name.
fn estimate(plan: &Plan, tallies: &Tallies, name: &str) -> Option<f64> {
    let totals = batches::totals(plan, tallies);
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

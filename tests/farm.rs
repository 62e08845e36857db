//! `farm` against closed forms, a literal simulation of events, mixtures over allocations, and at its limits.
//!
//! Every run has a fixed seed. Estimates are met within z = 4.5 standard errors, from leaving out each of 64 independent
//! batches (jackknife); what has no error, like utilisation where all is accepted, is met to rounding. A twin with a load
//! 2 % off must fail. Owns the helpers that run a point; the checks are in tests/farm.
#![allow(clippy::unwrap_used)]

#[path = "common/batches.rs"]
mod batches;

use queuefarm::models::farm::MODEL;
use queuefarm::models::{Plan, Point, Problem, Tallies, Value};

#[path = "farm/drawn.rs"]
mod drawn;
#[path = "farm/edges.rs"]
mod edges;
#[path = "farm/literal.rs"]
mod literal;
#[path = "farm/theory.rs"]
mod theory;

const Z: f64 = 4.5;
const BATCHES: u32 = 64;

fn word(x: &str) -> Value {
    Value::Word(x.to_owned())
}

fn list(xs: &[f64]) -> Value {
    Value::Numbers(xs.to_vec())
}

/// The defaults with changes, later ones over earlier ones.
fn point(span: [f64; 2], changes: &[&[(&'static str, Value)]]) -> Point {
    let changes = changes.concat();
    Point::with_defaults(MODEL.parameters, 0, span, |key| {
        let changed = changes.iter().rev().find(|(name, _)| *name == key);
        changed.map(|(_, value)| value.clone())
    })
}

fn plan(point: &Point) -> Result<Plan, Problem> {
    (MODEL.plan)(point)
}

/// Tallies of each batch.
fn simulate(plan: &Plan, seed: u64, replicas: u32) -> Vec<Tallies> {
    batches::simulate(&MODEL, plan, seed, BATCHES, replicas)
}

fn pooled<'a>(batches: impl Iterator<Item = &'a Tallies>) -> Tallies {
    batches.fold(Tallies::default(), |mut all, batch| {
        if all.counts.is_empty() {
            return batch.clone();
        }
        all.merge(batch);
        all
    })
}

fn estimates_of(plan: &Plan, tallies: &Tallies) -> Vec<Option<f64>> {
    (MODEL.estimates)(plan, &batches::totals(plan, tallies))
}

/// An estimate and its standard error.
type Estimate = Option<[f64; 2]>;

/// Every estimate of batches.
fn estimates(plan: &Plan, batches: &[Tallies]) -> Vec<Estimate> {
    assert!(batches.iter().all(|batch| batch.faults == 0));
    let all = estimates_of(plan, &pooled(batches.iter()));
    let without: Vec<Vec<Option<f64>>> = (0..batches.len())
        .map(|out| {
            let others = batches.iter().enumerate().filter(|(i, _)| *i != out);
            estimates_of(plan, &pooled(others.map(|(_, batch)| batch)))
        })
        .collect();
    let count = batches.len() as f64;
    let estimate = |(column, value): (usize, Option<f64>)| {
        let values: Vec<f64> = without.iter().filter_map(|row| row[column]).collect();
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        value.map(|value| [value, (squares * (count - 1.0) / count).sqrt()])
    };
    all.into_iter().enumerate().map(estimate).collect()
}

/// Runs a point: its estimates.
fn run(point: &Point, seed: u64, replicas: u32) -> Vec<Estimate> {
    let plan = plan(point).unwrap();
    estimates(&plan, &simulate(&plan, seed, replicas))
}

fn column(name: &str) -> usize {
    MODEL
        .observables
        .iter()
        .position(|observable| observable.name == name)
        .unwrap()
}

/// How many standard errors an estimate is from an exact value; rounding counts as none.
fn z([value, error]: [f64; 2], exact: f64) -> f64 {
    if (value - exact).abs() <= 1e-9 * exact.abs() {
        return 0.0;
    }
    (value - exact) / error
}

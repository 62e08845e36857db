//! The closed forms of the `delay` model against the reference numbers of data/reference/delay.json and against
//! brute force, one module for each module of the theory but for `cycle`, which checks `fluid` and `idle` together.
//! Owns the helpers that read the reference; no check of a simulation.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

#[path = "theory_delay/adaptability.rs"]
mod adaptability;
#[path = "theory_delay/cycle.rs"]
mod cycle;
#[path = "theory_delay/fluctuations.rs"]
mod fluctuations;
#[path = "theory_delay/rejection.rs"]
mod rejection;

fn reference() -> Value {
    serde_json::from_str(include_str!("../data/reference/delay.json")).unwrap()
}

fn rows(block: &str) -> Vec<Value> {
    reference()[block]["rows"].as_array().unwrap().clone()
}

/// A number of a row; infinity is written as a string.
fn number(row: &Value, key: &str) -> f64 {
    match &row[key] {
        Value::String(text) if text == "inf" => f64::INFINITY,
        value => value
            .as_f64()
            .unwrap_or_else(|| panic!("no number {key} in {row}")),
    }
}

#[track_caller]
fn assert_close(actual: f64, expected: f64, relative: f64) {
    let close = actual == expected || (actual - expected).abs() <= relative * expected.abs();
    assert!(close, "{actual} is not {expected} to {relative}");
}

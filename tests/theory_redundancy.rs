//! The closed forms of redundancy-d against the reference numbers of data/reference/redundancy.json, against brute
//! force and against each other. Owns the helpers that read the reference; no check of a simulation.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

#[path = "theory_redundancy/brute.rs"]
mod brute;
#[path = "theory_redundancy/collisions.rs"]
mod collisions;
#[path = "theory_redundancy/expansions.rs"]
mod expansions;
#[path = "theory_redundancy/jobs.rs"]
mod jobs;
#[path = "theory_redundancy/many.rs"]
mod many;
#[path = "theory_redundancy/optimum.rs"]
mod optimum;
#[path = "theory_redundancy/response.rs"]
mod response;
#[path = "theory_redundancy/rows.rs"]
mod rows;

fn reference() -> Value {
    serde_json::from_str(include_str!("../data/reference/redundancy.json")).unwrap()
}

fn rows(block: &str) -> Vec<Value> {
    reference()[block]["rows"].as_array().unwrap().clone()
}

fn number(row: &Value, key: &str) -> f64 {
    row[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no number {key} in {row}"))
}

fn numbers(row: &Value, key: &str) -> Vec<f64> {
    let list = row[key].as_array().unwrap();
    list.iter().map(|value| value.as_f64().unwrap()).collect()
}

fn whole(row: &Value, key: &str) -> u32 {
    u32::try_from(row[key].as_u64().unwrap()).unwrap()
}

#[track_caller]
fn assert_close(actual: f64, expected: f64, relative: f64) {
    let close = actual == expected || (actual - expected).abs() <= relative * expected.abs();
    assert!(close, "{actual:e} is not {expected:e} to {relative:e}");
}

#[track_caller]
fn assert_all_close(actual: &[f64], expected: &[f64], relative: f64) {
    assert!(actual.len() >= expected.len());
    for (at, (a, e)) in actual.iter().zip(expected).enumerate() {
        let close = a == e || (a - e).abs() <= relative * e.abs();
        assert!(close, "entry {at}: {a:e} is not {e:e} to {relative:e}");
    }
}

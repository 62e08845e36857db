//! The closed forms of selfish traffic against the reference numbers of data/reference/selfish.json, against brute
//! force and against each other. Owns the helpers that read the reference; no check of a simulation.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

#[path = "theory_selfish/bounds.rs"]
mod bounds;
#[path = "theory_selfish/brute.rs"]
mod brute;
#[path = "theory_selfish/farm.rs"]
mod farm;
#[path = "theory_selfish/occupancy.rs"]
mod occupancy;
#[path = "theory_selfish/rows.rs"]
mod rows;

fn reference(block: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("../data/reference/selfish.json")).unwrap();
    all[block].clone()
}

fn rows(block: &str) -> Vec<Value> {
    reference(block)["rows"].as_array().unwrap().clone()
}

fn number(row: &Value, key: &str) -> f64 {
    row[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no number {key} in {row}"))
}

fn whole(row: &Value, key: &str) -> u32 {
    u32::try_from(row[key].as_u64().unwrap()).unwrap()
}

#[track_caller]
fn assert_close(actual: f64, expected: f64, relative: f64) {
    let close = actual == expected || (actual - expected).abs() <= relative * expected.abs();
    assert!(close, "{actual:e} is not {expected:e} to {relative:e}");
}

/// Numbers for random instances: SplitMix64 (Steele, Lea, Flood 2014).
struct Dice(u64);

impl Dice {
    /// From `low` to `high`.
    fn whole(&mut self, low: u32, high: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let top = (z ^ (z >> 31)) >> 32;
        low + ((top * u64::from(high - low + 1)) >> 32) as u32
    }

    fn list(&mut self, length: u32, low: u32, high: u32) -> Vec<u32> {
        (0..length).map(|_| self.whole(low, high)).collect()
    }
}

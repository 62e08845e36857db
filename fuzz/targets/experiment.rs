//! Any bytes as an experiment file: refused in words, or read and written back as the same experiment.
#![no_main]

// Half of it is for the other target.
#[allow(dead_code)]
#[path = "../../tests/common/round_trip.rs"]
mod round_trip;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    round_trip::check(text, "fuzz.toml");
});

//! Any bytes as a CSV table, read by the parameters that take one.
#![no_main]

#[path = "../../tests/common/round_trip.rs"]
mod round_trip;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|table: &[u8]| {
    round_trip::check_table(table);
});

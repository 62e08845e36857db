//! `redundancy`
mod draws;
mod exponentials;
pub mod law;
pub mod few;
pub mod kernel;
pub mod stationary;
pub mod words;
/// temporary
pub fn prototype() -> crate::models::Plan {
    use words::{SUM_WORDS, param, state, sum};
    let mut params = vec![0; param::COUNT];
    let f = 16;
    let a = 65536.0 / 7.0 * 64.0;
    let shift = (31.0 - f64::log2(a)).floor() as u32;
    let servers_at = (state::SUMS + sum::COUNT * 2 * SUM_WORDS) as u32;
    for (i, v) in [
        (param::SERVERS, 10),
        (param::COPIES, 2),
        (param::NEEDED, 1),
        (
            param::ARRIVAL_MANTISSA,
            (a * f64::powi(2.0, shift as i32)) as u32,
        ),
        (param::ARRIVAL_SHIFT, shift),
        (param::SERVICE_SHIFT, 26 - f),
        (param::CHOICE_WORD, 1),
        (param::SERVICE_WORD, 2),
        (param::SERVICE_STEP, 1),
        (param::BLOCKS, 1),
        (param::SWEEP, 256),
        (param::BIN_BITS, 5),
        (param::WAIT_AT, crate::models::log_linear_bins(5, 31)),
        (param::SERVERS_AT, servers_at),
    ] {
        params[i] = v;
    }
    let bins = 2 * crate::models::log_linear_bins(5, 31);
    crate::models::Plan {
        params,
        tables: crate::random::exponential_table(),
        state_words: servers_at + 10,
        head_words: servers_at,
        histograms: vec![],
        recorded_bins: bins,
        sums_at: state::SUMS as u32,
        peaks_at: vec![],
        warmup: 1000,
        halves: [10000, 10000],
        steps_per_unit: 1.0,
        increments_per_step: 1,
        increments_per_microstep: 1,
        sum_words: 3,
        loops_per_microstep: 0,
        fault: None,
        traced_unit: 1.0,
        unstable: false,
        used: vec![],
    }
}

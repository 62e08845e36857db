//! From a point of `selfish-pure` to integers for the kernels: instances, order, limits, bins, layout of the state.
//!
//! Owns every check that needs more than one parameter. What cannot be simulated faithfully is refused.

use super::parameters::ORDERS;
use super::tables::{check, tables};
use super::words::{RATIO_BITS, SUM_WORDS, order, param, state, sum};
use crate::models::selfish::{Instance, costs, instances, push_costs, push_number};
use crate::models::{Histogram, Plan, Point, Problem, Scale, Value, log_linear_bins};

/// Most units of rate of an instance, and units of its rates that have no common one.
const RATE_UNITS: [f64; 2] = [(1u64 << 30) as f64, (1u64 << 24) as f64];
/// Most starts of a replica.
const MOST_STARTS: f64 = 4e9;
/// Moves a stream, where `max_moves` is 0.
const MOVES_A_STREAM: u64 = 100;
/// Bits of a ratio in units of 2^-20.
const VALUE_BITS: u32 = 31;

/// The kernels' view of a point.
///
/// # Errors
/// A [`Problem`] that names the parameter.
pub fn plan(point: &Point) -> Result<Plan, Problem> {
    let duration = span(point)?;
    let bins = point.number("bins_an_octave") as u32;
    if !bins.is_power_of_two() {
        let message = format!("{bins} is not a power of two: 1, 2, 4, ... 1024");
        return Err(Problem::new("bins_an_octave", message));
    }
    let [most, fine] = RATE_UNITS;
    let mut all = instances(point, 1, most, fine)?;
    let count = point.number("instances") as u32;
    if count > 1 && is_drawn(point) {
        // Before they are drawn: they may need too much memory for that.
        all.first().map_or(Ok(()), |one| check(count, one))?;
        all = instances(point, count, most, fine)?;
    }
    let order = (ORDERS.iter())
        .position(|&name| name == point.word("order"))
        .unwrap_or(order::RANDOM);
    if order == order::FIRST {
        // The first unsatisfied stream is then that of the largest rate.
        all.iter_mut()
            .for_each(|one| one.rates.sort_by(|a, b| b.cmp(a)));
    }
    let equal = all.iter().all(has_equal_speeds);
    let mut tables = tables(&all, equal);
    let [servers, streams] = [
        all.first().map_or(0, |one| one.speeds.len()),
        all.first().map_or(0, |one| one.rates.len()),
    ]
    .map(|count| count as u32);
    let moves = most_moves(point, streams);
    let looks = if order == order::RANDOM { 2 } else { 1 };
    let loads_at = (state::SUMS + 2 * SUM_WORDS * sum::COUNT) as u32;

    let mut params = vec![0u32; param::COUNT];
    let mut set = |index: usize, value: u32| params[index] = value;
    set(param::SERVERS, servers);
    set(param::STREAMS, streams);
    set(param::INSTANCES, all.len() as u32);
    set(param::BLOCK, tables.block);
    set(param::EQUAL, u32::from(equal));
    set(param::ORDER, order as u32);
    set(param::MAX_MOVES, moves);
    set(param::FIRST_LOOK, (1 + streams).div_ceil(4));
    set(param::SATISFIED, looks * streams);
    set(param::BIN_BITS, bins.trailing_zeros());
    set(param::LOADS_AT, loads_at);
    set(param::HOMES_AT, loads_at + servers);
    set(param::EXACT, tables.exact);
    let load = all.iter().map(|one| one.load).sum::<f64>() / all.len() as f64;
    set(param::HOST_AT, tables.words.len() as u32);
    push_number(&mut tables.words, tables.optimum.unwrap_or(f64::NAN));
    push_number(&mut tables.words, load);
    push_costs(&mut tables.words, &costs(point)?);
    let histogram = Histogram {
        name: "load_ratio",
        bins: log_linear_bins(bins.trailing_zeros(), VALUE_BITS),
        scale: Scale::LogLinear {
            bits: bins.trailing_zeros(),
        },
        step: 1.0 / f64::from(1u32 << RATIO_BITS),
        unit: "",
    };
    Ok(Plan {
        params,
        tables: tables.words,
        state_words: loads_at + servers + streams,
        head_words: loads_at,
        recorded_bins: histogram.bins,
        histograms: vec![histogram],
        sums_at: state::SUMS as u32,
        sum_words: SUM_WORDS as u32,
        peaks_at: Vec::new(),
        maxima_at: vec![state::WORST as u32],
        warmup: 0,
        halves: [duration / 2, duration - duration / 2],
        steps_per_unit: 1.0,
        increments_per_step: 1,
        increments_per_microstep: 1,
        work_per_step: 1 + 5 * streams,
        loops_per_microstep: servers,
        fault: None,
        traced_unit: 1.0 / f64::from(1u32 << RATIO_BITS),
        unstable: false,
        used: vec![
            ("load", vec![load]),
            ("instances", vec![all.len() as f64]),
            ("max_moves", vec![f64::from(moves)]),
        ],
    })
}

/// Starts of a replica.
fn span(point: &Point) -> Result<u32, Problem> {
    if point.warmup != 0.0 {
        let message = format!(
            "{} starts would be thrown away for nothing, since starts are independent; write warmup = 0",
            point.warmup
        );
        return Err(Problem::new("warmup", message));
    }
    if point.duration.fract() != 0.0 {
        let message = format!("{} is not a whole number of starts", point.duration);
        return Err(Problem::new("duration", message));
    }
    if point.duration == 0.0 {
        return Ok(1);
    }
    if point.duration < 2.0 {
        return Err(Problem::new("duration", "at least 2 starts are measured"));
    }
    if point.duration > MOST_STARTS {
        return Err(Problem::new(
            "duration",
            "at most 4000000000 starts a replica; use more replicas",
        ));
    }
    Ok(point.duration as u32)
}

/// Whether instances differ.
fn is_drawn(point: &Point) -> bool {
    let is_law = |key| matches!(point.get(key), Some(Value::Word(_)));
    is_law("rates") || is_law("speeds")
}

fn has_equal_speeds(instance: &Instance) -> bool {
    (instance.speeds.iter()).all(|speed| Some(speed) == instance.speeds.first())
}

/// Most moves of a start.
pub fn most_moves(point: &Point, streams: u32) -> u32 {
    match point.number("max_moves") as u64 {
        0 => (MOVES_A_STREAM * u64::from(streams)) as u32,
        moves => moves.min(u64::from(u32::MAX)) as u32,
    }
}

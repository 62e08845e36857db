//! From a point of `selfish-mixed` to integers for the kernels: rates, strategies, classes, bins, layout of the state.
//!
//! Owns every check that needs more than one parameter. What cannot be counted exactly is refused.

use super::equilibrium::fully_mixed;
use super::host::{Farm, Servers, Streams};
use super::parameters::MOST_UNITS;
use super::strategy;
use super::words::{SUM_WORDS, class, param, state, stream, sum};
use crate::models::selfish::{Instance, costs, instances};
use crate::models::{Histogram, Plan, Point, Problem, Scale, Value};
use crate::theory::selfish::optimum;
use std::collections::BTreeMap;

/// Most bins of all histograms together.
const MOST_BINS: u64 = 1 << 21;
/// Most words of all strategies together.
const MOST_WORDS: u64 = 1 << 24;
/// Most profiles of a replica.
const MOST_PROFILES: f64 = 4e9;
/// How far from 1 the probabilities of a stream may be together.
const ROUNDING: f64 = 1e-6;

/// The kernels' view of a point.
///
/// # Errors
/// A [`Problem`] that names the parameter.
pub fn plan(point: &Point) -> Result<Plan, Problem> {
    let duration = span(point)?;
    let instance = instance(point)?;
    let load = instance.load;
    let costs = costs(point)?;
    let servers = servers(&instance);
    let order: Vec<usize> = servers
        .iter()
        .flat_map(|(_, members)| members.clone())
        .collect();
    let strategies = strategies(point, &instance, &order)?;
    let loads = instance.rate() + 1;
    let classes = stream_classes(&instance, &strategies.of_stream);
    let best = optimum(&instance.rates, &instance.speeds);
    let farm = Farm {
        loads: loads as usize,
        capacity: instance.capacity(),
        servers: (servers.iter())
            .map(|(speed, members)| Servers {
                speed: *speed,
                number: members.len() as u32,
                full: instance.full(*speed),
            })
            .collect(),
        streams: classes.streams.clone(),
        costs,
        optimum: best.value.value() / instance.capacity(),
        optimum_exact: best.exact,
    };
    check_bins(&farm)?;
    let histograms = histograms(&farm);
    let (n, m) = (classes.of_stream.len(), order.len());

    let mut params = vec![0u32; param::COUNT];
    let mut tables = strategies.words;
    let mut set = |index: usize, value: usize| params[index] = value as u32;
    set(param::STREAMS, n);
    set(param::SERVERS, m);
    set(param::LOADS, farm.loads);
    set(param::CLASSES, farm.servers.len());
    set(param::STRATEGIES, usize::from(!tables.is_empty()));
    set(param::MET, usize::from(farm.records_met()));
    set(
        param::EQUAL,
        usize::from(farm.streams.iter().all(|class| class.rate == 1)),
    );
    set(param::SERVER_BINS, farm.bins());
    set(param::STREAM_BINS, 2 * farm.bins());
    set(param::STREAM_AT, tables.len());
    let kept = (instance.rates.iter().zip(&strategies.of_stream)).filter(|(rate, _)| **rate > 0);
    for ((&rate, &strategy), &class) in kept.zip(&classes.of_stream) {
        let mut words = [0; stream::COUNT];
        words[stream::RATE] = rate;
        words[stream::STRATEGY_AT] = (2 * m * strategy) as u32;
        words[stream::BINS] = ((2 + class) * farm.bins()) as u32;
        tables.extend(words);
    }
    set(param::SERVER_AT, tables.len());
    for (k, class) in (0..).zip(&farm.servers) {
        tables.extend(std::iter::repeat_n(k, class.number as usize));
    }
    set(param::CLASS_AT, tables.len());
    let mut end = 0;
    for servers in &farm.servers {
        end += servers.number;
        let mut words = [0; class::COUNT];
        words[class::SPEED] = servers.speed;
        words[class::END] = end;
        words[class::FULL] = servers.full;
        tables.extend(words);
    }
    set(param::HOST_AT, tables.len());
    tables.extend(farm.words());
    let head_words = state::SUMS + 2 * SUM_WORDS * sum::COUNT;
    set(param::LOADS_AT, head_words);
    set(param::BINS_AT, head_words + m);
    set(param::CHOSEN_AT, head_words + 2 * m);
    let met = if farm.records_met() { m + n } else { 0 };
    let recorded = farm.bins() * (2 + farm.streams.len() * usize::from(farm.records_met()));
    Ok(Plan {
        state_words: (head_words + m + met) as u32,
        head_words: head_words as u32,
        recorded_bins: recorded as u32,
        histograms,
        sums_at: state::SUMS as u32,
        sum_words: SUM_WORDS as u32,
        peaks_at: Vec::new(),
        maxima_at: Vec::new(),
        warmup: 0,
        halves: [duration / 2, duration - duration / 2],
        steps_per_unit: 1.0,
        increments_per_step: n.max(m) as u32,
        increments_per_microstep: 4,
        work_per_step: (1 + (n + m) / 8) as u32,
        loops_per_microstep: 0,
        fault: None,
        traced_unit: 1.0,
        unstable: false,
        used: vec![
            ("load", vec![load]),
            ("units", vec![instance.rate() as f64]),
        ],
        params,
        tables,
    })
}

/// Duration in profiles.
fn span(point: &Point) -> Result<u32, Problem> {
    if point.warmup != 0.0 {
        return Err(Problem::new(
            "warmup",
            "profiles are independent of each other, so there is nothing to wait for; write warmup = 0",
        ));
    }
    let duration = point.duration;
    if duration == 0.0 {
        return Ok(1);
    }
    if duration.fract() != 0.0 || !(2.0..=MOST_PROFILES).contains(&duration) {
        let message = format!(
            "{duration} is not a whole number of profiles from 2 to 4000000000; use more replicas for more"
        );
        return Err(Problem::new("duration", message));
    }
    Ok(duration as u32)
}

/// Streams and servers in whole numbers without a common divisor.
fn instance(point: &Point) -> Result<Instance, Problem> {
    let resolution = point.number("resolution");
    let equal = match point.get("rates") {
        Some(Value::Word(_)) => false,
        Some(Value::Numbers(rates)) => {
            let mut rates = rates.iter().filter(|&&rate| rate > 0.0);
            rates
                .next()
                .is_none_or(|first| rates.all(|rate| rate == first))
        }
        _ => true,
    };
    // Equal rates become one unit each, whatever they were in finer ones.
    let most = if equal {
        f64::from(1 << 30)
    } else {
        resolution
    };
    let mut found = instances(point, 1, most, most)?;
    let Some(mut instance) = found.pop() else {
        return Err(Problem::new("streams", "there are none"));
    };
    let streams = instance.rates.len();
    if !equal && 2.0 * streams as f64 > resolution {
        let message = format!(
            "{resolution} units are too few for {streams} streams of different rates; at least {} (at most {MOST_UNITS})",
            2 * streams
        );
        return Err(Problem::new("resolution", message));
    }
    let common = (instance.rates.iter()).fold(0, |a, &b| divisor(a, b));
    for rate in &mut instance.rates {
        *rate /= common.max(1);
    }
    instance.rate_unit *= f64::from(common);
    Ok(instance)
}

/// The greatest common divisor.
fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// Classes of servers: their speed, and which they are.
fn servers(instance: &Instance) -> Vec<(u32, Vec<usize>)> {
    let mut classes: Vec<(u32, Vec<usize>)> = Vec::new();
    let mut known = BTreeMap::new();
    for (j, &speed) in instance.speeds.iter().enumerate() {
        let at = *known.entry(speed).or_insert_with(|| {
            classes.push((speed, Vec::new()));
            classes.len() - 1
        });
        classes[at].1.push(j);
    }
    classes
}

/// Tables of strategies, and which of them each stream has.
struct Strategies {
    /// One table after another; none where all draw uniformly.
    words: Vec<u32>,
    of_stream: Vec<usize>,
}

/// The strategies of a point; `order` is that of the servers in the kernels.
fn strategies(point: &Point, instance: &Instance, order: &[usize]) -> Result<Strategies, Problem> {
    let rates = &instance.rates;
    let matrix = match point.word("strategy") {
        "matrix" => Some(matrix(point, rates.len(), order.len())?),
        _ => None,
    };
    let mut found = Strategies {
        words: Vec::new(),
        of_stream: vec![0; rates.len()],
    };
    if point.word("strategy") == "uniform" {
        return Ok(found);
    }
    let streams = rates.iter().filter(|&&rate| rate > 0).count();
    let speeds: Vec<u32> = order.iter().map(|&j| instance.speeds[j]).collect();
    let (mut by_rate, mut by_table) = (BTreeMap::new(), BTreeMap::new());
    for (i, &rate) in rates.iter().enumerate().filter(|(_, rate)| **rate > 0) {
        if let Some(&known) = by_rate.get(&rate) {
            found.of_stream[i] = known;
            continue;
        }
        let chances: Vec<f64> = match &matrix {
            Some(rows) => order.iter().map(|&j| rows[i * order.len() + j]).collect(),
            None => fully_mixed(i, rate, streams, instance.rate(), &speeds)?,
        };
        let table = strategy::table(&chances);
        let next = found.words.len();
        let at = *by_table.entry(table).or_insert_with_key(|table| {
            found.words.extend(table);
            next / (2 * order.len())
        });
        found.of_stream[i] = at;
        if matrix.is_none() {
            by_rate.insert(rate, at);
        }
        if found.words.len() as u64 > MOST_WORDS {
            return Err(Problem::new(
                "strategy",
                format!(
                    "more than {MOST_WORDS} words of different strategies; take fewer servers, or a lower `resolution`, which makes more streams alike"
                ),
            ));
        }
    }
    Ok(found)
}

/// The matrix of a point, a row a stream.
fn matrix(point: &Point, streams: usize, servers: usize) -> Result<Vec<f64>, Problem> {
    let wrong = |message: String| Err(Problem::new("strategy_matrix", message));
    let numbers = point.numbers("strategy_matrix");
    if numbers.len() != streams * servers {
        return wrong(format!(
            "{} probabilities, and {streams} streams with {servers} servers each need {}: a row for each stream, a column for each server",
            numbers.len(),
            streams * servers
        ));
    }
    for (row, chances) in numbers.chunks(servers).enumerate() {
        let total: f64 = chances.iter().sum();
        if (total - 1.0).abs() > ROUNDING {
            return wrong(format!(
                "row {} (the strategy of stream {}) sums to {total}; each must sum to 1 within 0.000001",
                row + 1,
                row + 1
            ));
        }
    }
    Ok(numbers)
}

/// Classes of streams, and which of them each stream with a rate above zero is in.
struct StreamClasses {
    streams: Vec<Streams>,
    of_stream: Vec<usize>,
}

fn stream_classes(instance: &Instance, strategies: &[usize]) -> StreamClasses {
    let mut found = StreamClasses {
        streams: Vec::new(),
        of_stream: Vec::new(),
    };
    let mut known = BTreeMap::new();
    for (&rate, &strategy) in instance
        .rates
        .iter()
        .zip(strategies)
        .filter(|(rate, _)| **rate > 0)
    {
        let at = *known.entry((rate, strategy)).or_insert_with(|| {
            found.streams.push(Streams { rate, number: 0 });
            found.streams.len() - 1
        });
        found.streams[at].number += 1;
        found.of_stream.push(at);
    }
    found
}

/// Whether there is a bin for all that may be met.
fn check_bins(farm: &Farm) -> Result<(), Problem> {
    let [streams, servers] = [farm.streams.len(), farm.servers.len()];
    let bins = farm.bins() as u64 * (2 + streams as u64);
    if bins <= MOST_BINS {
        return Ok(());
    }
    let fitting = MOST_BINS / (servers as u64 * (2 + streams as u64));
    Err(Problem::new(
        "resolution",
        format!(
            "{streams} kinds of streams, {servers} speeds of servers and {} loads make {bins} bins, and at most {MOST_BINS} are kept; lower `resolution` to {} or below, or take fewer different rates or speeds",
            farm.loads,
            fitting.saturating_sub(1).max(1)
        ),
    ))
}

/// The public histograms: largest utilisations, and for each of classes of servers and loads, one class after another,
/// how often the busiest server, a server, and the server of a stream was such a one. For one class of servers a bin
/// stands for its utilisation; for several it is a number alone.
fn histograms(farm: &Farm) -> Vec<Histogram> {
    let load_max = farm.load_max();
    let step = if farm.servers.len() == 1 {
        load_max.step
    } else {
        1.0
    };
    let of = |name, parts: usize| Histogram {
        name,
        bins: (parts * farm.bins()) as u32,
        scale: Scale::Linear {
            origin: 0,
            width: 1,
        },
        step: if parts == 1 { step } else { 1.0 },
        unit: "",
    };
    vec![
        load_max,
        of("max_states", 1),
        of("server_states", 1),
        of("stream_states", farm.streams.len()),
    ]
}

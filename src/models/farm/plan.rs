//! From a point of `farm` to integers for the kernels.
//!
//! Owns rounding, tables and the layout of the state. What cannot be simulated faithfully is refused.

use super::clock::{self, Clock};
use super::site::{Kind, Route, Site};
use super::words::{SUM_WORDS, law, param, route, state, sum};
use super::{alias, parameters::TIME};
use crate::models::redundancy::law::Law;
use crate::models::{Fault, Histogram, Plan, Point, Problem, Scale, log_linear_bins};
use crate::random::{EXPONENTIAL_FRACTION_BITS, exponential_table, quantile_table};

/// log2 of the end of the range that the histogram of delays covers: every 31-bit time has a bin.
const TOP: u32 = 31;
/// Most requests of a replica.
const MOST_STEPS: f64 = 4e9;
/// Most departure times that a replica remembers.
const MOST_RING: u64 = 1 << 20;
/// Fewest units of a mean service time: rounding then changes it by less than one part in a million.
const FEWEST_UNITS: f64 = 256.0;
/// What a fault means.
const FAULT: &str = "met a time beyond the range of the clock (2^30 units); a lower load, or a service law with a lighter tail, stays within it";

/// The kernels' view of a point.
///
/// # Errors
/// A [`Problem`] that names the parameter.
pub fn plan(point: &Point) -> Result<Plan, Problem> {
    let [warmup, duration] = span(point)?;
    let site = Site::of(point)?;
    let (servers, streams) = (site.speeds.len() as u32, site.instance.rates.len() as u32);
    let bins = point.number("bins_an_octave") as u32;
    if !bins.is_power_of_two() {
        let message = format!("{bins} is not a power of two: 1, 2, 4, ... 1024");
        return Err(Problem::new("bins_an_octave", message));
    }
    let mut params = vec![0u32; param::COUNT];
    let mut tables = exponential_table();
    params[param::SERVERS] = servers;
    params[param::STREAMS] = streams;
    params[param::CONNECTIONS] = site.kind.connections();
    params[param::ROOM] = site.kind.room();
    params[param::BIN_BITS] = bins.trailing_zeros();
    params[param::SWEEP] = 1;
    let counting = matches!(site.kind, Kind::Connections { .. });
    let mut unit = 1.0;
    let factors = if counting {
        params[param::COUNTING] = 1;
        let chance = libm::ldexp(site.rate / event_rate(&site), 64) as u64;
        params[param::ARRIVAL_LOW] = chance as u32;
        params[param::ARRIVAL_HIGH] = (chance >> 32) as u32;
        vec![0; servers as usize]
    } else {
        let ring = u64::from(servers) * u64::from(site.kind.room());
        if ring > MOST_RING {
            let message = format!(
                "{servers} servers with room for {} requests each need {ring} departure times a replica; at most {MOST_RING}, so give at most {} or fewer servers",
                site.kind.room(),
                MOST_RING / u64::from(servers)
            );
            return Err(Problem::new("room", message));
        }
        params[param::REFRESHED] = servers + ring as u32;
        let steps = f64::from(warmup) + f64::from(duration);
        let clock = clock(&site, params[param::REFRESHED], steps)?;
        unit = clock.unit();
        params[param::SWEEP] = clock.sweep;
        gap(&site, unit, &mut params);
        sizes(&site, unit, &mut params, &mut tables)
    };
    routes(&site, &factors, &mut params, &mut tables);

    let head_words = (state::SUMS + 2 * SUM_WORDS * sum::COUNT) as u32;
    let mut words = head_words;
    let mut place = |index: usize, length: u32| {
        params[index] = words;
        words += length;
    };
    let ringed = !counting && site.kind.room() > 0;
    place(param::SERVERS_AT, servers);
    place(
        param::RING_AT,
        if ringed {
            servers * site.kind.room()
        } else {
            0
        },
    );
    place(param::HEAD_AT, if ringed { servers } else { 0 });
    let drawn = site.route == Route::Drawn;
    place(param::ALLOCATION_AT, if drawn { streams } else { 0 });

    let delay_bins = log_linear_bins(bins.trailing_zeros(), TOP);
    // Accepted requests, and rejected ones where there are any.
    let outcomes = 1 + u32::from(site.kind.room() > 0);
    params[param::STREAM_BINS] = delay_bins;
    params[param::SERVER_BINS] = delay_bins + outcomes * streams;
    let fixed = matches!(site.route, Route::Fixed(_));
    let recorded_bins = params[param::SERVER_BINS] + if fixed { 0 } else { outcomes * servers };
    let numbered = |name, bins| Histogram {
        name,
        bins,
        scale: Scale::Linear {
            origin: 1,
            width: 1,
        },
        step: 1.0,
        unit: "",
    };
    Ok(Plan {
        work_per_step: 1,
        loops_per_microstep: 0,
        state_words: words,
        head_words,
        recorded_bins,
        histograms: vec![
            Histogram {
                name: "delay",
                bins: delay_bins,
                scale: Scale::LogLinear {
                    bits: bins.trailing_zeros(),
                },
                step: 1.0 / unit,
                unit: TIME,
            },
            numbered("requests_by_server", servers),
            numbered("accepted_by_server", servers),
            numbered("requests_by_stream", streams),
            numbered("rejected_by_stream", streams),
        ],
        sums_at: state::SUMS as u32,
        sum_words: SUM_WORDS as u32,
        peaks_at: vec![state::OVERLOADED as u32],
        maxima_at: Vec::new(),
        warmup,
        halves: [duration / 2, duration - duration / 2],
        steps_per_unit: 1.0,
        increments_per_step: 1,
        increments_per_microstep: 1,
        fault: (!counting).then_some(Fault {
            at: state::FAULT as u32,
            means: FAULT,
        }),
        traced_unit: 1.0 / unit,
        unstable: site.unstable,
        used: vec![
            ("fraction_bits", vec![libm::log2(unit)]),
            ("arrival_rate", vec![site.rate]),
            ("load", vec![site.instance.load]),
            (
                "event_rate",
                vec![if counting {
                    event_rate(&site)
                } else {
                    site.rate
                }],
            ),
            ("speeds", site.speeds.clone()),
        ],
        params,
        tables,
    })
}

/// Rate of events where servers are counted: requests, and possible departures of all connections.
fn event_rate(site: &Site) -> f64 {
    site.rate + f64::from(site.kind.connections()) * site.speeds.iter().sum::<f64>()
}

/// Warm-up and duration.
fn span(point: &Point) -> Result<[u32; 2], Problem> {
    for (key, value) in [("warmup", point.warmup), ("duration", point.duration)] {
        if value.fract() != 0.0 {
            let message = format!("{value} is not a whole number of requests (or events)");
            return Err(Problem::new(key, message));
        }
    }
    let counts = matches!(point.word("server"), "mmcc" | "mmck");
    if point.duration == 0.0 && counts {
        return Err(Problem::new(
            "observe",
            "a step is an event of servers with connections, and no request is followed to its end; take observe = \"all\"",
        ));
    }
    if point.duration == 0.0 {
        return Ok([point.warmup as u32, 1]);
    }
    if point.duration < 2.0 {
        return Err(Problem::new("duration", "at least 2 requests are measured"));
    }
    if point.warmup + point.duration > MOST_STEPS {
        return Err(Problem::new(
            "duration",
            "warmup and duration are at most 4000000000 requests together; use more replicas",
        ));
    }
    Ok([point.warmup as u32, point.duration as u32])
}

/// The clock, or why there is none.
fn clock(site: &Site, refreshed: u32, steps: f64) -> Result<Clock, Problem> {
    let Some(clock) = clock::choose(site, refreshed, steps) else {
        let message = format!(
            "at a load of {:.6} the times of this farm do not fit the range of the clock (2^30 units of at most 1/256 of a service): the load is too close to 0 or to 1 for its servers, or its room too large; change them",
            site.instance.load
        );
        return Err(Problem::new("load", message));
    };
    let fastest = site.speeds.iter().copied().fold(0.0, f64::max);
    if clock.unit() < FEWEST_UNITS * fastest {
        let slowest = site.speeds.iter().copied().fold(f64::INFINITY, f64::min);
        let message = format!(
            "they range from {slowest} to {fastest}, too widely for one clock: a mean service at the fastest server would be less than {FEWEST_UNITS} units; leave out the slowest or the fastest servers"
        );
        return Err(Problem::new("speeds", message));
    }
    Ok(clock)
}

/// The mean time between requests as a mantissa: times 2^(32 - 26), with 32 bits, or as many as a shift of 31 leaves.
fn gap(site: &Site, unit: f64, params: &mut [u32]) {
    let scaled = unit / site.rate * f64::from(1u32 << (32 - EXPONENTIAL_FRACTION_BITS));
    let shift = (31.0 - libm::floor(libm::log2(scaled))).clamp(0.0, 31.0);
    let mantissa = libm::round(libm::ldexp(scaled, shift as i32)).min(f64::from(u32::MAX));
    params[param::GAP_MANTISSA] = mantissa as u32;
    params[param::GAP_SHIFT] = shift as u32;
}

/// The law of sizes; returns each server's factor, from what is drawn to units.
fn sizes(site: &Site, unit: f64, params: &mut [u32], tables: &mut Vec<u32>) -> Vec<u32> {
    let mut bits = EXPONENTIAL_FRACTION_BITS as i32;
    match &site.kind {
        Kind::Queue(Law::Deterministic) => {
            params[param::SERVICE_LAW] = law::CONSTANT as u32;
            params[param::SERVICE_RAW] = 1 << EXPONENTIAL_FRACTION_BITS;
        }
        Kind::Queue(other) if *other != Law::Exponential => {
            // As fine as the largest value allows.
            let largest = other.upper(0.5f64.powi(65));
            bits = (31 - libm::ceil(libm::log2(largest)) as i32).min(30);
            params[param::SERVICE_LAW] = law::QUANTILE as u32;
            params[param::SERVICE_AT] = tables.len() as u32;
            tables.extend(quantile_table(&other.cells(), libm::ldexp(1.0, bits)));
        }
        _ => params[param::SERVICE_LAW] = law::EXPONENTIAL as u32,
    }
    let factor = |speed: f64| libm::ldexp(unit / speed, -bits);
    let largest = site
        .speeds
        .iter()
        .map(|&speed| factor(speed))
        .fold(0.0, f64::max);
    let shift = (30 - libm::floor(libm::log2(largest)) as i32).clamp(0, 62);
    params[param::FACTOR_SHIFT] = shift as u32;
    // Odd, so that products are no ties, which would all be rounded up.
    let word = |&speed: &f64| libm::round(libm::ldexp(factor(speed), shift)) as u32 | 1;
    site.speeds.iter().map(word).collect()
}

/// How streams and servers are drawn, and where the factors of servers are.
fn routes(site: &Site, factors: &[u32], params: &mut [u32], tables: &mut Vec<u32>) {
    let mut add = |index: usize, words: Vec<u32>| {
        params[index] = tables.len() as u32;
        tables.extend(words);
    };
    if let Some(table) = alias::table(&site.instance.rates) {
        add(param::STREAM_AT, table);
    }
    if let Some(table) = alias::table(&site.instance.speeds) {
        add(param::SERVER_AT, table);
        // Look-ups read two words.
        add(param::FACTOR_AT, [factors, &[0]].concat());
    }
    if let Route::Fixed(servers) = &site.route {
        let pair = |&server: &u32| [server, factors[server as usize]];
        add(param::ROUTE_AT, servers.iter().flat_map(pair).collect());
    }
    if site.route == Route::Drawn {
        add(param::RATES_AT, site.instance.rates.clone());
        add(param::FULL_AT, site.full());
    }
    params[param::FACTOR] = factors[0];
    params[param::ROUTE] = match site.route {
        Route::Fixed(_) => route::FIXED,
        Route::Drawn => route::DRAWN,
        Route::Request => route::REQUEST,
    } as u32;
}

//! From a point of `redundancy-states` to integers for the kernels: clock, room for the list, bins, layout of the state.
//!
//! Owns every check that needs more than one parameter. What cannot be simulated faithfully is refused.

use super::words::{ENTRY_WORDS, RANGE, SUM_WORDS, param, state, sum};
use crate::models::redundancy::stationary;
use crate::models::{Fault, Histogram, Plan, Point, Problem, Scale, log_linear_bins};
use crate::random::{EXPONENTIAL_FRACTION_BITS, exponential_table, probability, threshold};
use crate::theory::redundancy::System;

/// Most events of a replica.
const MOST_EVENTS: f64 = 4e9;
/// Most events of a whole run for which a fault is less likely than [`CHANCE`].
const RUN: f64 = 1e13;
/// The chance of a fault in such a run, from either of its causes.
const CHANCE: f64 = 1e-20;
/// Most words of the state of one replica.
const MOST_WORDS: u64 = 1 << 26;
/// Fraction bits of the clock.
const FRACTION_BITS: std::ops::RangeInclusive<u32> = 8..=25;
/// Most bins of one histogram; wider ranges are counted in bins of a power of two.
const MOST_BINS: u32 = 1 << 14;
/// Most copies for which states of three jobs have bins of their own.
const MOST_OF_THREE: u32 = 15;
/// Most copies for which states of two jobs have bins of their own.
const MOST_OF_TWO: u32 = 4_095;
/// What a fault means.
const FAULT: &str = "met more jobs than the list has room for, or a time beyond the range of the clock (2^30 units): a chance below 1e-20 for 1e13 events, so an error of the machine or of this program";

/// The kernels' view of a point.
///
/// # Errors
/// A [`Problem`] that names the parameter.
pub fn plan(point: &Point) -> Result<Plan, Problem> {
    let [warmup, duration] = span(point)?;
    let servers = point.number("servers") as u32;
    let copies = point.number("copies") as u32;
    let system = system(servers, copies, point.number("load"))?;
    let bins = point.number("bins_an_octave") as u32;
    if !bins.is_power_of_two() {
        let message = format!("{bins} is not a power of two: 1, 2, 4, ... 1024");
        return Err(Problem::new("bins_an_octave", message));
    }
    let fraction_bits = fraction_bits(&system)?;
    let room = room(&system)?;
    let row_blocks = copies.div_ceil(4);

    let mut params = vec![0u32; param::COUNT];
    let mut tables = exponential_table();
    let mut set = |index: usize, value: u32| params[index] = value;
    set(param::SERVERS, servers);
    set(param::COPIES, copies);
    set(param::ROW_BLOCKS, row_blocks);
    let arrival = threshold(system.load() / (1.0 + system.load()));
    set(param::ARRIVAL, arrival);
    let [mantissa, shift] = gap(&system, fraction_bits);
    set(param::GAP_MANTISSA, mantissa);
    set(param::GAP_SHIFT, shift);
    set(param::ROOM, room);
    set(param::FRACTION_BITS, fraction_bits);
    set(param::BIN_BITS, bins.trailing_zeros());
    let start_at = tables.len();
    if point.word("start") == "stationary" {
        tables.extend(stationary::table(system.loads()));
    }
    set(param::START_AT, start_at as u32);
    set(param::START_WORDS, (tables.len() - start_at) as u32);
    let histograms = histograms(&mut params, bins.trailing_zeros(), fraction_bits);
    let head_words = (state::SUMS + 2 * SUM_WORDS * sum::COUNT) as u32;
    params[param::LIST_AT] = head_words;
    let p = probability(arrival);
    Ok(Plan {
        state_words: head_words + ENTRY_WORDS as u32 * room,
        head_words,
        recorded_bins: histograms.iter().map(|histogram| histogram.bins).sum(),
        histograms,
        sums_at: state::SUMS as u32,
        sum_words: SUM_WORDS as u32,
        peaks_at: Vec::new(),
        maxima_at: Vec::new(),
        warmup,
        halves: [duration / 2, duration - duration / 2],
        steps_per_unit: 1.0,
        increments_per_step: 1,
        increments_per_microstep: 1,
        work_per_step: 4,
        loops_per_microstep: 0,
        fault: Some(Fault {
            at: state::FAULT as u32,
            means: FAULT,
        }),
        traced_unit: 1.0,
        unstable: false,
        used: vec![
            ("load", vec![p / (1.0 - p)]),
            ("fraction_bits", vec![f64::from(fraction_bits)]),
            ("room", vec![f64::from(room)]),
        ],
        params,
        tables,
    })
}

/// Warm-up and duration in events.
fn span(point: &Point) -> Result<[u32; 2], Problem> {
    for (key, value) in [("warmup", point.warmup), ("duration", point.duration)] {
        if value.fract() != 0.0 {
            let message = format!("{value} is not a whole number of events");
            return Err(Problem::new(key, message));
        }
    }
    if point.duration == 0.0 {
        return Err(Problem::new(
            "observe",
            "a job's response takes many events, so one step observes none; take observe = \"all\", or model = \"redundancy\", whose steps are jobs",
        ));
    }
    if point.duration < 2.0 {
        return Err(Problem::new("duration", "at least 2 events are measured"));
    }
    if point.warmup + point.duration > MOST_EVENTS {
        return Err(Problem::new(
            "duration",
            "warmup and duration are at most 4000000000 events together; use more replicas",
        ));
    }
    Ok([point.warmup as u32, point.duration as u32])
}

fn system(servers: u32, copies: u32, load: f64) -> Result<System, Problem> {
    if copies > servers {
        let message = format!(
            "{copies} copies need as many distinct servers, and there are {servers}; at most {servers}"
        );
        return Err(Problem::new("copies", message));
    }
    System::new(servers, copies, load).ok_or_else(|| {
        let message = format!(
            "{load} is unstable: exponential independent copies have a steady state below a load of 1 and nowhere else, and the room for the jobs present follows from it; lower the load"
        );
        Problem::new("load", message)
    })
}

/// ln of the chance that one event may have to cause a fault.
fn ln_share() -> f64 {
    libm::log(CHANCE) - libm::log(RUN)
}

/// The finest clock whose range of 2^30 units no response time leaves: P(T > range) is below the share of an event.
/// The time between events is shorter than T: its rate N (1 + rho) is above that of any stage of T.
fn fraction_bits(system: &System) -> Result<u32, Problem> {
    let range = |bits: u32| f64::from(RANGE) / f64::from(1u32 << bits);
    FRACTION_BITS
        .rev()
        .find(|&bits| system.response_tail_bound_ln(range(bits)) < ln_share())
        .ok_or_else(|| {
            let message = format!(
                "{} is so close to 1 that response times beyond {} mean service times, the range of the clock, are too likely; lower the load",
                system.load(),
                range(*FRACTION_BITS.start())
            );
            Problem::new("load", message)
        })
}

/// The least number of jobs that the stationary law reaches with a chance below the share of an event (found to
/// one part in 256, since each try costs N operations). From an empty start there are fewer jobs still.
fn room(system: &System) -> Result<u32, Problem> {
    let enough = |jobs: u64| system.jobs_tail_bound_ln(jobs) < ln_share();
    let rows = u64::from(system.copies().div_ceil(4));
    let most = ((MOST_WORDS - state::SUMS as u64 - 2 * (SUM_WORDS * sum::COUNT) as u64)
        / ENTRY_WORDS as u64)
        .min(u64::from(u32::MAX) / rows);
    // Room for the longest states that have bins of their own, whatever the load.
    let (mut low, mut high) = (3, 4);
    while !enough(high) {
        (low, high) = (high, 2 * high);
        if high > 2 * most {
            break;
        }
    }
    while high - low > 1 + high / 256 {
        let middle = low + (high - low) / 2;
        if enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    if high > most {
        let message = format!(
            "{} needs room for {high} jobs or more, {} words a replica; at most {most} jobs are allowed; lower the load",
            system.load(),
            ENTRY_WORDS as u64 * high
        );
        return Err(Problem::new("load", message));
    }
    Ok(high as u32)
}

/// Mantissa and shift of the mean time between events: 2^f / (N (1 + rho)) units, times 2^(32 - 26).
fn gap(system: &System, fraction_bits: u32) -> [u32; 2] {
    let rate = f64::from(system.servers()) * (1.0 + system.load());
    let unit = f64::from(1u32 << fraction_bits);
    let scaled = unit / rate * f64::from(1u32 << (32 - EXPONENTIAL_FRACTION_BITS));
    // 32 bits, or as many as a shift of 31 leaves: 24 of the shortest time there is.
    let shift = (31.0 - libm::floor(libm::log2(scaled))).clamp(0.0, 31.0);
    [
        libm::round(libm::ldexp(scaled, shift as i32)).min(f64::from(u32::MAX)) as u32,
        shift as u32,
    ]
}

/// The histograms, one after another; tells the kernels where they start and how wide their bins are.
///
/// `states` has a bin for each short aggregate state: 0 for no job, 1 for (d), then 2 + a_2 for (d, a_2), then
/// 3 + d + a_2 (d + 1) + a_3 for (d, a_2, a_3), and one for all others. States of three jobs are among the others
/// where d is above 15, states of two jobs where d is above 4,095.
fn histograms(params: &mut [u32], bits: u32, fraction_bits: u32) -> Vec<Histogram> {
    let copies = params[param::COPIES];
    let mut histograms = vec![Histogram {
        name: "response",
        bins: log_linear_bins(bits, RANGE.trailing_zeros()),
        scale: Scale::LogLinear { bits },
        step: 1.0 / f64::from(1u32 << fraction_bits),
        unit: "mean service times",
    }];
    let mut bins = histograms[0].bins;
    let mut linear = |name, largest: u32| {
        let shift = (0..32)
            .find(|&shift| (largest >> shift) < MOST_BINS)
            .unwrap_or(0);
        histograms.push(Histogram {
            name,
            bins: (largest >> shift) + 1,
            scale: Scale::Linear {
                origin: 0,
                width: 1 << shift,
            },
            step: 1.0,
            unit: "",
        });
        let at = bins;
        bins += (largest >> shift) + 1;
        [at, shift]
    };
    let (others_at, jobs) = if copies <= MOST_OF_THREE {
        (3 + copies + (copies + 1) * (copies + 1), 3)
    } else if copies <= MOST_OF_TWO {
        (3 + copies, 2)
    } else {
        (2, 1)
    };
    let places = [
        (param::JOBS_AT, linear("jobs", params[param::ROOM])),
        (param::BUSY_AT, linear("busy", params[param::SERVERS])),
        (param::COLLISIONS_AT, linear("collisions", copies)),
    ];
    let [states_at, _] = linear("states", others_at);
    for (index, [at, shift]) in places {
        params[index] = at;
        params[index + 1] = shift;
    }
    params[param::STATES_AT] = states_at;
    params[param::STATES_JOBS] = jobs;
    params[param::STATES_OTHER] = others_at;
    histograms
}

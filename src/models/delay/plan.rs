//! Resolves a point of `delay` into integers: ticks, thresholds, tables, bins and the layout of the state.
//!
//! Owns every check that needs more than one parameter. Does not simulate.

use super::parameters::{LONGEST_DELAY, biased_clients, load_rejection};
use super::words::{param, state, sum};
use crate::models::{Histogram, Plan, Point, Problem, Scale};
use crate::random::{CERTAIN, LOG2_TABLE_WORDS, log2_table, minus_log2_of, probability, threshold};

/// Most bins of one histogram; wider ranges are counted in bins of a power of two.
const MOST_BINS: u64 = 8_192;

/// `value` time units as a whole number of ticks.
fn ticks(key: &'static str, value: f64, per_unit: f64, longest: u64) -> Result<u32, Problem> {
    let exact = value * per_unit;
    let whole = exact.round();
    if (exact - whole).abs() > 1e-6 {
        return Err(Problem::new(
            key,
            format!(
                "{value} time units are {exact} ticks, not a whole number (ticks_per_service is {per_unit}); \
             write {} or {}, or choose a ticks_per_service that divides it",
                exact.floor() / per_unit,
                exact.ceil() / per_unit
            ),
        ));
    }
    if whole > longest as f64 {
        return Err(Problem::new(
            key,
            format!(
                "{value} time units are {whole} ticks; at most {longest} ticks are allowed ({} time units with ticks_per_service = {per_unit})",
                longest as f64 / per_unit
            ),
        ));
    }
    Ok(whole as u32)
}

/// The smallest power of two width that fits `largest + 1` values into the bins, as its logarithm.
fn shift(largest: u64) -> u32 {
    (0..).find(|&s| (largest >> s) < MOST_BINS).unwrap_or(63)
}

/// The rejection probability at every queue length 0..=N.
fn rejection_by_queue(point: &Point) -> Result<Option<Vec<f64>>, Problem> {
    let clients = point.number("clients");
    let (r, c) = (point.number("rejection"), load_rejection(point));
    let given = [
        ("rejection", r),
        ("load_rejection", point.number("load_rejection")),
        (
            "load_rejection_scaled",
            point.number("load_rejection_scaled"),
        ),
    ];
    let given: Vec<_> = given.iter().filter(|(_, x)| *x > 0.0).collect();
    if let [(first, _), (second, _), ..] = given[..] {
        return Err(Problem::new(
            second,
            format!(
                "is given beside `{first}`; a run has one kind of rejection: keep one of the two, leave the other at 0"
            ),
        ));
    }
    if c > 1.0 {
        return Err(Problem::new(
            "load_rejection_scaled",
            format!(
                "c = 2 * {} / {clients} = {c} is above 1, where every packet that meets a queue is rejected; at most {} is allowed here",
                point.number("load_rejection_scaled"),
                clients / 2.0
            ),
        ));
    }
    if given.is_empty() {
        return Ok(None);
    }
    Ok(Some(
        (0..=clients as u32)
            .map(|n| {
                if r > 0.0 {
                    r
                } else {
                    (c * f64::from(n)).min(1.0)
                }
            })
            .collect(),
    ))
}

/// Resolves a point into a plan.
///
/// # Errors
/// A [`Problem`] that names the parameter: times that are not whole ticks or too long, parameters that exclude each other.
pub fn plan(point: &Point) -> Result<Plan, Problem> {
    resolve(point, true)
}

/// Resolves a point. Without `may_walk` its kernels count everything even where moves of N_1 would do.
pub(super) fn resolve(point: &Point, may_walk: bool) -> Result<Plan, Problem> {
    let per_unit = point.number("ticks_per_service");
    let clients = point.number("clients") as u64;
    let mut service = [0; 2];
    for (ticks_needed, time) in service.iter_mut().zip(point.pair("service_time")) {
        *ticks_needed = ticks("service_time", time, per_unit, LONGEST_DELAY)?;
        if *ticks_needed == 0 {
            return Err(Problem::new(
                "service_time",
                "must be above 0: a service takes at least one tick",
            ));
        }
    }
    let delay = ticks(
        "information_delay",
        point.number("information_delay"),
        per_unit,
        LONGEST_DELAY,
    )?;
    let travel = ticks(
        "travel_time",
        point.number("travel_time"),
        per_unit,
        LONGEST_DELAY,
    )?;
    let idle = ticks(
        "idle_time",
        point.number("idle_time"),
        per_unit,
        LONGEST_DELAY,
    )?;
    let phase = point.number("phase") as u32;
    let period = ticks(
        "bias_period",
        point.number("bias_period"),
        per_unit,
        1 << 31,
    )?;
    if period % 2 == 1 {
        return Err(Problem::new(
            "bias_period",
            format!(
                "is {period} ticks; each preference holds for half a period, so it must be an even number of ticks"
            ),
        ));
    }
    let longest_span = u64::from(u32::MAX) / 2;
    let warmup = ticks("warmup", point.warmup, per_unit, longest_span)?;
    let duration = match ticks("duration", point.duration, per_unit, longest_span)? {
        0 if point.duration == 0.0 => 1,
        0 => return Err(Problem::new("duration", "must be at least one tick")),
        duration => duration,
    };
    let travels = point.word("bounce") == "travel";
    if travels && travel == 0 {
        return Err(Problem::new(
            "bounce",
            "is \"travel\" but travel_time is 0: write bounce = \"at_once\", or give a travel_time of at least one tick",
        ));
    }
    let rejection = rejection_by_queue(point)?;
    let (p, b) = (point.number("disinformation"), point.number("bias"));
    let biased_clients = biased_clients(point);
    let fixed = point.word("bias_kind") == "clients" && biased_clients > 0;
    let by_requests = if point.word("bias_kind") == "requests" {
        b
    } else {
        0.0
    };
    let inclusive = point.word("information") == "inclusive";
    let after_completions = inclusive && delay == 0;

    let mut params = vec![0u32; param::COUNT];
    let mut set = |index: usize, value: u32| params[index] = value;
    set(param::CLIENTS, clients as u32);
    set(param::SERVICE_1, service[0]);
    set(param::SERVICE_2, service[1]);
    let weights = if point.word("compare") == "work" {
        service
    } else {
        [1, 1]
    };
    set(param::WEIGHT_1, weights[0]);
    set(param::WEIGHT_2, weights[1]);
    let history = travel + delay + u32::from(!inclusive) + u32::from(after_completions);
    set(param::HISTORY_SLOTS, history);
    set(param::AFTER_COMPLETIONS, u32::from(after_completions));
    let line_delay = 2 * travel + idle;
    let refused_delay = 2 * travel + idle.max(1);
    let line_slots = if rejection.is_some() {
        line_delay.max(refused_delay)
    } else {
        line_delay
    } + 1;
    set(param::LINE_DELAY, line_delay);
    set(param::REFUSED_DELAY, refused_delay);
    set(param::LINE_SLOTS, line_slots);
    set(param::TRAVEL, travel);
    set(param::DELAY, delay);
    // P(choose 1) is b + (1 - b) c, with c = 1 - p, 1/2 or p, or (1 - b) c when biased requests prefer server 2:
    // a centre, and the same distance up and down. The certain events come out exact.
    let centre = threshold(by_requests + (1.0 - by_requests) * 0.5);
    let half = threshold(by_requests + (1.0 - by_requests) * (1.0 - p)).wrapping_sub(centre);
    set(param::CHOICE_CENTRE_1, centre);
    set(param::CHOICE_CENTRE_2, CERTAIN - centre);
    set(param::CHOICE_HALF, half);
    set(param::BIAS_HALF_PERIOD, period / 2);
    set(param::REJECTS, u32::from(rejection.is_some()));
    let bouncing = rejection.is_some() && travels;
    set(param::BOUNCE_TRAVELS, u32::from(bouncing));
    set(param::BOUNCE_LIMIT, point.number("bounce_limit") as u32);
    set(param::BOUNCED_SLOTS, if bouncing { travel + 1 } else { 0 });
    set(param::FIXED_CLIENTS, u32::from(fixed));
    set(param::BIASED_CLIENTS, biased_clients as u32);
    set(param::PHASE, phase);
    set(
        param::START,
        match point.word("start") {
            "all_in_1" => 1,
            "random" => 2,
            _ => 0,
        },
    );
    let fifo_words = if fixed {
        clients.div_ceil(32) as u32
    } else {
        0
    };
    set(param::FIFO_WORDS, fifo_words);

    let a_shift = shift(2 * clients);
    let longest_wait = clients * u64::from(service[0].max(service[1])) + u64::from(phase);
    let wait_shift = shift(longest_wait);
    let queue_shift = shift(clients - 1);
    let in_phase_when_measured = phase == 0 || warmup >= service[1] + phase;
    let met_follows =
        wait_shift == 0 && queue_shift == 0 && service[0] == service[1] && in_phase_when_measured;
    let never_away = line_delay == 0 && rejection.is_none() && !fixed;
    let walks = may_walk && never_away && service == [1, 1] && phase == 0 && a_shift == 0;
    let histogram = |name, largest: u64, shift: u32, origin, step, unit| Histogram {
        name,
        bins: (largest >> shift) as u32 + 1,
        scale: Scale::Linear {
            origin,
            width: 1 << shift,
        },
        step,
        unit,
    };
    let tick = 1.0 / per_unit;
    let histograms = vec![
        histogram("a", 2 * clients, a_shift, -(clients as i64), 1.0, "packets"),
        histogram("wait", longest_wait, wait_shift, 0, tick, "time units"),
        histogram("queue", clients - 1, queue_shift, 0, 1.0, "packets"),
    ];
    let (a_bins, wait_bins, queue_bins) =
        (histograms[0].bins, histograms[1].bins, histograms[2].bins);
    set(param::A_SHIFT, a_shift);
    set(param::WAIT_SHIFT, wait_shift);
    set(param::QUEUE_SHIFT, queue_shift);
    set(param::WAIT_AT, a_bins);
    set(param::QUEUE_AT, a_bins + wait_bins);
    set(param::QUEUE_RECORDED, u32::from(!met_follows));
    set(param::WALK, u32::from(walks));

    // In one pass at most two packets join and A is squared once; 16,384 keeps all other sums in range.
    let largest = (2 * longest_wait).max(clients * clients).max(1);
    set(
        param::PASSES_PER_FLUSH,
        (u64::from(u32::MAX) / largest).clamp(1, 16_384) as u32,
    );

    let head_words = (state::SUMS + 4 * sum::COUNT) as u32;
    let mut words = head_words;
    let mut place = |index: usize, length: u32| {
        params[index] = words;
        words += length;
    };
    place(param::HISTORY_AT, history);
    place(param::LINE_AT, line_slots);
    place(param::FIFO_1_AT, fifo_words);
    place(param::FIFO_2_AT, fifo_words);
    place(
        param::BOUNCED_LINE_AT,
        if bouncing { travel + 1 } else { 0 },
    );
    place(param::BOUNCED_AT, if bouncing { clients as u32 } else { 0 });

    let mut tables = vec![0];
    if let Some(rejection) = &rejection {
        tables = log2_table();
        params[param::REJECTION_AT] = LOG2_TABLE_WORDS as u32;
        tables.extend(
            rejection
                .iter()
                .map(|&r| threshold(r))
                .flat_map(|t| [t, minus_log2_of(t)]),
        );
    }

    let mut used = Vec::new();
    let time = |ticks: u32| f64::from(ticks) / per_unit;
    used.push(("service_time", service.iter().map(|&s| time(s)).collect()));
    for (name, value) in [
        ("information_delay", delay),
        ("travel_time", travel),
        ("idle_time", idle),
        ("bias_period", period),
    ] {
        used.push((name, vec![time(value)]));
    }
    let bias_used = if point.word("bias_kind") == "clients" {
        biased_clients as f64 / clients as f64
    } else {
        2.0 * probability(centre) - 1.0
    };
    used.push(("bias", vec![bias_used]));
    // What is left of b is split by p; at b = 1 there is nothing to split.
    let free = 2.0 - 2.0 * probability(centre);
    let distance = f64::from(half as i32) / f64::from(CERTAIN);
    used.push((
        "disinformation",
        vec![if free > 0.0 { 0.5 - distance / free } else { p }],
    ));
    for name in ["load_rejection", "load_rejection_scaled"] {
        let scale = if name == "load_rejection" {
            1.0
        } else {
            clients as f64 / 2.0
        };
        used.push((name, vec![load_rejection(point) * scale]));
    }
    used.push((
        "rejection",
        vec![probability(threshold(point.number("rejection")))],
    ));

    Ok(Plan {
        params,
        tables,
        state_words: words,
        head_words,
        recorded_bins: match (walks, met_follows) {
            (true, _) => 3 * clients as u32 + 1,
            (false, true) => a_bins + wait_bins,
            (false, false) => a_bins + wait_bins + queue_bins,
        },
        histograms,
        sums_at: state::SUMS as u32,
        sum_words: 2,
        peaks_at: vec![state::PEAK as u32],
        maxima_at: Vec::new(),
        warmup,
        halves: [duration / 2, duration - duration / 2],
        steps_per_unit: per_unit,
        // Every client may join once a tick; without rejection at most the two that were just served.
        increments_per_step: if rejection.is_some() {
            clients.max(2) as u32
        } else {
            2
        },
        increments_per_microstep: 2,
        work_per_step: 1,
        loops_per_microstep: 0,
        fault: None,
        traced_unit: 1.0,
        unstable: false,
        used,
    })
}

//! From a point of `redundancy` to integers for the kernels.
//!
//! Owns rounding, tables, the layout of the state and of a job's random words. What cannot be simulated
//! faithfully is refused, never adjusted in silence.

use super::clock::Clock;
use super::job::Job;
use super::kernel::RANGE;
use super::law::Law;
use super::service::Service;
use super::stationary;
use super::words::{SUM_WORDS, law, param, policy, state, sum};
use crate::models::{Fault, Histogram, Plan, Point, Problem, Scale, log_linear_bins};
use crate::random::{EXPONENTIAL_FRACTION_BITS, exponential_table, quantile_table};
use crate::theory::redundancy::warmup_jobs;

/// log2 of the end of the range that histograms cover: every 31-bit time has a bin.
const TOP: u32 = 31;
/// Most jobs of a replica.
const MOST_JOBS: f64 = 4e9;
/// Most copies for which the fast exponential is fine enough that the mean of their minimum is right to 1e-7.
const MOST_FAST: u32 = 160;
/// Most outcomes of the choice of servers that one random word decides: each is then right to 2^-16 of itself.
const MOST_OUTCOMES: u64 = 1 << 16;

/// The kernels' view of a point.
pub fn plan(point: &Point) -> Result<Plan, Problem> {
    resolve(point, None)
}

/// The same with a given number of fraction bits, to compare clocks.
pub fn resolve(point: &Point, fraction_bits: Option<u32>) -> Result<Plan, Problem> {
    let whole = |key| jobs(point, key);
    let (warmup, mut duration) = (whole("warmup")?, whole("duration")?);
    if f64::from(warmup) + f64::from(duration) > MOST_JOBS {
        return Err(Problem::new(
            "duration",
            "warmup and duration are at most 4000000000 jobs together; use more replicas",
        ));
    }
    if duration == 0 {
        duration = 1;
    } else if duration < 2 && point.word("start") != "stationary" {
        return Err(Problem::new("duration", "at least 2 jobs are measured"));
    }
    let job = Job::of(point)?;
    let clock = job.clock(fraction_bits)?;
    let unit = f64::from(1u32 << clock.bits);
    let mut params = vec![0u32; param::COUNT];
    let mut tables = exponential_table();
    {
        let mut set = |index: usize, value: u32| params[index] = value;
        set(param::SERVERS, job.servers);
        set(param::COPIES, job.copies);
        set(param::NEEDED, job.needed);
        set(
            param::POLICY,
            if job.start_cancels {
                policy::START
            } else {
                policy::COMPLETION
            } as u32,
        );
        set(param::IDENTICAL, u32::from(job.identical));
        set(param::MANY, u32::from(job.is_many()));
        set(param::SWEEP, clock.sweep);
        set(param::BIN_BITS, job.bin_bits);
        set(param::WAIT_AT, log_linear_bins(job.bin_bits, TOP));
    }
    arrivals(&job, unit, &mut params, &mut tables);
    sizes(&job, clock, &mut params, &mut tables);
    words(&job, &mut params);
    if job.stationary {
        params[param::START_AT] = tables.len() as u32;
        if let Some(law) = &job.law {
            tables.extend(stationary::table(law.loads()));
        }
        params[param::START_WORDS] = tables.len() as u32 - params[param::START_AT];
    }
    let head_words = (state::SUMS + 2 * SUM_WORDS * sum::COUNT) as u32;
    let mut words = head_words;
    let mut place = |index: usize, length: u32| {
        params[index] = words;
        words += length;
    };
    place(param::SERVERS_AT, job.servers);
    place(
        param::ORDER_AT,
        if job.has_order() { job.servers } else { 0 },
    );
    let scratch = if job.is_many() && job.needed > 1 {
        job.needed + job.copies
    } else {
        0
    };
    place(param::LEAST_AT, scratch);

    let times = |name| Histogram {
        name,
        bins: log_linear_bins(job.bin_bits, TOP),
        scale: Scale::LogLinear { bits: job.bin_bits },
        step: 1.0 / unit,
        unit: "mean service times",
    };
    Ok(Plan {
        work_per_step: 1 + job.copies / 4,
        loops_per_microstep: if scratch > 0 { job.needed + 2 } else { 0 },
        state_words: words,
        head_words,
        recorded_bins: 2 * log_linear_bins(job.bin_bits, TOP),
        histograms: vec![times("response"), times("wait")],
        sums_at: state::SUMS as u32,
        sum_words: SUM_WORDS as u32,
        peaks_at: Vec::new(),
        maxima_at: Vec::new(),
        warmup,
        halves: [duration / 2, duration - duration / 2],
        steps_per_unit: 1.0,
        increments_per_step: 1,
        increments_per_microstep: 1,
        fault: Some(Fault {
            at: state::FAULT as u32,
            means: FAULT,
        }),
        traced_unit: 1.0 / unit,
        unstable: job.unstable,
        used: vec![
            ("fraction_bits", vec![f64::from(clock.bits)]),
            ("arrival_rate", vec![job.arrival_rate]),
            ("load", vec![point.number("load")]),
        ]
        .into_iter()
        .chain(sample_mean(point))
        .collect(),
        params,
        tables,
    })
}

/// Jobs of warm-up that an empty start needs, where the law of the system is known.
pub fn warmup(point: &Point) -> Option<f64> {
    let empty = point.word("start") == "empty";
    let law = Job::of(point).ok().filter(|_| empty)?.law?;
    warmup_jobs(law.servers(), law.copies(), law.load())
}

/// What a fault means.
const FAULT: &str = "met a time beyond the range of the clock (2^30 units); a lower load, or a size law with a lighter tail, stays within it";

/// The mean of measured sizes before they were scaled to 1: what a unit of time is.
fn sample_mean(point: &Point) -> Option<(&'static str, Vec<f64>)> {
    let values = point.numbers("service_samples");
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (point.word("service") == "samples").then(|| ("sample_mean", vec![mean]))
}

/// A number of jobs.
fn jobs(point: &Point, key: &'static str) -> Result<u32, Problem> {
    let value = if key == "warmup" {
        point.warmup
    } else {
        point.duration
    };
    if value.fract() != 0.0 {
        return Err(Problem::new(
            key,
            format!("{value} is not a whole number of jobs"),
        ));
    }
    if value > MOST_JOBS {
        return Err(Problem::new(
            key,
            "at most 4000000000 jobs a replica; use more replicas",
        ));
    }
    Ok(value as u32)
}

/// Times between jobs: parameters, or a table in units with 32 fraction bits.
fn arrivals(job: &Job, unit: f64, params: &mut [u32], tables: &mut Vec<u32>) {
    let gap = unit / job.arrival_rate;
    match &job.arrivals {
        Law::Exponential => {
            // gap * 2^(32 - 26) as a mantissa of 32 bits, or as many as a shift of 31 leaves.
            let scaled = gap * f64::from(1u32 << (32 - EXPONENTIAL_FRACTION_BITS));
            let shift = (31.0 - libm::floor(libm::log2(scaled))).clamp(0.0, 31.0);
            params[param::ARRIVAL_LAW] = law::EXPONENTIAL as u32;
            params[param::ARRIVAL_MANTISSA] = libm::round(libm::ldexp(scaled, shift as i32)) as u32;
            params[param::ARRIVAL_SHIFT] = shift as u32;
        }
        Law::Deterministic => {
            let constant = libm::round(gap * 4_294_967_296.0) as u64;
            params[param::ARRIVAL_LAW] = law::CONSTANT as u32;
            params[param::ARRIVAL_FRACTION] = constant as u32;
            params[param::ARRIVAL_UNITS] = (constant >> 32) as u32;
        }
        other => {
            params[param::ARRIVAL_LAW] = law::QUANTILE as u32;
            params[param::ARRIVAL_AT] = tables.len() as u32;
            tables.extend(quantile_table(&other.cells(), gap));
        }
    }
}

/// Sizes: parameters, or a table in units; and the factors of unequal speeds.
fn sizes(job: &Job, clock: Clock, params: &mut [u32], tables: &mut Vec<u32>) {
    let equal = job.speeds.len() == 1;
    let unit = f64::from(1u32 << clock.bits);
    let scale = if equal { unit / job.speeds[0] } else { unit };
    // A fast exponential is shifted to units of a mean size of 1.
    let fast = job.copies <= MOST_FAST && (!equal || job.speeds[0] == 1.0);
    params[param::SERVICE_SHIFT] = EXPONENTIAL_FRACTION_BITS - clock.bits;
    let mut factor = 1.0;
    match &job.service {
        Service::Law(Law::Exponential) if fast => {
            params[param::SERVICE_LAW] = law::EXPONENTIAL as u32;
            factor = 1.0 / f64::from(1u32 << params[param::SERVICE_SHIFT]);
        }
        Service::Law(Law::Deterministic) => {
            params[param::SERVICE_LAW] = law::CONSTANT as u32;
            params[param::SERVICE_UNITS] = units(scale);
        }
        Service::Law(other) => {
            params[param::SERVICE_LAW] = law::QUANTILE as u32;
            params[param::SERVICE_AT] = tables.len() as u32;
            tables.extend(quantile_table(&other.cells(), scale));
        }
        Service::Samples(values) => {
            params[param::SERVICE_LAW] = law::SAMPLES as u32;
            params[param::SERVICE_AT] = tables.len() as u32;
            params[param::SERVICE_SAMPLES] = values.len() as u32;
            tables.extend(values.iter().map(|x| units(x * scale)));
        }
    }
    if !equal {
        let slowest = job.speeds.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = factor / slowest;
        let shift = 31.0 - libm::floor(libm::log2(largest)) - 1.0;
        params[param::UNEQUAL] = 1;
        params[param::SPEED_SHIFT] = shift as u32;
        params[param::SPEED_AT] = tables.len() as u32;
        let word = |speed: &f64| libm::round(libm::ldexp(factor / speed, shift as i32)) as u32;
        tables.extend(job.speeds.iter().map(word));
    }
}

/// A time in units, at most the end of the range.
fn units(time: f64) -> u32 {
    libm::round(time).min(f64::from(RANGE)) as u32
}

/// Where a job finds its random words.
fn words(job: &Job, params: &mut [u32]) {
    let outcomes = (0..u64::from(job.copies)).try_fold(1u64, |product, copy| {
        let product = product * (u64::from(job.servers) - copy);
        (product <= MOST_OUTCOMES).then_some(product)
    });
    // Copies that draw a size each.
    let sizes = if job.identical || job.start_cancels {
        1
    } else {
        job.copies
    };
    let ties = job.start_cancels && job.speeds.len() > 1;
    let mut last = 0;
    let mut series = |first: u32, step: u32, count: u32| {
        last = last.max(first + step * (count - 1));
        [first, step]
    };
    let (choice, service, tie);
    if job.copies == job.servers || outcomes.is_some() {
        // One word, or none, chooses the servers.
        let after = 1 + u32::from(job.copies < job.servers);
        choice = series(1, 0, 1);
        service = series(after, u32::from(sizes > 1), sizes);
        tie = if ties {
            series(after + sizes, 1, job.copies)
        } else {
            [0, 0]
        };
    } else if sizes > 1 {
        // A choice and a size a copy, in turn.
        service = series(1, 2, sizes);
        choice = series(2, 2, job.copies);
        tie = [0, 0];
    } else {
        let step = 1 + u32::from(ties);
        service = series(1, 0, 1);
        choice = series(2, step, job.copies);
        tie = if ties {
            series(3, step, job.copies)
        } else {
            [0, 0]
        };
    }
    params[param::CHOICE_WORD] = choice[0];
    params[param::CHOICE_STEP] = choice[1];
    params[param::SERVICE_WORD] = service[0];
    params[param::SERVICE_STEP] = service[1];
    params[param::TIE_WORD] = tie[0];
    params[param::BLOCKS] = last / 4 + 1;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::plan;
    use crate::models::redundancy::words::{law, param};
    use crate::models::{Point, Value};

    /// The first point of the parity grid at other numbers of servers, copies and load.
    fn point(servers: f64, copies: f64, load: f64) -> Point {
        let mut point = super::super::parity::grid().remove(0);
        for (name, x) in [("servers", servers), ("copies", copies), ("load", load)] {
            let value = point.values.iter_mut().find(|(key, _)| *key == name);
            value.unwrap().1 = Value::Number(x);
        }
        point
    }

    #[test]
    fn the_mean_time_between_jobs_is_right_to_one_part_in_a_thousand_million() {
        for (servers, copies, load) in [
            (1.0, 1.0, 0.001),
            (10.0, 2.0, 0.7),
            (1000.0, 3.0, 0.99),
            (65_536.0, 2.0, 0.9),
            (65_536.0, 1.0, 0.99),
            (65_536.0, 65_536.0, 0.5),
        ] {
            let plan = plan(&point(servers, copies, load)).unwrap();
            assert_eq!(plan.params[param::ARRIVAL_LAW], law::EXPONENTIAL as u32);
            let unit = plan.traced_unit;
            // What an exponential of mean 1, 2^26 units, becomes: in units of 2^-32 units of the clock.
            let mantissa = f64::from(plan.params[param::ARRIVAL_MANTISSA]);
            let shift = plan.params[param::ARRIVAL_SHIFT] as i32;
            let used = mantissa * 2f64.powi(26 - 32 - shift) * unit;
            let exact = 1.0 / (servers * load);
            assert!(
                (used / exact - 1.0).abs() < 1e-9,
                "N = {servers}, rho = {load}: {used} against {exact}"
            );
            // And it is long enough that cutting it to 2^-32 units does not matter.
            assert!(exact / unit > 1.0 / 64.0, "N = {servers}");
        }
    }

    #[test]
    fn random_words_of_a_job_never_share_a_place() {
        for point in super::super::parity::grid() {
            let plan = plan(&point).unwrap();
            let get = |index: usize| plan.params[index];
            let copies = get(param::COPIES);
            let series = |first: usize, step: u32, chosen: bool| {
                let count = if step == 0 { 1 } else { copies };
                (0..count)
                    .map(|copy| get(first) + step * copy)
                    .filter(|_| chosen)
                    .collect::<Vec<u32>>()
            };
            let chooses = copies < get(param::SERVERS);
            let ties = get(param::TIE_WORD) > 0;
            let tie_step = get(param::CHOICE_STEP).max(1);
            let mut places = vec![0];
            places.extend(series(param::CHOICE_WORD, get(param::CHOICE_STEP), chooses));
            places.extend(series(param::SERVICE_WORD, get(param::SERVICE_STEP), true));
            places.extend(series(param::TIE_WORD, tie_step, ties));
            let all = places.len();
            places.sort_unstable();
            places.dedup();
            assert_eq!(
                places.len(),
                all,
                "configuration {}: {places:?}",
                point.index
            );
            // As many blocks as they take, and no more.
            let last = places.last().copied().unwrap_or(0);
            assert_eq!(
                last / 4 + 1,
                get(param::BLOCKS),
                "configuration {}",
                point.index
            );
        }
    }
}

//! From a point of `redundancy` to integers for the kernels.
//!
//! Owns rounding, tables, the layout of the state and of a job's random words. What cannot be simulated
//! faithfully is refused, never adjusted in silence.

use super::clock::{self, Clock};
use super::few::MOST_COPIES;
use super::kernel::RANGE;
use super::law::Law;
use super::parameters::MOST_FORKED;
use super::service::{self, Service};
use super::words::{SUM_WORDS, law, param, policy, state, sum};
use super::{stability, stationary};
use crate::models::{Fault, Histogram, Plan, Point, Problem, Scale, log_linear_bins};
use crate::random::{EXPONENTIAL_FRACTION_BITS, exponential_table, quantile_table};
use crate::theory::redundancy::System;

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
    let (warmup, duration) = (whole("warmup")?, whole("duration")?);
    if f64::from(warmup) + f64::from(duration) > MOST_JOBS {
        return Err(Problem::new(
            "duration",
            "warmup and duration are at most 4000000000 jobs together; use more replicas",
        ));
    }
    if duration < 2 && point.word("start") != "stationary" || duration == 0 {
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
        loops_per_microstep: if scratch > 0 { job.needed + 2 } else { 0 },
        state_words: words,
        head_words,
        recorded_bins: 2 * log_linear_bins(job.bin_bits, TOP),
        histograms: vec![times("response"), times("wait")],
        sums_at: state::SUMS as u32,
        sum_words: SUM_WORDS as u32,
        peaks_at: Vec::new(),
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
        ],
        params,
        tables,
    })
}

/// What a fault means.
const FAULT: &str = "met a time beyond the range of the clock (2^30 units); a lower load, or a size law with a lighter tail, stays within it";

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

/// A point, understood and checked.
#[derive(Debug)]
struct Job {
    servers: u32,
    /// Copies that play a part: 1 with policy "random".
    copies: u32,
    needed: u32,
    start_cancels: bool,
    identical: bool,
    service: Service,
    arrivals: Law,
    speeds: Vec<f64>,
    arrival_rate: f64,
    stationary: bool,
    unstable: bool,
    bin_bits: u32,
    /// The exact law, where the system has one.
    law: Option<System>,
}

impl Job {
    fn of(point: &Point) -> Result<Job, Problem> {
        let servers = point.number("servers") as u32;
        let asked = point.number("copies") as u32;
        if asked > servers {
            return Err(Problem::new(
                "copies",
                format!("{asked} copies need as many distinct servers, and there are {servers}"),
            ));
        }
        let policy = point.word("policy");
        let copies = if policy == "random" { 1 } else { asked };
        let needed = point.number("needed") as u32;
        let forks = policy == "fork_join";
        if !forks && needed != 1 {
            return Err(Problem::new(
                "needed",
                "more than one copy is needed only with policy = \"fork_join\"",
            ));
        }
        if forks && copies > MOST_FORKED {
            return Err(Problem::new(
                "copies",
                format!("at most {MOST_FORKED} with policy = \"fork_join\""),
            ));
        }
        if needed > copies {
            return Err(Problem::new(
                "needed",
                format!("{needed} of {copies} copies cannot complete; at most {copies}"),
            ));
        }
        let speeds = speeds(point, servers)?;
        let load = point.number("load");
        let service = Service::of(point)?;
        let arrivals = service::arrivals(point)?;
        let exponential = matches!(service, Service::Law(Law::Exponential));
        let identical = point.word("copies_are") == "identical" && copies > 1;
        let start_cancels = policy == "cancel_on_start" && copies > 1;
        let lost = stability::lost(&stability::System {
            servers,
            copies,
            load,
            needed,
            start_cancels,
            identical,
            exponential,
            service: &service,
            speeds: &speeds,
        });
        let unstable = lost.is_some();
        if let Some(problem) = lost.filter(|_| !point.flag("allow_unstable")) {
            return Err(problem);
        }
        let known = exponential && needed == 1 && !start_cancels && !identical && speeds.len() == 1;
        let law = System::new(servers, copies, load)
            .filter(|_| known && matches!(arrivals, Law::Exponential));
        let stationary = point.word("start") == "stationary";
        if stationary && law.is_none() {
            return Err(Problem::new(
                "start",
                "the stationary law is known only below a load of 1 for exponential sizes, independent copies that the first completion cancels (or one server a job), Poisson arrivals and equal speeds; use start = \"empty\" and a warm-up",
            ));
        }
        let bins = point.number("bins_an_octave") as u32;
        if !bins.is_power_of_two() {
            return Err(Problem::new(
                "bins_an_octave",
                format!("{bins} is not a power of two: 1, 2, 4, ... 1024"),
            ));
        }
        let total: f64 = if speeds.len() == 1 {
            speeds[0] * f64::from(servers)
        } else {
            speeds.iter().sum()
        };
        Ok(Job {
            servers,
            copies,
            needed,
            start_cancels,
            identical,
            service,
            arrivals,
            arrival_rate: load * total,
            speeds,
            stationary,
            unstable,
            bin_bits: bins.trailing_zeros(),
            law,
        })
    }

    fn is_many(&self) -> bool {
        self.copies as usize > MOST_COPIES
    }

    /// Whether servers are drawn in an order kept in the state.
    fn has_order(&self) -> bool {
        self.is_many() && self.copies < self.servers
    }

    fn clock(&self, fraction_bits: Option<u32>) -> Result<Clock, Problem> {
        let slowest = self.speeds.iter().copied().fold(f64::INFINITY, f64::min);
        let longest_phase = match &self.arrivals {
            Law::Hyperexponential { weights, rates } => {
                let mean = weights[0] / rates[0] + weights[1] / rates[1];
                1.0 / (rates[0].min(rates[1]) * mean)
            }
            _ => 1.0,
        };
        // A single speed other than 1 only changes the unit of time; the law is that of speed 1.
        let chosen = clock::choose(&clock::Needs {
            servers: self.servers,
            arrival_rate: self.arrival_rate,
            longest_phase,
            law: self.law.as_ref().filter(|_| self.speeds == [1.0]),
            largest_size: self.service.largest() / slowest,
        });
        let Some(chosen) = chosen else {
            return Err(Problem::new(
                "load",
                "no clock of 32 bits holds both the shortest and the longest times of this system; bring load, speeds and the largest size closer together",
            ));
        };
        Ok(Clock {
            bits: fraction_bits.unwrap_or(chosen.bits),
            ..chosen
        })
    }
}

fn speeds(point: &Point, servers: u32) -> Result<Vec<f64>, Problem> {
    let speeds = point.numbers("speeds");
    let equal = speeds.iter().all(|speed| *speed == speeds[0]);
    if speeds.len() != 1 && speeds.len() != servers as usize {
        return Err(Problem::new(
            "speeds",
            format!(
                "{} speeds for {servers} servers; give one number, or one a server",
                speeds.len()
            ),
        ));
    }
    Ok(if equal { vec![speeds[0]] } else { speeds })
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
        tie = series(after + sizes, 1, if ties { job.copies } else { 1 });
    } else if sizes > 1 {
        // A choice and a size a copy, in turn.
        service = series(1, 2, sizes);
        choice = series(2, 2, job.copies);
        tie = [0, 0];
    } else {
        let step = 1 + u32::from(ties);
        service = series(1, 0, 1);
        choice = series(2, step, job.copies);
        tie = series(3, step, if ties { job.copies } else { 1 });
    }
    params[param::CHOICE_WORD] = choice[0];
    params[param::CHOICE_STEP] = choice[1];
    params[param::SERVICE_WORD] = service[0];
    params[param::SERVICE_STEP] = service[1];
    params[param::TIE_WORD] = if ties { tie[0] } else { 0 };
    params[param::BLOCKS] = last / 4 + 1;
}

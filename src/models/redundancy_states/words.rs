//! Where every word of the `redundancy-states` model is: parameters, state and sums.
//!
//! Owns the one list of names that Rust and WGSL share.

use crate::models::Plan;
pub use crate::models::redundancy::kernel::RANGE;
use crate::words::words;

words! {
    /// Words of `Plan::params`. Times are in units of 2^-f of a mean service time.
    param, "P_":
    /// N, the number of servers.
    SERVERS,
    /// d, the number of copies of a job.
    COPIES,
    /// ceil(d / 4): blocks of random words that belong to one entry of the list.
    ROW_BLOCKS,
    /// Threshold of an arrival: the chance rho / (1 + rho) in units of 2^-31.
    ARRIVAL,
    /// Mantissa of the mean time between events.
    GAP_MANTISSA,
    /// How far its product is shifted to the right.
    GAP_SHIFT,
    /// Jobs that the list has room for.
    ROOM,
    /// First state word of the list: for each job, oldest first, the servers it has and the time it arrived.
    LIST_AT,
    /// Where the rates of the stationary law start in the tables, for the host.
    START_AT,
    /// How many words they are, 0 when the start is empty.
    START_WORDS,
    /// Fraction bits f of the clock, for the host.
    FRACTION_BITS,
    /// log2 of the bins an octave.
    BIN_BITS,
    /// First bin of the number of jobs ...
    JOBS_AT,
    /// ... and log2 of the width of these bins.
    JOBS_SHIFT,
    /// The same of the number of busy servers.
    BUSY_AT,
    /// See `JOBS_SHIFT`.
    BUSY_SHIFT,
    /// The same of the collisions of an arriving job.
    COLLISIONS_AT,
    /// See `JOBS_SHIFT`.
    COLLISIONS_SHIFT,
    /// First bin of the short aggregate states ...
    STATES_AT,
    /// ... of at most so many jobs ...
    STATES_JOBS,
    /// ... and the index of all other states.
    STATES_OTHER,
}

words! {
    /// Words of the state of one replica before its list.
    state, "S_":
    /// Events that have happened.
    POSITION,
    /// Jobs in the list.
    JOBS,
    /// Busy servers: the sum of the list.
    BUSY,
    /// Jobs of the start that are still there; they are the oldest.
    OLD,
    /// Not zero once a number has left its range, see `fault`.
    FAULT,
    /// Fraction of the time of the last event, in 2^-32 units.
    FRACTION,
    /// Time of the last event in units, modulo 2^32.
    CLOCK,
    /// Inside an event of several microsteps: what it is, see `phase`; zero between events, as are the words below.
    PHASE,
    /// The entry that is next.
    ROW,
    /// The next trial for it.
    TRIAL,
    /// How many of the trials so far hit.
    HITS,
    /// The busy server that completes, counted along the list.
    CHOSEN,
    /// Servers of the entries before the next one, prior to the departure.
    BEFORE,
    /// Servers of the departed job that no younger one has taken yet.
    FREE,
    /// Where the sums start.
    SUMS,
}

words! {
    /// Values of `state::PHASE`.
    phase, "PHASE_":
    /// No event has begun.
    NONE,
    /// A job arrives.
    ARRIVAL,
    /// The departing job is looked for.
    SEARCH,
    /// Its servers are offered to the younger jobs.
    OFFER,
}

words! {
    /// Bits of `state::FAULT`.
    fault, "FAULT_BIT_":
    /// A time of 2^30 units or more.
    TIME,
    /// A job that the list had no room for.
    ROOM,
}

words! {
    /// Sums kept over the measured span, each of them for each half.
    sum, "SUM_":
    /// Response times.
    RESPONSE,
    /// Their squares.
    RESPONSE_SQUARE,
    /// How many response times there are.
    COMPLETED,
    /// Jobs after each event.
    JOBS,
    /// Busy servers after each event.
    BUSY,
    /// Jobs that have arrived.
    ARRIVALS,
    /// Busy servers among the d of each of them.
    COLLISIONS,
    /// Events that left the system empty.
    EMPTY,
    /// Departures of jobs of the start, whose response times nobody knows.
    UNKNOWN,
}

/// Names of the sums, in order.
pub const SUMS: &[&str] = &[
    "response",
    "response_square",
    "completed",
    "jobs",
    "busy",
    "arrivals",
    "collisions",
    "empty",
    "unknown",
];

/// Words of one sum in the state: squares of 30-bit times, 2^32 of them.
pub const SUM_WORDS: usize = 3;

/// Words of one entry of the list: its servers, its time of arrival.
pub const ENTRY_WORDS: usize = 2;

/// All constants for WGSL.
pub fn wgsl() -> String {
    [
        param::wgsl(),
        state::wgsl(),
        phase::wgsl(),
        fault::wgsl(),
        sum::wgsl(),
        format!("const SUM_WORDS: u32 = {SUM_WORDS}u;\nconst RANGE: u32 = {RANGE}u;\n"),
    ]
    .concat()
}

/// The name of a state word.
pub fn state_word(plan: &Plan, word: u32) -> String {
    let at = word as usize;
    if let Some(name) = state::NAMES.get(at).filter(|_| at < state::SUMS) {
        return name.to_lowercase();
    }
    if let Some(name) = plan.name_of_sum(SUMS, word) {
        return name;
    }
    let entry = (word - plan.params[param::LIST_AT]) as usize;
    let what = ["servers", "arrival"][entry % ENTRY_WORDS];
    format!("{what} of job {}", entry / ENTRY_WORDS)
}

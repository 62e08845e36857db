//! Where every word of the `redundancy` model is: parameters, state and sums.
//!
//! Owns the one list of names that Rust and WGSL share.

use crate::models::Plan;
use crate::words::words;

words! {
    /// Words of `Plan::params`. Times are in units of 2^-f of a mean service time.
    param, "P_":
    /// N, the number of servers.
    SERVERS,
    /// d, the number of copies of a job.
    COPIES,
    /// How many copies must be completed: 1, or k of a k-of-n job.
    NEEDED,
    /// See `policy`.
    POLICY,
    /// 1 when all copies of a job have the same size.
    IDENTICAL,
    /// 1 when a job has more copies than registers hold, and its servers are drawn in a permutation kept in the state.
    MANY,
    /// How interarrival times are drawn, see `law`.
    ARRIVAL_LAW,
    /// Mantissa of the mean interarrival time, of exponential ones.
    ARRIVAL_MANTISSA,
    /// How far its product is shifted to the right.
    ARRIVAL_SHIFT,
    /// A constant interarrival time: its fraction ...
    ARRIVAL_FRACTION,
    /// ... and its units.
    ARRIVAL_UNITS,
    /// Where the table of interarrival times starts.
    ARRIVAL_AT,
    /// How sizes are drawn, see `law`.
    SERVICE_LAW,
    /// From the units of an exponential draw to those of the clock, a shift to the right.
    SERVICE_SHIFT,
    /// A constant size, in units of the clock.
    SERVICE_UNITS,
    /// Where the table of sizes starts.
    SERVICE_AT,
    /// How many measured sizes it holds.
    SERVICE_SAMPLES,
    /// 1 when servers differ in speed.
    UNEQUAL,
    /// Where the factors start by which sizes at each server are multiplied.
    SPEED_AT,
    /// How far the product is shifted to the right.
    SPEED_SHIFT,
    /// Random words of a job: place of the first choice, ...
    CHOICE_WORD,
    /// ... distance to the next one, 0 when one word serves all.
    CHOICE_STEP,
    /// Place of the first size, ...
    SERVICE_WORD,
    /// ... distance to the next one, 0 when all copies share it.
    SERVICE_STEP,
    /// Place of the first word that breaks ties between servers with equally little work, 0 when the first one wins.
    TIE_WORD,
    /// Blocks of random words that a job takes.
    BLOCKS,
    /// Jobs from one refreshing of all servers to the next, at least N.
    SWEEP,
    /// log2 of the bins an octave.
    BIN_BITS,
    /// First bin of waiting times.
    WAIT_AT,
    /// First state word of the servers' workloads.
    SERVERS_AT,
    /// First state word of the permutation of servers.
    ORDER_AT,
    /// First state word of the least completion times of a k-of-n job; all its completion times follow.
    LEAST_AT,
    /// Where the rates of the stationary law start, for the host.
    START_AT,
    /// How many words they are, 0 when the start is empty.
    START_WORDS,
}

words! {
    /// Values of `param::POLICY`.
    policy, "POLICY_":
    /// The first copies to complete cancel the others.
    COMPLETION,
    /// The first copy to start cancels the others: the server with the least work left gets the job.
    START,
}

words! {
    /// Values of `param::ARRIVAL_LAW` and `param::SERVICE_LAW`.
    law, "LAW_":
    /// Exponential.
    EXPONENTIAL,
    /// Constant.
    CONSTANT,
    /// By a table of the quantile function.
    QUANTILE,
    /// One of a list of values, each as likely as the others.
    SAMPLES,
}

words! {
    /// Words of the state of one replica that every point has; servers and scratch follow.
    state, "S_":
    /// Jobs that have arrived.
    POSITION,
    /// Fraction of the time of the last arrival, in 2^-32 units.
    FRACTION,
    /// Time of the last arrival in units, modulo 2^32.
    CLOCK,
    /// Units since the last sweep of refreshing began.
    ELAPSED,
    /// When the last server will be idle, modulo 2^32.
    LATEST,
    /// Not zero once a time has left the range of the clock.
    FAULT,
    /// Inside a job of many copies: the next copy, counted over both passes.
    CURSOR,
    /// Its response time so far.
    RESPONSE,
    /// Its waiting time so far.
    WAIT,
    /// The server it joins when the first start cancels, by place in the order.
    WINNER,
    /// How many servers share the least work so far.
    TIED,
    /// What is left of the word that chooses servers.
    CHOICE,
    /// Where the sums start.
    SUMS,
}

words! {
    /// Sums kept over the measured span, each of them for each half.
    sum, "SUM_":
    /// Response times.
    RESPONSE,
    /// Their squares.
    RESPONSE_SQUARE,
    /// Waiting times.
    WAIT,
    /// Work added to servers: the time they spend on copies of the job.
    WORK,
    /// Time that copies spend at servers, where it does not follow from the others.
    STAY,
    /// Jobs that found every server idle.
    EMPTY,
}

/// Names of the sums, in order.
pub const SUMS: &[&str] = &[
    "response",
    "response_square",
    "wait",
    "work",
    "stay",
    "empty",
];

/// Words of one sum in the state: squares of 30-bit times, 2^32 of them.
pub const SUM_WORDS: usize = 3;

/// All constants for WGSL.
pub fn wgsl() -> String {
    let few = super::few::MOST_COPIES;
    let lists = [
        param::wgsl(),
        policy::wgsl(),
        law::wgsl(),
        state::wgsl(),
        sum::wgsl(),
    ];
    lists.concat()
        + &format!("const FEW_COPIES: u32 = {few}u;\nconst SUM_WORDS: u32 = {SUM_WORDS}u;\n")
        + &format!("const RANGE: u32 = {}u;\n", super::kernel::RANGE)
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
    let servers_at = plan.params[param::SERVERS_AT];
    let servers = plan.params[param::SERVERS];
    if word - servers_at < servers {
        return format!("workload of server {}", word - servers_at);
    }
    let order_at = plan.params[param::ORDER_AT];
    if plan.params[param::MANY] == 1 && word - order_at < servers {
        return format!("place {} of the order of servers", word - order_at);
    }
    format!(
        "least completion times, word {}",
        word - plan.params[param::LEAST_AT]
    )
}

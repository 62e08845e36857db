//! Where every word of the `farm` model is: parameters, state and sums.
//!
//! Owns the one list of names that Rust and WGSL share.

use crate::models::Plan;
use crate::words::words;

words! {
    /// Words of `Plan::params`. Times are in units of the clock.
    param, "P_":
    /// m, the number of servers.
    SERVERS,
    /// n, the number of streams.
    STREAMS,
    /// 1 where servers are counted event by event, 0 where requests follow one another's workload.
    COUNTING,
    /// c, connections of a server.
    CONNECTIONS,
    /// K, the room of a server, 0 where every request is accepted.
    ROOM,
    /// How a request finds its server, see `route`.
    ROUTE,
    /// Where the alias table of streams starts, 0 when their rates are equal.
    STREAM_AT,
    /// Where the alias table of servers by speed starts, 0 when their speeds are equal.
    SERVER_AT,
    /// Where the server of each stream and its factor start, in pairs, with a fixed route.
    ROUTE_AT,
    /// Where the factors start by which sizes at each server are multiplied, 0 when they are equal.
    FACTOR_AT,
    /// The factor of equal servers.
    FACTOR,
    /// How far the product is shifted to the right.
    FACTOR_SHIFT,
    /// How sizes are drawn, see `law`.
    SERVICE_LAW,
    /// A constant size, before it is multiplied.
    SERVICE_RAW,
    /// Where the table of sizes starts.
    SERVICE_AT,
    /// Mantissa of the mean time between requests.
    GAP_MANTISSA,
    /// How far its product is shifted to the right.
    GAP_SHIFT,
    /// The chance that an event is an arrival, in units of 2^-64: lower half ...
    ARRIVAL_LOW,
    /// ... and upper half.
    ARRIVAL_HIGH,
    /// State words of times that are kept close to the clock, from `SERVERS_AT` on.
    REFRESHED,
    /// Requests from one refreshing of all of them to the next.
    SWEEP,
    /// log2 of the bins an octave.
    BIN_BITS,
    /// First recorded bin of streams: accepted requests of each, then rejected ones where there are any.
    STREAM_BINS,
    /// First recorded bin of servers, likewise; none with a fixed route.
    SERVER_BINS,
    /// First state word of the servers: when each will be idle, or how many requests it has.
    SERVERS_AT,
    /// First state word of the departure times of the last K accepted requests of each server.
    RING_AT,
    /// First state word of the oldest place in each server's ring.
    HEAD_AT,
    /// First state word of the server that each stream has drawn.
    ALLOCATION_AT,
    /// Where the rates of the streams start, for the host.
    RATES_AT,
    /// Where the load starts from which on each server is overloaded, for the host.
    FULL_AT,
}

words! {
    /// Values of `param::ROUTE`.
    route, "ROUTE_":
    /// A stream has one server, the same in every replica.
    FIXED,
    /// A stream has one server, drawn by each replica.
    DRAWN,
    /// Each request draws a server.
    REQUEST,
}

words! {
    /// Values of `param::SERVICE_LAW`.
    law, "LAW_":
    /// Exponential.
    EXPONENTIAL,
    /// Constant.
    CONSTANT,
    /// By a table of the quantile function.
    QUANTILE,
}

words! {
    /// Words of the state of one replica that every point has; servers, rings and allocation follow.
    state, "S_":
    /// Requests, or events, so far.
    POSITION,
    /// Fraction of the time of the last request, in 2^-32 units.
    FRACTION,
    /// Time of the last request in units, modulo 2^32.
    CLOCK,
    /// Units since the last sweep of refreshing began.
    ELAPSED,
    /// Not zero once a time has left the range of the clock.
    FAULT,
    /// Requests present, where servers are counted.
    PRESENT,
    /// 1 where the drawn allocation overloads a server.
    OVERLOADED,
    /// Where the sums start.
    SUMS,
}

words! {
    /// Sums kept over the measured span, each of them for each half.
    sum, "SUM_":
    /// Delays of accepted requests.
    DELAY,
    /// Their squares.
    DELAY_SQUARE,
    /// Requests present before each event.
    PRESENT,
    /// Requests; follows from the counts.
    ARRIVALS,
    /// Requests that were accepted; follows from the counts.
    ACCEPTED,
}

/// Names of the sums, in order.
pub const SUMS: &[&str] = &["delay", "delay_square", "present", "arrivals", "accepted"];

/// Words of one sum in the state: squares of 30-bit times, 2^32 of them.
pub const SUM_WORDS: usize = 3;

/// What a time must be below to be in the range of the clock.
pub const RANGE: u32 = 1 << 30;

/// All constants for WGSL.
pub fn wgsl() -> String {
    let lists = [
        param::wgsl(),
        route::wgsl(),
        law::wgsl(),
        state::wgsl(),
        sum::wgsl(),
    ];
    lists.concat()
        + &format!("const SUM_WORDS: u32 = {SUM_WORDS}u;\nconst RANGE: u32 = {RANGE}u;\n")
}

/// The name of a state word.
pub fn state_word(plan: &Plan, word: u32) -> String {
    if let Some(name) = state::NAMES
        .get(word as usize)
        .filter(|_| (word as usize) < state::SUMS)
    {
        return name.to_lowercase();
    }
    if let Some(name) = plan.name_of_sum(SUMS, word) {
        return name;
    }
    let areas = [
        (param::ALLOCATION_AT, "server of stream"),
        (param::HEAD_AT, "oldest place of server"),
        (param::RING_AT, "departure time"),
        (param::SERVERS_AT, "server"),
    ];
    let inside = |&&(index, _): &&(usize, &str)| word >= plan.params[index];
    match areas.iter().find(inside) {
        Some((index, what)) => format!("{what} {}", word - plan.params[*index]),
        None => format!("word {word}"),
    }
}

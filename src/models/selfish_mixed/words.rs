//! Where every word of the `selfish-mixed` model is: parameters, tables, state and sums.
//!
//! Owns the one list of names that Rust and WGSL share.

use crate::models::Plan;
use crate::words::words;

words! {
    /// Words of `Plan::params`. Only streams with a rate above zero are simulated; servers of equal speed are
    /// neighbours, and make a class.
    param, "P_":
    /// n, the number of streams.
    STREAMS,
    /// m, the number of servers.
    SERVERS,
    /// Lambda + 1, the number of loads that a server can have: bins of one class of servers.
    LOADS,
    /// Classes of servers, for the host.
    CLASSES,
    /// 1 where streams have strategies of their own, 0 where all draw uniformly.
    STRATEGIES,
    /// 1 where the loads that streams meet are recorded, 0 where they follow from those of the servers.
    MET,
    /// 1 where every stream has a rate of one unit.
    EQUAL,
    /// First word of the streams' table, see `stream`.
    STREAM_AT,
    /// First word of the servers' table: the class of each.
    SERVER_AT,
    /// First word of the table of classes of servers, see `class`.
    CLASS_AT,
    /// First word of what only the host reads, see host.rs.
    HOST_AT,
    /// First state word of the loads: zeros between profiles.
    LOADS_AT,
    /// First state word of the servers' bins in the last profile.
    BINS_AT,
    /// First state word of the servers that the streams drew.
    CHOSEN_AT,
    /// First bin of the loads of servers ...
    SERVER_BINS,
    /// ... and of those that streams meet.
    STREAM_BINS,
}

words! {
    /// Words of a stream in its table.
    stream, "STREAM_":
    /// Its rate in units.
    RATE,
    /// First word of its strategy: for each column the threshold and the other server.
    STRATEGY_AT,
    /// The first bin of the loads that streams like it meet.
    BINS,
}

words! {
    /// Words of a class of servers in its table.
    class, "CLASS_":
    /// Their speed in units.
    SPEED,
    /// The first server after it.
    END,
    /// The least load at which a server is at or above its capacity.
    FULL,
}

words! {
    /// Words of the state of one replica before its lists.
    state, "S_":
    /// Profiles drawn.
    POSITION,
    /// Inside a profile of several microsteps: how many are done; zero between profiles, as are the words below.
    CURSOR,
    /// The class of the busiest server so far ...
    BEST,
    /// ... and its load.
    BEST_LOAD,
    /// Servers at or above their capacity.
    OVERLOADED,
    /// Where the sums start.
    SUMS,
}

words! {
    /// Sums over the measured span, each of them for each half. They follow from counts: kernels leave them at zero.
    sum, "SUM_":
    /// Largest utilisations, in units of 2^-32 of a unit of rate on a server of the largest speed.
    LOAD_MAX,
    /// Profiles with some server at or above its capacity.
    OVERLOAD,
}

/// Names of the sums, in order.
pub const SUMS: &[&str] = &["load_max", "overload"];

/// Words of one sum in the state.
pub const SUM_WORDS: usize = 2;

/// All constants for WGSL.
pub fn wgsl() -> String {
    [
        param::wgsl(),
        stream::wgsl(),
        class::wgsl(),
        state::wgsl(),
        sum::wgsl(),
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
    let lists = [
        (param::CHOSEN_AT, "server of stream"),
        (param::BINS_AT, "bin of server"),
        (param::LOADS_AT, "load of server"),
    ];
    lists
        .iter()
        .find_map(|&(first, what)| {
            let index = word.checked_sub(plan.params[first])?;
            Some(format!("{what} {index}"))
        })
        .unwrap_or_default()
}

//! Where every word of the `selfish-pure` model is: parameters, tables, state and sums.
//!
//! Owns the one list of names that Rust and WGSL share.

use crate::models::Plan;
use crate::words::words;

words! {
    /// Words of `Plan::params`.
    param, "P_":
    /// m, the number of servers.
    SERVERS,
    /// n, the number of streams.
    STREAMS,
    /// K, the number of instances.
    INSTANCES,
    /// Words of an instance in the tables: the rates, then `unit` words for each server.
    BLOCK,
    /// 1 where all speeds are equal: the tables then hold one server for all.
    EQUAL,
    /// Who looks next, see `order`.
    ORDER,
    /// Most moves of a start.
    MAX_MOVES,
    /// The first block of a start whose words say who looks; those before it say where streams start.
    FIRST_LOOK,
    /// Looks without a move after which all streams are satisfied.
    SATISFIED,
    /// log2 of the bins an octave.
    BIN_BITS,
    /// First state word of the servers' loads ...
    LOADS_AT,
    /// ... and of the streams' servers.
    HOMES_AT,
    /// Instances whose optimum is exact, for the host.
    EXACT,
    /// Where the host's own words start in the tables: utilisation of the busiest server in the best assignment (of
    /// one instance), load, costs.
    HOST_AT,
}

words! {
    /// Words of a server in the tables.
    unit, "UNIT_":
    /// Its speed.
    SPEED,
    /// What its load is multiplied by ...
    SCALE,
    /// ... and how far the product is shifted to the right, to be its load over speed over the optimum.
    SHIFT,
}

words! {
    /// Values of `param::ORDER`.
    order, "ORDER_":
    /// A uniformly random unsatisfied stream moves.
    RANDOM,
    /// The first unsatisfied stream moves.
    FIRST,
    /// Streams look in turn.
    ROUND_ROBIN,
}

words! {
    /// Words of the state of one replica before its loads and servers.
    state, "S_":
    /// Starts that have ended.
    POSITION,
    /// Largest load over optimum of a measured start that ended in an equilibrium.
    WORST,
    /// Inside a start: what is next, see `phase`; zero between starts, as are the words below.
    PHASE,
    /// Where the instance is in the tables.
    INSTANCE,
    /// The next block of servers to start at.
    BLOCK,
    /// Looks so far.
    TURN,
    /// Looks since the last move.
    QUIET,
    /// Whose turn it is, in turn.
    CURSOR,
    /// Moves so far.
    MOVES,
    /// The least loaded server, the first of them, where all speeds are equal.
    LEAST,
    /// Whether it is known.
    KNOWN,
    /// Whether the start ended in an equilibrium.
    SATISFIED,
    /// Where the sums start.
    SUMS,
}

words! {
    /// Values of `state::PHASE`.
    phase, "PHASE_":
    /// Streams are put on servers.
    PLACE,
    /// A stream looks for a better server.
    LOOK,
    /// The start has ended.
    END,
}

words! {
    /// Sums kept over the measured span, each of them for each half.
    sum, "SUM_":
    /// Largest load over optimum, in units of 2^-20, of starts that ended in an equilibrium.
    RATIO,
    /// Moves, of all starts.
    MOVES,
    /// Starts that were stopped at the limit of moves.
    UNCONVERGED,
}

/// Names of the sums, in order.
pub const SUMS: &[&str] = &["ratio", "moves", "unconverged"];

/// Words of one sum in the state.
pub const SUM_WORDS: usize = 2;

/// Fraction bits of the largest load over the optimum.
pub const RATIO_BITS: u32 = 20;

/// The last look of a start, so that no random word is used twice: out of reach but for days of one start.
pub const LAST_TURN: u32 = u32::MAX;

/// All constants for WGSL.
pub fn wgsl() -> String {
    [
        param::wgsl(),
        unit::wgsl(),
        order::wgsl(),
        state::wgsl(),
        phase::wgsl(),
        sum::wgsl(),
        format!("const SUM_WORDS: u32 = {SUM_WORDS}u;\nconst LAST_TURN: u32 = {LAST_TURN}u;\n"),
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
    match word.checked_sub(plan.params[param::HOMES_AT]) {
        Some(stream) => format!("server of stream {stream}"),
        None => format!("load of server {}", word - plan.params[param::LOADS_AT]),
    }
}

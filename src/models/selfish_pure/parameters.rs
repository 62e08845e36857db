//! The parameters and observables of `selfish-pure`, as people write and read them.

use crate::models::selfish::parameters::{
    CONNECTIONS, COSTS, EXPONENT, INSTANCE_SEED, LOAD, POWER, RATES, ROOM, SERVERS, SERVICE_SCV,
    SPEEDS, STREAMS, STREAMS_PER_SERVER, TABLE_COST, TABLE_LOAD,
};
use crate::models::{Default, Derived, Kind, Observable, Parameter};

/// Most instances.
const MOST_INSTANCES: u64 = 100_000;
/// Most moves of a start that may be asked for.
const MOST_MOVES: u64 = 1 << 31;
/// Most bins an octave.
const MOST_BINS: u64 = 1_024;
/// The orders, as `order` in words.rs numbers them.
pub const ORDERS: &[&str] = &["random", "max_rate", "round_robin"];

/// Every parameter of the model.
pub static PARAMETERS: &[Parameter] = &[
    SERVERS,
    STREAMS,
    SPEEDS,
    RATES,
    LOAD,
    Parameter {
        name: "instances",
        symbol: "K",
        unit: "",
        kind: Kind::Integer {
            min: 1,
            max: MOST_INSTANCES,
        },
        default: Some(Default::Number(1.0)),
        help: "Random instances, of which every start draws one; where rates and speeds are given, there is one.",
    },
    INSTANCE_SEED,
    Parameter {
        name: "order",
        symbol: "order",
        unit: "",
        kind: Kind::Choice(ORDERS),
        default: Some(Default::Word("random")),
        help: "Which of the streams that would be better off elsewhere moves next: a random one, that of the largest rate, or the next in turn.",
    },
    Parameter {
        name: "max_moves",
        symbol: "max moves",
        unit: "",
        kind: Kind::Integer {
            min: 0,
            max: MOST_MOVES,
        },
        default: Some(Default::Number(0.0)),
        help: "Moves after which a start that still wants another is given up and counted; 0 for 100 moves a stream.",
    },
    Parameter {
        name: "bins_an_octave",
        symbol: "bins",
        unit: "",
        kind: Kind::Integer {
            min: 1,
            max: MOST_BINS,
        },
        default: Some(Default::Number(128.0)),
        help: "Bins of the histogram of load over optimum in each octave, a power of two: 128 resolve 0.8 %.",
    },
    COSTS,
    POWER,
    SERVICE_SCV,
    ROOM,
    CONNECTIONS,
    EXPONENT,
    TABLE_LOAD,
    TABLE_COST,
];

/// Estimates of each cost.
pub const EACH_COST: usize = 2;

macro_rules! observables {
    ($($cost:literal,)*) => {
        &[
            Observable {
                name: "load_max_over_optimum",
                symbol: "max w / OPT",
                unit: "",
                help: "Largest load over speed in an equilibrium over that of the best assignment: the mean over starts that ended in one.",
            },
            Observable {
                name: "load_max_over_optimum_worst",
                symbol: "worst max w / OPT",
                unit: "",
                help: "The largest of these ratios that was seen, without an interval. Theory beside it is a bound, 2 - 2/(m+1) where all speeds are equal, that no equilibrium exceeds.",
            },
            Observable {
                name: "moves",
                symbol: "moves",
                unit: "",
                help: "Moves a start, those that were given up included.",
            },
            Observable {
                name: "converged",
                symbol: "P(converged)",
                unit: "",
                help: "Share of starts that ended in a pure Nash equilibrium; the others were given up at `max_moves`.",
            },
            Observable {
                name: "optimum_exact",
                symbol: "P(exact)",
                unit: "",
                help: "Share of instances whose optimum is exact. For the others a certified lower bound stands for it, and ratios to that are too large, if wrong.",
            },
            $(
                Observable {
                    name: concat!("price_", $cost),
                    symbol: concat!("worst f / f(opt), ", $cost),
                    unit: "",
                    help: concat!("Largest cost (", $cost, ") of a server in the worst equilibrium that was seen, over that of the best assignment; none for several instances, and where it is infinite. Theory beside it is a bound where all speeds are equal."),
                },
                Observable {
                    name: concat!("price_fractional_", $cost),
                    symbol: concat!("worst f / f(ρ), ", $cost),
                    unit: "",
                    help: concat!("The same over the cost (", $cost, ") where streams are split at will and all servers have utilisation `load`."),
                },
            )*
        ]
    };
}

/// Every estimate of the model: five of loads and moves, then [`EACH_COST`] for each of the costs.
pub static OBSERVABLES: &[Observable] = observables! {
    "power",
    "mm1",
    "mg1",
    "mm1k",
    "erlang_b",
    "exponential",
    "table",
};

/// What a plot may use as its x axis beside the parameters.
pub static DERIVED: &[Derived] = &[STREAMS_PER_SERVER];

/// The file that `queuefarm new selfish-pure` writes.
pub const STARTER: &str = include_str!("starter.toml");

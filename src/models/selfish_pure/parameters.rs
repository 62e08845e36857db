//! The parameters and observables of `selfish-pure`, as people write and read them.

use crate::models::selfish::parameters::{INSTANCE_SEED, LOAD, RATES, SERVERS, SPEEDS, STREAMS};
use crate::models::{Default, Derived, Kind, Observable, Parameter, Point, Value};

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
];

/// Every estimate of the model.
pub static OBSERVABLES: &[Observable] = &[
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
];

/// How many there are, from their number or the length of their list.
pub fn number_of(point: &Point, key: &str, list: &str) -> f64 {
    match point.get(list) {
        Some(Value::Numbers(values)) => values.len() as f64,
        _ => point.number(key),
    }
}

/// What a plot may use as its x axis beside the parameters.
pub static DERIVED: &[Derived] = &[Derived {
    name: "streams_per_server",
    symbol: "n / m",
    unit: "",
    value: |point| {
        let servers = number_of(point, "servers", "speeds");
        Value::Number(number_of(point, "streams", "rates") / servers)
    },
}];

/// The file that `queuefarm new selfish-pure` writes.
pub const STARTER: &str = include_str!("starter.toml");

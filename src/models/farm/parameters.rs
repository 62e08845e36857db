//! The parameters and observables of `farm`, as people write and read them.

use crate::models::selfish::parameters::{
    CONNECTIONS, INSTANCE_SEED, LOAD, MOST_SERVERS, MOST_STREAMS, RATES, ROOM, SERVERS,
    SERVICE_SCV, SPEEDS, STREAMS,
};
use crate::models::{Default, Derived, Kind, Observable, Parameter, Value};

/// Most bins an octave.
const MOST_BINS: u64 = 1_024;

/// Every parameter of the model.
pub static PARAMETERS: &[Parameter] = &[
    SERVERS,
    STREAMS,
    SPEEDS,
    RATES,
    LOAD,
    INSTANCE_SEED,
    Parameter {
        name: "routing",
        symbol: "routing",
        unit: "",
        kind: Kind::Choice(&["per_stream", "per_request"]),
        default: Some(Default::Word("per_stream")),
        help: "Whether a stream sends all its requests to one server, or each request draws a server, in proportion to the speeds.",
    },
    Parameter {
        name: "allocation",
        symbol: "allocation",
        unit: "",
        kind: Kind::Choice(&["equilibrium", "given", "drawn"]),
        default: Some(Default::Word("equilibrium")),
        help: "The server of each stream, with routing \"per_stream\": a pure Nash equilibrium, the list `servers_of`, or one that each replica draws uniformly and keeps; a drawn one may overload a server (estimate `overload`), whose delays then grow throughout.",
    },
    Parameter {
        name: "servers_of",
        symbol: "servers of streams",
        unit: "",
        kind: Kind::Samples {
            min: 1.0,
            max: MOST_SERVERS as f64,
            most: MOST_STREAMS as usize,
            laws: &[],
        },
        default: Some(Default::Numbers(&[])),
        help: "The server of each stream, counted from 1, with allocation \"given\": a list or a column of a CSV file.",
    },
    Parameter {
        name: "server",
        symbol: "server",
        unit: "",
        kind: Kind::Choice(&["mm1", "mm1k", "mg1", "mmcc", "mmck"]),
        default: Some(Default::Word("mm1")),
        help: "A queue first come first served (\"mm1\"; \"mg1\" with `service_scv`; \"mm1k\" with `room`), or `connections` at a time without a queue (\"mmcc\") or with one (\"mmck\" with `room`).",
    },
    SERVICE_SCV,
    ROOM,
    CONNECTIONS,
    Parameter {
        name: "allow_unstable",
        symbol: "unstable",
        unit: "",
        kind: Kind::Flag,
        default: Some(Default::Flag(false)),
        help: "Whether a farm with a queue that is known to grow for ever is simulated all the same.",
    },
    Parameter {
        name: "bins_an_octave",
        symbol: "bins",
        unit: "",
        kind: Kind::Integer {
            min: 1,
            max: MOST_BINS,
        },
        default: Some(Default::Number(32.0)),
        help: "Bins of the histogram of delays in each octave, a power of two: 32 resolve 3 %.",
    },
];

/// The unit of times.
pub const TIME: &str = "mean service times";

/// Every estimate of the model.
pub static OBSERVABLES: &[Observable] = &[
    Observable {
        name: "delay_mean",
        symbol: "E[T]",
        unit: TIME,
        help: "Mean delay of an accepted request, waiting and service, in mean service times at speed 1 (by Little's law where servers have connections).",
    },
    Observable {
        name: "delay_var",
        symbol: "Var T",
        unit: "",
        help: "Variance of the delay, in squared mean service times; none where servers have connections.",
    },
    Observable {
        name: "rejected",
        symbol: "P(rejected)",
        unit: "",
        help: "Share of requests that are rejected; none where none can be.",
    },
    Observable {
        name: "rejected_worst_stream",
        symbol: "worst P(rejected)",
        unit: "",
        help: "The largest share over streams with requests: their own noise makes it large where requests are few.",
    },
    Observable {
        name: "utilisation_mean",
        symbol: "x",
        unit: "",
        help: "Work that is accepted over what all servers together can do. Time is the number of requests over their rate, of events over the rate of events.",
    },
    Observable {
        name: "utilisation_max",
        symbol: "max x",
        unit: "",
        help: "The same of the busiest server; none for drawn allocations, where servers take turns.",
    },
    Observable {
        name: "utilisation_min",
        symbol: "min x",
        unit: "",
        help: "The same of the idlest server; none for drawn allocations.",
    },
    Observable {
        name: "overload",
        symbol: "P(overload)",
        unit: "",
        help: "Share of drawn allocations that offer some server its capacity or more.",
    },
];

/// What a plot may use as its x axis beside the parameters.
pub static DERIVED: &[Derived] = &[Derived {
    name: "streams_per_server",
    symbol: "n/m",
    unit: "",
    value: |point| {
        let number = |key: &str, list: &str| match point.get(list) {
            Some(Value::Numbers(values)) => values.len() as f64,
            _ => point.number(key),
        };
        Value::Number(number("streams", "rates") / number("servers", "speeds"))
    },
}];

/// The file that `queuefarm new farm` writes.
pub const STARTER: &str = include_str!("starter.toml");

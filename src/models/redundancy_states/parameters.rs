//! The parameters and observables of `redundancy-states`, as people write and read them.

use crate::models::{Default, Derived, Kind, Observable, Parameter, Value};

/// Most servers.
pub const MOST_SERVERS: u64 = 1 << 20;
/// Most bins an octave.
pub const MOST_BINS: u64 = 1_024;

/// Every parameter of the model.
pub static PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "servers",
        symbol: "N",
        unit: "",
        kind: Kind::Integer {
            min: 1,
            max: MOST_SERVERS,
        },
        default: None,
        help: "Servers, each with its own first-come first-served queue.",
    },
    Parameter {
        name: "copies",
        symbol: "d",
        unit: "",
        kind: Kind::Integer {
            min: 1,
            max: MOST_SERVERS,
        },
        default: None,
        help: "Distinct servers, drawn uniformly, that each job goes to.",
    },
    Parameter {
        name: "load",
        symbol: "ρ",
        unit: "",
        kind: Kind::Real {
            min: 1e-6,
            max: 100.0,
        },
        default: None,
        help: "Arrival rate of jobs times mean size, per server: λ E[S] = ρ, below 1.",
    },
    Parameter {
        name: "start",
        symbol: "start",
        unit: "",
        kind: Kind::Choice(&["empty", "stationary"]),
        default: Some(Default::Word("empty")),
        help: "No jobs, or a state drawn from the stationary law, which needs no warm-up (but for response times: those of the jobs that are there at the start are not known).",
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
        help: "Bins of the histogram of response times in each octave, a power of two: 32 resolve 3 %.",
    },
];

/// Every estimate of the model.
pub static OBSERVABLES: &[Observable] = &[
    Observable {
        name: "response_mean",
        symbol: "E[T]",
        unit: "mean service times",
        help: "Mean response time of a job; none where a job of a stationary start left in the measured span.",
    },
    Observable {
        name: "response_var",
        symbol: "Var T",
        unit: "",
        help: "Variance of the response time, in squared mean service times.",
    },
    Observable {
        name: "queue_mean",
        symbol: "E[L]",
        unit: "",
        help: "Mean number of jobs at one server, d E[X] / N.",
    },
    Observable {
        name: "queue_normalised",
        symbol: "Q",
        unit: "",
        help: "The same as a multiple of ρ/(1-ρ), what it is without redundancy.",
    },
    Observable {
        name: "jobs_mean",
        symbol: "E[X]",
        unit: "",
        help: "Mean number of jobs present.",
    },
    Observable {
        name: "busy_mean",
        symbol: "E[busy]",
        unit: "",
        help: "Mean number of busy servers.",
    },
    Observable {
        name: "p_empty",
        symbol: "P(X=0)",
        unit: "",
        help: "Share of time without any job.",
    },
    Observable {
        name: "collisions_mean",
        symbol: "E[k]",
        unit: "",
        help: "Mean number of busy servers among the d of an arriving job.",
    },
];

/// What a plot may use as its x axis beside the parameters.
pub static DERIVED: &[Derived] = &[Derived {
    name: "slack",
    symbol: "1 - ρ",
    unit: "",
    value: |point| Value::Number(1.0 - point.number("load")),
}];

/// The file that `queuefarm new redundancy-states` writes.
pub const STARTER: &str = include_str!("starter.toml");

/// Every law that stands beside an estimate is exact.
pub const EXACT: &[&str] = &[
    "response_mean",
    "response_var",
    "queue_mean",
    "queue_normalised",
    "jobs_mean",
    "busy_mean",
    "p_empty",
    "collisions_mean",
];

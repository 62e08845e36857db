//! The parameters that models of selfish traffic share.
//!
//! Owns their declarations, one constant each, so that every model lists those it takes.

use crate::models::{Default, Derived, Kind, Parameter, Point, Value};

/// Most servers.
pub const MOST_SERVERS: u64 = 4_096;
/// Most streams.
pub const MOST_STREAMS: u64 = 65_536;
/// Laws that rates and speeds are drawn from, all of mean 1 before they are scaled.
pub const LAWS: &[&str] = &["uniform", "exponential", "pareto"];
/// Largest rate, speed or cost that may be given.
const LARGEST: f64 = 1e12;

/// A real parameter.
pub const fn real(min: f64, max: f64) -> Kind {
    Kind::Real { min, max }
}

/// m.
pub const SERVERS: Parameter = Parameter {
    name: "servers",
    symbol: "m",
    unit: "",
    kind: Kind::Integer {
        min: 0,
        max: MOST_SERVERS,
    },
    default: Some(Default::Number(0.0)),
    help: "Servers; 0 for as many as `speeds` lists.",
};

/// n.
pub const STREAMS: Parameter = Parameter {
    name: "streams",
    symbol: "n",
    unit: "",
    kind: Kind::Integer {
        min: 0,
        max: MOST_STREAMS,
    },
    default: Some(Default::Number(0.0)),
    help: "Streams, each of which chooses servers for all its requests; 0 for as many as `rates` lists.",
};

/// rho.
pub const LOAD: Parameter = Parameter {
    name: "load",
    symbol: "ρ",
    unit: "",
    kind: real(0.0, 1000.0),
    default: Some(Default::Number(0.0)),
    help: "Sum of all rates over the capacity of all servers; rates are scaled to it. 0 takes rates and speeds as given, in one unit.",
};

/// s_j.
pub const SPEEDS: Parameter = Parameter {
    name: "speeds",
    symbol: "s",
    unit: "",
    kind: Kind::Samples {
        min: 1e-9,
        max: LARGEST,
        most: MOST_SERVERS as usize,
        laws: LAWS,
    },
    default: Some(Default::Number(1.0)),
    help: "Speed of each server: one number for all, a list, a column of a CSV file, or the law to draw them from (\"uniform\" on (0, 2), \"exponential\", \"pareto\" with exponent 1.5 on a range of 1 to 1000).",
};

/// lambda_i.
pub const RATES: Parameter = Parameter {
    name: "rates",
    symbol: "λ",
    unit: "",
    kind: Kind::Samples {
        min: 0.0,
        max: LARGEST,
        most: MOST_STREAMS as usize,
        laws: LAWS,
    },
    default: Some(Default::Number(1.0)),
    help: "Rate of each stream: one number for all, a list, a column of a CSV file, or the law to draw them from (as for `speeds`).",
};

/// The seed of what is drawn once for all replicas.
pub const INSTANCE_SEED: Parameter = Parameter {
    name: "instance_seed",
    symbol: "instance seed",
    unit: "",
    kind: Kind::Integer {
        min: 0,
        max: 1 << 53,
    },
    default: Some(Default::Number(0.0)),
    help: "Seed of the rates and speeds that are drawn from laws: equal seeds draw equal instances, whatever the seed of the run.",
};

/// The costs to estimate.
pub const COSTS: Parameter = Parameter {
    name: "costs",
    symbol: "costs",
    unit: "",
    kind: Kind::Choices(super::COSTS),
    default: Some(Default::Words(&["mm1", "erlang_b"])),
    help: "Costs of a server as functions of its utilisation: x^k, the delay of M/M/1 or M/G/1, the rejections of M/M/1/K or of a server with c connections, e^(a x), or a table.",
};

/// k.
pub const POWER: Parameter = Parameter {
    name: "power",
    symbol: "k",
    unit: "",
    kind: real(0.0, 100.0),
    default: Some(Default::Number(2.0)),
    help: "Exponent of the cost \"power\", x^k.",
};

/// The squared coefficient of variation of service times.
pub const SERVICE_SCV: Parameter = Parameter {
    name: "service_scv",
    symbol: "c²",
    unit: "",
    kind: real(0.0, 1000.0),
    default: Some(Default::Number(4.0)),
    help: "Squared coefficient of variation of service times with M/G/1.",
};

/// K.
pub const ROOM: Parameter = Parameter {
    name: "room",
    symbol: "K",
    unit: "requests",
    kind: Kind::Integer {
        min: 1,
        max: 100_000,
    },
    default: Some(Default::Number(10.0)),
    help: "Requests that a server has room for, the one in service included, with M/M/1/K.",
};

/// c.
pub const CONNECTIONS: Parameter = Parameter {
    name: "connections",
    symbol: "c",
    unit: "",
    kind: Kind::Integer {
        min: 1,
        max: 100_000,
    },
    default: Some(Default::Number(10.0)),
    help: "Connections of a server that rejects when all are taken (Erlang B).",
};

/// a.
pub const EXPONENT: Parameter = Parameter {
    name: "exponent",
    symbol: "a",
    unit: "",
    kind: real(0.0, 100.0),
    default: Some(Default::Number(1.0)),
    help: "Exponent of the cost \"exponential\", e^(a x).",
};

/// Loads of the cost table.
pub const TABLE_LOAD: Parameter = Parameter {
    name: "table_load",
    symbol: "x",
    unit: "",
    kind: Kind::Samples {
        min: 0.0,
        max: LARGEST,
        most: 10_000,
        laws: &[],
    },
    default: Some(Default::Numbers(&[])),
    help: "Utilisations of the points of the cost \"table\", increasing: a list or a column of a CSV file.",
};

/// Costs of the cost table.
pub const TABLE_COST: Parameter = Parameter {
    name: "table_cost",
    symbol: "f",
    unit: "",
    kind: Kind::Samples {
        min: 0.0,
        max: LARGEST,
        most: 10_000,
        laws: &[],
    },
    default: Some(Default::Numbers(&[])),
    help: "Costs at these utilisations, non-decreasing; lines between them, constant outside.",
};

/// n/m, for the axes of plots.
pub const STREAMS_PER_SERVER: Derived = Derived {
    name: "streams_per_server",
    symbol: "n / m",
    unit: "",
    value: |point| {
        let servers = number_of(point, "servers", "speeds");
        Value::Number(number_of(point, "streams", "rates") / servers)
    },
};

/// How many there are, from their number or the length of their list.
pub fn number_of(point: &Point, key: &str, list: &str) -> f64 {
    match point.get(list) {
        Some(Value::Numbers(values)) => values.len() as f64,
        _ => point.number(key),
    }
}

//! The parameters and observables of `selfish-mixed`, as people write and read them.

use crate::models::selfish::parameters as shared;
use crate::models::{Default, Derived, Kind, Observable, Parameter, Value};
use crate::theory::selfish::{Cost, guarantee};

/// Most units of rate of all streams together.
pub const MOST_UNITS: u64 = 65_536;

/// Every parameter of the model.
pub static PARAMETERS: &[Parameter] = &[
    shared::SERVERS,
    shared::STREAMS,
    shared::LOAD,
    shared::SPEEDS,
    shared::RATES,
    shared::INSTANCE_SEED,
    Parameter {
        name: "strategy",
        symbol: "strategy",
        unit: "",
        kind: Kind::Choice(&["uniform", "fully_mixed", "matrix"]),
        default: Some(Default::Word("uniform")),
        help: "What streams draw their servers from: all servers alike; the equilibrium in which every stream uses every server, for a cost that is load over speed; or `strategy_matrix`.",
    },
    Parameter {
        name: "strategy_matrix",
        symbol: "p",
        unit: "",
        kind: Kind::Samples {
            min: 0.0,
            max: 1.0,
            most: 1 << 18,
            laws: &[],
        },
        default: Some(Default::Numbers(&[])),
        help: "The chance of each server for the first stream, then for the second, and so on: a list, or columns of a CSV file with a line for each stream, { file = \"strategy.csv\", columns = [\"s1\", \"s2\"] }. Each stream's sum to 1.",
    },
    Parameter {
        name: "resolution",
        symbol: "resolution",
        unit: "",
        kind: Kind::Integer {
            min: 2,
            max: MOST_UNITS,
        },
        default: Some(Default::Number(4096.0)),
        help: "Most units of rate that all streams have together: rates that differ are rounded to 1/4096 of their sum, unless a coarser unit holds them exactly. Equal rates are exact.",
    },
    shared::COSTS,
    shared::POWER,
    shared::SERVICE_SCV,
    shared::ROOM,
    shared::CONNECTIONS,
    shared::EXPONENT,
    shared::TABLE_LOAD,
    shared::TABLE_COST,
];

/// Observables that are there for each cost, after the three of the loads.
pub const EACH_COST: usize = 5;
/// Estimates before those of costs.
pub const OF_LOADS: usize = 4;

macro_rules! observables {
    ($($cost:literal,)*) => {
        &[
            Observable {
                name: "load_max",
                symbol: "E max x",
                unit: "",
                help: "Mean utilisation of the busiest server: its load over its capacity.",
            },
            Observable {
                name: "overload",
                symbol: "P(overload)",
                unit: "",
                help: "Share of profiles with some server at or above its capacity.",
            },
            Observable {
                name: "stream_overload",
                symbol: "P(stream overloaded)",
                unit: "",
                help: "Share of profiles in which a stream's server is at or above its capacity, for the stream that fares worst.",
            },
            Observable {
                name: "optimum_exact",
                symbol: "optimum exact",
                unit: "",
                help: "1 where the best assignment is known exactly, 0 where a lower bound stands for it in `price` and `degradation`, which are then upper bounds.",
            },
            $(
                Observable {
                    name: concat!("cost_max_", $cost),
                    symbol: concat!("E max f, ", $cost),
                    unit: "",
                    help: concat!("Mean cost (", $cost, ") of the server where it is largest; none where that was infinite in some profile, whose share is `overload`. Where one server could not take all streams, the true mean of such a cost is infinite, seen or not."),
                },
                Observable {
                    name: concat!("cost_average_", $cost),
                    symbol: concat!("E avg f, ", $cost),
                    unit: "",
                    help: concat!("Mean cost (", $cost, ") of a request: servers weighted by their load; none where it was infinite in some profile: see `overload`."),
                },
                Observable {
                    name: concat!("cost_worst_stream_", $cost),
                    symbol: concat!("max E f, ", $cost),
                    unit: "",
                    help: concat!("Mean cost (", $cost, ") of a stream, for the one that fares worst; none where it was infinite in some profile: see `stream_overload`."),
                },
                Observable {
                    name: concat!("price_", $cost),
                    symbol: concat!("E max f / f(opt), ", $cost),
                    unit: "",
                    help: concat!("Price: mean cost (", $cost, ") of the server where it is largest, over that of the best assignment of streams; see `optimum_exact`."),
                },
                Observable {
                    name: concat!("degradation_", $cost),
                    symbol: concat!("s, ", $cost),
                    unit: "",
                    help: concat!("Bandwidth degradation: how many times faster all servers must be for the mean largest cost (", $cost, ") to be that of the best assignment at the old speed."),
                },
            )*
        ]
    };
}

/// Every estimate of the model: four of loads, then [`EACH_COST`] for each of the costs.
pub static OBSERVABLES: &[Observable] = observables! {
    "power",
    "mm1",
    "mg1",
    "mm1k",
    "erlang_b",
    "exponential",
    "table",
};

/// Every law that stands beside an estimate is exact.
pub const EXACT: &[&str] = &[
    "load_max",
    "overload",
    "stream_overload",
    "cost_max_power",
    "cost_average_power",
    "cost_worst_stream_power",
    "price_power",
    "degradation_power",
    "cost_max_mm1",
    "cost_average_mm1",
    "cost_worst_stream_mm1",
    "price_mm1",
    "degradation_mm1",
    "cost_max_mg1",
    "cost_average_mg1",
    "cost_worst_stream_mg1",
    "price_mg1",
    "degradation_mg1",
    "cost_max_mm1k",
    "cost_average_mm1k",
    "cost_worst_stream_mm1k",
    "price_mm1k",
    "degradation_mm1k",
    "cost_max_erlang_b",
    "cost_average_erlang_b",
    "cost_worst_stream_erlang_b",
    "price_erlang_b",
    "degradation_erlang_b",
    "cost_max_exponential",
    "cost_average_exponential",
    "cost_worst_stream_exponential",
    "price_exponential",
    "degradation_exponential",
    "cost_max_table",
    "cost_average_table",
    "cost_worst_stream_table",
    "price_table",
    "degradation_table",
];

/// What a plot may use beside the parameters: the number of streams a server, and what no stream pays more than in any
/// Nash equilibrium of equal servers (docs/theory.md, "selfish").
pub static DERIVED: &[Derived] = &[
    shared::STREAMS_PER_SERVER,
    Derived {
        name: "guarantee_erlang_b",
        symbol: "guarantee",
        unit: "",
        value: |point| {
            let load = point.number("load");
            let [servers, streams] = [("servers", "speeds"), ("streams", "rates")]
                .map(|(key, list)| shared::number_of(point, key, list));
            // Equal streams, which the guarantee takes as the largest, too.
            let stream = load * servers / streams;
            let cost = Cost::ErlangB {
                connections: point.number("connections") as u32,
            };
            let bound = guarantee(&cost, stream, stream, load);
            Value::Number(bound.map_or(f64::NAN, |bound| bound.cost))
        },
    },
];

/// The file that `queuefarm new selfish-mixed` writes.
pub const STARTER: &str = include_str!("starter.toml");

#[cfg(test)]
mod tests {
    use super::{EACH_COST, OBSERVABLES, OF_LOADS};
    use crate::models::selfish::COSTS;

    #[test]
    fn every_cost_has_its_estimates_in_the_order_of_the_list_of_costs() {
        let names: Vec<&str> = OBSERVABLES.iter().map(|o| o.name).collect();
        for (group, cost) in names[OF_LOADS..].chunks(EACH_COST).zip(COSTS) {
            let kinds = [
                "cost_max",
                "cost_average",
                "cost_worst_stream",
                "price",
                "degradation",
            ];
            let expected = kinds.map(|kind| format!("{kind}_{cost}"));
            assert_eq!(group, expected);
        }
        assert_eq!(names.len(), OF_LOADS + EACH_COST * COSTS.len());
    }
}

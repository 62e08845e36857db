//! `queuefarm theory selfish`: what selfish traffic costs on a farm of equal servers.
//!
//! Owns which numbers are printed. The formulas are in `theory::selfish`, the parameters in `parameters`.

mod parameters;

use super::{align, table};
use crate::cli::{Failure, output};
use crate::report::number::significant;
use crate::theory::selfish::{
    Cost, Degradation, Guarantee, Instance, degradation_mixed, degradation_pure, guarantee,
    price_bound, pure_price, ratio, small_load_ratio, worst_at,
};
use parameters::Parameters;
use serde_json::json;

/// Prints the law as a table or as JSON.
pub(super) fn run(set: &[String], json: bool) -> Result<(), Failure> {
    let answer = Answer::new(parameters::read(set)?);
    if json {
        output::print_json(&answer.describe())
    } else {
        output::print(&answer.text())
    }
}

/// Everything that is printed.
struct Answer {
    parameters: Parameters,
    price_bound: Option<f64>,
    price_pure: Option<f64>,
    worst: Instance,
    cost_max: f64,
    cost_stream: f64,
    optimum: f64,
    overload: f64,
    stream_overload: f64,
    degradation: Option<f64>,
    small_load_ratio: Option<f64>,
    mixed: Degradation,
    pure: Degradation,
    guarantee: Option<Guarantee>,
}

impl Answer {
    fn new(parameters: Parameters) -> Answer {
        let Parameters {
            servers,
            streams,
            load,
            ref cost,
            ref mixed,
        } = parameters;
        let stream = mixed.utilisation(1);
        let ratio_exponent = match cost {
            Cost::ErlangB { connections: c } | Cost::Mm1k { room: c } => Some(*c),
            _ => None,
        };
        Answer {
            price_bound: price_bound(cost, servers),
            price_pure: pure_price(cost, servers),
            worst: worst_at(cost, servers, load),
            cost_max: mixed.cost_max(cost),
            cost_stream: mixed.cost_stream(cost),
            optimum: mixed.optimum(cost),
            overload: mixed.overload(cost.capacity()),
            stream_overload: mixed.stream_overload(cost.capacity()),
            degradation: mixed.degradation(cost),
            small_load_ratio: ratio_exponent.and_then(|c| small_load_ratio(servers, streams, c)),
            mixed: degradation_mixed(cost, servers),
            pure: degradation_pure(cost, servers),
            guarantee: guarantee(cost, stream, stream, load),
            parameters,
        }
    }

    fn describe(&self) -> serde_json::Value {
        let of = &self.parameters;
        json!({
            "servers": of.servers,
            "streams": of.streams,
            "load": of.load,
            "cost": of.cost.name(),
            "doubling": of.cost.doubling(),
            "price_bounded": self.price_bound.is_some(),
            "price_bound": self.price_bound,
            "price_pure": self.price_pure,
            "worst_pure": {
                "nash": self.worst.nash,
                "optimum": self.worst.optimum,
                "ratio": self.ratio(self.worst.nash, self.worst.optimum),
                "utilisation": self.worst.utilisation,
                "nash_load": self.worst.nash_load,
            },
            "mixed": {
                "load_max": self.load_max(),
                "cost_max": self.cost_max,
                "cost_average": self.cost_stream,
                "cost_stream": self.cost_stream,
                "overload": self.overload,
                "stream_overload": self.stream_overload,
                "optimum": self.optimum,
                "ratio": self.ratio(self.cost_max, self.optimum),
                "degradation": self.degradation,
                "small_load_ratio": self.small_load_ratio,
            },
            "degradation_mixed": self.mixed.factor,
            "degradation_mixed_exact": self.mixed.exact,
            "degradation_pure": self.pure.factor,
            "degradation_pure_exact": self.pure.exact,
            "guarantee": self.guarantee.map(|bound| bound.cost),
            "guarantee_delta": self.guarantee.map(|bound| bound.delta),
        })
    }

    /// One cost over another; no value where a bounded price would be infinite, as the costs are too small for f64.
    fn ratio(&self, cost: f64, optimum: f64) -> Option<f64> {
        let bounded = self.price_bound.is_some();
        ratio(cost, optimum).filter(|ratio| ratio.is_finite() || !bounded)
    }

    /// The mean utilisation of the fullest server.
    fn load_max(&self) -> f64 {
        self.parameters.mixed.fullest().mean() * self.parameters.mixed.utilisation(1)
    }

    fn text(&self) -> String {
        let of = &self.parameters;
        let mut text = format!(
            "selfish: m = {} equal servers, load rho = {}, cost {}\n",
            of.servers,
            of.load,
            of.cost.name()
        );
        let doubling = bound(of.cost.doubling());
        text.push_str(&section(
            "at any load",
            &[
                (
                    "doubling",
                    doubling,
                    "sup f(2x)/f(x); the price is bounded where this is finite",
                ),
                (
                    "price_bound",
                    bound(self.price_bound),
                    "no Nash equilibrium costs more times the optimum",
                ),
                (
                    "price_pure",
                    bound(self.price_pure),
                    "the worst pure one does",
                ),
                (
                    "degradation_mixed",
                    factor(self.mixed),
                    "servers so many times faster make up for selfishness",
                ),
                (
                    "degradation_pure",
                    factor(self.pure),
                    ".. if streams do not mix",
                ),
            ],
        ));
        text.push_str(&section(
            "worst pure equilibrium at this load, over all streams",
            &[
                (
                    "nash",
                    shown(self.worst.nash),
                    "its largest cost of a server",
                ),
                (
                    "optimum",
                    shown(self.worst.optimum),
                    "that of the best assignment",
                ),
                (
                    "ratio",
                    share(self.ratio(self.worst.nash, self.worst.optimum)),
                    "one over the other",
                ),
                (
                    "nash_load",
                    shown(self.worst.nash_load),
                    "utilisation of its fullest server",
                ),
            ],
        ));
        let stream = format!(
            "{} equal streams, each on a server drawn uniformly",
            of.streams
        );
        let degradation = share(self.degradation);
        let mut mixed = vec![
            (
                "load_max",
                shown(self.load_max()),
                "mean utilisation of the fullest server",
            ),
            (
                "cost_max",
                shown(self.cost_max),
                "mean of the largest cost of a server",
            ),
            (
                "cost_stream",
                shown(self.cost_stream),
                "mean cost of a stream, and cost_average, weighted by traffic",
            ),
            (
                "overload",
                shown(self.overload),
                "chance that the cost of some server is infinite",
            ),
            (
                "stream_overload",
                shown(self.stream_overload),
                ".. of the server of a given stream",
            ),
            (
                "optimum",
                shown(self.optimum),
                "largest cost of a server in the best assignment",
            ),
            (
                "ratio",
                share(self.ratio(self.cost_max, self.optimum)),
                "cost_max over optimum",
            ),
            (
                "degradation",
                degradation,
                "servers so many times faster cost what the optimum does",
            ),
        ];
        if let Some(limit) = self.small_load_ratio {
            mixed.push((
                "small_load_ratio",
                bound(Some(limit)),
                "cost_stream over optimum as the load falls to 0",
            ));
        }
        text.push_str(&section(&stream, &mixed));
        let most = self.guarantee.map(|bound| bound.cost);
        let most = most.map_or("none: the cost has no upper bound".to_owned(), shown);
        let what = "no stream pays more in any Nash equilibrium of streams this small";
        text.push_str(&section(
            "guarantee for every stream",
            &[("guarantee", most, what)],
        ));
        text
    }
}

/// A number, or that it is infinite.
fn shown(value: f64) -> String {
    if value == f64::INFINITY {
        "infinite".to_owned()
    } else {
        significant(value, 6)
    }
}

/// A supremum, which is finite exactly if there is one.
fn bound(supremum: Option<f64>) -> String {
    match supremum {
        None => "infinite".to_owned(),
        Some(f64::INFINITY) => "above 1e308".to_owned(),
        Some(value) => shown(value),
    }
}

/// A quotient, or `-` where it has no value.
fn share(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), shown)
}

fn factor(degradation: Degradation) -> String {
    let most = if degradation.exact { "" } else { "at most " };
    format!("{most}{}", shown(degradation.factor))
}

fn section(title: &str, rows: &[(&str, String, &str)]) -> String {
    let mut values = table(&["quantity", "value", "meaning"]);
    for (name, value, meaning) in rows {
        values.add_row([*name, value, *meaning]);
    }
    align(&mut values, 1);
    format!("\n{title}\n{values}\n")
}

//! What a stream pays on a server, as a function of how busy the server is.
//!
//! Owns the list of costs that models, theory, summary and plot share: names, values, growth and capacity. Does not own
//! parameters and files that costs come from, nor what a farm makes of a cost.

use super::queue::{erlang_b, mg1_wait, mm1_delay, mm1k_rejected};

/// The names of all costs, as files write them, in the order in which they are shown.
pub const COSTS: [&str; 7] = [
    "power",
    "mm1",
    "mg1",
    "mm1k",
    "erlang_b",
    "exponential",
    "table",
];

/// A cost: non-decreasing in the utilisation x >= 0 of a server, its load over its capacity. Service times have mean 1.
#[derive(Debug, Clone, PartialEq)]
pub enum Cost {
    /// x^k, k >= 0.
    Power(f64),
    /// Mean delay of an M/M/1 queue, 1/(1-x); infinite from x = 1 on.
    Mm1,
    /// Mean delay of an M/G/1 queue (Pollaczek-Khinchin), infinite from x = 1 on.
    Mg1 {
        /// Variance of a service time over its squared mean, at least 0.
        scv: f64,
    },
    /// Share of requests that an M/M/1/K queue rejects.
    Mm1k {
        /// Most requests in the system, K >= 1.
        room: u32,
    },
    /// Share of requests that a server with c connections rejects, each connection offered x (Erlang B).
    ErlangB {
        /// Connections, c >= 1.
        connections: u32,
    },
    /// e^(a x), a >= 0.
    Exponential(f64),
    /// Straight lines through points, constant outside them; [`Cost::table`] checks them.
    Table {
        /// Utilisations, at least 0, each larger than the one before.
        loads: Vec<f64>,
        /// The cost at each, at least 0 and at least the one before.
        costs: Vec<f64>,
    },
}

impl Cost {
    /// A table through the points (`loads[i]`, `costs[i]`), or what is wrong with them.
    ///
    /// # Errors
    /// Lists of different lengths, fewer than two points, numbers that are negative or not finite, loads that do not
    /// increase, costs that decrease.
    pub fn table(loads: Vec<f64>, costs: Vec<f64>) -> Result<Cost, String> {
        if loads.len() != costs.len() {
            return Err(format!(
                "{} loads but {} costs; a table needs one cost for each load",
                loads.len(),
                costs.len()
            ));
        }
        if loads.len() < 2 {
            return Err("a table needs at least two points, loads and costs".to_owned());
        }
        for (what, list) in [("load", &loads), ("cost", &costs)] {
            let bad = list.iter().position(|v| !v.is_finite() || *v < 0.0);
            if let Some(at) = bad {
                return Err(format!(
                    "{what} {} is {}; expected a number of at least 0",
                    at + 1,
                    list[at]
                ));
            }
        }
        if let Some(at) = loads.windows(2).position(|pair| pair[1] <= pair[0]) {
            return Err(format!(
                "load {} is {}, not more than the one before, {}; sort the points by load, each load once",
                at + 2,
                loads[at + 1],
                loads[at]
            ));
        }
        if let Some(at) = costs.windows(2).position(|pair| pair[1] < pair[0]) {
            return Err(format!(
                "cost {} is {}, less than the one before, {}; a busier server must not cost less",
                at + 2,
                costs[at + 1],
                costs[at]
            ));
        }
        Ok(Cost::Table { loads, costs })
    }

    /// Its name in files, one of [`COSTS`].
    pub fn name(&self) -> &'static str {
        let which = match self {
            Cost::Power(_) => 0,
            Cost::Mm1 => 1,
            Cost::Mg1 { .. } => 2,
            Cost::Mm1k { .. } => 3,
            Cost::ErlangB { .. } => 4,
            Cost::Exponential(_) => 5,
            Cost::Table { .. } => 6,
        };
        COSTS[which]
    }

    /// f(x) for a utilisation x >= 0, infinite beyond the capacity.
    pub fn at(&self, x: f64) -> f64 {
        match self {
            Cost::Power(k) => libm::pow(x, *k),
            Cost::Mm1 => mm1_delay(x),
            Cost::Mg1 { scv } => 1.0 + mg1_wait(x, *scv),
            Cost::Mm1k { room } => mm1k_rejected(*room, x),
            Cost::ErlangB { connections } => erlang_b(*connections, f64::from(*connections) * x),
            Cost::Exponential(a) => libm::exp(a * x),
            Cost::Table { loads, costs } => interpolate(loads, costs, x),
        }
    }

    /// The doubling constant, [`Cost::growth`] by 2.
    pub fn doubling(&self) -> Option<f64> {
        self.growth(2.0)
    }

    /// The most that a load `factor` >= 1 times larger can cost over what it did: sup of f(factor x)/f(x) over x > 0
    /// (0/0 is 1), `None` if that is infinite. Where it is finite but beyond f64 (2^c with c > 1023 connections) it is
    /// `Some(f64::INFINITY)`. Derived in docs/theory.md, "selfish: costs".
    pub fn growth(&self, factor: f64) -> Option<f64> {
        match self {
            _ if factor <= 1.0 => Some(1.0),
            Cost::Power(k) => Some(libm::pow(factor, *k)),
            Cost::Mm1k { room: c } | Cost::ErlangB { connections: c } => {
                Some(libm::pow(factor, f64::from(*c)))
            }
            Cost::Exponential(a) => (*a == 0.0).then_some(1.0),
            Cost::Mm1 | Cost::Mg1 { .. } => None,
            Cost::Table { loads, costs } => table_growth(loads, costs, factor),
        }
    }

    /// The least number that the cost never exceeds, `None` if there is none.
    pub fn supremum(&self) -> Option<f64> {
        match self {
            Cost::Power(0.0) | Cost::Exponential(0.0) => Some(1.0),
            Cost::Mm1k { .. } | Cost::ErlangB { .. } => Some(1.0),
            Cost::Table { costs, .. } => costs.last().copied(),
            Cost::Power(_) | Cost::Exponential(_) | Cost::Mm1 | Cost::Mg1 { .. } => None,
        }
    }

    /// The utilisation from which on the cost is infinite; `f64::INFINITY` if there is none.
    pub fn capacity(&self) -> f64 {
        match self {
            Cost::Mm1 | Cost::Mg1 { .. } => 1.0,
            _ => f64::INFINITY,
        }
    }
}

fn interpolate(loads: &[f64], costs: &[f64], x: f64) -> f64 {
    let after = loads.partition_point(|load| *load <= x);
    let point = |at: usize| Some((*loads.get(at)?, *costs.get(at)?));
    let before = after.checked_sub(1).and_then(point);
    match (before, point(after)) {
        (Some((x0, f0)), Some((x1, f1))) => f0 + (f1 - f0) * ((x - x0) / (x1 - x0)),
        (Some((_, f)), None) | (None, Some((_, f))) => f,
        (None, None) => 0.0,
    }
}

/// Between 0, the loads and these over the factor, f(factor x)/f(x) is a quotient of two straight lines, hence monotone:
/// the largest value is at one of these, or in the limit x -> 0.
fn table_growth(loads: &[f64], costs: &[f64], factor: f64) -> Option<f64> {
    let at = |x| interpolate(loads, costs, x);
    let loads = loads.iter().copied().filter(|load| *load > 0.0);
    // A line that starts in the origin grows with its load.
    let line = at(0.0) == 0.0 && loads.clone().any(|load| at(load) > 0.0);
    let mut largest: f64 = if line { factor } else { 1.0 };
    for (x, larger) in loads.flat_map(|load| [(load, factor * load), (load / factor, load)]) {
        match (at(x), at(larger)) {
            (0.0, 0.0) => {}
            (0.0, _) => return None,
            (f, more) => largest = largest.max(more / f),
        }
    }
    Some(largest)
}

#[cfg(test)]
mod tests {
    use super::Cost;

    fn table(loads: &[f64], costs: &[f64]) -> Cost {
        Cost::table(loads.to_vec(), costs.to_vec()).expect("a good table")
    }

    #[test]
    fn a_table_is_straight_between_its_points_and_constant_outside() {
        let cost = table(&[0.5, 1.0, 2.0], &[1.0, 2.0, 2.0]);
        for (x, f) in [
            (0.0, 1.0),
            (0.5, 1.0),
            (0.75, 1.5),
            (1.0, 2.0),
            (1.5, 2.0),
            (9.0, 2.0),
        ] {
            assert_eq!(cost.at(x), f);
        }
        assert_eq!(cost.doubling(), Some(2.0));
    }

    #[test]
    fn bad_tables_are_refused_in_words() {
        for (loads, costs, words) in [
            (&[0.0, 1.0][..], &[1.0][..], "2 loads but 1 costs"),
            (&[1.0], &[1.0], "at least two"),
            (&[0.0, -1.0], &[1.0, 2.0], "load 2 is -1"),
            (&[0.0, 1.0], &[1.0, f64::NAN], "cost 2 is NaN"),
            (&[0.0, 0.0], &[1.0, 2.0], "sort the points"),
            (&[0.0, 1.0], &[2.0, 1.0], "must not cost less"),
        ] {
            let said = Cost::table(loads.to_vec(), costs.to_vec()).expect_err("refused");
            assert!(said.contains(words), "{said}");
        }
    }

    #[test]
    fn no_load_makes_a_cost_grow_by_more_than_its_doubling_constant_and_some_load_by_as_much() {
        for cost in [
            Cost::Power(2.0),
            Cost::Power(0.0),
            Cost::Mm1k { room: 4 },
            Cost::ErlangB { connections: 3 },
            table(&[0.0, 1.0, 2.0], &[0.0, 1.0, 5.0]),
            table(&[0.0, 0.3, 1.0], &[0.1, 0.2, 7.0]),
            table(&[0.2, 0.7], &[3.0, 3.0]),
        ] {
            let bound = cost.doubling().expect("bounded");
            let ratios = (1..40_000).map(|i| f64::from(i) * 1e-4);
            let largest = ratios
                .map(|x| cost.at(2.0 * x) / cost.at(x))
                .fold(0.0, f64::max);
            assert!(largest <= bound * (1.0 + 1e-12), "{cost:?} {largest}");
            assert!(largest >= bound * (1.0 - 2e-3), "{cost:?} {largest}");
        }
    }

    #[test]
    fn costs_without_a_doubling_constant_grow_past_any_factor() {
        for (cost, x) in [
            (Cost::Mm1, 0.5 - 1e-9),
            (Cost::Mg1 { scv: 0.0 }, 0.5 - 1e-9),
            (Cost::Exponential(1.0), 20.0),
            (table(&[1.0, 2.0], &[0.0, 1.0]), 1.0),
        ] {
            assert_eq!(cost.doubling(), None);
            assert!(cost.at(2.0 * x) > 1e8 * cost.at(x), "{cost:?}");
        }
    }

    #[test]
    fn delays_are_infinite_from_the_capacity_on() {
        for cost in [Cost::Mm1, Cost::Mg1 { scv: 4.0 }] {
            assert_eq!(cost.capacity(), 1.0);
            assert_eq!(cost.at(1.0), f64::INFINITY);
            assert!(cost.at(1.0 - 1e-12).is_finite());
        }
        assert_eq!(Cost::Power(2.0).capacity(), f64::INFINITY);
        assert_eq!(Cost::Mg1 { scv: 1.0 }.at(0.75), Cost::Mm1.at(0.75));
    }
}

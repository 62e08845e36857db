//! The costs of a point.
//!
//! Owns how parameters become costs; the costs themselves are in `theory::selfish`.

use crate::models::{Point, Problem};
use crate::theory::selfish::{self, Cost};

/// The names of all costs.
pub const COSTS: &[&str] = &selfish::COSTS;

/// The costs named in `costs`, in that order.
///
/// # Errors
/// A table that is no non-decreasing function.
pub fn costs(point: &Point) -> Result<Vec<Cost>, Problem> {
    (point.words("costs").into_iter())
        .map(|name| cost(point, name))
        .collect()
}

fn cost(point: &Point, name: &str) -> Result<Cost, Problem> {
    let whole = |key| point.number(key) as u32;
    Ok(match name {
        "power" => Cost::Power(point.number("power")),
        "mm1" => Cost::Mm1,
        "mg1" => Cost::Mg1 {
            scv: point.number("service_scv"),
        },
        "mm1k" => Cost::Mm1k {
            room: whole("room"),
        },
        "erlang_b" => Cost::ErlangB {
            connections: whole("connections"),
        },
        "exponential" => Cost::Exponential(point.number("exponent")),
        _ => {
            let [loads, costs] = ["table_load", "table_cost"].map(|key| point.numbers(key));
            Cost::table(loads, costs).map_err(|wrong| Problem::new("table_cost", wrong))?
        }
    })
}

//! Configurations that together use every option of `selfish-mixed`, for comparing engines by equality.

use super::parameters::PARAMETERS;
use crate::models::{Point, Value};

/// Rates or speeds: alike for all, a list, or a law.
enum Given {
    Alike,
    List(&'static [f64]),
    Law(&'static str),
}

use Given::{Alike, Law, List};

/// Servers, streams, speeds, rates, strategy, resolution, duration.
type Case = (u32, u32, Given, Given, &'static str, u32, u32);

const CASES: &[Case] = &[
    (10, 10, Alike, Alike, "uniform", 4096, 60),
    (1, 1, Alike, Alike, "uniform", 4096, 7),
    (1, 5, Alike, Alike, "fully_mixed", 4096, 7),
    (7, 2, Alike, Alike, "uniform", 4096, 31),
    (3, 501, Alike, Alike, "uniform", 4096, 11),
    (130, 97, Alike, Alike, "uniform", 4096, 12),
    (
        4,
        0,
        Alike,
        List(&[1.0, 0.0, 2.0, 2.0, 0.0]),
        "uniform",
        64,
        40,
    ),
    (0, 6, List(&[1.0, 2.0, 1.0]), Alike, "uniform", 4096, 40),
    (
        0,
        6,
        List(&[5.0, 6.0, 5.0, 6.0]),
        Alike,
        "fully_mixed",
        4096,
        40,
    ),
    (
        0,
        0,
        List(&[9.0, 10.0, 11.0]),
        List(&[3.0, 0.0, 4.0, 3.0, 5.0, 4.5]),
        "fully_mixed",
        4096,
        40,
    ),
    (6, 3, Alike, Alike, "matrix", 4096, 50),
    (
        0,
        0,
        List(&[1.0, 0.5, 1e-3]),
        List(&[3.0, 0.0, 1.0]),
        "matrix",
        100,
        50,
    ),
    (9, 21, Law("exponential"), Law("pareto"), "uniform", 500, 25),
    (33, 5, Law("uniform"), Law("uniform"), "matrix", 2000, 20),
];

/// The points, numbered from zero.
pub fn grid() -> Vec<Point> {
    CASES
        .iter()
        .enumerate()
        .map(|(index, case)| point(index as u32, case))
        .collect()
}

fn point(
    index: u32,
    (servers, streams, speeds, rates, strategy, resolution, duration): &Case,
) -> Point {
    let given = |given: &Given| match given {
        Alike => Value::Number(1.0),
        List(values) => Value::Numbers(values.to_vec()),
        Law(law) => Value::Word((*law).to_owned()),
    };
    let number = |given: &Given, number: u32| match given {
        List(values) => values.len() as u32,
        _ => number,
    };
    let (m, n) = (number(speeds, *servers), number(rates, *streams));
    let value = |name: &str| match name {
        "servers" => Some(Value::Number(f64::from(*servers))),
        "streams" => Some(Value::Number(f64::from(*streams))),
        "load" => Some(Value::Number(0.6)),
        "speeds" => Some(given(speeds)),
        "rates" => Some(given(rates)),
        "strategy" => Some(Value::Word((*strategy).to_owned())),
        "strategy_matrix" if *strategy == "matrix" => Some(Value::Numbers(matrix(n, m))),
        "resolution" => Some(Value::Number(f64::from(*resolution))),
        _ => None,
    };
    Point::with_defaults(PARAMETERS, index, [0.0, f64::from(*duration)], value)
}

/// Strategies of all sorts: some servers impossible, one certain.
fn matrix(streams: u32, servers: u32) -> Vec<f64> {
    (0..streams)
        .flat_map(|i| {
            let weight = move |j: u32| match i % 3 {
                0 => f64::from((i + 2 * j) % 4),
                1 => f64::from(u8::from(j == i % servers)),
                _ => 1.0 + f64::from(i * j % 5),
            };
            let total: f64 = (0..servers).map(weight).sum();
            (0..servers).map(move |j| weight(j) / total)
        })
        .collect()
}

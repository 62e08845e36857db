//! Configurations that together use every option of `selfish-pure`, for comparing engines by equality.

use super::parameters::PARAMETERS;
use crate::models::{Point, Value};

/// Servers, streams, speeds, rates, instances, order, most moves, bins an octave, starts.
type Case = (u32, u32, Given, Given, u32, &'static str, u32, u32, u32);

/// What is given of rates or speeds.
enum Given {
    /// One number for all.
    Number(f64),
    /// A list.
    List(&'static [f64]),
    /// A law.
    Law(&'static str),
}
use Given::{Law, List, Number};

const ONE: Given = Number(1.0);

const CASES: &[Case] = &[
    (5, 12, ONE, Law("exponential"), 20, "random", 0, 128, 41),
    (5, 12, ONE, Law("exponential"), 20, "max_rate", 0, 32, 30),
    (5, 12, ONE, Law("uniform"), 3, "round_robin", 0, 32, 30),
    (
        4,
        11,
        Law("pareto"),
        Law("pareto"),
        17,
        "random",
        0,
        1024,
        40,
    ),
    (4, 9, Law("uniform"), ONE, 17, "max_rate", 0, 1, 30),
    (
        3,
        10,
        List(&[3.0, 0.25, 1.0]),
        Law("uniform"),
        5,
        "round_robin",
        0,
        32,
        31,
    ),
    // Ties and empty streams.
    (
        3,
        8,
        ONE,
        List(&[0.0, 2.0, 1.0, 1.0, 0.0, 1.0, 3.0, 0.0]),
        1,
        "random",
        0,
        32,
        40,
    ),
    (
        3,
        8,
        ONE,
        List(&[0.0, 2.0, 1.0, 1.0, 0.0, 1.0, 3.0, 0.0]),
        1,
        "max_rate",
        0,
        32,
        40,
    ),
    (
        4,
        8,
        List(&[2.0, 1.0, 1.0, 2.0]),
        List(&[0.0, 2.0, 1.0, 1.0, 0.0, 1.0, 3.0, 0.0]),
        1,
        "random",
        0,
        32,
        40,
    ),
    (4, 17, ONE, ONE, 1, "random", 0, 32, 40),
    // One server, one stream, more servers than streams.
    (1, 7, ONE, Law("uniform"), 2, "random", 0, 32, 9),
    (1, 1, ONE, ONE, 1, "round_robin", 0, 32, 2),
    (6, 1, Law("exponential"), ONE, 9, "random", 0, 32, 20),
    (70, 9, ONE, Law("exponential"), 4, "random", 0, 32, 12),
    (
        70,
        9,
        Law("exponential"),
        Law("exponential"),
        4,
        "max_rate",
        0,
        32,
        8,
    ),
    // Given up.
    (5, 20, ONE, Law("uniform"), 6, "random", 2, 32, 40),
    (
        5,
        20,
        Law("uniform"),
        Law("uniform"),
        6,
        "round_robin",
        5,
        32,
        40,
    ),
    (5, 20, ONE, ONE, 1, "max_rate", 3, 32, 40),
    // Units at the limits of their range.
    (
        3,
        5,
        List(&[1e9, 1.0, 7e8]),
        List(&[5e8, 1.0, 3e8, 7.0, 2e8]),
        1,
        "random",
        0,
        32,
        30,
    ),
    (300, 150, ONE, Law("pareto"), 2, "random", 0, 32, 3),
];

/// The points, numbered from zero.
pub fn grid() -> Vec<Point> {
    (0..)
        .zip(CASES)
        .map(|(index, case)| point(index, case))
        .collect()
}

fn point(index: u32, case: &Case) -> Point {
    let (servers, streams, speeds, rates, instances, order, moves, bins, starts) = case;
    Point::with_defaults(PARAMETERS, index, [0.0, f64::from(*starts)], |name| {
        Some(match name {
            "servers" => Value::Number(f64::from(*servers)),
            "streams" => Value::Number(f64::from(*streams)),
            "speeds" => given(speeds),
            "rates" => given(rates),
            "instances" => Value::Number(f64::from(*instances)),
            "instance_seed" => Value::Number(f64::from(index)),
            "order" => Value::Word((*order).to_owned()),
            "max_moves" => Value::Number(f64::from(*moves)),
            "bins_an_octave" => Value::Number(f64::from(*bins)),
            _ => return None,
        })
    })
}

fn given(what: &Given) -> Value {
    match what {
        Number(x) => Value::Number(*x),
        List(list) => Value::Numbers(list.to_vec()),
        Law(law) => Value::Word((*law).to_owned()),
    }
}

//! Configurations that together use every option of `redundancy-states`, for comparing engines by equality.

use super::parameters::PARAMETERS;
use crate::models::{Point, Value};

/// Servers, copies, load, start, bins an octave, warm-up, duration.
type Case = (u32, u32, f64, &'static str, u32, u32, u32);

const CASES: &[Case] = &[
    (10, 2, 0.7, "empty", 32, 37, 400),
    (10, 2, 0.7, "stationary", 32, 0, 201),
    (1, 1, 0.6, "stationary", 1, 11, 90),
    (1, 1, 0.3, "empty", 1024, 5, 80),
    (10, 1, 0.95, "stationary", 8, 20, 120),
    (10, 3, 0.95, "stationary", 16, 20, 150),
    (5, 5, 0.8, "empty", 32, 30, 150),
    (20, 20, 0.6, "stationary", 32, 7, 120),
    (9, 5, 0.9, "stationary", 64, 9, 150),
    (40, 15, 0.8, "stationary", 32, 10, 100),
    (40, 16, 0.8, "empty", 32, 40, 100),
    (300, 2, 0.5, "stationary", 32, 0, 60),
    (300, 3, 0.95, "stationary", 32, 3, 40),
    (300, 30, 0.9, "stationary", 2, 3, 50),
    (100, 5, 0.4, "empty", 4, 120, 150),
    (20_000, 17_000, 0.5, "empty", 32, 0, 3),
];

/// The points, numbered from zero.
pub fn grid() -> Vec<Point> {
    CASES
        .iter()
        .enumerate()
        .map(|(index, case)| point(index as u32, case))
        .collect()
}

fn point(index: u32, &(servers, copies, load, start, bins, warmup, duration): &Case) -> Point {
    let span = [f64::from(warmup), f64::from(duration)];
    Point::with_defaults(PARAMETERS, index, span, |name| {
        Some(match name {
            "servers" => Value::Number(f64::from(servers)),
            "copies" => Value::Number(f64::from(copies)),
            "load" => Value::Number(load),
            "start" => Value::Word(start.to_owned()),
            _ => Value::Number(f64::from(bins)),
        })
    })
}

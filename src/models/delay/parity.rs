//! Configurations that together use every option of `delay`, for comparing engines by equality.

use super::parameters::PARAMETERS;
use crate::models::{Point, Value};

enum Set {
    N(f64),
    Pair(f64, f64),
    Word(&'static str),
}
use Set::{N, Pair, Word};

/// What a configuration is about, and how it differs from the defaults.
type Case = &'static [(&'static str, Set)];

const CASES: &[Case] = &[
    &[
        ("clients", N(50.0)),
        ("information_delay", N(5.0)),
        ("disinformation", N(0.2)),
    ],
    &[
        ("clients", N(51.0)),
        ("information_delay", N(0.0)),
        ("disinformation", N(0.1)),
    ],
    &[
        ("clients", N(51.0)),
        ("information_delay", N(0.0)),
        ("information", Word("exclusive")),
    ],
    &[
        ("clients", N(40.0)),
        ("information_delay", N(3.0)),
        ("information", Word("exclusive")),
        ("ticks_per_service", N(2.0)),
        ("phase", N(1.0)),
        ("disinformation", N(0.3)),
    ],
    &[
        ("clients", N(60.0)),
        ("information_delay", N(0.0)),
        ("travel_time", N(3.0)),
        ("idle_time", N(4.0)),
        ("disinformation", N(0.25)),
    ],
    &[
        ("clients", N(60.0)),
        ("information_delay", N(40.0)),
        ("travel_time", N(2.0)),
        ("start", Word("random")),
    ],
    &[
        ("clients", N(80.0)),
        ("information_delay", N(4.0)),
        ("service_time", Pair(1.0, 2.0)),
        ("compare", Word("work")),
        ("disinformation", N(0.3)),
        ("start", Word("all_in_1")),
    ],
    &[
        ("clients", N(80.0)),
        ("information_delay", N(4.0)),
        ("service_time", Pair(1.5, 2.0)),
        ("ticks_per_service", N(2.0)),
        ("disinformation", N(0.1)),
    ],
    &[
        ("clients", N(70.0)),
        ("information_delay", N(6.0)),
        ("bias", N(0.3)),
        ("disinformation", N(0.2)),
        ("bias_period", N(14.0)),
    ],
    &[
        ("clients", N(70.0)),
        ("information_delay", N(6.0)),
        ("bias", N(0.3)),
        ("bias_kind", Word("clients")),
        ("disinformation", N(0.2)),
        ("travel_time", N(1.0)),
    ],
    &[
        ("clients", N(33.0)),
        ("information_delay", N(6.0)),
        ("bias", N(0.5)),
        ("bias_kind", Word("clients")),
        ("bias_period", N(8.0)),
        ("start", Word("random")),
    ],
    &[
        ("clients", N(60.0)),
        ("information_delay", N(5.0)),
        ("rejection", N(0.7)),
        ("bounce_limit", N(6.0)),
    ],
    &[
        ("clients", N(60.0)),
        ("information_delay", N(5.0)),
        ("load_rejection_scaled", N(0.9)),
    ],
    &[
        ("clients", N(30.0)),
        ("information_delay", N(2.0)),
        ("load_rejection", N(0.2)),
        ("bounce_limit", N(3.0)),
        ("idle_time", N(2.0)),
    ],
    &[
        ("clients", N(12.0)),
        ("information_delay", N(2.0)),
        ("load_rejection", N(1.0)),
    ],
    &[
        ("clients", N(30.0)),
        ("information_delay", N(2.0)),
        ("load_rejection", N(0.15)),
        ("bounce_limit", N(2.0)),
        ("bias", N(0.4)),
        ("bias_kind", Word("clients")),
        ("travel_time", N(2.0)),
    ],
    &[
        ("clients", N(40.0)),
        ("information_delay", N(3.0)),
        ("rejection", N(0.5)),
        ("bounce", Word("travel")),
        ("travel_time", N(2.0)),
        ("bounce_limit", N(2.0)),
    ],
    &[
        ("clients", N(40.0)),
        ("information_delay", N(3.0)),
        ("load_rejection_scaled", N(1.4)),
        ("bounce", Word("travel")),
        ("travel_time", N(1.0)),
        ("bounce_limit", N(5.0)),
        ("bias", N(0.25)),
        ("bias_kind", Word("clients")),
        ("start", Word("random")),
    ],
    &[
        ("clients", N(20.0)),
        ("information_delay", N(1.0)),
        ("rejection", N(1.0)),
        ("bounce_limit", N(0.0)),
    ],
    &[
        ("clients", N(1.0)),
        ("information_delay", N(1.0)),
        ("disinformation", N(0.5)),
    ],
    &[
        ("clients", N(20_000.0)),
        ("information_delay", N(300.0)),
        ("disinformation", N(0.4)),
        ("start", Word("random")),
    ],
    &[
        ("clients", N(200.0)),
        ("information_delay", N(15.0)),
        ("ticks_per_service", N(100.0)),
        ("phase", N(37.0)),
        ("disinformation", N(0.3)),
    ],
];

/// The points, numbered from zero.
pub fn grid() -> Vec<Point> {
    let point = |(index, case): (u32, &&[(&str, Set)])| {
        Point::with_defaults(PARAMETERS, index, [37.0, 201.0], |name| {
            let (_, set) = case.iter().find(|(known, _)| *known == name)?;
            Some(match set {
                N(x) => Value::Number(*x),
                Pair(x, y) => Value::Numbers(vec![*x, *y]),
                Word(word) => Value::Word((*word).to_owned()),
            })
        })
    };
    (0..).zip(CASES).map(point).collect()
}

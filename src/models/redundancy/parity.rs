//! Configurations that together use every option of `redundancy`, for comparing engines by equality.

use super::parameters::PARAMETERS;
use crate::models::{Point, Value};

enum Set {
    N(f64),
    List(&'static [f64]),
    Word(&'static str),
    Flag(bool),
}
use Set::{Flag, List, N, Word};

/// N, d, rho, and how a configuration differs from the defaults.
type Case = (f64, f64, f64, &'static [(&'static str, Set)]);

const CASES: &[Case] = &[
    (10.0, 2.0, 0.7, &[]),
    (1.0, 1.0, 0.5, &[]),
    (10.0, 3.0, 0.9, &[("start", Word("stationary"))]),
    (7.0, 4.0, 0.8, &[("bins_an_octave", N(4.0))]),
    (300.0, 2.0, 0.95, &[("bins_an_octave", N(128.0))]),
    (300.0, 4.0, 0.6, &[("start", Word("stationary"))]),
    (3.0, 3.0, 0.9, &[]),
    (6.0, 6.0, 0.9, &[("start", Word("stationary"))]),
    (8.0, 5.0, 0.7, &[]),
    (60.0, 7.0, 0.8, &[("start", Word("stationary"))]),
    (400.0, 200.0, 0.5, &[]),
    (10.0, 2.0, 0.7, &[("policy", Word("random"))]),
    (10.0, 2.0, 0.7, &[("policy", Word("cancel_on_start"))]),
    (30.0, 6.0, 0.7, &[("policy", Word("cancel_on_start"))]),
    (
        4.0,
        3.0,
        0.6,
        &[
            ("policy", Word("cancel_on_start")),
            ("speeds", List(&[1.0, 0.5, 2.0, 1.0])),
        ],
    ),
    (
        8.0,
        6.0,
        0.6,
        &[
            ("policy", Word("cancel_on_start")),
            ("speeds", List(&[1.0, 0.5, 2.0, 1.0, 1.0, 3.0, 0.1, 1.0])),
            ("service", Word("erlang")),
        ],
    ),
    (
        600.0,
        2.0,
        0.6,
        &[
            ("policy", Word("cancel_on_start")),
            ("service", Word("deterministic")),
        ],
    ),
    (10.0, 2.0, 0.5, &[("copies_are", Word("identical"))]),
    (
        40.0,
        9.0,
        0.1,
        &[
            ("copies_are", Word("identical")),
            ("service", Word("weibull")),
        ],
    ),
    (
        10.0,
        3.0,
        0.3,
        &[("policy", Word("fork_join")), ("needed", N(2.0))],
    ),
    (
        20.0,
        10.0,
        0.1,
        &[
            ("policy", Word("fork_join")),
            ("needed", N(7.0)),
            ("service", Word("uniform")),
            ("service_low", N(0.5)),
        ],
    ),
    (
        70.0,
        64.0,
        0.05,
        &[
            ("policy", Word("fork_join")),
            ("needed", N(64.0)),
            ("allow_unstable", Flag(true)),
        ],
    ),
    (
        12.0,
        12.0,
        0.05,
        &[
            ("policy", Word("fork_join")),
            ("needed", N(5.0)),
            ("copies_are", Word("identical")),
        ],
    ),
    (
        10.0,
        2.0,
        0.6,
        &[
            ("service", Word("hyperexponential")),
            ("arrivals", Word("hyperexponential")),
            ("arrival_rates", List(&[3.0, 0.5])),
        ],
    ),
    (
        10.0,
        2.0,
        0.6,
        &[
            ("service", Word("pareto")),
            ("service_shape", N(1.5)),
            ("service_bound", N(200.0)),
            ("arrivals", Word("deterministic")),
        ],
    ),
    (
        9.0,
        2.0,
        0.6,
        &[
            ("service", Word("samples")),
            (
                "service_samples",
                List(&[3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]),
            ),
        ],
    ),
    (
        5.0,
        2.0,
        0.7,
        &[("speeds", List(&[1.0, 2.0, 0.25, 1.0, 1.5]))],
    ),
    (
        12.0,
        8.0,
        0.7,
        &[
            (
                "speeds",
                List(&[1.0, 2.0, 0.25, 1.0, 1.5, 1.0, 1.0, 1.0, 1.0, 1.0, 10.0, 1.0]),
            ),
            ("arrivals", Word("hyperexponential")),
        ],
    ),
    (10.0, 2.0, 0.7, &[("speeds", N(3.0))]),
    (2.0, 1.0, 1.3, &[("allow_unstable", Flag(true))]),
    (3000.0, 3.0, 0.9, &[]),
];

/// The points, numbered from zero.
pub fn grid() -> Vec<Point> {
    let point = |(index, (servers, copies, load, case)): (u32, &Case)| {
        Point::with_defaults(PARAMETERS, index, [37.0, 201.0], |name| {
            let set = case.iter().find(|(known, _)| *known == name);
            Some(match (name, set) {
                (_, Some((_, N(x)))) => Value::Number(*x),
                (_, Some((_, List(xs)))) => Value::Numbers(xs.to_vec()),
                (_, Some((_, Word(word)))) => Value::Word((*word).to_owned()),
                (_, Some((_, Flag(flag)))) => Value::Flag(*flag),
                ("servers", None) => Value::Number(*servers),
                ("copies", None) => Value::Number(*copies),
                ("load", None) => Value::Number(*load),
                _ => return None,
            })
        })
    };
    (0..).zip(CASES).map(point).collect()
}

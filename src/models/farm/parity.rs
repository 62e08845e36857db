//! Configurations that together use every option of `farm`, for comparing engines by equality.

use super::parameters::PARAMETERS;
use crate::models::{Point, Value};

enum Set {
    N(f64),
    List(&'static [f64]),
    Word(&'static str),
    Flag,
}
use Set::{Flag, List, N, Word};

/// m, n, rho, and how a configuration differs from the defaults.
type Case = (f64, f64, f64, &'static [(&'static str, Set)]);

const REQUEST: (&str, Set) = ("routing", Word("per_request"));
const DRAWN: (&str, Set) = ("allocation", Word("drawn"));
const SPEEDS: (&str, Set) = ("speeds", List(&[1.0, 0.5, 4.0, 2.5]));
const RATES: (&str, Set) = ("rates", List(&[3.0, 0.0, 1.0, 4.0, 1.0, 5.0, 0.25]));
const GIVEN: (&str, Set) = ("allocation", Word("given"));

const CASES: &[Case] = &[
    (10.0, 10.0, 0.7, &[]),
    (1.0, 1.0, 0.9, &[("bins_an_octave", N(4.0))]),
    (4.0, 7.0, 0.6, &[SPEEDS, RATES]),
    (4.0, 7.0, 0.6, &[SPEEDS, RATES, REQUEST]),
    (4.0, 7.0, 0.3, &[SPEEDS, RATES, DRAWN]),
    (300.0, 5.0, 0.01, &[("bins_an_octave", N(128.0))]),
    (
        3.0,
        4.0,
        0.2,
        &[GIVEN, ("servers_of", List(&[3.0, 3.0, 1.0, 3.0]))],
    ),
    (
        20.0,
        1000.0,
        0.8,
        &[
            ("rates", Word("pareto")),
            ("speeds", Word("uniform")),
            ("instance_seed", N(3.0)),
            REQUEST,
        ],
    ),
    (2.0, 5.0, 1.3, &[("allow_unstable", Flag)]),
    (5.0, 5.0, 0.7, &[("server", Word("mg1"))]),
    (
        5.0,
        5.0,
        0.7,
        &[("server", Word("mg1")), ("service_scv", N(0.0)), REQUEST],
    ),
    (
        4.0,
        9.0,
        0.4,
        &[
            ("server", Word("mg1")),
            ("service_scv", N(0.25)),
            SPEEDS,
            DRAWN,
        ],
    ),
    (
        2.0,
        2.0,
        0.5,
        &[("server", Word("mg1")), ("service_scv", N(1000.0))],
    ),
    (10.0, 10.0, 0.9, &[("server", Word("mm1k"))]),
    (1.0, 3.0, 2.0, &[("server", Word("mm1k")), ("room", N(1.0))]),
    (
        4.0,
        7.0,
        1.5,
        &[
            ("server", Word("mm1k")),
            ("room", N(3.0)),
            SPEEDS,
            RATES,
            DRAWN,
        ],
    ),
    (
        4.0,
        7.0,
        0.9,
        &[
            ("server", Word("mm1k")),
            ("room", N(30.0)),
            SPEEDS,
            RATES,
            REQUEST,
        ],
    ),
    (4.0, 20.0, 0.8, &[("server", Word("mmcc"))]),
    (
        1.0,
        1.0,
        0.8,
        &[("server", Word("mmcc")), ("connections", N(1.0))],
    ),
    (
        4.0,
        7.0,
        0.9,
        &[
            ("server", Word("mmcc")),
            ("connections", N(3.0)),
            SPEEDS,
            RATES,
            REQUEST,
        ],
    ),
    (
        4.0,
        7.0,
        0.9,
        &[
            ("server", Word("mmck")),
            ("connections", N(3.0)),
            SPEEDS,
            RATES,
            DRAWN,
        ],
    ),
    (
        3.0,
        4.0,
        3.0,
        &[
            ("server", Word("mmck")),
            ("connections", N(2.0)),
            ("room", N(5.0)),
            GIVEN,
            ("servers_of", List(&[1.0, 1.0, 3.0, 1.0])),
        ],
    ),
];

/// The points, numbered from zero.
pub fn grid() -> Vec<Point> {
    let point = |(index, (servers, streams, load, case)): (u32, &Case)| {
        Point::with_defaults(PARAMETERS, index, [37.0, 401.0], |name| {
            let set = case.iter().find(|(known, _)| *known == name);
            Some(match (name, set) {
                (_, Some((_, N(x)))) => Value::Number(*x),
                (_, Some((_, List(xs)))) => Value::Numbers(xs.to_vec()),
                (_, Some((_, Word(word)))) => Value::Word((*word).to_owned()),
                (_, Some((_, Flag))) => Value::Flag(true),
                ("servers", None) => Value::Number(*servers),
                ("streams", None) => Value::Number(*streams),
                ("load", None) => Value::Number(*load),
                _ => return None,
            })
        })
    };
    (0..).zip(CASES).map(point).collect()
}

#![allow(clippy::unwrap_used)]
use super::{Instance, drawn, instances};
use crate::models::{Point, Value};

fn point(values: &[(&'static str, Value)]) -> Point {
    let mut all = vec![
        ("servers", Value::Number(0.0)),
        ("streams", Value::Number(0.0)),
        ("speeds", Value::Number(1.0)),
        ("rates", Value::Number(1.0)),
        ("load", Value::Number(0.0)),
        ("instance_seed", Value::Number(0.0)),
    ];
    for (name, value) in values {
        all.retain(|(known, _)| known != name);
        all.push((name, value.clone()));
    }
    Point {
        index: 0,
        stream: 0,
        warmup: 0.0,
        duration: 1.0,
        values: all,
    }
}

fn of(values: &[(&'static str, Value)]) -> Result<Vec<Instance>, String> {
    let most = f64::from(1 << 30);
    instances(&point(values), 3, most, f64::from(1 << 24)).map_err(|problem| problem.to_string())
}

#[test]
fn given_rates_and_speeds_are_kept_exactly_and_make_one_instance() {
    let rates = Value::Numbers(vec![0.2, 0.2, 0.1, 0.0]);
    let speeds = Value::Numbers(vec![2.0, 1.0]);
    let found = of(&[("rates", rates), ("speeds", speeds)]).unwrap();
    assert_eq!(found.len(), 1);
    let one = &found[0];
    assert_eq!(
        (&one.rates[..], &one.speeds[..]),
        (&[2, 2, 1, 0][..], &[2, 1][..])
    );
    assert!((one.load - 0.5 / 3.0).abs() < 1e-15);
    // Utilisation of a server of speed 2 with all streams: 0.5 / 2.
    let x = one.rate() as f64 / (2.0 * one.capacity());
    assert!((x - 0.25).abs() < 1e-12);
    assert_eq!(one.full(1), 10);
}

#[test]
fn load_scales_the_rates() {
    let found = of(&[
        ("servers", Value::Number(10.0)),
        ("streams", Value::Number(10.0)),
        ("load", Value::Number(0.2)),
    ])
    .unwrap();
    assert_eq!(found[0].rates, [1; 10]);
    assert!((found[0].capacity() - 5.0).abs() < 1e-12);
    assert_eq!(found[0].full(1), 5);
}

#[test]
fn laws_are_drawn_anew_for_each_instance_and_alike_for_equal_seeds() {
    let law = [
        ("servers", Value::Number(2.0)),
        ("streams", Value::Number(5.0)),
        ("rates", Value::Word("exponential".to_owned())),
        ("load", Value::Number(0.5)),
    ];
    let found = of(&law).unwrap();
    assert_eq!(found.len(), 3);
    assert_ne!(found[0].rates, found[1].rates);
    assert_eq!(found, of(&law).unwrap());
    let mut other = law.to_vec();
    other.push(("instance_seed", Value::Number(1.0)));
    assert_ne!(found, of(&other).unwrap());
}

#[test]
fn laws_have_their_means() {
    let steps = 1_000_000;
    let mean = |law| {
        let sum: f64 = (0..steps)
            .map(|i| drawn(law, (f64::from(i) + 0.5) / f64::from(steps)))
            .sum();
        sum / f64::from(steps)
    };
    assert!((mean("uniform") - 1.0).abs() < 1e-6);
    assert!((mean("exponential") - 1.0).abs() < 1e-5);
    // a/(a-1) (1 - R^(1-a)) / (1 - R^-a) with a = 1.5, R = 1000.
    let pareto = 3.0 * (1.0 - 1000f64.powf(-0.5)) / (1.0 - 1000f64.powf(-1.5));
    assert!((mean("pareto") / pareto - 1.0).abs() < 1e-4);
    assert!((drawn("pareto", 1e-12) - 1.0).abs() < 1e-9 && drawn("pareto", 1.0 - 1e-12) > 999.0);
}

#[test]
fn contradictions_and_gaps_are_refused_in_words() {
    for (values, words) in [
        (vec![], "how many servers there are is missing"),
        (
            vec![
                ("servers", Value::Number(2.0)),
                ("rates", Value::Numbers(vec![])),
            ],
            "is empty",
        ),
        (
            vec![
                ("servers", Value::Number(2.0)),
                ("streams", Value::Number(3.0)),
                ("rates", Value::Numbers(vec![1.0, 2.0])),
            ],
            "`rates` lists 2, not 3",
        ),
        (
            vec![
                ("servers", Value::Number(2.0)),
                ("rates", Value::Numbers(vec![0.0, 0.0])),
            ],
            "all streams are empty",
        ),
    ] {
        let said = of(&values).unwrap_err();
        assert!(said.contains(words), "{said}");
    }
}

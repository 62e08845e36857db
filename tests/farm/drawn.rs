//! Allocations that each replica draws, against the mixture over all of them.

use super::{Z, column, list, point, run, word, z};
use queuefarm::models::farm::MODEL;
use queuefarm::models::{Point, Value};

const RATES: [f64; 3] = [3.0, 2.0, 1.0];

fn drawn(load: f64) -> Point {
    point(
        [500.0, 500.0],
        &[&changes(load), &[("allocation", word("drawn"))]],
    )
}

fn changes(load: f64) -> [(&'static str, Value); 5] {
    [
        ("speeds", list(&[1.0, 2.0])),
        ("rates", list(&RATES)),
        ("load", Value::Number(load)),
        ("server", word("mm1k")),
        ("room", Value::Number(4.0)),
    ]
}

/// Mean over all allocations of streams to two servers of a value of the point that gives each.
fn mixture(load: f64, value: &dyn Fn(&Point, &[f64]) -> f64) -> f64 {
    let all = (0..8u32).map(|which| {
        let servers: Vec<f64> = (0..3)
            .map(|stream| 1.0 + f64::from(which >> stream & 1))
            .collect();
        let given = [
            ("allocation", word("given")),
            ("servers_of", list(&servers)),
        ];
        value(&point([500.0, 500.0], &[&changes(load), &given]), &servers)
    });
    all.sum::<f64>() / 8.0
}

#[test]
fn drawn_allocations_are_the_mixture_of_all_of_them() {
    let load = 0.5;
    let theory = |name: &'static str| {
        move |point: &Point, _: &[f64]| (MODEL.theory)(point)[column(name)].unwrap()
    };
    let rejected = mixture(load, &theory("rejected"));
    let utilisation = mixture(load, &theory("utilisation_mean"));
    let delay = mixture(load, &|point, _| {
        let theory = (MODEL.theory)(point);
        let accepted = 1.0 - theory[column("rejected")].unwrap();
        theory[column("delay_mean")].unwrap() * accepted
    }) / (1.0 - rejected);
    // Rates of 6 units are half of the capacity of 3: a server of speed s is full with 4 s units.
    let overload = mixture(load, &|_, servers| {
        let at = |server: f64| -> f64 {
            let on = servers.iter().zip(RATES).filter(|(own, _)| **own == server);
            on.map(|(_, rate)| rate).sum()
        };
        f64::from(at(1.0) >= 4.0 || at(2.0) >= 8.0)
    });
    let found = run(&drawn(load), 17, 256);
    for (name, exact) in [
        ("rejected", rejected),
        ("utilisation_mean", utilisation),
        ("delay_mean", delay),
        ("overload", overload),
    ] {
        let z = z(found[column(name)].unwrap(), exact);
        println!("{name}: {:?} {exact} z = {z:.2}", found[column(name)]);
        assert!(
            z.abs() < Z,
            "{name}: {:?} {exact}, z = {z}",
            found[column(name)]
        );
    }
    assert!(found[column("utilisation_max")].is_none());
    // The twin: another load.
    let other = mixture(0.51, &theory("rejected"));
    assert!(z(found[column("rejected")].unwrap(), other).abs() > Z);
}

#[test]
fn an_overloaded_drawn_queue_grows_without_a_fault() {
    let mut point = drawn(0.9);
    for (name, value) in &mut point.values {
        if *name == "server" {
            *value = word("mm1");
        }
    }
    let found = run(&point, 19, 32);
    assert!(found[column("overload")].unwrap()[0] > 0.4);
    assert!((MODEL.theory)(&point).iter().all(Option::is_none));
}

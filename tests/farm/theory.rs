//! Every kind of server with every route against closed forms, the rows of Erlang B, and the whole law of delays.

use super::{Estimate, Z, column, list, plan, point, run, simulate, word, z};
use queuefarm::models::Value;
use queuefarm::models::farm::MODEL;
use serde_json::Value as Json;

type Changes = Vec<(&'static str, Value)>;

fn kinds() -> Vec<Changes> {
    let number = |name, x| (name, Value::Number(x));
    let server = |name| ("server", word(name));
    vec![
        vec![server("mm1")],
        vec![server("mg1")],
        vec![server("mg1"), number("service_scv", 0.0)],
        vec![server("mg1"), number("service_scv", 0.25)],
        vec![server("mm1k"), number("room", 3.0)],
        vec![server("mmcc"), number("connections", 3.0)],
        vec![
            server("mmck"),
            number("connections", 2.0),
            number("room", 5.0),
        ],
    ]
}

fn routes() -> Vec<Changes> {
    vec![
        vec![("allocation", word("equilibrium"))],
        vec![
            ("allocation", word("given")),
            ("servers_of", list(&[1.0, 2.0, 2.0, 1.0])),
        ],
        vec![("routing", word("per_request"))],
    ]
}

/// Servers of speeds 1 and 2, three streams and an empty one.
fn farm(load: f64) -> Changes {
    vec![
        ("speeds", list(&[1.0, 2.0])),
        ("rates", list(&[3.0, 2.0, 2.0, 0.0])),
        ("load", Value::Number(load)),
    ]
}

/// z of every estimate that has a theory, of a run at one load against the theory of another.
fn against(kind: &Changes, route: &Changes, ran: f64, exact: f64) -> Vec<(&'static str, f64)> {
    let of = |load| point([2e3, 2e4], &[&farm(load), kind, route]);
    let found = run(&of(ran), 5, 32);
    let theory = (MODEL.theory)(&of(exact));
    let columns = MODEL.observables.iter().zip(found.into_iter().zip(theory));
    columns
        .filter_map(|(observable, (estimate, theory))| {
            Some((observable.name, z(estimate?, theory?)))
        })
        .collect()
}

#[test]
fn every_kind_of_server_with_every_route_agrees_with_its_closed_forms() {
    let mut compared = 0;
    for kind in kinds() {
        for route in routes() {
            let found = against(&kind, &route, 0.5, 0.5);
            println!("{kind:?} {route:?}: {found:.2?}");
            for (name, z) in &found {
                assert!(z.abs() < Z, "{kind:?} {route:?}: {name}, z = {z}");
            }
            compared += found.len();
        }
    }
    // Mean and three utilisations, the variance of three, two kinds of rejections of nine.
    assert_eq!(compared, 21 * 4 + 3 + 9 * 2);
}

#[test]
fn a_load_two_percent_off_shows_in_every_kind_of_server() {
    for kind in kinds() {
        let found = against(&kind, &routes()[0], 0.51, 0.5);
        let z_of = |wanted| {
            found
                .iter()
                .find(|(name, _)| *name == wanted)
                .map(|(_, z)| *z)
        };
        // A request that never waits has the same delay at every load.
        let waits = kind[0].1 != word("mmcc");
        let names = ["delay_mean", "rejected", "utilisation_mean"];
        for name in names
            .into_iter()
            .filter(|name| waits || *name != "delay_mean")
        {
            let shown = z_of(name).is_none_or(|z| z > Z);
            assert!(shown, "{kind:?}: {name}, {found:?}");
        }
    }
}

#[test]
fn servers_with_connections_reject_as_erlang_says() {
    let reference: Json =
        serde_json::from_str(include_str!("../../data/reference/selfish.json")).unwrap();
    let mut compared = 0;
    for connections in ["1", "2", "5", "10"] {
        for (load, exact) in reference["C_erlangB"][connections].as_object().unwrap() {
            let exact = exact.as_f64().unwrap();
            // A share that a run of some ten million requests can see.
            if exact < 1e-4 {
                continue;
            }
            let changes = [
                ("servers", Value::Number(2.0)),
                ("streams", Value::Number(2.0)),
                ("server", word("mmcc")),
                ("connections", Value::Number(connections.parse().unwrap())),
                ("load", Value::Number(load.parse().unwrap())),
            ];
            let found = run(&point([1e3, 8e3], &[&changes]), 7, 32);
            let z = z(found[column("rejected")].unwrap(), exact);
            assert!(z.abs() < Z, "c = {connections}, x = {load}: z = {z}");
            compared += 1;
        }
    }
    assert_eq!(compared, 13 * 4 - 2);
}

#[test]
fn room_for_one_request_is_one_connection() {
    let both: Vec<(f64, Vec<Estimate>)> = [("mm1k", "room"), ("mmcc", "connections")]
        .into_iter()
        .map(|(server, key)| {
            let kind = [("server", word(server)), (key, Value::Number(1.0))];
            let point = point([1e3, 2e4], &[&farm(0.8), &kind, &routes()[1]]);
            let theory = (MODEL.theory)(&point)[column("rejected")].unwrap();
            (theory, run(&point, 9, 32))
        })
        .collect();
    assert!((both[0].0 / both[1].0 - 1.0).abs() < 1e-14);
    for name in [
        "delay_mean",
        "rejected",
        "rejected_worst_stream",
        "utilisation_min",
        "utilisation_max",
    ] {
        let [a, b] = [0, 1].map(|which: usize| both[which].1[column(name)].unwrap());
        let z = (a[0] - b[0]) / a[1].hypot(b[1]);
        assert!(z.abs() < Z, "{name}: {a:?} {b:?}, z = {z}");
    }
}

#[test]
fn delays_have_the_law_of_a_mixture_of_exponentials_and_not_that_of_another_load() {
    let of = |load| point([2e3, 2e4], &[&farm(load), &routes()[1]]);
    let plan = plan(&of(0.5)).unwrap();
    let batches = simulate(&plan, 11, 32);
    let law = &MODEL.tails[0];
    let histogram = &plan.histograms[0];
    let z_at = |bin: u32, load: f64| {
        let exact = (law.tail)(&of(load), histogram.lower(bin)).unwrap();
        let shares: Vec<f64> = (batches.iter())
            .map(|batch| {
                let counts = &batch.counts[plan.place(0)];
                let beyond: u64 = counts[bin as usize..].iter().sum();
                beyond as f64 / counts.iter().sum::<u64>() as f64
            })
            .collect();
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        let squares: f64 = shares.iter().map(|x| (x - mean) * (x - mean)).sum();
        let error = (squares / (shares.len() * (shares.len() - 1)) as f64).sqrt();
        (mean - exact) / error
    };
    let mut bins = 0;
    for bin in (0..histogram.bins).filter(|&bin| (0.05..12.0).contains(&histogram.lower(bin))) {
        let z = z_at(bin, 0.5);
        assert!(z.abs() < Z, "at {}: z = {z}", histogram.lower(bin));
        bins += 1;
    }
    assert!(bins > 200);
    let at_four = (0..histogram.bins)
        .find(|&bin| histogram.lower(bin) > 4.0)
        .unwrap();
    assert!(z_at(at_four, 0.51) < -Z);
}

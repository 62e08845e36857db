//! `selfish-pure` against every assignment of small instances, a literal simulator, the bound, and at its limits.
//!
//! Every run has a fixed seed. Laws are compared by chi-square tests of independent starts at z = 4.5 (Wilson and
//! Hilferty's normal approximation), means at z = 4.5; each kind has a twin in which streams move in another order,
//! which must fail.
#![allow(clippy::unwrap_used)]

#[path = "selfish_pure/compare.rs"]
mod compare;
#[path = "selfish_pure/farm.rs"]
mod farm;

#[path = "common/batches.rs"]
mod batches;

use batches::unit;
use compare::{z_of_chi_square, z_of_two};
use farm::{Farm, Random};
use queuefarm::engine::{Backend, Cpu, Recording, Watch, Work};
use queuefarm::models::selfish_pure::MODEL;
use queuefarm::models::selfish_pure::words::{param, state, sum};
use queuefarm::models::{Plan, Point, Tallies, Value, log_linear_bin};
use queuefarm::random::{Key, Purpose};
use queuefarm::theory::selfish::{equilibria, load_bound};
use std::collections::{BTreeMap, BTreeSet};

const Z: f64 = 4.5;
/// 1 in units of the ratio.
const ONE: f64 = 1_048_576.0;
const SEED: u64 = 2018;

fn point(starts: u32, values: &[(&'static str, Value)]) -> Point {
    let value = |name| {
        let given = values.iter().find(|(known, _)| *known == name);
        given.map_or_else(
            || {
                MODEL
                    .parameters
                    .iter()
                    .find(|p| p.name == name)
                    .unwrap()
                    .default
                    .unwrap()
                    .into()
            },
            |(_, value)| value.clone(),
        )
    };
    Point {
        index: 0,
        stream: 0,
        warmup: 0.0,
        duration: f64::from(starts),
        values: (MODEL.parameters.iter())
            .map(|parameter| (parameter.name, value(parameter.name)))
            .collect(),
    }
}

fn number(x: f64) -> Value {
    Value::Number(x)
}

fn word(word: &str) -> Value {
    Value::Word(word.to_owned())
}

fn list(values: &[u32]) -> Value {
    Value::Numbers(values.iter().map(|&x| f64::from(x)).collect())
}

/// A point with given rates and speeds.
fn given(
    starts: u32,
    rates: &[u32],
    speeds: &[u32],
    order: &str,
    more: &[(&'static str, Value)],
) -> Point {
    let mut values = vec![
        ("rates", list(rates)),
        ("speeds", list(speeds)),
        ("order", word(order)),
    ];
    values.extend(more.iter().cloned());
    point(starts, &values)
}

/// Tallies of each of some batches.
fn simulate(plan: &Plan, batches: u32, replicas: u32) -> Vec<Tallies> {
    batches::simulate(&MODEL, plan, SEED, batches, replicas)
}

fn run(point: &Point, replicas: u32) -> (Plan, Tallies) {
    let plan = (MODEL.plan)(point).unwrap();
    let tallies = simulate(&plan, 1, replicas).remove(0);
    (plan, tallies)
}

fn estimates(plan: &Plan, tallies: &Tallies) -> Vec<Option<f64>> {
    (MODEL.estimates)(plan, &batches::totals(plan, tallies))
}

/// Counts of the bins that are not empty.
fn histogram(tallies: &Tallies) -> BTreeMap<u32, f64> {
    (0..)
        .zip(&tallies.counts)
        .filter(|(_, count)| **count > 0)
        .map(|(bin, &count)| (bin, count as f64))
        .collect()
}

fn bits(plan: &Plan) -> u32 {
    plan.params[param::BIN_BITS]
}

/// The servers of all streams of every replica at the end.
fn final_homes(plan: &Plan, replicas: u32) -> Vec<Vec<usize>> {
    let work = Work {
        plan,
        key: Key {
            seed: SEED,
            stream: 0,
        },
        unit: unit(0, replicas),
        recording: Recording::default(),
    };
    let (_, states) = Cpu::new(0)
        .unwrap()
        .final_states(&MODEL, &work, &Watch::new())
        .unwrap();
    let at = plan.params[param::HOMES_AT] as usize;
    (0..replicas as usize)
        .map(|replica| {
            (at..plan.state_words as usize)
                .map(|word| states[word * replicas as usize + replica] as usize)
                .collect()
        })
        .collect()
}

#[test]
fn all_equilibria_of_small_instances_are_reached_and_nothing_else() {
    let mut random = Random(1);
    for case in 0..60 {
        let servers = 2 + case % 3;
        let streams = [7, 5, 4][case % 3] + random.below(2);
        let rates: Vec<u32> = (0..streams)
            .map(|_| random.below(if case % 2 == 0 { 6 } else { 1000 }) as u32)
            .collect();
        if rates.iter().all(|&rate| rate == 0) {
            continue;
        }
        let equal = case % 4 < 2;
        let speeds: Vec<u32> = (0..servers)
            .map(|_| if equal { 1 } else { 1 + random.below(5) as u32 })
            .collect();
        let farm = Farm { rates, speeds };
        let optimum = farm.optimum();
        let expected: Vec<u32> = (farm.all())
            .filter(|homes| farm.unsatisfied(homes).is_empty())
            .map(|homes| farm.ratio(farm.most(&homes), optimum))
            .collect();
        let known = equilibria(&farm.rates, &farm.speeds).unwrap();
        assert_eq!(known.count, expected.len() as u64);
        for order in ["random", "max_rate", "round_robin"] {
            let plan = (MODEL.plan)(&given(1024, &farm.rates, &farm.speeds, order, &[])).unwrap();
            assert_eq!(plan.params[param::EXACT], 1);
            // An assignment is a start with a chance above 1e-3 in all cases: none is missed in 65,536 starts.
            let tallies = simulate(&plan, 1, 64).remove(0);
            let worst = *expected.iter().max().unwrap();
            assert!(
                tallies.maxima[0].abs_diff(u64::from(worst)) <= 1,
                "case {case}, {order}: {} {worst}",
                tallies.maxima[0]
            );
            let bins = |ratio: u32| {
                [ratio - 1, ratio, ratio + 1].map(|ratio| log_linear_bin(ratio, bits(&plan)))
            };
            let found = histogram(&tallies);
            for &ratio in &expected {
                assert!(
                    bins(ratio).iter().any(|bin| found.contains_key(bin)),
                    "case {case}, {order}: {ratio} was not reached"
                );
            }
            let allowed: BTreeSet<u32> = expected.iter().flat_map(|&ratio| bins(ratio)).collect();
            assert!(
                found.keys().all(|bin| allowed.contains(bin)),
                "case {case}, {order}: {found:?} {expected:?}"
            );
            if order != "max_rate" {
                for homes in final_homes(&plan, 64) {
                    assert!(
                        farm.unsatisfied(&homes).is_empty(),
                        "case {case}, {order}: {homes:?}"
                    );
                }
            }
        }
    }
}

/// How often the k-th of five unsatisfied streams makes the first move; from the starts themselves, which the test
/// draws again.
fn first_movers(order: &str) -> [f64; 5] {
    let farm = Farm {
        rates: vec![5, 4, 3, 3, 2, 1, 1, 0],
        speeds: vec![3, 2, 2],
    };
    let plan = (MODEL.plan)(&given(
        2,
        &farm.rates,
        &farm.speeds,
        order,
        &[("max_moves", number(1.0))],
    ))
    .unwrap();
    let key = Key {
        seed: SEED,
        stream: 0,
    };
    let mut movers = [0.0; 5];
    for (replica, homes) in (0..).zip(final_homes(&plan, 100_000)) {
        let word = |k: u32| key.draw(Purpose::PureMove, replica, 1, k / 4)[(k % 4) as usize];
        let begun: Vec<usize> = (1..=8)
            .map(|k| ((u64::from(word(k)) * 3) >> 32) as usize)
            .collect();
        let unsatisfied = farm.unsatisfied(&begun);
        let moved: Vec<usize> = (0..8).filter(|&i| homes[i] != begun[i]).collect();
        assert_eq!(moved.len(), usize::from(!unsatisfied.is_empty()));
        let Some(&mover) = moved.first() else {
            continue;
        };
        assert_eq!(Some(homes[mover]), farm.better(&begun, mover));
        let place = unsatisfied.iter().position(|&i| i == mover).unwrap();
        if unsatisfied.len() == 5 {
            movers[place] += 1.0;
        }
    }
    movers
}

#[test]
fn with_random_order_every_unsatisfied_stream_is_as_likely_to_move_first_and_with_others_the_first_is()
 {
    let z = |movers: &[f64; 5]| {
        let expected = movers.iter().sum::<f64>() / 5.0;
        assert!(expected > 1000.0);
        let chi_square = movers
            .iter()
            .map(|x| (x - expected).powi(2) / expected)
            .sum();
        z_of_chi_square(chi_square, 4.0)
    };
    let found = first_movers("random");
    assert!(z(&found).abs() < Z, "{found:?}");
    for order in ["max_rate", "round_robin"] {
        let found = first_movers(order);
        assert_eq!(found[1..], [0.0; 4], "{order}");
        assert!(z(&found) > Z, "{order} must show");
    }
}

#[test]
fn ends_and_moves_have_the_law_of_a_literal_simulator_and_another_order_has_not() {
    let mut random = Random(7);
    for (rates, speeds) in [
        (vec![9, 8, 7, 5, 5, 3, 2, 2, 1], vec![1, 1, 1]),
        (vec![9, 8, 7, 5, 5, 3, 2, 2, 1], vec![4, 2, 1]),
        (vec![10, 7, 7, 4, 1, 1, 0], vec![2, 1, 1, 3]),
    ] {
        let farm = Farm { rates, speeds };
        let optimum = farm.optimum();
        let plan_of =
            |order| (MODEL.plan)(&given(500, &farm.rates, &farm.speeds, order, &[])).unwrap();
        let plan = plan_of("random");
        let (mut ends, mut moves) = (BTreeMap::new(), Vec::new());
        for _ in 0..60_000 {
            let (homes, moved) = farm.start(&mut random);
            let ratio = farm.ratio(farm.most(&homes), optimum);
            *ends
                .entry(log_linear_bin(ratio, bits(&plan)))
                .or_insert(0.0) += 1.0;
            moves.push(f64::from(moved));
        }
        let tallies = simulate(&plan, 1, 256).remove(0);
        let law = z_of_two(&ends, &histogram(&tallies));
        assert!(law < Z, "{:?}: z = {law}", farm.speeds);
        // The kernel's own error is half of the literal one's.
        let count = moves.len() as f64;
        let mean = moves.iter().sum::<f64>() / count;
        let variance = moves.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        let error = (variance / count + variance / (256.0 * 500.0)).sqrt();
        let z =
            |plan: &Plan, tallies: &Tallies| (estimates(plan, tallies)[2].unwrap() - mean) / error;
        assert!(
            z(&plan, &tallies).abs() < Z,
            "{:?}: z = {}",
            farm.speeds,
            z(&plan, &tallies)
        );
        let other = plan_of("max_rate");
        let tallies = simulate(&other, 1, 256).remove(0);
        assert!(
            z_of_two(&ends, &histogram(&tallies)) > Z,
            "{:?}: another order must show",
            farm.speeds
        );
        assert!(
            z(&other, &tallies).abs() > Z,
            "{:?}: another order must show",
            farm.speeds
        );
    }
}

#[test]
fn no_equilibrium_of_4000_random_instances_exceeds_the_bound_and_the_worst_instance_meets_it() {
    for (servers, rates, bound) in [
        (2u32, vec![2, 2, 1, 1], 4.0 / 3.0),
        (3, vec![3, 3, 1, 1, 1, 1, 1, 1], 1.5),
    ] {
        assert!((load_bound(servers) - bound).abs() < 1e-15);
        for law in ["uniform", "exponential", "pareto"] {
            for streams in [6.0, 8.0] {
                let values = [
                    ("servers", number(f64::from(servers))),
                    ("streams", number(streams)),
                    ("rates", word(law)),
                    ("instances", number(4000.0)),
                ];
                let (plan, tallies) = run(&point(1000, &values), 128);
                assert_eq!(plan.params[param::EXACT], 4000);
                let worst = tallies.maxima[0] as f64 / ONE;
                assert!(
                    worst <= bound + 1.0 / ONE && worst > 1.05,
                    "{servers} {law} {streams}: {worst}"
                );
            }
        }
        let point = given(1000, &rates, &vec![1; servers as usize], "random", &[]);
        let (plan, tallies) = run(&point, 128);
        let found = estimates(&plan, &tallies)[1].unwrap();
        assert!((found - bound).abs() <= 1.0 / ONE, "{servers}: {found}");
        assert_eq!((MODEL.theory)(&point)[1], Some(load_bound(servers)));
    }
}

#[test]
fn where_theory_is_exact_every_start_agrees() {
    let law = |key, law: &str| (key, word(law));
    for (values, columns) in [
        // One server, one stream, more servers than streams, equal rates, each with its exact columns.
        (
            vec![
                ("servers", number(1.0)),
                ("streams", number(9.0)),
                law("rates", "pareto"),
                ("instances", number(5.0)),
            ],
            vec![0, 1, 2, 3],
        ),
        (
            vec![("servers", number(7.0)), ("streams", number(1.0))],
            vec![0, 1, 2, 3],
        ),
        (
            vec![("servers", number(10.0)), ("streams", number(3.0))],
            vec![0, 1],
        ),
        (
            vec![("servers", number(4.0)), ("streams", number(17.0))],
            vec![0, 1],
        ),
        (
            vec![
                ("servers", number(6.0)),
                ("streams", number(40.0)),
                law("rates", "exponential"),
                ("instances", number(50.0)),
                law("order", "max_rate"),
                ("max_moves", number(40.0)),
            ],
            vec![3],
        ),
    ] {
        let point = point(100, &values);
        let (plan, tallies) = run(&point, 64);
        let (theory, found) = ((MODEL.theory)(&point), estimates(&plan, &tallies));
        for column in columns {
            assert!(theory[column].is_some());
            assert_eq!(
                found[column], theory[column],
                "{}",
                MODEL.observables[column].name
            );
        }
    }
}

#[test]
fn one_stream_goes_to_the_fastest_server_and_empty_streams_to_the_least_loaded() {
    let (plan, tallies) = run(&given(1000, &[5], &[1, 4, 2, 2], "random", &[]), 64);
    let found = estimates(&plan, &tallies);
    assert_eq!(found[0], Some(1.0));
    let (moves, exact) = (found[2].unwrap(), 0.75f64);
    assert!(
        (moves - exact).abs() < Z * (exact * 0.25 / 64_000.0).sqrt(),
        "{moves}"
    );
    let farm = Farm {
        rates: vec![0, 3, 0, 2, 2, 0],
        speeds: vec![1, 1, 2],
    };
    let plan = (MODEL.plan)(&given(2, &farm.rates, &farm.speeds, "round_robin", &[])).unwrap();
    for homes in final_homes(&plan, 500) {
        assert!(farm.unsatisfied(&homes).is_empty());
        let loads = farm.loads(&homes);
        let least = (0..3).min_by_key(|&j| loads[j] * [2, 2, 1][j]).unwrap();
        for stream in [0, 2, 5] {
            let home = homes[stream];
            assert_eq!(
                loads[home] * [2, 2, 1][home],
                loads[least] * [2, 2, 1][least]
            );
        }
    }
}

#[test]
fn starts_that_want_more_moves_are_counted_and_left_out_of_the_ratio() {
    let values = |moves: f64| {
        [
            ("servers", number(5.0)),
            ("streams", number(30.0)),
            ("rates", word("uniform")),
            ("instances", number(20.0)),
            ("max_moves", number(moves)),
        ]
    };
    let mut last = -1.0;
    for moves in [1.0, 8.0, 12.0, 16.0, 0.0] {
        let (plan, tallies) = run(&point(200, &values(moves)), 64);
        let given_up: u128 = tallies.sums[sum::UNCONVERGED].iter().sum();
        let counted: u64 = tallies.counts.iter().sum();
        assert_eq!(u128::from(counted) + given_up, 64 * 200);
        let found = estimates(&plan, &tallies);
        assert!(found[3].unwrap() > last, "{moves}");
        assert!(moves == 0.0 || found[2].unwrap() <= moves);
        last = found[3].unwrap();
        assert_eq!(found[0].is_some(), counted > 0);
    }
    assert!((last - 1.0).abs() < 1e-15);
    // With just as many moves as a start needs it counts as converged.
    let plan = |moves| {
        (MODEL.plan)(&given(
            500,
            &[1, 1],
            &[1, 1],
            "random",
            &[("max_moves", number(moves))],
        ))
        .unwrap()
    };
    assert_eq!(
        estimates(&plan(1.0), &simulate(&plan(1.0), 1, 16)[0])[3],
        Some(1.0)
    );
}

#[test]
fn every_instance_is_as_likely() {
    // Each stream ends alone on a server, so that a load tells the instance.
    let values = [
        ("servers", number(2.0)),
        ("streams", number(2.0)),
        ("rates", word("uniform")),
        ("instances", number(2.0)),
    ];
    let plan = (MODEL.plan)(&point(2, &values)).unwrap();
    let work = Work {
        plan: &plan,
        key: Key {
            seed: SEED,
            stream: 0,
        },
        unit: unit(0, 40_000),
        recording: Recording::default(),
    };
    let (_, states) = Cpu::new(0)
        .unwrap()
        .final_states(&MODEL, &work, &Watch::new())
        .unwrap();
    let loads = &states[plan.params[param::LOADS_AT] as usize * 40_000..][..40_000];
    let first = loads
        .iter()
        .filter(|load| plan.tables[..2].contains(load))
        .count();
    let share = first as f64 / 40_000.0;
    assert!((share - 0.5).abs() < Z * 0.5 / 200.0, "{share}");
    assert!(
        states[state::POSITION * 40_000..][..40_000]
            .iter()
            .all(|&position| position == 2)
    );
}

#[test]
fn the_largest_farm_runs_and_what_is_too_large_is_refused_with_the_figure() {
    let large = |instances: f64, rates: &str| {
        point(
            2,
            &[
                ("servers", number(4096.0)),
                ("streams", number(65_536.0)),
                ("rates", word(rates)),
                ("instances", number(instances)),
                ("order", word("max_rate")),
                ("max_moves", number(3.0)),
            ],
        )
    };
    let (plan, tallies) = run(&large(1.0, "uniform"), 1);
    assert_eq!(
        plan.state_words - plan.params[param::LOADS_AT],
        4096 + 65_536
    );
    assert_eq!(tallies.sums[sum::UNCONVERGED], [1, 1]);
    let said = (MODEL.plan)(&large(100_000.0, "uniform"))
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("need 7782400001 words") && said.contains("at most 16 instances"),
        "{said}"
    );
}

#[test]
fn spans_and_bins_that_make_no_sense_are_refused_in_words() {
    let small = [("servers", number(2.0)), ("streams", number(2.0))];
    let said = |point: &Point| (MODEL.plan)(point).unwrap_err().to_string();
    let mut warm = point(10, &small);
    warm.warmup = 5.0;
    assert!(said(&warm).contains("write warmup = 0"));
    let mut broken = point(10, &small);
    broken.duration = 2.5;
    assert!(said(&broken).contains("whole number of starts"));
    assert!(said(&point(1, &small)).contains("at least 2 starts"));
    let bins = [
        small[0].clone(),
        small[1].clone(),
        ("bins_an_octave", number(3.0)),
    ];
    assert!(said(&point(10, &bins)).contains("power of two"));
    assert!(said(&point(10, &[])).contains("how many servers there are is missing"));
}

//! `redundancy-states` against the exact law: means, whole laws, short aggregate states, and what happens at its limits.
//!
//! Every run has a fixed seed. Means are met within z = 4.5 standard errors, taken from independent batches; laws by a
//! chi-square test of one observation a replica, at the same level (Wilson and Hilferty's normal approximation). Each kind of
//! test has a twin with a load 2 % off, which must fail.
#![allow(clippy::unwrap_used)]

mod common;

#[path = "common/batches.rs"]
mod batches;

use batches::{simulate, totals, unit};
use queuefarm::engine::verify::compare;
use queuefarm::engine::{Backend, Cpu, Recording, Watch, Work};
use queuefarm::models::redundancy_states::MODEL;
use queuefarm::models::redundancy_states::words::{fault, param, state, sum};
use queuefarm::models::{Model, Plan, Point, Tallies, Value};
use queuefarm::random::Key;
use queuefarm::theory::redundancy::System;

const Z: f64 = 4.5;

fn point(servers: u32, copies: u32, load: f64, start: &str, span: [f64; 2]) -> Point {
    let value = |name| match name {
        "servers" => Value::Number(f64::from(servers)),
        "copies" => Value::Number(f64::from(copies)),
        "load" => Value::Number(load),
        "start" => Value::Word(start.to_owned()),
        _ => Value::Number(32.0),
    };
    Point {
        index: 0,
        stream: 0,
        warmup: span[0],
        duration: span[1],
        values: (MODEL.parameters.iter())
            .map(|parameter| (parameter.name, value(parameter.name)))
            .collect(),
    }
}

fn estimates(plan: &Plan, tallies: &Tallies) -> Vec<Option<f64>> {
    (MODEL.estimates)(plan, &totals(plan, tallies))
}

/// z of the mean of some numbers against an exact value.
fn z(values: &[f64], exact: f64) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    let error = (square / (count * (count - 1.0))).sqrt();
    (mean - exact) / error
}

/// (name, z) of every estimate, against theory at `load`, from a run at `run_load` of 64 batches of `size` warm-ups.
/// An empty system is left out where it is so rare that a batch sees none.
fn z_of_means(
    servers: u32,
    copies: u32,
    [run_load, load]: [f64; 2],
    [warmup, size]: [f64; 2],
) -> Vec<(&'static str, f64)> {
    let span = [warmup, 4.0 * warmup];
    let plan = (MODEL.plan)(&point(servers, copies, run_load, "empty", span)).unwrap();
    let theory = (MODEL.theory)(&point(servers, copies, load, "empty", span));
    let replicas = (size / warmup) as u32 / 16 * 16 + 16;
    let batches: Vec<Vec<Option<f64>>> = simulate(&MODEL, &plan, 11, 64, replicas)
        .iter()
        .inspect(|tallies| assert_eq!(tallies.faults, 0))
        .map(|tallies| estimates(&plan, tallies))
        .collect();
    (MODEL.observables.iter().zip(theory).enumerate())
        .filter(|(_, (observable, theory))| observable.name != "p_empty" || *theory > Some(1e-4))
        .map(|(column, (observable, theory))| {
            let values: Vec<f64> = batches.iter().map(|row| row[column].unwrap()).collect();
            (observable.name, z(&values, theory.unwrap()))
        })
        .collect()
}

#[test]
fn every_mean_agrees_with_its_closed_form_and_with_none_two_percent_off() {
    for (servers, copies, load, warmup) in [
        (1, 1, 0.5, 2e2),
        (10, 1, 0.6, 2e3),
        (10, 2, 0.7, 1e3),
        (10, 10, 0.6, 5e2),
        (20, 5, 0.9, 5e3),
        (100, 3, 0.5, 4e3),
        (60, 17, 0.8, 3e3),
    ] {
        let found = z_of_means(servers, copies, [load, load], [warmup, 1e5]);
        println!("{servers} {copies} {load}: {found:.2?}");
        for (name, z) in found {
            assert!(z.abs() < Z, "{servers} {copies} {load}: {name}, z = {z}");
        }
    }
    for (name, z) in z_of_means(10, 2, [0.7 * 1.02, 0.7], [1e3, 4e5]) {
        assert!(z.abs() > Z, "a load 2 % off must show: {name}, z = {z}");
    }
}

#[test]
fn the_tail_of_response_times_is_the_exact_one() {
    let plan = (MODEL.plan)(&point(10, 2, 0.7, "empty", [1000.0, 20_000.0])).unwrap();
    let batches = simulate(&MODEL, &plan, 5, 64, 64);
    let tail = |load: f64, bin: u32| {
        let system = System::new(10, 2, load).unwrap();
        let exact = system.response_tail(plan.histograms[0].lower(bin));
        let shares: Vec<f64> = (batches.iter())
            .map(|tallies| {
                let bins = &tallies.counts[..plan.histograms[0].bins as usize];
                let above: u64 = bins[bin as usize..].iter().sum();
                above as f64 / bins.iter().sum::<u64>() as f64
            })
            .collect();
        z(&shares, exact)
    };
    let bin = |t: f64| {
        (0..plan.histograms[0].bins)
            .find(|&bin| plan.histograms[0].lower(bin) >= t)
            .unwrap()
    };
    for t in [0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 6.0] {
        let z = tail(0.7, bin(t));
        assert!(z.abs() < Z, "t = {t}: z = {z}");
    }
    assert!(tail(0.7 * 1.02, bin(2.0)).abs() > Z);
}

/// z of a chi-square test of counts against chances; those expected fewer than 20 times are taken together.
fn chi_square(counts: &[u64], chances: &[f64]) -> f64 {
    let total = counts.iter().sum::<u64>() as f64;
    let (mut statistic, mut cells) = (0.0, 0);
    let mut add = |count: f64, expected: f64| {
        statistic += (count - expected).powi(2) / expected;
        cells += 1;
    };
    let (mut rest, mut expected_rest) = (total, total);
    for (&count, chance) in counts.iter().zip(chances) {
        let expected = chance * total;
        if expected >= 20.0 {
            add(count as f64, expected);
            rest -= count as f64;
            expected_rest -= expected;
        }
    }
    if expected_rest > 1e-3 {
        add(rest, expected_rest.max(0.5));
    } else {
        assert!(rest < 2.0, "{rest} where {expected_rest} are expected");
    }
    let freedom = f64::from(cells - 1);
    let spread = 2.0 / (9.0 * freedom);
    ((statistic / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
}

/// The counts of the histogram of that name.
fn histogram(plan: &Plan, tallies: &Tallies, name: &str) -> Vec<u64> {
    let mut at = 0;
    for histogram in &plan.histograms {
        let bins = histogram.bins as usize;
        if histogram.name == name {
            return tallies.counts[at..at + bins].to_vec();
        }
        at += bins;
    }
    panic!("no histogram of {name}");
}

/// All batches added up.
fn pooled(plan: &Plan, batches: &[Tallies]) -> Tallies {
    let mut total = Tallies::zero(plan, MODEL.sums.len());
    batches.iter().for_each(|tallies| total.merge(tallies));
    total
}

/// A plan whose measured span is the one event after the warm-up, so that replicas give one observation each.
fn one_event(servers: u32, copies: u32, load: f64, start: &str, warmup: f64) -> Plan {
    let mut plan = (MODEL.plan)(&point(servers, copies, load, start, [warmup, 2.0])).unwrap();
    plan.halves = [1, 0];
    plan
}

/// The exact chances of the bins of `states`.
fn state_chances(plan: &Plan, system: &System) -> Vec<f64> {
    let copies = system.copies();
    let mut chances = vec![0.0; plan.histograms.last().unwrap().bins as usize];
    chances[0] = system.aggregate_state(&[]);
    chances[1] = system.aggregate_state(&[copies]);
    for second in 0..=copies {
        chances[2 + second as usize] = system.aggregate_state(&[copies, second]);
        for third in 0..=copies {
            let at = 3 + copies + second * (copies + 1) + third;
            chances[at as usize] = system.aggregate_state(&[copies, second, third]);
        }
    }
    let known: f64 = chances.iter().sum();
    *chances.last_mut().unwrap() = 1.0 - known;
    chances
}

/// The exact law of the collisions of an arriving job.
fn collision_chances(system: &System) -> Vec<f64> {
    let mut chances = vec![0.0; system.copies() as usize + 1];
    for (busy, chance) in (0..).zip(system.busy_pmf()) {
        for (sum, given) in chances.iter_mut().zip(system.collisions_pmf(busy).unwrap()) {
            *sum += chance * given;
        }
    }
    chances
}

#[test]
fn jobs_busy_servers_short_states_and_collisions_have_their_exact_laws() {
    for (servers, copies, load, warmup) in [(6, 2, 0.6, 600.0), (7, 5, 0.5, 400.0)] {
        let plan = one_event(servers, copies, load, "empty", warmup);
        let tallies = pooled(&plan, &simulate(&MODEL, &plan, 3, 50, 4000));
        let tests = |load: f64| {
            let system = System::new(servers, copies, load).unwrap();
            let jobs = histogram(&plan, &tallies, "jobs");
            [
                ("jobs", system.jobs_pmf(jobs.len())),
                ("busy", system.busy_pmf()),
                ("states", state_chances(&plan, &system)),
                ("collisions", collision_chances(&system)),
            ]
            .map(|(name, chances)| {
                (
                    name,
                    chi_square(&histogram(&plan, &tallies, name), &chances),
                )
            })
        };
        println!("{servers} {copies} {load}: {:.2?}", tests(load));
        for (name, z) in tests(load) {
            assert!(z < Z, "{servers} {copies} {load}: {name}, z = {z}");
        }
        for (name, z) in tests(load * 1.02) {
            assert!(
                z > Z,
                "{servers} {copies} {load}: a load 2 % off must show: {name}, z = {z}"
            );
        }
    }
}

/// Two jobs, the younger one with three servers of its own: seven busy servers.
fn seven_busy(plan: &Plan, _key: &Key, _replica: u32, words: &mut [u32]) {
    words.fill(0);
    let list_at = plan.params[param::LIST_AT] as usize;
    words[list_at] = 4;
    words[list_at + 2] = 3;
    words[state::JOBS] = 2;
    words[state::BUSY] = 7;
}

#[test]
fn collisions_of_a_job_that_meets_a_given_number_of_busy_servers_are_hypergeometric() {
    let model = Model {
        start: seven_busy,
        ..MODEL
    };
    let plan = one_event(15, 4, 0.8, "empty", 0.0);
    let tallies = pooled(&plan, &simulate(&model, &plan, 8, 50, 4000));
    let counts = histogram(&plan, &tallies, "collisions");
    let system = System::new(15, 4, 0.8).unwrap();
    let z = |busy| chi_square(&counts, &system.collisions_pmf(busy).unwrap());
    assert!(z(7) < Z, "z = {}", z(7));
    assert!(
        z(6) > Z && z(8) > Z,
        "one busy server more or less must show"
    );
}

#[test]
fn what_the_younger_job_takes_over_is_hypergeometric_too() {
    // The older of two jobs leaves with chance 4/7; the younger one shares one of its servers, so it has
    // 3 + Hypergeometric(4, 1, 4) = 4 afterwards, and a state of one job of d servers is counted.
    let model = Model {
        start: seven_busy,
        ..MODEL
    };
    let plan = one_event(15, 4, 0.8, "empty", 0.0);
    let tallies = pooled(&plan, &simulate(&model, &plan, 9, 50, 4000));
    let states = histogram(&plan, &tallies, "states");
    let jobs = histogram(&plan, &tallies, "jobs");
    assert_eq!(
        states[1], jobs[1],
        "whoever leaves, the other has d servers"
    );
    let busy = histogram(&plan, &tallies, "busy");
    assert_eq!(busy[4], jobs[1], "and these are the busy ones");
    let [departures, none, arrivals] = [jobs[1], jobs[2], jobs[3]];
    let event = 1.0 / (15.0 * 1.8);
    let chances = [7.0 * event, 8.0 * event, 12.0 * event];
    assert!(chi_square(&[departures, none, arrivals], &chances) < Z);
}

#[test]
fn a_stationary_start_needs_no_warm_up() {
    for (servers, copies, load) in [(10, 2, 0.7), (100, 10, 0.9), (50, 3, 0.9), (5, 5, 0.8)] {
        let mean = |load: f64| -> Vec<f64> {
            let plan = one_event(servers, copies, load, "stationary", 0.0);
            simulate(&MODEL, &plan, 21, 64, 2048)
                .iter()
                .map(|tallies| estimates(&plan, tallies)[4].unwrap())
                .collect()
        };
        let exact = System::new(servers, copies, load).unwrap().jobs_mean();
        let z_right = z(&mean(load), exact);
        assert!(
            z_right.abs() < Z,
            "{servers} {copies} {load}: z = {z_right}"
        );
        assert!(z(&mean(load * 1.02), exact) > Z, "a load 2 % off must show");
    }
}

#[test]
fn response_times_are_not_reported_while_jobs_of_the_start_leave() {
    let run = |warmup: f64| {
        let plan = (MODEL.plan)(&point(10, 2, 0.7, "stationary", [warmup, 400.0])).unwrap();
        let tallies = pooled(&plan, &simulate(&MODEL, &plan, 2, 1, 64));
        let unknown = tallies.sums[sum::UNKNOWN][0] + tallies.sums[sum::UNKNOWN][1];
        (unknown, estimates(&plan, &tallies))
    };
    let (unknown, values) = run(0.0);
    assert!(unknown > 100);
    assert_eq!(values[..2], [None, None]);
    assert!(values[2..].iter().all(Option::is_some));
    let (unknown, values) = run(2000.0);
    assert_eq!(unknown, 0);
    assert!(values.iter().all(Option::is_some));
}

/// Runs a plan on the CPU, checks that the GPU gives the same bits, and returns the tallies and the faults met.
fn faults(plan: &Plan) -> (Tallies, Vec<u32>) {
    let key = Key { seed: 4, stream: 0 };
    let work = Work {
        plan,
        key,
        unit: unit(0, 96),
        recording: Recording::default(),
    };
    let mut cpu = Cpu::new(1).unwrap();
    let (tallies, states) = cpu.final_states(&MODEL, &work, &Watch::new()).unwrap();
    if let Some(mut gpu) = common::gpu() {
        let difference = compare(&MODEL, plan, key, work.unit, &mut cpu, &mut gpu).unwrap();
        assert_eq!(difference, None);
    }
    (tallies, states[state::FAULT * 96..][..96].to_vec())
}

#[test]
fn a_list_without_room_is_a_fault_and_never_silence() {
    for start in ["empty", "stationary"] {
        let mut plan = (MODEL.plan)(&point(10, 2, 0.7, start, [50.0, 200.0])).unwrap();
        let room = plan.params[param::ROOM];
        assert!(room > 60, "{room}");
        assert_eq!(faults(&plan).0.faults, 0);
        plan.params[param::ROOM] = 9;
        let (tallies, found) = faults(&plan);
        assert!(tallies.faults > 20, "{start}: {}", tallies.faults);
        let full = found
            .iter()
            .filter(|&&word| word == 1 << fault::ROOM)
            .count();
        assert_eq!(full as u64, tallies.faults);
        let jobs = histogram(&plan, &tallies, "jobs");
        assert!(jobs[9] > 0 && jobs[10..].iter().all(|&count| count == 0));
    }
}

#[test]
fn a_time_out_of_range_is_a_fault_and_never_silence() {
    let mut plan = (MODEL.plan)(&point(10, 2, 0.7, "empty", [50.0, 200.0])).unwrap();
    let bits = plan.params[param::FRACTION_BITS];
    assert!((8..=25).contains(&bits), "{bits}");
    plan.params[param::GAP_SHIFT] -= 6;
    let (tallies, found) = faults(&plan);
    assert!(tallies.faults > 20, "{}", tallies.faults);
    let late = found
        .iter()
        .filter(|&&word| word == 1 << fault::TIME)
        .count();
    assert_eq!(late as u64, tallies.faults);
}

#[test]
fn what_has_no_steady_state_or_no_room_is_refused_with_the_reason() {
    let problem = |servers, copies, load| {
        let problem = (MODEL.plan)(&point(servers, copies, load, "empty", [0.0, 10.0]));
        problem.map(|_| ()).unwrap_err().to_string()
    };
    let unstable = problem(10, 2, 1.0);
    assert!(unstable.starts_with("load: 1 is unstable"), "{unstable}");
    let copies = problem(10, 11, 0.5);
    assert!(copies.starts_with("copies: 11 copies need"), "{copies}");
    let close = problem(1, 1, 0.999_999_9);
    assert!(close.starts_with("load: 0.9999999"), "{close}");
}

#[test]
fn room_and_clock_are_chosen_for_the_largest_systems_too() {
    for (servers, copies, load) in [(4096, 3, 0.9), (1 << 20, 2, 0.5), (1 << 20, 1 << 20, 0.9)] {
        let plan = (MODEL.plan)(&point(servers, copies, load, "empty", [0.0, 10.0])).unwrap();
        let system = System::new(servers, copies, load).unwrap();
        let room = u64::from(plan.params[param::ROOM]);
        assert!(room as f64 > system.jobs_mean());
        assert!(system.jobs_tail_bound_ln(room) < -75.9);
        assert!(system.jobs_tail_bound_ln(room - room / 128 - 2) > -75.99);
        let bits = plan.params[param::FRACTION_BITS];
        let range = |bits: u32| 2f64.powi(30 - bits as i32);
        assert!(system.response_tail_bound_ln(range(bits)) < -75.9);
        assert!(bits == 25 || system.response_tail_bound_ln(range(bits + 1)) > -75.99);
    }
}

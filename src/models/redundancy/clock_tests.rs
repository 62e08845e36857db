//! Tests of the resolution and the range of the clock, on runs: pairs with the same draws at different fraction bits,
//! and clocks so fine that times leave their range.
#![allow(clippy::unwrap_used)]

use super::kernel::RANGE;
use super::parameters::PARAMETERS;
use super::words::{param, sum};
use super::{MODEL, plan::resolve};
use crate::engine::{Backend, Cpu, Recording, Unit, Watch, Work};
use crate::models::{Plan, Point, Tallies, Value};
use crate::random::Key;
use std::sync::Mutex;

fn point(servers: u32, copies: u32, load: f64, warmup: u32, duration: u32) -> Point {
    let span = [f64::from(warmup), f64::from(duration)];
    Point::with_defaults(PARAMETERS, 0, span, |name| match name {
        "servers" => Some(Value::Number(f64::from(servers))),
        "copies" => Some(Value::Number(f64::from(copies))),
        "load" => Some(Value::Number(load)),
        _ => None,
    })
}

fn bits(plan: &Plan) -> u32 {
    let used = plan.used.iter().find(|(name, _)| *name == "fraction_bits");
    used.unwrap().1[0] as u32
}

/// Batches of replicas, each a unit; with every response time when they are recorded.
fn simulate(plan: &Plan, batches: u32, replicas: u32, record: bool) -> Vec<Tallies> {
    let work: Vec<Work<'_>> = (0..batches)
        .map(|batch| Work {
            plan,
            key: Key { seed: 8, stream: 3 },
            unit: Unit {
                point: 0,
                batch,
                first_replica: batch * replicas,
                replicas,
            },
            recording: Recording {
                trajectories: if record { batches * replicas } else { 0 },
                ensemble: false,
                from: 0,
                steps: if record { plan.end() } else { 0 },
            },
        })
        .collect();
    let done = Mutex::new(Vec::new());
    let mut cpu = Cpu::new(0).unwrap();
    cpu.run(&MODEL, &work, &Watch::new(), &|index, tallies| {
        done.lock().unwrap().push((index, tallies));
    })
    .unwrap();
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, tallies)| tallies).collect()
}

/// Mean response time of the jobs of a batch, in mean service times.
fn response_mean(plan: &Plan, batch: &Tallies) -> f64 {
    let jobs = batch.replicas as f64 * f64::from(plan.halves[0] + plan.halves[1]);
    batch.sums[sum::RESPONSE].iter().sum::<u128>() as f64 / jobs * plan.traced_unit
}

/// Share of jobs of all batches that took at least a time that is a power of two, so an edge at every clock.
fn share_beyond(plan: &Plan, batches: &[Tallies], time: f64) -> f64 {
    let histogram = &plan.histograms[0];
    let edge = (0..histogram.bins).find(|&bin| histogram.lower(bin) >= time);
    let edge = edge.unwrap() as usize;
    assert_eq!(histogram.lower(edge as u32), time);
    let counts = |from: usize| -> u64 {
        let of = |batch: &Tallies| {
            batch.counts[from..histogram.bins as usize]
                .iter()
                .sum::<u64>()
        };
        batches.iter().map(of).sum()
    };
    counts(edge) as f64 / counts(0) as f64
}

/// The relative difference of E[T] between two clocks with the same draws, and its standard error over batches.
///
/// Both runs see the same arrivals, servers and sizes, rounded differently. Workloads depend on all of them by sums,
/// minima and maxima, so they differ by a few units of the coarser clock, forget that difference when a server
/// falls idle, and what would be the noise of two runs (1e-3 of E[T]) is that of rounding: about 2^-f over the root of
/// the number of jobs.
fn paired(point: &Point, batches: u32, replicas: u32, coarse: u32, fine: u32) -> (f64, f64) {
    let run = |bits| {
        let mut plan = resolve(point, Some(bits)).unwrap();
        // Finer than what is chosen, a clock may be too short for a sweep of many jobs.
        plan.params[param::SWEEP] = plan.params[param::SERVERS];
        let tallies = simulate(&plan, batches, replicas, false);
        assert!(tallies.iter().all(|batch| batch.faults == 0));
        (plan, tallies)
    };
    let ((plan, with), (fine_plan, without)) = (run(coarse), run(fine));
    assert_eq!(plan.histograms[0].step, 0.5f64.powi(coarse as i32));
    assert_eq!(fine_plan.histograms[0].step, 0.5f64.powi(fine as i32));
    for time in [0.25, 0.5, 1.0, 2.0] {
        let [a, b] = [(&plan, &with), (&fine_plan, &without)]
            .map(|(plan, batches)| share_beyond(plan, batches, time));
        // Half a unit more or less at a density that is at most about d = 3.
        let most = 3.0 * plan.traced_unit + 1e-6;
        assert!((a - b).abs() < most, "P(T >= {time}): {a}, {b}");
    }
    let differences: Vec<f64> = (with.iter().zip(&without))
        .map(|(a, b)| {
            let exact = response_mean(&fine_plan, b);
            (response_mean(&plan, a) - exact) / exact
        })
        .collect();
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// At the clock that is chosen a bias of rounding is too small to be seen, so it is shown where it is larger: 6 bits
/// below the chosen clock against it, and with 12 bits.
fn assert_no_bias(point: &Point, batches: u32, replicas: u32) {
    let chosen = bits(&resolve(point, None).unwrap());
    // The bias is below the sum, with 4.5 standard errors to spare.
    for (coarse, fine, most) in [(chosen - 6, chosen, 1e-7), (12, 18, 1e-5)] {
        let (bias, se) = paired(point, batches, replicas, coarse, fine);
        eprintln!("{coarse} bits against {fine}: {bias:e} (se {se:e})");
        assert!(bias.abs() + 4.5 * se < most, "{bias:e} (se {se:e})");
    }
}

#[test]
fn ten_servers_have_no_bias_from_the_clock() {
    assert_no_bias(&point(10, 2, 0.7, 300, 20_000), 32, 16);
}

#[test]
fn a_thousand_servers_have_no_bias_from_the_clock() {
    assert_no_bias(&point(1000, 3, 0.9, 24_200, 16_000), 16, 16);
}

/// The clock of all bits that a draw has, 26, rounds no size. Where the rounding of the others has a mean, they all
/// have the same, half of 2^-26, and only this clock tells: ties up would raise E[T] by 2.6e-7 here (d times 2^-27 of
/// the least of d sizes, which the load multiplies by 1/(1 - rho)).
#[test]
fn rounding_to_units_has_no_mean() {
    let point = point(7, 7, 0.8, 2_000, 30_000);
    let (bias, se) = paired(&point, 32, 16, 25, 26);
    eprintln!("25 bits against 26: {bias:e} (se {se:e})");
    assert!(bias.abs() < 4.5 * se && se < 2e-9, "{bias:e} (se {se:e})");
    let (bias, se) = paired(&point, 32, 16, 22, 26);
    eprintln!("22 bits against 26: {bias:e} (se {se:e})");
    assert!(bias.abs() < 4.5 * se && se < 2e-8, "{bias:e} (se {se:e})");
}

/// The comparison can fail: with 3 fraction bits, E[T] at d = 2 is off by the order of (2/8)^2/24.
#[test]
fn a_clock_of_few_bits_is_found_out() {
    let point = point(10, 2, 0.7, 300, 4_000);
    let plans = [3, 20].map(|bits| resolve(&point, Some(bits)).unwrap());
    let [coarse, fine] = plans.each_ref().map(|plan| {
        let batches = simulate(plan, 4, 16, false);
        batches.iter().map(|b| response_mean(plan, b)).sum::<f64>() / 4.0
    });
    let bias = coarse / fine - 1.0;
    assert!(bias.abs() > 3e-4 && bias.abs() < 3e-2, "{bias:e}");
}

#[test]
fn a_response_beyond_the_range_makes_its_replica_a_fault_and_no_other() {
    // A range of 64 mean service times: one of ten servers gets there in about half of the replicas.
    let point = point(10, 1, 0.95, 2_000, 4_000);
    let plan = resolve(&point, Some(24)).unwrap();
    let batch = simulate(&plan, 1, 40, true).remove(0);
    let mut beyond = 0;
    for (_, responses) in &batch.trajectories {
        assert_eq!(responses.len(), 6_000);
        beyond += u64::from(responses.iter().any(|&t| t as u32 >= RANGE));
    }
    assert_eq!(batch.trajectories.len(), 40);
    assert!(beyond > 0 && beyond < 40, "{beyond}");
    assert_eq!(batch.faults, beyond);
    let plan = resolve(&point, None).unwrap();
    assert_eq!(
        simulate(&plan, 1, 40, false)[0].faults,
        0,
        "{}",
        bits(&plan)
    );
}

#[test]
fn a_sweep_of_refreshing_that_outlasts_the_range_is_a_fault() {
    // 256 jobs take 512 mean service times, and the range is 32.
    let plan = resolve(&point(1, 1, 0.5, 0, 1_000), Some(25)).unwrap();
    let faults = simulate(&plan, 1, 20, false)[0].faults;
    assert_eq!(faults, 20);
    let plan = resolve(&point(1, 1, 0.5, 0, 1_000), Some(20)).unwrap();
    assert_eq!(simulate(&plan, 1, 20, false)[0].faults, 0);
}

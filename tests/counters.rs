//! Counters near 2^32, 2^63 and beyond: exact on every engine and in the file, or refused in words; never wrapped in silence.
#![allow(clippy::unwrap_used)]

mod common;

#[path = "output/synthetic.rs"]
mod synthetic;

use queuefarm::engine::{Backend, Cpu, Recording, Unit, Watch, Work};
use queuefarm::experiment::Experiment;
use queuefarm::models::{MODELS, Model, Plan, Tallies, find};
use queuefarm::random::Key;
use queuefarm::statistics::Tail;
use queuefarm::store::{read, write};
use std::sync::Mutex;
use synthetic::{RECORDED, estimates, experiment, results};

const KEY: Key = Key { seed: 5, stream: 0 };
const REPLICAS: u32 = 70;
/// What every sum of a replica starts from: one below a carry, in as many words as it has.
const NEAR: [u128; 2] = [(1 << 63) - 1, (1 << 95) + (1 << 64) - 1];

/// Where a sum that has so many words starts.
fn near(plan: &Plan) -> u128 {
    NEAR[plan.sum_words as usize - 2]
}

/// The start of model `M`, with its sums already there.
fn started_near<const M: usize>(plan: &Plan, key: &Key, replica: u32, state: &mut [u32]) {
    (MODELS[M].start)(plan, key, replica, state);
    let words = plan.sum_words as usize;
    let sums = &mut state[plan.sums_at as usize..][..2 * words * MODELS[M].sums.len()];
    for sum in sums.chunks_exact_mut(words) {
        for (i, word) in sum.iter_mut().enumerate() {
            *word = (near(plan) >> (32 * i)) as u32;
        }
    }
}

type Start = fn(&Plan, &Key, u32, &mut [u32]);

const STARTS: [Start; 6] = [
    started_near::<0>,
    started_near::<1>,
    started_near::<2>,
    started_near::<3>,
    started_near::<4>,
    started_near::<5>,
];

/// The model of that index, its sums starting near their carries.
fn preset(index: usize) -> Model {
    Model {
        start: STARTS[index],
        ..*MODELS[index]
    }
}

/// The first point of a model's starter, cut short.
fn plan(model: &Model) -> Plan {
    let mut short = vec!["replicas=70", "batches=1", "warmup=0", "duration=60"];
    // Instances are dear to plan.
    short.extend(match model.name {
        "selfish-pure" => &["servers=2", "streams=6", "instances=2"][..],
        "selfish-mixed" => &["servers=2", "streams=6"],
        _ => &[],
    });
    let short: Vec<String> = short.into_iter().map(str::to_owned).collect();
    let experiment = Experiment::parse(model.starter, "starter.toml", &short, None).unwrap();
    (model.plan)(&experiment.points()[0]).unwrap()
}

fn run(backend: &mut dyn Backend, model: &Model, plan: &Plan) -> Tallies {
    let work = Work {
        plan,
        key: KEY,
        unit: Unit {
            point: 0,
            batch: 0,
            first_replica: 0,
            replicas: REPLICAS,
        },
        recording: Recording::default(),
    };
    let found = Mutex::new(Tallies::default());
    backend
        .run(model, &[work], &Watch::new(), &|_, tallies| {
            *found.lock().unwrap() = tallies;
        })
        .unwrap();
    found.into_inner().unwrap()
}

/// Whether sums that start near their carries end exactly as much larger, on that engine.
fn carries_are_exact(backend: &mut dyn Backend) {
    for (index, model) in MODELS.iter().enumerate() {
        let plan = plan(model);
        let plain = run(backend, model, &plan);
        let mut expected = plain.clone();
        for sum in expected.sums.iter_mut().flatten() {
            *sum += near(&plan) * u128::from(REPLICAS);
        }
        let found = run(backend, &preset(index), &plan);
        assert_eq!(found, expected, "{}", model.name);
    }
}

#[test]
fn every_model_has_a_start_near_its_carries() {
    assert_eq!(STARTS.len(), MODELS.len());
}

#[test]
fn sums_of_a_replica_that_pass_their_carries_are_exact_on_the_cpu() {
    carries_are_exact(&mut Cpu::new(0).unwrap());
}

#[test]
fn sums_of_a_replica_that_pass_their_carries_are_exact_on_the_gpu() {
    if let Some(gpu) = common::gpu() {
        let mut gpu = gpu.with_microsteps(61);
        carries_are_exact(&mut gpu);
    }
}

/// Whether counts are the same when every few steps could fill a count of 32 bits.
fn draining_loses_nothing(backend: &mut dyn Backend) {
    let model = MODELS[0];
    let plain = plan(model);
    let expected = run(backend, model, &plain);
    assert!(expected.counts.iter().sum::<u64>() > 0);
    for increments in [1 << 25, (1 << 31) - 1, 1 << 31, u32::MAX] {
        let mut feared = plain.clone();
        feared.increments_per_step = increments;
        feared.increments_per_microstep = increments;
        assert_eq!(run(backend, model, &feared), expected, "{increments}");
    }
}

#[test]
fn counts_that_are_drained_at_every_step_are_the_same_on_the_cpu() {
    draining_loses_nothing(
        &mut Cpu::with(1, queuefarm::engine::InstructionSet::available()[0], 16).unwrap(),
    );
}

#[test]
fn counts_that_are_drained_at_every_dispatch_are_the_same_on_the_gpu() {
    if let Some(gpu) = common::gpu() {
        draining_loses_nothing(&mut gpu.with_microsteps(1));
    }
}

#[test]
fn tallies_near_their_limits_merge_exactly() {
    let plan = plan(MODELS[0]);
    let mut a = Tallies::zero(&plan, 2);
    for count in [
        u64::from(u32::MAX),
        1 << 32,
        (1 << 63) - 1,
        1 << 63,
        u64::MAX - 1,
    ] {
        a.counts[0] = count;
        a.sums[0] = [u128::from(u64::MAX), 1 << 127];
        a.peaks
            .iter_mut()
            .for_each(|peak| *peak = u128::from(u64::MAX));
        a.ensemble = vec![[i128::from(i64::MIN), (1 << 96) - 1]];
        let mut b = Tallies::zero(&plan, 2);
        b.counts[0] = 1;
        b.sums[0] = [1, (1 << 127) - 1];
        b.peaks.iter_mut().for_each(|peak| *peak = 1);
        b.ensemble = vec![[-1, 1]];
        b.merge(&a);
        assert_eq!(b.counts[0], count + 1);
        assert_eq!(b.sums[0], [1 << 64, u128::MAX]);
        assert!(b.peaks.iter().all(|peak| *peak == 1 << 64));
        assert_eq!(b.ensemble[0], [i128::from(i64::MIN) - 1, 1 << 96]);
    }
}

#[test]
fn counts_near_two_to_the_63_go_through_the_file_and_give_shares() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.h5");
    let mut results = results(experiment(RECORDED), |_| 2);
    for batch in results.batches.iter_mut().flatten() {
        batch.counts.fill(0);
    }
    // Four batches of point 0: 2^63 observations in bin 0, and one less than that in bin 1.
    let (half, rest) = (1_u64 << 61, [1_u64 << 61, 1 << 61, 1 << 61, (1 << 61) - 1]);
    for (batch, rest) in results.batches[0].iter_mut().zip(rest) {
        (batch.counts[0], batch.counts[1]) = (half, rest);
        batch.sums[0] = [u128::MAX >> 4, u128::MAX >> 4];
        batch.ensemble[0] = [i128::MIN >> 3, i128::MAX >> 3];
    }
    write(&path, &results, &estimates(&results)).unwrap();
    let back = read(&path).unwrap();
    assert_eq!(back.batches, results.batches);
    let tail = Tail::of(&back, 0, 0, 0.95);
    let shares: Vec<Option<f64>> = tail.edges().map(|(_, share)| share.p).collect();
    assert_eq!(shares[..3], [Some(1.0), Some(0.5), Some(0.0)]);
    let events: Vec<u64> = tail.edges().map(|(_, share)| share.events).collect();
    assert_eq!(events[..3], [u64::MAX, (1 << 63) - 1, 0]);
}

#[test]
fn more_observations_than_64_bits_count_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.h5");
    let mut results = results(experiment(RECORDED), |_| 2);
    for (batch, count) in results.batches[1]
        .iter_mut()
        .zip([1 << 63, (1 << 63) - 1, 1, 0])
    {
        batch.counts.fill(0);
        batch.counts[0] = count;
    }
    let error = write(&path, &results, &estimates(&results)).unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("point 1") && said.contains("impossibly large"),
        "{said}"
    );
    // The model that counts most in a step.
    let mixed = find("selfish-mixed").unwrap();
    let most = ["replicas=4294967295", "batches=1", "duration=2147483647"].map(str::to_owned);
    let refused = Experiment::parse(mixed.starter, "x.toml", &most, None).unwrap_err();
    let refused = refused.to_string();
    assert!(refused.contains("more than 2^60 observations"), "{refused}");
}

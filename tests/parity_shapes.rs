//! The shape of the work never changes a bit: replica counts, lengths of dispatches, units, waves, threads.
//! And the comparison can fail: a kernel with one wrong operation is found and named.
#![allow(clippy::unwrap_used)]

mod common;

use queuefarm::engine::gpu::Gpu;
use queuefarm::engine::verify::compare;
use queuefarm::engine::{
    All, Backend, Cpu, Group, Guarded, InstructionSet, Recording, Stretch, Unit, Watch, Work,
};
use queuefarm::models::{Model, Plan, Tallies, delay, find};
use queuefarm::random::Key;
use std::sync::Mutex;

const KEY: Key = Key {
    seed: 42,
    stream: 3,
};

fn plan(configuration: usize) -> Plan {
    let model = find("delay").unwrap();
    (model.plan)(&(model.parity_grid)()[configuration]).unwrap()
}

fn unit(first_replica: u32, replicas: u32) -> Unit {
    Unit {
        point: 0,
        batch: 0,
        first_replica,
        replicas,
    }
}

/// Plain, with rejection, with fixed clients and travelling packets.
const CONFIGURATIONS: [usize; 3] = [0, 13, 17];

/// Simulates ranges of replicas as separate units and adds them up.
fn run(backend: &mut dyn Backend, plan: &Plan, ranges: &[(u32, u32)]) -> Tallies {
    let recording = Recording {
        trajectories: 5,
        ensemble: true,
        from: 10,
        steps: 100,
    };
    let work: Vec<Work<'_>> = ranges
        .iter()
        .map(|&(first, replicas)| Work {
            plan,
            key: KEY,
            unit: unit(first, replicas),
            recording,
        })
        .collect();
    let model = find("delay").unwrap();
    let total = Mutex::new(Tallies::zero(plan, model.sums.len()));
    backend
        .run(model, &work, &Watch::new(), &|_, tallies| {
            total.lock().unwrap().merge(&tallies)
        })
        .unwrap();
    total.into_inner().unwrap()
}

#[test]
fn any_number_of_replicas_gives_the_same_bits_on_the_gpu() {
    let Some(mut gpu) = common::gpu() else { return };
    let mut cpu = Cpu::new(0).unwrap();
    let model = find("delay").unwrap();
    for (configuration, counts) in [
        (0, &[1, 63, 64, 65, 10_007][..]),
        (13, &[1, 63, 64, 65, 10_007]),
        (17, &[1, 63, 64, 65, 10_007]),
    ] {
        for &replicas in counts {
            let plan = plan(configuration);
            let difference =
                compare(model, &plan, KEY, unit(0, replicas), &mut cpu, &mut gpu).unwrap();
            assert_eq!(
                difference, None,
                "configuration {configuration}, {replicas} replicas"
            );
        }
    }
}

#[test]
fn any_length_of_dispatch_gives_the_same_bits() {
    let Some(_) = common::gpu() else { return };
    for configuration in CONFIGURATIONS {
        let plan = plan(configuration);
        let reference = run(&mut Cpu::new(0).unwrap(), &plan, &[(0, 100)]);
        for microsteps in [1, 7, 1000, 16_384] {
            let mut gpu = Gpu::open(None, true).unwrap().with_microsteps(microsteps);
            assert_eq!(
                run(&mut gpu, &plan, &[(0, 100)]),
                reference,
                "configuration {configuration}, {microsteps} microsteps"
            );
        }
    }
}

#[test]
fn any_length_of_call_and_number_of_threads_gives_the_same_bits() {
    for configuration in CONFIGURATIONS {
        let plan = plan(configuration);
        let reference = run(&mut Cpu::new(1).unwrap(), &plan, &[(0, 200)]);
        for (threads, steps) in [(1, 1), (2, 13), (3, 100), (5, u32::MAX)] {
            let mut cpu = Cpu::with(threads, InstructionSet::best(), steps).unwrap();
            let ranges: Vec<(u32, u32)> = (0..10).map(|i| (20 * i, 20)).collect();
            assert_eq!(
                run(&mut cpu, &plan, &ranges),
                reference,
                "configuration {configuration}, {threads} threads, {steps} steps"
            );
        }
    }
}

#[test]
fn any_split_into_units_gives_the_same_bits() {
    let splits: [&[(u32, u32)]; 4] = [
        &[(0, 130)],
        &[(0, 1), (1, 129)],
        &[(64, 66), (0, 64)],
        &[(100, 30), (3, 97), (0, 3)],
    ];
    for configuration in CONFIGURATIONS {
        let plan = plan(configuration);
        let reference = run(&mut Cpu::new(1).unwrap(), &plan, splits[0]);
        for split in splits {
            assert_eq!(
                run(&mut Cpu::new(2).unwrap(), &plan, split),
                reference,
                "CPU, configuration {configuration}, {split:?}"
            );
            if let Some(mut gpu) = common::gpu() {
                assert_eq!(
                    run(&mut gpu, &plan, split),
                    reference,
                    "GPU, configuration {configuration}, {split:?}"
                );
            }
        }
    }
}

#[test]
fn units_of_different_points_share_a_wave_without_mixing() {
    let Some(mut gpu) = common::gpu() else { return };
    let model = find("delay").unwrap();
    let plans: Vec<Plan> = (0..(model.parity_grid)().len())
        .filter(|&index| index != 20)
        .map(plan)
        .collect();
    let work: Vec<Work<'_>> = plans
        .iter()
        .enumerate()
        .map(|(index, plan)| Work {
            plan,
            key: Key {
                seed: 9,
                stream: index as u32,
            },
            unit: Unit {
                point: index as u32,
                batch: 0,
                first_replica: 7,
                replicas: 40,
            },
            recording: Recording::default(),
        })
        .collect();
    let collect = |backend: &mut dyn Backend| {
        let results = Mutex::new(vec![None; work.len()]);
        backend
            .run(model, &work, &Watch::new(), &|index, tallies| {
                results.lock().unwrap()[index] = Some(tallies)
            })
            .unwrap();
        results.into_inner().unwrap()
    };
    assert_eq!(collect(&mut gpu), collect(&mut Cpu::new(0).unwrap()));
}

#[test]
fn gpu_and_cpu_at_once_give_the_same_bits_as_either_alone() {
    let Some(gpu) = common::gpu() else { return };
    let cpu = || Cpu::new(0).unwrap();
    let mut all = All::new(Guarded::new(Box::new(gpu), cpu(), 0.1), cpu());
    for configuration in CONFIGURATIONS {
        let plan = plan(configuration);
        let ranges: Vec<(u32, u32)> = (0..12).map(|piece| (70 * piece, 70)).collect();
        let together = run(&mut all, &plan, &ranges);
        assert_eq!(together, run(&mut cpu(), &plan, &ranges));
    }
    assert_eq!(all.incidents(), []);
}

#[test]
fn a_shader_with_one_wrong_operation_is_found() {
    let Some(mut gpu) = common::gpu() else { return };
    let right = "position += 1u;";
    let parts = delay::MODEL
        .shader
        .iter()
        .map(|part| &*part.replace(right, "position += 1u; peak += 1u;").leak());
    let shader: &'static [&'static str] = parts.collect::<Vec<&'static str>>().leak();
    assert_ne!(shader, delay::MODEL.shader, "the mutation applies");
    let model = Model {
        shader,
        ..delay::MODEL
    };
    let difference = compare(
        &model,
        &plan(0),
        KEY,
        unit(0, 64),
        &mut Cpu::new(0).unwrap(),
        &mut gpu,
    )
    .unwrap();
    let difference = difference.expect("the wrong shader must differ");
    assert_eq!(
        (difference.field.as_str(), difference.step),
        ("peak", 1),
        "{difference}"
    );
}

#[test]
fn a_count_in_a_wrong_bin_is_traced_to_its_replica_and_step() {
    let Some(mut gpu) = common::gpu() else { return };
    let right = "count(2u * before + queue_1);";
    let wrong = "count(2u * before + queue_1 + select(0u, 1u, slot_word(SLOT_FIRST_REPLICA) + column == 5u && position == 100u));";
    let parts = delay::MODEL
        .shader
        .iter()
        .map(|part| &*part.replace(right, wrong).leak());
    let shader: &'static [&'static str] = parts.collect::<Vec<&'static str>>().leak();
    assert_ne!(shader, delay::MODEL.shader, "the mutation applies");
    let model = Model {
        shader,
        ..delay::MODEL
    };
    let mut cpu = Cpu::new(0).unwrap();
    let difference = compare(&model, &plan(0), KEY, unit(0, 64), &mut cpu, &mut gpu).unwrap();
    let difference = difference.expect("the wrong shader must differ");
    assert_eq!(
        (difference.replica, difference.step),
        (5, 101),
        "{difference}"
    );
    assert!(difference.field.starts_with("histogram of"), "{difference}");
}

/// The kernel of `delay`, but for one bit of one replica at one tick.
fn slightly_wrong(set: InstructionSet, plan: &Plan, group: &mut Group<'_>, stretch: Stretch) {
    let before = group.state[0][0];
    (delay::MODEL.cpu)(set, plan, group, stretch);
    let first = group.first_replica;
    if before < 100 && before + stretch.steps >= 100 && (first..first + 16).contains(&21) {
        group.state[1][(21 - first) as usize] ^= 1;
    }
}

#[test]
fn the_first_replica_step_and_field_that_differ_are_named() {
    let model = Model {
        cpu: slightly_wrong,
        ..delay::MODEL
    };
    let one_by_one = || Cpu::with(1, InstructionSet::best(), 1).unwrap();
    // Both engines run the wrong kernel; the one that sees single steps flips a bit at tick 100, the
    // other, which is asked for whole stretches, at the end of the stretch that passes it.
    let mut whole = Cpu::with(1, InstructionSet::best(), u32::MAX).unwrap();
    let right = compare(
        &model,
        &plan(0),
        KEY,
        unit(0, 40),
        &mut whole,
        &mut one_by_one(),
    )
    .unwrap();
    let difference = right.expect("the engines differ");
    assert_eq!(
        (difference.replica, difference.step),
        (21, 101),
        "{difference}"
    );
}

//! Every engine gives the same bits: instruction sets, threads, lengths of calls, adapters, dispatches.
#![allow(clippy::unwrap_used)]

mod common;

use queuefarm::engine::verify::compare;
use queuefarm::engine::{Cpu, InstructionSet, Unit};
use queuefarm::models::MODELS;
use queuefarm::random::Key;

fn unit(replicas: u32) -> Unit {
    Unit {
        point: 0,
        batch: 0,
        first_replica: 1000,
        replicas,
    }
}

#[test]
fn every_instruction_set_gives_the_same_bits_for_every_option() {
    for set in InstructionSet::available() {
        let mut reference =
            Cpu::with(1, InstructionSet::available().pop().unwrap(), 1 << 14).unwrap();
        let mut other = Cpu::with(2, set, 17).unwrap();
        for model in MODELS {
            for point in (model.parity_grid)() {
                let plan = (model.plan)(&point).unwrap();
                let key = Key {
                    seed: 0x1234_5678_9ABC_DEF0,
                    stream: point.index,
                };
                let difference =
                    compare(model, &plan, key, unit(37), &mut reference, &mut other).unwrap();
                assert_eq!(
                    difference,
                    None,
                    "{} {}, configuration {}",
                    model.name,
                    set.name(),
                    point.index
                );
            }
        }
    }
}

#[test]
fn the_gpu_gives_the_same_bits_as_the_cpu_for_every_option() {
    let Some(gpu) = common::gpu() else { return };
    let mut gpu = gpu.with_microsteps(61);
    let mut cpu = Cpu::new(0).unwrap();
    for model in MODELS {
        for point in (model.parity_grid)() {
            let plan = (model.plan)(&point).unwrap();
            let key = Key {
                seed: u64::MAX,
                stream: point.index,
            };
            let difference = compare(model, &plan, key, unit(70), &mut cpu, &mut gpu).unwrap();
            assert_eq!(
                difference, None,
                "{}, configuration {}",
                model.name, point.index
            );
        }
    }
}

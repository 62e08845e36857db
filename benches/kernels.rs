//! What a step of each kernel costs on one core, beside the random numbers alone, for every instruction set.
//!
//! Elements are replica-steps: `thrpt` reads in replica-ticks (or blocks of four words) a second.
#![allow(clippy::unwrap_used, missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use queuefarm::bench::plan;
use queuefarm::engine::limit::draws_alone;
use queuefarm::engine::{CpuKernel, Group, InstructionSet, LANES, Lane, SPARE_ROWS, Stretch};
use queuefarm::models::{MODELS, Model, Plan, Value, find};
use queuefarm::random::Key;

const STEPS: u32 = 100_000;

/// A kernel in the middle of its measured span.
fn measure(criterion: &mut Criterion, name: &str, model: &Model, plan: &Plan, kernel: CpuKernel) {
    let mut benches = criterion.benchmark_group(name);
    benches.throughput(Throughput::Elements(u64::from(STEPS) * LANES as u64));
    benches.sample_size(20);
    for set in InstructionSet::available() {
        let key = Key { seed: 1, stream: 0 };
        let mut state = vec![Lane::ZERO; plan.state_words as usize];
        let mut one = vec![0; plan.state_words as usize];
        for lane in 0..LANES {
            (model.start)(plan, &key, lane as u32, &mut one);
            for (row, &word) in state.iter_mut().zip(&one) {
                row[lane] = word;
            }
        }
        let mut counts = vec![Lane::ZERO; plan.recorded_bins as usize + SPARE_ROWS];
        benches.bench_function(BenchmarkId::from_parameter(set.name()), |bencher| {
            bencher.iter(|| {
                let mut group = Group {
                    key,
                    first_replica: 0,
                    state: &mut state,
                    counts: &mut counts,
                    trace: None,
                };
                kernel(
                    set,
                    plan,
                    &mut group,
                    Stretch {
                        steps: STEPS,
                        half: Some(0),
                    },
                );
            });
        });
    }
    benches.finish();
}

/// The delay model at a point, from the defaults and a few changes.
fn delay(changes: &[(&str, Value)]) -> Plan {
    plan_of("delay", changes)
}

/// A model at a point, from the defaults and a few changes.
fn plan_of(name: &str, changes: &[(&str, Value)]) -> Plan {
    let model = find(name).unwrap();
    let mut point = (model.parity_grid)().remove(0);
    for parameter in model.parameters {
        let value = changes
            .iter()
            .find(|(name, _)| *name == parameter.name)
            .map(|(_, value)| value.clone());
        let slot = point
            .values
            .iter_mut()
            .find(|(name, _)| *name == parameter.name)
            .unwrap();
        slot.1 = value
            .or_else(|| parameter.default.map(Value::from))
            .unwrap_or(Value::Number(10.0));
    }
    (model.plan)(&point).unwrap()
}

fn kernels(criterion: &mut Criterion) {
    let model = find("delay").unwrap();
    // Where `queuefarm bench` measures whole units, the kernels alone.
    for (index, model) in MODELS.iter().enumerate() {
        let plan = plan(model).unwrap();
        if index == 0 {
            measure(criterion, "random numbers alone", model, &plan, draws_alone);
        }
        measure(criterion, model.name, model, &plan, model.cpu);
    }
    let plan = delay(&[
        ("clients", Value::Number(200.0)),
        ("disinformation", Value::Number(0.3)),
        ("ticks_per_service", Value::Number(10.0)),
    ]);
    measure(
        criterion,
        "delay, ten ticks a service",
        model,
        &plan,
        model.cpu,
    );
    let plan = delay(&[
        ("clients", Value::Number(200.0)),
        ("load_rejection_scaled", Value::Number(0.9)),
    ]);
    measure(
        criterion,
        "delay, load-dependent rejection",
        model,
        &plan,
        model.cpu,
    );
    let plan = delay(&[
        ("clients", Value::Number(200.0)),
        ("disinformation", Value::Number(0.3)),
        ("bias", Value::Number(0.2)),
        ("bias_kind", Value::Word("clients".to_owned())),
    ]);
    measure(
        criterion,
        "delay, fixed biased clients",
        model,
        &plan,
        model.cpu,
    );
    let model = find("redundancy-states").unwrap();
    let plan = plan_of(
        model.name,
        &[
            ("servers", Value::Number(100.0)),
            ("copies", Value::Number(3.0)),
            ("load", Value::Number(0.7)),
            ("start", Value::Word("stationary".to_owned())),
        ],
    );
    measure(
        criterion,
        "redundancy-states, N = 100, d = 3",
        model,
        &plan,
        model.cpu,
    );
    let model = find("farm").unwrap();
    for (name, server) in [
        ("farm, room for ten", "mm1k"),
        ("farm, ten connections", "mmcc"),
    ] {
        let plan = plan_of(
            model.name,
            &[
                ("servers", Value::Number(10.0)),
                ("streams", Value::Number(10.0)),
                ("load", Value::Number(0.7)),
                ("server", Value::Word(server.to_owned())),
            ],
        );
        measure(criterion, name, model, &plan, model.cpu);
    }
}

criterion_group!(benches, kernels);
criterion_main!(benches);

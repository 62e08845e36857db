//! Batches of a plan, simulated without an experiment, and what estimates are made of.

use queuefarm::engine::{Backend, Cpu, Recording, Unit, Watch, Work};
use queuefarm::models::{Model, Plan, Tallies, Totals};
use queuefarm::random::Key;
use std::sync::Mutex;

/// So many replicas from one on.
pub fn unit(first_replica: u32, replicas: u32) -> Unit {
    Unit {
        point: 0,
        batch: 0,
        first_replica,
        replicas,
    }
}

/// Tallies of each of some batches of so many replicas, in stream 0.
pub fn simulate(
    model: &Model,
    plan: &Plan,
    seed: u64,
    batches: u32,
    replicas: u32,
) -> Vec<Tallies> {
    let work: Vec<Work<'_>> = (0..batches)
        .map(|batch| Work {
            plan,
            key: Key { seed, stream: 0 },
            unit: unit(batch * replicas, replicas),
            recording: Recording::default(),
        })
        .collect();
    let results = Mutex::new(vec![Tallies::default(); work.len()]);
    Cpu::new(0)
        .unwrap()
        .run(model, &work, &Watch::new(), &|index, tallies| {
            results.lock().unwrap()[index] = tallies;
        })
        .unwrap();
    results.into_inner().unwrap()
}

/// Everything that tallies hold, as real numbers over the whole measured span.
pub fn totals(plan: &Plan, tallies: &Tallies) -> Totals {
    let measured = f64::from(plan.halves[0] + plan.halves[1]);
    Totals {
        sums: (tallies.sums.iter())
            .map(|halves| (halves[0] + halves[1]) as f64)
            .collect(),
        peaks: Some(tallies.peaks.iter().map(|&peak| peak as f64).collect()),
        maxima: Some(tallies.maxima.iter().map(|&most| most as f64).collect()),
        counts: Some(tallies.counts.iter().map(|&count| count as f64).collect()),
        steps: tallies.replicas as f64 * measured,
        replicas: tallies.replicas as f64,
    }
}

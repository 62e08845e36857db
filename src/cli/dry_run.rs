//! `queuefarm run --dry-run`: points, units, memory, disk and time, before anything is done.

use super::progress::{count, duration};
use super::{Failure, output};
use crate::engine::{Backend, Unit, Watch, Work};
use crate::ensemble::Ensemble;
use serde_json::json;
use std::path::Path;
use std::time::Instant;

/// Steps a point that are simulated to learn the speed.
const SAMPLE_STEPS: u32 = 4_000;
/// Points that are sampled.
const SAMPLES: usize = 5;

/// Says what a run would do.
pub fn run(
    ensemble: &Ensemble,
    backend: &mut dyn Backend,
    path: &Path,
    as_json: bool,
) -> Result<(), Failure> {
    let units = ensemble.units(backend).map_err(Failure::failed)?;
    let experiment = &ensemble.experiment;
    let batches = u64::from(experiment.batches);
    let words = |plan: &crate::models::Plan| {
        plan.bins() as u64 + 4 * experiment.model.sums.len() as u64 + 3
    };
    let recorded: u64 = ensemble
        .plans
        .iter()
        .map(|plan| {
            let recording = ensemble.recording(plan);
            let sums = if recording.ensemble { 4 * batches } else { 0 };
            u64::from(recording.steps) * (sums + u64::from(recording.trajectories))
        })
        .sum();
    let disk = 8
        * (ensemble
            .plans
            .iter()
            .map(|plan| words(plan) * batches)
            .sum::<u64>()
            + recorded);
    let state = ensemble
        .plans
        .iter()
        .map(|plan| u64::from(plan.state_words))
        .max()
        .unwrap_or(0)
        * 4;
    let seconds = estimate(ensemble, backend)?;
    let steps = ensemble.steps();
    let span = experiment.model.span;
    if as_json {
        return output::print_json(&json!({
            "points": ensemble.points.len(), "units": units.len(), "steps": steps, "memory_bytes": 2 * disk,
            "state_bytes_per_replica": state, "disk_bytes": disk, "seconds": seconds, "adapter": backend.adapter(), "output": path,
        }));
    }
    output::print(&format!(
        "points   {} of {} replicas in {} batches\nunits    {} on {}\nwork     {} replica-{span}\n\
         memory   about {}B for results, {}B of state a replica\ndisk     at most {}B in {}, before compression\ntime     about {}\n",
        ensemble.points.len(),
        experiment.replicas,
        experiment.batches,
        units.len(),
        backend.adapter(),
        count(steps as f64),
        count(2.0 * disk as f64),
        count(state as f64),
        count(disk as f64),
        path.display(),
        duration(seconds)
    ))
}

/// Seconds the whole ensemble will take, from a short run of some of its points.
fn estimate(ensemble: &Ensemble, backend: &mut dyn Backend) -> Result<f64, Failure> {
    let every = ensemble.points.len().div_ceil(SAMPLES).max(1);
    let mut plans = Vec::new();
    for point in (0..ensemble.points.len()).step_by(every) {
        let mut plan = ensemble.plans[point].clone();
        plan.warmup = plan.warmup.min(SAMPLE_STEPS / 2);
        plan.halves = plan.halves.map(|half| half.min(SAMPLE_STEPS / 4));
        plans.push((point, plan));
    }
    let replicas = ensemble.experiment.replicas.min(256);
    let work: Vec<Work<'_>> = plans
        .iter()
        .map(|(point, plan)| {
            let unit = Unit {
                point: *point as u32,
                batch: 0,
                first_replica: 0,
                replicas,
            };
            Work {
                plan,
                recording: Default::default(),
                ..ensemble.work(unit)
            }
        })
        .collect();
    let sampled: u64 = work.iter().map(Work::steps).sum();
    let begun = Instant::now();
    backend
        .run(ensemble.experiment.model, &work, &Watch::new(), &|_, _| {})
        .map_err(Failure::failed)?;
    Ok(begun.elapsed().as_secs_f64() * ensemble.steps() as f64 / sampled.max(1) as f64)
}

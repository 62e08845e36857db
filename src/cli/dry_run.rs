//! `queuefarm run --dry-run`: points, units, memory, disk and time, before anything is done.

use super::progress::{count, duration};
use super::{Failure, output};
use crate::engine::{Backend, Recording, Unit, Watch, Work};
use crate::ensemble::Ensemble;
use crate::models::Plan;
use serde_json::json;
use std::path::Path;
use std::time::Instant;

/// Most steps a unit that are simulated to learn the speed: less where they take longer than [`ENOUGH`].
const SAMPLE_STEPS: u32 = 4_096;
/// Units that are sampled.
const SAMPLES: usize = 24;
/// .. and where their start alone takes long.
const FEWEST_SAMPLES: usize = 8;
/// Seconds that tell a speed.
const ENOUGH: f64 = 0.25;

/// Says what a run would do.
pub fn run(
    ensemble: &Ensemble,
    backend: &mut dyn Backend,
    path: &Path,
    as_json: bool,
) -> Result<(), Failure> {
    if let Some(complaint) = too_large(ensemble) {
        eprintln!("note: {complaint}");
    }
    let experiment = &ensemble.experiment;
    let sizes = ensemble.unit_sizes(backend).map_err(Failure::failed)?;
    let units = ensemble.units(&sizes).count();
    let disk = ensemble.result_bytes();
    let state = ensemble
        .plans
        .iter()
        .map(|plan| u64::from(plan.state_words))
        .max()
        .unwrap_or(0)
        * 4;
    let seconds = estimate(ensemble, backend, &sizes, units)?;
    let steps = ensemble.steps();
    let span = experiment.model.span;
    if as_json {
        return output::print_json(&json!({
            "points": ensemble.points.len(), "units": units, "steps": steps, "memory_bytes": ensemble.memory_bytes(),
            "state_bytes_per_replica": state, "disk_bytes": disk, "seconds": seconds, "adapter": backend.adapter(), "output": path,
        }));
    }
    output::print(&format!(
        "points   {} of {} replicas in {} batches\nunits    {} on {}\nwork     {} replica-{span}\n\
         memory   at most {}B, and {}B of state a replica on a GPU\ndisk     at most {}B in {}, before compression\ntime     about {}\n",
        ensemble.points.len(),
        experiment.replicas,
        experiment.batches,
        units,
        backend.adapter(),
        count(steps as f64),
        count(ensemble.memory_bytes() as f64),
        count(state as f64),
        count(disk as f64),
        path.display(),
        duration(seconds)
    ))
}

/// Why the results do not fit into the memory that is free, if they do not (and the system tells).
pub fn too_large(ensemble: &Ensemble) -> Option<String> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let free = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024;
    let needed = ensemble.memory_bytes();
    (needed > free).then(|| {
        format!(
            "the run may need {}B of memory and {}B are free; sweep fewer points, or give fewer batches or clients",
            count(needed as f64),
            count(free as f64)
        )
    })
}

/// Why the disk may become full, if it may (and the system tells).
pub fn little_space(ensemble: &Ensemble, path: &Path) -> Option<String> {
    let free = free_space(path)?;
    // The parts, and beside them the result that is assembled of them.
    let most = ensemble.result_bytes().saturating_mul(2);
    (most > free).then(|| {
        format!(
            "the result and the parts on the way to it may take up to {}B, before compression, and {}B are free where {} is; if the disk is full one day, the run stops and can go on later",
            count(most as f64),
            count(free as f64),
            path.display()
        )
    })
}

/// Bytes that are free where a file is to be.
#[cfg(unix)]
fn free_space(path: &Path) -> Option<u64> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let found = rustix::fs::statvfs(folder.unwrap_or(Path::new("."))).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

/// Elsewhere nobody is asked.
#[cfg(not(unix))]
fn free_space(_path: &Path) -> Option<u64> {
    None
}

/// Seconds the whole ensemble will take: units of some points are run for one step and for some more,
/// which tells what a unit costs before its first step and what a step of it costs.
fn estimate(
    ensemble: &Ensemble,
    backend: &mut dyn Backend,
    sizes: &[u32],
    units: usize,
) -> Result<f64, Failure> {
    let chosen = |count: usize| -> Vec<Unit> {
        let every = units.div_ceil(count).max(1);
        ensemble.units(sizes).step_by(every).collect()
    };
    let mut seconds = |sample: &[Unit], steps: u32| -> Result<(f64, u64), Failure> {
        let shorten = |unit: &Unit| {
            let mut plan = ensemble.plans[unit.point as usize].clone();
            plan.warmup = plan.warmup.min(steps / 2);
            plan.halves[0] = plan.halves[0].min(steps / 4);
            plan.halves[1] = plan.halves[1].min(steps - steps / 2 - steps / 4);
            plan
        };
        let plans: Vec<Plan> = sample.iter().map(shorten).collect();
        let work: Vec<Work<'_>> = (sample.iter().zip(&plans))
            .map(|(unit, plan)| Work {
                plan,
                recording: Recording::default(),
                ..ensemble.work(*unit)
            })
            .collect();
        let begun = Instant::now();
        backend
            .run(ensemble.experiment.model, &work, &Watch::new(), &|_, _| {})
            .map_err(Failure::failed)?;
        let steps = plans.iter().map(|plan| u64::from(plan.end())).sum();
        Ok((begun.elapsed().as_secs_f64(), steps))
    };
    // The first run also pays for compiling kernels and starting threads.
    let few = chosen(FEWEST_SAMPLES);
    seconds(&few, 1)?;
    let (once, _) = seconds(&few, 1)?;
    let sample = if once < ENOUGH { chosen(SAMPLES) } else { few };
    let (short, started) = seconds(&sample, 1)?;
    let (mut long, mut done) = (short, started);
    let mut steps = 1;
    while steps < SAMPLE_STEPS && long - short < ENOUGH {
        steps = (4 * steps).min(SAMPLE_STEPS);
        (long, done) = seconds(&sample, steps)?;
    }
    let per_step = (long - short).max(0.0) / done.saturating_sub(started).max(1) as f64;
    let steps: f64 = (ensemble.units(sizes))
        .map(|unit| f64::from(ensemble.plans[unit.point as usize].end()))
        .sum();
    Ok(short * units as f64 / sample.len().max(1) as f64 + per_step * steps)
}

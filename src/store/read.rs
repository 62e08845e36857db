//! The reader: from a result file back to results.
//!
//! Owns the order of checks, of which the checksum is the first, and the versions that are understood.
//! Points and plans are made anew from the stored experiment; accumulators and provenance are read;
//! estimates are not, as they follow.

use std::path::Path;

use super::checksum::{self, Verdict};
use super::source::{self, Source};
use super::{PROGRAM, SCHEMA_VERSION, StoreError, check, layout, record};
use crate::ensemble::{Provenance, Results};
use crate::experiment::Experiment;
use crate::models::{Plan, Point, Tallies};
use crate::random::STREAM_VERSION;

/// Reads a result file of this schema whose checksum says that it is as it was written.
///
/// The checksum is compared before the HDF5 library sees the file, which may crash on a broken one.
///
/// # Errors
/// When there is no such file, it is something else, it has no checksum or not the right one, a newer
/// program wrote it, or its contents are not as they should be.
pub fn read(path: &Path) -> Result<Results, StoreError> {
    source::check_start(path)?;
    let verdict = checksum::verify(path).map_err(|source| StoreError::Io {
        path: path.to_owned(),
        doing: "read it",
        source,
    })?;
    match verdict {
        Verdict::Whole => read_unverified(path),
        Verdict::Changed => Err(StoreError::Changed {
            path: path.to_owned(),
        }),
        Verdict::Absent => Err(StoreError::Unverified {
            path: path.to_owned(),
        }),
    }
}

/// The same, whatever the checksum says: for files that another program has edited.
///
/// The HDF5 library crashes or hangs on some broken files, or asks for all memory. The program calls
/// this in a process of its own, with limits; a caller who cannot vouch for the file should, too.
///
/// # Errors
/// As [`read`], but for the checksum.
pub fn read_unverified(path: &Path) -> Result<Results, StoreError> {
    let source = Source::open(path)?;
    match source.text("program") {
        Ok(Some(program)) if program == PROGRAM => {}
        Ok(Some(program)) => return Err(foreign(path, format!("{program:?}"))),
        Ok(None) => return Err(foreign(path, "missing".to_owned())),
        Err(_) => return Err(foreign(path, "no text".to_owned())),
    }
    // What a newer schema keeps of this one is unknown, so nothing else may be asked for before.
    match source.number("schema_version")? {
        SCHEMA_VERSION => this_schema(&source),
        found if found > SCHEMA_VERSION => newer(&source, "schema", found, SCHEMA_VERSION),
        found => Err(other(
            &source,
            format!("its schema is {found}, and this program reads {SCHEMA_VERSION}"),
        )),
    }
}

fn this_schema(source: &Source) -> Result<Results, StoreError> {
    // Results of older streams remain valid, though this program would not draw the same numbers.
    let stream: u32 = source.number("stream_version")?;
    if stream > STREAM_VERSION {
        return newer(source, "stream", stream, STREAM_VERSION);
    }
    let experiment = experiment(source)?;
    let points = experiment.points();
    let plans = plans(source, &experiment, &points)?;
    let sums = experiment.model.sums.len();
    let batches = plans.iter().map(|plan| {
        (0..experiment.batches)
            .map(|_| Tallies::zero(plan, sums))
            .collect()
    });
    let batches = batches.collect();
    let mut results = Results {
        experiment,
        points,
        plans,
        batches,
        provenance: provenance(source)?,
    };
    replicas(source, &mut results)?;
    faults(source, &mut results)?;
    let names: Vec<&str> = results
        .plans
        .first()
        .iter()
        .flat_map(|p| &p.histograms)
        .map(|h| h.name)
        .collect();
    for (k, name) in names.into_iter().enumerate() {
        histogram(source, &mut results, k, name)?;
    }
    wide(source, &mut results)?;
    maxima(source, &mut results)?;
    record::read(source, &mut results)?;
    Ok(results)
}

fn experiment(source: &Source) -> Result<Experiment, StoreError> {
    let name = format!("{} (attribute resolved)", source.path().display());
    let overrides = texts(source, "overrides")?;
    let parsed = Experiment::parse(&source.required("resolved")?, &name, &[], None);
    let mut experiment = parsed.map_err(|problems| other(source, problems.to_string()))?;
    experiment.source = source.required("experiment")?;
    experiment.overrides = overrides;
    Ok(experiment)
}

fn plans(
    source: &Source,
    experiment: &Experiment,
    points: &[Point],
) -> Result<Vec<Plan>, StoreError> {
    let planned: Result<Vec<Plan>, _> = points.iter().map(experiment.model.plan).collect();
    planned.map_err(|problem| other(source, problem.to_string()))
}

/// An attribute that is a list of texts.
fn texts(source: &Source, name: &str) -> Result<Vec<String>, StoreError> {
    serde_json::from_str(&source.required(name)?)
        .map_err(|_| source.damaged(format!("the attribute {name} is not a list of texts")))
}

fn provenance(source: &Source) -> Result<Provenance, StoreError> {
    Ok(Provenance {
        program_version: source.required("program_version")?,
        backend: source.required("backend")?,
        adapter: source.required("adapter")?,
        driver: source.required("driver")?,
        started: source.required("started")?,
        ended: source.required("ended")?,
        steps: source.number("steps")?,
        seconds: source.number("seconds")?,
        incidents: texts(source, "incidents")?,
    })
}

fn replicas(source: &Source, results: &mut Results) -> Result<(), StoreError> {
    let (replicas, batches) = (results.experiment.replicas, results.experiment.batches);
    let size = u64::from(replicas.checked_div(batches).unwrap_or(0));
    let all = &mut results.batches;
    source.blocks(
        "replicas",
        &[all.len(), batches as usize],
        |point, row: &[u64]| {
            for (batch, found) in all[point].iter_mut().zip(row) {
                if *found != size {
                    return Err(format!("a batch has {found} replicas, expected {size}"));
                }
                batch.replicas = *found;
            }
            Ok(())
        },
    )
}

fn faults(source: &Source, results: &mut Results) -> Result<(), StoreError> {
    let all = &mut results.batches;
    let shape = [all.len(), results.experiment.batches as usize];
    source.blocks("faults", &shape, |point, row: &[u64]| {
        for (batch, faults) in all[point].iter_mut().zip(row) {
            if *faults > batch.replicas {
                return Err(format!("{faults} of {} replicas at fault", batch.replicas));
            }
            batch.faults = *faults;
        }
        Ok(())
    })
}

fn histogram(
    source: &Source,
    results: &mut Results,
    k: usize,
    name: &str,
) -> Result<(), StoreError> {
    let points = results.plans.len();
    let Some(first) = results.plans.first().map(|plan| &plan.histograms[k]) else {
        return Ok(());
    };
    let (suffix, _) = layout::scale_name(first.scale);
    let origins: Vec<i64> = source.whole(&format!("{name}_origin"), &[points])?;
    let scales: Vec<u32> = source.whole(&format!("{name}_{suffix}"), &[points])?;
    let steps: Vec<f64> = source.whole(&format!("{name}_step"), &[points])?;
    let bins: Vec<u32> = source.whole(&format!("{name}_bins"), &[points])?;
    for (point, plan) in results.plans.iter().enumerate() {
        let here = &plan.histograms[k];
        let found = (origins[point], scales[point], steps[point], bins[point]);
        let expected = (
            here.edge(0),
            layout::scale_word(here.scale),
            here.step,
            here.bins,
        );
        if found != expected {
            return Err(other(
                source,
                format!(
                    "at point {point} the histogram of {name} has (origin, {suffix}, step, bins) {found:?}, here {expected:?}"
                ),
            ));
        }
    }
    let most = results
        .plans
        .iter()
        .map(|plan| plan.histograms[k].bins as usize)
        .max()
        .unwrap_or(0);
    let (plans, all) = (&results.plans, &mut results.batches);
    let batches = results.experiment.batches;
    let shape = [points, batches as usize, most];
    source.blocks(
        &format!("histogram_{name}"),
        &shape,
        |point, counts: &[u64]| {
            let before = &plans[point].histograms[..k];
            let first: usize = before.iter().map(|h| h.bins as usize).sum();
            let used = plans[point].histograms[k].bins as usize;
            if !check::countable(counts) {
                return Err("its counts are impossibly large".to_owned());
            }
            for (batch, row) in all[point].iter_mut().zip(counts.chunks_exact(most)) {
                batch.counts[first..first + used].copy_from_slice(&row[..used]);
            }
            Ok(())
        },
    )
}

/// Reads the sums and peaks, numbers of 128 bits in two variables each.
fn wide(source: &Source, results: &mut Results) -> Result<(), StoreError> {
    let model = results.experiment.model;
    let batches = results.experiment.batches;
    let shape = [results.plans.len(), batches as usize, 2];
    let all = &mut results.batches;
    // So that adding up halves and batches cannot overflow.
    let limit = (u128::MAX >> 1) / u128::from(batches);
    for word in [0, 1] {
        let suffix = ["", "_high"][word];
        let part =
            |x: u64| layout::join(if word == 0 { x } else { 0 }, if word == 1 { x } else { 0 });
        let add = |sum: &mut u128, x: u64| {
            *sum |= part(x);
            if *sum > limit {
                Err("a sum is impossibly large".to_owned())
            } else {
                Ok(())
            }
        };
        for (k, name) in model.sums.iter().enumerate() {
            source.blocks(
                &format!("sum_{name}{suffix}"),
                &shape,
                |point, words: &[u64]| {
                    let sums = all[point].iter_mut().flat_map(|batch| &mut batch.sums[k]);
                    sums.zip(words).try_for_each(|(sum, x)| add(sum, *x))
                },
            )?;
        }
        for (k, name) in model.peaks.iter().enumerate() {
            source.blocks(
                &format!("peak_{name}{suffix}"),
                &shape[..2],
                |point, words: &[u64]| {
                    let peaks = all[point].iter_mut().map(|batch| &mut batch.peaks[k]);
                    peaks.zip(words).try_for_each(|(peak, x)| add(peak, *x))
                },
            )?;
        }
    }
    Ok(())
}

/// Reads the maxima.
fn maxima(source: &Source, results: &mut Results) -> Result<(), StoreError> {
    let shape = [results.plans.len(), results.experiment.batches as usize];
    let all = &mut results.batches;
    for (k, name) in results.experiment.model.maxima.iter().enumerate() {
        source.blocks(&format!("max_{name}"), &shape, |point, words: &[u64]| {
            for (batch, most) in all[point].iter_mut().zip(words) {
                batch.maxima[k] = *most;
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn foreign(path: &Path, found: String) -> StoreError {
    StoreError::Foreign {
        path: path.to_owned(),
        found,
    }
}

fn newer<T>(source: &Source, what: &'static str, found: u32, known: u32) -> Result<T, StoreError> {
    let program = version(source);
    Err(StoreError::Newer {
        path: source.path().to_owned(),
        what,
        found,
        known,
        program,
    })
}

fn other(source: &Source, what: String) -> StoreError {
    StoreError::Experiment {
        path: source.path().to_owned(),
        program: version(source),
        what,
    }
}

/// The version of the program that wrote the file, as far as it can be told.
fn version(source: &Source) -> String {
    source
        .text("program_version")
        .ok()
        .flatten()
        .unwrap_or_else(|| "of unknown version".to_owned())
}

//! The writer: which variables and attributes a result file has.
//!
//! Owns the schema as it is written now; `read` mirrors it. Does not know how variables become
//! datasets (see `sheet`) nor how a file becomes durable (see `durable`).

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::sheet::{About, Sheet};
use super::{
    Columns, Estimates, PROGRAM, SCHEMA_VERSION, StoreError, check, checksum, durable, layout,
};
use super::{parameters, record};
use crate::ensemble::Results;
use crate::models::{Histogram, Scale};

/// Writes `results` and the `estimates` made of them to `path`, replacing a file of that name.
///
/// The file appears whole or not at all: it is written under a temporary name in the same folder,
/// brought to the disk and renamed.
///
/// # Errors
/// When the results are incomplete, or the system or the HDF5 library refuses; nothing is left behind.
pub fn write(path: &Path, results: &Results, estimates: &Estimates) -> Result<(), StoreError> {
    check::complete(results, estimates).map_err(|what| StoreError::Incomplete {
        path: path.to_owned(),
        what,
    })?;
    let _now = Assembling::begin();
    durable::create(path, |temporary| {
        let mut sheet = Sheet::create(path, temporary)?;
        head(&sheet, results, estimates.confidence)?;
        dimensions(&mut sheet, results)?;
        parameters::write(&mut sheet, results)?;
        for columns in &estimates.columns {
            estimate(&sheet, columns)?;
        }
        tallies(&mut sheet, results)?;
        record::write(&mut sheet, results, &estimates.ensembles)?;
        sheet.close()?;
        checksum::seal(temporary).map_err(|source| StoreError::Io {
            path: path.to_owned(),
            doing: "add its checksum",
            source,
        })
    })
}

/// Whether a result is being written just now.
static ASSEMBLING: AtomicBool = AtomicBool::new(false);

/// Whether a result is being written just now, which can only be broken off.
pub fn assembling() -> bool {
    ASSEMBLING.load(Ordering::Relaxed)
}

/// As long as it lives, a result is being written.
struct Assembling;

impl Assembling {
    fn begin() -> Assembling {
        ASSEMBLING.store(true, Ordering::Relaxed);
        Assembling
    }
}

impl Drop for Assembling {
    fn drop(&mut self) {
        ASSEMBLING.store(false, Ordering::Relaxed);
    }
}

/// Whether a result file can be made at `path`, found out by beginning to: for those who work long before they write.
///
/// # Errors
/// What writing would fail with before it writes anything.
pub fn check_writable(path: &Path) -> Result<(), StoreError> {
    durable::probe(path, |temporary| Sheet::create(path, temporary)?.close())
}

fn head(sheet: &Sheet, results: &Results, confidence: f64) -> Result<(), StoreError> {
    let (experiment, provenance) = (&results.experiment, &results.provenance);
    sheet.text("title", &experiment.title)?;
    sheet.text("program", PROGRAM)?;
    sheet.text("program_version", &provenance.program_version)?;
    sheet.number("schema_version", SCHEMA_VERSION)?;
    sheet.number("stream_version", crate::random::STREAM_VERSION)?;
    sheet.text("model", experiment.model.name)?;
    // As text too, because many readers turn whole numbers into ones of 63 bits or into floats.
    sheet.text("seed", &experiment.seed.to_string())?;
    sheet.number("seed_uint64", experiment.seed)?;
    sheet.number("replicas", experiment.replicas)?;
    sheet.number("batches", experiment.batches)?;
    sheet.number("confidence", confidence)?;
    sheet.text("experiment", &experiment.source)?;
    sheet.text(
        "overrides",
        &serde_json::Value::from(experiment.overrides.as_slice()).to_string(),
    )?;
    sheet.text("resolved", &experiment.resolved())?;
    let swept: Vec<&str> = experiment.sweeps.iter().map(|sweep| sweep.name).collect();
    sheet.text("swept", &swept.join(" "))?;
    // xarray reads this and makes coordinates of what it names.
    let declared: Vec<&str> = experiment.model.parameters.iter().map(|p| p.name).collect();
    sheet.text("coordinates", &declared.join(" "))?;

    sheet.text("backend", &provenance.backend)?;
    sheet.text("adapter", &provenance.adapter)?;
    sheet.text("driver", &provenance.driver)?;
    sheet.text(
        "incidents",
        &serde_json::Value::from(provenance.incidents.as_slice()).to_string(),
    )?;
    sheet.text("started", &provenance.started)?;
    sheet.text("ended", &provenance.ended)?;
    sheet.number("steps", provenance.steps)?;
    sheet.number("seconds", provenance.seconds)?;
    sheet.number(
        "steps_per_second",
        provenance.steps as f64 / provenance.seconds,
    )
}

fn dimensions(sheet: &mut Sheet, results: &Results) -> Result<(), StoreError> {
    let count = |n: usize| -> Vec<u32> { (0..).take(n).collect() };
    let about = |long_name| About {
        unit: "",
        long_name,
    };
    let points = count(results.points.len());
    sheet.dimension(
        "point",
        &points,
        about("point of the sweep, counted from 0"),
    )?;
    let batches = count(results.experiment.batches as usize);
    sheet.dimension(
        "batch",
        &batches,
        about("batch of replicas, counted from 0"),
    )?;
    sheet.dimension(
        "half",
        &[0_u32, 1],
        about("half of the measured span, counted from 0"),
    )
}

fn estimate(sheet: &Sheet, columns: &Columns) -> Result<(), StoreError> {
    let Columns {
        name,
        unit,
        long_name,
        mean,
        se,
        lo,
        hi,
        theory,
    } = columns;
    let column = |suffix: &str, prefix: &str, values: &[f64]| {
        let long_name = format!("{prefix}{long_name}");
        let about = About {
            unit,
            long_name: &long_name,
        };
        sheet.variable(&format!("{name}{suffix}"), &["point"], values, about)
    };
    column("", "", mean)?;
    column("_se", "standard error: ", se)?;
    column("_lo", "lower end of the confidence interval: ", lo)?;
    column("_hi", "upper end of the confidence interval: ", hi)?;
    column("_theory", "theory: ", theory)
}

fn tallies(sheet: &mut Sheet, results: &Results) -> Result<(), StoreError> {
    let batches = &results.batches;
    fn about(long_name: &str) -> About<'_> {
        About {
            unit: "",
            long_name,
        }
    }
    let finished = about("replicas that have finished");
    sheet.blocks(
        "replicas",
        &["point", "batch"],
        finished,
        |point, row: &mut [u64]| {
            for (value, batch) in row.iter_mut().zip(&batches[point]) {
                *value = batch.replicas;
            }
        },
    )?;
    sheet.blocks(
        "faults",
        &["point", "batch"],
        about("replicas that left the range of their integers"),
        |point, row: &mut [u64]| {
            for (value, batch) in row.iter_mut().zip(&batches[point]) {
                *value = batch.faults;
            }
        },
    )?;
    for (k, histogram) in results
        .plans
        .first()
        .iter()
        .flat_map(|p| p.histograms.iter().enumerate())
    {
        histograms(sheet, results, k, histogram.name)?;
    }
    let model = results.experiment.model;
    for (k, name) in model.sums.iter().enumerate() {
        let long_name = format!("sum of {name} over replicas and steps");
        let axes = ["point", "batch", "half"];
        wide(sheet, &format!("sum_{name}"), &axes, &long_name, |point| {
            batches[point].iter().flat_map(move |batch| batch.sums[k])
        })?;
    }
    for (k, name) in model.peaks.iter().enumerate() {
        let long_name = format!("sum of {name} over replicas");
        wide(
            sheet,
            &format!("peak_{name}"),
            &["point", "batch"],
            &long_name,
            |point| batches[point].iter().map(move |batch| batch.peaks[k]),
        )?;
    }
    for (k, name) in model.maxima.iter().enumerate() {
        let long_name = format!("largest {name} over replicas");
        sheet.blocks(
            &format!("max_{name}"),
            &["point", "batch"],
            about(&long_name),
            |point, row: &mut [u64]| {
                for (value, batch) in row.iter_mut().zip(&batches[point]) {
                    *value = batch.maxima[k];
                }
            },
        )?;
    }
    Ok(())
}

/// Writes 128-bit numbers as two variables of 64 bits.
fn wide<I: Iterator<Item = u128>>(
    sheet: &Sheet,
    name: &str,
    axes: &[&str],
    long_name: &str,
    numbers: impl Fn(usize) -> I,
) -> Result<(), StoreError> {
    for (word, suffix) in ["", "_high"].iter().enumerate() {
        let long_name = format!("{long_name}, {}", layout::BITS[word]);
        let about = About {
            unit: "",
            long_name: &long_name,
        };
        sheet.blocks(
            &format!("{name}{suffix}"),
            axes,
            about,
            |point, row: &mut [u64]| {
                for (value, number) in row.iter_mut().zip(numbers(point)) {
                    *value = layout::split(number)[word];
                }
            },
        )?;
    }
    Ok(())
}

fn histograms(
    sheet: &mut Sheet,
    results: &Results,
    k: usize,
    name: &str,
) -> Result<(), StoreError> {
    let shapes: Vec<&Histogram> = results
        .plans
        .iter()
        .map(|plan| &plan.histograms[k])
        .collect();
    let Some(widest) = shapes.iter().max_by_key(|h| h.bins) else {
        return Ok(());
    };
    let most = widest.bins;
    let dimension = format!("{name}_bin");
    let alike = (shapes.iter()).all(|h| h.scale == widest.scale && h.step == widest.step);
    let about = |long_name| About {
        unit: "",
        long_name,
    };
    let counted = about("bin, counted from 0");
    match widest.scale {
        Scale::Linear { .. } if alike => {
            let edges: Vec<i64> = (0..most).map(|bin| widest.edge(bin)).collect();
            sheet.dimension(&dimension, &edges, about("lowest value of the bin"))?;
        }
        Scale::LogLinear { .. } if alike => {
            let edges: Vec<f64> = (0..most).map(|bin| widest.lower(bin)).collect();
            let lower = About {
                unit: widest.unit,
                long_name: "lower end of the bin",
            };
            sheet.dimension(&dimension, &edges, lower)?;
        }
        _ => {
            let indices: Vec<i64> = (0..i64::from(most)).collect();
            sheet.dimension(&dimension, &indices, counted)?;
        }
    }
    let each = ["point"];
    let origins: Vec<i64> = shapes.iter().map(|h| h.edge(0)).collect();
    let lowest = about("lowest value of the first bin");
    sheet.variable(&format!("{name}_origin"), &each, &origins, lowest)?;
    let widths: Vec<u32> = shapes.iter().map(|h| layout::scale_word(h.scale)).collect();
    let (suffix, meaning) = layout::scale_name(widest.scale);
    sheet.variable(&format!("{name}_{suffix}"), &each, &widths, about(meaning))?;
    let steps: Vec<f64> = shapes.iter().map(|h| h.step).collect();
    let stands_for = About {
        unit: widest.unit,
        long_name: "what a value of 1 stands for",
    };
    sheet.variable(&format!("{name}_step"), &each, &steps, stands_for)?;
    let bins: Vec<u32> = shapes.iter().map(|h| h.bins).collect();
    let meant = about("bins in use, the others are zero");
    sheet.variable(&format!("{name}_bins"), &each, &bins, meant)?;

    let long_name = format!("histogram of {name}: counts");
    let axes = ["point", "batch", dimension.as_str()];
    let variable = format!("histogram_{name}");
    sheet.blocks(
        &variable,
        &axes,
        about(&long_name),
        |point, counts: &mut [u64]| {
            let plan = &results.plans[point];
            let first: usize = plan.histograms[..k].iter().map(|h| h.bins as usize).sum();
            let used = plan.histograms[k].bins as usize;
            for (row, batch) in counts
                .chunks_exact_mut(most as usize)
                .zip(&results.batches[point])
            {
                row[..used].copy_from_slice(&batch.counts[first..first + used]);
            }
        },
    )
}

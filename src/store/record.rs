//! What was recorded along the way: sums over replicas tick by tick, and whole trajectories.
//!
//! Owns these variables in both directions. Everything else is in `write` and `read`.

use super::check::{batch_size, equal};
use super::sheet::{About, Sheet};
use super::source::Source;
use super::{Ensemble, StoreError, layout};
use crate::ensemble::Results;
use crate::models::{Plan, Tallies};

/// The four parts of the ensemble's sums: name, which of the two sums, and description.
const SUMS: [(&str, usize, &str); 2] = [
    ("ensemble_sum", 0, "sum over replicas of the traced value"),
    (
        "ensemble_square",
        1,
        "sum over replicas of the square of the traced value",
    ),
];
const AXES: [&str; 3] = ["point", "batch", "tick"];

/// Whether every batch and every estimate has as many recorded ticks as its point.
pub(super) fn complete(results: &Results, ensembles: &[Ensemble]) -> Result<(), String> {
    let record = &results.experiment.record;
    let ticks = ticks(results);
    for (point, batches) in results.batches.iter().enumerate() {
        let wrong = |what: String| format!("point {point}: {what}");
        if ticks[point] as u64 > longest(&results.plans[point]) {
            return Err(wrong(format!(
                "{} recorded ticks in a shorter span",
                ticks[point]
            )));
        }
        let expected = if record.ensemble { ticks[point] } else { 0 };
        for batch in batches {
            equal("ticks of the ensemble", batch.ensemble.len(), expected).map_err(wrong)?;
        }
        let mut traced = trajectories(batches);
        if traced.any(|(_, values)| values.len() != ticks[point]) {
            return Err(wrong("a trajectory is shorter than others".to_owned()));
        }
        let count = trajectories(batches).count();
        equal("trajectories", count, record.trajectories as usize).map_err(wrong)?;
        if !trajectories(batches)
            .map(|t| t.0)
            .eq(trajectories(&results.batches[0]).map(|t| t.0))
        {
            return Err(wrong(
                "its trajectories are of other replicas than point 0's".to_owned(),
            ));
        }
    }
    equal(
        "ensembles",
        ensembles.len(),
        if record.ensemble { ticks.len() } else { 0 },
    )?;
    for (ensemble, ticks) in ensembles.iter().zip(ticks) {
        equal("means of the ensemble", ensemble.mean.len(), ticks)?;
        equal("variances of the ensemble", ensemble.variance.len(), ticks)?;
    }
    Ok(())
}

/// Writes what was recorded; only the number of ticks, zero, when nothing was.
pub(super) fn write(
    sheet: &mut Sheet,
    results: &Results,
    ensembles: &[Ensemble],
) -> Result<(), StoreError> {
    let about = |long_name| About {
        unit: "",
        long_name,
    };
    let ticks = ticks(results);
    let words: Vec<u64> = ticks.iter().map(|n| *n as u64).collect();
    sheet.variable(
        "recorded_ticks",
        &AXES[..1],
        &words,
        about("recorded ticks in use"),
    )?;
    let Some(most) = ticks.iter().copied().max().filter(|most| *most > 0) else {
        return Ok(());
    };
    let indices: Vec<u32> = (0..).take(most).collect();
    sheet.dimension("tick", &indices, about("recorded tick, counted from 0"))?;
    times(sheet, results)?;
    if results.experiment.record.ensemble {
        sums(sheet, results)?;
        curves(sheet, ensembles)?;
    }
    if results.experiment.record.trajectories > 0 {
        let replicas: Vec<u32> = trajectories(&results.batches[0]).map(|t| t.0).collect();
        sheet.dimension("trajectory", &replicas, about("replica of the trajectory"))?;
        let axes = ["point", "trajectory", "tick"];
        let traced = about("traced value of single replicas");
        sheet.blocks(
            "trajectories",
            &axes,
            traced,
            |point, values: &mut [i32]| {
                let rows = values.chunks_exact_mut(most);
                for (row, (_, trajectory)) in rows.zip(trajectories(&results.batches[point])) {
                    row[..trajectory.len()].copy_from_slice(trajectory);
                }
            },
        )?;
    }
    Ok(())
}

/// When the recorded ticks are: the first one, and the distance of two.
fn times(sheet: &Sheet, results: &Results) -> Result<(), StoreError> {
    let unit = results.experiment.model.span_unit;
    // Step s (counted from 0) ends at time s + 1, and its value is the one at its end.
    let from: Vec<f64> = (results.plans.iter())
        .map(|plan| {
            ((results.experiment.record.from * plan.steps_per_unit).round() + 1.0)
                / plan.steps_per_unit
        })
        .collect();
    let about = About {
        unit,
        long_name: "time of recorded tick 0",
    };
    sheet.variable("recorded_from", &AXES[..1], &from, about)?;
    let step: Vec<f64> = results
        .plans
        .iter()
        .map(|plan| 1.0 / plan.steps_per_unit)
        .collect();
    let about = About {
        unit,
        long_name: "time from one recorded tick to the next",
    };
    sheet.variable("recorded_step", &AXES[..1], &step, about)
}

fn sums(sheet: &Sheet, results: &Results) -> Result<(), StoreError> {
    for (name, which, meaning) in SUMS {
        let parts = |point: usize, most: usize| {
            let batches = results.batches[point].iter().enumerate();
            batches.flat_map(move |(i, batch)| {
                let ticks = batch.ensemble.iter().enumerate();
                ticks.map(move |(tick, x)| (i * most + tick, layout::split_signed(x[which])))
            })
        };
        let batches = results.experiment.batches as usize;
        let long_name = format!("{meaning}, {}", layout::BITS[0]);
        let about = About {
            unit: "",
            long_name: &long_name,
        };
        sheet.blocks(name, &AXES, about, |point, values: &mut [u64]| {
            for (at, (low, _)) in parts(point, values.len() / batches) {
                values[at] = low;
            }
        })?;
        let long_name = format!("{meaning}, {} with the sign", layout::BITS[1]);
        let about = About {
            unit: "",
            long_name: &long_name,
        };
        sheet.blocks(
            &format!("{name}_high"),
            &AXES,
            about,
            |point, values: &mut [i64]| {
                for (at, (_, high)) in parts(point, values.len() / batches) {
                    values[at] = high;
                }
            },
        )?;
    }
    Ok(())
}

fn curves(sheet: &Sheet, ensembles: &[Ensemble]) -> Result<(), StoreError> {
    let curve = |name: &str, long_name: &str, values: fn(&Ensemble) -> &Vec<f64>| {
        let about = About {
            unit: "",
            long_name,
        };
        sheet.blocks(name, &["point", "tick"], about, |point, row: &mut [f64]| {
            row.fill(f64::NAN);
            let curve = values(&ensembles[point]);
            row[..curve.len()].copy_from_slice(curve);
        })
    };
    curve(
        "ensemble_mean",
        "mean over replicas of the traced value",
        |e| &e.mean,
    )?;
    curve(
        "ensemble_variance",
        "variance over replicas of the traced value",
        |e| &e.variance,
    )
}

/// Reads what was recorded into the batches of `results`.
pub(super) fn read(source: &Source, results: &mut Results) -> Result<(), StoreError> {
    let points = results.points.len();
    let ticks: Vec<u64> = source.whole("recorded_ticks", &[points])?;
    let most = ticks.iter().copied().max().unwrap_or(0);
    let record = &results.experiment.record;
    if most == 0 && !record.ensemble && record.trajectories == 0 {
        return Ok(());
    }
    // Nothing is recorded outside the span, so that a damaged number cannot ask for all memory.
    for (n, plan) in ticks.iter().zip(&results.plans) {
        if !(1..=longest(plan)).contains(n) {
            let end = plan.end();
            return Err(source.damaged(format!("recorded_ticks is {n} in a span of {end} steps")));
        }
    }
    let ticks: Vec<usize> = ticks.iter().map(|n| *n as usize).collect();
    if record.ensemble {
        read_sums(source, results, &ticks)?;
    }
    if results.experiment.record.trajectories > 0 {
        read_trajectories(source, results, &ticks)?;
    }
    Ok(())
}

fn read_sums(source: &Source, results: &mut Results, ticks: &[usize]) -> Result<(), StoreError> {
    let most = ticks.iter().copied().max().unwrap_or(0);
    let shape = [
        results.points.len(),
        results.experiment.batches as usize,
        most,
    ];
    for (batches, ticks) in results.batches.iter_mut().zip(ticks) {
        for batch in batches {
            batch.ensemble = vec![[0; 2]; *ticks];
        }
    }
    // So that adding up batches cannot overflow.
    let limit = i128::MAX.unsigned_abs() / u128::from(results.experiment.batches);
    let all = &mut results.batches;
    for (name, which, _) in SUMS {
        source.blocks(name, &shape, |point, lows: &[u64]| {
            for (batch, row) in all[point].iter_mut().zip(lows.chunks_exact(most)) {
                for (x, low) in batch.ensemble.iter_mut().zip(row) {
                    x[which] = layout::join_signed(*low, 0);
                }
            }
            Ok(())
        })?;
        source.blocks(&format!("{name}_high"), &shape, |point, highs: &[i64]| {
            for (batch, row) in all[point].iter_mut().zip(highs.chunks_exact(most)) {
                for (x, high) in batch.ensemble.iter_mut().zip(row) {
                    x[which] += layout::join_signed(0, *high);
                    if x[which].unsigned_abs() > limit {
                        return Err("a sum is impossibly large".to_owned());
                    }
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn read_trajectories(
    source: &Source,
    results: &mut Results,
    ticks: &[usize],
) -> Result<(), StoreError> {
    let most = ticks.iter().copied().max().unwrap_or(0);
    let count = results.experiment.record.trajectories as usize;
    let replicas: Vec<u32> = source.whole("trajectory", &[count])?;
    let size = batch_size(results).filter(|size| *size > 0).unwrap_or(1);
    let within = |replica: &u32| *replica < results.experiment.replicas;
    if !replicas.is_sorted_by(|a, b| a < b) || !replicas.iter().all(within) {
        return Err(source.damaged("trajectory does not list replicas in order".to_owned()));
    }
    let all = &mut results.batches;
    let shape = [ticks.len(), count, most];
    source.blocks("trajectories", &shape, |point, values: &[i32]| {
        for (replica, row) in replicas.iter().zip(values.chunks_exact(most)) {
            if let Some(batch) = all[point].get_mut((replica / size) as usize) {
                batch
                    .trajectories
                    .push((*replica, row[..ticks[point]].to_vec()));
            }
        }
        Ok(())
    })
}

/// The most ticks that can be recorded of a span: one a step, and the start.
fn longest(plan: &Plan) -> u64 {
    u64::from(plan.end()) + 1
}

/// Recorded ticks of each point.
fn ticks(results: &Results) -> Vec<usize> {
    let of = |batch: &Tallies| {
        let traced = batch
            .trajectories
            .iter()
            .map(|(_, values)| values.len())
            .max();
        batch.ensemble.len().max(traced.unwrap_or(0))
    };
    results
        .batches
        .iter()
        .map(|all| all.iter().map(of).max().unwrap_or(0))
        .collect()
}

/// The trajectories of a point; batches are in the order of their replicas, and so are these.
fn trajectories(batches: &[Tallies]) -> impl Iterator<Item = &(u32, Vec<i32>)> {
    batches.iter().flat_map(|batch| &batch.trajectories)
}

//! `queuefarm tail --estimator conditional`: tails from what jobs meet, simulated once more for that.
//!
//! Owns what is refused, and the loop over points. Rows and the judgement of each are made by `report`.

use super::{Failure, output, progress, stop};
use crate::engine::{Cpu, Fault, Watch};
use crate::ensemble::{Results, met};
use crate::models::{ConditionalLaw, MODELS};
use crate::report::conditional::{Met, PointTail, json, tail, text};
use crate::statistics::Table;
use std::cell::Cell;
use std::sync::Arc;

/// Estimates that a point takes, roughly.
const EXPECTED: u32 = 48;

/// What is asked for.
pub struct Request<'a> {
    /// Thresholds.
    pub at: &'a [f64],
    /// The histogram, if one is named.
    pub histogram: Option<&'a str>,
    /// The only point to show, if there is one.
    pub point: Option<u32>,
    /// Replicas of each point whose jobs are looked at.
    pub subsample: Option<u32>,
    /// As JSON.
    pub json: bool,
}

/// Makes the table and prints it.
pub fn print(results: &Results, table: &Table, request: &Request<'_>) -> Result<(), Failure> {
    let law = law(results, request.histogram)?;
    let points: Vec<usize> = match request.point {
        None => (0..results.points.len()).collect(),
        Some(point) => super::open::points(results, &[point])?,
    };
    for &point in &points {
        (law.holds)(&results.points[point]).map_err(|problem| {
            Failure::Usage(format!(
                "--estimator conditional: point {point}: {}: {}; --estimator counts needs no law",
                problem.key, problem.message
            ))
        })?;
    }
    let all = results.experiment.replicas;
    if let Some(asked) = request.subsample.filter(|&asked| asked > all) {
        return Err(Failure::Usage(format!(
            "--subsample {asked}: this file has {all} replicas of each point"
        )));
    }
    let cost = |point: usize| {
        let (before, affordable) = met::affordable(results, law, point);
        (before, request.subsample.unwrap_or(affordable))
    };
    let steps = |&point: &usize| {
        let (before, replicas) = cost(point);
        (u64::from(before) + 1).saturating_mul(u64::from(replicas))
    };
    let total = points.iter().map(steps).fold(0, u64::saturating_add);
    let cpu = Cpu::new(0).map_err(Failure::failed)?;
    let watch = Arc::new(Watch::new());
    stop::on_signals(&watch);
    let what = format!("replica-{}", results.experiment.model.span);
    let found: Result<Vec<PointTail>, Fault> = progress::show(&watch, total, false, &what, || {
        let each = |&point: &usize| {
            let (_, count) = cost(point);
            let observations = met::observations(results, law, point, count, &cpu, &watch)?;
            let met = Met {
                law,
                point,
                observations: &observations,
                count: count as usize,
            };
            // How many estimates a point takes is known only afterwards.
            let (part, left) = (count / EXPECTED + 1, Cell::new(count));
            let weighed = || {
                let done = part.min(left.get());
                left.set(left.get() - done);
                watch.advance(u64::from(done));
            };
            let found = tail(results, table, &met, request.at, &weighed);
            watch.advance(u64::from(left.get()));
            Ok(found)
        };
        points.iter().map(each).collect()
    });
    let found = found.map_err(|fault| match fault {
        Fault::Stopped => Failure::Interrupted("interrupted".to_owned()),
        other => Failure::failed(other),
    })?;
    if request.json {
        output::print_json(&json(results, table, law, &found))
    } else {
        output::print(&text(results, table, law, &found))
    }
}

/// The law of the model, of the histogram that is named.
fn law(results: &Results, histogram: Option<&str>) -> Result<&'static ConditionalLaw, Failure> {
    let model = results.experiment.model;
    let Some(law) = &model.conditional else {
        let others = MODELS.iter().filter_map(|model| {
            let law = model.conditional.as_ref()?;
            Some(format!("{} with {}", model.name, law.needs))
        });
        return Err(Failure::Usage(format!(
            "--estimator conditional: model = \"{}\" has no law given what is met; it is known for {}; --estimator counts needs none",
            model.name,
            others.collect::<Vec<_>>().join(", ")
        )));
    };
    match histogram {
        Some(other) if other != law.histogram => Err(Failure::Usage(format!(
            "--histogram {other}: the law given {} is that of {}; other histograms have --estimator counts",
            law.met, law.histogram
        ))),
        _ => Ok(law),
    }
}

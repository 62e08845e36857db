//! The figures of what was recorded: trajectories against time, and their mean and spread over the ensemble.

use super::figure::{Axis, Figure, Mark, Series, Style};
use super::figures::Choice;
use super::quantity::{label, legend};
use crate::ensemble::Results;
use crate::models::{Plan, Tallies};

/// Mean and variance over replicas of every recorded step, all batches pooled.
pub fn ensemble_moments(batches: &[Tallies]) -> Vec<(f64, f64)> {
    let steps = batches.first().map_or(0, |batch| batch.ensemble.len());
    let replicas: f64 = batches.iter().map(|batch| batch.replicas as f64).sum();
    (0..steps)
        .map(|step| {
            let sum: i128 = batches.iter().map(|batch| batch.ensemble[step][0]).sum();
            let square: i128 = batches.iter().map(|batch| batch.ensemble[step][1]).sum();
            let mean = sum as f64 / replicas;
            (mean, (square as f64 / replicas - mean * mean).max(0.0))
        })
        .collect()
}

/// The recorded trajectories of every point, and the ensemble's mean and standard deviation.
///
/// # Errors
/// When nothing was recorded.
pub fn figure(results: &Results, choice: &Choice<'_>) -> Result<Figure, String> {
    let record = &results.experiment.record;
    if record.trajectories == 0 && !record.ensemble {
        return Err("no trajectory was recorded; add [record] with trajectories = 1 (and ensemble = true) to the experiment and run it again".to_owned());
    }
    let model = results.experiment.model;
    let peak = theory_of(results, model.traced.peak);
    let mut series = Vec::new();
    for (point, name) in named_points(results, choice) {
        if record.ensemble {
            series.push(band(results, point, &name));
        }
        let batches = &results.batches[point];
        let plan = &results.plans[point];
        for (replica, values) in batches.iter().flat_map(|batch| &batch.trajectories) {
            let line: Vec<(f64, f64)> = values
                .iter()
                .enumerate()
                .map(|(step, &value)| {
                    (
                        time(results, plan, step),
                        f64::from(value) * plan.traced_unit,
                    )
                })
                .collect();
            let alone = record.trajectories == 1;
            let label = match (name.is_empty(), alone) {
                (true, true) => "one replica".to_owned(),
                (true, false) => format!("replica {replica}"),
                (false, true) => name.clone(),
                (false, false) => format!("{name}, replica {replica}"),
            };
            series.push(Series {
                label,
                dashed: peak(point).map_or(Vec::new(), |peak| to_both_sides(&line, peak)),
                line,
                style: Style::Line,
                ..Series::default()
            });
        }
    }
    let mut figure = with_axes(results, series);
    if figure.series.iter().any(|series| !series.dashed.is_empty()) {
        figure.dashed = "peak, by theory".to_owned();
    }
    Ok(figure)
}

/// What theory says of an estimate at each point, if there is such an estimate.
fn theory_of<'a>(results: &'a Results, name: Option<&str>) -> impl Fn(usize) -> Option<f64> + 'a {
    let model = results.experiment.model;
    let column = (model.observables.iter()).position(|o| Some(o.name) == name);
    move |point| (model.theory)(&results.points[point])[column?]
}

/// Flat lines as far above zero as below, along a line.
fn to_both_sides(line: &[(f64, f64)], height: f64) -> Vec<(f64, f64)> {
    let (Some((first, _)), Some((last, _))) = (line.first(), line.last()) else {
        return Vec::new();
    };
    let gap = (f64::NAN, f64::NAN);
    let at = |y: f64| [(*first, y), (*last, y)];
    [&at(height)[..], &[gap], &at(-height)].concat()
}

/// The ensemble alone: mean and a band of one standard deviation to either side, and the mean of the steady state
/// where theory knows it.
///
/// # Errors
/// When the ensemble was not recorded.
pub fn ensemble(results: &Results, choice: &Choice<'_>) -> Result<Figure, String> {
    if !results.experiment.record.ensemble {
        return Err("no ensemble was recorded; add [record] with ensemble = true to the experiment and run it again".to_owned());
    }
    let mean = theory_of(results, results.experiment.model.traced.mean);
    let mut theory = false;
    let curve = |(point, name): (usize, String)| {
        let mut series = band(results, point, &name);
        if let (Some(mean), [first, .., last]) = (mean(point), &series.marks[..]) {
            series.dashed = vec![(first.x, mean), (last.x, mean)];
            theory = true;
        }
        series
    };
    let series = named_points(results, choice)
        .into_iter()
        .map(curve)
        .collect();
    let mut figure = with_axes(results, series);
    if theory {
        figure.dashed = "mean in the steady state, by theory".to_owned();
    }
    Ok(figure)
}

/// The points to draw, each with its words in the legend.
fn named_points(results: &Results, choice: &Choice<'_>) -> Vec<(usize, String)> {
    let experiment = &results.experiment;
    let settings = experiment.plot.as_ref();
    let swept: Vec<&str> = match settings.map(|s| &s.series[..]) {
        Some(names) if !names.is_empty() => names.to_vec(),
        _ => experiment.sweeps.iter().map(|sweep| sweep.name).collect(),
    };
    (0..results.points.len())
        .filter(|&point| choice.shows(point))
        .map(|point| {
            let name = legend(experiment.model, &swept, &results.points[point]);
            (point, name)
        })
        .collect()
}

/// The end of a recorded step, in the unit of the model's span.
fn time(results: &Results, plan: &Plan, step: usize) -> f64 {
    let first = (results.experiment.record.from * plan.steps_per_unit).round();
    (first + step as f64 + 1.0) / plan.steps_per_unit
}

/// Mean and standard deviation of the ensemble of a point.
fn band(results: &Results, point: usize, name: &str) -> Series {
    let plan = &results.plans[point];
    let moments = ensemble_moments(&results.batches[point]);
    let mark = |(step, (mean, variance)): (usize, &(f64, f64))| {
        let mean = mean * plan.traced_unit;
        let deviation = variance.sqrt() * plan.traced_unit;
        Mark {
            x: time(results, plan, step),
            y: mean,
            interval: Some((mean - deviation, mean + deviation)),
        }
    };
    let label = if name.is_empty() {
        "mean ± standard deviation".to_owned()
    } else {
        format!("{name}, mean ± s.d.")
    };
    Series {
        label,
        marks: moments.iter().enumerate().map(mark).collect(),
        style: Style::Band,
        ..Series::default()
    }
}

fn with_axes(results: &Results, series: Vec<Series>) -> Figure {
    let model = results.experiment.model;
    Figure {
        x: Axis {
            label: label("t", model.span_unit),
            ..Axis::default()
        },
        y: Axis {
            label: label(model.traced.symbol, model.traced.unit),
            ..Axis::default()
        },
        series,
        ..Figure::default()
    }
}

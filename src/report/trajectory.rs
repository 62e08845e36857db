//! The figure of trajectories: the traced value against time, and its mean and spread over the ensemble.

use super::figure::{Axis, Figure, Mark, Series, Style};
use super::figures::{label, legend};
use crate::ensemble::Results;
use crate::models::Tallies;

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
pub fn figure(results: &Results) -> Result<Figure, String> {
    let (experiment, record) = (&results.experiment, &results.experiment.record);
    if record.trajectories == 0 && !record.ensemble {
        return Err("no trajectory was recorded; add [record] with trajectories = 1 (and ensemble = true) to the experiment and run it again".to_owned());
    }
    let swept: Vec<&str> = experiment.sweeps.iter().map(|sweep| sweep.name).collect();
    let mut series = Vec::new();
    for ((point, plan), batches) in results
        .points
        .iter()
        .zip(&results.plans)
        .zip(&results.batches)
    {
        let first = (record.from * plan.steps_per_unit).round();
        let time = |step: usize| (first + step as f64 + 1.0) / plan.steps_per_unit;
        let name = legend(experiment.model, &swept, point);
        let unit = plan.traced_unit;
        let moments = ensemble_moments(batches);
        if !moments.is_empty() {
            let mark = |(step, (mean, variance)): (usize, &(f64, f64))| {
                let (mean, deviation) = (mean * unit, variance.sqrt() * unit);
                Mark {
                    x: time(step),
                    y: mean,
                    interval: Some((mean - deviation, mean + deviation)),
                }
            };
            let label = if name.is_empty() {
                "mean ± standard deviation".to_owned()
            } else {
                format!("{name}, mean ± s.d.")
            };
            series.push(Series {
                label,
                marks: moments.iter().enumerate().map(mark).collect(),
                style: Style::Band,
                ..Series::default()
            });
        }
        for (replica, values) in batches.iter().flat_map(|batch| &batch.trajectories) {
            let line = values
                .iter()
                .enumerate()
                .map(|(step, &value)| (time(step), f64::from(value) * unit))
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
                line,
                style: Style::Line,
                ..Series::default()
            });
        }
    }
    Ok(Figure {
        x: Axis {
            label: label("t", experiment.model.span_unit),
            ..Axis::default()
        },
        y: Axis {
            label: label(experiment.model.traced.symbol, experiment.model.traced.unit),
            ..Axis::default()
        },
        series,
        ..Figure::default()
    })
}

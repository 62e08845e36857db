//! From sweeps to points.
//!
//! Owns the order of the points, their number, and the model's word on each of them.

use super::document::{Place, Table};
use super::names::label;
use super::problem::Problems;
use super::{Combine, Experiment};
use crate::models::{Histogram, Plan, Point, Problem, Value};

/// The largest number of points of an experiment.
pub const MAX_POINTS: u32 = 1_000_000;

/// The largest number of values of all sweeps of an experiment together.
pub const MAX_SWEPT_VALUES: u32 = 250_000;

/// The number of points.
pub(super) fn count(experiment: &Experiment) -> u32 {
    u32::try_from(exact_count(experiment)).unwrap_or(u32::MAX)
}

fn exact_count(experiment: &Experiment) -> u128 {
    let lengths = experiment
        .sweeps
        .iter()
        .map(|sweep| sweep.values.len() as u128);
    match experiment.combine {
        Combine::Grid => lengths.fold(1, u128::saturating_mul),
        Combine::Zip => lengths.min().unwrap_or(1),
    }
}

/// The point of that index, below [`count`].
pub(super) fn at(experiment: &Experiment, index: u32) -> Point {
    let swept = swept_at(experiment, index);
    let given = |name: &str| {
        let fixed = experiment.fixed.iter().map(|(key, value)| (*key, value));
        swept
            .iter()
            .copied()
            .chain(fixed)
            .find(|(key, _)| *key == name)
    };
    let values = experiment.model.parameters.iter().filter_map(|parameter| {
        let value = match given(parameter.name) {
            Some((_, value)) => value.clone(),
            // Parsing has made sure that what has no default is in the file.
            None => parameter.default?.into(),
        };
        Some((parameter.name, value))
    });
    Point {
        index,
        stream: if experiment.common_random_numbers {
            0
        } else {
            index
        },
        warmup: experiment.warmup,
        duration: experiment.duration,
        values: values.collect(),
    }
}

/// The swept parameters with their values at a point, in the order of the sweeps.
fn swept_at(experiment: &Experiment, index: u32) -> Vec<(&'static str, &Value)> {
    let mut rest = index as usize;
    let mut swept: Vec<(&'static str, &Value)> = Vec::new();
    for sweep in experiment.sweeps.iter().rev() {
        let at = match experiment.combine {
            Combine::Grid => rest % sweep.values.len(),
            Combine::Zip => rest,
        };
        if experiment.combine == Combine::Grid {
            rest /= sweep.values.len();
        }
        swept.push((sweep.name, &sweep.values[at]));
    }
    swept.reverse();
    swept
}

/// Reports too many points, and sweeps to be zipped that differ in length.
pub(super) fn check_count(experiment: &Experiment, root: &Table, problems: &mut Problems) {
    let lengths: Vec<String> = experiment
        .sweeps
        .iter()
        .map(|sweep| format!("{} has {}", sweep.name, sweep.values.len()))
        .collect();
    let lengths = lengths.join(", ");
    let mut report = |key: &str, what: String, help: String| {
        let place = root.get(key).map_or(Place::File, |entry| entry.place);
        problems.report(place, key, what, help);
    };
    let first = experiment
        .sweeps
        .first()
        .map_or(0, |sweep| sweep.values.len());
    if experiment.combine == Combine::Zip
        && experiment
            .sweeps
            .iter()
            .any(|sweep| sweep.values.len() != first)
    {
        let what = "\"zip\" needs sweeps of equal length".to_owned();
        report(
            "combine",
            what,
            format!("{lengths}; combine = \"grid\" takes any lengths"),
        );
    }
    let points = exact_count(experiment);
    if points > u128::from(MAX_POINTS) {
        let what = format!("the sweeps make {points} points, and at most {MAX_POINTS} are allowed");
        report("parameters", what, lengths.clone());
    }
    let values: usize = experiment
        .sweeps
        .iter()
        .map(|sweep| sweep.values.len())
        .sum();
    if values > MAX_SWEPT_VALUES as usize {
        let what = format!(
            "the sweeps have {values} values together, and at most {MAX_SWEPT_VALUES} are allowed"
        );
        report("parameters", what, lengths);
    }
}

/// Asks the model about every point, and reports the first that it refuses. The histograms of the first point.
pub(super) fn check_plans(
    experiment: &Experiment,
    root: &Table,
    problems: &mut Problems,
) -> Option<Vec<Histogram>> {
    let mut histograms = None;
    for index in 0..count(experiment) {
        let point = at(experiment, index);
        let planned = (experiment.model.plan)(&point).and_then(|plan| {
            experiment.record.window(&plan)?;
            check_counters(experiment, &plan)?;
            Ok(plan.histograms)
        });
        let refusal = match planned {
            Ok(planned) => {
                histograms.get_or_insert(planned);
                continue;
            }
            Err(refusal) => refusal,
        };
        let (place, label) = find(refusal.key, root);
        let mut help = swept_at(experiment, index)
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect::<Vec<_>>()
            .join(", ");
        if !help.is_empty() {
            help = format!("at point {index} of the sweep: {help}");
        }
        if let (None, Some(value)) = (place, point.get(refusal.key)) {
            help += &format!("\nthe file leaves {} at its default, {value}", refusal.key);
        }
        let section = root
            .get("parameters")
            .map_or(Place::File, |entry| entry.place);
        problems.report(
            place.unwrap_or(section),
            label,
            refusal.message,
            help.trim_start(),
        );
        return None;
    }
    histograms
}

/// Refuses more increments of counts than a sixteenth of what 64 bits hold, so that no sum of counts can overflow: a
/// model may read several values off an increment.
fn check_counters(experiment: &Experiment, plan: &Plan) -> Result<(), Problem> {
    let steps = u128::from(plan.halves[0]) + u128::from(plan.halves[1]);
    let each = steps * u128::from(plan.increments_per_step);
    if each * u128::from(experiment.replicas) <= 1 << 60 {
        return Ok(());
    }
    let what = format!(
        "{} replicas may make more than 2^60 observations, more than can be counted; ask for fewer, or for a shorter duration",
        experiment.replicas
    );
    Err(Problem::new("replicas", what))
}

/// Where a key that a model complains about stands in the file, if it does, and its name in messages.
fn find(key: &str, root: &Table) -> (Option<Place>, String) {
    if let Some(entry) = root.get(key) {
        return (Some(entry.place), label(key, ""));
    }
    let parameters = root
        .get("parameters")
        .and_then(|entry| entry.item.node.as_table());
    let place = parameters
        .and_then(|table| table.get(key))
        .map(|entry| entry.place);
    (place, label(key, "parameters"))
}

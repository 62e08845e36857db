//! The figure of a best choice: for each value of one swept parameter the value of another with the least estimate.
//!
//! Owns which points are compared and what cannot be told from the least. Differences are `statistics::compare`'s.

use super::figure::{Axis, Figure, Mark, Series};
use super::figures::{Choice, columns, curve, reference_curves};
use super::quantity::{axis_label, legend, quantity};
use crate::ensemble::Results;
use crate::experiment::PlotKind;
use crate::models::{Point, Value};
use crate::statistics::{Table, differences};

const SWEEP: &str = "`queuefarm plot --kind sweep` draws the estimates themselves";

/// The parameters of the axes, and those that tell series apart.
struct Roles<'a> {
    x: &'a str,
    y: &'a str,
    series: Vec<&'a str>,
}

fn roles<'a>(results: &'a Results, choice: &Choice<'a>) -> Result<Roles<'a>, String> {
    let experiment = &results.experiment;
    let settings = experiment.plot.as_ref();
    let number = |name: &str| {
        let mut values = results.points.iter().map(|point| point.get(name));
        values.all(|value| matches!(value, Some(Value::Number(_))))
    };
    let numbers: Vec<&str> = (experiment.sweeps.iter())
        .filter(|sweep| sweep.values.len() > 1 && number(sweep.name))
        .map(|sweep| sweep.name)
        .collect();
    let named = choice.x.or(settings.and_then(|s| s.x));
    // In a file made for another kind of picture `series` is for that one.
    let own = settings.filter(|s| s.kind == PlotKind::Best);
    let series = own.map_or(Vec::new(), |s| s.series.clone());
    let free = |name: &&str| !series.contains(name) && Some(*name) != named;
    let rest: Vec<&str> = numbers.iter().copied().filter(free).collect();
    let needs = "a picture of what is best takes two swept parameters that are numbers: `x`, and the one to choose";
    match (named, &rest[..]) {
        (Some(x), _) if !numbers.contains(&x) => Err(format!(
            "`{x}` is not among the swept numbers ({}); {needs}",
            list(&numbers)
        )),
        (Some(x), &[y]) => Ok(Roles { x, y, series }),
        // Without a word of the user's the first sweep is the choice.
        (None, &[y, x]) => Ok(Roles { x, y, series }),
        (_, &[] | &[_]) => Err(format!(
            "{needs}; this result has {}. {SWEEP}",
            list(&numbers)
        )),
        _ => Err(format!(
            "{needs}; this result has {}. Name `x` and, in `series`, what tells lines apart, or give the others one value",
            list(&numbers)
        )),
    }
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// The best choice of one parameter against another, by one estimate.
///
/// # Errors
/// Other than two parameters that are swept, and what to do; several estimates.
pub fn figure(results: &Results, table: &Table, choice: &Choice<'_>) -> Result<Figure, String> {
    let (experiment, model) = (&results.experiment, results.experiment.model);
    let settings = experiment.plot.as_ref();
    let [column] = columns(results, table, choice)?[..] else {
        return Err(
            "a picture of what is best takes one estimate; name it with --estimate".to_owned(),
        );
    };
    let Roles { x, y, series } = roles(results, choice)?;
    let unknown = |name: &str| format!("`{name}` is not a parameter of {}", model.name);
    let across = quantity(model, x).ok_or_else(|| unknown(x))?;
    let up = quantity(model, y).ok_or_else(|| unknown(y))?;
    let at = |index: usize| across.number(&results.points[index]).unwrap_or(f64::NAN);
    let height = |index: usize| up.number(&results.points[index]).unwrap_or(f64::NAN);
    let stable = |index: &usize| table.faults[*index] == 0 && !results.plans[*index].unstable;

    // Points of one series at one x, in the order of what is to be chosen.
    let mut lines: Vec<(String, Vec<Vec<usize>>)> = Vec::new();
    for (index, point) in results.points.iter().enumerate() {
        let name = legend(model, &series, point);
        let line = match lines.iter().position(|(known, _)| *known == name) {
            Some(line) => line,
            None => {
                lines.push((name, Vec::new()));
                lines.len() - 1
            }
        };
        let groups = &mut lines[line].1;
        match groups.iter_mut().find(|group| at(group[0]) == at(index)) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    for group in lines.iter_mut().flat_map(|(_, groups)| groups) {
        group.sort_by(|&a, &b| height(a).total_cmp(&height(b)));
        if group
            .windows(2)
            .any(|pair| height(pair[0]) == height(pair[1]))
        {
            return Err(format!(
                "several points have the same {x} and {y}; name in `series` what else is swept, or give it one value with --set"
            ));
        }
    }
    if lines
        .iter()
        .all(|(_, groups)| groups.iter().all(|g| g.len() == 1))
    {
        return Err(format!(
            "every {x} has one {y}: there is nothing to choose; sweep them with combine = \"grid\""
        ));
    }

    let mut drawn = Vec::new();
    for (label, mut groups) in lines {
        groups.sort_by(|a, b| at(a[0]).total_cmp(&at(b[0])));
        let mut marks = Vec::new();
        for group in &groups {
            let group: Vec<usize> = group.iter().copied().filter(stable).collect();
            if let Some((best, ends)) = best(results, table, &group, column) {
                let interval = ends.map(|(first, last)| (height(first), height(last)));
                let (x, y) = (at(best), height(best));
                marks.push(Mark { x, y, interval });
            }
        }
        // What theory says of the same values of y.
        let firsts: Vec<usize> = groups.iter().map(|group| group[0]).collect();
        let group = |first: usize| groups.iter().find(|group| group[0] == first);
        let known = |first: usize| {
            let values = group(first).map_or(&[][..], |group| &group[..]);
            least(values.iter().map(|&i| (height(i), table.theory[i][column])))
        };
        let heights: Vec<f64> = groups
            .first()
            .map_or(&[][..], |g| &g[..])
            .iter()
            .map(|&index| height(index))
            .collect();
        let between = |point: &Point| {
            let theory = |&value: &f64| {
                let mut point = point.clone();
                if let Some((_, own)) = point.values.iter_mut().find(|(name, _)| *name == y) {
                    *own = Value::Number(value);
                }
                (value, (model.theory)(&point)[column])
            };
            least(heights.iter().map(theory))
        };
        drawn.push(Series {
            label,
            marks,
            line: steps(&curve(results, x, &firsts, &at, &known, &between)),
            ..Series::default()
        });
    }
    drawn.extend(reference_curves(results, x, &across));
    let symbol = table.observables[column].symbol;
    let left_out = (0..results.points.len()).filter(|p| !stable(p)).count();
    let mut note = format!(
        "Marks: the {y} where {symbol} is least. Intervals reach over all that cannot be told from the best.\n"
    );
    if left_out > 0 {
        note.push_str(&format!(
            "{left_out} points without a steady state, or void, are left out.\n"
        ));
    }
    Ok(Figure {
        x: Axis {
            label: axis_label(x, &across),
            log: choice
                .x
                .is_none_or(|x| settings.and_then(|s| s.x) == Some(x))
                && settings.is_some_and(|s| s.log_x),
            ..Axis::default()
        },
        y: Axis {
            label: format!("{}, where {symbol} is least", axis_label(y, &up)),
            log: settings.is_some_and(|s| s.log_y),
            ..Axis::default()
        },
        series: drawn,
        theory: format!("least {symbol} by theory"),
        note,
        ..Figure::default()
    })
}

/// The line of a choice, which jumps: halfway between two places where it differs.
fn steps(line: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for &(x, y) in line {
        if let Some(&(before, other)) = steps.last().filter(|(_, other)| *other != y) {
            let middle = (before + x) / 2.0;
            steps.extend([(middle, other), (middle, y)]);
        }
        steps.push((x, y));
    }
    steps
}

/// The value whose theory is least, the first of several; NaN unless all have one.
fn least(values: impl Iterator<Item = (f64, Option<f64>)>) -> f64 {
    let known: Option<Vec<(f64, f64)>> = values.map(|(y, theory)| Some((y, theory?))).collect();
    let known = known.unwrap_or_default();
    let least = known.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    least.map_or(f64::NAN, |(y, _)| *y)
}

/// The point of least estimate, and the first and the last one that cannot be told from it: with the table's confidence
/// the truly best point is among those. Each comparison has an equal share of the error, and only one side of it can
/// exclude a point.
fn best(
    results: &Results,
    table: &Table,
    group: &[usize],
    column: usize,
) -> Option<(usize, Option<(usize, usize)>)> {
    let mean = |&index: &usize| Some((index, table.estimates[index][column].mean?));
    let known: Vec<(usize, f64)> = group.iter().filter_map(mean).collect();
    let &(best, _) = known.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let others = known.len().saturating_sub(1).max(1) as f64;
    let confidence = (1.0 - 2.0 * (1.0 - table.confidence) / others).max(0.0);
    let mut ends = (best, best);
    for &(other, _) in known.iter().filter(|(other, _)| *other != best) {
        let all = differences((results, best), (results, other), confidence);
        let Some((low, _)) = all[column].difference.and_then(|found| found.interval) else {
            // Without intervals, as with one batch, nothing is known of the others.
            return Some((best, None));
        };
        if low <= 0.0 {
            let place = |index| group.iter().position(|&member| member == index);
            if place(other) < place(ends.0) {
                ends.0 = other;
            }
            if place(other) > place(ends.1) {
                ends.1 = other;
            }
        }
    }
    Some((best, Some(ends)))
}

//! From results to figures: what goes on which axis, one line per second parameter, theory as lines.
//!
//! Owns the choice of axes and series of a sweep; trajectories are in `trajectory`, tails and histograms in
//! `distributions`, heat maps in `heatmap`, best choices in `best`. Does not draw (see `draw`).

use super::figure::{Axis, Figure, Mark, Series, Style};
use super::quantity::{Quantity, axis_label, label, legend, quantity};
use super::{best, distributions, heatmap, trajectory};
use crate::ensemble::Results;
use crate::experiment::{Combine, Experiment, PlotKind};
use crate::models::{self, Point, Value};
use crate::statistics::Table;

/// What the user asked to see; the experiment's `[plot]` table fills the gaps.
#[derive(Debug, Clone, Copy, Default)]
pub struct Choice<'a> {
    /// Kind of figure.
    pub kind: Option<PlotKind>,
    /// Estimates to draw.
    pub estimates: &'a [String],
    /// The x axis.
    pub x: Option<&'a str>,
    /// The histogram to draw, or whose tail.
    pub histogram: Option<&'a str>,
    /// The only points to draw, by index, in pictures with a curve a point; all when none are named.
    pub points: &'a [usize],
}

/// Makes the figure of a result.
///
/// # Errors
/// What is missing or unknown, and what there is instead.
pub fn figure(results: &Results, table: &Table, choice: &Choice<'_>) -> Result<Figure, String> {
    let settings = results.experiment.plot.as_ref();
    let kind = choice
        .kind
        .or(settings.map(|settings| settings.kind))
        .unwrap_or(PlotKind::Sweep);
    let mut figure = match kind {
        PlotKind::Sweep => sweep(results, table, choice)?,
        PlotKind::Trajectory => trajectory::figure(results, choice)?,
        PlotKind::Ensemble => trajectory::ensemble(results, choice)?,
        PlotKind::Best => best::figure(results, table, choice)?,
        PlotKind::Heatmap => heatmap::figure(results, table, choice)?,
        PlotKind::Tail => distributions::tail(results, table, choice)?,
        PlotKind::Histogram => distributions::histogram(results, table, choice)?,
    };
    let title = settings.and_then(|settings| settings.title.clone());
    figure.title = title.unwrap_or_else(|| results.experiment.title.clone());
    let experiment = &results.experiment;
    let intervals = if matches!(kind, PlotKind::Sweep | PlotKind::Tail | PlotKind::Best)
        && experiment.batches > 1
    {
        format!("{} % intervals, ", table.confidence * 100.0)
    } else {
        String::new()
    };
    let notes = std::mem::take(&mut figure.note);
    figure.note = format!(
        "{notes}{intervals}{} replicas in {} batches, seed {}",
        experiment.replicas, experiment.batches, experiment.seed
    );
    Ok(figure)
}

/// Pieces of a theory curve between two points.
const THEORY_STEPS: u32 = 12;

impl Choice<'_> {
    /// Whether a point is among those to draw.
    pub(super) fn shows(&self, point: usize) -> bool {
        self.points.is_empty() || self.points.contains(&point)
    }
}

/// Whether a parameter differs at every point and goes along with another: then it tells no series apart.
fn goes_along(experiment: &Experiment, name: &str) -> bool {
    let sweep = experiment.sweeps.iter().find(|sweep| sweep.name == name);
    let differ = sweep.is_some_and(|sweep| {
        (sweep.values.iter().enumerate()).all(|(i, value)| !sweep.values[..i].contains(value))
    });
    experiment.combine == Combine::Zip && differ
}

/// The columns of the estimates to draw, all of one unit.
pub(super) fn columns(
    results: &Results,
    table: &Table,
    choice: &Choice<'_>,
) -> Result<Vec<usize>, String> {
    let settings = results.experiment.plot.as_ref();
    let model = results.experiment.model;
    let estimates: Vec<&str> = match (choice.estimates, settings.map(|s| &s.estimate[..])) {
        ([], None | Some([])) => vec![table.observables[0].name],
        ([], Some(names)) => names.to_vec(),
        (names, _) => names.iter().map(String::as_str).collect(),
    };
    let columns: Vec<usize> = estimates
        .iter()
        .map(|name| {
            table.column(name).ok_or_else(|| {
                let names: Vec<&str> = table
                    .observables
                    .iter()
                    .map(|observable| observable.name)
                    .collect();
                format!(
                    "there is no estimate `{name}`; the model {} has: {}",
                    model.name,
                    names.join(", ")
                )
            })
        })
        .collect::<Result<_, String>>()?;
    let unit = |&column: &usize| table.observables[column].unit;
    if columns
        .iter()
        .map(unit)
        .any(|other| Some(other) != columns.first().map(unit))
    {
        let units: Vec<String> = columns
            .iter()
            .map(|&c| {
                format!(
                    "{} ({})",
                    table.observables[c].name, table.observables[c].unit
                )
            })
            .collect();
        return Err(format!(
            "estimates of different units do not share an axis: {}; draw them one by one",
            units.join(", ")
        ));
    }
    Ok(columns)
}

fn sweep(results: &Results, table: &Table, choice: &Choice<'_>) -> Result<Figure, String> {
    let (experiment, model) = (&results.experiment, results.experiment.model);
    let settings = experiment.plot.as_ref();
    let columns = columns(results, table, choice)?;
    let numeric = |name: &&str| {
        results
            .points
            .first()
            .and_then(|point| point.get(name))
            .is_some_and(|value| {
                !matches!(value, Value::Word(_) | Value::Words(_) | Value::Flag(_))
            })
    };
    let swept: Vec<&str> = experiment.sweeps.iter().map(|sweep| sweep.name).collect();
    let longest = experiment
        .sweeps
        .iter()
        .filter(|sweep| numeric(&sweep.name))
        .max_by_key(|sweep| sweep.values.len());
    let x = choice
        .x
        .or(settings.and_then(|s| s.x))
        .or(longest.map(|sweep| sweep.name));
    let Some(x) = x else {
        return Err("nothing is swept, so there is no x axis; sweep a parameter, or draw `--kind trajectory` of a run with [record]".to_owned());
    };
    let quantity = quantity(model, x).ok_or_else(|| {
        let derived: Vec<&str> = model.derived.iter().map(|derived| derived.name).collect();
        format!(
            "`{x}` cannot be an x axis; there are the swept parameters {} and {}",
            swept.join(", "),
            derived.join(", ")
        )
    })?;
    let series_names: Vec<&str> = match settings.map(|s| &s.series[..]) {
        Some(names) if !names.is_empty() && choice.x.is_none() => names.to_vec(),
        _ => {
            let derived = model.derived.iter().any(|derived| derived.name == x);
            swept
                .iter()
                .copied()
                .filter(|name| *name != x && !(derived && longest.is_some_and(|l| l.name == *name)))
                .filter(|name| !goes_along(experiment, name))
                .collect()
        }
    };
    // What the file says of its own x axis does not hold for another one.
    let other_x = choice.x.is_some() && choice.x != settings.and_then(|s| s.x);
    let mut series: Vec<Series> = Vec::new();
    let mut verticals: Vec<(usize, f64)> = Vec::new();
    for &column in &columns {
        let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
        for (index, point) in results.points.iter().enumerate() {
            let name = legend(model, &series_names, point);
            match groups.iter_mut().find(|(known, _)| *known == name) {
                Some((_, members)) => members.push(index),
                None => groups.push((name, vec![index])),
            }
        }
        for (name, mut members) in groups {
            let at = |index: usize| quantity.number(&results.points[index]).unwrap_or(f64::NAN);
            members.sort_by(|&a, &b| at(a).total_cmp(&at(b)));
            let mark = |&index: &usize| {
                let estimate = &table.estimates[index][column];
                Mark {
                    x: at(index),
                    y: estimate.mean.unwrap_or(f64::NAN),
                    interval: estimate.interval,
                }
            };
            let symbol = own_symbol(table, &columns, column);
            let label = match (columns.len(), name.is_empty()) {
                (1, _) => name,
                (_, true) => symbol.to_owned(),
                (_, false) => format!("{symbol}, {name}"),
            };
            let theory = |point: &Point| (model.theory)(point)[column].unwrap_or(f64::NAN);
            let known = |member: usize| table.theory[member][column].unwrap_or(f64::NAN);
            let mut line = curve(results, x, &members, &at, &known, &theory);
            let vertical = settings
                .filter(|_| !other_x)
                .and_then(|s| s.vertical)
                .and_then(|name| super::quantity::quantity(model, name));
            if let Some(at) = vertical.and_then(|v| v.number(&results.points[members[0]])) {
                verticals.push((series.len(), at));
                line.push((f64::NAN, f64::NAN));
            }
            series.push(Series {
                label,
                marks: members.iter().map(mark).collect(),
                line,
                style: Style::MarksAndTheory,
                ..Series::default()
            });
        }
    }
    // Vertical lines reach as high as the highest mark.
    let marks = series.iter().flat_map(|series| &series.marks);
    let top = marks
        .map(|mark| mark.y)
        .filter(|y| y.is_finite())
        .fold(0.0, f64::max);
    for (which, x) in verticals {
        series[which].line.extend([(x, 0.0), (x, top)]);
    }
    let vertical = (settings.and_then(|s| s.vertical))
        .filter(|_| series.iter().any(|series| !series.marks.is_empty()) && !other_x)
        .and_then(|name| super::quantity::quantity(model, name));
    series.extend(reference_curves(results, x, &quantity));
    let unit = columns.first().map_or("", |&c| table.observables[c].unit);
    let y_label = match columns[..] {
        [column] => label(table.observables[column].symbol, unit),
        _ => label(&kinds(table, &columns).join(" and "), unit),
    };
    let log = |pick: fn(&crate::experiment::PlotSettings) -> bool| settings.is_some_and(pick);
    Ok(Figure {
        x: Axis {
            label: axis_label(x, &quantity),
            log: !other_x && log(|s| s.log_x),
            ..Axis::default()
        },
        y: Axis {
            label: y_label,
            log: log(|s| s.log_y),
            ..Axis::default()
        },
        series,
        note: vertical.map_or(String::new(), |v| {
            format!("Vertical lines: {} of each series.\n", v.symbol)
        }),
        ..Figure::default()
    })
}

/// What estimates are, without what tells those of one kind apart: `E max f` of "E max f, power" and "E max f, mm1".
fn kinds(table: &Table, columns: &[usize]) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = Vec::new();
    for &column in columns {
        let symbol = table.observables[column].symbol;
        let kind = symbol.split_once(", ").map_or(symbol, |(kind, _)| kind);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// The symbol of an estimate in a legend: what the label of the axis says already is left out.
fn own_symbol(table: &Table, columns: &[usize], column: usize) -> &'static str {
    let symbol = table.observables[column].symbol;
    match symbol.split_once(", ") {
        Some((_, own)) if kinds(table, columns).len() == 1 => own,
        _ => symbol,
    }
}

/// A function along the x axis: `known` at the points, and `between` them, densely, where x is a real parameter.
pub(super) fn curve(
    results: &Results,
    x: &str,
    members: &[usize],
    at: &dyn Fn(usize) -> f64,
    known: &dyn Fn(usize) -> f64,
    between: &dyn Fn(&Point) -> f64,
) -> Vec<(f64, f64)> {
    let model = results.experiment.model;
    let real = model
        .parameters
        .iter()
        .any(|p| p.name == x && matches!(p.kind, models::Kind::Real { .. }));
    let mut line = Vec::new();
    for (index, &member) in members.iter().enumerate() {
        line.push((at(member), known(member)));
        let Some(&next) = members.get(index + 1).filter(|_| real) else {
            continue;
        };
        for step in 1..THEORY_STEPS {
            let share = f64::from(step) / f64::from(THEORY_STEPS);
            let value = at(member) + (at(next) - at(member)) * share;
            let mut point = results.points[member].clone();
            if let Some((_, own)) = point.values.iter_mut().find(|(name, _)| *name == x) {
                *own = Value::Number(value);
            }
            line.push((value, between(&point)));
        }
    }
    // Values at a single place are no line.
    let places = line
        .iter()
        .filter(|(_, y): &&(f64, f64)| y.is_finite())
        .map(|(x, _)| *x);
    let (least, most) = places.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
    if most > least { line } else { Vec::new() }
}

/// The curves of the derived quantities that the file names.
pub(super) fn reference_curves(results: &Results, x: &str, axis: &Quantity) -> Vec<Series> {
    let settings = results.experiment.plot.as_ref();
    let names = settings.map_or(&[][..], |settings| &settings.reference[..]);
    let curve = |name: &&str| reference_curve(results, name, x, axis);
    names.iter().filter_map(curve).collect()
}

/// A derived quantity as a curve over all values of the x axis, at the other parameters of the first point.
fn reference_curve(results: &Results, name: &str, x: &str, axis: &Quantity) -> Option<Series> {
    let reference = quantity(results.experiment.model, name)?;
    let at = |index: usize| axis.number(&results.points[index]).unwrap_or(f64::NAN);
    let mut members: Vec<usize> = (0..results.points.len()).collect();
    members.sort_by(|&a, &b| at(a).total_cmp(&at(b)));
    members.dedup_by(|&mut a, &mut b| at(a) == at(b));
    let value = |point: &Point| reference.number(point).unwrap_or(f64::NAN);
    let known = |member: usize| value(&results.points[member]);
    Some(Series {
        label: reference.symbol.to_owned(),
        line: curve(results, x, &members, &at, &known, &value),
        style: Style::Reference,
        ..Series::default()
    })
}

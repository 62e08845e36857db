//! The figure of one estimate over two swept parameters: a cell a point, coloured by the estimate.
//!
//! Owns which quantities are the axes and which point is which cell. The colours are `draw`'s.

use super::figure::{Axis, Cell, Cells, Figure};
use super::figures::{Choice, columns};
use super::number::significant;
use super::quantity::{Quantity, axis_label, label, quantity};
use super::steady;
use crate::ensemble::Results;
use crate::models::{Point, Value};
use crate::statistics::Table;

/// The values of a quantity over all points, each once: numbers in order, words as they come.
struct Places {
    name: String,
    quantity: Quantity,
    names: Vec<String>,
}

impl Places {
    fn new(results: &Results, name: &str) -> Result<Places, String> {
        let quantity = quantity(results.experiment.model, name).ok_or_else(|| {
            format!("`{name}` is neither a parameter nor derived from them; a heat map takes two swept parameters")
        })?;
        let mut values: Vec<(Option<f64>, String)> = Vec::new();
        for point in &results.points {
            let value = (quantity.number(point), words(&quantity, point));
            if !values.iter().any(|(_, known)| *known == value.1) {
                values.push(value);
            }
        }
        if values.iter().all(|(number, _)| number.is_some()) {
            values.sort_by(|a, b| a.0.unwrap_or(0.0).total_cmp(&b.0.unwrap_or(0.0)));
        }
        let names: Vec<String> = values.into_iter().map(|(_, words)| words).collect();
        if names.len() < 2 {
            return Err(format!(
                "`{name}` has one value; a heat map takes two swept parameters"
            ));
        }
        Ok(Places {
            name: name.to_owned(),
            quantity,
            names,
        })
    }

    fn of(&self, point: &Point) -> Option<usize> {
        let words = words(&self.quantity, point);
        self.names.iter().position(|name| *name == words)
    }

    fn axis(&self) -> Axis {
        Axis {
            label: axis_label(&self.name, &self.quantity),
            names: self.names.clone(),
            ..Axis::default()
        }
    }
}

fn words(quantity: &Quantity, point: &Point) -> String {
    match (quantity.value)(point) {
        Some(Value::Number(x)) => significant(x, 6).replace('-', "−"),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// The heat map of one estimate.
///
/// # Errors
/// More or fewer than two quantities that vary, and what to do; several estimates.
pub fn figure(results: &Results, table: &Table, choice: &Choice<'_>) -> Result<Figure, String> {
    let experiment = &results.experiment;
    let settings = experiment.plot.as_ref();
    let columns = columns(results, table, choice)?;
    let [column] = columns[..] else {
        return Err("a heat map shows one estimate; name it with --estimate".to_owned());
    };
    let mut swept: Vec<&str> = (experiment.sweeps.iter())
        .filter(|sweep| sweep.values.len() > 1)
        .map(|sweep| sweep.name)
        .collect();
    let x = choice.x.or(settings.and_then(|s| s.x));
    // Without a word of the user's the longer sweep runs along the longer axis.
    swept.sort_by_key(|name| {
        let sweep = experiment.sweeps.iter().find(|sweep| sweep.name == *name);
        std::cmp::Reverse(sweep.map_or(0, |sweep| sweep.values.len()))
    });
    let x = x.or(swept.first().copied());
    let named = settings.and_then(|s| s.series.first().copied());
    let y = named
        .filter(|name| Some(*name) != x)
        .or(swept.iter().copied().find(|name| Some(*name) != x));
    let (Some(x), Some(y)) = (x, y) else {
        return Err(format!(
            "a heat map takes two swept parameters, and this result has {}; `queuefarm plot --kind sweep` draws it",
            match swept[..] {
                [] => "none".to_owned(),
                [ref one, ..] => format!("one, {one}"),
            }
        ));
    };
    let (x, y) = (Places::new(results, x)?, Places::new(results, y)?);
    let mut values = vec![vec![Cell::default(); x.names.len()]; y.names.len()];
    let mut taken = vec![vec![false; x.names.len()]; y.names.len()];
    for (index, point) in results.points.iter().enumerate() {
        let (Some(across), Some(up)) = (x.of(point), y.of(point)) else {
            continue;
        };
        if std::mem::replace(&mut taken[up][across], true) {
            return Err(format!(
                "several points have the same {} and {}: a heat map shows two swept parameters ({} vary here); give the others one value with --set, or name other axes",
                x.name,
                y.name,
                swept.join(", ")
            ));
        }
        let estimate = &table.estimates[index][column];
        values[up][across] = Cell {
            value: estimate.mean,
            interval: estimate.interval,
            theory: table.theory[index][column],
            doubtful: !steady(results, table, index),
        };
    }
    let observable = &table.observables[column];
    Ok(Figure {
        x: x.axis(),
        y: y.axis(),
        note: notes(&values),
        cells: Some(Cells {
            values,
            label: label(observable.symbol, observable.unit),
            log: settings.is_some_and(|s| s.log_y),
        }),
        ..Figure::default()
    })
}

/// What the colours do not say, a line each.
fn notes(values: &[Vec<Cell>]) -> String {
    let cells = || values.iter().flatten();
    let mut text = String::new();
    if cells().any(|cell| cell.doubtful) {
        text.push_str("A corner marks a point without a steady state, or void; the colours are those of the others.\n");
    }
    if cells().any(|cell| cell.value.is_none()) {
        text.push_str("Grey: no value.\n");
    }
    let known = || cells().filter(|cell| !cell.doubtful);
    let off = |cell: &Cell| Some(((cell.value? - cell.theory?) / cell.theory?).abs());
    let worst = known().filter_map(off).fold(f64::NAN, f64::max);
    let half = |cell: &Cell| Some((cell.interval?.1 - cell.interval?.0) / 2.0 / cell.value?.abs());
    let widest = known().filter_map(half).fold(f64::NAN, f64::max);
    let percent = |x: f64| significant(100.0 * x, 2);
    if worst.is_finite() {
        let compared = known().filter(|cell| off(cell).is_some()).count();
        text.push_str(&format!(
            "Theory is known for {compared} cells and differs by {} % at most. ",
            percent(worst)
        ));
    }
    if widest.is_finite() {
        text.push_str(&format!("Intervals are ±{} % at most.", percent(widest)));
    }
    if worst.is_finite() || widest.is_finite() {
        text.push('\n');
    }
    text
}

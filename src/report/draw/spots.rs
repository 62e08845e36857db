//! What a pointer finds in a picture: the places of marks and cells on the page, with their numbers in words.
//!
//! Owns the words and how many there are. Where things are is `page`'s; what shows them is `report::html`'s.

use super::axes::Frame;
use super::geometry::Area;
use super::heat::cell_area;
use crate::report::figure::{Cells, Figure, Series};
use crate::report::number::{ends, significant};

/// Most places of a line that is data: a pointer cannot tell more apart.
const MOST: usize = 200;
/// Half the side of the square around a mark.
const HALF: f64 = 7.0;

/// A place of the 1200 by 800 page and what is to be said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// Its middle: to the right, and down.
    pub at: (f64, f64),
    /// Half its width and half its height.
    pub half: (f64, f64),
    /// The numbers, a line each.
    pub text: String,
}

/// The spots of a figure on its frame, series by series.
pub fn spots(figure: &Figure, frame: &Frame) -> Vec<Spot> {
    let mut spots: Vec<Spot> = figure
        .cells
        .iter()
        .flat_map(|c| of_cells(c, figure, frame))
        .collect();
    for series in &figure.series {
        spots.extend(of_series(series, figure, frame));
    }
    spots
}

fn of_series(series: &Series, figure: &Figure, frame: &Frame) -> Vec<Spot> {
    // A theory beside marks is said at the marks; a line without marks is data.
    let (places, data): (Vec<(f64, f64)>, bool) = if series.marks.is_empty() {
        (series.line.clone(), false)
    } else {
        (series.marks.iter().map(|m| (m.x, m.y)).collect(), true)
    };
    let every = places.len().div_ceil(MOST).max(1);
    let mut spots = Vec::new();
    for (index, &(x, y)) in places.iter().enumerate().step_by(every) {
        let Some(at) = frame.point(x, y).filter(|_| frame.holds(x, y)) else {
            continue;
        };
        let mut lines = vec![series.label.clone()];
        lines.retain(|label| !label.trim().is_empty());
        lines.push(format!("{}: {}", figure.x.label, significant(x, 6)));
        let interval = data.then(|| series.marks[index].interval).flatten();
        lines.push(value(&figure.y.label, y, interval));
        if data {
            lines.extend(law(&figure.theory, "theory", &series.line, x));
            lines.extend(law(&figure.dashed, "limit", &series.dashed, x));
        }
        spots.push(Spot {
            at,
            half: (HALF, HALF),
            text: lines.join("\n"),
        });
    }
    spots
}

fn value(label: &str, y: f64, interval: Option<(f64, f64)>) -> String {
    match interval {
        Some((low, high)) if high > low => {
            let width = high - low;
            format!(
                "{label}: {} ({} to {})",
                ends(y, width),
                ends(low, width),
                ends(high, width)
            )
        }
        _ => format!("{label}: {}", significant(y, 6)),
    }
}

/// What a law says exactly there, or on the flat line around it.
fn law(name: &str, other: &str, line: &[(f64, f64)], x: f64) -> Option<String> {
    let at = line.iter().find(|(place, _)| *place == x).map(|(_, y)| *y);
    let flat = match line {
        [(from, y), (to, same)] if y == same && (*from..=*to).contains(&x) => Some(*y),
        _ => None,
    };
    let y = at.or(flat).filter(|y| y.is_finite())?;
    let name = if name.is_empty() { other } else { name };
    Some(format!("{name}: {}", significant(y, 6)))
}

fn of_cells(cells: &Cells, figure: &Figure, frame: &Frame) -> Vec<Spot> {
    let mut spots = Vec::new();
    for (row, all) in cells.values.iter().enumerate() {
        for (column, cell) in all.iter().enumerate() {
            let Some(area) = cell_area(frame, row, column) else {
                continue;
            };
            let name = |names: &[String], at: usize| names.get(at).cloned().unwrap_or_default();
            let mut lines = vec![
                format!("{}: {}", figure.x.label, name(&figure.x.names, column)),
                format!("{}: {}", figure.y.label, name(&figure.y.names, row)),
            ];
            lines.push(match cell.value {
                Some(y) => value(&cells.label, y, cell.interval),
                None => format!("{}: no value", cells.label),
            });
            lines.extend(
                cell.theory
                    .map(|y| format!("theory: {}", significant(y, 6))),
            );
            lines.extend(cell.doubtful.then(|| "no steady state, or void".to_owned()));
            spots.push(spot(&area, lines.join("\n")));
        }
    }
    spots
}

fn spot(area: &Area, text: String) -> Spot {
    Spot {
        at: (
            (area.left + area.right) / 2.0,
            (area.top + area.bottom) / 2.0,
        ),
        half: (area.width() / 2.0, area.height() / 2.0),
        text,
    }
}

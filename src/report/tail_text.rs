//! Tails and quantiles as tables for people.

use super::number::{ends, significant};
use super::summary::{heading, labels, warnings};
use super::tail::{QuantileRow, TailRow, Tails, laws};
use super::void_histogram;
use crate::ensemble::Results;
use crate::statistics::Table;
use comfy_table::{CellAlignment, presets};

/// A table whose first columns are those that identify a point.
pub(super) struct Rows {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Rows {
    /// The table without columns that say nothing in any row.
    pub fn render(mut self) -> String {
        for column in (0..self.header.len()).rev() {
            if self.rows.iter().all(|row| row[column].is_empty()) {
                self.header.remove(column);
                self.rows.iter_mut().for_each(|row| {
                    row.remove(column);
                });
            }
        }
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING).set_header(self.header);
        table.add_rows(self.rows);
        for column in table.column_iter_mut() {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.trim_fmt()
    }
}

/// The tables for people.
pub fn text(results: &Results, table: &Table, tails: &Tails) -> String {
    let name = tails.histogram;
    let points = labels(results);
    let header = |own: &[String]| -> Vec<String> {
        points
            .iter()
            .map(|column| column[0].clone())
            .chain(own.iter().cloned())
            .collect()
    };
    let at = |index: usize, own: Vec<String>| -> Vec<String> {
        points
            .iter()
            .map(|column| column[index + 1].clone())
            .chain(own)
            .collect()
    };
    // A law that says nothing at any of the points has no column.
    let rows = || tails.points.iter().flat_map(|point| &point.tail);
    let inverse = tails.points.iter().flat_map(|point| &point.quantiles);
    let [exact, limit] = laws(results, name);
    let [exact_tail, limit] = [
        exact.filter(|_| rows().any(|row| row.exact.is_some())),
        limit.filter(|_| rows().any(|row| row.limit.is_some())),
    ];
    let exact = exact.filter(|_| inverse.clone().any(|row| row.exact.is_some()));
    let law = |law: Option<&crate::models::TailLaw>| law.map_or("", |law| law.name).to_owned();
    let level = format!("{} % interval", significant(table.confidence * 100.0, 6));
    let mut text = heading(results);
    let probability = format!("P({name} ≥ t)");
    let own = ["t", "edge", &probability, &level, "events"].map(str::to_owned);
    let own = [&own[..], &[law(exact_tail), law(limit), String::new()]].concat();
    let mut shares = Rows {
        header: header(&own),
        rows: Vec::new(),
    };
    let own = ["q", "bin", &level].map(str::to_owned);
    let own = [&own[..], &[law(exact), String::new()]].concat();
    let mut quantiles = Rows {
        header: header(&own),
        rows: Vec::new(),
    };
    for point in &tails.points {
        // The notes below say why a whole point is void.
        let void = void_histogram(results, table, point.index, name);
        let row = |row: &TailRow| {
            let laws = [exact_tail.is_some(), limit.is_some()];
            at(point.index, tail_cells(row, laws, void.is_some()))
        };
        shares.rows.extend(point.tail.iter().map(row));
        let row = |row: &QuantileRow| {
            let cells = quantile_cells(row, exact.is_some(), void.is_some());
            at(point.index, cells)
        };
        quantiles.rows.extend(point.quantiles.iter().map(row));
    }
    for rows in [shares, quantiles] {
        if !rows.rows.is_empty() {
            text.push_str(&format!("{}\n\n", rows.render()));
        }
    }
    text + &notes(results, tails) + &warnings(results, table)
}

fn law_cell(there: bool, value: Option<f64>) -> String {
    match value {
        Some(value) => significant(value, 5),
        None if there => "-".to_owned(),
        None => String::new(),
    }
}

fn tail_cells(row: &TailRow, laws: [bool; 2], void: bool) -> Vec<String> {
    let mut cells = vec![significant(row.t, 8)];
    match &row.found {
        None => cells.extend(["-", "-", "-", ""].map(str::to_owned)),
        Some((edge, share)) => {
            cells.push(significant(*edge, 8));
            let interval = share.interval;
            cells.push(share.p.map_or("-".to_owned(), |p| {
                ends(p, interval.map_or(0.0, |(low, high)| high - low))
            }));
            cells.push(interval.map_or("-".to_owned(), |(low, high)| {
                format!("{} to {}", ends(low, high - low), ends(high, high - low))
            }));
            cells.push(share.events.to_string());
        }
    }
    cells.push(law_cell(laws[0], row.exact));
    cells.push(law_cell(laws[1], row.limit));
    cells.push(reason(row.reason.as_deref(), void));
    cells
}

/// What stands at the end of a row.
fn reason(reason: Option<&str>, void: bool) -> String {
    let reason = if void { Some("void") } else { reason };
    reason.unwrap_or_default().to_owned()
}

fn quantile_cells(row: &QuantileRow, law: bool, void: bool) -> Vec<String> {
    let edge = |x: f64| significant(x, 8);
    let found = row.found.as_ref();
    let bin = found.and_then(|quantile| quantile.bin);
    let interval = found.and_then(|quantile| Some((quantile.low?, quantile.high)));
    let bin = bin.map_or("-".to_owned(), |(low, high)| {
        format!("{} to {}", edge(low), edge(high))
    });
    let interval = interval.map_or("-".to_owned(), |(low, high)| {
        format!("{} to {}", edge(low), high.map_or("?".to_owned(), edge))
    });
    let reason = reason(row.reason.as_deref(), void);
    vec![
        significant(row.q, 12),
        bin,
        interval,
        law_cell(law, row.exact),
        reason,
    ]
}

/// How to read the tables.
fn notes(results: &Results, tails: &Tails) -> String {
    let unit = match tails.unit {
        "" => String::new(),
        unit => format!(" in {unit}"),
    };
    let steps: Vec<f64> = (tails.points.iter())
        .flat_map(|point| &results.plans[point.index].histograms)
        .filter(|histogram| histogram.name == tails.histogram)
        .map(|histogram| histogram.step)
        .collect();
    let (least, most) = steps
        .iter()
        .fold((f64::MAX, 0.0_f64), |(a, b), &x| (a.min(x), b.max(x)));
    let step = if least < most {
        format!("{} to {}", significant(least, 4), significant(most, 4))
    } else {
        significant(most, 4)
    };
    let mut text = format!(
        "{}{unit}, counted in whole steps of {step}: a row counts values of `edge` or more, the first edge of a bin not below t, \
         and a quantile lies in its bin; laws are taken at the edge\n",
        tails.histogram
    );
    let rows = || tails.points.iter().flat_map(|point| &point.tail);
    if rows().any(|row| matches!(row.reason.as_deref(), Some("few events"))) {
        text.push_str("few events: they are taken to cluster no less than at the nearest threshold with enough of them\n");
    }
    text
}

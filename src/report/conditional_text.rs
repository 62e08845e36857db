//! Conditional tails as a table for people.

use super::conditional::{PointTail, Row};
use super::number::{ends, significant};
use super::summary::{heading, labels, warnings};
use super::tail::laws;
use super::tail_text::Rows;
use crate::ensemble::Results;
use crate::models::ConditionalLaw;
use crate::statistics::Table;

/// The table for people.
pub fn text(
    results: &Results,
    table: &Table,
    law: &ConditionalLaw,
    points: &[PointTail],
) -> String {
    let labels = labels(results);
    let level = format!("{} % interval", significant(table.confidence * 100.0, 6));
    let rows = || points.iter().flat_map(|point| &point.tail);
    let [exact, limit] = laws(results, law.histogram);
    let exact = exact.filter(|_| rows().any(|row| row.exact.is_some()));
    let limit = limit.filter(|_| rows().any(|row| row.limit.is_some()));
    let mut header: Vec<String> = labels.iter().map(|column| column[0].clone()).collect();
    header.extend(["t".to_owned(), format!("P({} > t)", law.histogram), level]);
    header.extend(["effective", "as good as"].map(str::to_owned));
    header.extend([exact, limit].map(|law| law.map_or("", |law| law.name).to_owned()));
    header.push(String::new());
    let mut shown = Rows {
        header,
        rows: Vec::new(),
    };
    for point in points {
        for row in &point.tail {
            let mut cells: Vec<String> = (labels.iter())
                .map(|column| column[point.index + 1].clone())
                .collect();
            cells.extend(cells_of(row, [exact.is_some(), limit.is_some()]));
            shown.rows.push(cells);
        }
    }
    let table_text = format!("{}\n\n", shown.render());
    heading(results) + &table_text + &notes(results, law, points) + &warnings(results, table)
}

fn cells_of(row: &Row, laws: [bool; 2]) -> Vec<String> {
    let mut cells = vec![significant(row.t, 8)];
    let interval = row.found.and_then(|found| Some((found, found.interval?)));
    match interval {
        None => cells.extend(["-", "-", "", ""].map(str::to_owned)),
        Some((found, (low, high))) => {
            let width = high - low;
            cells.push(ends(found.p, width));
            cells.push(format!("{} to {}", ends(low, width), ends(high, width)));
            cells.push(significant(found.effective.round(), 9));
            let worth = found.as_good_as();
            cells.push(worth.map_or("-".to_owned(), |worth| format!("{worth:.1e}")));
        }
    }
    let values = [row.exact, row.limit];
    cells.extend(laws.iter().zip(values).map(|(there, value)| match value {
        Some(value) => significant(value, 5),
        None if *there => "-".to_owned(),
        None => String::new(),
    }));
    cells.push(row.reason.clone().unwrap_or_default());
    cells
}

/// How to read the table.
fn notes(results: &Results, law: &ConditionalLaw, points: &[PointTail]) -> String {
    let range = |of: fn(&PointTail) -> u64| {
        let (least, most) = points.iter().fold((u64::MAX, 0), |(a, b), point| {
            (a.min(of(point)), b.max(of(point)))
        });
        if least < most {
            format!("{least} to {most}")
        } else {
            most.to_string()
        }
    };
    let unit = results.plans[0].histograms.iter();
    let unit = unit.into_iter().find(|h| h.name == law.histogram);
    format!(
        "t in {}; each row is the mean of P({} > t) given {} that job {} of each of {} replicas met, simulated once more\n\
         effective: how many equal chances would tell as much; as good as: independent jobs to be counted for the same standard error\n",
        unit.map_or("", |histogram| histogram.unit),
        law.histogram,
        law.met,
        range(|point| point.job),
        range(|point| point.observations as u64),
    )
}

//! The estimates: a table each, with intervals and theory, the ones of the picture open and the others folded.

use super::text::{escaped, symbol};
use super::trust::doubt;
use crate::ensemble::Results;
use crate::models::{Observable, Value};
use crate::report::number::{significant, with_half_width};
use crate::report::summary;
use crate::statistics::{Estimate, Table};

/// Most rows of a table on the page.
const MOST_ROWS: usize = 1000;

/// The swept parameters: their names, and their values at each point in words.
pub fn labels(results: &Results) -> Vec<(&'static str, Vec<String>)> {
    let word = |value: Option<&Value>| match value {
        Some(Value::Number(x)) => significant(*x, 6),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    (results.experiment.sweeps.iter())
        .map(|sweep| {
            let values = results
                .points
                .iter()
                .map(|point| word(point.get(sweep.name)));
            (sweep.name, values.collect())
        })
        .collect()
}

/// The columns of the estimates that say something, the ones drawn by the experiment's own picture first.
pub fn order(results: &Results, table: &Table) -> (Vec<usize>, Vec<usize>) {
    let told = |&which: &usize| summary::uninformative(table, which).is_none();
    let named = results
        .experiment
        .plot
        .as_ref()
        .map(|plot| &plot.estimate[..]);
    let mut first: Vec<usize> = (named.unwrap_or_default().iter())
        .filter_map(|name| table.column(name))
        .filter(told)
        .collect();
    let all: Vec<usize> = (0..table.observables.len()).filter(told).collect();
    if first.is_empty() {
        first.extend(all.first());
    }
    let rest = all
        .into_iter()
        .filter(|which| !first.contains(which))
        .collect();
    (first, rest)
}

/// The section.
pub fn section(results: &Results, table: &Table, file: &str) -> String {
    let (first, rest) = order(results, table);
    let mut html = "<section id=\"estimates\">\n<h2>Estimates</h2>\n".to_owned();
    for which in first {
        html.push_str(&fold(results, table, which, file, true));
    }
    for which in rest {
        html.push_str(&fold(results, table, which, file, false));
    }
    html + "</section>\n"
}

fn fold(results: &Results, table: &Table, which: usize, file: &str, open: bool) -> String {
    let observable = &table.observables[which];
    let open = if open { " open" } else { "" };
    format!(
        "<details{open}><summary><b>{}</b> ({}) <span class=\"range\">{}</span></summary>\n{}</details>\n",
        symbol(observable.symbol),
        escaped(observable.name),
        escaped(&range(table, which)),
        rows(results, table, which, observable, file)
    )
}

/// From the least to the largest value, with the unit.
pub fn range(table: &Table, which: usize) -> String {
    let values = table.estimates.iter().filter_map(|row| row[which].mean);
    let (least, most) = values.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
    let unit = table.observables[which].unit;
    let ends = [least, most].map(|end| significant(end, 4));
    let text = if ends[0] != ends[1] {
        format!("from {} to {}", ends[0], ends[1])
    } else {
        significant(most, 6)
    };
    format!("{text} {unit}").trim_end().to_owned()
}

fn rows(
    results: &Results,
    table: &Table,
    which: usize,
    observable: &Observable,
    file: &str,
) -> String {
    let labels = labels(results);
    let exact = results.experiment.model.exact.contains(&observable.name);
    let theory = table.theory.iter().any(|row| row[which].is_some());
    let level = significant(100.0 * table.confidence, 4);
    let mut head = vec!["point".to_owned()];
    head.extend(
        labels
            .iter()
            .map(|(name, _)| escaped(&name.replace('_', " "))),
    );
    head.push(format!(
        "{} ± half of the {level} % interval",
        symbol(observable.symbol)
    ));
    if theory {
        head.push(if exact { "exact law" } else { "theory" }.to_owned());
    }
    if theory && exact {
        head.push("z".to_owned());
    }
    head.push("remark".to_owned());
    let head: String = (head.iter())
        .map(|name| format!("<th scope=\"col\">{name}</th>"))
        .collect();
    let unit = match observable.unit {
        "" => String::new(),
        unit => format!(", in {}", escaped(unit)),
    };
    let law = match (theory, exact) {
        (false, _) => "",
        (true, true) => " z: the difference from the exact law in standard errors.",
        (true, false) => {
            " Theory is an approximation, a limit or a bound here: a difference is no error."
        }
    };
    let mut html = format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n<caption>{}{unit}.{law}</caption>\n\
         <thead><tr>{head}</tr></thead>\n<tbody>\n",
        escaped(observable.name),
        escaped(observable.help.trim_end_matches('.')),
    );
    for point in 0..results.points.len().min(MOST_ROWS) {
        let estimate = &table.estimates[point][which];
        let mut cells: Vec<String> = labels
            .iter()
            .map(|(_, values)| escaped(&values[point]))
            .collect();
        cells.push(cell(estimate));
        let law = table.theory[point][which];
        if theory {
            cells.push(law.map_or("–".to_owned(), |x| significant(x, 6)));
        }
        if theory && exact {
            let z = estimate.mean.zip(estimate.se).zip(law);
            let z = z.filter(|((_, se), _)| *se > 0.0);
            cells.push(z.map_or("–".to_owned(), |((mean, se), law)| {
                format!("{:.2}", (mean - law) / se)
            }));
        }
        let doubt = doubt(results, table, point);
        let class = if doubt.is_some() {
            " class=\"doubt\""
        } else {
            ""
        };
        cells.push(escaped(&doubt.unwrap_or_default()));
        let cells: String = cells
            .iter()
            .map(|cell| format!("<td>{cell}</td>"))
            .collect();
        html.push_str(&format!(
            "<tr{class}><th scope=\"row\">{point}</th>{cells}</tr>\n"
        ));
    }
    html.push_str("</tbody></table></div>\n");
    if let Some(more) = results
        .points
        .len()
        .checked_sub(MOST_ROWS)
        .filter(|&more| more > 0)
    {
        html.push_str(&format!(
            "<p>{more} more points are not shown: <code>queuefarm summary {} --csv</code></p>\n",
            escaped(file)
        ));
    }
    html
}

fn cell(estimate: &Estimate) -> String {
    let half = estimate.interval.map(|(low, high)| (high - low) / 2.0);
    estimate
        .mean
        .map_or("–".to_owned(), |mean| with_half_width(mean, half))
}

//! The report of a result: one HTML page that needs nothing else, no network, no font, no other file.
//!
//! Owns the page and the order of its parts, each of which is a file here; style and script are `page.css` and `page.js`.
//! Computes nothing: estimates, checks and figures are made elsewhere.

mod estimates;
mod pictures;
mod run;
mod source;
mod text;
mod trust;

use super::draw::DrawError;
use crate::ensemble::Results;
use crate::statistics::{Check, Table};
use text::{escaped, symbol};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page about a result; `file` is the name of the result file in the commands that it shows.
///
/// # Errors
/// What the drawing library said.
pub fn page(results: &Results, table: &Table, file: &str) -> Result<String, DrawError> {
    let title = escaped(&results.experiment.title);
    let check = trust::check(results, table);
    let body = [
        short(results, table, &check),
        run::section(results),
        pictures::section(results, table, file)?,
        estimates::section(results, table, file),
        trust::section(results, table, &check),
        source::section(results, file),
    ]
    .concat();
    // The browser itself is told to fetch nothing.
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n<meta name=\"generator\" content=\"queuefarm {}\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<header><h1>{title}</h1>{}</header>\n<main>\n{body}</main>\n\
         <div id=\"tip\" role=\"status\" hidden></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        contents(body.contains("<section id=\"pictures\"")),
    ))
}

fn contents(pictures: bool) -> String {
    let parts = [
        ("run", "What was run"),
        ("pictures", "Pictures"),
        ("estimates", "Estimates"),
        ("trust", "How sure the numbers are"),
        ("provenance", "Where it comes from"),
        ("cite", "How to cite"),
    ];
    let links: String = (parts.iter())
        .filter(|(id, _)| pictures || *id != "pictures")
        .map(|(id, name)| format!("<a href=\"#{id}\">{name}</a> "))
        .collect();
    format!(
        "\n<nav aria-label=\"Parts of this page\">{}</nav>\n",
        links.trim_end()
    )
}

/// What comes before the first full stop or semicolon: what an estimate is, without its conditions.
fn first_clause(help: &str) -> &str {
    let ends = ["; ", ". "];
    let end = ends.iter().filter_map(|end| help.find(end)).min();
    help[..end.unwrap_or(help.len())].trim_end_matches('.')
}

/// The page in a few sentences.
fn short(results: &Results, table: &Table, check: &Check) -> String {
    let (first, _) = estimates::order(results, table);
    let found: Vec<String> = (first.iter())
        .map(|&which| {
            let observable = &table.observables[which];
            format!(
                "<li><b>{}</b>, {}: {}</li>\n",
                symbol(observable.symbol),
                escaped(first_clause(observable.help)),
                escaped(&estimates::range(table, which))
            )
        })
        .collect();
    let doubtful = (0..results.points.len())
        .filter(|&point| trust::doubt(results, table, point).is_some())
        .count();
    let doubt = match doubtful {
        0 => String::new(),
        1 => " One point is in doubt and marked.".to_owned(),
        n => format!(
            " {n} of {} points are in doubt and marked.",
            results.points.len()
        ),
    };
    let (verdict, class) = trust::verdict(check);
    format!(
        "<section id=\"short\">\n<h2>In short</h2>\n<p>{} of the model {} simulated, {} replicas each.</p>\n<ul>\n{}</ul>\n\
         <p class=\"verdict {class}\">{}{doubt}</p>\n</section>\n",
        match results.points.len() {
            1 => "One point".to_owned(),
            n => format!("{n} points"),
        },
        escaped(results.experiment.model.name),
        run::grouped(u64::from(results.experiment.replicas)),
        found.concat(),
        escaped(&verdict),
    )
}

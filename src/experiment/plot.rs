//! The section `[plot]`: what the picture of the result shows.
//!
//! Owns its keys and their checks. Does not draw.

use super::document::{Entry, Table};
use super::names::{label, report_unknown_keys};
use super::problem::Problems;
use super::{Record, read};
use crate::models::Model;

const SECTION: &str = "plot";
const KEYS: &[&str] = &[
    "kind", "estimate", "x", "series", "vertical", "title", "log",
];

/// What the picture of the result shows. What is empty or none is left to the plotter.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotSettings {
    /// Which picture.
    pub kind: PlotKind,
    /// Names of observables of the model.
    pub estimate: Vec<&'static str>,
    /// The x axis: a parameter, or one of the model's derived quantities.
    pub x: Option<&'static str>,
    /// Parameters whose values tell the lines of the picture apart.
    pub series: Vec<&'static str>,
    /// A derived quantity at whose value on the x axis each series gets a vertical line.
    pub vertical: Option<&'static str>,
    /// Title of the picture; the experiment's when none.
    pub title: Option<String>,
    /// Whether the x axis is logarithmic.
    pub log_x: bool,
    /// Whether the y axis is logarithmic.
    pub log_y: bool,
}

/// Which picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlotKind {
    /// Estimates against a parameter.
    Sweep,
    /// The recorded value against time.
    Trajectory,
}

impl PlotKind {
    /// Its name in the file.
    pub(super) fn name(self) -> &'static str {
        match self {
            PlotKind::Sweep => "sweep",
            PlotKind::Trajectory => "trajectory",
        }
    }
}

/// Reads `[plot]`; none when there is no such section, or something is wrong in it.
pub(super) fn read(
    root: &Table,
    model: &'static Model,
    record: Option<&Record>,
    problems: &mut Problems,
) -> Option<PlotSettings> {
    let entry = root.get(SECTION)?;
    let help = "begin a section with the line [plot]";
    let table = read::table(&entry.item, SECTION, help, problems)?;
    report_unknown_keys(table, SECTION, KEYS, |_| None, problems);

    let parameters: Vec<&'static str> = model.parameters.iter().map(|p| p.name).collect();
    let derived = model.derived.iter().map(|d| d.name);
    let axes: Vec<&'static str> = parameters.iter().copied().chain(derived).collect();
    let observables: Vec<&'static str> = model.observables.iter().map(|o| o.name).collect();

    let kind = match table.get("kind") {
        Some(entry) => kind(entry, table, record, problems),
        None => Some(PlotKind::Sweep),
    };
    let estimate = words(table, "estimate", &observables, problems);
    let series = words(table, "series", &axes, problems);
    let log = words(table, "log", &["x", "y"], problems);
    let x = table
        .get("x")
        .map(|entry| read::word(&entry.item, &label("x", SECTION), &axes, problems));
    let lines: Vec<&'static str> = model.derived.iter().map(|d| d.name).collect();
    let vertical = table
        .get("vertical")
        .map(|entry| read::word(&entry.item, &label("vertical", SECTION), &lines, problems));
    let title = table
        .get("title")
        .map(|entry| read::text(&entry.item, &label("title", SECTION), problems));
    let settings = PlotSettings {
        kind: kind?,
        estimate: estimate?,
        x: optional(x)?,
        series: series?,
        vertical: optional(vertical)?,
        title: optional(title)?.map(str::to_owned),
        log_x: log.as_ref()?.contains(&"x"),
        log_y: log?.contains(&"y"),
    };
    if let (Some(x), Some(entry)) = (settings.x, table.get("series"))
        && settings.series.contains(&x)
    {
        let what = format!("`{x}` is already the x axis");
        problems.report(entry.place, label("series", SECTION), what, "");
    }
    Some(settings)
}

/// Reads `kind`, and checks that the picture can be drawn from what is asked for.
fn kind(
    entry: &Entry,
    table: &Table,
    record: Option<&Record>,
    problems: &mut Problems,
) -> Option<PlotKind> {
    let name = label("kind", SECTION);
    if read::word(&entry.item, &name, &["sweep", "trajectory"], problems)? == "sweep" {
        return Some(PlotKind::Sweep);
    }
    if record.is_some_and(|record| record.trajectories == 0 && !record.ensemble) {
        let what = "there is no trajectory to draw";
        let help = "record some: trajectories = 1 or ensemble = true, below a line [record]";
        problems.report(entry.place, name, what, help);
    }
    for key in ["estimate", "x"] {
        if let Some(entry) = table.get(key) {
            let what = "a picture of trajectories has none: it shows the recorded value over time";
            problems.report(entry.place, label(key, SECTION), what, "");
        }
    }
    Some(PlotKind::Trajectory)
}

fn words<'a>(
    table: &Table,
    key: &str,
    allowed: &[&'a str],
    problems: &mut Problems,
) -> Option<Vec<&'a str>> {
    match table.get(key) {
        Some(entry) => read::words(&entry.item, &label(key, SECTION), allowed, problems),
        None => Some(Vec::new()),
    }
}

/// What was asked for and read, or not asked for; none when it could not be read.
fn optional<T>(read: Option<Option<T>>) -> Option<Option<T>> {
    match read {
        Some(None) => None,
        Some(found) => Some(found),
        None => Some(None),
    }
}

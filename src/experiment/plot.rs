//! The section `[plot]`: what the picture of the result shows.
//!
//! Owns its keys and their checks. Does not draw.

use super::document::{Entry, Place, Table};
use super::names::{label, report_unknown_keys, suggestion};
use super::problem::Problems;
use super::{Record, read};
use crate::models::{Histogram, Model};

const SECTION: &str = "plot";
const KEYS: &[&str] = &[
    "kind",
    "estimate",
    "histogram",
    "x",
    "series",
    "vertical",
    "reference",
    "title",
    "log",
];

/// What the picture of the result shows. What is empty or none is left to the plotter.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotSettings {
    /// Which picture.
    pub kind: PlotKind,
    /// Names of observables of the model.
    pub estimate: Vec<&'static str>,
    /// Name of the histogram to draw, or whose tail.
    pub histogram: Option<String>,
    /// The x axis: a parameter, or one of the model's derived quantities.
    pub x: Option<&'static str>,
    /// Parameters whose values tell the lines of the picture apart.
    pub series: Vec<&'static str>,
    /// A derived quantity at whose value on the x axis each series gets a vertical line.
    pub vertical: Option<&'static str>,
    /// Derived quantities that are drawn as curves of their own, in the unit of the y axis.
    pub reference: Vec<&'static str>,
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
    /// Probabilities of large values, on a logarithmic axis.
    Tail,
    /// The values of a histogram.
    Histogram,
    /// Mean and standard deviation of the recorded value over replicas, against time.
    Ensemble,
    /// One estimate over two swept parameters, as colours.
    Heatmap,
    /// The value of one swept parameter with the least estimate, against another.
    Best,
}

const KINDS: [PlotKind; 7] = [
    PlotKind::Sweep,
    PlotKind::Trajectory,
    PlotKind::Tail,
    PlotKind::Histogram,
    PlotKind::Ensemble,
    PlotKind::Heatmap,
    PlotKind::Best,
];

impl PlotKind {
    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            PlotKind::Sweep => "sweep",
            PlotKind::Trajectory => "trajectory",
            PlotKind::Tail => "tail",
            PlotKind::Histogram => "histogram",
            PlotKind::Ensemble => "ensemble",
            PlotKind::Heatmap => "heatmap",
            PlotKind::Best => "best",
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
        Some(entry) => kind(entry, record, problems),
        None => Some(PlotKind::Sweep),
    };
    if let Some(kind) = kind {
        check_keys(kind, table, problems);
    }
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
    let reference = words(table, "reference", &lines, problems);
    let title = table
        .get("title")
        .map(|entry| read::text(&entry.item, &label("title", SECTION), problems));
    let histogram = table
        .get("histogram")
        .map(|entry| read::text(&entry.item, &label("histogram", SECTION), problems));
    let settings = PlotSettings {
        kind: kind?,
        estimate: estimate?,
        histogram: optional(histogram)?.map(str::to_owned),
        x: optional(x)?,
        series: series?,
        vertical: optional(vertical)?,
        reference: reference?,
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
fn kind(entry: &Entry, record: Option<&Record>, problems: &mut Problems) -> Option<PlotKind> {
    let name = label("kind", SECTION);
    let words = KINDS.map(PlotKind::name);
    let word = read::word(&entry.item, &name, &words, problems)?;
    let kind = KINDS.into_iter().find(|kind| kind.name() == word)?;
    let lacks = |test: fn(&Record) -> bool| record.is_some_and(test);
    let missing = match kind {
        PlotKind::Trajectory if lacks(|r| r.trajectories == 0 && !r.ensemble) => Some((
            "there is no trajectory to draw",
            "record some: trajectories = 1 or ensemble = true, below a line [record]",
        )),
        PlotKind::Ensemble if lacks(|r| !r.ensemble) => Some((
            "there is no ensemble to draw",
            "record it: ensemble = true, below a line [record]",
        )),
        _ => None,
    };
    if let Some((what, help)) = missing {
        problems.report(entry.place, name, what, help);
    }
    Some(kind)
}

/// Reports keys that say nothing about a picture of that kind.
fn check_keys(kind: PlotKind, table: &Table, problems: &mut Problems) {
    let (what, keys): (_, &[&str]) = match kind {
        PlotKind::Sweep => ("a picture of estimates has none", &["histogram"]),
        PlotKind::Best => (
            "a picture of what is best has none: its y axis is the swept parameter that is chosen",
            &["histogram", "vertical"],
        ),
        PlotKind::Heatmap => (
            "a heat map has none: its axes are two swept parameters, `x` and `series`",
            &["histogram", "vertical", "reference"],
        ),
        PlotKind::Trajectory | PlotKind::Ensemble => (
            "a picture of trajectories has none: it shows the recorded value over time",
            &["estimate", "x", "histogram", "reference"],
        ),
        PlotKind::Tail | PlotKind::Histogram => (
            "a picture of a distribution has none: its x axis is the histogram's value",
            &["estimate", "x", "vertical", "reference"],
        ),
    };
    for key in keys {
        if let Some(entry) = table.get(key) {
            problems.report(entry.place, label(key, SECTION), what, "");
        }
    }
}

/// Reports a histogram that is not among those of the first point.
pub(super) fn check_histogram(
    settings: &PlotSettings,
    histograms: &[Histogram],
    root: &Table,
    problems: &mut Problems,
) {
    let Some(name) = settings.histogram.as_deref() else {
        return;
    };
    let names: Vec<&str> = histograms.iter().map(|h| h.name).collect();
    if !names.contains(&name) {
        let table = root
            .get(SECTION)
            .and_then(|entry| entry.item.node.as_table());
        let entry = table.and_then(|table| table.get("histogram"));
        let what = format!("there is no histogram \"{name}\"");
        let place = entry.map_or(Place::File, |entry| entry.place);
        problems.report(
            place,
            label("histogram", SECTION),
            what,
            suggestion(name, &names),
        );
    }
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

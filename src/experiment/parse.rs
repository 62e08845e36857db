//! From the text of a file to an experiment.
//!
//! Owns the top level of the file and the order of the checks: syntax, `--set`, every key by itself,
//! then the sweeps, then the model's word on every point.

use super::document::{self, Node, Place, Table};
use super::names::{TOP_LEVEL, report_unknown_keys, suggestion};
use super::precision::Observe;
use super::problem::{Problems, plain};
use super::{Combine, Experiment};
use super::{overrides, parameters, plot, points, precision, read, record, replicas, seed};
use crate::models::{self, MODELS, Model};

/// See [`Experiment::parse`].
pub(super) fn experiment(
    source: &str,
    file_name: &str,
    arguments: &[String],
    given_seed: Option<u64>,
) -> Result<Experiment, Problems> {
    let mut problems = Problems::none(file_name, arguments);
    match read_all(source, arguments, given_seed, &mut problems) {
        Some(experiment) if problems.is_empty() => Ok(experiment),
        _ => Err(problems),
    }
}

/// Reads everything; whenever it gives none, it has reported why.
fn read_all(
    source: &str,
    arguments: &[String],
    given_seed: Option<u64>,
    problems: &mut Problems,
) -> Option<Experiment> {
    let mut root = document::file(source, problems)?;
    overrides::apply(&mut root, arguments, problems);
    let root = &root;

    let model = read_model(root, problems);
    let belongs_to_model =
        |key: &str| model.is_some_and(|model| model.parameters.iter().any(|p| p.name == key));
    let elsewhere = |key: &str| {
        belongs_to_model(key).then(|| format!("`{key}` belongs below the line [parameters]"))
    };
    report_unknown_keys(root, "", TOP_LEVEL, elsewhere, problems);
    let title = root
        .get("title")
        .map(|entry| read::text(&entry.item, "title", problems));
    let file_seed = root
        .get("seed")
        .map(|entry| (entry.place, seed::read(&entry.item, problems)));
    if let (Some(_), Some((place @ Place::Set(_), _))) = (given_seed, file_seed) {
        problems.report(
            place,
            "seed",
            "--seed gives one as well",
            "keep one of them",
        );
    }
    let sizes = replicas::read(root, problems);
    let warmup = read_span(root, "warmup", "of at least zero", |x| x >= 0.0, problems);
    let observe = precision::observe(root, problems);
    let duration = read_duration(root, observe, problems);
    let common = precision::common(root, problems);
    let target = precision::target(root, problems);
    let end = read_end(root, warmup, duration, problems);
    let combine = read_combine(root, problems);
    let record = record::read(root, end, sizes.map(|(replicas, _)| replicas), problems);
    // Names of parameters and estimates mean nothing without a model.
    let model = model?;
    let parameters = parameters::read(root, model, problems);
    let plot = plot::read(root, model, record.as_ref(), problems);
    if !problems.is_empty() {
        return None;
    }

    let parameters = parameters?;
    let (replicas, batches) = sizes?;
    let mut experiment = Experiment {
        title: title.unwrap_or(Some(model.summary))?.to_owned(),
        model,
        seed: 0,
        seed_was_drawn: given_seed.is_none() && file_seed.is_none(),
        replicas,
        batches,
        warmup: warmup?,
        duration: duration?,
        observe: observe?,
        common_random_numbers: common?,
        target: target?,
        combine: combine?,
        sweeps: parameters.sweeps,
        fixed: parameters.fixed,
        record: record?,
        plot,
        source: source.to_owned(),
        overrides: arguments.to_vec(),
    };
    points::check_count(&experiment, root, problems);
    if !problems.is_empty() {
        return None;
    }
    let histograms = points::check_plans(&experiment, root, problems)?;
    if let Some(settings) = &experiment.plot {
        plot::check_histogram(settings, &histograms, root, problems);
    }
    if let Some(target) = &experiment.target {
        precision::check_target(model, &histograms, target, root, problems);
    }
    experiment.seed = match (given_seed, file_seed) {
        (Some(seed), _) => seed,
        (None, Some((_, seed))) => seed?,
        (None, None) => seed::draw(problems)?,
    };
    Some(experiment)
}

fn read_model(root: &Table, problems: &mut Problems) -> Option<&'static Model> {
    let names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
    let Some(entry) = root.get("model") else {
        problems.report(Place::File, "model", "missing", suggestion("", &names));
        return None;
    };
    let Node::Text(name) = &entry.item.node else {
        read::refuse(
            &entry.item,
            "model",
            "a string",
            &suggestion("", &names),
            problems,
        );
        return None;
    };
    let model = models::find(name);
    if model.is_none() {
        let what = format!("there is no model \"{}\"", plain(name));
        problems.report(entry.item.place, "model", what, suggestion(name, &names));
    }
    model
}

/// Reads a length that the file must give, in the unit of the model's span.
fn read_span(
    root: &Table,
    key: &str,
    range: &str,
    allowed: impl Fn(f64) -> bool,
    problems: &mut Problems,
) -> Option<f64> {
    let expected = format!("a number {range}");
    let Some(entry) = root.get(key) else {
        problems.report(
            Place::File,
            key,
            format!("missing; expected {expected}"),
            "",
        );
        return None;
    };
    let x = read::real_or(&entry.item, key, &expected, problems)?;
    if allowed(x) {
        return Some(x);
    }
    read::refuse(&entry.item, key, &expected, "", problems);
    None
}

/// The length of the measured span, which a single observation has not.
fn read_duration(root: &Table, observe: Option<Observe>, problems: &mut Problems) -> Option<f64> {
    match (observe?, root.get("duration")) {
        (Observe::All, _) => read_span(root, "duration", "above zero", |x| x > 0.0, problems),
        (Observe::One, None) => Some(0.0),
        (Observe::One, Some(entry)) => {
            let what = "with observe = \"one\" the measured span is one observation";
            problems.report(entry.place, "duration", what, "leave it out");
            None
        }
    }
}

/// The end of the run, a finite number.
fn read_end(
    root: &Table,
    warmup: Option<f64>,
    duration: Option<f64>,
    problems: &mut Problems,
) -> Option<f64> {
    let end = warmup? + duration?;
    if end.is_finite() {
        return Some(end);
    }
    let place = root
        .get("duration")
        .map_or(Place::File, |entry| entry.place);
    problems.report(
        place,
        "duration",
        "warmup + duration is not a finite number",
        "",
    );
    None
}

fn read_combine(root: &Table, problems: &mut Problems) -> Option<Combine> {
    let Some(entry) = root.get("combine") else {
        return Some(Combine::Grid);
    };
    match read::word(&entry.item, "combine", &["grid", "zip"], problems)? {
        "zip" => Some(Combine::Zip),
        _ => Some(Combine::Grid),
    }
}

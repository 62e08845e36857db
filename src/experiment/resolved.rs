//! The canonical text of an experiment.
//!
//! Owns the order of the keys and the spelling of values, so that equal experiments have equal texts.

use super::{Combine, Experiment, Observe, PlotSettings, Target, precision, read, seed};
use crate::models::{Kind, Parameter, Value};

/// The experiment as a file: everything in force.
pub(super) fn text(experiment: &Experiment) -> String {
    let mut lines = vec![
        format!("title = {}", quoted(&experiment.title)),
        format!("model = {}", quoted(experiment.model.name)),
        format!("seed = {}", seed::canonical(experiment.seed)),
        format!("replicas = {}", experiment.replicas),
        format!("batches = {}", experiment.batches),
    ];
    lines.extend(span_and_tables(experiment, experiment.target.as_ref()));
    if let Some(plot) = &experiment.plot {
        lines.extend(plot_lines(plot));
    }
    lines.join("\n") + "\n"
}

/// What a batch of given number depends on, and nothing else: neither how many batches there are, nor what is said or
/// drawn of them.
pub(super) fn identity(experiment: &Experiment) -> String {
    let mut lines = vec![
        format!("model = {}", quoted(experiment.model.name)),
        format!("seed = {}", seed::canonical(experiment.seed)),
        format!(
            "replicas a batch = {}",
            experiment.replicas / experiment.batches
        ),
    ];
    lines.extend(span_and_tables(experiment, None));
    lines.join("\n") + "\n"
}

/// From `warmup` to the end of `[record]`.
fn span_and_tables(experiment: &Experiment, target: Option<&Target>) -> Vec<String> {
    let combine = match experiment.combine {
        Combine::Grid => "grid",
        Combine::Zip => "zip",
    };
    let mut lines = vec![format!(
        "warmup = {}",
        read::real_as_typed(experiment.warmup)
    )];
    if experiment.observe == Observe::All {
        lines.push(format!(
            "duration = {}",
            read::real_as_typed(experiment.duration)
        ));
    }
    lines.extend(precision::lines(
        experiment.observe,
        experiment.common_random_numbers,
        target,
    ));
    lines.extend([
        format!("combine = {}", quoted(combine)),
        String::new(),
        "[parameters]".to_owned(),
    ]);
    lines.extend(parameters(experiment));
    let record = &experiment.record;
    lines.extend([
        String::new(),
        "[record]".to_owned(),
        format!("trajectories = {}", record.trajectories),
        format!("ensemble = {}", record.ensemble),
        format!("from = {}", read::real_as_typed(record.from)),
        format!("to = {}", read::real_as_typed(record.to)),
    ]);
    lines
}

/// First what has one value, defaults too, in the order of the model; then the sweeps, in their own.
fn parameters(experiment: &Experiment) -> Vec<String> {
    let mut lines = Vec::new();
    for parameter in experiment.model.parameters {
        if experiment
            .sweeps
            .iter()
            .any(|sweep| sweep.name == parameter.name)
        {
            continue;
        }
        let given = experiment
            .fixed
            .iter()
            .find(|(name, _)| *name == parameter.name);
        let value = match given {
            Some((_, value)) => Some(value.clone()),
            None => parameter.default.map(Value::from),
        };
        if let Some(value) = value {
            lines.push(format!(
                "{} = {}",
                parameter.name,
                spelled(&value, parameter)
            ));
        }
    }
    for sweep in &experiment.sweeps {
        let declared = experiment
            .model
            .parameters
            .iter()
            .find(|p| p.name == sweep.name);
        if let Some(parameter) = declared {
            let values: Vec<String> = sweep
                .values
                .iter()
                .map(|value| spelled(value, parameter))
                .collect();
            lines.push(format!(
                "{} = {{ list = [{}] }}",
                sweep.name,
                values.join(", ")
            ));
        }
    }
    lines
}

fn plot_lines(plot: &PlotSettings) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        "[plot]".to_owned(),
        format!("kind = {}", quoted(plot.kind.name())),
    ];
    let log: Vec<&str> = [(plot.log_x, "x"), (plot.log_y, "y")]
        .into_iter()
        .filter_map(|(on, axis)| on.then_some(axis))
        .collect();
    if let Some(histogram) = &plot.histogram {
        lines.push(format!("histogram = {}", quoted(histogram)));
    }
    if let Some(x) = plot.x {
        lines.push(format!("x = {}", quoted(x)));
    }
    for (key, words) in [
        ("estimate", &plot.estimate),
        ("series", &plot.series),
        ("reference", &plot.reference),
        ("log", &log),
    ] {
        if !words.is_empty() {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            lines.push(format!("{key} = [{}]", words.join(", ")));
        }
    }
    if let Some(vertical) = plot.vertical {
        lines.push(format!("vertical = {}", quoted(vertical)));
    }
    if let Some(title) = &plot.title {
        lines.push(format!("title = {}", quoted(title)));
    }
    lines
}

fn spelled(value: &Value, parameter: &Parameter) -> String {
    match (value, parameter.kind) {
        (Value::Number(x), Kind::Integer { .. }) => format!("{x}"),
        (Value::Number(x), _) => read::real_as_typed(*x),
        (Value::Numbers(xs), _) => {
            let words: Vec<String> = xs.iter().map(|x| read::real_as_typed(*x)).collect();
            format!("[{}]", words.join(", "))
        }
        (Value::Word(word), _) => quoted(word),
        (Value::Words(words), _) => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            format!("[{}]", words.join(", "))
        }
        (Value::Flag(flag), _) => flag.to_string(),
    }
}

/// A TOML string; the texts of an experiment have no control characters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

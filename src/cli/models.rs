//! `queuefarm models`: what can be simulated, with which parameters, and what is reported.

use super::{Failure, open, output};
use crate::models::{Kind, MODELS, Model, Parameter, Value};
use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::json;

/// List the models, or the parameters and estimates of one
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  queuefarm models\n  queuefarm models delay")]
pub struct Arguments {
    /// A model
    #[arg(value_parser = open::ModelName, hide_possible_values = true)]
    model: Option<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.model {
        Some(name) => {
            let model = open::model(name)?;
            if arguments.json {
                output::print_json(&describe(model))
            } else {
                output::print(&text(model))
            }
        }
        None if arguments.json => {
            output::print_json(&MODELS.iter().map(|model| describe(model)).collect())
        }
        None => {
            let lines: String = MODELS
                .iter()
                .map(|model| format!("{:<12} {}\n", model.name, model.summary))
                .collect();
            output::print(&format!(
                "{lines}\n`queuefarm models NAME` lists parameters and estimates, `queuefarm new NAME` writes a file to start from\n"
            ))
        }
    }
}

fn allowed(parameter: &Parameter) -> String {
    match parameter.kind {
        Kind::Integer { min, max } => format!("{min} to {max}, whole"),
        Kind::Real { min, max } => format!("{min} to {max}"),
        Kind::OneOrTwo { min, max } => format!("{min} to {max}, one or two"),
        Kind::List { min, max, most } => format!("{min} to {max}, up to {most} of them"),
        Kind::Samples { most, laws, .. } => {
            let laws: String = laws.iter().map(|law| format!(" | {law}")).collect();
            format!("up to {most} numbers, or {{ file = \"...csv\", column = \"...\" }}{laws}")
        }
        Kind::Choice(words) => words.join(" | "),
        Kind::Choices(words) => format!("any of {}", words.join(" | ")),
        Kind::Flag => "true | false".to_owned(),
    }
}

fn default(parameter: &Parameter) -> String {
    parameter.default.map_or("required".to_owned(), |default| {
        Value::from(default).to_string()
    })
}

fn text(model: &Model) -> String {
    let table = |header: &[&str]| {
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(output::width())
            .set_header(header);
        table
    };
    let mut parameters = table(&[
        "parameter",
        "symbol",
        "unit",
        "allowed",
        "default",
        "meaning",
    ]);
    for parameter in model.parameters {
        parameters.add_row([
            parameter.name,
            parameter.symbol,
            parameter.unit,
            &allowed(parameter),
            &default(parameter),
            parameter.help,
        ]);
    }
    let mut estimates = table(&["estimate", "symbol", "unit", "meaning"]);
    for observable in model.observables {
        estimates.add_row([
            observable.name,
            observable.symbol,
            observable.unit,
            observable.help,
        ]);
    }
    let derived: Vec<String> = model
        .derived
        .iter()
        .map(|derived| format!("{} ({})", derived.name, derived.symbol))
        .collect();
    format!(
        "{}: {}\n\nwarmup and duration are in {}; one step is one of its {}.\n\n{parameters}\n\n{estimates}\n\nAlso for the x axis of a plot: {}\n",
        model.name,
        model.summary,
        model.span_unit,
        model.span,
        derived.join(", ")
    )
}

fn describe(model: &Model) -> serde_json::Value {
    let parameters: Vec<_> = model.parameters.iter().map(|parameter| json!({
        "name": parameter.name, "symbol": parameter.symbol, "unit": parameter.unit, "allowed": allowed(parameter),
        "default": parameter.default.map(|default| match Value::from(default) {
            Value::Number(x) => json!(x),
            Value::Flag(flag) => json!(flag),
            other => json!(other.to_string()),
        }),
        "help": parameter.help,
    })).collect();
    let estimates: Vec<_> = model.observables.iter().map(|observable| json!({
        "name": observable.name, "symbol": observable.symbol, "unit": observable.unit, "help": observable.help,
    })).collect();
    json!({"name": model.name, "summary": model.summary, "span": model.span, "span_unit": model.span_unit, "parameters": parameters, "estimates": estimates})
}

//! `queuefarm theory`: closed forms at one point, without a simulation.
//!
//! Owns the choice of the law and the theory column of a model. What redundancy-d prints is in
//! `redundancy`, and what selfish traffic does in `selfish`.

mod redundancy;
mod selfish;

use super::{Failure, open, output};
use crate::experiment::{Experiment, plain, suggestion};
use crate::models::{MODELS, Model, find};
use crate::report::number::significant;
use clap::Args;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// Names of the law of redundancy-d; two models simulate it.
const REDUNDANCY: [&str; 2] = ["redundancy", "redundancy-states"];

/// The name of the law of selfish traffic; no model has it.
const SELFISH: &str = "selfish";

/// Print what theory says at one point, without simulating
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm theory redundancy --set servers=100 --set copies=3 --set load=0.9
  queuefarm theory redundancy --set servers=100 --set copies=3 --set load=0.9 --tail 1,2,5
  queuefarm theory redundancy --set servers=10 --set copies=2 --set load=0.7 --json | jq .response_mean
  queuefarm theory selfish --set servers=10 --set cost=erlang_b --set connections=20 --set load=0.5
  queuefarm theory delay --set clients=200 --set information_delay=10 --set disinformation=0.3")]
pub struct Arguments {
    /// A model, or selfish for what selfish traffic costs
    #[arg(value_parser = open::ModelName, hide_possible_values = true)]
    model: String,
    /// The value of a parameter: servers=100, load=0.9
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Also the probability that a response takes longer than each of these times (redundancy)
    #[arg(long, value_name = "T,T,...", value_delimiter = ',', value_parser = time, allow_negative_numbers = true)]
    tail: Vec<f64>,
    /// As JSON; what has no formula is null
    #[arg(long)]
    json: bool,
}

/// A time on the command line.
fn time(text: &str) -> Result<f64, String> {
    let time = text.trim().parse::<f64>().ok();
    time.filter(|time| time.is_finite() && *time >= 0.0)
        .ok_or_else(|| "a time is a number of at least 0, in mean service times".to_owned())
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let name = arguments.model.as_str();
    if REDUNDANCY.contains(&name) {
        return redundancy::run(&arguments.set, &arguments.tail, arguments.json);
    }
    let model = find(name);
    if model.is_none() && name != SELFISH {
        let mut names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
        names.extend(REDUNDANCY);
        names.push(SELFISH);
        names.sort_unstable();
        names.dedup();
        return Err(Failure::Usage(format!(
            "there is no theory for `{}`\n    {}",
            plain(name),
            suggestion(name, &names)
        )));
    }
    if !arguments.tail.is_empty() {
        return Err(Failure::Usage(format!(
            "--tail: `{name}` has no law of response times; leave it out, or ask for {}",
            REDUNDANCY[0]
        )));
    }
    match model {
        Some(model) => column(model, &arguments.set, arguments.json),
        None => selfish::run(&arguments.set, arguments.json),
    }
}

/// The theory that a summary shows beside the estimates of a model.
fn column(model: &Model, set: &[String], json: bool) -> Result<(), Failure> {
    let source = format!(
        "model = \"{}\"\nseed = 0\nwarmup = 0\nduration = 1\n",
        model.name
    );
    let name = format!("theory {}", model.name);
    let experiment = Experiment::parse(&source, &name, set, None)
        .map_err(|problems| Failure::Usage(problems.to_string()))?;
    let points = experiment.points();
    let [point] = points.as_slice() else {
        return Err(Failure::Usage(format!(
            "theory is printed for one point, not for {}; give each parameter one value",
            points.len()
        )));
    };
    let values = (experiment.model.theory)(point);
    let observables = experiment.model.observables.iter().zip(values);
    if json {
        let map = observables.map(|(observable, value)| (observable.name.to_owned(), value.into()));
        return output::print_json(&serde_json::Value::Object(map.collect()));
    }
    let mut table = table(&["estimate", "symbol", "theory", "unit", "meaning"]);
    for (observable, value) in observables {
        table.add_row([
            observable.name,
            observable.symbol,
            &value.map_or("-".to_owned(), |value| significant(value, 6)),
            observable.unit,
            observable.help,
        ]);
    }
    align(&mut table, 2);
    output::print(&format!("{table}\n"))
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(output::width())
        .set_header(header);
    table
}

/// Puts the numbers of a column below each other.
fn align(table: &mut Table, column: usize) {
    if let Some(column) = table.column_mut(column) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

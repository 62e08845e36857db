//! `queuefarm bench`: how fast the models run here.

use super::{Failure, open, output, progress};
use crate::bench::{Measurement, measure};
use crate::models::{MODELS, Model};
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::json;
use std::io::IsTerminal;

/// Measure every model on one core with each instruction set, on all cores, and on every adapter
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm bench
  queuefarm bench --model redundancy --seconds 60
  queuefarm bench --json > speed.json

Each figure is the median of five windows of whole units, as a run simulates them: drawing, counting and merging
included. `ratio` is to one core with the best instruction set; `of random` is steps over the blocks of four random
words that the same cores draw when they do nothing else.")]
pub struct Arguments {
    /// A model; all by default
    #[arg(long, value_name = "MODEL", value_parser = open::ModelName, hide_possible_values = true)]
    model: Option<String>,
    /// About how long it may take in all
    #[arg(long, value_name = "S", default_value_t = 12.0, value_parser = seconds)]
    seconds: f64,
    /// As JSON; what does not exist is null
    #[arg(long)]
    json: bool,
}

/// A length of time.
fn seconds(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|s| *s > 0.0 && *s <= 86_400.0)
        .ok_or_else(|| "a number of seconds above 0, up to 86400".to_owned())
}

/// Where a figure was measured, in words.
fn place(figure: &Measurement) -> String {
    match (figure.threads, figure.software) {
        (Some(1), _) => format!("{}, 1 core", figure.device),
        (Some(threads), _) => format!("{}, {threads} threads", figure.device),
        (None, true) => format!("{} (software)", figure.device),
        (None, false) => figure.device.clone(),
    }
}

fn rate(figure: &Measurement) -> String {
    format!(
        "{} {}/s",
        progress::count(figure.steps_per_second),
        figure.model.span
    )
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let models: Vec<&'static Model> = match &arguments.model {
        Some(name) => vec![open::model(name)?],
        None => MODELS.to_vec(),
    };
    let tell = std::io::stderr().is_terminal();
    let say = |figure: &Measurement| {
        if tell {
            eprintln!(
                "{} on {}: {}",
                figure.model.name,
                place(figure),
                rate(figure)
            );
        }
    };
    let (measured, skipped) = measure(&models, arguments.seconds, &say).map_err(Failure::Failed)?;
    if arguments.json {
        let figures: Vec<_> = (measured.iter())
            .map(|figure| {
                json!({
                    "model": figure.model.name, "step": figure.model.span, "backend": figure.backend,
                    "device": figure.device, "threads": figure.threads, "software": figure.software,
                    "steps_per_second": figure.steps_per_second, "ratio": figure.ratio,
                    "random_share": figure.random_share,
                })
            })
            .collect();
        let skipped: Vec<_> = (skipped.iter())
            .map(|skipped| json!({"device": skipped.device, "reason": skipped.reason}))
            .collect();
        return output::print_json(&json!({
            "program_version": env!("CARGO_PKG_VERSION"), "measurements": figures, "skipped": skipped,
        }));
    }
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(["model", "on", "speed", "ratio", "of random"]);
    for figure in &measured {
        let share = |share: f64| format!("{:.0} %", 100.0 * share);
        table.add_row([
            figure.model.name.to_owned(),
            place(figure),
            rate(figure),
            format!("{:.2}", figure.ratio),
            figure.random_share.map_or("-".to_owned(), share),
        ]);
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let skipped: String = (skipped.iter())
        .map(|skipped| format!("! not measured: {}: {}\n", skipped.device, skipped.reason))
        .collect();
    output::print(&format!("{}\n{skipped}", table.trim_fmt()))
}

//! `queuefarm check`: every estimate with an exact law, and one verdict.

use super::summary::level;
use super::{Failure, open, output, progress};
use crate::report;
use crate::report::number::{significant, with_half_width};
use crate::statistics::{Check, Table};
use clap::Args;
use comfy_table::{CellAlignment, presets};
use serde_json::json;
use std::path::PathBuf;

/// Largest |z| that is shown without a mark.
const REMARKABLE: f64 = 3.0;

/// Compare every estimate of a result file with its exact law
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm check out.h5
  queuefarm check out.h5 --level 0.001 --json | jq .p

Means and tails are compared where an exact law is known, in standard errors over batches; approximations, limits and
bounds are not. The verdict allows for the number of comparisons (Bonferroni). Exit code 1 when it fails.")]
pub struct Arguments {
    /// The result file
    file: PathBuf,
    /// Chance of a false alarm over all comparisons together
    #[arg(long, default_value_t = 0.01, value_parser = level)]
    level: f64,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let results = open::results(&arguments.file)?;
    let table = Table::new(&results, 0.95);
    let check = Check::new(&results, &table, |point| {
        report::steady(&results, &table, point)
    });
    let count = check.comparisons.len();
    let passes = check.p() >= arguments.level;
    if arguments.json {
        let rows: Vec<_> = (check.comparisons.iter())
            .map(|c| {
                json!({
                    "point": c.point, "what": c.what, "found": c.found, "se": c.se, "exact": c.exact, "z": c.z, "p": c.p,
                })
            })
            .collect();
        output::print_json(&json!({
            "comparisons": rows, "left_out": check.left_out, "p": check.p(), "spread": check.spread(), "level": arguments.level,
            "verdict": if count == 0 { "nothing to compare" } else if passes { "agrees" } else { "differs" },
        }))?;
    } else {
        output::print(&text(&check))?;
    }
    if !check.left_out.is_empty() {
        eprintln!(
            "note: {} void or not steady, and left out",
            progress::counted_as(check.left_out.len(), "point is", "points are")
        );
    }
    if count == 0 {
        return Err(Failure::Failed(format!(
            "{}: nothing to compare: no exact law is known for these points, or they have one batch or no steady state",
            arguments.file.display()
        )));
    }
    let p = significant(check.p(), 2);
    if !passes {
        return Err(Failure::Failed(format!(
            "differs from the exact laws: a comparison as far off as the worst of {count} has a chance of about {p}"
        )));
    }
    if !arguments.json {
        output::print(&format!(
            "agrees with the exact laws: {count} comparisons, root mean square z {}, chance of a worst z as large {p}\n",
            significant(check.spread(), 3)
        ))?;
    }
    Ok(())
}

fn text(check: &Check) -> String {
    let mut rows = comfy_table::Table::new();
    rows.load_style(presets::NOTHING);
    rows.set_header(["point", "estimate", "found ± se", "exact", "z", ""]);
    for c in &check.comparisons {
        let mark = if c.z.abs() > REMARKABLE { "!" } else { "" };
        rows.add_row([
            c.point.to_string(),
            c.what.clone(),
            with_half_width(c.found, Some(c.se)),
            significant(c.exact, 6),
            format!("{:.2}", c.z),
            mark.to_owned(),
        ]);
    }
    for column in [0, 2, 3, 4] {
        if let Some(column) = rows.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    if check.comparisons.is_empty() {
        return String::new();
    }
    format!("{}\n\n", rows.trim_fmt())
}

//! The section `[parameters]`: plain values are fixed, tables are sweeps.
//!
//! Owns which parameters the file may and must name. Values and sweeps are read elsewhere.

use super::Sweep;
use super::document::{Node, Place, Table};
use super::names::{TOP_LEVEL, label, report_unknown_keys};
use super::problem::Problems;
use super::{read, value};
use crate::models::{Kind, Model, Value};

/// What `[parameters]` says, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    pub(super) sweeps: Vec<Sweep>,
    pub(super) fixed: Vec<(&'static str, Value)>,
}

/// Reads `[parameters]` of a file; without one, every parameter has its default.
pub(super) fn read(
    root: &Table,
    model: &'static Model,
    problems: &mut Problems,
) -> Option<Parameters> {
    let empty = Table::default();
    let (table, place) = match root.get("parameters") {
        Some(entry) => {
            let help = "begin a section with the line [parameters]";
            (
                read::table(&entry.item, "parameters", help, problems)?,
                entry.place,
            )
        }
        None => (&empty, Place::File),
    };
    let names: Vec<&str> = model
        .parameters
        .iter()
        .map(|parameter| parameter.name)
        .collect();
    let elsewhere = |key: &str| {
        TOP_LEVEL.contains(&key).then(|| {
            format!("`{key}` belongs to the top of the file, above the first line in brackets")
        })
    };
    report_unknown_keys(table, "parameters", &names, elsewhere, problems);

    let mut found = Parameters::default();
    for entry in &table.entries {
        let Some(parameter) = model
            .parameters
            .iter()
            .find(|known| known.name == entry.key)
        else {
            continue;
        };
        let sweep = match &entry.item.node {
            Node::Table(table) => Some(table),
            _ => None,
        };
        // The table of a CSV file is a value.
        let is_file = |table: &&Table| {
            matches!(parameter.kind, Kind::Samples { .. }) && table.get("list").is_none()
        };
        if let Some(swept) = sweep.filter(|table| !is_file(table)) {
            if let Some(values) = super::sweep::read(entry, swept, parameter, problems) {
                found.sweeps.push(Sweep {
                    name: parameter.name,
                    values,
                });
            }
        } else {
            let name = label(parameter.name, "parameters");
            if let Some(value) = value::read(&entry.item, parameter, &name, problems) {
                found.fixed.push((parameter.name, value));
            }
        }
    }
    for parameter in model.parameters {
        if parameter.default.is_none() && table.get(parameter.name).is_none() {
            let what = format!("missing; expected {}", value::expected(parameter));
            problems.report(
                place,
                label(parameter.name, "parameters"),
                what,
                parameter.help,
            );
        }
    }
    Some(found)
}

//! The parameters of the points as variables: the values asked for, and the values that kernels use.
//!
//! Owns their names, shapes and padding. They are for readers of the file: this program rebuilds its
//! points from the resolved experiment.

use super::StoreError;
use super::sheet::{About, Sheet};
use crate::ensemble::Results;
use crate::models::{Kind, Parameter, Point, Value};

/// Writes one variable a parameter, and one for each list of values used by kernels.
pub(super) fn write(sheet: &mut Sheet, results: &Results) -> Result<(), StoreError> {
    let pairs = |parameter: &&Parameter| is_pair(parameter, &results.points);
    let declared = results.experiment.model.parameters;
    let used = used_names(results);
    if declared.iter().any(|p| pairs(&p)) || used.iter().any(|(_, width)| *width == 2) {
        let about = About {
            unit: "",
            long_name: "server, counted from 1",
        };
        sheet.dimension("server", &[1_u32, 2], about)?;
    }
    for parameter in declared {
        asked(sheet, &results.points, parameter)?;
    }
    for (name, width) in used {
        used_values(sheet, results, name, width)?;
    }
    Ok(())
}

fn asked(sheet: &Sheet, points: &[Point], parameter: &Parameter) -> Result<(), StoreError> {
    let name = parameter.name;
    let about = About {
        unit: parameter.unit,
        long_name: parameter.help,
    };
    if let Kind::Choice(_) = parameter.kind {
        let words: Vec<&str> = points.iter().map(|point| point.word(name)).collect();
        sheet.words(name, &words, about)
    } else if is_pair(parameter, points) {
        let values: Vec<f64> = points.iter().flat_map(|point| point.pair(name)).collect();
        sheet.variable(name, &["point", "server"], &values, about)
    } else {
        let values: Vec<f64> = points.iter().map(|point| point.number(name)).collect();
        sheet.variable(name, &["point"], &values, about)
    }
}

/// Whether any point gives the parameter two values.
fn is_pair(parameter: &Parameter, points: &[Point]) -> bool {
    points
        .iter()
        .any(|point| matches!(point.get(parameter.name), Some(Value::Numbers(xs)) if xs.len() == 2))
}

/// The names of the used values of all points, in order of appearance, each with the most values
/// that a point has of it: kernels of different points may use different things.
fn used_names(results: &Results) -> Vec<(&'static str, usize)> {
    let mut names: Vec<(&'static str, usize)> = Vec::new();
    for (name, values) in results.plans.iter().flat_map(|plan| &plan.used) {
        match names.iter_mut().find(|(known, _)| known == name) {
            Some((_, width)) => *width = (*width).max(values.len()),
            None => names.push((name, values.len())),
        }
    }
    names
}

fn used_values(
    sheet: &mut Sheet,
    results: &Results,
    name: &'static str,
    width: usize,
) -> Result<(), StoreError> {
    let mut values = Vec::with_capacity(results.plans.len() * width);
    for plan in &results.plans {
        let used = plan.used.iter().find(|(known, _)| *known == name);
        let used = used.map_or(&[][..], |(_, values)| values);
        values.extend((0..width).map(|i| used.get(i).copied().unwrap_or(f64::NAN)));
    }
    let declared = results
        .experiment
        .model
        .parameters
        .iter()
        .find(|p| p.name == name);
    let long_name = format!("{name} as the kernel uses it");
    let about = About {
        unit: declared.map_or("", |p| p.unit),
        long_name: &long_name,
    };
    let variable = format!("{name}_used");
    match width {
        0 => Ok(()),
        1 => sheet.variable(&variable, &["point"], &values, about),
        2 => sheet.variable(&variable, &["point", "server"], &values, about),
        _ => {
            let dimension = format!("{variable}_index");
            let indices: Vec<u32> = (0..).take(width).collect();
            let index = About {
                unit: "",
                long_name: "position in the list, counted from 0",
            };
            sheet.dimension(&dimension, &indices, index)?;
            sheet.variable(&variable, &["point", &dimension], &values, about)
        }
    }
}

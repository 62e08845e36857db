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

fn asked(sheet: &mut Sheet, points: &[Point], parameter: &Parameter) -> Result<(), StoreError> {
    let name = parameter.name;
    let about = About {
        unit: parameter.unit,
        long_name: parameter.help,
    };
    if let Kind::Choice(_) = parameter.kind {
        let words: Vec<&str> = points.iter().map(|point| point.word(name)).collect();
        sheet.words(name, &words, about)
    } else if let Kind::Choices(_) = parameter.kind {
        let words: Vec<String> =
            (points.iter().map(|point| point.words(name).join(", "))).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        sheet.words(name, &words, about)
    } else if let Kind::Flag = parameter.kind {
        let values: Vec<u8> = points
            .iter()
            .map(|point| u8::from(point.flag(name)))
            .collect();
        sheet.variable(name, &["point"], &values, about)
    } else if let Kind::List { .. } | Kind::Samples { .. } = parameter.kind {
        let lists: Vec<Vec<f64>> = points.iter().map(|point| point.numbers(name)).collect();
        let most = lists.iter().map(Vec::len).max().unwrap_or(0);
        padded(sheet, name, most, lists.iter().map(Vec::as_slice), about)
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
    let lists = results.plans.iter().map(|plan| {
        let used = plan.used.iter().find(|(known, _)| *known == name);
        used.map_or(&[][..], |(_, values)| values)
    });
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
    if width == 2 {
        let values: Vec<f64> = lists.flat_map(|list| padding(list, 2)).collect();
        return sheet.variable(&variable, &["point", "server"], &values, about);
    }
    padded(sheet, &variable, width, lists, about)
}

/// A list and as many NaNs as make it `width` long.
fn padding(list: &[f64], width: usize) -> impl Iterator<Item = f64> {
    (0..width).map(|i| list.get(i).copied().unwrap_or(f64::NAN))
}

/// Writes a list a point: plain numbers where no list is longer than one, else rows with NaN at the end.
fn padded<'a>(
    sheet: &mut Sheet,
    name: &str,
    width: usize,
    lists: impl Iterator<Item = &'a [f64]>,
    about: About<'_>,
) -> Result<(), StoreError> {
    let values: Vec<f64> = lists.flat_map(|list| padding(list, width)).collect();
    if width == 0 {
        return Ok(());
    }
    if width == 1 {
        return sheet.variable(name, &["point"], &values, about);
    }
    let dimension = format!("{name}_index");
    let indices: Vec<u32> = (0..).take(width).collect();
    let index = About {
        unit: "",
        long_name: "position in the list, counted from 0",
    };
    sheet.dimension(&dimension, &indices, index)?;
    sheet.variable(name, &["point", &dimension], &values, about)
}

//! The values of a sweep: a list, or numbers evenly spaced from one end to the other.
//!
//! Owns the spacing and its rounding. How sweeps make points is in `points`.

use super::document::{Entry, Item, Node, Table};
use super::names::{label, report_unknown_keys};
use super::points::MAX_SWEPT_VALUES;
use super::problem::Problems;
use super::read;
use super::value;
use crate::models::{Kind, Parameter, Value};

const KEYS: &[&str] = &["list", "from", "to", "count", "scale"];
const FORMS: &str = "a sweep is { list = [1, 2, 5] }, or { from = 0, to = 1, count = 11 }, \
                     with scale = \"log\" for equal ratios";

/// Reads the sweep `table` that stands at `entry`.
pub(super) fn read(
    entry: &Entry,
    table: &Table,
    parameter: &Parameter,
    problems: &mut Problems,
) -> Option<Vec<Value>> {
    let section = format!("parameters.{}", parameter.name);
    report_unknown_keys(table, &section, KEYS, |_| None, problems);
    if let Some(list) = table.get("list") {
        for other in table
            .entries
            .iter()
            .filter(|other| KEYS[1..].contains(&other.key.as_str()))
        {
            let what = "cannot stand beside `list`, which already says everything";
            problems.report(other.place, label(&other.key, &section), what, FORMS);
        }
        return read_list(&list.item, &label("list", &section), parameter, problems);
    }
    let example = match parameter.kind {
        Kind::Choice(words) | Kind::Choices(words) => {
            Some(format!("[\"{}\"]", words.join("\", \"")))
        }
        Kind::Flag => Some("[false, true]".to_owned()),
        _ => None,
    };
    if let Some(example) = example {
        let help = format!("for example {{ list = {example} }}");
        let name = label(parameter.name, "parameters");
        problems.report(entry.place, name, "a sweep of words is a list", help);
        return None;
    }
    let ends = ["from", "to"].map(|key| {
        let end = required(entry, table, key, parameter, problems)?;
        read_end(&end.item, &label(key, &section), parameter, problems)
    });
    let count = required(entry, table, "count", parameter, problems).and_then(|count| {
        let range = (2, u64::from(MAX_SWEPT_VALUES));
        read::whole(&count.item, &label("count", &section), range, problems)
    });
    let scale = match table.get("scale") {
        Some(scale) => {
            let name = label("scale", &section);
            read::word(&scale.item, &name, &["linear", "log"], problems)?
        }
        None => "linear",
    };
    let ([Some(from), Some(to)], Some(count)) = (ends, count) else {
        return None;
    };
    let numbers = if scale == "linear" {
        linear(from, to, count)
    } else if from > 0.0 && to > 0.0 {
        geometric(from, to, count)
    } else {
        let what = "both ends of a sweep with scale = \"log\" must be above zero";
        problems.report(entry.place, label(parameter.name, "parameters"), what, "");
        return None;
    };
    if let Some((what, help)) = fault(&numbers, parameter.kind) {
        problems.report(entry.place, label(parameter.name, "parameters"), what, help);
        return None;
    }
    Some(numbers.into_iter().map(Value::Number).collect())
}

fn read_list(
    item: &Item,
    name: &str,
    parameter: &Parameter,
    problems: &mut Problems,
) -> Option<Vec<Value>> {
    let Node::Array(items) = &item.node else {
        read::refuse(item, name, "an array", FORMS, problems);
        return None;
    };
    if items.is_empty() {
        problems.report(item.place, name, "an empty sweep has no points", FORMS);
        return None;
    }
    let values: Vec<Option<Value>> = items
        .iter()
        .map(|item| value::read(item, parameter, name, problems))
        .collect();
    values.into_iter().collect()
}

/// The entry of a key that an evenly spaced sweep needs.
fn required<'a>(
    entry: &Entry,
    table: &'a Table,
    key: &str,
    parameter: &Parameter,
    problems: &mut Problems,
) -> Option<&'a Entry> {
    let found = table.get(key);
    if found.is_none() {
        let what = format!("the sweep has no `{key}`");
        problems.report(
            entry.place,
            label(parameter.name, "parameters"),
            what,
            FORMS,
        );
    }
    found
}

fn read_end(
    item: &Item,
    name: &str,
    parameter: &Parameter,
    problems: &mut Problems,
) -> Option<f64> {
    match value::read(item, parameter, name, problems)? {
        Value::Number(x) => Some(x),
        _ => {
            let help = "list the arrays instead: { list = [[1, 2], [1, 3]] }";
            read::refuse(item, name, "one number", help, problems);
            None
        }
    }
}

/// What is wrong with evenly spaced numbers, and what to do; none when they can be used.
fn fault(numbers: &[f64], kind: Kind) -> Option<(String, &'static str)> {
    let whole = matches!(kind, Kind::Integer { .. });
    if let Some(x) = numbers.iter().find(|x| whole && x.fract() != 0.0) {
        let what = format!("the sweep meets {x}, which is no whole number");
        return Some((what, "change `count`, or list the values: { list = [...] }"));
    }
    // Strict order also says that no value lies outside the ends, which have been checked.
    let rising = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    let falling = numbers.windows(2).all(|pair| pair[0] > pair[1]);
    if rising || falling {
        return None;
    }
    let what = "`from` and `to` are too close (or too far apart) for that many different numbers";
    Some((
        what.to_owned(),
        "give one value, or list the values: { list = [...] }",
    ))
}

/// `count` numbers at equal distances, both ends exact.
fn linear(from: f64, to: f64, count: u64) -> Vec<f64> {
    let steps = (count - 1) as f64;
    spaced(from, to, count, |i| {
        let way = (to - from) * i / steps;
        let x = from + way;
        // Half a unit for each rounding: of the ends when they were read, and of each operation.
        let error = f64::EPSILON * (from.abs() + 2.0 * way.abs() + x.abs());
        nearby_decimal(x, error)
    })
}

/// `count` numbers at equal ratios, both ends exact.
fn geometric(from: f64, to: f64, count: u64) -> Vec<f64> {
    let largest_log = libm::log(from).abs().max(libm::log(to).abs());
    let steps = (count - 1) as f64;
    spaced(from, to, count, |i| {
        let x = libm::pow(from, 1.0 - i / steps) * libm::pow(to, i / steps);
        // The error of an exponent times the logarithm is the relative error of the power.
        let error = 2.0 * f64::EPSILON * (1.0 + largest_log) * x;
        nearby_decimal(x, error)
    })
}

fn spaced(from: f64, to: f64, count: u64, interior: impl Fn(f64) -> f64) -> Vec<f64> {
    let interior = (1..count - 1).map(|i| interior(i as f64));
    std::iter::once(from)
        .chain(interior)
        .chain(std::iter::once(to))
        .collect()
}

/// The shortest decimal number, of up to 14 digits, that is within `error` of `x`; else `x` itself.
///
/// 0 to 0.48 in 25 steps meets 0.06 in real arithmetic and 0.060000000000000005 in that of `f64`.
/// What a user would have typed is the better value; a third stays what it is.
fn nearby_decimal(x: f64, error: f64) -> f64 {
    if x.abs() <= error {
        return 0.0;
    }
    // A whole number is short enough, and may have more digits than that.
    if x.fract() == 0.0 && x.abs() < 1e15 {
        return x;
    }
    (0..14)
        .map(|digits| format!("{x:.digits$e}").parse().unwrap_or(x))
        .find(|decimal| (decimal - x).abs() <= error)
        .unwrap_or(x)
}

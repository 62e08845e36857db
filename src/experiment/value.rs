//! From a TOML value to a value of a parameter.
//!
//! Owns the check against the declared kind and range. Knows nothing of sweeps.

use super::document::{Item, Node};
use super::problem::Problems;
use super::read;
use super::samples;
use crate::models::{Kind, Parameter, Value};

/// Whole numbers travel as `f64`, which holds all of them up to here.
const LARGEST_WHOLE: u64 = 1 << 53;

/// What a parameter takes, in words.
pub(super) fn expected(parameter: &Parameter) -> String {
    let unit = match parameter.unit {
        "" => String::new(),
        unit => format!(" (in {unit})"),
    };
    match parameter.kind {
        Kind::Integer { min, max } => {
            format!(
                "a whole number from {min} to {}{unit}",
                max.min(LARGEST_WHOLE)
            )
        }
        Kind::Real { min, max } => {
            format!(
                "a number from {} to {}{unit}",
                read::bound(min),
                read::bound(max)
            )
        }
        Kind::OneOrTwo { min, max } => format!(
            "a number from {} to {}{unit} or an array of two, one a server",
            read::bound(min),
            read::bound(max)
        ),
        Kind::List { min, max, most } => format!(
            "a number from {} to {}{unit}, or an array of up to {most}",
            read::bound(min),
            read::bound(max)
        ),
        Kind::Samples {
            min,
            max,
            most,
            laws,
        } => {
            let (one, law) = match laws {
                [] => ("", String::new()),
                laws => (
                    "a number, or ",
                    format!(", or one of \"{}\"", laws.join("\", \"")),
                ),
            };
            format!(
                "{one}an array of up to {most} numbers from {} to {}{unit}, or a column of a CSV file: {{ file = \"latencies.csv\", column = \"ms\" }}{law}",
                read::bound(min),
                read::bound(max)
            )
        }
        Kind::Choice(words) => format!("one of \"{}\"", words.join("\", \"")),
        Kind::Choices(words) => {
            format!("one of \"{}\", or an array of them", words.join("\", \""))
        }
        Kind::Flag => "true or false".to_owned(),
    }
}

/// Reads a plain value of a parameter; `label` names it in messages.
pub(super) fn read(
    item: &Item,
    parameter: &Parameter,
    label: &str,
    problems: &mut Problems,
) -> Option<Value> {
    let most = match parameter.kind {
        Kind::List { most, .. } | Kind::Samples { most, .. } => most,
        _ => 2,
    };
    match (parameter.kind, &item.node) {
        (
            Kind::OneOrTwo { min, max }
            | Kind::List { min, max, .. }
            | Kind::Samples { min, max, .. },
            Node::Array(items),
        ) => {
            let may_be_empty = matches!(parameter.kind, Kind::Samples { .. });
            if items.is_empty() && !may_be_empty || items.len() > most {
                read::refuse(
                    item,
                    label,
                    &expected(parameter),
                    &sweep_help(parameter),
                    problems,
                );
                return None;
            }
            let numbers: Vec<Option<f64>> = items
                .iter()
                .map(|item| number(item, parameter, (min, max), label, problems))
                .collect();
            let numbers: Vec<f64> = numbers.into_iter().collect::<Option<_>>()?;
            Some(match (numbers.as_slice(), parameter.kind) {
                ([same], Kind::OneOrTwo { .. } | Kind::List { .. }) => Value::Number(*same),
                _ => Value::Numbers(numbers),
            })
        }
        (Kind::Choices(words), _) => {
            let words = read::words(item, label, words, problems)?;
            Some(Value::Words(words.into_iter().map(str::to_owned).collect()))
        }
        (Kind::Samples { min, max, most, .. }, Node::Table(table)) => {
            samples::read(item, table, parameter.name, (min, max), most, problems)
                .map(Value::Numbers)
        }
        (Kind::Samples { laws, .. }, Node::Text(_)) if !laws.is_empty() => {
            read::word(item, label, laws, problems).map(|word| Value::Word(word.to_owned()))
        }
        (Kind::Samples { laws: [], .. }, _) => {
            read::refuse(item, label, &expected(parameter), "", problems);
            None
        }
        (_, Node::Array(_)) => {
            read::refuse(
                item,
                label,
                &expected(parameter),
                &sweep_help(parameter),
                problems,
            );
            None
        }
        (Kind::Integer { min, max }, _) => {
            read::whole(item, label, (min, max.min(LARGEST_WHOLE)), problems)
                .map(|x| Value::Number(x as f64))
        }
        (
            Kind::Real { min, max }
            | Kind::OneOrTwo { min, max }
            | Kind::List { min, max, .. }
            | Kind::Samples { min, max, .. },
            _,
        ) => number(item, parameter, (min, max), label, problems).map(Value::Number),
        (Kind::Flag, _) => read::flag(item, label, problems).map(Value::Flag),
        (Kind::Choice(words), _) => {
            read::word(item, label, words, problems).map(|word| Value::Word(word.to_owned()))
        }
    }
}

/// Arrays are values, so that someone who typed one probably meant a sweep.
fn sweep_help(parameter: &Parameter) -> String {
    format!("for a sweep write {} = {{ list = [...] }}", parameter.name)
}

fn number(
    item: &Item,
    parameter: &Parameter,
    (min, max): (f64, f64),
    label: &str,
    problems: &mut Problems,
) -> Option<f64> {
    let x = read::real_or(item, label, &expected(parameter), problems)?;
    if (min..=max).contains(&x) {
        return Some(x);
    }
    read::refuse(item, label, &expected(parameter), "", problems);
    None
}

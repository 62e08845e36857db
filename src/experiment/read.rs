//! Typed access to the nodes of a document: the value, or a complaint about what is there instead.
//!
//! Owns the words for types. Knows no key by name.

use super::document::{Item, Node, Table};
use super::names::suggestion;
use super::problem::{Problems, plain};

/// Reports a value of the wrong type or out of range.
pub(super) fn refuse(
    item: &Item,
    label: &str,
    expected: &str,
    help: &str,
    problems: &mut Problems,
) {
    let what = format!("expected {expected}, found {}", found(&item.node));
    problems.report(item.place, label, what, help);
}

/// A value in words.
fn found(node: &Node) -> String {
    match node {
        Node::Text(text) => format!("the string \"{}\"", plain(text)),
        Node::Integer(Some(x)) => x.to_string(),
        Node::Integer(None) => "an integer of more than 128 bits".to_owned(),
        Node::Real(x) => real_as_typed(*x),
        Node::Flag(flag) => flag.to_string(),
        Node::Date => "a date or time".to_owned(),
        Node::Array(items) => format!("an array of {}", items.len()),
        Node::Table(_) => "a table".to_owned(),
    }
}

/// A real number so that it reads back as the same real number, and not as an integer.
pub(super) fn real_as_typed(x: f64) -> String {
    format!("{x:?}")
}

/// A bound of a range: `65535`, `0.5`, `1e300`.
pub(super) fn bound(x: f64) -> String {
    if x == 0.0 || (1e-4..1e15).contains(&x.abs()) {
        format!("{x}")
    } else {
        format!("{x:e}")
    }
}

/// One line of text.
pub(super) fn text<'a>(item: &'a Item, label: &str, problems: &mut Problems) -> Option<&'a str> {
    match &item.node {
        Node::Text(text) if !text.chars().any(char::is_control) => Some(text),
        Node::Text(_) => {
            refuse(
                item,
                label,
                "one line of text",
                "no control characters",
                problems,
            );
            None
        }
        _ => {
            refuse(item, label, "a string", "write it in quotes", problems);
            None
        }
    }
}

/// `true` or `false`.
pub(super) fn flag(item: &Item, label: &str, problems: &mut Problems) -> Option<bool> {
    if let Node::Flag(flag) = item.node {
        return Some(flag);
    }
    refuse(item, label, "true or false", "", problems);
    None
}

/// A whole number of a range.
pub(super) fn whole(
    item: &Item,
    label: &str,
    (min, max): (u64, u64),
    problems: &mut Problems,
) -> Option<u64> {
    let expected = format!("a whole number from {min} to {max}");
    let help = match &item.node {
        Node::Integer(Some(x)) => match u64::try_from(*x) {
            Ok(x) if (min..=max).contains(&x) => return Some(x),
            _ => String::new(),
        },
        Node::Real(x) if x.fract() == 0.0 && x.abs() < 1e15 => {
            format!("write {x}, not {}", real_as_typed(*x))
        }
        Node::Text(digits) if digits.parse::<u64>().is_ok() => {
            format!("write {} without quotes", plain(digits))
        }
        _ => String::new(),
    };
    refuse(item, label, &expected, &help, problems);
    None
}

/// A finite real number; integers are real numbers too.
pub(super) fn real(item: &Item, label: &str, problems: &mut Problems) -> Option<f64> {
    real_or(item, label, "a number", problems)
}

/// As [`real`], with `expected` the words for what is allowed.
pub(super) fn real_or(
    item: &Item,
    label: &str,
    expected: &str,
    problems: &mut Problems,
) -> Option<f64> {
    let help = match &item.node {
        Node::Integer(Some(x)) => return Some(*x as f64),
        // Adding zero turns -0.0 into 0.0, so that equal values have equal bits.
        Node::Real(x) if x.is_finite() => return Some(*x + 0.0),
        Node::Real(_) => "only finite numbers are allowed".to_owned(),
        Node::Text(digits) if digits.parse::<f64>().is_ok_and(f64::is_finite) => {
            format!("write {} without quotes", plain(digits))
        }
        _ => String::new(),
    };
    refuse(item, label, expected, &help, problems);
    None
}

/// One of some words.
pub(super) fn word<'a>(
    item: &Item,
    label: &str,
    allowed: &[&'a str],
    problems: &mut Problems,
) -> Option<&'a str> {
    let Node::Text(word) = &item.node else {
        refuse(item, label, "a string", &suggestion("", allowed), problems);
        return None;
    };
    let known = allowed.iter().copied().find(|candidate| candidate == word);
    if known.is_none() {
        let what = format!("there is no \"{}\"", plain(word));
        problems.report(item.place, label, what, suggestion(word, allowed));
    }
    known
}

/// One of some words or an array of them, none twice.
pub(super) fn words<'a>(
    item: &Item,
    label: &str,
    allowed: &[&'a str],
    problems: &mut Problems,
) -> Option<Vec<&'a str>> {
    let Node::Array(items) = &item.node else {
        return word(item, label, allowed, problems).map(|word| vec![word]);
    };
    let mut known = Vec::new();
    let mut right = true;
    for item in items {
        match word(item, label, allowed, problems) {
            Some(word) if known.contains(&word) => {
                problems.report(
                    item.place,
                    label,
                    format!("\"{word}\" stands here twice"),
                    "",
                );
                right = false;
            }
            Some(word) => known.push(word),
            None => right = false,
        }
    }
    right.then_some(known)
}

/// A table.
pub(super) fn table<'a>(
    item: &'a Item,
    label: &str,
    help: &str,
    problems: &mut Problems,
) -> Option<&'a Table> {
    if let Node::Table(table) = &item.node {
        return Some(table);
    }
    refuse(item, label, "a table", help, problems);
    None
}

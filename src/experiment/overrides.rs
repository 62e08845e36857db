//! `--set key=value`: replaces a key of the file, or adds one.
//!
//! Owns the reading of the arguments. What a key means is checked afterwards, as for the file.

use super::document::{self, Entry, Item, Node, Place, Table};
use super::names::{TOP_LEVEL, suggestion};
use super::problem::{Problems, plain};
use crate::models;

const SECTIONS: &[&str] = &["parameters", "record", "plot"];

/// Applies the arguments to the document, in their order.
pub(super) fn apply(root: &mut Table, arguments: &[String], problems: &mut Problems) {
    // A bare name is a parameter of the model, and the model itself may be set.
    let mut bare = Vec::new();
    let mut seen = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        let Some((key, item)) = parse(argument, Place::Set(at), problems) else {
            continue;
        };
        if key.contains('.') || TOP_LEVEL.contains(&key.as_str()) {
            set(root, &key, item, &mut seen, problems);
        } else {
            bare.push((key, item));
        }
    }
    let model = match root.get("model").map(|entry| &entry.item.node) {
        Some(Node::Text(name)) => models::find(name),
        _ => None,
    };
    // Without a model there is a complaint about that, and nothing to say about its parameters.
    let Some(model) = model else { return };
    let names: Vec<&str> = model
        .parameters
        .iter()
        .map(|parameter| parameter.name)
        .collect();
    for (key, item) in bare {
        if names.contains(&key.as_str()) {
            set(
                root,
                &format!("parameters.{key}"),
                item,
                &mut seen,
                problems,
            );
        } else {
            let known: Vec<&str> = TOP_LEVEL.iter().chain(&names).copied().collect();
            problems.report(
                item.place,
                plain(&key),
                "unknown key",
                suggestion(&key, &known),
            );
        }
    }
}

/// Splits an argument into its key and its value.
fn parse(argument: &str, place: Place, problems: &mut Problems) -> Option<(String, Item)> {
    let Some((key, value)) = argument.split_once('=') else {
        problems.report(place, "", "expected key=value", "for example --set seed=7");
        return None;
    };
    let (key, value) = (key.trim(), value.trim());
    let message = match document::value(value, place) {
        Ok(item) => return Some((key.to_owned(), item)),
        // A shell takes the quotes off a string.
        Err(_) if is_words(value) => {
            let item = Item {
                place,
                node: Node::Text(value.to_owned()),
            };
            return Some((key.to_owned(), item));
        }
        Err(_) if value.is_empty() => "there is no value".to_owned(),
        Err(message) => format!("the value is not TOML: {message}"),
    };
    let help = "for example --set disinformation=0.3, or --set 'clients={list=[100,200]}'";
    problems.report(place, plain(key), message, help);
    None
}

/// Whether a text that is no TOML value can only be meant as words.
fn is_words(text: &str) -> bool {
    text.starts_with(char::is_alphabetic)
        && !text.contains(|c: char| c.is_control() || "\"'[]{}=#\\".contains(c))
}

/// Puts a value under a key such as `seed` or `parameters.clients`.
fn set(root: &mut Table, key: &str, item: Item, seen: &mut Vec<String>, problems: &mut Problems) {
    let place = item.place;
    if seen.iter().any(|other| other == key) {
        problems.report(
            place,
            plain(key),
            "this key is set twice",
            "keep one of them",
        );
    }
    seen.push(key.to_owned());
    let Some((section, inner)) = key.split_once('.') else {
        root.set(Entry {
            key: key.to_owned(),
            place,
            item,
        });
        return;
    };
    if !SECTIONS.contains(&section) || inner.contains('.') {
        let help = "a key is one of the top level, parameters.NAME, record.NAME, plot.NAME, \
                    or the NAME of a parameter";
        problems.report(place, plain(key), "unknown key", help);
    } else if let Some(table) = root.section(section, place) {
        table.set(Entry {
            key: inner.to_owned(),
            place,
            item,
        });
    }
}

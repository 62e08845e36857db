//! Names that are known and names that are not.
//!
//! Owns the search for the nearest name and the checks for unknown keys.

use super::document::Table;
use super::problem::{Problems, plain};

/// The keys at the top of the file, in the order of a canonical file.
pub(super) const TOP_LEVEL: &[&str] = &[
    "title",
    "model",
    "seed",
    "replicas",
    "batches",
    "warmup",
    "duration",
    "observe",
    "common_random_numbers",
    "target",
    "combine",
    "parameters",
    "record",
    "plot",
];

/// The name of a key in messages: `key`, or `key in [section]`.
pub(super) fn label(key: &str, section: &str) -> String {
    let key = plain(key);
    if section.is_empty() {
        key
    } else {
        format!("{key} in [{section}]")
    }
}

/// Reports every key of `table` that is not among `allowed`.
///
/// `elsewhere` says where a key that is unknown here would be right, if anywhere.
pub(super) fn report_unknown_keys(
    table: &Table,
    section: &str,
    allowed: &[&str],
    elsewhere: impl Fn(&str) -> Option<String>,
    problems: &mut Problems,
) {
    for entry in table
        .entries
        .iter()
        .filter(|entry| !allowed.contains(&entry.key.as_str()))
    {
        let help = if problems.is_full() {
            String::new()
        } else {
            elsewhere(&entry.key).unwrap_or_else(|| suggestion(&entry.key, allowed))
        };
        problems.report(entry.place, label(&entry.key, section), "unknown key", help);
    }
}

/// What to type instead of an unknown name: the nearest one, and all there are.
pub(crate) fn suggestion(name: &str, allowed: &[&str]) -> String {
    let list = if allowed.is_empty() {
        "nothing".to_owned()
    } else {
        allowed.join(", ")
    };
    match nearest(name, allowed) {
        Some(near) => format!("did you mean `{near}`?  allowed here: {list}"),
        None => format!("allowed here: {list}"),
    }
}

/// The name that was most likely meant; none when nothing is near.
fn nearest<'a>(name: &str, allowed: &[&'a str]) -> Option<&'a str> {
    // No name is long, and the distance costs the product of the lengths.
    if name.len() > 64 {
        return None;
    }
    let typed = name.to_lowercase().replace(['-', ' '], "_");
    allowed
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(&typed, candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.chars().count() / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

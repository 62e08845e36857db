//! Measured values: a column of a CSV file, or several line by line, read into the list that the experiment then contains.
//!
//! Owns the reading of the file. What is read becomes part of the experiment, so a result does not
//! depend on the file any more.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::document::{Item, Node, Place, Table};
use super::names::{label, report_unknown_keys};
use super::problem::{Problems, plain};
use super::read;

const FORM: &str =
    "write { file = \"latencies.csv\", column = \"ms\" }, or the numbers themselves: [1.2, 3.4]";
/// The largest file that is read.
const MOST_BYTES: u64 = 1 << 28;
const FORMS: &str = "write { file = \"strategy.csv\", columns = [\"s1\", \"s2\"] }";

/// Reads the column that a table names, or line by line its `columns`; `name` is the parameter's, `most` the longest
/// list allowed.
pub(super) fn read(
    item: &Item,
    table: &Table,
    name: &str,
    (min, max): (f64, f64),
    most: usize,
    problems: &mut Problems,
) -> Option<Vec<f64>> {
    let section = format!("parameters.{name}");
    let known = ["file", "column", "columns"];
    report_unknown_keys(table, &section, &known, |_| None, problems);
    let mut word = |key: &str| {
        let Some(entry) = table.get(key) else {
            problems.report(
                item.place,
                label(name, "parameters"),
                format!("no `{key}`"),
                FORM,
            );
            return None;
        };
        read::text(&entry.item, &label(key, &section), problems).map(str::to_owned)
    };
    let file = word("file");
    let columns = match table.get("columns") {
        None => word("column").map(|column| vec![column]),
        Some(entry) => {
            let label = label("columns", &section);
            if let Some(both) = table.get("column") {
                let what = "`column` and `columns` exclude each other";
                problems.report(both.item.place, label, what, FORM);
                return None;
            }
            texts(&entry.item, &label, problems)
        }
    };
    let (file, columns) = (file?, columns?);
    let path = place(&file, item.place, problems);
    match values_of(&path, &columns, (min, max), most) {
        Ok(values) => Some(values),
        Err((what, help)) => {
            problems.report(item.place, label(name, "parameters"), what, help);
            None
        }
    }
}

/// A relative path in the experiment file is relative to that file, one typed in `--set` to where one is.
fn place(file: &str, typed: Place, problems: &Problems) -> PathBuf {
    let folder = match typed {
        Place::Set(_) => None,
        _ => Path::new(problems.file_name()).parent(),
    };
    folder.map_or_else(|| PathBuf::from(file), |folder| folder.join(file))
}

/// The names of columns.
fn texts(item: &Item, label: &str, problems: &mut Problems) -> Option<Vec<String>> {
    let Node::Array(items) = &item.node else {
        problems.report(item.place, label.to_owned(), "no list of columns", FORMS);
        return None;
    };
    if items.is_empty() {
        problems.report(item.place, label.to_owned(), "an empty list", FORMS);
        return None;
    }
    items
        .iter()
        .map(|item| read::text(item, label, problems).map(str::to_owned))
        .collect()
}

/// The numbers of columns, line by line, or what is wrong and what to do about it.
fn values_of(
    path: &Path,
    columns: &[String],
    (min, max): (f64, f64),
    most: usize,
) -> Result<Vec<f64>, (String, String)> {
    let shown = plain(&path.display().to_string());
    let unreadable = |error: io::Error| (format!("cannot read {shown}: {error}"), FORM.to_owned());
    let about = fs::metadata(path).map_err(unreadable)?;
    // A pipe may never end, nor a device.
    if !about.is_file() || about.len() > MOST_BYTES {
        let what = format!("{shown} is no regular file of at most {MOST_BYTES} bytes");
        return Err((what, "take a random sample of its lines".to_owned()));
    }
    let file = fs::File::open(path).map_err(unreadable)?;
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(file.take(MOST_BYTES));
    let fault = |error: csv::Error| (format!("{shown}: {error}"), String::new());
    let header = reader.headers().map_err(fault)?.clone();
    let mut places = Vec::new();
    for column in columns {
        let Some(at) = header.iter().position(|known| known == column) else {
            let known: Vec<String> = header.iter().take(20).map(plain).collect();
            let hint = if header.iter().all(|field| field.parse::<f64>().is_ok()) {
                "\nis the first line the names of the columns? it holds numbers"
            } else if header.len() == 1
                && header.iter().any(|field| field.contains([';', '\t', '|']))
            {
                "\nis the separator a comma? no other is read"
            } else {
                ""
            };
            return Err((
                format!("{shown} has no column \"{}\"", plain(column)),
                format!("its first line names: {}{hint}", known.join(", ")),
            ));
        };
        places.push((at, column));
    }
    let mut values = Vec::new();
    for record in reader.records() {
        let record = record.map_err(fault)?;
        let line = record.position().map_or(0, csv::Position::line);
        for &(at, column) in &places {
            let field = record.get(at).unwrap_or_default();
            match field.parse::<f64>() {
                Ok(x) if (min..=max).contains(&x) => values.push(x),
                _ => {
                    return Err((
                        format!(
                            "{shown}, line {line}: \"{}\" in column \"{}\"",
                            plain(field),
                            plain(column)
                        ),
                        format!(
                            "expected a number from {} to {}",
                            read::bound(min),
                            read::bound(max)
                        ),
                    ));
                }
            }
        }
        if values.len() > most {
            return Err((
                format!("{shown} has more than {most} values"),
                "take a random sample of its lines".to_owned(),
            ));
        }
    }
    if values.is_empty() {
        return Err((format!("{shown} has no values"), FORM.to_owned()));
    }
    Ok(values)
}

//! Opening what the user names: experiment files, result files, models.

use super::{Failure, unverified};
use crate::ensemble::Results;
use crate::experiment::{Experiment, plain};
use crate::models::{MODELS, Model, find};
use crate::store::StoreError;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The largest experiment file, in bytes.
const MOST: u64 = 64 << 20;

/// Whether a file begins as HDF5 does.
pub fn is_hdf5(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(4).read_to_end(&mut start));
    read.is_ok() && start == b"\x89HDF"
}

/// Reads and checks an experiment file.
pub fn experiment(
    path: &Path,
    overrides: &[String],
    seed: Option<u64>,
) -> Result<Experiment, Failure> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes));
    read.map_err(|error| {
        let hint = match error.kind() {
            ErrorKind::NotFound => match experiments_beside(path) {
                there if there.is_empty() => {
                    format!("; `queuefarm new delay > {name}` writes one to start from")
                }
                there => format!("; there are: {}", there.join(", ")),
            },
            _ => String::new(),
        };
        Failure::Usage(format!("cannot read {name}: {error}{hint}"))
    })?;
    if bytes.len() as u64 > MOST {
        return Err(Failure::Usage(format!(
            "{name}: larger than {} MiB, which is no experiment file; long lists can stand in a CSV file",
            MOST >> 20
        )));
    }
    let source = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Usage(format!(
            "{name}: not UTF-8 text (byte {at}); an experiment is a TOML file{}",
            hint(path)
        ))
    })?;
    Experiment::parse(&source, &name, overrides, seed)
        .map_err(|problems| Failure::Usage(problems.to_string()))
}

/// The TOML files in the folder of a path, the first twenty by name.
fn experiments_beside(path: &Path) -> Vec<String> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<String> = entries
        .map(|entry| path.with_file_name(entry.file_name()))
        .filter(|file| file.extension().is_some_and(|end| end == "toml"))
        .map(|file| plain(&file.display().to_string()))
        .collect();
    found.sort();
    found.truncate(20);
    found
}

fn hint(path: &Path) -> &'static str {
    if path.extension().is_some_and(|end| end == "h5") {
        "; this looks like a result, try `queuefarm summary`"
    } else {
        ""
    }
}

/// The index of a point or of a replica on the command line.
pub fn index(text: &str) -> Result<u32, String> {
    text.trim()
        .parse()
        .map_err(|_| "one index, a whole number from 0 on".to_owned())
}

/// Any text where a model belongs, so that an unknown one gets a message of ours; shells complete the models' names.
#[derive(Debug, Clone)]
pub struct ModelName;

impl TypedValueParser for ModelName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            MODELS.iter().map(|model| PossibleValue::new(model.name)),
        ))
    }
}

/// Reads a result file: in this process if its checksum is right, in a process of its own if it has none.
pub fn results(path: &Path) -> Result<Results, Failure> {
    crate::store::read(path).or_else(|error| match error {
        StoreError::Unverified { .. } => unverified::read(path),
        StoreError::NotHdf5 { .. } if path.extension().is_some_and(|end| end == "toml") => {
            Err(Failure::Failed(format!(
                "{} is no result file; if it is an experiment, run it first: queuefarm run {0}",
                path.display()
            )))
        }
        other => Err(Failure::failed(other)),
    })
}

/// Indices of points of a result, each below their number.
pub fn points(results: &Results, indices: &[u32]) -> Result<Vec<usize>, Failure> {
    let count = results.points.len();
    let wrong = indices.iter().find(|&&index| index as usize >= count);
    if let Some(index) = wrong {
        return Err(Failure::Usage(format!(
            "there is no point {index}: the result has {count}, from 0 on"
        )));
    }
    Ok(indices.iter().map(|&index| index as usize).collect())
}

/// The model of that name.
pub fn model(name: &str) -> Result<&'static Model, Failure> {
    find(name).ok_or_else(|| {
        let names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
        Failure::Usage(format!(
            "there is no model `{name}`; the models are: {}",
            names.join(", ")
        ))
    })
}

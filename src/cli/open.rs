//! Opening what the user names: experiment files, result files, models.

use super::Failure;
use crate::ensemble::Results;
use crate::experiment::Experiment;
use crate::models::{MODELS, Model, find};
use crate::store::StoreError;
use std::io::ErrorKind;
use std::path::Path;

/// Reads and checks an experiment file.
pub fn experiment(
    path: &Path,
    overrides: &[String],
    seed: Option<u64>,
) -> Result<Experiment, Failure> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| {
        let hint = match error.kind() {
            ErrorKind::NotFound => {
                format!("; `queuefarm new delay > {name}` writes one to start from")
            }
            _ => String::new(),
        };
        Failure::Usage(format!("cannot read {name}: {error}{hint}"))
    })?;
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

fn hint(path: &Path) -> &'static str {
    if path.extension().is_some_and(|end| end == "h5") {
        "; this looks like a result, try `queuefarm summary`"
    } else {
        ""
    }
}

/// Reads a result file.
pub fn results(path: &Path) -> Result<Results, Failure> {
    crate::store::read(path).map_err(|error| match error {
        StoreError::Missing { .. } => Failure::Usage(error.to_string()),
        StoreError::NotHdf5 { .. } if path.extension().is_some_and(|end| end == "toml") => {
            Failure::Usage(format!(
                "{} is no result file; if it is an experiment, run it first: queuefarm run {0}",
                path.display()
            ))
        }
        other => Failure::failed(other),
    })
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

//! Which experiment a folder of parts belongs to.
//!
//! Owns the text of `experiment.json`, and when two experiments can share parts: when the bits of their batches depend on
//! the same things. How many batches there are may differ.

use super::super::checksum::Hasher;
use super::StoreError;
use crate::experiment::Experiment;
use crate::random::STREAM_VERSION;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the layout of the folder and of its parts.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Manifest {
    program: String,
    program_version: String,
    format: u32,
    stream_version: u32,
    /// The file, verbatim, and what replaced its keys.
    experiment: String,
    overrides: Vec<String>,
    /// Everything in force, the seed included.
    resolved: String,
    seed_was_drawn: bool,
}

/// BLAKE3, in hexadecimal digits, of what the bits of a batch depend on.
pub(super) fn digest(experiment: &Experiment) -> String {
    Hasher::new()
        .with(format!("stream {STREAM_VERSION}\n").as_bytes())
        .with(experiment.identity().as_bytes())
        .finish()
}

pub(super) fn text(experiment: &Experiment) -> String {
    let manifest = Manifest {
        program: super::super::PROGRAM.to_owned(),
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        format: FORMAT,
        stream_version: STREAM_VERSION,
        experiment: experiment.source.clone(),
        overrides: experiment.overrides.clone(),
        resolved: experiment.resolved(),
        seed_was_drawn: experiment.seed_was_drawn,
    };
    // Texts and numbers can always be written.
    serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n"
}

pub(super) fn experiment(path: &Path, bytes: &[u8]) -> Result<Experiment, StoreError> {
    let manifest: Manifest =
        serde_json::from_slice(bytes).map_err(|error| StoreError::NoManifest {
            path: path.to_owned(),
            what: format!("it is damaged ({error})"),
        })?;
    for (what, found, known) in [
        ("format", manifest.format, FORMAT),
        ("stream", manifest.stream_version, STREAM_VERSION),
    ] {
        if found > known {
            return Err(StoreError::Newer {
                path: path.to_owned(),
                what,
                found,
                known,
                program: manifest.program_version,
            });
        }
        if found < known {
            return Err(StoreError::Experiment {
                path: path.to_owned(),
                program: manifest.program_version,
                what: format!("its {what} is {found}, this program's {known}"),
            });
        }
    }
    let name = format!("{} (resolved)", path.display());
    let parsed = Experiment::parse(&manifest.resolved, &name, &[], None);
    let mut experiment = parsed.map_err(|problems| StoreError::Experiment {
        path: path.to_owned(),
        program: manifest.program_version,
        what: problems.to_string(),
    })?;
    experiment.source = manifest.experiment;
    experiment.overrides = manifest.overrides;
    experiment.seed_was_drawn = manifest.seed_was_drawn;
    Ok(experiment)
}

/// How what two experiments' bits depend on differs, line by line, or none when it does not.
pub(super) fn difference(there: &Experiment, here: &Experiment) -> Option<String> {
    let (there, here) = (there.identity(), here.identity());
    if there == here {
        return None;
    }
    let lines = |from: &str, in_other: &str, sign: char| -> Vec<String> {
        let other: Vec<&str> = in_other.lines().collect();
        (from.lines())
            .filter(|line| !line.is_empty() && !other.contains(line))
            .map(|line| format!("  {sign} {line}"))
            .collect()
    };
    let mut difference = lines(&there, &here, '-');
    difference.extend(lines(&here, &there, '+'));
    Some(difference.join("\n"))
}

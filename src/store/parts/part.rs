//! One part file: the accumulators of some seconds of work.
//!
//! Owns its bytes: a line that says what it is, the identity of the experiment, the accumulators (postcard), and our
//! checksum after them. A part is verified as a whole before anything in it is believed.

use super::super::checksum::Hasher;
use super::{ENDING, StoreError, durable};
use crate::ensemble::Provenance;
use crate::models::Tallies;
use serde::{Deserialize, Serialize};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What a part begins with; the identity and a line end follow.
const START: &str = "queuefarm part 1 of ";
/// Hexadecimal digits of a checksum.
const DIGITS: usize = 64;
/// Digits of the checksum that make the name.
const NAME: usize = 20;

/// What is done of one batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Index of the point.
    pub point: u32,
    /// Index of the batch.
    pub batch: u32,
    /// Which replicas, counted over the whole point; neither overlapping nor touching.
    pub replicas: Vec<Range<u32>>,
    /// Their accumulators.
    pub tallies: Tallies,
}

/// The content of a part.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Part {
    pub provenance: Provenance,
    pub pieces: Vec<Piece>,
}

/// Writes a part under a name of its own; returns its length.
pub(super) fn write(folder: &Path, identity: &str, part: &Part) -> Result<u64, StoreError> {
    let mut bytes = format!("{START}{identity}\n").into_bytes();
    let refused = |path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Io {
            path,
            doing: "write",
            source,
        }
    };
    // A vector takes all that is written to it; only the system can refuse something.
    bytes = postcard::to_extend(part, bytes)
        .map_err(|error| refused(folder)(std::io::Error::other(error)))?;
    let digest = Hasher::new().with(&bytes).finish();
    let path = folder.join(format!("{}.{ENDING}", &digest[..NAME]));
    bytes.extend_from_slice(digest.as_bytes());
    durable::create(&path, |temporary| {
        fs::write(temporary, &bytes).map_err(refused(&path))
    })?;
    Ok(bytes.len() as u64)
}

/// Reads a part, or says why it cannot be believed.
pub(super) fn read(path: &PathBuf, identity: &str) -> Result<Part, String> {
    let bytes = fs::read(path).map_err(|error| format!("it cannot be read: {error}"))?;
    if !bytes.starts_with(START.as_bytes()) {
        return Err("it is no part of this format".to_owned());
    }
    let Some((content, digest)) = bytes
        .split_last_chunk::<DIGITS>()
        .filter(|(content, _)| content.len() > START.len() + DIGITS)
    else {
        return Err("it is cut short".to_owned());
    };
    if Hasher::new().with(content).finish().as_bytes() != digest {
        return Err("its checksum is wrong: it was cut short or changed".to_owned());
    }
    let (start, body) = content.split_at(START.len() + DIGITS + 1);
    if !start[START.len()..].starts_with(identity.as_bytes()) {
        return Err("it is of another experiment".to_owned());
    }
    postcard::from_bytes(body).map_err(|error| format!("its content makes no sense: {error}"))
}

//! Parts, read back: what is done of an ensemble.
//!
//! Owns which parts are believed. A part that is damaged, or that holds what another one holds too, is set aside and named;
//! what it held has to be done again.

use super::part::{self, Part};
use super::{Parts, Piece, StoreError, parts_in};
use crate::ensemble::{Ensemble, Harvest, Provenance};
use std::path::PathBuf;

/// What was found in a folder.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// Parts that are whole, by name.
    pub parts: Vec<PathBuf>,
    /// Replicas taken from them, of all points together.
    pub replicas: u64,
    /// Replicas of batches that were not asked for: of a larger run, or of an extension.
    pub beyond: u64,
    /// Who simulated them.
    pub provenance: Provenance,
    /// Parts that cannot be believed.
    pub damaged: Vec<Damaged>,
    /// What is in more than one part; it was taken once.
    pub overlapping: Vec<Overlap>,
}

/// Replicas that are in a part, and in one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The later file.
    pub path: PathBuf,
    /// Index of the point.
    pub point: u32,
    /// Index of the batch.
    pub batch: u32,
}

/// A part that cannot be believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub what: String,
}

impl Parts {
    /// Adds what the folder holds of the harvest's batches to it. No folder is as good as an empty one.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn load(&self, ensemble: &Ensemble, harvest: &mut Harvest) -> Result<Loaded, StoreError> {
        let mut loaded = Loaded::default();
        let files = match parts_in(&self.folder) {
            Ok(files) => files,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(loaded),
            Err(source) => {
                return Err(StoreError::Io {
                    path: self.folder.clone(),
                    doing: "read the folder",
                    source,
                });
            }
        };
        for path in files {
            let part = part::read(&path, &self.identity).and_then(|part| {
                (part.pieces.iter()).try_for_each(|piece| fits(piece, ensemble))?;
                Ok(part)
            });
            match part {
                Ok(part) => loaded.take(path, &part, harvest),
                Err(what) => loaded.damaged.push(Damaged { path, what }),
            }
        }
        Ok(loaded)
    }
}

impl Parts {
    /// Replicas in the folder that are of batches beyond those of an ensemble.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn beyond(&self, ensemble: &Ensemble) -> Result<u64, StoreError> {
        let end = ensemble.experiment.batches;
        let mut nothing = ensemble.nothing_of(end..end);
        Ok(self.load(ensemble, &mut nothing)?.beyond)
    }
}

impl Loaded {
    fn take(&mut self, path: PathBuf, part: &Part, harvest: &mut Harvest) {
        let mut taken = false;
        for piece in &part.pieces {
            let Piece {
                point,
                batch,
                replicas,
                tallies,
            } = piece;
            if !harvest.batches().contains(batch) {
                self.beyond += u64::from(*batch >= harvest.batches().end) * tallies.replicas;
            } else if harvest.lacks(*point, *batch, replicas) {
                harvest.add(*point, *batch, replicas, tallies);
                self.replicas += tallies.replicas;
                taken = true;
            } else {
                self.overlapping.push(Overlap {
                    path: path.clone(),
                    point: *point,
                    batch: *batch,
                });
            }
        }
        self.parts.push(path);
        if taken {
            self.provenance.add(&part.provenance);
        }
    }
}

impl std::fmt::Display for Overlap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: holds replicas of batch {} of point {} that another part holds, too",
            self.path.display(),
            self.batch,
            self.point
        )
    }
}

impl std::fmt::Display for Damaged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.what)
    }
}

/// Whether a piece has the shape that its point asks for.
fn fits(piece: &Piece, ensemble: &Ensemble) -> Result<(), String> {
    let wrong = |what: &str| {
        let Piece { point, batch, .. } = piece;
        Err(format!("{what} (point {point}, batch {batch})"))
    };
    let Some(plan) = ensemble.plans.get(piece.point as usize) else {
        return wrong("there is no such point");
    };
    let size = u64::from(ensemble.batch_size());
    let all = u64::from(piece.batch) * size..(u64::from(piece.batch) + 1) * size;
    let mut last = None;
    let mut count = 0;
    for range in &piece.replicas {
        let (start, end) = (u64::from(range.start), u64::from(range.end));
        let ordered = last.is_none_or(|last| last < start) && start < end;
        if !ordered || start < all.start || end > all.end {
            return wrong("its replicas are not of its batch");
        }
        last = Some(end);
        count += end - start;
    }
    let tallies = &piece.tallies;
    let sums = ensemble.experiment.model.sums.len();
    let lengths = [
        (tallies.counts.len(), plan.bins()),
        (tallies.sums.len(), sums),
        (tallies.peaks.len(), plan.peaks_at.len()),
        (tallies.maxima.len(), plan.maxima_at.len()),
    ];
    if tallies.replicas != count || lengths.iter().any(|(found, expected)| found != expected) {
        return wrong("its accumulators have another shape");
    }
    let recording = ensemble.recording(plan);
    let steps = recording.steps as usize;
    let ensemble_fits = tallies.ensemble.len() == if recording.ensemble { steps } else { 0 };
    let traced = tallies
        .trajectories
        .iter()
        .all(|(_, values)| values.len() == steps);
    if !ensemble_fits || !traced {
        return wrong("its recording has another shape");
    }
    Ok(())
}

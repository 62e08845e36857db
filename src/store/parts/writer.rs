//! Part files, made while a run goes on.
//!
//! Owns when a part is written (after some seconds, or when much has come together), and what happens when it cannot be:
//! the work stays in memory and is tried again with the next part; only when that goes on failing is the run stopped.

use super::part::{self, Part};
use super::{Parts, Piece, StoreError};
use crate::engine::{Stop, Unit, Watch};
use crate::ensemble::{Provenance, insert_range, rfc3339};
use crate::experiment::Experiment;
use crate::models::Tallies;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Words of accumulators that are written without waiting any longer.
const MANY_WORDS: usize = 1 << 21;
/// Failures one after another that stop a run.
const FAILURES: u32 = 3;

/// Collects finished units, and writes them in parts.
#[derive(Debug)]
pub struct Writer<'a> {
    parts: Mutex<Parts>,
    experiment: &'a Experiment,
    role: String,
    every: Duration,
    watch: &'a Watch,
    /// Who simulates.
    about: Provenance,
    pending: Mutex<Pending>,
    /// Whether the folder was removed while parts were in it.
    vanished: AtomicBool,
}

#[derive(Debug)]
struct Pending {
    pieces: BTreeMap<(u32, u32), Piece>,
    words: usize,
    steps: u64,
    incidents: Vec<String>,
    since: Instant,
    started: SystemTime,
    failures: u32,
    failure: Option<StoreError>,
}

impl<'a> Writer<'a> {
    /// For parts of `experiment` that `about` simulates, one every so often; `role` names the lock.
    pub fn new(
        parts: Parts,
        experiment: &'a Experiment,
        role: &str,
        every: Duration,
        watch: &'a Watch,
        about: Provenance,
    ) -> Writer<'a> {
        Writer {
            parts: Mutex::new(parts),
            experiment,
            role: role.to_owned(),
            every,
            watch,
            about,
            pending: Mutex::new(Pending {
                pieces: BTreeMap::new(),
                words: 0,
                steps: 0,
                incidents: Vec::new(),
                since: Instant::now(),
                started: SystemTime::now(),
                failures: 0,
                failure: None,
            }),
            vanished: AtomicBool::new(false),
        }
    }

    /// Takes a finished unit of `steps` steps, and writes a part if it is time.
    pub fn keep(&self, unit: Unit, steps: u64, tallies: &Tallies) {
        let mut pending = self.pending();
        pending.steps = pending.steps.saturating_add(steps);
        pending.add(unit.point, unit.batch, &[unit.range()], tallies);
        let due = pending.since.elapsed() >= self.every || pending.words >= MANY_WORDS;
        if due {
            // A failure is remembered, and everything with it.
            self.write(pending);
        }
    }

    /// Adds to what the next part says of who simulated it.
    pub fn note(&self, incidents: Vec<String>) {
        self.pending().incidents.extend(incidents);
    }

    /// Writes what has come together.
    ///
    /// # Errors
    /// What the system refuses; the work is then still here.
    pub fn flush(&self) -> Result<(), StoreError> {
        let pending = self.pending();
        if pending.pieces.is_empty() {
            return Ok(());
        }
        self.write(pending);
        self.pending().failure.take().map_or(Ok(()), Err)
    }

    /// Whether the folder was removed while parts were in it: what they held has to be done again if this run stops.
    pub fn vanished(&self) -> bool {
        self.vanished.load(Ordering::Relaxed)
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, mut pending: MutexGuard<'_, Pending>) {
        let part = pending.take(&self.about);
        drop(pending);
        // Others go on collecting meanwhile.
        let written = self.write_part(&part);
        let mut pending = self.pending();
        match written {
            Ok(()) => {
                pending.failures = 0;
                pending.failure = None;
            }
            Err(error) => {
                pending.give_back(part);
                pending.failures += 1;
                pending.failure = Some(error);
                if pending.failures == FAILURES {
                    self.watch.stop(Stop::Storage);
                }
            }
        }
    }

    fn write_part(&self, part: &Part) -> Result<(), StoreError> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let there = parts.folder().is_dir();
        if parts.occupied() && !there {
            self.vanished.store(true, Ordering::Relaxed);
        }
        if !parts.occupied() || !there {
            parts.occupy(self.experiment, &self.role)?;
        }
        part::write(parts.folder(), &parts.identity, part).map(drop)
    }
}

impl Pending {
    fn add(
        &mut self,
        point: u32,
        batch: u32,
        replicas: &[std::ops::Range<u32>],
        tallies: &Tallies,
    ) {
        match self.pieces.get_mut(&(point, batch)) {
            Some(piece) => {
                piece.tallies.merge(tallies);
                for range in replicas {
                    insert_range(&mut piece.replicas, range.clone());
                }
            }
            None => {
                self.words += words(tallies);
                let piece = Piece {
                    point,
                    batch,
                    replicas: replicas.to_vec(),
                    tallies: tallies.clone(),
                };
                self.pieces.insert((point, batch), piece);
            }
        }
    }

    /// Everything, as a part; what comes later goes into the next one.
    fn take(&mut self, about: &Provenance) -> Part {
        let provenance = Provenance {
            started: rfc3339(self.started),
            ended: rfc3339(SystemTime::now()),
            seconds: self.since.elapsed().as_secs_f64(),
            steps: self.steps,
            incidents: std::mem::take(&mut self.incidents),
            ..about.clone()
        };
        let pieces = std::mem::take(&mut self.pieces).into_values().collect();
        (self.words, self.steps) = (0, 0);
        (self.since, self.started) = (Instant::now(), SystemTime::now());
        Part { provenance, pieces }
    }

    /// Takes back what could not be written.
    fn give_back(&mut self, part: Part) {
        self.steps = self.steps.saturating_add(part.provenance.steps);
        self.since = self
            .since
            .checked_sub(Duration::from_secs_f64(part.provenance.seconds))
            .unwrap_or(self.since);
        self.incidents.extend(part.provenance.incidents);
        for piece in part.pieces {
            self.add(piece.point, piece.batch, &piece.replicas, &piece.tallies);
        }
    }
}

/// About how many words the accumulators take.
fn words(tallies: &Tallies) -> usize {
    let traced: usize = tallies
        .trajectories
        .iter()
        .map(|(_, values)| values.len())
        .sum();
    tallies.counts.len() + 4 * tallies.sums.len() + 4 * tallies.ensemble.len() + traced / 2
}

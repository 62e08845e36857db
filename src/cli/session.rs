//! A simulation that survives: what is done is kept beside the result, and a later one goes on from there.
//!
//! Owns the order of things (look at what is done, simulate the rest, keep it) and what is said about it. The files are
//! `store::parts`', the simulation is `ensemble`'s.

use super::submit::quote;
use super::{Failure, progress};
use crate::engine::{Backend, Fault, Stop, Watch};
use crate::ensemble::{Ensemble, Harvest, Provenance, Share};
use crate::experiment::Experiment;
use crate::faults;
use crate::store;
use crate::store::parts::{Loaded, Parts, WHOLE, Writer};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Between two parts.
const EVERY: Duration = Duration::from_secs(10);
/// Damaged parts that are named one by one.
const NAMED: usize = 10;

/// What simulates, and where to.
pub struct Session {
    /// Who simulates.
    pub backend: Box<dyn Backend>,
    /// Progress, and a way to stop.
    pub watch: Arc<Watch>,
    /// The result file; parts are kept beside it.
    pub output: PathBuf,
    /// Which part of the ensemble.
    pub share: Share,
    /// Nothing is said but errors.
    pub quiet: bool,
    /// Replicas in the parts that lie beyond the batches last simulated.
    beyond: u64,
}

impl Session {
    /// Nothing done yet.
    pub fn new(backend: Box<dyn Backend>, output: &Path, share: Share, quiet: bool) -> Session {
        Session {
            backend,
            watch: Arc::new(Watch::new()),
            output: output.to_owned(),
            share,
            quiet,
            beyond: 0,
        }
    }

    /// What is done and what is missing of some batches; the missing ones are simulated.
    pub fn simulate(
        &mut self,
        ensemble: &Ensemble,
        batches: Range<u32>,
    ) -> Result<(Harvest, Provenance), Failure> {
        let folder = Parts::beside(&self.output);
        let experiment = &ensemble.experiment;
        let mut parts = Parts::open(&folder, experiment).map_err(refused)?;
        let role = self.role();
        if folder.is_dir() || self.share != Share::WHOLE {
            parts.occupy(experiment, &role).map_err(Failure::failed)?;
            if self.share == Share::WHOLE {
                store::sweep(&self.output);
            }
        }
        let mut harvest = ensemble.nothing_of(batches);
        let all = self.left(ensemble, &harvest);
        let loaded = parts
            .load(ensemble, &mut harvest)
            .map_err(Failure::failed)?;
        self.beyond = loaded.beyond;
        let left = self.left(ensemble, &harvest);
        self.say_loaded(&loaded, &folder, left);
        // A shard tells of its own work, and others may be in the folder.
        let mut provenance = match self.share {
            Share::WHOLE => loaded.provenance,
            _ => Provenance::default(),
        };
        if left == 0 {
            return Ok((harvest, provenance));
        }
        let about = Provenance::of(self.backend.as_ref());
        let every = faults::part_seconds().map_or(EVERY, Duration::from_secs_f64);
        let writer = Writer::new(parts, experiment, &role, every, &self.watch, about);
        let what = format!("replica-{}", experiment.model.span);
        let (backend, watch, share) = (self.backend.as_mut(), &self.watch, self.share);
        let simulated = progress::show(watch, left, self.quiet, &what, || {
            ensemble.simulate(backend, watch, &mut harvest, share, &|unit, tallies| {
                writer.keep(unit, ensemble.work(unit).steps(), tallies);
            })
        });
        let begun_to_keep = folder.is_dir();
        match simulated {
            Ok(latest) => {
                self.say_incidents(&latest.incidents);
                // What took so short that nothing was kept is not kept now: it can be done again.
                if begun_to_keep {
                    let kept = writer.flush();
                    if self.share != Share::WHOLE {
                        kept.map_err(Failure::failed)?;
                    }
                }
                provenance.add(&latest);
                Ok((harvest, provenance))
            }
            Err(fault) => {
                let incidents: Vec<String> = (self.backend.incidents().iter())
                    .map(ToString::to_string)
                    .collect();
                self.say_incidents(&incidents);
                writer.note(incidents);
                let kept = writer.flush();
                let done = 1.0 - self.left(ensemble, &harvest) as f64 / all.max(1) as f64;
                let done = (!writer.vanished()).then_some(done);
                Err(ending(&self.watch, fault, kept, done, &folder))
            }
        }
    }

    /// Removes the parts when the result is written; what lies beyond it stays.
    pub fn clear(&self, experiment: &Experiment) {
        let folder = Parts::beside(&self.output);
        if !folder.is_dir() {
            return;
        }
        if self.beyond > 0 {
            return self.say(&format!(
                "note: {} stays: {} replicas in it are of batches that this result does not have (a larger run, or an extension)",
                folder.display(),
                self.beyond
            ));
        }
        let cleared = Parts::open(&folder, experiment).and_then(Parts::remove);
        if let Err(error) = cleared {
            self.say(&format!("note: {error}"));
        }
    }

    /// Steps that are missing of the share.
    fn left(&self, ensemble: &Ensemble, harvest: &Harvest) -> u64 {
        let all = ensemble.experiment.batches;
        let mut steps = 0_u64;
        for (point, plan) in (0..).zip(&ensemble.plans) {
            for batch in harvest.batches() {
                if self.share.has(point, batch, all) {
                    let missing = harvest.missing(point, batch);
                    let replicas: u64 = missing.iter().map(|range| range.len() as u64).sum();
                    steps = steps.saturating_add(replicas.saturating_mul(u64::from(plan.end())));
                }
            }
        }
        steps
    }

    /// The name of the lock.
    fn role(&self) -> String {
        match self.share {
            Share::WHOLE => WHOLE.to_owned(),
            Share { index, of } => format!("shard-{}-of-{of}", index + 1),
        }
    }

    fn say_loaded(&self, loaded: &Loaded, folder: &Path, left: u64) {
        if loaded.replicas > 0 {
            self.say(&format!(
                "going on from {}: {} with {} replicas are done{}",
                folder.display(),
                progress::counted(loaded.parts.len(), "part"),
                loaded.replicas,
                if left == 0 {
                    ", nothing is left to simulate"
                } else {
                    ""
                },
            ));
        }
        for damaged in loaded.damaged.iter().take(NAMED) {
            self.say(&format!(
                "warning: {damaged}; what it held is simulated again"
            ));
        }
        if let Some(more) = loaded
            .damaged
            .len()
            .checked_sub(NAMED)
            .filter(|more| *more > 0)
        {
            self.say(&format!("warning: {more} more parts are damaged"));
        }
        for overlap in loaded.overlapping.iter().take(NAMED) {
            self.say(&format!("note: {overlap}; they are taken once"));
        }
    }

    fn say_incidents(&self, incidents: &[String]) {
        for incident in incidents.iter().take(NAMED) {
            self.say(&format!("warning: {incident}"));
        }
        let more = incidents.len().saturating_sub(NAMED);
        if more > 0 {
            self.say(&format!(
                "warning: {more} more such incidents; the result's attribute `incidents` has them all"
            ));
        }
    }

    /// A message, unless nothing is to be said.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }
}

/// Another experiment in the folder is the user's to decide; the rest are failures.
pub fn refused(error: crate::store::StoreError) -> Failure {
    match &error {
        crate::store::StoreError::OtherExperiment { path, .. } => {
            let folder = quote::shell(&path.display().to_string());
            Failure::Usage(format!(
                "{error}\ngo on with that experiment, name another output with -o, or give up what is done: rm -r {folder}"
            ))
        }
        _ => Failure::failed(error),
    }
}

/// How a simulation that did not come to its end ends.
fn ending(
    watch: &Watch,
    fault: Fault,
    kept: Result<(), crate::store::StoreError>,
    done: Option<f64>,
    folder: &Path,
) -> Failure {
    let state = match &kept {
        Ok(()) if folder.is_dir() => match done {
            Some(done) => format!(
                "what is done ({:.0} %) is kept in {}; the same command goes on from there",
                (100.0 * done).floor(),
                folder.display()
            ),
            None => format!(
                "{} was removed during the run; what was done since is kept in it, and the same command goes on from there",
                folder.display()
            ),
        },
        Ok(()) => "nothing was finished; the same command begins again".to_owned(),
        Err(error) => {
            format!(
                "the last parts could not be kept: {error}\nwhat was kept before is in {}; the same command goes on from there",
                folder.display()
            )
        }
    };
    match (fault, watch.reason()) {
        (Fault::Stopped, Some(Stop::Interrupt)) => {
            Failure::Interrupted(format!("interrupted: {state}"))
        }
        (Fault::Stopped, Some(Stop::TimeLimit)) => {
            Failure::Stopped(format!("the time limit is reached: {state}"))
        }
        (Fault::Stopped, Some(Stop::Terminate)) => Failure::Stopped(format!("terminated: {state}")),
        (Fault::Stopped, _) => Failure::Failed(state),
        (fault, _) => Failure::Failed(format!("{fault}\n{state}")),
    }
}

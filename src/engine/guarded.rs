//! A device under guard: what it computes is spot-checked, what goes wrong is redone, and both are told.
//!
//! Owns the rule by which results of a device are accepted:
//!
//! - Results come in waves. A wave is accepted as a whole or not at all, and nothing is handed over before that.
//! - While the device computes a wave, the CPU simulates some of the same pieces: the first of the wave, and those
//!   that a hash of the unit picks (one in a hundred unless asked otherwise). The wave is accepted when all of these
//!   are equal, bit for bit. At a rate of 0 nothing is checked.
//! - A wave that fails, by a fault of the device or by an answer that differs, is redone once on the same device,
//!   opened afresh (after a lack of memory half as many pieces). If that fails too, the CPU redoes it, and the device
//!   gets the next wave.
//! - A device that fails three times in a row, or that does not open again, gets nothing any more: the CPU does the rest.
//!
//! So a device that is wrong now and then is caught by chance; one that is wrong throughout, or from some moment on,
//! is caught in the next wave, before anything wrong is kept. One attempt at a wave is `attempt`'s. Knows no particular
//! device and no files.

use super::attempt::{Failure, attempt};
use super::cpu::unit_size;
use super::incident::in_one_line;
use super::{Accelerator, Backend, Cpu, Fault, Incident, LANES, Watch, Work};
use crate::models::{Model, Tallies};
use std::collections::BTreeMap;
use std::ops::Range;

/// Failures in a row after which a device is given up.
const MOST_FAILURES: u32 = 3;
/// Pieces are a multiple of this many replicas, where a batch allows: whole workgroups, whole lanes.
const MULTIPLE: u32 = 4 * LANES as u32;

/// A device whose results are checked, with a CPU to check them and to stand in.
pub struct Guarded {
    device: Box<dyn Accelerator>,
    cpu: Cpu,
    /// Share of the pieces that are checked.
    rate: f64,
    /// Failures since the last wave that was accepted.
    failures: u32,
    given_up: bool,
    incidents: Vec<Incident>,
    /// Failures that nothing has mended yet.
    unmended: Vec<Incident>,
}

impl std::fmt::Debug for Guarded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guarded")
            .field("device", &self.device.adapter())
            .field("rate", &self.rate)
            .finish_non_exhaustive()
    }
}

impl Guarded {
    /// The device, of whose pieces the share `rate` (0 to 1) is simulated on the CPU too.
    pub fn new(device: Box<dyn Accelerator>, cpu: Cpu, rate: f64) -> Guarded {
        Guarded {
            device,
            cpu,
            rate,
            failures: 0,
            given_up: false,
            incidents: Vec::new(),
            unmended: Vec::new(),
        }
    }

    /// Whether the device failed so often that the CPU does everything.
    pub fn given_up(&self) -> bool {
        self.given_up
    }

    /// How many of the pieces the device takes at a time.
    pub(super) fn wave(&self, work: &[Work<'_>]) -> usize {
        self.device.wave(work).clamp(1, work.len().max(1))
    }

    /// Simulates some of the pieces on the CPU.
    fn on_cpu(
        &mut self,
        model: &Model,
        work: &[Work<'_>],
        pieces: Range<usize>,
        watch: &Watch,
        done: &(dyn Fn(usize, Tallies) + Sync),
    ) -> Result<(), Fault> {
        let first = pieces.start;
        self.cpu
            .run(model, &work[pieces], watch, &|index, tallies| {
                done(first + index, tallies);
            })
    }

    /// Says how the open failures were mended.
    fn mended(&mut self, remedy: &str) {
        for mut incident in self.unmended.drain(..) {
            incident.remedy = remedy.to_owned();
            self.incidents.push(incident);
        }
    }

    /// Takes note of a failure and opens the device afresh; gives it up if that fails or is of no use.
    fn failed(&mut self, pieces: &[Work<'_>], failure: &Failure) {
        self.unmended.push(Incident {
            unit: pieces
                .get(failure.piece.unwrap_or(0))
                .map(|piece| piece.unit),
            others: failure.piece.map_or(pieces.len().saturating_sub(1), |_| 0),
            what: in_one_line(&failure.fault),
            remedy: String::new(),
        });
        self.failures += 1;
        self.given_up = self.failures >= MOST_FAILURES;
        if self.given_up {
            return;
        }
        if let Err(fault) = self.device.recover(&failure.fault) {
            self.given_up = true;
            self.unmended.push(Incident {
                unit: None,
                others: 0,
                what: in_one_line(&fault),
                remedy: String::new(),
            });
        }
    }

    fn run_all(
        &mut self,
        model: &Model,
        work: &[Work<'_>],
        watch: &Watch,
        done: &(dyn Fn(usize, Tallies) + Sync),
    ) -> Result<(), Fault> {
        let (mut next, mut tries, mut most) = (0, 0, work.len());
        let mut known = BTreeMap::new();
        while next < work.len() {
            if self.given_up {
                self.on_cpu(model, work, next..work.len(), watch, done)?;
                self.mended("redone on the CPU, which does the rest too: the device is given up");
                return Ok(());
            }
            // A second try holds no more than the first: what is redone is what failed.
            let wave = next..next + self.wave(&work[next..work.len().min(next + most)]);
            let part = watch.part();
            let pieces = &work[wave.clone()];
            match attempt(
                &mut *self.device,
                &mut self.cpu,
                self.rate,
                model,
                pieces,
                &mut known,
                &part,
            )? {
                Ok(accepted) => {
                    self.failures = 0;
                    self.mended("redone on the same device");
                    for (index, tallies) in wave.clone().zip(accepted) {
                        done(index, tallies);
                    }
                }
                Err(failure) => {
                    part.take_back();
                    (tries, most) = (tries + 1, wave.len());
                    self.failed(pieces, &failure);
                    if tries < 2 || self.given_up {
                        continue;
                    }
                    self.on_cpu(model, work, wave.clone(), watch, done)?;
                    self.mended("redone on the CPU");
                }
            }
            (next, tries, most) = (wave.end, 0, work.len());
            known.clear();
        }
        Ok(())
    }
}

impl Backend for Guarded {
    fn kind(&self) -> &'static str {
        self.device.kind()
    }

    fn adapter(&self) -> String {
        self.device.adapter()
    }

    fn driver(&self) -> String {
        self.device.driver()
    }

    /// Units are as small as the CPU likes them, so that checks are short, but large enough that waves of them are wide.
    fn replicas_per_unit(&self, work: &Work<'_>) -> Result<u32, Fault> {
        let most = self.device.replicas_per_unit(work)?;
        let small = unit_size(work).next_multiple_of(MULTIPLE);
        Ok(small.max(self.device.fewest_replicas(work)).min(most))
    }

    fn run(
        &mut self,
        model: &Model,
        work: &[Work<'_>],
        watch: &Watch,
        done: &(dyn Fn(usize, Tallies) + Sync),
    ) -> Result<(), Fault> {
        let ran = self.run_all(model, work, watch, done);
        self.mended("the run ended before it was redone");
        ran
    }

    fn final_states(
        &mut self,
        model: &Model,
        work: &Work<'_>,
        watch: &Watch,
    ) -> Result<(Tallies, Vec<u32>), Fault> {
        self.device.final_states(model, work, watch)
    }

    fn incidents(&mut self) -> Vec<Incident> {
        std::mem::take(&mut self.incidents)
    }
}

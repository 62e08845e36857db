//! The GPU engine: units in waves, chunked dispatches, state kept on the device between them.
//!
//! Owns the open device, the width of its waves, and opening it again. The only folder that names wgpu.
//!
//! A wave hands over its results at its end, so a crash costs one wave. Its width is therefore adapted: waves aim at
//! ten seconds, but never hold fewer replicas than keep the device busy, so that very long spans take longer.

mod adapter;
pub mod device;
mod run;
mod schedule;
pub mod shader;
mod wave;
mod width;

pub use adapter::{AdapterSummary, adapters};

use super::{Accelerator, Backend, Fault, Watch, Work};
use crate::models::{Model, Tallies};
use device::{Device, Pipeline};
use run::MOST_MICROSTEPS;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;
use wave::Wave;
use width::Width;

/// A GPU as a backend.
#[derive(Debug)]
pub struct Gpu {
    device: Device,
    /// A fixed number of microsteps a dispatch, for comparisons; adapted to the device otherwise.
    fixed_microsteps: Option<u32>,
    width: Width,
    /// The kernel that was compiled last, with its source.
    compiled: Option<(String, Pipeline)>,
}

impl Gpu {
    /// Opens the adapter whose name contains `name`, or the first real GPU, or, if `software_too`, any.
    ///
    /// # Errors
    /// [`Fault::Device`] when there is none or it does not open.
    pub fn open(name: Option<&str>, software_too: bool) -> Result<Gpu, Fault> {
        let device = Device::open(name, software_too)?;
        Ok(Gpu {
            width: Width::new(device.summary.is_gpu),
            device,
            fixed_microsteps: None,
            compiled: None,
        })
    }

    /// The same device with that many microsteps a dispatch, for comparisons.
    pub fn with_microsteps(mut self, microsteps: u32) -> Gpu {
        self.fixed_microsteps = Some(microsteps.clamp(1, MOST_MICROSTEPS));
        self
    }

    /// What the adapter is.
    pub fn summary(&self) -> &AdapterSummary {
        &self.device.summary
    }

    /// The next wave of these pieces, and how many it holds.
    fn pack(&self, work: &[Work<'_>]) -> (Wave, usize) {
        wave::pack(work, self.device.words_per_buffer(), self.width.replicas())
    }

    /// The first pieces as one wave, and how many they were.
    fn first_wave(
        &mut self,
        model: &Model,
        work: &[Work<'_>],
        watch: &Watch,
        whole_states: bool,
    ) -> Result<Vec<(Tallies, Vec<u32>)>, Fault> {
        let source = shader::assemble(model);
        let (mut wave, count) = self.pack(work);
        let (pieces, begun) = (&work[..count], Instant::now());
        let replicas = pieces.iter().map(|piece| piece.unit.replicas);
        self.width.tried(replicas.fold(0, u32::saturating_add));
        // Some losses of a device end in a panic of wgpu: `Device::poll` has no error for them.
        let results = catch_unwind(AssertUnwindSafe(|| {
            let pipeline = match self.compiled.take() {
                Some((compiled, pipeline)) if compiled == source => pipeline,
                _ => self.device.pipeline(&source, "main")?,
            };
            let results =
                self.run_wave(model, &pipeline, pieces, &mut wave, watch, whole_states)?;
            self.compiled = Some((source, pipeline));
            Ok(results)
        }));
        let results = results.unwrap_or_else(|panic| {
            let what = "the driver's interface gave up";
            self.device.check(what)?;
            let text = (panic.downcast_ref::<String>().map(String::as_str))
                .or_else(|| panic.downcast_ref::<&str>().copied());
            let detail = text.unwrap_or("no reason given").to_owned();
            Err(self.device.fault(what, detail))
        })?;
        self.width.took(begun.elapsed());
        Ok(results)
    }
}

impl Backend for Gpu {
    fn kind(&self) -> &'static str {
        "gpu"
    }

    fn adapter(&self) -> String {
        self.device.summary.name.clone()
    }

    fn driver(&self) -> String {
        self.device.summary.driver.clone()
    }

    fn replicas_per_unit(&self, work: &Work<'_>) -> Result<u32, Fault> {
        wave::most_replicas(
            work,
            self.device.words_per_buffer(),
            &self.device.summary.name,
        )
    }

    fn run(
        &mut self,
        model: &Model,
        work: &[Work<'_>],
        watch: &Watch,
        done: &(dyn Fn(usize, Tallies) + Sync),
    ) -> Result<(), Fault> {
        let mut next = 0;
        while next < work.len() {
            for (tallies, _) in self.first_wave(model, &work[next..], watch, false)? {
                done(next, tallies);
                next += 1;
            }
        }
        Ok(())
    }

    fn final_states(
        &mut self,
        model: &Model,
        work: &Work<'_>,
        watch: &Watch,
    ) -> Result<(Tallies, Vec<u32>), Fault> {
        let mut results = self.first_wave(model, &[*work], watch, true)?;
        results
            .pop()
            .ok_or_else(|| Fault::Host("the device returned nothing".to_owned()))
    }
}

impl Accelerator for Gpu {
    fn wave(&self, work: &[Work<'_>]) -> usize {
        self.pack(work).1
    }

    fn fewest_replicas(&self, work: &Work<'_>) -> u32 {
        wave::fewest_replicas(work, self.device.words_per_buffer(), self.width.fewest())
    }

    fn recover(&mut self, fault: &Fault) -> Result<(), Fault> {
        if matches!(fault, Fault::Memory { .. }) {
            self.width.halve();
        }
        let fresh = Device::open(Some(&self.device.summary.name), true)?;
        let old = (
            self.compiled.take(),
            std::mem::replace(&mut self.device, fresh),
        );
        // wgpu waits for what a queue was doing, and panics when a lost device cannot tell.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(old)));
        Ok(())
    }
}

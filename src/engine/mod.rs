//! Engines: what turns units of work into tallies.
//!
//! Owns the seam between models and machines. Every backend gives the same bits; see docs/determinism.md.

mod cpu;
pub mod gpu;
pub(crate) mod instruction_set;
#[allow(
    clippy::needless_range_loop,
    reason = "loops over lanes and rows side by side"
)]
mod lanes;
pub mod limit;
mod unit;
pub mod verify;

pub use cpu::Cpu;
use cpu::record_rows;
pub(crate) use instruction_set::compile_for_each_instruction_set;
pub use instruction_set::{CpuKernel, InstructionSet, Stretch};
pub(crate) use lanes::{
    EvenOdd, Places, add_at, add_to_lane, count, count_at, draw, even_odd, high_words, look_up_two,
    look_up_wide, low_words, pick, pick_at, put, put_at,
};
pub use lanes::{Group, LANES, Lane, SPARE_ROWS};
pub use unit::{Recording, Unit, Work};

use crate::models::{Model, Tallies};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// A machine that simulates.
pub trait Backend {
    /// `cpu` or `gpu`.
    fn kind(&self) -> &'static str;

    /// The adapter, or the instruction set.
    fn adapter(&self) -> String;

    /// The driver, empty on the CPU.
    fn driver(&self) -> String;

    /// Most replicas that one unit of this plan should hold.
    ///
    /// # Errors
    /// [`Fault::TooLarge`] when not even one replica fits.
    fn replicas_per_unit(&self, work: &Work<'_>) -> Result<u32, Fault>;

    /// Simulates every piece of work and hands over its tallies, in any order, as (index, tallies).
    ///
    /// # Errors
    /// The first fault; pieces handed over before it are whole and right.
    fn run(
        &mut self,
        model: &Model,
        work: &[Work<'_>],
        watch: &Watch,
        done: &(dyn Fn(usize, Tallies) + Sync),
    ) -> Result<(), Fault>;

    /// The final state of every replica of one piece of work, `[word][replica]`, for comparisons.
    ///
    /// # Errors
    /// As for [`Backend::run`].
    fn final_states(
        &mut self,
        model: &Model,
        work: &Work<'_>,
        watch: &Watch,
    ) -> Result<(Tallies, Vec<u32>), Fault>;
}

/// Progress for those who look, and a way to stop.
#[derive(Debug, Default)]
pub struct Watch {
    steps: AtomicU64,
    stop: AtomicU8,
}

/// Why everything is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Stop {
    /// Somebody asked for it (SIGINT).
    Interrupt = 1,
    /// The system or its scheduler did (SIGTERM, SIGHUP).
    Terminate = 2,
    /// The time that was given is over.
    TimeLimit = 3,
    /// What is done cannot be kept.
    Storage = 4,
}

impl Watch {
    /// Nothing done, not stopped.
    pub fn new() -> Watch {
        Watch::default()
    }

    /// Steps of replicas simulated so far.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Adds steps of replicas.
    pub fn advance(&self, steps: u64) {
        self.steps.fetch_add(steps, Ordering::Relaxed);
    }

    /// Asks every engine to stop soon. The first reason stands.
    pub fn stop(&self, why: Stop) {
        let _ = (self.stop).compare_exchange(0, why as u8, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) != 0
    }

    /// Why everything is to stop, if it is.
    pub fn reason(&self) -> Option<Stop> {
        let reasons = [
            Stop::Interrupt,
            Stop::Terminate,
            Stop::TimeLimit,
            Stop::Storage,
        ];
        let stop = self.stop.load(Ordering::Relaxed);
        reasons.into_iter().find(|&why| why as u8 == stop)
    }
}

/// Why an engine gave up.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Somebody asked it to.
    #[error("stopped before the end")]
    Stopped,
    /// One replica does not fit.
    #[error(
        "one replica of point {point} needs {needed} bytes, but {device} allows {allowed} bytes a buffer; choose a device with larger buffers, or --backend cpu"
    )]
    TooLarge {
        /// Index of the point.
        point: u32,
        /// Bytes one replica needs.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
        /// Who allows them.
        device: String,
    },
    /// The driver or the device failed.
    #[error("{what} on {device}: {detail}\n  {remedy}")]
    Device {
        /// What failed.
        what: &'static str,
        /// Which adapter.
        device: String,
        /// What the driver said.
        detail: String,
        /// What to try.
        remedy: &'static str,
    },
    /// Thread pool or memory of the host.
    #[error("{0}")]
    Host(String),
}

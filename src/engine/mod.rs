//! Engines: what turns units of work into tallies.
//!
//! Owns the seam between models and machines. Every backend gives the same bits; see docs/determinism.md.

mod accelerator;
mod all;
mod attempt;
mod cpu;
pub mod gpu;
mod guarded;
#[cfg(test)]
mod guarded_tests;
mod incident;
pub(crate) mod instruction_set;
#[allow(
    clippy::needless_range_loop,
    reason = "loops over lanes and rows side by side"
)]
mod lanes;
pub mod limit;
mod unit;
pub mod verify;
mod watch;

pub use accelerator::Accelerator;
pub use all::All;
pub use cpu::Cpu;
use cpu::record_rows;
pub use guarded::Guarded;
pub use incident::Incident;
pub(crate) use instruction_set::compile_for_each_instruction_set;
pub use instruction_set::{CpuKernel, InstructionSet, Stretch};
pub(crate) use lanes::{
    EvenOdd, Places, add_at, add_to_lane, count, count_at, draw, even_odd, high_words, look_up_two,
    look_up_wide, low_words, pick, pick_at, put, put_at,
};
pub use lanes::{Group, LANES, Lane, SPARE_ROWS};
pub use unit::{Recording, Unit, Work};
pub use watch::{Stop, Watch};

use crate::models::{Model, Tallies};

/// A machine that simulates.
pub trait Backend: Send {
    /// `cpu`, `gpu` or `gpu+cpu`.
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

    /// What went wrong since the last call and was mended: no part of the results, but to be told and recorded.
    fn incidents(&mut self) -> Vec<Incident> {
        Vec::new()
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
    /// The device ran out of memory.
    #[error(
        "out of device memory on {device}: {detail}\n  fewer replicas a batch need less memory; or use --backend cpu"
    )]
    Memory {
        /// Which adapter.
        device: String,
        /// What the driver said.
        detail: String,
    },
    /// Thread pool or memory of the host.
    #[error("{0}")]
    Host(String),
}

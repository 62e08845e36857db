//! A whole run: points become units, a backend simulates them, tallies are merged into results.
//!
//! Owns the results of an ensemble and their merging. Does not know files (see `store`) or
//! estimators (see `statistics`).

use crate::experiment::Experiment;
use crate::models::{Plan, Point, Problem, Tallies};

/// Everything a finished (or extended) ensemble knows: a pure function of the experiment, but for the provenance.
#[derive(Debug, Clone)]
pub struct Results {
    /// What was asked for.
    pub experiment: Experiment,
    /// The points of the sweep.
    pub points: Vec<Point>,
    /// The resolved plan of each point.
    pub plans: Vec<Plan>,
    /// The accumulators: `batches[point][batch]`.
    pub batches: Vec<Vec<Tallies>>,
    /// Who ran it, where and how fast: no part of the result.
    pub provenance: Provenance,
}

/// Who ran an ensemble, where and how fast.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Provenance {
    /// Version of the program that simulated.
    pub program_version: String,
    /// `cpu` or `gpu`.
    pub backend: String,
    /// Name of the adapter, or of the processor's instruction set.
    pub adapter: String,
    /// The adapter's driver, empty on the CPU.
    pub driver: String,
    /// Start, RFC 3339 in UTC.
    pub started: String,
    /// End, RFC 3339 in UTC.
    pub ended: String,
    /// Steps simulated, warm-up included, over all replicas.
    pub steps: u64,
    /// Seconds spent simulating.
    pub seconds: f64,
}

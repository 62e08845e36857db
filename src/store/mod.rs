//! The result file: one HDF5 file that describes itself and opens in xarray with named dimensions.
//!
//! Owns the schema (docs/output-format.md), the writer and the reader. Does not compute statistics:
//! estimates are handed over, and accumulators are what is read back.

mod check;
pub(crate) mod checksum;
mod durable;
mod error;
mod layout;
mod parameters;
pub mod parts;
mod read;
mod record;
mod scale;
mod sheet;
mod source;
mod write;

pub use durable::{abandon, sweep};
pub use error::StoreError;
pub use read::{read, read_unverified};
pub use write::{assembling, check_writable, write};

/// Version of the layout that this program writes. It reads this one and all older ones.
pub const SCHEMA_VERSION: u32 = 2;

/// The value of the attribute by which a file is recognised.
const PROGRAM: &str = "queuefarm";

/// Everything in the file that follows from the accumulators by statistics.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Estimates {
    /// The level of the intervals, between 0 and 1.
    pub confidence: f64,
    /// One a quantity.
    pub columns: Vec<Columns>,
    /// One a point when the ensemble is recorded, none otherwise.
    pub ensembles: Vec<Ensemble>,
}

/// The estimates of one quantity: an entry a point in each list, NaN where there is no value.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    /// Name of the variable.
    pub name: &'static str,
    /// Unit of all of them, empty for pure numbers.
    pub unit: &'static str,
    /// One sentence for people.
    pub long_name: &'static str,
    /// The estimate.
    pub mean: Vec<f64>,
    /// Its standard error.
    pub se: Vec<f64>,
    /// Lower end of its interval.
    pub lo: Vec<f64>,
    /// Upper end of its interval.
    pub hi: Vec<f64>,
    /// What theory says.
    pub theory: Vec<f64>,
}

/// The traced value over the replicas of one point: an entry a recorded tick in each list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ensemble {
    /// Mean over replicas.
    pub mean: Vec<f64>,
    /// Variance over replicas.
    pub variance: Vec<f64>,
}

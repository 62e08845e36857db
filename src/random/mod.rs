//! Counter-based random numbers: every draw has an address, and no generator has a state.
//!
//! Owns Threefry, the registry of purposes, and the conversions from words to events that kernels
//! use (probabilities as thresholds, logarithms of uniforms, random times of any law). Knows no model.
//!
//! A draw is addressed by (seed, stream, purpose, replica, step, block): seed, stream and purpose
//! are the 128-bit key, replica, step and block the 128-bit counter. The map is injective, so no two
//! replicas, points or purposes ever share a word.

mod exponential;
mod log2;
mod probability;
mod purpose;
mod quantile;
mod threefry;

pub(crate) use exponential::{LN_2, LN_2_EXCESS};
pub use exponential::{EXPONENTIAL_FRACTION_BITS, EXPONENTIAL_TABLE_WORDS, MIDPOINT, SHORT_WORD};
pub use exponential::{exponential, exponential_cell, exponential_of, exponential_table, is_short};
pub use log2::{LOG2_TABLE_WORDS, log2_table, minus_log2, minus_log2_of};
pub(crate) use log2::{interpolate, multiply_high, node, normalise};
pub use probability::{CERTAIN, probability, threshold};
pub use purpose::Purpose;
#[cfg(test)]
pub(crate) use quantile::moments;
pub use quantile::{QUANTILE_TABLE_WORDS, quantile, quantile_is_short, quantile_of};
pub use quantile::{quantile_place, quantile_table, unit_cells};
pub use threefry::{ROUNDS, block};

/// Version of the meaning of every random bit: changing any bit of any result raises it.
pub const STREAM_VERSION: u32 = 1;

/// What all replicas of a point have in common: the part of a draw's address that is the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The seed of the experiment.
    pub seed: u64,
    /// The stream: the index of the point.
    pub stream: u32,
}

impl Key {
    /// The four key words of Threefry for one purpose.
    pub fn words(self, purpose: Purpose) -> [u32; 4] {
        [
            self.seed as u32,
            (self.seed >> 32) as u32,
            self.stream,
            purpose as u32,
        ]
    }

    /// The four words of one draw of a single replica, for the host.
    pub fn draw(self, purpose: Purpose, replica: u32, step: u32, block_index: u32) -> [u32; 4] {
        block([step, 0, replica, block_index], self.words(purpose))
    }
}

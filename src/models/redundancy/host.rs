//! The draws of `redundancy`, one at a time: for the start, and for lanes that need more than vectors do.
//!
//! Owns the meaning of every law in integers; draws.rs does the same for many lanes at once.

use super::kernel::RANGE;
use super::words::{law, param};
use crate::models::Plan;
use crate::random::{
    EXPONENTIAL_TABLE_WORDS, Key, MIDPOINT, Purpose, exponential, is_short, quantile,
    quantile_is_short,
};

/// The time from the job before to this one, in units with 32 fraction bits.
pub fn gap(plan: &Plan, key: &Key, replica: u32, job: u32) -> u64 {
    let word = key.draw(Purpose::RedundancyJob, replica, job, 0)[0];
    let more = || key.draw(Purpose::RedundancyMore, replica, job, 0)[0];
    gap_from(&plan.params, &plan.tables, word, more)
}

/// The same from its word; `more` gives further bits when they are needed.
#[inline(always)]
pub fn gap_from(params: &[u32], tables: &[u32], word: u32, more: impl Fn() -> u32) -> u64 {
    match params[param::ARRIVAL_LAW] as usize {
        law::EXPONENTIAL => {
            let low = if is_short(word) { more() } else { MIDPOINT };
            let drawn = u64::from(exponential(&tables[..EXPONENTIAL_TABLE_WORDS], word, low));
            (drawn * u64::from(params[param::ARRIVAL_MANTISSA])) >> params[param::ARRIVAL_SHIFT]
        }
        law::CONSTANT => {
            u64::from(params[param::ARRIVAL_UNITS]) << 32
                | u64::from(params[param::ARRIVAL_FRACTION])
        }
        _ => {
            let low = if quantile_is_short(word) {
                more()
            } else {
                MIDPOINT
            };
            quantile(&tables[params[param::ARRIVAL_AT] as usize..], word, low)
        }
    }
}

/// Whether a word of a size needs further bits.
#[inline(always)]
pub fn size_is_short(params: &[u32], word: u32) -> bool {
    match params[param::SERVICE_LAW] as usize {
        law::EXPONENTIAL => is_short(word),
        law::QUANTILE => quantile_is_short(word),
        _ => false,
    }
}

/// A size at speed 1 from its word and further bits: 2^-26 units for exponential ones, else units of the clock.
#[inline(always)]
pub fn raw_size(params: &[u32], tables: &[u32], word: u32, low: u32) -> u32 {
    match params[param::SERVICE_LAW] as usize {
        law::EXPONENTIAL => exponential(&tables[..EXPONENTIAL_TABLE_WORDS], word, low),
        law::CONSTANT => params[param::SERVICE_UNITS],
        law::QUANTILE => {
            let value = quantile(&tables[params[param::SERVICE_AT] as usize..], word, low);
            ((value + (1 << 31)) >> 32) as u32
        }
        _ => {
            let product = u64::from(word) * u64::from(params[param::SERVICE_SAMPLES]);
            tables[params[param::SERVICE_AT] as usize + (product >> 32) as usize]
        }
    }
}

/// A size in units at a server of its own speed, from what `raw_size` gives: at most the end of the range.
#[inline(always)]
pub fn size_at_speed(params: &[u32], tables: &[u32], raw: u32, server: u32) -> u32 {
    let factor = u64::from(tables[(params[param::SPEED_AT] + server) as usize]);
    let shift = params[param::SPEED_SHIFT];
    let half = (1u64 << shift) >> 1;
    ((u64::from(raw) * factor + half) >> shift).min(u64::from(RANGE)) as u32
}

/// An exponential draw in units, to nearest. Ties go up in even jobs and down in odd ones: up in all, they would make
/// sizes half of 2^-26 too long on average, whatever the clock.
#[inline(always)]
pub fn rounded(drawn: u32, shift: u32, job: u32) -> u32 {
    let half = (1u32 << shift) >> 1;
    (drawn.wrapping_add(half - (job & 1).min(half)) >> shift).min(RANGE)
}

/// The size of a copy of a job at any server, for exponential sizes and equal speeds, from 64 random bits.
pub fn size_from(plan: &Plan, high: u32, low: u32, job: u32) -> u32 {
    let raw = raw_size(&plan.params, &plan.tables, high, low);
    match plan.params[param::SERVICE_LAW] as usize {
        law::EXPONENTIAL => rounded(raw, plan.params[param::SERVICE_SHIFT], job),
        _ => raw.min(RANGE),
    }
}

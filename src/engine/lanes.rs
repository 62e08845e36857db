//! Sixteen replicas side by side: the memory they share, and unchecked access to it where speed demands.
//!
//! Owns the layout `[row][lane]` of state and counts on the CPU and the only unchecked indexing of the
//! crate. Knows no model.

use crate::random::{Key, Word};
use std::ops::{Deref, DerefMut};

/// Replicas advanced together by a CPU kernel: one AVX-512 register of words.
pub const LANES: usize = 16;

/// One word of every lane, aligned to a cache line so that no vector access is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Lane(pub [u32; LANES]);

impl Lane {
    /// Zero in every lane.
    pub const ZERO: Lane = Lane([0; LANES]);

    /// The same word in every lane.
    #[inline(always)]
    pub const fn all(word: u32) -> Lane {
        Lane([word; LANES])
    }
}

impl Deref for Lane {
    type Target = [u32; LANES];
    #[inline(always)]
    fn deref(&self) -> &[u32; LANES] {
        &self.0
    }
}

impl DerefMut for Lane {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u32; LANES] {
        &mut self.0
    }
}

impl Word for Lane {
    #[inline(always)]
    fn add(self, other: Lane) -> Lane {
        Lane(self.0.add(other.0))
    }
    #[inline(always)]
    fn add_scalar(self, other: u32) -> Lane {
        Lane(self.0.add_scalar(other))
    }
    #[inline(always)]
    fn rotate_xor(self, by: u32, other: Lane) -> Lane {
        Lane(self.0.rotate_xor(by, other.0))
    }
}

/// A group of replicas while a kernel advances it.
#[derive(Debug)]
pub struct Group<'a> {
    /// Seed and stream of the point.
    pub key: Key,
    /// The replica in lane 0; lane i holds this plus i.
    pub first_replica: u32,
    /// State, a row a word.
    pub state: &'a mut [Lane],
    /// Counts, a row a bin, and one more row for what is not to be counted.
    pub counts: &'a mut [Lane],
    /// The traced value of every step, when it is recorded.
    pub trace: Option<&'a mut Vec<[i32; LANES]>>,
}

impl Group<'_> {
    /// The replica number of every lane.
    #[inline(always)]
    pub fn replicas(&self) -> Lane {
        let mut replicas = Lane::ZERO;
        for (i, replica) in replicas.iter_mut().enumerate() {
            *replica = self.first_replica.wrapping_add(i as u32);
        }
        replicas
    }
}

/// Adds one to the count of a bin in every lane. A bin past the last row counts in the last row.
#[inline(always)]
pub fn count(counts: &mut [Lane], bins: &Lane) {
    let Some(last) = counts.len().checked_sub(1) else {
        return;
    };
    let mut rows = Lane::ZERO;
    for i in 0..LANES {
        rows[i] = bins[i].min(last as u32);
    }
    // Through memory: taking sixteen words out of a vector register one by one is slower.
    let rows = std::hint::black_box(&rows);
    for i in 0..LANES {
        // SAFETY: the row is at most `last`, the index of the last row of counts that are not empty
        // (a `last` beyond 32 bits is cut to a smaller row).
        let row = unsafe { counts.get_unchecked_mut(rows[i] as usize) };
        row[i] = row[i].wrapping_add(1);
    }
}

/// Looks up a table entry for every lane. An index past the end reads the last entry.
#[inline(always)]
pub fn look_up(table: &[u32], index: &Lane) -> Lane {
    let Some(last) = table.len().checked_sub(1) else {
        return Lane::ZERO;
    };
    let mut found = Lane::ZERO;
    for i in 0..LANES {
        // SAFETY: the index is at most `last`, the index of the last entry of a table that is not empty.
        found[i] = unsafe { *table.get_unchecked((index[i] as usize).min(last)) };
    }
    found
}

//! Sixteen replicas side by side: the memory they share, and unchecked access to it where speed demands.
//!
//! Owns the layout `[row][lane]` of state and counts on the CPU and the only unchecked indexing of the
//! crate. Knows no model.

use crate::random::Key;

/// Replicas advanced together by a CPU kernel: one AVX-512 register of words.
pub const LANES: usize = 16;

/// One word of every lane.
pub type Lane = [u32; LANES];

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
        let mut replicas = [0; LANES];
        for (i, replica) in replicas.iter_mut().enumerate() {
            *replica = self.first_replica.wrapping_add(i as u32);
        }
        replicas
    }
}

/// Adds one to the count of a bin in every lane. A bin past the last row counts in the last row.
#[inline(always)]
pub fn count(counts: &mut [Lane], bins: &Lane) {
    let last = counts.len().saturating_sub(1) as u32;
    let mut index = [0u32; LANES];
    for i in 0..LANES {
        index[i] = bins[i].min(last) * LANES as u32 + i as u32;
    }
    let flat = counts.as_flattened_mut();
    if flat.is_empty() {
        return;
    }
    for i in 0..LANES {
        // SAFETY: `counts` has `last + 1 >= 1` rows, so row `min(bin, last)`, column i < LANES lies
        // within the flattened slice of (last + 1) * LANES words. Rows are limited to 2^28 by the
        // engine, so the product does not wrap.
        let slot = unsafe { flat.get_unchecked_mut(index[i] as usize) };
        *slot = slot.wrapping_add(1);
    }
}

/// Looks up a table entry for every lane. An index past the end reads the last entry.
#[inline(always)]
pub fn look_up(table: &[u32], index: &Lane) -> Lane {
    let Some(last) = table.len().checked_sub(1) else { return [0; LANES] };
    let mut found = [0; LANES];
    for i in 0..LANES {
        // SAFETY: the index is at most `last`, the index of the last entry of a table that is not empty.
        found[i] = unsafe { *table.get_unchecked((index[i] as usize).min(last)) };
    }
    found
}

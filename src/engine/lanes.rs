//! Sixteen replicas side by side: the memory they share, and unchecked access to it where speed demands.
//!
//! Owns the layout `[row][lane]` of state and counts on the CPU and the only unchecked indexing of the
//! crate. Knows no model.

use crate::random::{Key, block};
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

/// The four words of a draw in every lane. One loop over lanes of the whole block, which compiles to vector
/// instructions everywhere; a loop for each of its operations would be unrolled and mangled.
#[inline(always)]
pub fn draw(key: [u32; 4], step: u32, replicas: &Lane, block_index: u32) -> [Lane; 4] {
    let mut words = [Lane::ZERO; 4];
    for i in 0..LANES {
        let one = block([step, 0, replicas[i], block_index], key);
        for (lane, word) in words.iter_mut().zip(one) {
            lane[i] = word;
        }
    }
    words
}

/// Adds one to the count of a bin in every lane. A bin past the last row counts in the last row.
#[inline(always)]
pub fn count(counts: &mut [Lane], bins: &Lane) {
    let Some(last) = counts.len().checked_sub(1) else {
        return;
    };
    // Cut where places would not fit 32 bits: 16 GiB of counts.
    let last = last.min(u32::MAX as usize / LANES - 1) as u32;
    let mut places = Lane::ZERO;
    for i in 0..LANES {
        places[i] = bins[i].min(last) * LANES as u32 + i as u32;
    }
    // Through memory: taking sixteen words out of a vector register one by one is slower.
    let places = std::hint::black_box(&places);
    let words = counts.as_mut_ptr().cast::<u32>();
    for &place in places.iter() {
        // SAFETY: a `Lane` is LANES words without padding, and the place is word i < LANES of a row that is
        // at most `last`, the index of the last row of counts that are not empty.
        unsafe { *words.add(place as usize) = (*words.add(place as usize)).wrapping_add(1) };
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

#[cfg(test)]
mod tests {
    use super::{LANES, Lane, draw};
    use crate::random::{Key, Purpose};

    #[test]
    fn every_lane_draws_what_its_replica_draws() {
        let key = Key {
            seed: 0x0123_4567_89AB_CDEF,
            stream: 9,
        };
        let mut replicas = Lane::ZERO;
        for (i, replica) in replicas.iter_mut().enumerate() {
            *replica = 0x9E37_79B9u32.wrapping_mul(i as u32);
        }
        let words = draw(key.words(Purpose::DelayChoice), 77, &replicas, 3);
        for i in 0..LANES {
            let one = key.draw(Purpose::DelayChoice, replicas[i], 77, 3);
            assert_eq!(
                [words[0][i], words[1][i], words[2][i], words[3][i]],
                one,
                "lane {i}"
            );
        }
    }
}

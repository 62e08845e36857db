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

/// Rows of counts beside those of the bins: one for what is not to be counted, one to work in.
pub const SPARE_ROWS: usize = 2;

/// A group of replicas while a kernel advances it.
#[derive(Debug)]
pub struct Group<'a> {
    /// Seed and stream of the point.
    pub key: Key,
    /// The replica in lane 0; lane i holds this plus i.
    pub first_replica: u32,
    /// State, a row a word.
    pub state: &'a mut [Lane],
    /// Counts, a row a bin, and [`SPARE_ROWS`] more.
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

/// Adds one to the count of a bin in every lane. A bin past the last counts in the row after the last, the
/// first of the spare rows.
///
/// The places go through memory, since taking sixteen words out of a vector register one by one is slower:
/// through a row beside the counts and not through the stack, whose addresses may share a way of the
/// processor's cache with those of the counts, which halves the speed of some runs.
#[inline(always)]
pub fn count(counts: &mut [Lane], bins: &Lane) {
    let Some((scratch, counts)) = counts.split_last_mut() else {
        return;
    };
    let Some(last) = counts.len().checked_sub(1) else {
        return;
    };
    // Cut where places would not fit 32 bits: 16 GiB of counts.
    let last = last.min(u32::MAX as usize / LANES - 1) as u32;
    for i in 0..LANES {
        scratch[i] = bins[i].min(last) * LANES as u32 + i as u32;
    }
    let words = counts.as_mut_ptr().cast::<u32>();
    for k in 0..LANES / 2 {
        for place in two_places(scratch, k) {
            // SAFETY: a `Lane` is LANES words without padding, and the place is word i < LANES of a row that is
            // at most `last`, the index of the last row of counts that are not empty.
            unsafe { *words.add(place) = (*words.add(place)).wrapping_add(1) };
        }
    }
}

/// Two neighbouring places, as one load: it is loads that these loops have most of.
#[inline(always)]
fn two_places(places: &Lane, k: usize) -> [usize; 2] {
    // SAFETY: words 2 k and 2 k + 1 < LANES of a row that is aligned to 64 bytes; volatile, so that they come
    // from memory.
    let two = unsafe { std::ptr::read_volatile(places.as_ptr().cast::<u64>().add(k)) }.to_le();
    [(two as u32) as usize, (two >> 32) as usize]
}

/// Where the words of every lane lie that are in a row of their own: made ahead of their use, so that they are in
/// memory by then, as in [`count`].
#[derive(Debug, Clone, Copy)]
pub struct Places {
    /// Counted in words.
    words: Lane,
    /// Rows that are enough for all of them.
    rows: usize,
}

impl Places {
    /// In the first row.
    pub const FIRST: Places = Places {
        words: Lane({
            let mut first = [0; LANES];
            let mut i = 0;
            while i < LANES {
                first[i] = i as u32;
                i += 1;
            }
            first
        }),
        rows: 1,
    };

    /// In the row of that index for every lane, of so many rows; an index past the end is that of the last row.
    #[inline(always)]
    pub fn new(rows: usize, index: &Lane) -> Places {
        let rows = rows.clamp(1, u32::MAX as usize / LANES);
        let last = rows as u32 - 1;
        let mut words = Lane::ZERO;
        for i in 0..LANES {
            words[i] = index[i].min(last) * LANES as u32 + i as u32;
        }
        Places { words, rows }
    }
}

/// Adds one to the count at places; nothing where there are fewer rows than the places were made for.
#[inline(always)]
pub fn count_at(counts: &mut [Lane], places: &Places) {
    add_at(counts, places, 1);
}

/// Adds a number, the same in every lane, to the words at places, as [`count_at`] does with 1.
#[inline(always)]
pub fn add_at(rows: &mut [Lane], places: &Places, amount: u32) {
    if rows.len() < places.rows {
        return;
    }
    let words = rows.as_mut_ptr().cast::<u32>();
    for k in 0..LANES / 2 {
        for place in two_places(&places.words, k) {
            // SAFETY: as in `pick_at`.
            unsafe { *words.add(place) = (*words.add(place)).wrapping_add(amount) };
        }
    }
}

/// The words at places; zeros where there are fewer rows than the places were made for.
///
/// The places go through memory, as in [`count`]. The words do not: a vector load of what sixteen stores just
/// wrote would wait until all of them have left the store queue.
#[inline(always)]
pub fn pick_at(rows: &[Lane], places: &Places) -> Lane {
    let mut found = Lane::ZERO;
    if rows.len() < places.rows {
        return found;
    }
    let words = rows.as_ptr().cast::<u32>();
    for k in 0..LANES / 2 {
        let [even, odd] = two_places(&places.words, k);
        // SAFETY: a `Lane` is LANES words without padding, and the place is word i < LANES of a row below
        // `places.rows`, which are all there. Volatile, so that the loop stays one of plain loads: gathering
        // instructions are slower.
        unsafe {
            found[2 * k] = std::ptr::read_volatile(words.add(even));
            found[2 * k + 1] = std::ptr::read_volatile(words.add(odd));
        }
    }
    found
}

/// Writes words at places; nothing where there are fewer rows than the places were made for.
#[inline(always)]
pub fn put_at(rows: &mut [Lane], places: &Places, words: &Lane) {
    if rows.len() < places.rows {
        return;
    }
    let words = *words;
    let words = std::hint::black_box(&words);
    let row_words = rows.as_mut_ptr().cast::<u32>();
    for k in 0..LANES / 2 {
        let [even, odd] = two_places(&places.words, k);
        let [first, second] = two_places(words, k);
        // SAFETY: as in `pick_at`.
        unsafe {
            *row_words.add(even) = first as u32;
            *row_words.add(odd) = second as u32;
        }
    }
}

/// The word of every lane in a row of its own. A row past the end reads the last row.
#[inline(always)]
pub fn pick(rows: &[Lane], index: &Lane) -> Lane {
    pick_at(rows, std::hint::black_box(&Places::new(rows.len(), index)))
}

/// Writes the word of every lane into a row of its own. A row past the end writes the last row.
#[inline(always)]
pub fn put(rows: &mut [Lane], index: &Lane, words: &Lane) {
    let places = Places::new(rows.len(), index);
    put_at(rows, std::hint::black_box(&places), words);
}

/// Adds to a sum of one lane that is spread over rows, the lowest word first.
pub fn add_to_lane(rows: &mut [Lane], lane: usize, amount: u128) {
    let old = |sum: u128, row: &Lane| sum << 32 | u128::from(row[lane]);
    let total = rows.iter().rev().fold(0, old) + amount;
    for (k, row) in rows.iter_mut().enumerate() {
        row[lane] = (total >> (32 * k)) as u32;
    }
}

/// Words of 64 bits of the even and of the odd lanes: the order in which vectors of 32-bit words are multiplied.
pub type EvenOdd = [[u64; LANES / 2]; 2];

/// The words of the even and of the odd lanes, widened.
#[inline(always)]
pub fn even_odd(words: &Lane) -> EvenOdd {
    let pairs: [u64; LANES / 2] = bytemuck::cast(words.0);
    let mut wide = [[0; LANES / 2]; 2];
    for k in 0..LANES / 2 {
        let pair = if cfg!(target_endian = "big") {
            pairs[k].rotate_left(32)
        } else {
            pairs[k]
        };
        wide[0][k] = pair & 0xFFFF_FFFF;
        wide[1][k] = pair >> 32;
    }
    wide
}

/// The lower halves of the words of even and odd lanes, back in one row.
#[inline(always)]
pub fn low_words(wide: &EvenOdd) -> Lane {
    joined(|k| (wide[0][k] & 0xFFFF_FFFF) | (wide[1][k] << 32))
}

/// The upper halves of the words of even and odd lanes, back in one row.
#[inline(always)]
pub fn high_words(wide: &EvenOdd) -> Lane {
    joined(|k| (wide[0][k] >> 32) | (wide[1][k] & !0xFFFF_FFFF))
}

/// A row from the pairs of an even and the next odd lane, the even one in the lower half.
#[inline(always)]
fn joined(pair_of: impl Fn(usize) -> u64) -> Lane {
    let mut pairs = [0; LANES / 2];
    for k in 0..LANES / 2 {
        let pair = pair_of(k);
        pairs[k] = if cfg!(target_endian = "big") {
            pair.rotate_left(32)
        } else {
            pair
        };
    }
    Lane(bytemuck::cast(pairs))
}

/// Looks up an entry of 64 bits for every lane; an index is taken modulo the length of the table. The words do
/// not go through memory, as in [`pick`].
#[inline(always)]
pub fn look_up_wide<const N: usize>(table: &[u64; N], index: &Lane) -> EvenOdd {
    const { assert!(N.is_power_of_two()) };
    let mut places = Lane::ZERO;
    for i in 0..LANES {
        places[i] = index[i] & (N as u32 - 1);
    }
    let places = std::hint::black_box(&places);
    let mut found = [[0; LANES / 2]; 2];
    for k in 0..LANES / 2 {
        for (found, place) in found.iter_mut().zip(two_places(places, k)) {
            // SAFETY: the place is below N, which is a power of two. Volatile as in `pick`.
            found[k] = unsafe { std::ptr::read_volatile(table.as_ptr().add(place)) };
        }
    }
    found
}

/// Two words of every lane, on their way from a table.
#[repr(C, align(64))]
struct Pairs([[u32; 2]; LANES]);

/// Looks up two neighbouring table entries for every lane: the one at the index and the next. An index past
/// the last pair reads the last pair; a table without a pair reads zeros.
#[inline(always)]
pub fn look_up_two(table: &[u32], index: &Lane) -> [Lane; 2] {
    let mut found = [Lane::ZERO; 2];
    let Some(last) = table.len().checked_sub(2) else {
        return found;
    };
    let last = last.min(u32::MAX as usize) as u32;
    let mut places = Lane::ZERO;
    for i in 0..LANES {
        places[i] = index[i].min(last);
    }
    // Through memory both ways: moving words between vector registers and others one by one is slower.
    let places = std::hint::black_box(&places);
    let mut pairs = Pairs([[0; 2]; LANES]);
    for i in 0..LANES {
        let at = places[i] as usize;
        // SAFETY: the place is at most `last`, so it and the next are places of the table.
        pairs.0[i] = unsafe { [*table.get_unchecked(at), *table.get_unchecked(at + 1)] };
    }
    let pairs = std::hint::black_box(&pairs);
    for (i, &pair) in pairs.0.iter().enumerate() {
        [found[0][i], found[1][i]] = pair;
    }
    found
}

#[cfg(test)]
#[path = "lanes_tests.rs"]
mod tests;

//! Exponential draws of `redundancy` on the CPU: several rows of sixteen at once.
//!
//! Owns the lanes' way through the logarithm (see random/exponential.rs) and the further bits of small words.

use super::kernel::{Kernel, rows};
use crate::engine::{LANES, Lane, even_odd, look_up_wide, low_words};
use crate::random::{
    EXPONENTIAL_TABLE_WORDS, LN_2, LN_2_EXCESS, SHORT_WORD, exponential, exponential_cell,
};

/// The table of random/exponential.rs, base and slope of a cell in one word.
pub type Cells = [u64; CELLS];

const CELLS: usize = EXPONENTIAL_TABLE_WORDS / 2;

/// The same from the table, which starts a model's tables.
pub fn cells(tables: &[u32]) -> Cells {
    let mut cells = [0; CELLS];
    for (cell, pair) in cells.iter_mut().zip(tables.chunks_exact(2)) {
        *cell = u64::from(pair[0]) | u64::from(pair[1]) << 32;
    }
    cells
}

/// Exponentials of words that are not short, see [`SHORT_WORD`].
#[inline(always)]
pub fn exponential_row(cells: &Cells, words: &Lane) -> Lane {
    let (mut octaves, mut mantissas, mut cell) = (Lane::ZERO, Lane::ZERO, Lane::ZERO);
    for i in 0..LANES {
        // As `normalise` with [`MIDPOINT`]: what is rotated in at the end is a one and then zeros.
        let word = words[i].max(SHORT_WORD);
        let zeros = word.leading_zeros();
        let mantissa = (word | 1 << 31).rotate_left(zeros);
        octaves[i] = zeros + 1;
        mantissas[i] = mantissa;
        cell[i] = exponential_cell(mantissa) / 2;
    }
    let pairs = look_up_wide(cells, &cell);
    let mut lines = even_odd(&mantissas);
    for half in 0..2 {
        for k in 0..LANES / 2 {
            let pair = pairs[half][k];
            let rise = ((pair >> 32) * lines[half][k]) >> 32;
            lines[half][k] = pair.wrapping_add(rise);
        }
    }
    let lines = low_words(&lines);
    let mut drawn = Lane::ZERO;
    for i in 0..LANES {
        let below = lines[i].wrapping_add(octaves[i].wrapping_mul(LN_2_EXCESS)) >> 5;
        drawn[i] = octaves[i].wrapping_mul(LN_2).max(below) - below;
    }
    drawn
}

impl Kernel<'_, '_> {
    /// Exponentials from the words at a place of consecutive jobs, in units of 2^-26, and what is made of each, given
    /// its job: written to `found`, since a row that is returned is copied once more.
    #[inline(always)]
    pub fn exponentials<const J: usize>(
        &self,
        job: u32,
        place: u32,
        words: &[Lane; J],
        found: &mut [Lane; J],
        made: impl Fn(u32, u32) -> u32,
    ) {
        let mut shortest = Lane::all(u32::MAX);
        for j in 0..rows::<J>() {
            let mut drawn = exponential_row(&self.cells, &words[j]);
            let job = job.wrapping_add(j as u32);
            for i in 0..LANES {
                drawn[i] = made(job, drawn[i]);
                shortest[i] = shortest[i].min(words[j][i]);
            }
            found[j] = drawn;
        }
        let mut least = u32::MAX;
        for i in 0..LANES {
            least = least.min(shortest[i]);
        }
        if least < SHORT_WORD {
            self.lengthen(job, place, words, found, made);
        }
    }

    /// The same where a word is so small that it needs more bits.
    #[cold]
    #[inline(never)]
    fn lengthen(
        &self,
        job: u32,
        place: u32,
        words: &[Lane],
        found: &mut [Lane],
        made: impl Fn(u32, u32) -> u32,
    ) {
        for (j, (words, found)) in words.iter().zip(found).enumerate() {
            let job = job.wrapping_add(j as u32);
            for i in 0..LANES {
                if words[i] < SHORT_WORD {
                    let more = self.more(job, place, i);
                    found[i] = made(job, exponential(self.tables, words[i], more));
                }
            }
        }
    }
}

//! Exponential draws of `redundancy` on the CPU: several rows of sixteen at once.
//!
//! Owns the phases of the logarithm (see random/exponential.rs) and the further bits of small words.

use super::kernel::Kernel;
use crate::engine::{LANES, Lane, Pairs, columns, copy_pairs};
use crate::random::{
    Purpose, SHORT_WORD, exponential, exponential_cell, exponential_of, normalise,
};

/// Words on their way through the logarithm.
#[derive(Clone, Copy)]
struct Normal {
    zeros: Lane,
    mantissa: Lane,
    cell: Lane,
}

impl Normal {
    const ZERO: Normal = Normal {
        zeros: Lane::ZERO,
        mantissa: Lane::ZERO,
        cell: Lane::ZERO,
    };
}

#[inline(always)]
fn normal_of(words: &Lane) -> Normal {
    let mut normal = Normal::ZERO;
    for i in 0..LANES {
        let (zeros, mantissa) = normalise(words[i], 1 << 31);
        normal.zeros[i] = zeros;
        normal.mantissa[i] = mantissa;
        normal.cell[i] = exponential_cell(mantissa);
    }
    normal
}

#[inline(always)]
fn interpolated(normal: &Normal, pairs: &Pairs) -> Lane {
    let [base, slope] = columns(pairs);
    let mut drawn = Lane::ZERO;
    for i in 0..LANES {
        drawn[i] = exponential_of(normal.zeros[i], normal.mantissa[i], base[i], slope[i]);
    }
    drawn
}

impl Kernel<'_, '_> {
    /// Exponentials from the words at a place of consecutive jobs, in units of 2^-26.
    #[inline(always)]
    pub fn exponentials<const J: usize>(
        &self,
        job: u32,
        place: u32,
        words: &[Lane; J],
    ) -> [Lane; J] {
        let mut normal = [Normal::ZERO; J];
        let mut shortest = Lane::all(u32::MAX);
        let rows = std::hint::black_box(J).min(J);
        for j in 0..rows {
            normal[j] = normal_of(&words[j]);
            for i in 0..LANES {
                shortest[i] = shortest[i].min(words[j][i]);
            }
        }
        let mut pairs = [Pairs::ZERO; J];
        for j in 0..rows {
            copy_pairs(self.tables, &normal[j].cell, &mut pairs[j]);
        }
        let mut drawn = [Lane::ZERO; J];
        for j in 0..rows {
            drawn[j] = interpolated(&normal[j], &pairs[j]);
        }
        let mut least = u32::MAX;
        for i in 0..LANES {
            least = least.min(shortest[i]);
        }
        if least < SHORT_WORD {
            self.lengthen(job, place, words, &mut drawn);
        }
        drawn
    }

    /// The same where a word is so small that it needs more bits.
    #[cold]
    #[inline(never)]
    fn lengthen(&self, job: u32, place: u32, words: &[Lane], drawn: &mut [Lane]) {
        for j in 0..words.len() {
            for i in 0..LANES {
                if words[j][i] < SHORT_WORD {
                    let more = self.group.key.draw(
                        Purpose::RedundancyMore,
                        self.replicas[i],
                        job.wrapping_add(j as u32),
                        place / 4,
                    );
                    drawn[j][i] = exponential(self.tables, words[j][i], more[place as usize % 4]);
                }
            }
        }
    }
}

//! How numbers lie in the file: the shape of chunks, and whole numbers of 128 bits as pairs of 64.
//!
//! Owns arithmetic only; knows neither HDF5 nor what the numbers mean.

use crate::models::Scale;

/// Chunks are not made smaller than this where several points fit in one, in bytes.
const LEAST: usize = 64 << 10;
/// Chunks are not made larger than this, the size of the library's chunk cache, in bytes.
const MOST: usize = 1 << 20;

/// Which part of a 128-bit number a variable holds, in words: of the plain name, and of the name with `_high`.
pub(super) const BITS: [&str; 2] = ["bits 0 to 63", "bits 64 to 127"];

/// The shape of the chunks of an array of `shape` (points first, no axis empty) with items of `item` bytes.
///
/// A chunk holds one point, several where points are small, a part of one where it is large.
pub(super) fn chunk(shape: &[usize], item: usize) -> Vec<usize> {
    let mut chunk = shape.to_vec();
    let Some(points) = shape.first().copied() else {
        return chunk;
    };
    let point = item * shape[1..].iter().product::<usize>();
    chunk[0] = (LEAST / point.max(1)).clamp(1, points.max(1));
    for axis in 1..chunk.len() {
        let row = item * chunk[axis + 1..].iter().product::<usize>();
        chunk[axis] = chunk[axis].min((MOST / row.max(1)).max(1));
    }
    chunk
}

/// The number that tells a scale of a histogram from others of its kind.
pub(super) fn scale_word(scale: Scale) -> u32 {
    match scale {
        Scale::Linear { width, .. } => width,
        Scale::LogLinear { bits } => 1 << bits,
    }
}

/// What that number is: the suffix of its variable, and its meaning.
pub(super) fn scale_name(scale: Scale) -> (&'static str, &'static str) {
    match scale {
        Scale::Linear { .. } => ("width", "values a bin"),
        Scale::LogLinear { .. } => ("bins_an_octave", "bins an octave"),
    }
}

/// The lower and the upper 64 bits.
pub(super) fn split(x: u128) -> [u64; 2] {
    [x as u64, (x >> 64) as u64]
}

/// The lower 64 bits, and the upper ones with the sign: x = high * 2^64 + low.
pub(super) fn split_signed(x: i128) -> (u64, i64) {
    (x as u64, (x >> 64) as i64)
}

/// The inverse of [`split`].
pub(super) fn join(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// The inverse of [`split_signed`].
pub(super) fn join_signed(low: u64, high: i64) -> i128 {
    i128::from(high) << 64 | i128::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_stay_between_their_bounds_and_inside_the_array() {
        for shape in [
            vec![1, 1, 1],
            vec![75, 64, 401],
            vec![3, 64, 8192],
            vec![2, 3, 1 << 20],
            vec![1000, 64, 2],
            vec![5000, 1],
            vec![1, 100_000, 7],
        ] {
            let chunk = chunk(&shape, 8);
            let bytes = 8 * chunk.iter().product::<usize>();
            assert!(
                chunk.iter().zip(&shape).all(|(c, s)| (1..=*s).contains(c)),
                "{shape:?} {chunk:?}"
            );
            assert!(bytes <= MOST, "{shape:?} {chunk:?}");
            let whole = 8 * shape.iter().product::<usize>();
            assert!(bytes >= (10 << 10).min(whole), "{shape:?} {chunk:?}");
        }
    }

    #[test]
    fn chunks_hold_one_point_where_a_point_is_of_ordinary_size() {
        assert_eq!(chunk(&[75, 64, 401], 8), [1, 64, 401]);
        assert_eq!(chunk(&[75, 64, 8192], 8), [1, 16, 8192]);
        assert_eq!(chunk(&[75, 64, 2], 8), [64, 64, 2]);
    }

    #[test]
    fn numbers_of_128_bits_survive_being_split() {
        for x in [
            0,
            1,
            u128::from(u64::MAX),
            1 << 64,
            (1 << 64) + 1,
            u128::MAX,
            0x0123_4567_89ab_cdef << 33,
        ] {
            let [low, high] = split(x);
            assert_eq!(join(low, high), x);
        }
        for x in [
            0,
            1,
            -1,
            i128::MIN,
            i128::MAX,
            -(1 << 64),
            1 << 64,
            i128::from(i64::MIN) - 1,
        ] {
            let (low, high) = split_signed(x);
            assert_eq!(join_signed(low, high), x);
            assert!(x < 1 << 100 || high > 0);
        }
        assert_eq!(split_signed(-1), (u64::MAX, -1));
    }
}

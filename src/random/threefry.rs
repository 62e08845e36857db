//! Threefry-4x32, the counter-based generator of Salmon, Moraes, Dror and Shaw (SC 2011).
//!
//! Owns the block function, for one counter or for a vector of lanes; the WGSL twin is
//! shaders/lib/threefry.wgsl: same names, same order. Only additions, rotations and exclusive ors.

/// Rounds in use: 12 is the fewest that the authors found to pass all of BigCrush. See docs/determinism.md.
pub const ROUNDS: usize = 12;

/// Key schedule parity of the Threefish cipher family, 32-bit form.
pub const PARITY: u32 = 0x1BD1_1BDA;

/// What a block is made of: a word, or a vector of words with one entry a lane.
pub trait Word: Copy {
    /// Wrapping sum.
    fn add(self, other: Self) -> Self;
    /// Wrapping sum with the same word in every lane.
    fn add_scalar(self, other: u32) -> Self;
    /// `rotate_left(self, by) ^ other`
    fn rotate_xor(self, by: u32, other: Self) -> Self;
}

impl Word for u32 {
    #[inline(always)]
    fn add(self, other: u32) -> u32 {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn add_scalar(self, other: u32) -> u32 {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn rotate_xor(self, by: u32, other: u32) -> u32 {
        self.rotate_left(by) ^ other
    }
}

impl<const L: usize> Word for [u32; L] {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let mut sum = self;
        for i in 0..L {
            sum[i] = self[i].wrapping_add(other[i]);
        }
        sum
    }
    #[inline(always)]
    fn add_scalar(self, other: u32) -> Self {
        let mut sum = self;
        for word in &mut sum {
            *word = word.wrapping_add(other);
        }
        sum
    }
    #[inline(always)]
    fn rotate_xor(self, by: u32, other: Self) -> Self {
        let mut mixed = self;
        for i in 0..L {
            mixed[i] = self[i].rotate_left(by) ^ other[i];
        }
        mixed
    }
}

/// Two rounds of the mixing function, on words (0, 1) and (2, 3), then on (0, 3) and (2, 1).
#[inline(always)]
fn mix_twice<W: Word>([a, b, c, d]: [W; 4], r: [u32; 4]) -> [W; 4] {
    let (a, c) = (a.add(b), c.add(d));
    let (b, d) = (b.rotate_xor(r[0], a), d.rotate_xor(r[1], c));
    let (a, c) = (a.add(d), c.add(b));
    let (d, b) = (d.rotate_xor(r[2], a), b.rotate_xor(r[3], c));
    [a, b, c, d]
}

/// Rounds 1 to 4 of every eight.
#[inline(always)]
fn first_quad<W: Word>(x: [W; 4]) -> [W; 4] {
    mix_twice(mix_twice(x, [10, 26, 11, 21]), [13, 27, 23, 5])
}

/// Rounds 5 to 8 of every eight.
#[inline(always)]
fn second_quad<W: Word>(x: [W; 4]) -> [W; 4] {
    mix_twice(mix_twice(x, [6, 20, 17, 11]), [25, 10, 18, 20])
}

/// Adds the part of the key schedule that follows round `4 * injection`.
#[inline(always)]
fn inject<W: Word>([a, b, c, d]: [W; 4], schedule: [u32; 5], injection: usize) -> [W; 4] {
    let key = |i: usize| schedule[(injection + i) % 5];
    [
        a.add_scalar(key(0)),
        b.add_scalar(key(1)),
        c.add_scalar(key(2)),
        d.add_scalar(key(3).wrapping_add(injection as u32)),
    ]
}

#[inline(always)]
fn schedule(key: [u32; 4]) -> [u32; 5] {
    [
        key[0],
        key[1],
        key[2],
        key[3],
        PARITY ^ key[0] ^ key[1] ^ key[2] ^ key[3],
    ]
}

/// One block: four words from a counter and a key, after [`ROUNDS`] rounds. Written out, since a loop
/// over rounds stays a loop inside large kernels.
#[inline(always)]
pub fn block<W: Word>(counter: [W; 4], key: [u32; 4]) -> [W; 4] {
    let schedule = schedule(key);
    let x = inject(counter, schedule, 0);
    let x = inject(first_quad(x), schedule, 1);
    let x = inject(second_quad(x), schedule, 2);
    inject(first_quad(x), schedule, 3)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{block, first_quad, inject, schedule, second_quad};

    /// Threefry-4x32 with any number of rounds that is a multiple of four, or 13, from the parts of `block`.
    fn threefry4x32(rounds: usize, counter: [u32; 4], key: [u32; 4]) -> [u32; 4] {
        let schedule = schedule(key);
        let mut x = inject(counter, schedule, 0);
        for quad in 0..rounds / 4 {
            x = if quad % 2 == 0 {
                first_quad(x)
            } else {
                second_quad(x)
            };
            x = inject(x, schedule, quad + 1);
        }
        if rounds % 4 == 1 {
            // One round more: the first of the second quad.
            let [a, b, c, d] = x;
            let (a, c) = (a.wrapping_add(b), c.wrapping_add(d));
            x = [a, b.rotate_left(6) ^ a, c, d.rotate_left(20) ^ c];
        }
        x
    }

    /// data/known-answers/threefry4x32.txt: rounds, four counter words, four key words, four outputs.
    fn known_answers() -> Vec<(usize, [u32; 4], [u32; 4], [u32; 4])> {
        include_str!("../../data/known-answers/threefry4x32.txt")
            .lines()
            .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
            .map(|line| {
                let mut words = line.split_whitespace();
                let rounds = words.next().unwrap().parse().unwrap();
                let words: Vec<u32> = words.map(|w| u32::from_str_radix(w, 16).unwrap()).collect();
                let four = |at: usize| -> [u32; 4] { words[at..at + 4].try_into().unwrap() };
                (rounds, four(0), four(4), four(8))
            })
            .collect()
    }

    #[test]
    fn every_known_answer_is_met() {
        let answers = known_answers();
        assert!(
            answers.len() >= 12,
            "the file holds {} answers",
            answers.len()
        );
        for (rounds, counter, key, expected) in answers {
            let found = threefry4x32(rounds, counter, key);
            if rounds == 12 {
                assert_eq!(block(counter, key), found);
            }
            assert_eq!(
                found, expected,
                "{rounds} rounds, counter {counter:x?}, key {key:x?}"
            );
        }
    }

    #[test]
    fn every_lane_is_the_block_of_its_own_counter() {
        let key = [1, 2, 3, 4];
        let mut counter = [[0u32; 16]; 4];
        for (i, lane) in counter[2].iter_mut().enumerate() {
            *lane = 0x9E37_79B9u32.wrapping_mul(i as u32);
        }
        let lanes = block(counter, key);
        for i in 0..16 {
            let one = block([0, 0, counter[2][i], 0], key);
            assert_eq!(
                [lanes[0][i], lanes[1][i], lanes[2][i], lanes[3][i]],
                one,
                "lane {i}"
            );
        }
    }
}

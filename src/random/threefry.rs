//! Threefry-4x32, the counter-based generator of Salmon, Moraes, Dror and Shaw (SC 2011).
//!
//! Owns the block function, for one counter or for a vector of lanes; the WGSL twin is
//! shaders/lib/threefry.wgsl: same names, same order. Only additions, rotations and exclusive ors.

/// Rounds in use: 12 is the fewest that the authors found to pass all of BigCrush. See docs/determinism.md.
pub const ROUNDS: usize = 12;

/// Key schedule parity of the Threefish cipher family, 32-bit form.
pub const PARITY: u32 = 0x1BD1_1BDA;

const ROTATIONS: [[u32; 2]; 8] =
    [[10, 26], [11, 21], [13, 27], [23, 5], [6, 20], [17, 11], [25, 10], [18, 20]];

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

/// One block: four words from a counter and a key, after `R` rounds.
#[inline(always)]
pub fn block<W: Word, const R: usize>(counter: [W; 4], key: [u32; 4]) -> [W; 4] {
    let schedule = [key[0], key[1], key[2], key[3], PARITY ^ key[0] ^ key[1] ^ key[2] ^ key[3]];
    let mut x = counter;
    for i in 0..4 {
        x[i] = x[i].add_scalar(schedule[i]);
    }
    for round in 0..R {
        let [r0, r1] = ROTATIONS[round % 8];
        let (a, b) = if round % 2 == 0 { (1, 3) } else { (3, 1) };
        x[0] = x[0].add(x[a]);
        x[a] = x[a].rotate_xor(r0, x[0]);
        x[2] = x[2].add(x[b]);
        x[b] = x[b].rotate_xor(r1, x[2]);
        if round % 4 == 3 {
            let injection = round / 4 + 1;
            for i in 0..4 {
                x[i] = x[i].add_scalar(schedule[(injection + i) % 5]);
            }
            x[3] = x[3].add_scalar(injection as u32);
        }
    }
    x
}

/// One block of a single counter.
pub fn threefry4x32<const R: usize>(counter: [u32; 4], key: [u32; 4]) -> [u32; 4] {
    block::<u32, R>(counter, key)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::threefry4x32;

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
        assert!(answers.len() >= 12, "the file holds {} answers", answers.len());
        for (rounds, counter, key, expected) in answers {
            let found = match rounds {
                12 => threefry4x32::<12>(counter, key),
                13 => threefry4x32::<13>(counter, key),
                20 => threefry4x32::<20>(counter, key),
                72 => threefry4x32::<72>(counter, key),
                other => panic!("no test for {other} rounds"),
            };
            assert_eq!(found, expected, "{rounds} rounds, counter {counter:x?}, key {key:x?}");
        }
    }

    #[test]
    fn every_lane_is_the_block_of_its_own_counter() {
        let key = [1, 2, 3, 4];
        let mut counter = [[0u32; 16]; 4];
        for (i, lane) in counter[2].iter_mut().enumerate() {
            *lane = 0x9E37_79B9u32.wrapping_mul(i as u32);
        }
        let lanes = super::block::<[u32; 16], 12>(counter, key);
        for i in 0..16 {
            let one = threefry4x32::<12>([0, 0, counter[2][i], 0], key);
            assert_eq!([lanes[0][i], lanes[1][i], lanes[2][i], lanes[3][i]], one, "lane {i}");
        }
    }
}

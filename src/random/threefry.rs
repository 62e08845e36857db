//! Threefry-4x32, the counter-based generator of Salmon, Moraes, Dror and Shaw (SC 2011).
//!
//! Owns the block function of one counter, which vectorises in a loop over lanes; the WGSL twin is
//! shaders/lib/threefry.wgsl: same names, same order. Only additions, rotations and exclusive ors.

/// Rounds in use: 12 is the fewest that the authors found to pass all of BigCrush. See docs/determinism.md.
pub const ROUNDS: usize = 12;

/// Key schedule parity of the Threefish cipher family, 32-bit form.
pub const PARITY: u32 = 0x1BD1_1BDA;

/// Two rounds of the mixing function, on words (0, 1) and (2, 3), then on (0, 3) and (2, 1).
#[inline(always)]
fn mix_twice([a, b, c, d]: [u32; 4], r: [u32; 4]) -> [u32; 4] {
    let (a, c) = (a.wrapping_add(b), c.wrapping_add(d));
    let (b, d) = (b.rotate_left(r[0]) ^ a, d.rotate_left(r[1]) ^ c);
    let (a, c) = (a.wrapping_add(d), c.wrapping_add(b));
    let (d, b) = (d.rotate_left(r[2]) ^ a, b.rotate_left(r[3]) ^ c);
    [a, b, c, d]
}

/// Rounds 1 to 4 of every eight.
#[inline(always)]
fn first_quad(x: [u32; 4]) -> [u32; 4] {
    mix_twice(mix_twice(x, [10, 26, 11, 21]), [13, 27, 23, 5])
}

/// Rounds 5 to 8 of every eight.
#[inline(always)]
fn second_quad(x: [u32; 4]) -> [u32; 4] {
    mix_twice(mix_twice(x, [6, 20, 17, 11]), [25, 10, 18, 20])
}

/// Adds the part of the key schedule that follows round `4 * injection`.
#[inline(always)]
fn inject([a, b, c, d]: [u32; 4], schedule: [u32; 5], injection: usize) -> [u32; 4] {
    let key = |i: usize| schedule[(injection + i) % 5];
    [
        a.wrapping_add(key(0)),
        b.wrapping_add(key(1)),
        c.wrapping_add(key(2)),
        d.wrapping_add(key(3).wrapping_add(injection as u32)),
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
pub fn block(counter: [u32; 4], key: [u32; 4]) -> [u32; 4] {
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

    /// Rounds, counter, key, output.
    type KnownAnswer = (usize, [u32; 4], [u32; 4], [u32; 4]);

    /// data/known-answers/threefry4x32.txt: rounds, four counter words, four key words, four outputs.
    fn known_answers() -> Vec<KnownAnswer> {
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
}

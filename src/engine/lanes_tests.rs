//! Tests of lanes.rs: draws, counts and look-ups of sixteen lanes.

use super::{LANES, Lane, Places, SPARE_ROWS, count, count_at, draw, look_up_two, pick, put};
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

/// Lane i holds i * i, so that lanes differ.
fn squares() -> Lane {
    let mut index = Lane::ZERO;
    for (i, word) in index.iter_mut().enumerate() {
        *word = (i * i) as u32;
    }
    index
}

#[test]
fn every_lane_counts_in_its_own_row_and_what_has_no_bin_beside() {
    const BINS: usize = 200;
    let mut counts = vec![Lane::ZERO; BINS + SPARE_ROWS];
    let mut bins = squares();
    bins[1] = u32::MAX;
    count(&mut counts, &bins);
    count_at(&mut counts, &Places::new(BINS + 1, &bins));
    // Too few rows for the places.
    count_at(&mut counts[..BINS], &Places::new(BINS + 1, &bins));
    for (row, counted) in counts[..BINS + 1].iter().enumerate() {
        for i in 0..LANES {
            let expected = if (bins[i] as usize).min(BINS) == row {
                2
            } else {
                0
            };
            assert_eq!(counted[i], expected, "row {row}, lane {i}");
        }
    }
}

#[test]
fn lanes_look_up_pairs_and_rows_and_never_past_the_end() {
    let table: Vec<u32> = (1000..1100).collect();
    let [first, second] = look_up_two(&table, &squares());
    let mut rows = vec![Lane::ZERO; 100];
    put(&mut rows, &squares(), &first);
    let picked = pick(&rows, &squares());
    for i in 0..LANES {
        let place = (i * i).min(98) as u32;
        assert_eq!(
            [first[i], second[i]],
            [1000 + place, 1001 + place],
            "lane {i}"
        );
        assert_eq!(rows[(i * i).min(99)][i], first[i], "lane {i}");
        assert_eq!(picked[i], first[i], "lane {i}");
    }
    assert_eq!(look_up_two(&table[..1], &squares()), [Lane::ZERO; 2]);
}

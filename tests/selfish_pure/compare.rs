//! Comparisons of counts by chi-square tests.

use std::collections::{BTreeMap, BTreeSet};

/// z of a sum of squared deviations with that many degrees of freedom (Wilson and Hilferty).
pub fn z_of_chi_square(chi_square: f64, freedom: f64) -> f64 {
    let variance = 2.0 / (9.0 * freedom);
    ((chi_square / freedom).cbrt() - (1.0 - variance)) / variance.sqrt()
}

/// z of the difference of two samples of counts, of bins that hold 20 or more together.
pub fn z_of_two(a: &BTreeMap<u32, f64>, b: &BTreeMap<u32, f64>) -> f64 {
    let [total_a, total_b] = [a, b].map(|counts| counts.values().sum::<f64>());
    let (mut chi_square, mut bins) = (0.0, 0.0);
    let keys: BTreeSet<u32> = a.keys().chain(b.keys()).copied().collect();
    let mut rest = [0.0; 2];
    let mut add = |[x, y]: [f64; 2]| {
        let share = (x + y) / (total_a + total_b);
        let expected = [share * total_a, share * total_b];
        chi_square +=
            (x - expected[0]).powi(2) / expected[0] + (y - expected[1]).powi(2) / expected[1];
        bins += 1.0;
    };
    for key in keys {
        let pair = [a, b].map(|counts| counts.get(&key).copied().unwrap_or(0.0));
        if pair[0] + pair[1] >= 20.0 {
            add(pair);
        } else {
            rest = [rest[0] + pair[0], rest[1] + pair[1]];
        }
    }
    if rest[0] + rest[1] >= 20.0 {
        add(rest);
    }
    z_of_chi_square(chi_square, bins - 1.0)
}

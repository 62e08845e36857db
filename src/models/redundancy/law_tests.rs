//! Tests of the laws: quantiles against survival functions written down independently, moments of the tables.

use super::Law;
use crate::random::{QUANTILE_TABLE_WORDS, quantile, quantile_table};
use std::sync::Arc;

fn laws() -> Vec<Law> {
    vec![
        Law::Exponential,
        Law::Deterministic,
        Law::Uniform { low: 0.0 },
        Law::Uniform { low: 0.75 },
        Law::Uniform { low: 1.0 },
        Law::Erlang { phases: 1 },
        Law::Erlang { phases: 2 },
        Law::Erlang { phases: 5 },
        Law::Erlang { phases: 40 },
        Law::Erlang { phases: 1000 },
        Law::Hyperexponential {
            weights: [0.9, 0.1],
            rates: [1.8, 0.2],
        },
        Law::Hyperexponential {
            weights: [0.5, 0.5],
            rates: [1.0, 1.0],
        },
        Law::Hyperexponential {
            weights: [0.999, 0.001],
            rates: [1000.0, 1.0],
        },
        Law::Hyperexponential {
            weights: [0.3, 0.7],
            rates: [1e6, 1.0],
        },
        Law::Pareto {
            shape: 0.01,
            bound: 100.0,
        },
        Law::Pareto {
            shape: 0.5,
            bound: 1e6,
        },
        Law::Pareto {
            shape: 1.0,
            bound: 1e4,
        },
        Law::Pareto {
            shape: 1.5,
            bound: 1e6,
        },
        Law::Pareto {
            shape: 2.0,
            bound: 50.0,
        },
        Law::Pareto {
            shape: 2.5,
            bound: 1e4,
        },
        Law::Pareto {
            shape: 50.0,
            bound: 1.5,
        },
        Law::Weibull { shape: 0.2 },
        Law::Weibull { shape: 0.5 },
        Law::Weibull { shape: 1.0 },
        Law::Weibull { shape: 3.0 },
        Law::Weibull { shape: 50.0 },
    ]
}

/// Units of a mean: 2^16, or fewer so that the largest value a table can draw stays below 2^31 units.
fn scale(law: &Law) -> f64 {
    65536f64.min(2f64.powi(30) / law.upper(0.5f64.powi(65)))
}

/// (P(X <= x), P(X > x)), each accurate where it is small; none for the law that has no density.
fn sides(law: &Law, x: f64) -> Option<(f64, f64)> {
    let of = |log_survival: f64| Some((-log_survival.exp_m1(), log_survival.exp()));
    match *law {
        Law::Exponential => of(-x),
        Law::Deterministic => None,
        Law::Uniform { low } if low < 1.0 => {
            let width = 2.0 - 2.0 * low;
            Some(((x - low) / width, (2.0 - low - x) / width))
        }
        Law::Uniform { .. } => None,
        Law::Erlang { phases } => {
            let g = f64::from(phases) * x;
            // Poisson probabilities as products, then summed by their ratios.
            let probability = |j: u32| {
                let part = (-g / f64::from(j.max(1))).exp();
                let first = if j == 0 { part } else { 1.0 };
                (1..=j).fold(first, |product, i| product * (g / f64::from(i) * part))
            };
            let mut terms = vec![probability(phases)];
            for j in phases + 1..phases + 3000 {
                terms.push(terms[terms.len() - 1] * g / f64::from(j));
            }
            let lower = terms.iter().rev().sum();
            let mut term = probability(phases - 1);
            let mut upper = term;
            for j in (1..phases).rev() {
                term *= f64::from(j) / g;
                upper += term;
            }
            Some((lower, upper))
        }
        Law::Hyperexponential { weights, rates } => {
            let mean = (weights[0] / rates[0] + weights[1] / rates[1]) / (weights[0] + weights[1]);
            let sum = weights[0] + weights[1];
            let part = |i: usize| (weights[i] / sum, -rates[i] * mean * x);
            let [(u, a), (v, b)] = [part(0), part(1)];
            Some((-u * a.exp_m1() - v * b.exp_m1(), u * a.exp() + v * b.exp()))
        }
        Law::Pareto { shape, bound } => {
            let least = law.lower(1e-300);
            let rest = (least / bound).powf(shape);
            let lower = -(shape * (least / x).ln()).exp_m1();
            let upper = rest * (shape * (bound / x).ln()).exp_m1();
            Some((lower / (1.0 - rest), upper / (1.0 - rest)))
        }
        Law::Weibull { shape } => {
            let scale = 1.0 / libm::tgamma(1.0 + 1.0 / shape);
            of(-(x / scale).powf(shape))
        }
    }
}

#[test]
fn quantiles_and_distribution_functions_undo_each_other_in_both_tails() {
    for law in laws() {
        let mut worst = [0f64; 2];
        for step in 0..=640 {
            let p = 0.5f64.powf(1.0 + f64::from(step) * 0.1);
            let (x, y) = (law.lower(p), law.upper(p));
            let (Some((lower, _)), Some((_, upper))) = (sides(&law, x), sides(&law, y)) else {
                assert_eq!((x, y), (1.0, 1.0), "{law:?}");
                continue;
            };
            // A value has 53 bits: where the law is narrow against its distance from 0, p cannot come back
            // closer than the density times the value's own step.
            let grain = |x: f64, other: f64, back: fn((f64, f64)) -> f64| {
                let moved = sides(&law, x * (1.0 + 1e-14)).map_or(0.0, back);
                (moved - other).abs()
            };
            let down = (lower - p).abs() - grain(x, lower, |sides| sides.0);
            let up = (upper - p).abs() - grain(y, upper, |sides| sides.1);
            worst = [worst[0].max(down / p), worst[1].max(up / p)];
        }
        println!("{law:?}: {worst:?}");
        assert!(worst[0] < 1e-12 && worst[1] < 1e-12, "{law:?}: {worst:?}");
    }
}

#[test]
fn quantiles_rise_and_meet_in_the_median() {
    for law in laws() {
        let (mut low, mut high) = (0.0, law.largest().unwrap_or(f64::INFINITY) * (1.0 + 1e-15));
        for step in (0..=640).rev() {
            let p = 0.5f64.powf(1.0 + f64::from(step) * 0.1);
            let (x, y) = (law.lower(p), law.upper(p));
            assert!(
                x >= low && y <= high && x <= y * (1.0 + 1e-14),
                "{law:?} at {p:e}: {x:e} {y:e}"
            );
            (low, high) = (x, y);
        }
        assert!((low / high - 1.0).abs() < 1e-13, "{law:?}: {low} {high}");
    }
}

#[test]
fn tables_have_mean_one_and_the_law_s_second_moment() {
    for law in laws() {
        let scale = scale(&law);
        let [mean, square] = crate::random::moments(&quantile_table(&law.cells(), scale));
        let (mean, square) = (mean / scale, square / scale / scale / law.second_moment());
        println!(
            "{law:?}: mean - 1 {:e}, second moment {:e}",
            mean - 1.0,
            square - 1.0
        );
        assert!((mean - 1.0).abs() < 1e-9, "{law:?}: {mean}");
        assert!((square - 1.0).abs() < 1e-6, "{law:?}: {square}");
    }
}

/// The largest rise of a table's values, in means, as the uniform number walks from the largest value to the smallest.
fn step_back(law: &Law) -> f64 {
    let scale = scale(law);
    let table = quantile_table(&law.cells(), scale);
    assert_eq!(table.len(), QUANTILE_TABLE_WORDS);
    let side = (0..62u32)
        .rev()
        .flat_map(|zeros| (0..256u64).map(move |i| (1 << 62 | i << 54) >> zeros));
    let side: Vec<u64> = side.collect();
    let draw = |flip: u32, word: &u64| {
        let value = quantile(&table, (word >> 32) as u32 ^ flip, *word as u32);
        value as f64 / 2f64.powi(32) / scale
    };
    let upper = side.iter().map(|word| draw(0, word));
    let lower = side.iter().rev().map(|word| draw(u32::MAX, word));
    let values: Vec<f64> = upper.chain(lower).collect();
    values
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .fold(0.0, f64::max)
}

#[test]
fn tables_fall_from_the_largest_value_to_the_smallest_but_for_a_kink_between_two_scales() {
    for law in laws() {
        let back = step_back(&law);
        println!("{law:?}: step back {back:e}");
        // Lines of cells on either side of a kink narrower than a cell need not meet.
        let allowed = match law {
            Law::Hyperexponential { weights, rates } if rates[0] > 100.0 * rates[1] => {
                let mean = weights[0] / rates[0] + weights[1] / rates[1];
                0.001 / (rates[1] * mean)
            }
            _ => 0.0,
        };
        let rounding = 2e-15 * law.upper(0.5f64.powi(65)).max(1.0);
        assert!(back <= allowed + rounding, "{law:?}: {back:e}");
    }
}

#[test]
fn equal_laws_share_their_cells() {
    for law in laws() {
        assert!(Arc::ptr_eq(&law.cells(), &law.cells()), "{law:?}");
    }
    let [first, second] = [2, 3].map(|phases| Law::Erlang { phases }.cells());
    assert_ne!(first, second);
}

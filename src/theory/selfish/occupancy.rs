//! n balls thrown into m bins, uniformly: the law of the fullest bin.
//!
//! Owns that law, which mixed equilibria of equal streams on equal servers are made of. Does not own loads or costs.

use super::binomial::Law;
use std::collections::BTreeMap;
use std::ops::Range;

/// Below this mean number of bins that are too full, two terms of inclusion and exclusion are exact to 2e-13.
const RARE: f64 = 1e-6;

/// What a law loses at its ends is below rounding for every probability that is not [`RARE`].
const LEAST: f64 = 1e-19;

/// Most bins, and most balls, for which the law is computed.
const MOST: u32 = 100_000;

/// The largest (number of balls)^3/(number of bins), the square of the work; it takes seconds there.
const MOST_WORK: f64 = 4e12;

/// n balls in m bins.
#[derive(Debug, Clone)]
pub struct Occupancy {
    bins: usize,
    /// `exceeds[k]` = P(fullest bin > k), k = 0 .. n.
    exceeds: Vec<f64>,
}

impl Occupancy {
    /// The most balls for which the law in so many bins is computed, 100,000 or less; none beyond 100,000 bins.
    pub fn most_balls(bins: u32) -> u32 {
        let most = (MOST_WORK * f64::from(bins)).cbrt() as u32;
        if bins > MOST { 0 } else { most.min(MOST) }
    }

    /// The law for `balls` in `bins`; `None` without bins and beyond [`Occupancy::most_balls`].
    ///
    /// Source: docs/theory.md, "selfish: mixed equilibria". Rare events have a small relative error.
    pub fn new(bins: u32, balls: u32) -> Option<Occupancy> {
        if bins == 0 || bins > MOST || balls > Occupancy::most_balls(bins) {
            return None;
        }
        let (bins, balls) = (bins as usize, balls as usize);
        let one = Law::binomial(balls, 1.0 / bins as f64, 0.0);
        let tails = one.tails(balls);
        // Bins are negatively associated: P(none too full) <= P(one is not too full)^bins.
        let sure = tails.partition_point(|tail| (1.0 - tail).powf(bins as f64) < 1e-18);
        let rare = tails
            .partition_point(|tail| bins as f64 * tail >= RARE)
            .max(sure);
        let mut exceeds = vec![1.0; sure];
        exceeds.extend(between(bins, balls, sure..rare));
        let rest = tails.iter().enumerate().skip(rare);
        exceeds.extend(rest.map(|(k, tail)| rarely(bins, balls, k, &one, *tail)));
        Some(Occupancy { bins, exceeds })
    }

    /// P(fullest bin holds more than k balls).
    pub fn exceeds(&self, k: u32) -> f64 {
        self.exceeds.get(k as usize).copied().unwrap_or(0.0)
    }

    /// P(fullest bin holds exactly k balls), k = 0 .. n.
    pub fn pmf(&self) -> Vec<f64> {
        let before = [1.0].iter().chain(&self.exceeds);
        before.zip(&self.exceeds).map(|(a, b)| a - b).collect()
    }

    /// The mean of the fullest bin.
    pub fn mean(&self) -> f64 {
        self.exceeds.iter().sum()
    }

    /// E of a non-decreasing function of the fullest bin; infinite if it is at a number that can occur.
    pub fn expect(&self, cost: impl Fn(u32) -> f64) -> f64 {
        let balls = self.exceeds.len() as u32 - 1;
        let least = balls.div_ceil(self.bins as u32);
        if cost(balls) == f64::INFINITY {
            return f64::INFINITY;
        }
        let mut sum = cost(least);
        let mut last = sum;
        for k in least..balls {
            let next = cost(k + 1);
            sum += self.exceeds(k) * (next - last);
            last = next;
        }
        sum
    }
}

/// P(some bin holds more than k balls) where that is rare: bins one by one less bins two by two.
fn rarely(bins: usize, balls: usize, k: usize, one: &Law, tail: f64) -> f64 {
    let bins = bins as f64;
    // Two bins too full are rarer than one by more than the factor bins * tail.
    if bins < 2.0 || bins * tail < 1e-17 {
        return bins * tail;
    }
    let mut pairs = 0.0;
    for (first, chance) in one.iter().skip_while(|(first, _)| *first <= k) {
        let rest = balls - first;
        if rest <= k || chance < LEAST * tail {
            break;
        }
        let second = Law::binomial(rest, 1.0 / (bins - 1.0), 0.0).tails(k);
        pairs += chance * second.last().unwrap_or(&0.0);
    }
    bins * (tail - (bins - 1.0) / 2.0 * pairs)
}

/// P(some bin holds more than k balls) for each k of `range`, by cutting the bins in halves: given the balls that fall
/// into one half, the halves are independent.
fn between(bins: usize, balls: usize, range: Range<usize>) -> Vec<f64> {
    if range.is_empty() {
        return Vec::new();
    }
    // For each number of bins that comes up, the fewest and the most balls that matter.
    let mut windows = BTreeMap::from([(bins, (balls, balls))]);
    let mut larger = bins + 1;
    while let Some((&size, &(low, high))) = windows.range(2..larger).next_back() {
        let half = size / 2;
        let share = half as f64 / size as f64;
        let (least, most) = (law(low, share), law(high, share));
        let end = |law: &Law| law.start + law.weights.len() - 1;
        for (part, window) in [
            (half, (least.start, end(&most))),
            (size - half, (low - end(&least), high - most.start)),
        ] {
            let known = windows.entry(part).or_insert(window);
            *known = (known.0.min(window.0), known.1.max(window.1));
        }
        larger = size;
    }
    let mut tables: BTreeMap<usize, Table> = BTreeMap::new();
    for (size, (low, high)) in windows {
        let rows = (low..=high).map(|balls| match tables.get(&(size / 2)) {
            Some(half) if size > 1 => {
                let other = tables.get(&(size - size / 2)).unwrap_or(half);
                let share = (size / 2) as f64 / size as f64;
                joined(balls, share, half, other, range.len())
            }
            _ => range
                .clone()
                .map(|k| f64::from(u8::from(balls > k)))
                .collect(),
        });
        let rows = rows.collect();
        tables.insert(size, Table { low, rows });
    }
    let whole = tables.get(&bins).map(|table| table.row(balls).to_vec());
    whole.unwrap_or_default()
}

fn law(balls: usize, share: f64) -> Law {
    Law::binomial(balls, share, LEAST)
}

/// P(some bin holds more than k balls), a row for each number of balls from `low` on, a column for each k.
struct Table {
    low: usize,
    rows: Vec<Vec<f64>>,
}

impl Table {
    /// The row of so many balls, or the nearest one: rounding can put a ball that does not matter outside.
    fn row(&self, balls: usize) -> &[f64] {
        let at = balls.saturating_sub(self.low);
        &self.rows[at.min(self.rows.len() - 1)]
    }
}

fn joined(balls: usize, share: f64, half: &Table, other: &Table, columns: usize) -> Vec<f64> {
    let mut row = vec![0.0; columns];
    for (here, weight) in law(balls, share).iter() {
        let (a, b) = (half.row(here), other.row(balls - here));
        for (sum, (a, b)) in row.iter_mut().zip(a.iter().zip(b)) {
            *sum += weight * (a + (1.0 - a) * b);
        }
    }
    row
}

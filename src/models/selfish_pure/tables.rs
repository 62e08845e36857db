//! The instances of a point as words: rates, speeds, and what makes of a server's load its ratio to the optimum.
//!
//! Owns how much work the optimum of an instance may take, and the rounding of ratios.

use super::words::{RATIO_BITS, unit};
use crate::models::Problem;
use crate::models::selfish::Instance;
use crate::theory::selfish::{Fraction, Optimum, optimum_within};
use rayon::prelude::*;

/// Most words of tables: 128 MiB, what a buffer of every GPU holds.
const MOST_WORDS: u64 = 1 << 25;
/// Most streams times servers of all instances together, so that a plan takes seconds.
const MOST_PAIRS: u64 = 1 << 32;
/// Branches times servers that the search for all optima of a point may take, so that a plan takes seconds.
const WORK: u64 = 400_000_000;
/// Most branches for one optimum.
const MOST_BRANCHES: u64 = 200_000;

/// The tables of a point.
#[derive(Debug)]
pub struct Tables {
    /// The words: for each instance the rates, then `unit::COUNT` words for each server (one server for all where
    /// speeds are equal), and one word more, since pairs of words are looked up.
    pub words: Vec<u32>,
    /// Words of one instance.
    pub block: u32,
    /// Instances whose optimum is exact.
    pub exact: u32,
    /// Utilisation of the busiest server in the best assignment, of a single instance.
    pub optimum: Option<f64>,
}

/// Refuses more instances like this one than tables have room for, or than their optima can be found in time.
///
/// # Errors
/// More than [`MOST_WORDS`] words or [`MOST_PAIRS`] streams times servers.
pub fn check(count: u32, like: &Instance) -> Result<(), Problem> {
    let [count, streams, servers] =
        [count as usize, like.rates.len(), like.speeds.len()].map(|x| x as u64);
    // Speeds that one instance has alike may differ in others.
    let block = streams + unit::COUNT as u64 * servers;
    let most = ((MOST_WORDS - 1) / block).min(MOST_PAIRS / (streams * servers));
    if count <= most {
        return Ok(());
    }
    let message = format!(
        "{count} instances of {streams} streams on {servers} servers need {} words, of which there are {MOST_WORDS}, and optima of {} streams times servers, where {MOST_PAIRS} take a few seconds; at most {most} instances of this size",
        count * block + 1,
        count * streams * servers
    );
    Err(Problem::new("instances", message))
}

/// The tables of some instances, all of as many streams and servers; `equal` where all have equal speeds.
pub fn tables(instances: &[Instance], equal: bool) -> Tables {
    let servers = instances.first().map_or(0, |one| one.speeds.len());
    let kept = if equal { servers.min(1) } else { servers };
    let work = instances.len() as u64 * servers as u64;
    let branches = (WORK / work.max(1)).min(MOST_BRANCHES);
    let parts: Vec<(Optimum, Vec<u32>)> = (instances.par_iter())
        .map(|one| {
            let optimum = optimum_within(&one.rates, &one.speeds, branches);
            let mut words = one.rates.clone();
            for &speed in &one.speeds[..kept] {
                let [scale, shift] = scale(optimum.value, speed);
                words.extend([speed, scale, shift]);
            }
            (optimum, words)
        })
        .collect();
    let exact = parts.iter().filter(|(best, _)| best.exact).count() as u32;
    let optimum = match (instances, &parts[..]) {
        ([one], [(best, _)]) => Some(best.value.value() / one.capacity()),
        _ => None,
    };
    let block = parts.first().map_or(0, |(_, words)| words.len()) as u32;
    let mut words: Vec<u32> = parts.into_iter().flat_map(|(_, words)| words).collect();
    words.push(0);
    Tables {
        words,
        block,
        exact,
        optimum,
    }
}

/// Scale and shift of a server: a load w is w scale 2^-shift units of 2^-20 of the optimum, see [`ratio`]. The scale
/// has 32 bits where the shift, 1 to 63, allows; where not, loads are so far below the optimum that they are no
/// largest ones, or so far above it that the ratio is out of range.
fn scale(optimum: Fraction, speed: u32) -> [u32; 2] {
    let below = u128::from(optimum.units()) * u128::from(speed);
    let above = u128::from(optimum.speed()) << RATIO_BITS;
    let rounded = |shift: u32| ((above << shift) + below / 2) / below.max(1);
    let fits = |shift: &u32| rounded(*shift) <= u128::from(u32::MAX);
    match (1..=63).rev().find(fits) {
        Some(shift) => [rounded(shift) as u32, shift],
        None => [u32::MAX, 1],
    }
}

/// A load over speed over optimum in units of 2^-20, rounded to the nearest, at most 2^31 - 1: right to one unit for
/// ratios below 1000, and 2^20 exactly where the load is the optimum's.
#[inline(always)]
pub fn ratio(load: u32, scale: u32, shift: u32) -> u32 {
    let product = u64::from(load) * u64::from(scale);
    let twice = (product >> ((shift.wrapping_sub(1)) & 63)).min(0xFFFF_FFFD) as u32;
    (twice + 1) >> 1
}

#[cfg(test)]
mod tests {
    use super::{ratio, scale};
    use crate::theory::selfish::Fraction;

    #[test]
    fn ratios_are_right_to_one_unit_and_one_is_exact() {
        let largest = 1 << 30;
        for (units, speed) in [
            (1, 1),
            (3, 7),
            (largest, 1),
            (1, 1 << 31),
            (largest, (1 << 31) - 1),
            (12_345, 678),
        ] {
            let optimum = Fraction::new(units, speed);
            for server in [1, 2, 3, 1000, 65_537, (1u32 << 31) - 1] {
                let [scale, shift] = scale(optimum, server);
                for load in [0, 1, 2, 5, 999, 1 << 20, largest as u32] {
                    let exact = f64::from(load) / f64::from(server) / optimum.value() * 1_048_576.0;
                    let found = f64::from(ratio(load, scale, shift));
                    if exact < 1000.0 * 1_048_576.0 {
                        assert!(
                            (found - exact).abs() < 1.0,
                            "{load} {server} {units} {speed}: {found} {exact}"
                        );
                    } else {
                        assert!(found > 999.0 * 1_048_576.0);
                    }
                    if u128::from(load) * u128::from(speed)
                        == u128::from(units) * u128::from(server)
                    {
                        assert_eq!(found, 1_048_576.0);
                    }
                }
            }
        }
    }
}

//! Replicas and batches: how many, and that one divides the other.
//!
//! Owns the defaults and the search for divisors.

use super::document::{Place, Table};
use super::problem::Problems;
use super::read;

const DEFAULT_REPLICAS: u32 = 1024;
/// Batches when the file gives none: enough for a variance, few enough for small files.
const DEFAULT_BATCHES: u32 = 64;
/// With fewer batches, intervals are wide for want of degrees of freedom: that is not a default.
const LEAST_DEFAULT_BATCHES: u32 = 10;

/// Reads `replicas` and `batches`.
pub(super) fn read(root: &Table, problems: &mut Problems) -> Option<(u32, u32)> {
    let mut count = |key: &str| {
        root.get(key).map(|entry| {
            let range = (1, u64::from(u32::MAX));
            let x = read::whole(&entry.item, key, range, problems)?;
            u32::try_from(x).ok().map(|x| (x, entry.item.place))
        })
    };
    let replicas = count("replicas").unwrap_or(Some((DEFAULT_REPLICAS, Place::File)));
    let batches = count("batches");
    let (replicas, place) = replicas?;
    let Some(batches) = batches else {
        let chosen = divisors_around(replicas, DEFAULT_BATCHES).0;
        if chosen >= LEAST_DEFAULT_BATCHES.min(replicas) {
            return Some((replicas, chosen));
        }
        let what = format!("no good number of batches divides {replicas} replicas");
        problems.report(place, "replicas", what, advice(replicas, DEFAULT_BATCHES));
        return None;
    };
    let (batches, place) = batches?;
    if replicas.is_multiple_of(batches) {
        return Some((replicas, batches));
    }
    let what = format!("{batches} batches do not divide {replicas} replicas");
    problems.report(place, "batches", what, advice(replicas, batches));
    None
}

/// What to write instead of numbers that do not divide.
fn advice(replicas: u32, batches: u32) -> String {
    let (below, above) = divisors_around(replicas, batches);
    let divisors = match above {
        Some(above) => format!("batches = {below} or batches = {above}"),
        None => format!("batches = {below}"),
    };
    let divisors = match below {
        1 => format!("{divisors} (with one batch there are no intervals)"),
        _ => divisors,
    };
    match replicas.div_ceil(batches).checked_mul(batches) {
        Some(whole) => format!("write {divisors}, or replicas = {whole} with batches = {batches}"),
        None => format!("write {divisors}"),
    }
}

/// The divisors of `n` next to `near`: the largest not above it, and the least above it.
fn divisors_around(n: u32, near: u32) -> (u32, Option<u32>) {
    let small = (1..).take_while(|d: &u32| d.checked_mul(*d).is_some_and(|square| square <= n));
    let all: Vec<u32> = small
        .filter(|d| n.is_multiple_of(*d))
        .flat_map(|d| [d, n / d])
        .collect();
    let below = all
        .iter()
        .copied()
        .filter(|d| *d <= near)
        .max()
        .unwrap_or(1);
    (below, all.iter().copied().filter(|d| *d > near).min())
}

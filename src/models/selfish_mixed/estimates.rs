//! What `selfish-mixed` reports: loads and costs from counts.
//!
//! Owns what follows from the counts of kernels. Theory is in laws.rs.

use super::host::{Farm, Servers};
use super::parameters::{EACH_COST, OF_LOADS};
use super::words::sum;
use crate::models::selfish::COSTS;
use crate::models::{Plan, Totals};
use crate::theory::selfish::Cost;

/// Binary places of the sum of largest utilisations.
const PLACES: u32 = 32;

/// Histograms of both halves; adds the sums of each half, which follow from the counts of the busiest server. Streams
/// that are all alike meet loads as servers have them: w/rate of them the load w.
pub fn unfold(plan: &Plan, recorded: &[Vec<u64>; 2], sums: &mut [[u128; 2]]) -> Vec<u64> {
    let farm = Farm::of(plan);
    let shift = farm.shift();
    let [load_max, max, server, stream] = [0, 1, 2, 3].map(|k| plan.place(k));
    let mut counts = vec![0; plan.bins()];
    for (half, recorded) in recorded.iter().enumerate() {
        for (total, count) in counts[max.start..].iter_mut().zip(recorded) {
            *total += count;
        }
        for (k, class) in farm.servers.iter().enumerate() {
            for (w, &count) in recorded[k * farm.loads..][..farm.loads].iter().enumerate() {
                if count == 0 {
                    continue;
                }
                counts[load_max.start + (farm.scaled(class, w, 0) >> shift) as usize] += count;
                sums[sum::LOAD_MAX][half] += u128::from(count) * farm.scaled(class, w, PLACES);
                if w >= class.full as usize {
                    sums[sum::OVERLOAD][half] += u128::from(count);
                }
            }
        }
    }
    if let [alike] = &farm.streams[..] {
        for (bin, at) in server.zip(stream) {
            let w = bin % farm.loads;
            counts[at] = counts[bin] * (w as u64 / u64::from(alike.rate));
        }
    }
    counts
}

/// Estimates in the order of the observables; none for costs that are not asked for, or infinite.
pub fn estimates(plan: &Plan, totals: &Totals) -> Vec<Option<f64>> {
    let farm = Farm::of(plan);
    let share = |x: f64| (totals.steps > 0.0).then(|| x / totals.steps);
    let unit = f64::from(farm.top_speed()) * farm.capacity * (1u64 << PLACES) as f64;
    let mut found = vec![
        share(totals.sums[sum::LOAD_MAX] / unit),
        share(totals.sums[sum::OVERLOAD]),
    ];
    let Some(counts) = totals.counts.as_deref().filter(|_| totals.steps > 0.0) else {
        found.resize(OF_LOADS + EACH_COST * COSTS.len(), None);
        return found;
    };
    let [max, server, stream] = [1, 2, 3].map(|k| &counts[plan.place(k)]);
    let each_stream = || farm.streams.iter().zip(stream.chunks(farm.bins()));
    // The largest mean over streams of what a server of a class under a load is worth.
    let worst = |value: &[f64]| {
        each_stream()
            .map(|(streams, counts)| total(counts, value) / f64::from(streams.number))
            .fold(0.0, f64::max)
    };
    let full = farm.tabulate(&used(server), |class, w| {
        f64::from(u8::from(w >= class.full as usize))
    });
    found.push(share(worst(&full)));
    found.push(Some(f64::from(u8::from(farm.optimum_exact))));
    let used = used(server);
    let traffic = (farm.loads - 1) as f64;
    for name in COSTS {
        let Some(cost) = farm.costs.iter().find(|cost| cost.name() == *name) else {
            found.extend([None; EACH_COST]);
            continue;
        };
        let value = farm.tabulate(&used, |class, w| cost_of(&farm, cost, class, w));
        let weighted: Vec<f64> = (server.iter().enumerate())
            .map(|(bin, count)| count * (bin % farm.loads) as f64 / traffic)
            .collect();
        let three = [total(max, &value), total(&weighted, &value), worst(&value)];
        let finite = |x: f64| Some(x).filter(|x| x.is_finite());
        let best = cost.at(farm.optimum);
        found.extend(three.map(|x| share(x).and_then(finite)));
        found.push(share(three[0]).and_then(|worst| finite(worst / best)));
        found.push(degradation(&farm, cost, max, best));
    }
    found
}

/// The least s >= 1 for which the mean largest cost on servers s times faster is at most `best`, that of the best
/// assignment; none where that is infinite. To 1e-10.
fn degradation(farm: &Farm, cost: &Cost, max: &[f64], best: f64) -> Option<f64> {
    if !best.is_finite() {
        return None;
    }
    let seen: Vec<(f64, f64)> = (max.iter().enumerate())
        .filter(|(_, count)| **count > 0.0)
        .map(|(bin, count)| {
            let class = &farm.servers[bin / farm.loads];
            (farm.utilisation(class, bin % farm.loads), *count)
        })
        .collect();
    let steps: f64 = seen.iter().map(|(_, count)| count).sum();
    let enough = |s: f64| {
        let sum: f64 = seen.iter().map(|(x, count)| count * cost.at(x / s)).sum();
        sum <= best * steps
    };
    if enough(1.0) {
        return Some(1.0);
    }
    let largest = seen.iter().map(|(x, _)| *x).fold(0.0, f64::max);
    // There no profile costs more than the best assignment.
    let (mut low, mut high) = (1.0, (largest / farm.optimum).max(1.0));
    while high - low > 1e-10 * high {
        let middle = 0.5 * (low + high);
        if enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// Which bins count anything: what the busiest server and streams were met at, servers were, too.
fn used(server: &[f64]) -> Vec<bool> {
    server.iter().map(|&count| count > 0.0).collect()
}

fn cost_of(farm: &Farm, cost: &Cost, class: &Servers, load: usize) -> f64 {
    cost.at(farm.utilisation(class, load))
}

/// The sum of values weighted by counts; what was never counted weighs nothing, however large.
fn total(counts: &[f64], values: &[f64]) -> f64 {
    (counts.iter().zip(values))
        .filter(|(count, _)| **count > 0.0)
        .map(|(count, value)| count * value)
        .sum()
}

impl Farm {
    /// A function of class and load for every bin that is used, zero elsewhere.
    fn tabulate(&self, used: &[bool], value: impl Fn(&Servers, usize) -> f64) -> Vec<f64> {
        let mut values = vec![0.0; used.len()];
        let classes = self.servers.iter();
        let chunks = values.chunks_mut(self.loads).zip(used.chunks(self.loads));
        for (class, (values, used)) in classes.zip(chunks) {
            for (w, (slot, &used)) in values.iter_mut().zip(used).enumerate() {
                if used {
                    *slot = value(class, w);
                }
            }
        }
        values
    }
}

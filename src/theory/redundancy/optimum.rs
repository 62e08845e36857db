//! The number of copies that makes the queues shortest.
//!
//! Owns the exact search, the notebook's rule and the asymptotic formula. E\[T\] itself always prefers d = N: what is
//! least here is Q, the queue of one server. Source: docs/theory.md, "redundancy: optimal d".

use super::functions::{dilogarithm, power_series};
use super::limit::mean_field_queue;
use super::system::{MAX_SERVERS, below};

/// The d from 1 to N with the least Q, the smallest one of several. `None` for N = 0, N > [`MAX_SERVERS`] and
/// outside 0 < rho < 1.
///
/// Every d is tried that can win, as Q >= d/N. For each the sum over m runs down from N until the rest, at most
/// (m - d) times the last term, cannot change it: some 40 N/d terms, N log N in all. Below rho = 1/2, where Q
/// is close to 1 for all d, (1 - Q)/rho = (d/N) sum of r_m (1 - r_m) / (1 - rho_m) is compared instead of Q.
pub fn optimal_copies(servers: u32, load: f64) -> Option<u32> {
    if !((1..=MAX_SERVERS).contains(&servers) && load > 0.0 && load < 1.0) {
        return None;
    }
    let low = load <= 0.5;
    let n = f64::from(servers);
    let mut best = 1;
    let mut least = if low { 0.0 } else { 1.0 };
    for copies in 2..servers {
        let floor = f64::from(copies) / n;
        if floor >= if low { 1.0 + load * least } else { least } {
            break;
        }
        let score = if low {
            -floor * sum(servers, copies, load, |ratio, rest| ratio * rest)
        } else {
            floor * (1.0 - load) * sum(servers, copies, load, |ratio, _| ratio)
        };
        if score < least {
            (best, least) = (copies, score);
        }
    }
    Some(best)
}

/// Sum over m = d..N of weight(r_m, 1 - r_m) / (1 - rho_m), where weight(r, 1 - r) <= r.
fn sum(servers: u32, copies: u32, load: f64, weight: impl Fn(f64, f64) -> f64) -> f64 {
    let d = f64::from(copies);
    let mut m = f64::from(servers);
    let mut at_m = [1.0, 0.0];
    let mut sum = 0.0;
    loop {
        let [ratio, rest] = at_m;
        let slack = rest + (1.0 - load) * ratio;
        sum += weight(ratio, rest) / slack;
        // Both r_m and 1/(1 - rho_m) fall with m.
        if (m - d) * (ratio / slack) <= 1e-17 * sum {
            return sum;
        }
        at_m = below(at_m, m, d);
        m -= 1.0;
    }
}

/// The notebook's rule: sqrt(N) (1 - rho)^(1/4). `None` for N = 0 and outside 0 < rho < 1.
pub fn optimal_copies_rule(servers: u32, load: f64) -> Option<f64> {
    (servers >= 1 && load > 0.0 && load < 1.0)
        .then(|| f64::from(servers).sqrt() * (1.0 - load).sqrt().sqrt())
}

/// d* = sqrt(N) sqrt(2 (L - Li2(rho)) / (rho/(1-rho) - L)) with L = -ln(1-rho), and at least 2, which is the optimum
/// very close to rho = 1. `None` for N = 0 and outside 0 < rho < 1.
pub fn optimal_copies_asymptotic(servers: u32, load: f64) -> Option<f64> {
    let [few, many] = costs(load)?;
    (servers >= 1).then(|| (f64::from(servers) * few / many).sqrt().max(2.0))
}

/// Q at the d* of large N, (1-rho)/rho L + 2 sqrt(A B / N): the mean field and what N adds to it (A and B as in
/// docs/theory.md). `None` for N = 0 and outside 0 < rho < 1.
pub fn optimal_queue_asymptotic(servers: u32, load: f64) -> Option<f64> {
    let [few, many] = costs(load)?;
    (servers >= 1)
        .then_some(mean_field_queue(load)? + 2.0 * (few * many / f64::from(servers)).sqrt())
}

/// A and B in Q = mean field + A/d + B d/N + .., for 1 << d << N: A = (1-rho)/rho (L - Li2(rho)),
/// B = (1-rho)/(2 rho) (rho/(1-rho) - L). As power series for small loads, where the differences cancel.
fn costs(load: f64) -> Option<[f64; 2]> {
    if !(load > 0.0 && load < 1.0) {
        return None;
    }
    let gap = 1.0 - load;
    let [few, many] = if load <= 0.5 {
        let share = |k: f64| (k + 1.0) / (k + 2.0);
        [
            load * power_series(load, |k| share(k) / (k + 2.0)),
            load * power_series(load, share),
        ]
    } else {
        let log = -gap.ln();
        [(log - dilogarithm(load)?) / load, (load / gap - log) / load]
    };
    Some([gap * few, gap * many / 2.0])
}

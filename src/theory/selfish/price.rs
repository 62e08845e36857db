//! The price of anarchy over all loads, on equal servers: bounds, degradation of bandwidth, guarantees.
//!
//! Owns what holds for every equilibrium. Does not own single equilibria (`pure`, `mixed`). Proofs: docs/theory.md.

use super::{Cost, pure::load_bound};

/// Above every Nash equilibrium's largest cost over the optimum's, mixed ones included, at any load: sup f(m x)/f(x).
/// `None` if the price is unbounded. As [`Cost::growth`], infinite where it is finite but beyond f64.
pub fn price_bound(cost: &Cost, servers: u32) -> Option<f64> {
    cost.growth(f64::from(servers.max(1)))
}

/// The price of pure equilibria, sup f((2-2/(m+1)) x)/f(x), attained or approached. `None` if it is unbounded.
pub fn pure_price(cost: &Cost, servers: u32) -> Option<f64> {
    cost.growth(load_bound(servers))
}

/// How many times faster servers must be for every equilibrium to cost at most what the optimum did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Degradation {
    /// That factor, or a bound on it.
    pub factor: f64,
    /// Whether no smaller factor will do, at any load.
    pub exact: bool,
}

/// The degradation of mixed equilibria: m, and exactly m where the doubling constant is infinite.
pub fn degradation_mixed(cost: &Cost, servers: u32) -> Degradation {
    Degradation {
        factor: f64::from(servers.max(1)),
        exact: servers <= 1 || cost.doubling().is_none(),
    }
}

/// The degradation of pure equilibria: 2 - 2/(m+1), exactly unless the cost is constant.
pub fn degradation_pure(cost: &Cost, servers: u32) -> Degradation {
    Degradation {
        factor: load_bound(servers),
        exact: servers <= 1 || cost.doubling() != Some(1.0),
    }
}

/// A bound on what a stream pays in every equilibrium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guarantee {
    /// The bound.
    pub cost: f64,
    /// The delta that it is made with; infinite where the largest possible cost is the better bound.
    pub delta: f64,
}

/// What a stream pays at most in every Nash equilibrium of equal servers, for a cost that is at most M everywhere:
/// f(stream + (1+delta) load) + M [e^delta/(1+delta)^(1+delta)]^(load/largest), the least over delta > 0.
/// `stream` and `largest` are utilisations of a server by that stream and by the largest one. `None` if the cost has no
/// upper bound: then there is no such guarantee.
pub fn guarantee(cost: &Cost, stream: f64, largest: f64, load: f64) -> Option<Guarantee> {
    let most = cost.supremum()?;
    let bound = |delta: f64| {
        let chernoff = delta - (1.0 + delta) * libm::log1p(delta);
        cost.at(stream + (1.0 + delta) * load) + most * libm::exp(chernoff * load / largest)
    };
    let at = |step: f64| libm::exp(step);
    // Every delta is right; a grid in its logarithm and golden sections around the best one find a good one.
    let grid = (-1000..=1000).map(|i| f64::from(i) * 0.01);
    let best = grid.min_by(|a, b| bound(at(*a)).total_cmp(&bound(at(*b))))?;
    let (mut low, mut high) = (best - 0.01, best + 0.01);
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..60 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if bound(at(a)) <= bound(at(b)) {
            high = b;
        } else {
            low = a;
        }
    }
    let delta = at(0.5 * (low + high));
    let found = bound(delta);
    Some(if found < most {
        Guarantee { cost: found, delta }
    } else {
        Guarantee {
            cost: most,
            delta: f64::INFINITY,
        }
    })
}

//! Pure equilibria on equal servers: how bad the worst one is.
//!
//! Owns the bounds and the instances that attain them. Does not own the search of a given instance, which is
//! `equilibria`. Equilibria are those of loads: no stream would be on a server with less load, itself included. Where a
//! cost is flat or infinite, streams may be content with more; see docs/theory.md, "selfish: pure equilibria".

use super::Cost;

/// One equilibrium and the best assignment of the same streams.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instance {
    /// Traffic over capacity.
    pub utilisation: f64,
    /// Utilisation of the fullest server in the equilibrium.
    pub nash_load: f64,
    /// .. and in the best assignment.
    pub optimum_load: f64,
    /// Its cost in the equilibrium.
    pub nash: f64,
    /// .. and in the best assignment.
    pub optimum: f64,
}

impl Instance {
    fn new(cost: &Cost, nash_load: f64, optimum_load: f64) -> Instance {
        Instance {
            utilisation: optimum_load,
            nash_load,
            optimum_load,
            nash: cost.at(full(nash_load)),
            optimum: cost.at(full(optimum_load)),
        }
    }

    /// Nash over optimum: 1 where both are 0, `None` where the optimum is infinite.
    pub fn ratio(&self) -> Option<f64> {
        ratio(self.nash, self.optimum)
    }
}

/// A utilisation that is 1 but for rounding is 1: .55 times 20/11 fills a server.
pub(super) fn full(x: f64) -> f64 {
    if (x - 1.0).abs() < 1e-13 { 1.0 } else { x }
}

/// A cost over that of the optimum: 1 where both are 0, `None` where the optimum is infinite.
pub fn ratio(cost: f64, optimum: f64) -> Option<f64> {
    match (cost, optimum) {
        (_, f64::INFINITY) => None,
        (0.0, 0.0) => Some(1.0),
        _ => Some(cost / optimum),
    }
}

/// The largest load of a server in a pure equilibrium over that of the optimum, at most 2 - 2/(m+1), attained.
pub fn load_bound(servers: u32) -> f64 {
    let m = f64::from(servers.max(1));
    2.0 * m / (m + 1.0)
}

/// The instance that attains [`load_bound`]: a server with two streams of x, and the others with streams of x/m that
/// add up to x. The optimum has the load x (1+1/m) everywhere.
pub fn worst(cost: &Cost, servers: u32, x: f64) -> Instance {
    let m = f64::from(servers.max(1));
    if servers <= 1 {
        return Instance::new(cost, 2.0 * x, 2.0 * x);
    }
    Instance::new(cost, 2.0 * x, x * (m + 1.0) / m)
}

/// The worst pure equilibrium of all with the given traffic over capacity: [`worst`] at x = load m/(m+1).
pub fn worst_at(cost: &Cost, servers: u32, load: f64) -> Instance {
    let m = f64::from(servers.max(1));
    Instance::new(cost, load * 2.0 * m / (m + 1.0), load)
}

/// The worst pure equilibrium with streams of at most `stream` and a largest load `full` (both utilisations): loads
/// `full` (streams of `stream`), and `full - stream` on the others.
pub fn worst_of_small_streams(cost: &Cost, servers: u32, stream: f64, full: f64) -> Instance {
    let m = f64::from(servers.max(1));
    Instance::new(cost, full, full - stream * (m - 1.0) / m)
}

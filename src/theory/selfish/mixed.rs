//! The mixed equilibrium of equal streams on equal servers: every stream draws its server uniformly.
//!
//! Owns what that costs, how often a server is overloaded, and limits at small load. Does not own other mixed
//! equilibria, for which no closed form is known.

use super::binomial::Law;
use super::pure::full;
use super::{Cost, Occupancy};

/// n equal streams on m equal servers, each on a server drawn uniformly, at a load rho = traffic over capacity.
#[derive(Debug, Clone)]
pub struct Mixed {
    servers: u32,
    streams: u32,
    load: f64,
    fullest: Occupancy,
    /// Other streams on the server of a given one.
    company: Vec<(u32, f64)>,
}

impl Mixed {
    /// The equilibrium; `None` without servers or streams, beyond the sizes of [`Occupancy::new`], or if the load is
    /// not a finite number above 0.
    pub fn new(servers: u32, streams: u32, load: f64) -> Option<Mixed> {
        if streams == 0 || !(load > 0.0 && load.is_finite()) {
            return None;
        }
        let fullest = Occupancy::new(servers, streams)?;
        let law = Law::binomial(streams as usize - 1, 1.0 / f64::from(servers), 0.0);
        let company = law.iter().map(|(k, chance)| (k as u32, chance)).collect();
        Some(Mixed {
            servers,
            streams,
            load,
            fullest,
            company,
        })
    }

    /// The law of the number of streams on the fullest server.
    pub fn fullest(&self) -> &Occupancy {
        &self.fullest
    }

    /// The utilisation of a server with k of the streams, k m rho/n.
    pub fn utilisation(&self, k: u32) -> f64 {
        let x = f64::from(k) * f64::from(self.servers) * self.load / f64::from(self.streams);
        full(x)
    }

    /// The fewest streams that overload a server, whose utilisation then is at least `capacity`; `None` if all together
    /// do not.
    pub fn overloading(&self, capacity: f64) -> Option<u32> {
        let fits = |k: u32| self.utilisation(k) < capacity;
        let (mut low, mut high) = (0, self.streams);
        if fits(high) {
            return None;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if fits(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Some(high)
    }

    /// P(some server has a utilisation of at least `capacity`).
    pub fn overload(&self, capacity: f64) -> f64 {
        self.overloading(capacity).map_or(0.0, |k| {
            k.checked_sub(1).map_or(1.0, |k| self.fullest.exceeds(k))
        })
    }

    /// P(the server of a given stream has a utilisation of at least `capacity`).
    pub fn stream_overload(&self, capacity: f64) -> f64 {
        let Some(least) = self.overloading(capacity) else {
            return 0.0;
        };
        let rare = self.company.iter().rev();
        rare.take_while(|(k, _)| k + 1 >= least)
            .map(|(_, chance)| chance)
            .sum()
    }

    /// E of the largest cost of a server, E f(max), infinite if it can be.
    pub fn cost_max(&self, cost: &Cost) -> f64 {
        self.fullest.expect(|k| cost.at(self.utilisation(k)))
    }

    /// E of the cost of one stream, E f((1 + Bin(n-1, 1/m)) m rho/n).
    pub fn cost_stream(&self, cost: &Cost) -> f64 {
        if cost.at(self.utilisation(self.streams)) == f64::INFINITY {
            return f64::INFINITY;
        }
        let terms = self.company.iter();
        terms
            .map(|(k, chance)| chance * cost.at(self.utilisation(k + 1)))
            .sum()
    }

    /// E of the average cost weighted by traffic, E[sum of w f(w)]/Lambda: here that of one stream.
    pub fn cost_average(&self, cost: &Cost) -> f64 {
        self.cost_stream(cost)
    }

    /// The largest cost of a server in the best assignment, where none has more than ceil(n/m) streams.
    pub fn optimum(&self, cost: &Cost) -> f64 {
        cost.at(self.utilisation(self.streams.div_ceil(self.servers)))
    }

    /// The least s >= 1 for which this equilibrium on servers s times faster costs, E f(max/s), at most what the optimum
    /// does on the original ones; `None` if the optimum is infinite. At most m. To 1e-12.
    pub fn degradation(&self, cost: &Cost) -> Option<f64> {
        let optimum = self.optimum(cost);
        if optimum == f64::INFINITY {
            return None;
        }
        let enough = |s: f64| self.fullest.expect(|k| cost.at(self.utilisation(k) / s)) <= optimum;
        if enough(1.0) {
            return Some(1.0);
        }
        let (mut low, mut high) = (1.0, f64::from(self.servers));
        while high - low > 1e-12 * high {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if enough(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high)
    }
}

/// What the cost of a stream under uniform mixing comes to over that of the optimum as the load falls to 0, for a server
/// that rejects when `connections` = c are busy: E (1 + Bin(n-1, 1/m))^c / ceil(n/m)^c, as B(c, a) ~ a^c/c!. `None`
/// without servers or streams, or for more than 100,000 streams.
pub fn small_load_ratio(servers: u32, streams: u32, connections: u32) -> Option<f64> {
    if servers == 0 || streams == 0 || streams > 100_000 {
        return None;
    }
    let company = Law::binomial(streams as usize - 1, 1.0 / f64::from(servers), 0.0);
    let balanced = f64::from(streams.div_ceil(servers));
    let power = |k: usize| libm::pow((k + 1) as f64 / balanced, f64::from(connections));
    Some(company.iter().map(|(k, chance)| chance * power(k)).sum())
}

/// The Bell number B(n), the number of partitions of n things: E (1 + Poisson(1))^c = B(c+1) is the limit of
/// [`small_load_ratio`] for n = m -> infinity. Exact up to n = 25, infinite in f64 from n = 219 on.
pub fn bell(n: u32) -> f64 {
    // The Bell triangle: a row starts with the end of the one before, and each number adds the one above it.
    let mut row = vec![1.0_f64];
    for _ in 0..n.min(300) {
        let mut next = vec![row[row.len() - 1]];
        for above in &row {
            next.push(next[next.len() - 1] + above);
        }
        row = next;
    }
    row[0]
}

//! What the host needs of a plan to make loads and costs of counts: classes of servers and streams, capacity, costs.
//!
//! Owns its form as words behind the kernels' tables, and what a bin stands for. Counts nothing.

use super::words::{class, param};
use crate::models::selfish::{next_costs, next_number, push_costs, push_number};
use crate::models::{Histogram, Plan, Scale};
use crate::theory::selfish::Cost;

/// Most bins of the histogram of largest utilisations.
const MOST_BINS: u64 = 1 << 17;

/// Servers of equal speed.
#[derive(Debug, Clone, PartialEq)]
pub struct Servers {
    /// Their speed in units.
    pub speed: u32,
    /// How many they are.
    pub number: u32,
    /// The least load at which one is at or above its capacity.
    pub full: u32,
}

/// Streams of equal rate and strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct Streams {
    /// Their rate in units.
    pub rate: u32,
    /// How many they are.
    pub number: u32,
}

/// A farm as the host sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Farm {
    /// The loads that a server can have are 0, 1, .. below this.
    pub loads: usize,
    /// Units of rate that one unit of speed can serve.
    pub capacity: f64,
    /// Classes of servers.
    pub servers: Vec<Servers>,
    /// Classes of streams.
    pub streams: Vec<Streams>,
    /// The costs to estimate.
    pub costs: Vec<Cost>,
    /// Utilisation of the busiest server in the best assignment.
    pub optimum: f64,
    /// Whether that is exact, not a lower bound.
    pub optimum_exact: bool,
}

impl Farm {
    /// Bins that have one for every load of every class of servers, one class after another.
    pub fn bins(&self) -> usize {
        self.servers.len() * self.loads
    }

    /// Streams that differ meet loads of their own; those that do not, the loads of all servers.
    pub fn records_met(&self) -> bool {
        self.streams.len() > 1
    }

    /// The utilisation of a server of a class under a load. It is below 1 exactly below the load that is full.
    pub fn utilisation(&self, class: &Servers, load: usize) -> f64 {
        let x = load as f64 / (f64::from(class.speed) * self.capacity);
        if load < class.full as usize {
            x.min(1.0 - f64::EPSILON)
        } else {
            x.max(1.0)
        }
    }

    /// The largest speed.
    pub fn top_speed(&self) -> u32 {
        self.servers
            .iter()
            .map(|class| class.speed)
            .max()
            .unwrap_or(1)
    }

    /// The load that is as much for a server of the largest speed, rounded down after so many binary places.
    pub fn scaled(&self, class: &Servers, load: usize, places: u32) -> u128 {
        ((load as u128 * u128::from(self.top_speed())) << places) / u128::from(class.speed)
    }

    /// Binary places of a scaled load that bins of largest utilisations leave out.
    pub fn shift(&self) -> u32 {
        let most = self.top_scaled();
        (0..64).find(|&k| most >> k < MOST_BINS).unwrap_or(0)
    }

    /// The histogram of largest utilisations: in units of one unit of rate on a server of the largest speed, or a
    /// power of two of them.
    pub fn load_max(&self) -> Histogram {
        let shift = self.shift();
        Histogram {
            name: "load_max",
            bins: (self.top_scaled() >> shift) as u32 + 1,
            scale: Scale::Linear {
                origin: 0,
                width: 1,
            },
            step: (1u64 << shift) as f64 / (f64::from(self.top_speed()) * self.capacity),
            unit: "",
        }
    }

    /// The largest scaled load: all streams on the slowest server.
    fn top_scaled(&self) -> u64 {
        let all = self.loads.saturating_sub(1);
        (self.servers.iter())
            .map(|class| self.scaled(class, all, 0) as u64)
            .max()
            .unwrap_or(0)
    }

    /// The words that hold what the kernels' tables do not.
    pub fn words(&self) -> Vec<u32> {
        let mut words = vec![self.streams.len() as u32];
        words.extend((self.streams.iter()).flat_map(|class| [class.rate, class.number]));
        push_number(&mut words, self.capacity);
        push_number(&mut words, self.optimum);
        words.push(u32::from(self.optimum_exact));
        push_costs(&mut words, &self.costs);
        words
    }

    /// The farm of a plan.
    pub fn of(plan: &Plan) -> Farm {
        let p = |index: usize| plan.params[index] as usize;
        let mut end = 0;
        let servers = plan.tables[p(param::CLASS_AT)..]
            .chunks_exact(class::COUNT)
            .take(p(param::CLASSES))
            .map(|words| {
                let first = std::mem::replace(&mut end, words[class::END]);
                Servers {
                    speed: words[class::SPEED],
                    number: end - first,
                    full: words[class::FULL],
                }
            })
            .collect();
        let mut words = plan.tables[p(param::HOST_AT)..].iter().copied();
        let mut next = || words.next().unwrap_or(0);
        let streams = (0..next())
            .map(|_| Streams {
                rate: next(),
                number: next(),
            })
            .collect();
        let (capacity, optimum) = (next_number(&mut next), next_number(&mut next));
        let optimum_exact = next() == 1;
        let costs = next_costs(&mut next);
        Farm {
            loads: p(param::LOADS),
            capacity,
            servers,
            streams,
            costs,
            optimum,
            optimum_exact,
        }
    }
}

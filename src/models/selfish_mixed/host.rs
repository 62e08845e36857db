//! What the host needs of a plan to make loads and costs of counts: classes of servers and streams, capacity, costs.
//!
//! Owns its form as words behind the kernels' tables, and what a bin stands for. Counts nothing.

use super::words::{class, param};
use crate::models::selfish::COSTS;
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
        push(&mut words, self.capacity);
        push(&mut words, self.optimum);
        words.push(u32::from(self.optimum_exact));
        words.push(self.costs.len() as u32);
        for cost in &self.costs {
            let numbers = numbers_of(cost);
            let which = COSTS.iter().position(|&name| name == cost.name());
            words.extend([which.unwrap_or(0) as u32, numbers.len() as u32]);
            for number in numbers {
                push(&mut words, number);
            }
        }
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
        let (capacity, optimum) = (number(&mut next), number(&mut next));
        let optimum_exact = next() == 1;
        let costs = (0..next())
            .map(|_| {
                let (which, count) = (next(), next());
                cost_of(which, (0..count).map(|_| number(&mut next)).collect())
            })
            .collect();
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

/// The next number of a list of words, see [`push`].
fn number(next: &mut impl FnMut() -> u32) -> f64 {
    let low = u64::from(next());
    f64::from_bits(low | u64::from(next()) << 32)
}

fn push(words: &mut Vec<u32>, number: f64) {
    let bits = number.to_bits();
    words.extend([bits as u32, (bits >> 32) as u32]);
}

/// The numbers that a cost has beside its name.
fn numbers_of(cost: &Cost) -> Vec<f64> {
    match cost {
        Cost::Mm1 => Vec::new(),
        Cost::Power(x) | Cost::Mg1 { scv: x } | Cost::Exponential(x) => vec![*x],
        Cost::Mm1k { room: c } | Cost::ErlangB { connections: c } => vec![f64::from(*c)],
        Cost::Table { loads, costs } => [&loads[..], costs].concat(),
    }
}

/// The cost of that place in the list of costs.
fn cost_of(which: u32, mut numbers: Vec<f64>) -> Cost {
    let x = numbers.first().copied().unwrap_or(0.0);
    match which {
        0 => Cost::Power(x),
        1 => Cost::Mm1,
        2 => Cost::Mg1 { scv: x },
        3 => Cost::Mm1k { room: x as u32 },
        4 => Cost::ErlangB {
            connections: x as u32,
        },
        5 => Cost::Exponential(x),
        _ => {
            let costs = numbers.split_off(numbers.len() / 2);
            Cost::Table {
                loads: numbers,
                costs,
            }
        }
    }
}

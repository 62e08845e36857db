//! A point of `farm`, understood and checked, in real numbers.
//!
//! Owns what needs more than one parameter to be judged, and what is refused. How it becomes integers is in plan.rs.

use super::equilibrium::equilibrium;
use crate::models::redundancy::law::Law;
use crate::models::selfish::{Instance, instances};
use crate::models::{Point, Problem};

/// Most units of rate of all streams together, and how many where they have no common unit.
const RATE_UNITS: (f64, f64) = ((1u64 << 30) as f64, (1u64 << 24) as f64);
/// How far the squared coefficient of variation may be from that of a law of Erlang, relatively.
const CLOSE: f64 = 1e-4;

/// How requests find their servers.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Route {
    /// The server of each stream, counted from 0.
    Fixed(Vec<u32>),
    /// Each replica draws the server of each stream.
    Drawn,
    /// Each request draws a server in proportion to the speeds.
    Request,
}

/// What a server is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A queue without limit.
    Queue(Law),
    /// M/M/1/K: a queue with room for K requests.
    Room(u32),
    /// M/M/c/K.
    Connections {
        /// c.
        connections: u32,
        /// K, at least c.
        room: u32,
    },
}

impl Kind {
    /// c.
    pub fn connections(&self) -> u32 {
        match self {
            Kind::Connections { connections, .. } => *connections,
            _ => 1,
        }
    }

    /// K, 0 where there is no limit.
    pub fn room(&self) -> u32 {
        match self {
            Kind::Queue(_) => 0,
            Kind::Room(room) | Kind::Connections { room, .. } => *room,
        }
    }
}

/// A point, understood and checked.
#[derive(Debug)]
pub(super) struct Site {
    /// Streams and servers in whole numbers; its load counts all connections.
    pub instance: Instance,
    /// Speed of each server: requests served in a mean service time at speed 1.
    pub speeds: Vec<f64>,
    /// Rate of all requests together, per mean service time at speed 1.
    pub rate: f64,
    pub route: Route,
    pub kind: Kind,
    /// Whether some queue is known to grow for ever.
    pub unstable: bool,
}

impl Site {
    /// Reads and checks a point.
    pub fn of(point: &Point) -> Result<Site, Problem> {
        let kind = kind(point)?;
        let mut all = instances(point, 1, RATE_UNITS.0, RATE_UNITS.1)?;
        let Some(mut instance) = all.pop() else {
            return Err(Problem::new("servers", "there is no farm"));
        };
        let speeds: Vec<f64> = (instance.speeds.iter())
            .map(|&speed| f64::from(speed) * instance.speed_unit)
            .collect();
        let capacity = f64::from(kind.connections()) * speeds.iter().sum::<f64>();
        let given = instance.rate() as f64 * instance.rate_unit;
        let load = point.number("load");
        let rate = if load == 0.0 { given } else { load * capacity };
        instance.load = rate / capacity;
        let route = route(point, &instance)?;
        let mut site = Site {
            instance,
            speeds,
            rate,
            route,
            kind,
            unstable: false,
        };
        if let Some(problem) = site.lost() {
            if !point.flag("allow_unstable") {
                return Err(problem);
            }
            site.unstable = true;
        }
        Ok(site)
    }

    /// The load of each server in units of rate, where streams have fixed servers.
    fn loads(&self, servers: &[u32]) -> Vec<u64> {
        let mut loads = vec![0; self.speeds.len()];
        for (&server, &rate) in servers.iter().zip(&self.instance.rates) {
            loads[server as usize] += u64::from(rate);
        }
        loads
    }

    /// Rate of requests at each server, per mean service time at speed 1; none for drawn allocations.
    pub fn rates_at(&self) -> Option<Vec<f64>> {
        let share = |part: u64, whole: u64| part as f64 / whole as f64 * self.rate;
        match &self.route {
            Route::Fixed(servers) => {
                let whole = self.instance.rate();
                let loads = self.loads(servers).into_iter();
                Some(loads.map(|load| share(load, whole)).collect())
            }
            Route::Request => {
                let whole = self.instance.speed();
                let speeds = self.instance.speeds.iter();
                Some(
                    speeds
                        .map(|&speed| share(u64::from(speed), whole))
                        .collect(),
                )
            }
            Route::Drawn => None,
        }
    }

    /// The least load at which each server is at or above its capacity, in units of rate.
    pub fn full(&self) -> Vec<u32> {
        let speeds = self.instance.speeds.iter();
        speeds.map(|&speed| self.instance.full(speed)).collect()
    }

    /// Why some queue grows for ever; none when that is not known.
    fn lost(&self) -> Option<Problem> {
        if self.kind.room() > 0 {
            return None;
        }
        let what = match &self.route {
            Route::Fixed(servers) => {
                let loads = self.loads(servers);
                let full = self.full();
                let server = (0..full.len()).find(|&j| loads[j] >= u64::from(full[j]))?;
                let capacity = self.instance.capacity() * f64::from(self.instance.speeds[server]);
                format!(
                    "server {} is offered {:.4} times what it can do",
                    server + 1,
                    loads[server] as f64 / capacity
                )
            }
            _ if self.instance.load >= 1.0 => "the load is not below 1".to_owned(),
            _ => return None,
        };
        Some(Problem::new(
            "load",
            format!(
                "{:.4} has no steady state: {what}; lower the load, take servers that reject (server = \"mm1k\"), or set allow_unstable = true to simulate it all the same",
                self.instance.load
            ),
        ))
    }
}

fn kind(point: &Point) -> Result<Kind, Problem> {
    let whole = |key| point.number(key) as u32;
    let (connections, room) = (whole("connections"), whole("room"));
    Ok(match point.word("server") {
        "mm1" => Kind::Queue(Law::Exponential),
        "mg1" => Kind::Queue(service(point.number("service_scv"))?),
        "mm1k" => Kind::Room(room),
        "mmcc" => Kind::Connections {
            connections,
            room: connections,
        },
        _ if room < connections => {
            let message = format!(
                "{room} is less than the {connections} connections, each of which holds a request; give at least {connections}, or take server = \"mmcc\""
            );
            return Err(Problem::new("room", message));
        }
        _ => Kind::Connections { connections, room },
    })
}

/// The law of service times of mean 1: hyperexponential with balanced means above 1, Erlang below, constant at 0.
fn service(scv: f64) -> Result<Law, Problem> {
    if scv == 0.0 {
        return Ok(Law::Deterministic);
    }
    if scv > 1.0 {
        // Weights p and 1 - p, rates 2 p and 2 (1 - p): both phases bring half of the work.
        let p = 0.5 * (1.0 + ((scv - 1.0) / (scv + 1.0)).sqrt());
        return Ok(Law::Hyperexponential {
            weights: [p, 1.0 - p],
            rates: [p, 1.0 - p],
        });
    }
    let phases = libm::round(1.0 / scv).min(1000.0);
    if (scv * phases - 1.0).abs() > CLOSE {
        let [above, below] = [libm::floor(1.0 / scv), libm::ceil(1.0 / scv)];
        let message = format!(
            "below 1 service times are sums of k exponential phases, k up to 1000, with 1/k: give {:.6} or {:.6} instead of {scv}, or 0 for constant ones",
            1.0 / above.clamp(1.0, 1000.0),
            1.0 / below.clamp(1.0, 1000.0)
        );
        return Err(Problem::new("service_scv", message));
    }
    Ok(if phases == 1.0 {
        Law::Exponential
    } else {
        Law::Erlang {
            phases: phases as u32,
        }
    })
}

fn route(point: &Point, instance: &Instance) -> Result<Route, Problem> {
    if point.word("routing") == "per_request" {
        return Ok(Route::Request);
    }
    match point.word("allocation") {
        "equilibrium" => {
            let servers = equilibrium(&instance.rates, &instance.speeds);
            Ok(Route::Fixed(servers))
        }
        "given" => given(point, instance).map(Route::Fixed),
        _ => Ok(Route::Drawn),
    }
}

fn given(point: &Point, instance: &Instance) -> Result<Vec<u32>, Problem> {
    let listed = point.numbers("servers_of");
    let (streams, servers) = (instance.rates.len(), instance.speeds.len());
    if listed.len() != streams {
        let message = format!(
            "allocation = \"given\" needs the server of each of the {streams} streams, counted from 1, and {} are listed: servers_of = [1, 2, ...], or {{ file = \"streams.csv\", column = \"server\" }}",
            listed.len()
        );
        return Err(Problem::new("servers_of", message));
    }
    let server = |(stream, &x): (usize, &f64)| {
        if x.fract() == 0.0 && (1.0..=servers as f64).contains(&x) {
            return Ok(x as u32 - 1);
        }
        let message = format!(
            "the server of stream {} is {x}, not a whole number from 1 to {servers}",
            stream + 1
        );
        Err(Problem::new("servers_of", message))
    };
    listed.iter().enumerate().map(server).collect()
}

//! Servers that reject against a simulation that follows every request through queue and connections, with its own
//! random numbers and floating-point times: nothing in common with the kernels but the rules.

use super::{Z, column, list, point, run, word};
use queuefarm::models::Value;

/// A plain generator (SplitMix64).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn exponential(&mut self, rate: f64) -> f64 {
        -(1.0 - self.uniform()).ln() / rate
    }
}

/// A server of that speed: when each request in service leaves, and when each one that waits came.
struct Server {
    speed: f64,
    leaving: Vec<(f64, f64)>,
    waiting: std::collections::VecDeque<f64>,
}

/// Requests, rejected ones, and the sum of delays of accepted ones.
#[derive(Default)]
struct Seen {
    requests: f64,
    rejected: f64,
    delays: f64,
}

/// Streams of these rates at servers (speed, rate of requests): each event in turn.
fn simulate(
    servers: &[(f64, f64)],
    connections: usize,
    room: usize,
    requests: u32,
    seed: u64,
) -> Seen {
    let mut random = Random(seed);
    let total: f64 = servers.iter().map(|(_, rate)| rate).sum();
    let mut farm: Vec<Server> = (servers.iter())
        .map(|&(speed, _)| Server {
            speed,
            leaving: Vec::new(),
            waiting: Default::default(),
        })
        .collect();
    let mut seen = Seen::default();
    let (mut now, warmup) = (0.0, requests / 10);
    for request in 0..requests + warmup {
        now += random.exponential(total);
        let measured = request >= warmup;
        for server in &mut farm {
            // All departures up to now, the earliest first; each lets in the one that has waited longest.
            loop {
                let next = (0..server.leaving.len())
                    .min_by(|&a, &b| server.leaving[a].0.total_cmp(&server.leaving[b].0))
                    .filter(|&at| server.leaving[at].0 <= now);
                let Some(at) = next else { break };
                let (left, came) = server.leaving.swap_remove(at);
                if measured {
                    seen.delays += left - came;
                }
                if let Some(came) = server.waiting.pop_front() {
                    let service = random.exponential(server.speed);
                    server.leaving.push((left + service, came));
                }
            }
        }
        let mut place = random.uniform() * total;
        let chosen = servers.iter().position(|(_, rate)| {
            place -= rate;
            place < 0.0
        });
        let server = &mut farm[chosen.unwrap_or(servers.len() - 1)];
        let present = server.leaving.len() + server.waiting.len();
        seen.requests += f64::from(measured);
        if present >= room {
            seen.rejected += f64::from(measured);
        } else if server.leaving.len() < connections {
            let service = random.exponential(server.speed);
            server.leaving.push((now + service, now));
        } else {
            server.waiting.push_back(now);
        }
    }
    seen
}

/// Mean and standard error over independent runs: delay, rejected.
fn literal(servers: &[(f64, f64)], connections: usize, room: usize) -> [[f64; 2]; 2] {
    let runs: Vec<Seen> = (0..40)
        .map(|seed| simulate(servers, connections, room, 50_000, 1000 + seed))
        .collect();
    let of = |value: &dyn Fn(&Seen) -> f64| {
        let values: Vec<f64> = runs.iter().map(value).collect();
        let (count, sum) = (values.len() as f64, values.iter().sum::<f64>());
        let mean = sum / count;
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        [mean, (squares / (count * (count - 1.0))).sqrt()]
    };
    [
        of(&|seen| seen.delays / (seen.requests - seen.rejected)),
        of(&|seen| seen.rejected / seen.requests),
    ]
}

#[test]
fn rejecting_servers_do_what_a_literal_simulation_does() {
    // Streams 3, 2, 2 at servers of speeds 1 and 2: at a load of 0.9 per connection.
    for (server, connections, room) in [("mm1k", 1.0, 4.0), ("mmck", 3.0, 5.0), ("mmcc", 4.0, 4.0)]
    {
        let changes = [
            ("speeds", list(&[1.0, 2.0])),
            ("rates", list(&[3.0, 2.0, 2.0])),
            ("load", Value::Number(0.9)),
            ("allocation", word("given")),
            ("servers_of", list(&[1.0, 2.0, 2.0])),
            ("server", word(server)),
            ("connections", Value::Number(connections)),
            ("room", Value::Number(room)),
        ];
        let found = run(&point([2e3, 2e4], &[&changes]), 13, 32);
        let rate = 0.9 * 3.0 * connections;
        let servers = [(1.0, rate * 3.0 / 7.0), (2.0, rate * 4.0 / 7.0)];
        let literal = literal(&servers, connections as usize, room as usize);
        for (name, literal) in ["delay_mean", "rejected"].into_iter().zip(literal) {
            let found = found[column(name)].unwrap();
            let z = (found[0] - literal[0]) / found[1].hypot(literal[1]);
            println!("{server} {name}: {found:?} {literal:?} z = {z:.2}");
            assert!(
                z.abs() < Z,
                "{server} {name}: {found:?} {literal:?}, z = {z}"
            );
        }
        // The twin: 2 % more requests at each server.
        let more = servers.map(|(speed, rate)| (speed, 1.02 * rate));
        let [_, twin] = self::literal(&more, connections as usize, room as usize);
        let found = found[column("rejected")].unwrap();
        assert!(
            (found[0] - twin[0]).abs() > Z * found[1].hypot(twin[1]),
            "{server}: {twin:?}"
        );
    }
}

//! Unequal streams and servers: all profiles of small farms, enumerated, and profiles drawn one by one.

use super::{Key, Purpose, Value, Z, all, costs, estimate, number, point, simulate, z};
use queuefarm::models::selfish_mixed::MODEL;
use queuefarm::theory::selfish::Cost;

/// A farm in real numbers, with a strategy for each stream.
struct Farm {
    speeds: Vec<f64>,
    rates: Vec<f64>,
    load: f64,
    strategies: Vec<Vec<f64>>,
}

const COSTS: [&str; 7] = [
    "power",
    "mm1",
    "mg1",
    "mm1k",
    "erlang_b",
    "exponential",
    "table",
];

fn functions() -> Vec<Cost> {
    let table = Cost::table(vec![0.0, 0.5, 1.5], vec![1.0, 1.5, 7.0]).unwrap();
    vec![
        Cost::Power(3.0),
        Cost::Mm1,
        Cost::Mg1 { scv: 2.0 },
        Cost::Mm1k { room: 4 },
        Cost::ErlangB { connections: 3 },
        Cost::Exponential(1.5),
        table,
    ]
}

impl Farm {
    fn uniform(speeds: &[f64], rates: &[f64], load: f64) -> Farm {
        let row = vec![1.0 / speeds.len() as f64; speeds.len()];
        Farm {
            speeds: speeds.to_vec(),
            rates: rates.to_vec(),
            load,
            strategies: vec![row; rates.len()],
        }
    }

    /// What each estimate is exactly: a sum over all profiles.
    fn exact(&self) -> Vec<(String, f64)> {
        let (m, n) = (self.speeds.len(), self.rates.len());
        let traffic: f64 = self.rates.iter().sum();
        let capacity = traffic / (self.load * self.speeds.iter().sum::<f64>());
        let functions = functions();
        let [mut load_max, mut overload] = [0.0; 2];
        let mut streams_over = vec![0.0; n];
        let mut maxima = vec![0.0; functions.len()];
        let mut averages = maxima.clone();
        let mut of_streams = vec![vec![0.0; n]; functions.len()];
        for profile in 0..m.pow(n as u32) {
            let choices: Vec<usize> = (0..n).map(|i| profile / m.pow(i as u32) % m).collect();
            let chance: f64 = (0..n).map(|i| self.strategies[i][choices[i]]).product();
            if chance == 0.0 {
                continue;
            }
            let mut x = vec![0.0; m];
            for (i, &j) in choices.iter().enumerate() {
                x[j] += self.rates[i] / (self.speeds[j] * capacity);
            }
            let most = x.iter().copied().fold(0.0, f64::max);
            load_max += chance * most;
            // No load of these farms is so close to a capacity.
            assert!(x.iter().all(|x| (x - 1.0).abs() > 1e-9));
            overload += chance * f64::from(u8::from(most >= 1.0));
            for (i, &j) in choices.iter().enumerate() {
                streams_over[i] += chance * f64::from(u8::from(x[j] >= 1.0));
            }
            for (k, f) in functions.iter().enumerate() {
                maxima[k] += chance * f.at(most);
                let weighted = x.iter().zip(&self.speeds).filter(|(x, _)| **x > 0.0);
                averages[k] += chance
                    * weighted
                        .map(|(x, s)| x * s * capacity / traffic * f.at(*x))
                        .sum::<f64>();
                for (i, &j) in choices.iter().enumerate() {
                    of_streams[k][i] += chance * f.at(x[j]);
                }
            }
        }
        // Empty streams are nobody's requests.
        let worst = |each: &[f64]| {
            let real = each
                .iter()
                .zip(&self.rates)
                .filter(|(_, rate)| **rate > 0.0);
            real.map(|(x, _)| *x).fold(0.0, f64::max)
        };
        let mut all = vec![
            ("load_max".to_owned(), load_max),
            ("overload".to_owned(), overload),
            ("stream_overload".to_owned(), worst(&streams_over)),
        ];
        for (k, cost) in COSTS.iter().enumerate() {
            all.push((format!("cost_max_{cost}"), maxima[k]));
            all.push((format!("cost_average_{cost}"), averages[k]));
            all.push((format!("cost_worst_stream_{cost}"), worst(&of_streams[k])));
        }
        all
    }

    /// The largest |z| of all estimates of a run of this farm against the values; infinite ones must be none.
    fn largest_z(&self, strategy: &str, expected: &[(String, f64)]) -> f64 {
        let changes = [
            ("speeds", Value::Numbers(self.speeds.clone())),
            ("rates", Value::Numbers(self.rates.clone())),
            ("load", number(self.load)),
            ("strategy", Value::Word(strategy.to_owned())),
            ("strategy_matrix", Value::Numbers(self.strategies.concat())),
            costs(&COSTS),
            ("power", number(3.0)),
            ("service_scv", number(2.0)),
            ("room", number(4.0)),
            ("connections", number(3.0)),
            ("exponent", number(1.5)),
            ("table_load", Value::Numbers(vec![0.0, 0.5, 1.5])),
            ("table_cost", Value::Numbers(vec![1.0, 1.5, 7.0])),
        ];
        let plan = (MODEL.plan)(&point(500, &changes)).unwrap();
        let batches = simulate(&plan, 16);
        let whole = all(&batches, &plan);
        let mut largest: f64 = 0.0;
        for (name, exact) in expected {
            if exact.is_infinite() {
                assert_eq!(estimate(&plan, &whole, name), None, "{name}");
            } else {
                largest = largest.max(z(&plan, &batches, name, *exact).abs());
            }
        }
        largest
    }
}

/// The strategies of the equilibrium in which all streams use all servers, from the formula of the literature.
fn mixed(speeds: &[f64], rates: &[f64]) -> Vec<Vec<f64>> {
    let (n, m) = (rates.len() as f64, speeds.len() as f64);
    let (traffic, speed): (f64, f64) = (rates.iter().sum(), speeds.iter().sum());
    let row = |rate: &f64| {
        speeds
            .iter()
            .map(|s| (1.0 - m * s / speed) * (1.0 - traffic / ((n - 1.0) * rate)) + s / speed)
            .collect()
    };
    rates.iter().map(row).collect()
}

#[test]
fn all_estimates_agree_with_sums_over_all_profiles_and_not_with_those_of_another_farm() {
    // Everything on the slowest server at a load of .2 is not too much; at .7 it is.
    let (speeds, rates) = ([1.0, 2.0, 1.5, 1.0], [3.0, 1.0, 2.0, 0.0, 1.0]);
    for load in [0.17, 0.71] {
        let uniform = Farm::uniform(&speeds, &rates, load);
        let mut matrix = Farm::uniform(&speeds, &rates, load);
        matrix.strategies = vec![
            vec![0.1, 0.2, 0.3, 0.4],
            vec![0.0, 1.0, 0.0, 0.0],
            vec![0.5, 0.25, 0.25, 0.0],
            vec![0.25; 4],
            vec![0.1, 0.2, 0.3, 0.4],
        ];
        let close = [0.9, 1.0, 1.1];
        let mut equilibrium = Farm::uniform(&close, &[2.0, 3.0, 2.0, 2.5], load);
        equilibrium.strategies = mixed(&close, &equilibrium.rates);
        let farms = [
            ("uniform", uniform),
            ("matrix", matrix),
            ("fully_mixed", equilibrium),
        ];
        for (strategy, mut farm) in farms {
            let exact = farm.exact();
            let here = farm.largest_z(strategy, &exact);
            assert!(here < Z, "{strategy} at {load}: {here}");
            let finite = |(name, value): &(String, f64)| {
                (value.is_finite() && *value > 0.0).then(|| (name.clone(), *value))
            };
            let exact: Vec<_> = exact.iter().filter_map(finite).collect();
            farm.load *= 1.02;
            let twin = farm.largest_z(strategy, &exact);
            assert!(twin > Z, "the twin of {strategy} at {load}: {twin}");
        }
    }
}

#[test]
fn counts_are_those_of_profiles_drawn_one_by_one() {
    let (speeds, rates) = ([3u64, 2, 3, 5, 2], [4u64, 0, 1, 2, 2, 1, 7]);
    let real = |values: &[u64]| Value::Numbers(values.iter().map(|&x| x as f64).collect());
    let changes = [
        ("speeds", real(&speeds)),
        ("rates", real(&rates)),
        ("load", number(0.5)),
    ];
    let duration = 40;
    let plan = (MODEL.plan)(&point(duration, &changes)).unwrap();
    let batches = simulate(&plan, 17);
    let found = all(&batches, &plan);
    // Classes of servers: 3, 2, 5. Classes of streams: 4, 1, 2, 7.
    let (class_of, order) = ([0, 1, 0, 2, 1], [0usize, 2, 1, 4, 3]);
    let stream_class = [0, 1, 2, 2, 1, 3];
    let real_rates = [4u64, 1, 2, 2, 1, 7];
    let loads = 1 + real_rates.iter().sum::<u64>() as usize;
    let mut max = vec![0u64; 3 * loads];
    let mut server = max.clone();
    let mut stream = vec![0u64; 4 * 3 * loads];
    let key = Key {
        seed: 1999,
        stream: 0,
    };
    for replica in 0..17 * super::BATCHES {
        for profile in 0..duration {
            let mut w = [0u64; 5];
            let mut chosen = Vec::new();
            for (i, rate) in (0u32..).zip(real_rates) {
                let block = key.draw(Purpose::MixedProfile, replica, profile, i / 4);
                let word = block[(i % 4) as usize];
                // Servers of equal speed are neighbours.
                let j = order[((u64::from(word) * 5) >> 32) as usize];
                w[j] += rate;
                chosen.push(j);
            }
            let bin = |j: usize| class_of[j] * loads + w[j] as usize;
            for j in 0..5 {
                server[bin(j)] += 1;
            }
            for (i, &j) in chosen.iter().enumerate() {
                stream[stream_class[i] * 3 * loads + bin(j)] += 1;
            }
            let mut best = order[0];
            for &j in &order {
                if w[j] * speeds[best] > w[best] * speeds[j] {
                    best = j;
                }
            }
            max[bin(best)] += 1;
        }
    }
    for (k, counts) in [(1, max), (2, server), (3, stream)] {
        assert_eq!(found.counts[plan.place(k)], counts, "histogram {k}");
    }
}

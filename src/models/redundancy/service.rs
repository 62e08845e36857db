//! The laws that a point names: of sizes and of times between jobs.
//!
//! Owns the reading of their parameters. What the laws are is in law.rs, how they become integers in plan.rs.

use super::law::Law;
use super::parameters::PARAMETERS;
use crate::models::{Point, Problem, Value};

/// How sizes are drawn.
#[derive(Debug, Clone)]
pub enum Service {
    /// From a law of mean 1.
    Law(Law),
    /// From measured values, scaled to mean 1, in increasing order.
    Samples(Vec<f64>),
}

impl Service {
    /// The law of sizes of a point.
    pub fn of(point: &Point) -> Result<Service, Problem> {
        let shape = point.number("service_shape");
        Ok(Service::Law(match point.word("service") {
            "exponential" => Law::Exponential,
            "deterministic" => Law::Deterministic,
            "uniform" => Law::Uniform {
                low: point.number("service_low"),
            },
            "erlang" => {
                if shape.fract() != 0.0 || shape < 1.0 {
                    return Err(Problem::new(
                        "service_shape",
                        format!(
                            "\"erlang\" has a whole number of phases from 1 to 1000, not {shape}"
                        ),
                    ));
                }
                Law::Erlang {
                    phases: shape as u32,
                }
            }
            "hyperexponential" => phases(point, "service_weights", "service_rates")?,
            "pareto" => Law::Pareto {
                shape,
                bound: point.number("service_bound"),
            },
            "weibull" => Law::Weibull { shape },
            _ => return samples(point).map(Service::Samples),
        }))
    }

    /// E[S^2], with E[S] = 1.
    pub fn second_moment(&self) -> f64 {
        match self {
            Service::Law(law) => law.second_moment(),
            Service::Samples(values) => {
                values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64
            }
        }
    }

    /// The largest size that can be drawn.
    pub fn largest(&self) -> f64 {
        match self {
            Service::Law(law) => law.largest().unwrap_or_else(|| law.upper(0.5f64.powi(65))),
            Service::Samples(values) => values.last().copied().unwrap_or(f64::INFINITY),
        }
    }

    /// The mean of the least of d independent sizes: the integral over v in (0, 1) of the size that is exceeded
    /// with probability v^(1/d), by the midpoint rule in s with v = s^2 (3 - 2 s), which is gentle at both ends.
    pub fn least_mean(&self, copies: u32) -> f64 {
        const STEPS: u32 = 20_000;
        let power = 1.0 / f64::from(copies);
        let value = |exceeded: f64| match self {
            Service::Law(law) if exceeded <= 0.5 => law.upper(exceeded),
            Service::Law(law) => law.lower(1.0 - exceeded),
            Service::Samples(values) => {
                let rank = ((1.0 - exceeded) * values.len() as f64) as usize;
                values[rank.min(values.len() - 1)]
            }
        };
        let steps = (0..STEPS).map(|i| (f64::from(i) + 0.5) / f64::from(STEPS));
        let weighted = |s: f64| {
            let exceeded = libm::pow(s * s * (3.0 - 2.0 * s), power);
            6.0 * s * (1.0 - s) * value(exceeded)
        };
        steps.map(weighted).sum::<f64>() / f64::from(STEPS)
    }
}

/// The law of times between jobs, with mean 1.
pub fn arrivals(point: &Point) -> Result<Law, Problem> {
    Ok(match point.word("arrivals") {
        "poisson" => Law::Exponential,
        "deterministic" => Law::Deterministic,
        _ => phases(point, "arrival_weights", "arrival_rates")?,
    })
}

/// What only some laws use: the key, the key that chooses the law, the laws.
const USED_BY: [(&str, &str, &[&str]); 8] = [
    ("service_shape", "service", &["erlang", "pareto", "weibull"]),
    ("service_low", "service", &["uniform"]),
    ("service_bound", "service", &["pareto"]),
    ("service_rates", "service", &["hyperexponential"]),
    ("service_weights", "service", &["hyperexponential"]),
    ("service_samples", "service", &["samples"]),
    ("arrival_rates", "arrivals", &["hyperexponential"]),
    ("arrival_weights", "arrivals", &["hyperexponential"]),
];

/// Refuses a value that differs from its default where the law does not use it: it would change nothing.
pub fn check_used(point: &Point) -> Result<(), Problem> {
    for (key, chooser, laws) in USED_BY {
        let default = (PARAMETERS.iter())
            .find(|parameter| parameter.name == key)
            .and_then(|parameter| parameter.default.map(Value::from));
        let law = point.word(chooser);
        if laws.contains(&law) || point.get(key) == default.as_ref() {
            continue;
        }
        let laws: Vec<String> = laws.iter().map(|law| format!("\"{law}\"")).collect();
        return Err(Problem::new(
            key,
            format!(
                "{chooser} = \"{law}\" does not use it, only {} does; choose that, or leave {key} out",
                laws.join(" or ")
            ),
        ));
    }
    Ok(())
}

fn phases(point: &Point, weights: &'static str, rates: &'static str) -> Result<Law, Problem> {
    let two = |name: &'static str| -> Result<[f64; 2], Problem> {
        match point.numbers(name)[..] {
            [a, b] => Ok([a, b]),
            _ => Err(Problem::new(
                name,
                "a hyperexponential law has two phases: give two numbers, like [1.8, 0.2]",
            )),
        }
    };
    let (weight, rate) = (two(weights)?, two(rates)?);
    let sum = weight[0] + weight[1];
    if sum <= 0.0 {
        return Err(Problem::new(weights, "one of them must be above 0"));
    }
    if rate[0].max(rate[1]) > 1e6 * rate[0].min(rate[1]) {
        return Err(Problem::new(rates, "their ratio is at most 1000000"));
    }
    Ok(Law::Hyperexponential {
        weights: weight.map(|w| w / sum),
        rates: rate,
    })
}

fn samples(point: &Point) -> Result<Vec<f64>, Problem> {
    let mut values = point.numbers("service_samples");
    values.sort_by(f64::total_cmp);
    let sum: f64 = values.iter().sum();
    if values.is_empty() || sum <= 0.0 {
        return Err(Problem::new(
            "service_samples",
            "service = \"samples\" needs measured sizes, some of them above 0: service_samples = { file = \"latencies.csv\", column = \"ms\" }, or the numbers themselves",
        ));
    }
    let mean = sum / values.len() as f64;
    Ok(values.into_iter().map(|x| x / mean).collect())
}

#[cfg(test)]
mod tests {
    use super::Service;
    use crate::models::redundancy::law::Law;

    #[test]
    fn the_least_of_several_sizes_has_the_mean_it_should() {
        let of = |law, copies| Service::Law(law).least_mean(copies);
        // The least of d exponentials; of d Weibulls of shape k, whose scale shrinks by d^(1/k).
        for (found, exact) in [
            (of(Law::Exponential, 1), 1.0),
            (of(Law::Exponential, 10), 0.1),
            (of(Law::Weibull { shape: 0.5 }, 10), 0.01),
            (of(Law::Weibull { shape: 3.0 }, 8), 0.5),
            (of(Law::Uniform { low: 0.0 }, 3), 0.5),
            (of(Law::Deterministic, 7), 1.0),
            (Service::Samples(vec![0.5, 1.0, 1.5]).least_mean(1), 1.0),
        ] {
            assert!(
                (found / exact - 1.0).abs() < 1e-5,
                "{found} against {exact}"
            );
        }
    }
}

//! Laws of service and interarrival times, each with mean 1.
//!
//! Owns their quantile functions, moments and the lines that tables of them are made of. Knows neither
//! tables nor draws (those are in `random`), and no model.

use crate::random::unit_cells;
use std::sync::{Arc, Mutex, PoisonError};

/// A law with mean 1. Parameters are taken as checked: out of range they give meaningless numbers, not a panic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Exponential.
    Exponential,
    /// Always 1.
    Deterministic,
    /// Uniform on [low, 2 - low], low in [0, 1].
    Uniform {
        /// The smallest value.
        low: f64,
    },
    /// The sum of exponential phases, at least 1 and up to 1,000.
    Erlang {
        /// Their number.
        phases: u32,
    },
    /// One of two exponentials. Weights and rates are positive and need no normalisation.
    Hyperexponential {
        /// How often each is taken, up to a common factor.
        weights: [f64; 2],
        /// Their rates, up to a common factor.
        rates: [f64; 2],
    },
    /// Density proportional to x^(-shape - 1) up to a bound; the smallest value follows from the mean.
    Pareto {
        /// The exponent of the tail, positive.
        shape: f64,
        /// The largest value in multiples of the mean: finite and above 1.
        bound: f64,
    },
    /// P(X > x) = exp(-(x / scale)^shape).
    Weibull {
        /// The exponent, positive.
        shape: f64,
    },
}

/// Base and rise of the line in each cell of a table of quantiles.
type Cells = Arc<Vec<[f64; 2]>>;

/// Cells of the laws used last, the oldest first.
static CELLS: Mutex<Vec<(Law, Cells)>> = Mutex::new(Vec::new());

/// How many laws keep their cells: 64 KiB each.
const KEPT: usize = 64;

impl Law {
    /// The value exceeded with probability q, in (0, 1/2].
    pub fn upper(&self, q: f64) -> f64 {
        self.shape().upper(q)
    }

    /// The value not exceeded with probability p, in (0, 1/2].
    pub fn lower(&self, p: f64) -> f64 {
        self.shape().lower(p)
    }

    /// The mean of the square.
    pub fn second_moment(&self) -> f64 {
        match *self {
            Law::Exponential => 2.0,
            Law::Deterministic => 1.0,
            Law::Uniform { low } => 1.0 + (1.0 - low) * (1.0 - low) / 3.0,
            Law::Erlang { phases } => 1.0 + 1.0 / f64::from(phases),
            Law::Hyperexponential { weights, rates } => {
                let (weights, rates) = rescaled(weights, rates);
                (0..2)
                    .map(|i| 2.0 * weights[i] / (rates[i] * rates[i]))
                    .sum()
            }
            Law::Pareto { shape, bound } => {
                let span = pareto_span(shape, bound);
                let log = log_phi((shape - 2.0) * span) - log_phi(shape * span) - 2.0 * span;
                bound * bound * libm::exp(log)
            }
            Law::Weibull { shape } => {
                libm::exp(libm::lgamma(1.0 + 2.0 / shape) - 2.0 * libm::lgamma(1.0 + 1.0 / shape))
            }
        }
    }

    /// The largest value of a bounded law.
    pub fn largest(&self) -> Option<f64> {
        match *self {
            Law::Deterministic => Some(1.0),
            Law::Uniform { low } => Some(2.0 - low),
            Law::Pareto { bound, .. } => Some(bound),
            _ => None,
        }
    }

    /// The lines of `random::unit_cells`, kept for the next points of a sweep.
    pub fn cells(&self) -> Arc<Vec<[f64; 2]>> {
        let kept = || CELLS.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |all: &[(Law, Cells)]| {
            let mut found = all.iter().filter(|(law, _)| law == self);
            found.next().map(|(_, cells)| Arc::clone(cells))
        };
        if let Some(cells) = find(&kept()) {
            return cells;
        }
        // Built without the lock, so that threads can build several laws at a time.
        let shape = self.shape();
        let cells = Arc::new(unit_cells(&|q| shape.upper(q), &|p| shape.lower(p)));
        let mut all = kept();
        if let Some(earlier) = find(&all) {
            return earlier;
        }
        if all.len() >= KEPT {
            all.remove(0);
        }
        all.push((*self, Arc::clone(&cells)));
        cells
    }

    /// The law with what all its quantiles need worked out.
    fn shape(&self) -> Shape {
        match *self {
            Law::Exponential => Shape::Weibull {
                power: 1.0,
                log_scale: 0.0,
            },
            Law::Deterministic => Shape::Uniform {
                low: 1.0,
                width: 0.0,
            },
            Law::Uniform { low } => Shape::Uniform {
                low,
                width: 2.0 - 2.0 * low,
            },
            Law::Erlang { phases } => {
                let phases = f64::from(phases.max(1));
                Shape::Erlang {
                    phases,
                    log_factorial: libm::lgamma(phases + 1.0),
                }
            }
            Law::Hyperexponential { weights, rates } => {
                let (weights, rates) = rescaled(weights, rates);
                Shape::Hyperexponential { weights, rates }
            }
            Law::Pareto { shape, bound } => Shape::Pareto {
                shape,
                log_bound: libm::log(bound),
                span: pareto_span(shape, bound),
            },
            Law::Weibull { shape } => Shape::Weibull {
                power: 1.0 / shape,
                log_scale: -libm::lgamma(1.0 + 1.0 / shape),
            },
        }
    }
}

/// A law, prepared.
enum Shape {
    Uniform {
        low: f64,
        width: f64,
    },
    Erlang {
        phases: f64,
        log_factorial: f64,
    },
    Hyperexponential {
        weights: [f64; 2],
        rates: [f64; 2],
    },
    Pareto {
        shape: f64,
        log_bound: f64,
        span: f64,
    },
    Weibull {
        power: f64,
        log_scale: f64,
    },
}

impl Shape {
    fn upper(&self, q: f64) -> f64 {
        match *self {
            Shape::Uniform { low, width } => low + width * (1.0 - q),
            Shape::Erlang {
                phases,
                log_factorial,
            } => erlang_upper(phases, log_factorial, q),
            Shape::Hyperexponential { weights, rates } => mixture_upper(weights, rates, q),
            // P(X > x) = ((m / x)^a - r) / (1 - r) with r = (m / bound)^a = exp(-a span): seen from
            // the bound while r counts, from the smallest value m otherwise.
            Shape::Pareto {
                shape,
                log_bound,
                span,
            } if shape * span < 30.0 => {
                let log = libm::log1p(q * libm::expm1(shape * span));
                libm::exp(log_bound - log / shape)
            }
            Shape::Pareto {
                shape,
                log_bound,
                span,
            } => {
                let rest = libm::exp(-shape * span);
                libm::exp(log_bound - span - libm::log(rest + q * (1.0 - rest)) / shape)
            }
            Shape::Weibull { power, log_scale } => power_of(-libm::log(q), power, log_scale),
        }
    }

    fn lower(&self, p: f64) -> f64 {
        match *self {
            Shape::Uniform { low, width } => low + width * p,
            Shape::Erlang {
                phases,
                log_factorial,
            } => erlang_lower(phases, log_factorial, p),
            Shape::Hyperexponential { weights, rates } => mixture_lower(weights, rates, p),
            Shape::Pareto {
                shape,
                log_bound,
                span,
            } => {
                let log = libm::log1p(p * libm::expm1(-shape * span));
                libm::exp(log_bound - span - log / shape)
            }
            Shape::Weibull { power, log_scale } => power_of(-libm::log1p(-p), power, log_scale),
        }
    }
}

/// exp(log_scale) x^power, in logarithms so that small shapes do not overflow on the way.
fn power_of(x: f64, power: f64, log_scale: f64) -> f64 {
    if power == 1.0 {
        x
    } else {
        libm::exp(power * libm::log(x) + log_scale)
    }
}

/// Weights with sum 1 and rates with mean 1.
fn rescaled(weights: [f64; 2], rates: [f64; 2]) -> ([f64; 2], [f64; 2]) {
    let sum = weights[0] + weights[1];
    let weights = weights.map(|weight| weight / sum);
    let mean = weights[0] / rates[0] + weights[1] / rates[1];
    (weights, rates.map(|rate| rate * mean))
}

/// ln((1 - e^-y) / y), without overflow for either sign.
fn log_phi(y: f64) -> f64 {
    if y == 0.0 {
        0.0
    } else if y < 0.0 {
        log_phi(-y) - y
    } else {
        libm::log(-libm::expm1(-y) / y)
    }
}

/// s = ln(bound / smallest value) of the bounded Pareto law with mean 1: by bisection of
/// mean / bound = e^-s phi((a - 1) s) / phi(a s), phi(y) = (1 - e^-y) / y, which falls from 1 to 0.
fn pareto_span(shape: f64, bound: f64) -> f64 {
    let above =
        |s: f64| log_phi((shape - 1.0) * s) - log_phi(shape * s) - s + libm::log(bound) > 0.0;
    let mut span = [0.0, 1.0];
    while above(span[1]) && span[1] < 1e9 {
        span = [span[1], 2.0 * span[1]];
    }
    for _ in 0..60 {
        let middle = 0.5 * (span[0] + span[1]);
        span[usize::from(!above(middle))] = middle;
    }
    0.5 * (span[0] + span[1])
}

/// Newton's method until a step no longer matters. Every use runs on a concave or convex function from a side
/// from which the iterates approach the root without passing it (after the first, wherever that started).
fn newton(mut x: f64, step: impl Fn(f64) -> f64, small: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let by = step(x);
        x += by;
        // The error after a step is of the order of its square.
        if by.abs() <= small(x) {
            break;
        }
    }
    x
}

/// The normal quantile of a tail of probability q, to 4.5e-4: Abramowitz and Stegun, 26.2.23.
fn normal_tail(q: f64) -> f64 {
    let t = (-2.0 * libm::log(q)).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    t - above / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)))
}

/// The gamma quantile at z standard deviations of a normal variable, about (Wilson and Hilferty).
fn gamma_near(phases: f64, z: f64) -> f64 {
    let root = 1.0 - 1.0 / (9.0 * phases) + z / (3.0 * phases.sqrt());
    phases * root * root * root
}

/// Erlang: with g = phases x, P(X > x) = e^-g g^(k-1) / (k-1)! (1 + (k-1)/g + (k-1)(k-2)/g^2 + ...), all terms
/// positive. Its logarithm is concave in g, with derivative -1 over the sum.
fn erlang_upper(phases: f64, log_factorial: f64, q: f64) -> f64 {
    let log_q = libm::log(q);
    let step = |g: f64| {
        let (mut term, mut sum, mut left) = (1.0, 1.0, phases - 1.0);
        while left > 0.0 && term > 1e-18 * sum {
            term *= left / g;
            sum += term;
            left -= 1.0;
        }
        let log = (phases - 1.0) * libm::log(g) - g - (log_factorial - libm::log(phases));
        (log + libm::log(sum) - log_q) * sum
    };
    let start = gamma_near(phases, normal_tail(q)).max(-log_q / phases);
    newton(start, step, |g| 1e-8 * g) / phases
}

/// Erlang: P(X <= x) = e^-g g^k / k! (1 + g/(k+1) + g^2/((k+1)(k+2)) + ...). Its logarithm is concave in ln g,
/// with derivative k over the sum.
fn erlang_lower(phases: f64, log_factorial: f64, p: f64) -> f64 {
    let log_p = libm::log(p);
    let step = |log_g: f64| {
        let g = libm::exp(log_g);
        let (mut term, mut sum, mut next) = (1.0, 1.0, phases + 1.0);
        while term > 1e-18 * sum && next < 1e5 {
            term *= g / next;
            sum += term;
            next += 1.0;
        }
        let log = phases * log_g - g - log_factorial;
        (log_p - log - libm::log(sum)) * sum / phases
    };
    // Without e^-g and the sum: never above the root, and close to it in the far tail.
    let below = (log_p + log_factorial) / phases;
    let start = below.max(libm::log(gamma_near(phases, -normal_tail(p)).max(1e-300)));
    libm::exp(newton(start, step, |_| 1e-8)) / phases
}

/// The logarithm of P(X > x) is convex; each part alone exceeds a root's value up to a point below the root.
fn mixture_upper(weights: [f64; 2], rates: [f64; 2], q: f64) -> f64 {
    let alone = |i: usize| libm::log(weights[i] / q) / rates[i];
    let step = |x: f64| {
        let parts = [0, 1].map(|i| weights[i] * libm::exp(-rates[i] * x));
        let survival = parts[0] + parts[1];
        libm::log(survival / q) * survival / (parts[0] * rates[0] + parts[1] * rates[1])
    };
    newton(alone(0).max(alone(1)).max(0.0), step, |x| 1e-8 * x)
}

/// P(X <= x) is concave: from 0 upwards.
fn mixture_lower(weights: [f64; 2], rates: [f64; 2], p: f64) -> f64 {
    let step = |x: f64| {
        let (mut left, mut density) = (p, 0.0);
        for (weight, rate) in weights.into_iter().zip(rates) {
            let fall = libm::expm1(-rate * x);
            left += weight * fall;
            density += weight * rate * (1.0 + fall);
        }
        left / density
    };
    newton(0.0, step, |x| 1e-8 * x)
}

#[cfg(test)]
#[path = "law_tests.rs"]
mod tests;

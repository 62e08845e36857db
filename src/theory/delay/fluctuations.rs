//! Fluctuations of A(t) under global disinformation: A_rms when every request goes astray with probability p.
//!
//! Owns the random walk of the paper's Fig. 2 (top) in two versions, its best p, and the limit of long delays.
//! Does not know idle servers, bias or rejection. The walk is X = A/2, one step a service time; the derivation is
//! in docs/theory.md, section "delay: fluctuations".

use super::pull;

/// w* = lim (1 - 2p*) sqrt(tau), where the F(w) of docs/theory.md, "delay: long delays", is least.
const LARGE_DELAY_PULL: f64 = 0.791_582_332_653_255_3;

/// F(w*) = lim y* sqrt(tau), the least value of that F.
const LARGE_DELAY_RATIO: f64 = 0.957_386_893_928_017_7;

/// The best amount of disinformation for a delay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Optimum {
    /// Probability p* that a request goes to the seemingly longer queue.
    pub p: f64,
    /// The least ratio y = A_rms / (2 tau), reached at p*.
    pub ratio: f64,
}

/// How the walk X moves between its turning points.
#[derive(Debug, Clone, Copy)]
enum Walk {
    /// Whole steps at whole times, as on the servers' service grid.
    Lattice,
    /// Brownian motion of the same drift and variance.
    Diffusion,
}

/// A_rms of the walk in whole steps, the better version at small tau (docs/theory.md, "delay: fluctuations").
///
/// Infinite at p = 1/2, where nothing brings the walk back. None outside 0 <= p <= 1/2 and for tau below one
/// service time, in which the walk takes no step.
pub fn lattice_a_rms(tau: f64, p: f64) -> Option<f64> {
    Some(2.0 * tau * ratio(Walk::Lattice, tau, p)?)
}

/// A_rms of the walk as a diffusion (docs/theory.md, "delay: fluctuations"); the fluid value at p = 0.
///
/// Infinite at p = 1/2. None outside 0 <= p <= 1/2 and for tau below one service time.
pub fn diffusion_a_rms(tau: f64, p: f64) -> Option<f64> {
    Some(2.0 * tau * ratio(Walk::Diffusion, tau, p)?)
}

/// The p that makes the diffusion's A_rms least, by golden section: y has one minimum in p.
/// It is p = 0 for tau <= 3/2 (docs/theory.md, "delay: fluctuations"). None for tau below one service time.
pub fn optimum(tau: f64) -> Option<Optimum> {
    /// Enough to shrink the bracket below the noise that rounding puts on the flat bottom of y.
    const STEPS: usize = 60;
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let y = |p| ratio(Walk::Diffusion, tau, p);
    let (mut low, mut high) = (0.0, 0.5);
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut y_left, mut y_right) = (y(left)?, y(right)?);
    for _ in 0..STEPS {
        if y_left <= y_right {
            (high, right, y_right) = (right, left, y_left);
            left = high - golden * (high - low);
            y_left = y(left)?;
        } else {
            (low, left, y_left) = (left, right, y_right);
            right = low + golden * (high - low);
            y_right = y(right)?;
        }
    }
    let inside = Optimum {
        p: left,
        ratio: y_left,
    };
    let start = Optimum {
        p: 0.0,
        ratio: y(0.0)?,
    };
    Some(if start.ratio <= inside.ratio {
        start
    } else {
        inside
    })
}

/// Limit of [`optimum`] for long delays: 1 - 2p* = .7916 / sqrt(tau) and y* = .9574 / sqrt(tau), both with a
/// relative error of order 1/tau (docs/theory.md, "delay: long delays"). None for tau below one service time.
pub fn large_delay_optimum(tau: f64) -> Option<Optimum> {
    (tau >= 1.0 && tau.is_finite()).then(|| Optimum {
        p: (1.0 - LARGE_DELAY_PULL / tau.sqrt()) / 2.0,
        ratio: LARGE_DELAY_RATIO / tau.sqrt(),
    })
}

/// y = A_rms / (2 tau) = sqrt((H + G) / (m1/v + tau)) / tau, with H and G the sums of X^2 over the two phases.
/// Computed with tau as the unit of X and of time, so that no power of tau can overflow.
fn ratio(walk: Walk, tau: f64, p: f64) -> Option<f64> {
    let v = pull(p)?;
    if !(tau >= 1.0 && tau.is_finite()) {
        return None;
    }
    if v == 0.0 {
        return Some(f64::INFINITY);
    }
    let step = 1.0 / tau;
    let s2 = 2.0 * p * (1.0 - p);
    let [m1, m2, m3] = start_moments(v, s2 * step);
    let (h, g) = match walk {
        Walk::Lattice => {
            let q = (1.0 - s2) * step;
            (
                m3 / (3.0 * v)
                    + q * m2 / (2.0 * v * v)
                    + (q * q / (2.0 * v * v * v) - step * step / (3.0 * v)) * m1,
                v * v * (1.0 - step) * (2.0 - step) / 6.0 + s2 * step * (1.0 - step) / 2.0,
            )
        }
        Walk::Diffusion => {
            let d = s2 * step;
            (
                m3 / (3.0 * v) + d * m2 / (2.0 * v * v) + d * d * m1 / (2.0 * v * v * v),
                v * v / 3.0 + d / 2.0,
            )
        }
    };
    Some(((h + g) / (m1 / v + 1.0)).sqrt())
}

/// First three moments of a Normal(mu, variance) given that it is positive, for mu > 0.
///
/// alpha = -mu/sigma is never positive here, so the denominator 1 - Phi(alpha) of L lies in [1/2, 1] and only
/// phi can underflow, to the right limit L = 0; that also covers variance = 0, where alpha is -infinity.
fn start_moments(mu: f64, variance: f64) -> [f64; 3] {
    let sigma = variance.sqrt();
    let alpha = -mu / sigma;
    let density = libm::exp(-alpha * alpha / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
    let above = libm::erfc(alpha * std::f64::consts::FRAC_1_SQRT_2) / 2.0;
    let m1 = mu + sigma * density / above;
    let m2 = variance + mu * m1;
    let m3 = 2.0 * variance * m1 + mu * m2;
    [m1, m2, m3]
}

#[cfg(test)]
mod tests {
    use super::start_moments;

    #[test]
    fn start_moments_equal_a_quadrature_of_the_truncated_normal() {
        for (mu, variance) in [(1.0, 0.01), (0.3, 0.05), (0.02, 0.1), (1e-6, 0.5)] {
            let weight = |x: f64| (-(x - mu) * (x - mu) / (2.0_f64 * variance)).exp();
            let (upper, cells) = (mu + 12.0 * f64::sqrt(variance), 20_000);
            let width = upper / f64::from(cells);
            let mut sums = [0.0; 4];
            for cell in 0..=cells {
                let simpson = match cell {
                    0 => 1.0,
                    _ if cell == cells => 1.0,
                    _ if cell % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                let x = f64::from(cell) * width;
                for (power, sum) in (0..).zip(&mut sums) {
                    *sum += simpson * weight(x) * x.powi(power);
                }
            }
            let moments = start_moments(mu, variance);
            for (moment, sum) in moments.iter().zip(&sums[1..]) {
                let expected = sum / sums[0];
                assert!(
                    (moment - expected).abs() < 1e-10 * expected,
                    "mu {mu}, variance {variance}: {moment} against {expected}"
                );
            }
        }
    }

    #[test]
    fn start_moments_without_variance_are_powers_of_the_mean() {
        assert_eq!(start_moments(0.5, 0.0), [0.5, 0.25, 0.125]);
    }
}

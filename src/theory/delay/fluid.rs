//! The fluid limit of the `delay` model: A(t) as a triangle wave, without fluctuations or idle servers.
//!
//! Owns equations (3) to (8) of the paper. Does not own the noise that p brings (see `fluctuations`) nor what
//! happens when a queue runs dry (see `idle`). The number of clients plays no role here.

use super::pull;

/// Delay tau = tau_D + tau_T between a change of the queues and its first effect on the arrivals: the age of
/// the information plus the travel time (paper, eq. 5). Every `tau` of this module is this one.
pub fn effective_delay(tau_d: f64, tau_t: f64) -> f64 {
    tau_d + tau_t
}

/// Period of A(t), 4 tau whatever p (paper, eqs. 3 and 7).
pub fn period(tau: f64) -> f64 {
    4.0 * tau
}

/// Largest |A|, 2 tau (1 - 2p) (paper, eqs. 3 and 7). None outside 0 <= p <= 1/2.
pub fn peak(tau: f64, p: f64) -> Option<f64> {
    Some(2.0 * tau * pull(p)?)
}

/// Root mean square of A, 2 tau (1 - 2p) / sqrt(3) (paper, eq. 8). None outside 0 <= p <= 1/2.
pub fn a_rms(tau: f64, p: f64) -> Option<f64> {
    Some(peak(tau, p)? / 3.0_f64.sqrt())
}

/// A(t) = 2 tau (1 - 2p) tri(t / (4 tau)), which starts at its minimum (paper, eqs. 3 and 7).
/// None outside 0 <= p <= 1/2, and unless t is finite and tau positive and finite.
pub fn difference(t: f64, tau: f64, p: f64) -> Option<f64> {
    let cycles = t / period(tau);
    (tau > 0.0 && tau.is_finite() && cycles.is_finite()).then_some(peak(tau, p)? * triangle(cycles))
}

/// tri(x) = 4x - 1 on [0, 1/2), 3 - 4x on [1/2, 1), of period 1 (paper, eq. 4).
fn triangle(x: f64) -> f64 {
    let x = x - x.floor();
    if x < 0.5 {
        4.0 * x - 1.0
    } else {
        3.0 - 4.0 * x
    }
}

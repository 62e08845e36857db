//! Closed forms of the `delay` model: clients that choose between two servers on old information.
//!
//! Owns the theory of A(t) = N_1(t) - N_2(t) and of the throughput. Does not own the rules of the simulation
//! (see `models::delay`). Source: R. Metzler, M. Klein, Y. Bar-Yam, "Efficiency through disinformation",
//! cond-mat/0312266, called "the paper" here; what it does not derive is derived in docs/theory.md.
//!
//! All times are in units of the service time tau_P = 1, probabilities are plain numbers, and every function is
//! defined on all inputs: `None` means that the formula has no value there, never that something failed.

pub mod adaptability;
pub mod fluctuations;
pub mod fluid;
pub mod idle;
pub mod rejection;

/// `Some(value)` if it is a probability.
fn probability(value: f64) -> Option<f64> {
    (0.0..=1.0).contains(&value).then_some(value)
}

/// The pull v = 1 - 2p of the preference: the share of requests sent to the seemingly shorter queue less the
/// share sent to the other. None outside 0 <= p <= 1/2: beyond, clients prefer the longer queue and nothing
/// brings A back.
fn pull(p: f64) -> Option<f64> {
    (0.0..=0.5).contains(&p).then_some(1.0 - 2.0 * p)
}

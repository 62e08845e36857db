//! Rejection in the `delay` model: servers that turn requests away to the other server.
//!
//! Owns constant rejection, load-dependent rejection r_i = min(c N_i, 1) and its bounds, for packets that bounce
//! at once. Does not own the fluctuations that a constant r causes: it is `fluctuations` at `equivalent_p`.
//! Derivations: docs/theory.md, section "delay: rejection".

use super::probability;

/// Where a request ends up when both servers may turn it away and it bounces until it is accepted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Acceptance {
    /// Probability that the server of the first choice serves it.
    pub first: f64,
    /// Probability that the other server does.
    pub other: f64,
}

/// p = r/(1+r): rejection with constant probability r spreads requests as global disinformation with this p
/// does (docs/theory.md, "delay: rejection"). None if r is no probability.
pub fn equivalent_p(r: f64) -> Option<f64> {
    let r = probability(r)?;
    Some(r / (1.0 + r))
}

/// Rejections per request served, r/(1-r), with constant rejection; infinite at r = 1 (docs/theory.md,
/// "delay: rejection"). None if r is no probability.
pub fn rejections_per_request(r: f64) -> Option<f64> {
    let r = probability(r)?;
    Some(r / (1.0 - r))
}

/// Shares (1-r1)/(1 - r1 r2) and r1 (1-r2)/(1 - r1 r2) of the requests that each server serves, with r1 the
/// rejection probability of the first choice and r2 of the other (docs/theory.md, "delay: rejection").
/// None if either is no probability, or if both are 1 and nobody ever accepts.
pub fn acceptance(r1: f64, r2: f64) -> Option<Acceptance> {
    let (r1, r2) = (probability(r1)?, probability(r2)?);
    // 1 - r1 r2 as a sum of two terms that are never negative, so that nothing cancels near r1 = r2 = 1.
    let (first, other) = (1.0 - r1, r1 * (1.0 - r2));
    let accepted = first + other;
    (accepted > 0.0).then(|| Acceptance {
        first: first / accepted,
        other: other / accepted,
    })
}

/// Bound on |A| under load-dependent rejection, (sqrt(1 + (1-rbar)^2) - 1)/c' with c' = c/2 = rbar/N, and never
/// more than the N clients (docs/theory.md, "delay: rejection"). `mean_r` is rbar = cN/2, the rejection
/// probability in balance. None unless 0 <= rbar <= 1 and `clients` is positive and finite.
pub fn load_dependent_bound(clients: f64, mean_r: f64) -> Option<f64> {
    let mean_r = probability(mean_r)?;
    if !(clients > 0.0 && clients.is_finite()) {
        return None;
    }
    let u = 1.0 - mean_r;
    // sqrt(1 + u^2) - 1 without cancellation near rbar = 1.
    let reach = u * u / (1.0 + (1.0 + u * u).sqrt());
    Some(if reach < mean_r {
        clients * reach / mean_r
    } else {
        clients
    })
}

/// kappa = 4 rbar / (N (1 - rbar^2)), the share of A that load-dependent rejection takes back in one service time
/// (docs/theory.md, "delay: rejection"). None unless 0 <= rbar < 1 and `clients` is positive and finite.
pub fn restoring_rate(clients: f64, mean_r: f64) -> Option<f64> {
    let mean_r = probability(mean_r)?;
    (mean_r < 1.0 && clients > 0.0 && clients.is_finite())
        .then(|| 4.0 * mean_r / (clients * (1.0 - mean_r) * (1.0 + mean_r)))
}

/// Fluctuation floor A_rms = sqrt(2/(kappa (2 - kappa))) of load-dependent rejection near rbar = 1, good while
/// N (1 - rbar) is large (docs/theory.md, "delay: rejection"). Infinite where kappa = 0; None where
/// `restoring_rate` is none or kappa >= 2, which overshoots for ever.
pub fn fluctuation_floor(clients: f64, mean_r: f64) -> Option<f64> {
    let kappa = restoring_rate(clients, mean_r)?;
    (kappa < 2.0).then(|| (2.0 / (kappa * (2.0 - kappa))).sqrt())
}

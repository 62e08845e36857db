//! How much asymmetry disinformation lets the `delay` model follow: biased clients and unequal servers.
//!
//! Owns the thresholds in p beyond which one server stays the longer for good, and the throughput there, in the
//! limit of many clients. Biased requests want R1. Does not know the fluctuations around these states.
//! Derivations: docs/theory.md, sections "delay: bias" and "delay: unequal servers".

use super::{probability, pull};

/// p_b = (1 - 2b)/(2 - 2b), the p beyond which R1 is always the longer queue when a share b of requests or of
/// clients wants R1 (docs/theory.md, "delay: bias"). 0 for b >= 1/2: then any p is too much.
/// None if b is no probability.
pub fn collapse_p(b: f64) -> Option<f64> {
    let b = probability(b)?;
    Some(if b < 0.5 {
        (1.0 - 2.0 * b) / (2.0 - 2.0 * b)
    } else {
        0.0
    })
}

/// Total throughput when each request is biased with probability b by a coin of its own: 2 up to `collapse_p`,
/// 1/(1-q) with q = (1-b)(1-p) beyond (docs/theory.md, "delay: bias").
/// None if b is no probability or p is outside 0 <= p <= 1/2.
pub fn coin_throughput(b: f64, p: f64) -> Option<f64> {
    pull(p)?;
    let q = (1.0 - probability(b)?) * (1.0 - p);
    Some(if q < 0.5 { 1.0 / (1.0 - q) } else { 2.0 })
}

/// p = (1-b)/(2-b), beyond which R2 empties when the bias is a fixed set of b N clients (docs/theory.md,
/// "delay: bias"). None if b is no probability.
pub fn fixed_clients_empty_p(b: f64) -> Option<f64> {
    let b = probability(b)?;
    Some((1.0 - b) / (2.0 - b))
}

/// N_1* = b N (1-p)/(1-2p), the length of R1 that b N fixed clients hold up beyond `collapse_p`; N once R2 has
/// emptied (docs/theory.md, "delay: bias"). None where the queues are balanced on average or nobody is biased,
/// if b is no probability, if p is outside 0 <= p <= 1/2, or if `clients` is negative or not finite.
pub fn fixed_clients_queue(clients: f64, b: f64, p: f64) -> Option<f64> {
    let v = pull(p)?;
    let imbalanced = b > 0.0 && p >= collapse_p(b)?;
    if !(imbalanced && clients >= 0.0 && clients.is_finite()) {
        return None;
    }
    Some(if p < fixed_clients_empty_p(b)? {
        b * clients * (1.0 - p) / v
    } else {
        clients
    })
}

/// Total throughput with b N fixed clients: 2 until R2 empties, 1 + (1-p)(1-b)/p beyond (docs/theory.md,
/// "delay: bias"). None if b is no probability or p is outside 0 <= p <= 1/2.
pub fn fixed_clients_throughput(b: f64, p: f64) -> Option<f64> {
    pull(p)?;
    let b = probability(b)?;
    Some(if b == 1.0 {
        1.0
    } else if p <= fixed_clients_empty_p(b)? {
        2.0
    } else {
        1.0 + (1.0 - p) * (1.0 - b) / p
    })
}

/// p_eff = (1-b) p + b/2: a preference that alternates between the servers faster than the delay acts as this
/// much disinformation (docs/theory.md, "delay: bias"). None if b or p is no probability.
pub fn alternating_p(b: f64, p: f64) -> Option<f64> {
    let b = probability(b)?;
    Some((1.0 - b) * probability(p)? + b / 2.0)
}

/// f = tau_P2/(tau_P1 + tau_P2), the share of all requests that R1 can serve (docs/theory.md,
/// "delay: unequal servers"). None unless both service times are positive and finite.
pub fn share_of_r1(service_1: f64, service_2: f64) -> Option<f64> {
    let valid = |time: f64| time > 0.0 && time.is_finite();
    (valid(service_1) && valid(service_2)).then(|| 1.0 / (1.0 + service_1 / service_2))
}

/// The p beyond which the faster server runs dry, 1 - f for tau_P2 > tau_P1 and f otherwise (docs/theory.md,
/// "delay: unequal servers"). None unless both service times are positive and finite.
pub fn unequal_collapse_p(service_1: f64, service_2: f64) -> Option<f64> {
    let f = share_of_r1(service_1, service_2)?;
    Some(f.min(1.0 - f))
}

/// Total throughput of two unequal servers, in the unit of time of the two service times: 1/tau_P1 + 1/tau_P2 up
/// to `unequal_collapse_p`, 1/(p tau_P) with tau_P of the slower server beyond (docs/theory.md,
/// "delay: unequal servers"). None unless both times are positive and finite and 0 <= p <= 1/2.
pub fn unequal_throughput(service_1: f64, service_2: f64, p: f64) -> Option<f64> {
    pull(p)?;
    Some(if p <= unequal_collapse_p(service_1, service_2)? {
        1.0 / service_1 + 1.0 / service_2
    } else {
        1.0 / (p * service_1.max(service_2))
    })
}

//! The cycle of A(t) when the delay is so long that queues run dry.
//!
//! Owns the three regimes of docs/theory.md, section "delay: idle servers", in the fluid limit and without
//! disinformation (p = 0). Finite numbers of clients add O(1/N).

/// One cycle of A(t) in the fluid limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cycle {
    /// Requests served per service time by both servers together, at most 2.
    pub throughput: f64,
    /// Period of A(t), in service times.
    pub period: f64,
    /// Largest |A|, in packets.
    pub peak: f64,
}

/// Throughput, period and peak of A(t) for `clients` clients, information of age `tau_d`, travel time `tau_t` and
/// idle time `tau_i` (docs/theory.md, "delay: idle servers").
///
/// With tau = tau_D + tau_T, the time away T0 = 2 tau_T + tau_I, and tau_L = tau - N/2 + T0 the time a server is
/// idle in each half of a cycle:
///
/// | regime | throughput | period | peak |
/// |---|---|---|---|
/// | tau_L <= 0 | 2 | 4 tau | 2 tau |
/// | 0 < tau_L < T0 | 2 - tau_L / (2 tau) | 4 tau | N/2 - T0 + tau |
/// | tau_L >= T0 | 2 - tau_L / (tau + N/2) | 2 tau + N | N - T0 |
///
/// None where no such cycle exists: a time that is negative or not finite, no clients, T0 > N/2 with tau_L > 0
/// (too few clients to keep two servers busy even in balance), or 0 < tau_L < T0 with T0 > tau (the dip in
/// arrivals that an idle time causes T0 later would fall into the next half of the cycle).
pub fn regime(clients: f64, tau_d: f64, tau_t: f64, tau_i: f64) -> Option<Cycle> {
    let times = [tau_d, tau_t, tau_i];
    let valid = clients > 0.0
        && clients.is_finite()
        && times.iter().all(|time| *time >= 0.0 && time.is_finite());
    if !valid {
        return None;
    }
    let tau = tau_d + tau_t;
    let away = 2.0 * tau_t + tau_i;
    let half = clients / 2.0;
    let idle = tau - half + away;
    if idle <= 0.0 {
        Some(Cycle {
            throughput: 2.0,
            period: 4.0 * tau,
            peak: 2.0 * tau,
        })
    } else if away > half {
        None
    } else if idle >= away {
        Some(Cycle {
            throughput: 2.0 - idle / (tau + half),
            period: 2.0 * tau + clients,
            peak: clients - away,
        })
    } else {
        (away <= tau).then(|| Cycle {
            throughput: 2.0 - idle / (2.0 * tau),
            period: 4.0 * tau,
            peak: half - away + tau,
        })
    }
}

//! The two ends, d = 1 and d = N, where redundancy-d is M/M/1.
//!
//! Independent derivations for checks. d = 1: N queues M/M/1 of load rho; d = N: one queue, N times as fast.

/// P(T > t) for d = 1, e^(-(1-rho) t), or for d = N, e^(-N (1-rho) t). `None` for other d and outside 0 < rho < 1.
pub fn mm1_response_tail(servers: u32, copies: u32, load: f64, t: f64) -> Option<f64> {
    let speed = speed(servers, copies, load)?;
    Some((-speed * (1.0 - load) * t.max(0.0)).exp())
}

/// P(X = n), n = 0 .. count-1: for d = N (1-rho) rho^n, for d = 1 the negative binomial law of N such queues.
/// `None` for other d and outside 0 < rho < 1.
pub fn mm1_jobs_pmf(servers: u32, copies: u32, load: f64, count: usize) -> Option<Vec<f64>> {
    speed(servers, copies, load)?;
    let queues = if copies == 1 { f64::from(servers) } else { 1.0 };
    let law = std::iter::successors(Some((1.0, (1.0 - load).powf(queues))), |&(n, p)| {
        Some((n + 1.0, p * load * (queues + n - 1.0) / n))
    });
    Some(law.map(|(_, p)| p).take(count).collect())
}

/// Service rate of a job that has all its servers to itself.
fn speed(servers: u32, copies: u32, load: f64) -> Option<f64> {
    let end = copies >= 1 && (copies == 1 || copies == servers) && servers >= 1;
    (end && load > 0.0 && load < 1.0).then_some(f64::from(copies))
}

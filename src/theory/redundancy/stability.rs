//! When a system has a stationary state, and how long it takes to get there.
//!
//! Source: docs/theory.md, "redundancy: stability and warm-up".

/// The load at which d = N loses stability when the least of the N service times of a job has the mean `least_mean`
/// (in mean service times of a copy): the solution of N load E\[min\] = 1. It is 1 for exponential independent copies.
/// `None` for N = 0 and unless `least_mean` is positive and finite.
pub fn critical_load_all(servers: u32, least_mean: f64) -> Option<f64> {
    (servers >= 1 && least_mean > 0.0 && least_mean.is_finite())
        .then(|| 1.0 / (f64::from(servers) * least_mean))
}

/// Jobs a replica must serve from an empty start before the bias of E\[T\] is below 1e-4, relative:
/// 9 max\[rho/(1-sqrt(rho))^2, N rho/((d-1)(1-rho))\] for d >= 2, a rule from measured biases.
///
/// For d = 1 the servers are N independent M/M/1 queues, each with the relaxation time 1/(1-sqrt(rho))^2 of the
/// first term, in which it meets rho/(1-sqrt(rho))^2 jobs and the system N times as many: 9 N rho/(1-sqrt(rho))^2.
/// `None` unless 1 <= d <= N and 0 < rho < 1.
pub fn warmup_jobs(servers: u32, copies: u32, load: f64) -> Option<f64> {
    if !(1 <= copies && copies <= servers && load > 0.0 && load < 1.0) {
        return None;
    }
    let n = f64::from(servers);
    // 1 - sqrt(rho) without cancellation.
    let gap = (1.0 - load) / (1.0 + load.sqrt());
    let single = load / (gap * gap);
    Some(
        9.0 * if copies == 1 {
            n * single
        } else {
            single.max(n * load / (f64::from(copies - 1) * (1.0 - load)))
        },
    )
}

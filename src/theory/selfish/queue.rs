//! One server and its requests: delays, queues and rejections of the queues that farms are made of.
//!
//! Owns the textbook formulas [K] Kleinrock, *Queueing Systems I* (1975), each named at its function. Arrivals are
//! Poisson, service times have mean 1, so that `x`, the rate of arrivals, is the load offered. Does not own farms.

/// Share of requests that an M/M/c/c server rejects at the offered load `a` = x (Erlang B), by
/// B(0,a) = 1, B(k,a) = a B(k-1,a)/(k + a B(k-1,a)): positive terms only, hence a small relative error at any size.
pub fn erlang_b(connections: u32, a: f64) -> f64 {
    if a == f64::INFINITY {
        return 1.0;
    }
    (1..=connections).fold(1.0, |b, k| a * b / (f64::from(k) + a * b))
}

/// Share of requests that an M/M/1/K queue rejects, x^K (1-x)/(1-x^(K+1)), and 1/(K+1) at x = 1 [K, 3.6].
/// `room` is K, the server included.
pub fn mm1k_rejected(room: u32, x: f64) -> f64 {
    let room = f64::from(room);
    if x == 1.0 {
        return 1.0 / (room + 1.0);
    }
    // In powers of the smaller of x and 1/x nothing overflows; expm1 loses nothing near x = 1.
    let (first, rest) = if x < 1.0 {
        (libm::pow(x, room), 1.0 - x)
    } else {
        (1.0, if x.is_finite() { (x - 1.0) / x } else { 1.0 })
    };
    let log = -libm::log(x).abs();
    first * rest / -libm::expm1((room + 1.0) * log)
}

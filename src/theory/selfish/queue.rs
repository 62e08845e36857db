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

/// Mean delay of an M/M/1 queue, waiting and service, 1/(1-x) [K, 3.2]; infinite from x = 1 on.
pub fn mm1_delay(x: f64) -> f64 {
    if x < 1.0 {
        1.0 / (1.0 - x)
    } else {
        f64::INFINITY
    }
}

/// Variance of the delay of an M/M/1 queue first come first served, which is exponential: 1/(1-x)^2.
pub fn mm1_delay_var(x: f64) -> f64 {
    mm1_delay(x) * mm1_delay(x)
}

/// P(delay > t) of an M/M/1 queue first come first served, e^(-(1-x) t); 1 from x = 1 on.
pub fn mm1_delay_tail(x: f64, t: f64) -> f64 {
    libm::exp(-(1.0 - x).max(0.0) * t)
}

/// Mean wait before service of an M/G/1 queue, x (1+scv)/(2(1-x)) (Pollaczek-Khinchin) [K, 5.6]; infinite from x = 1
/// on. `scv` is the variance of a service time over its squared mean.
pub fn mg1_wait(x: f64, scv: f64) -> f64 {
    if x < 1.0 {
        x * (1.0 + scv) / (2.0 * (1.0 - x))
    } else {
        f64::INFINITY
    }
}

/// A server with c connections and room for K >= c requests, M/M/c/K; M/M/1/K for c = 1, M/M/c/c for K = c.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Room {
    /// Share of requests that are rejected.
    pub rejected: f64,
    /// Mean number of requests that wait.
    pub waiting: f64,
    /// Mean number of requests, waiting or in service.
    pub number: f64,
    /// Mean delay of an accepted request, waiting and service.
    pub delay: f64,
}

/// The stationary M/M/c/K server with arrivals at rate `a`, each connection with service rate 1; no `connections`
/// reject everything, and K is at least c. Source: docs/theory.md, "selfish: one server".
pub fn room(connections: u32, room: u32, a: f64) -> Room {
    let c = f64::from(connections);
    // What is rejected with k places, from what was with one less: the law keeps its shape and gains one state. What
    // is carried is a times the share accepted, without its cancellation.
    let step = |k: f64, before: f64| {
        let carried = k / (k / a + before);
        (
            if a == f64::INFINITY {
                1.0
            } else {
                a * before / (k + a * before)
            },
            carried,
        )
    };
    let (mut rejected, mut carried, mut waiting) = (1.0, 0.0, 0.0);
    for k in 1..=connections {
        (rejected, carried) = step(f64::from(k), rejected);
    }
    if connections > 0 {
        for places in connections + 1..=room {
            (rejected, carried) = step(c, rejected);
            waiting = (1.0 - rejected) * waiting + f64::from(places - connections) * rejected;
        }
    }
    let wait = if carried > 0.0 {
        waiting / carried
    } else {
        0.0
    };
    Room {
        rejected,
        waiting,
        number: waiting + carried,
        delay: 1.0 + wait,
    }
}

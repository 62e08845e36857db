//! The limit of many servers, N -> infinity: first at fixed d, then d -> infinity.
//!
//! Source: docs/theory.md, "redundancy: many servers".

use super::functions::lerch;

fn valid(copies: u32, load: f64) -> bool {
    copies >= 1 && load > 0.0 && load < 1.0
}

/// lim P(T > t) = \[rho + (1 - rho) e^((d-1) t)\]^(-d/(d-1)) for d >= 2, e^(-(1-rho) t) for d = 1; 1 for t <= 0.
/// `None` for d = 0 and outside 0 < rho < 1. A finite N differs by O(1/N).
pub fn limit_response_tail(copies: u32, load: f64, t: f64) -> Option<f64> {
    if !valid(copies, load) || t.is_nan() {
        return None;
    }
    let t = t.max(0.0);
    if copies == 1 {
        return Some((-(1.0 - load) * t).exp());
    }
    let d = f64::from(copies);
    let x = (d - 1.0) * t;
    // With e^-x taken out where e^x could overflow.
    let ln = if x < 1.0 {
        -d / (d - 1.0) * ((1.0 - load) * x.exp_m1()).ln_1p()
    } else {
        -d * t - d / (d - 1.0) * (1.0 - load + load * (-x).exp()).ln()
    };
    Some(ln.exp())
}

/// lim E\[T\] = 2F1(1, d/(d-1); 1 + d/(d-1); rho)/d for d >= 2, 1/(1 - rho) for d = 1.
/// `None` for d = 0 and outside 0 < rho < 1.
pub fn limit_response_mean(copies: u32, load: f64) -> Option<f64> {
    let d = f64::from(copies);
    Some(limit_queue_normalised(copies, load)? / ((1.0 - load) * d))
}

/// lim Q = (1 - rho) 2F1(1, d/(d-1); 1 + d/(d-1); rho) for d >= 2, 1 for d = 1: the mean queue of one server over
/// that of an M/M/1 queue. `None` for d = 0 and outside 0 < rho < 1.
pub fn limit_queue_normalised(copies: u32, load: f64) -> Option<f64> {
    valid(copies, load).then(|| {
        if copies == 1 {
            return 1.0;
        }
        let a = f64::from(copies) / f64::from(copies - 1);
        (1.0 - load) * a * lerch(load, a)
    })
}

/// (1 - rho)/rho ln(1/(1 - rho)): the limit of Q for N -> infinity and then d -> infinity, below Q for every N and
/// d ("mean field"). `None` outside 0 < rho < 1.
pub fn mean_field_queue(load: f64) -> Option<f64> {
    (load > 0.0 && load < 1.0).then(|| -(1.0 - load) / load * (-load).ln_1p())
}

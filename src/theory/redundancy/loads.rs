//! Expansions of Q in the load: close to 0 and close to 1.
//!
//! Source: docs/theory.md, "redundancy: low load" and "redundancy: heavy load".

use super::System;

/// alpha_d = (d/N) sum of r_m^2, in d mu E\[T\] = 1 + rho alpha_d + o(rho). `None` unless 1 <= d <= N.
pub fn alpha(servers: u32, copies: u32) -> Option<f64> {
    // The ratios do not depend on the load.
    let system = System::new(servers, copies, 0.5)?;
    let sum: f64 = system.stages().map(|stage| stage.ratio * stage.ratio).sum();
    Some(f64::from(copies) / f64::from(servers) * sum)
}

/// 1/2 + 1/(4d) + d/(4N), to which alpha_d tends for 1 << d << N; least at d = sqrt(N). `None` unless 1 <= d <= N.
pub fn alpha_expansion(servers: u32, copies: u32) -> Option<f64> {
    let [n, d] = [f64::from(servers), f64::from(copies)];
    (1 <= copies && copies <= servers).then(|| 0.5 + 0.25 / d + d / (4.0 * n))
}

/// Q to first order in 1 - rho, for d >= 2: (d/N) \[1 + (1 - rho) sum over m < N of r_m / (1 - r_m)\].
///
/// For d = 2 the sum is (N-1) H_(N-2) - (N-2) with the harmonic number H. `None` unless 2 <= d <= N and 0 < rho < 1.
pub fn heavy_load_queue(servers: u32, copies: u32, load: f64) -> Option<f64> {
    let system = System::new(servers, copies, load).filter(|_| copies >= 2)?;
    let sum: f64 = if copies == 2 {
        let harmonic: f64 = (1..servers - 1).rev().map(|k| 1.0 / f64::from(k)).sum();
        f64::from(servers - 1) * harmonic - f64::from(servers - 2)
    } else {
        let below = system.stages().rev().skip(1);
        below.map(|stage| stage.ratio / stage.rest).sum()
    };
    Some(f64::from(copies) / f64::from(servers) * (1.0 + (1.0 - load) * sum))
}

//! Where a system of redundant jobs is known to have no steady state.
//!
//! Owns the conditions that are proven (models of docs/theory.md); where none applies, nothing is known here and the
//! halves of the measured span are all there is.

use super::service::Service;
use crate::models::Problem;

/// What stability depends on.
#[derive(Debug)]
pub struct System<'a> {
    /// N.
    pub servers: u32,
    /// d; 1 where a job is served by one server of its own whatever it draws.
    pub copies: u32,
    /// rho.
    pub load: f64,
    /// k.
    pub needed: u32,
    /// Whether the first copy to start cancels the others.
    pub start_cancels: bool,
    /// Whether all copies of a job have the same size.
    pub identical: bool,
    /// Whether sizes are exponential.
    pub exponential: bool,
    /// The law of sizes.
    pub service: &'a Service,
    /// Speed of each server, one number when they are equal.
    pub speeds: &'a [f64],
}

/// Why the system has no steady state; none when that is not known.
pub fn lost(system: &System<'_>) -> Option<Problem> {
    let load = system.load;
    let total: f64 = system.speeds.iter().sum();
    let slowest = system.speeds.iter().copied().fold(f64::INFINITY, f64::min);
    let mean_speed = total / system.speeds.len() as f64;
    let independent = !system.identical && system.needed == 1 && !system.start_cancels;
    // The first start leaves one copy to be served, whatever size the others have.
    let identical = system.identical && !system.start_cancels;
    let what = if system.copies == 1 && load * mean_speed >= slowest {
        let own = load * mean_speed / slowest;
        format!("with one server a job the slowest server gets {own:.4} times what it can do")
    } else if system.start_cancels && load >= 1.0 {
        "every job is served once, and the load is not below 1".to_owned()
    } else if identical && system.copies == system.servers && system.speeds.len() == 1 {
        // Every server does the same: M/G/1 (with k-of-n too, since all copies end together).
        let own = load * f64::from(system.servers);
        if own < 1.0 {
            return None;
        }
        format!("all servers work on every job at once: N λ E[S] = {own:.4}")
    } else if identical && load >= 1.0 {
        "a job takes at least its own size of work, and the load is not below 1".to_owned()
    } else if system.needed == system.copies
        && load * f64::from(system.copies) >= 1.0
        && system.copies > 1
    {
        let own = load * f64::from(system.copies);
        format!(
            "all {} copies must complete: d λ E[S] = {own:.4}",
            system.copies
        )
    } else if independent && system.exponential && load >= 1.0 {
        "exponential independent copies are stable below a load of 1 and nowhere else".to_owned()
    } else if independent
        && system.copies == system.servers
        && system.speeds.len() == 1
        && !system.exponential
    {
        let own = load * f64::from(system.servers) * system.service.least_mean(system.copies);
        if own < 1.0 {
            return None;
        }
        format!(
            "with d = N a job keeps every server for the least of its sizes: N λ E[min] = {own:.4}"
        )
    } else {
        return None;
    };
    Some(Problem::new(
        "load",
        format!(
            "{load} has no steady state: {what}; lower the load, or set allow_unstable = true to simulate it all the same"
        ),
    ))
}

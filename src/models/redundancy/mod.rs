//! `redundancy`: each job goes to d of N servers, and leaves when the copies that it needs are done.
//!
//! Owns the registry row of the model. Its files: parameters (what people write), service and law (laws of times),
//! stability (what is refused), job (a point, checked), clock (the resolution of time), plan (integers), stationary and start (time 0),
//! kernel, few and many (the CPU kernel, twin of shaders/models/redundancy.wgsl), draws, exponentials and host
//! (its random times), observe (estimates and theory), conditional (the law given what a job
//! meets), parity (configurations that together use every option).
//!
//! The kernel is the workload recursion of docs/theory.md: one step a job, and no queue.

#![allow(
    clippy::needless_range_loop,
    reason = "kernels loop over lanes and rows side by side"
)]

pub(crate) mod clock;
#[cfg(test)]
mod clock_tests;
mod conditional;
mod draws;
pub(crate) mod exponentials;
pub(crate) mod few;
mod host;
mod job;
pub(crate) mod kernel;
pub mod law;
mod many;
mod observe;
mod parameters;
mod parity;
mod plan;
mod service;
mod stability;
mod start;
pub mod stationary;
mod sums;
pub mod words;

use crate::models::{Model, Plan, Traced};

/// The registry row.
pub static MODEL: Model = Model {
    name: "redundancy",
    summary: "Each job goes to d of N servers, and leaves when the copies that it needs are done",
    parameters: parameters::PARAMETERS,
    span: "jobs",
    span_unit: "jobs",
    observables: parameters::OBSERVABLES,
    sums: words::SUMS,
    peaks: &[],
    maxima: &[],
    lacking: None,
    traced: Traced {
        name: "response",
        symbol: "T",
        unit: "mean service times",
        help: "response time of each job",
        mean: Some("response_mean"),
        peak: None,
    },
    starter: parameters::STARTER,
    bench: &["servers=10", "copies=2", "load=0.7"],
    plan: plan::plan,
    warmup: plan::warmup,
    start: start::start,
    unfold,
    estimates: observe::estimates,
    theory: observe::theory,
    exact: parameters::EXACT,
    tails: observe::TAILS,
    conditional: Some(conditional::LAW),
    derived: parameters::DERIVED,
    cpu: kernel::kernel,
    shader: &[
        include_str!("../../../shaders/lib/exponential.wgsl"),
        include_str!("../../../shaders/lib/quantile.wgsl"),
        include_str!("../../../shaders/lib/log_linear.wgsl"),
        include_str!("../../../shaders/models/redundancy.wgsl"),
        include_str!("../../../shaders/models/redundancy_many.wgsl"),
    ],
    param_words: words::param::COUNT,
    constants: words::wgsl,
    parity_grid: parity::grid,
    state_word: words::state_word,
};

/// Histograms are the recorded counts of both halves.
fn unfold(_plan: &Plan, recorded: &[Vec<u64>; 2], _sums: &mut [[u128; 2]]) -> Vec<u64> {
    let [first, second] = recorded;
    first.iter().zip(second).map(|(a, b)| a + b).collect()
}

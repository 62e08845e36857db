//! `farm`: a farm of servers, request by request, for streams that each have chosen a server.
//!
//! Owns the registry row of the model. Its files: parameters (what people write), site (a point, checked), equilibrium
//! and alias (on the host), clock (the resolution of time), plan (integers), start (time 0), kernel, requests and events
//! (the CPU kernel, twin of shaders/models/farm.wgsl), sums, observe (histograms and estimates), exact (theory), parity
//! (configurations that together use every option).

#![allow(
    clippy::needless_range_loop,
    reason = "kernels loop over lanes and rows side by side"
)]

mod alias;
mod clock;
mod equilibrium;
mod events;
mod exact;
mod kernel;
mod observe;
mod parameters;
mod parity;
mod plan;
mod requests;
mod site;
mod start;
mod sums;
pub mod words;

use crate::models::{Model, Traced};

/// The registry row.
pub static MODEL: Model = Model {
    name: "farm",
    summary: "A farm of servers, request by request, for streams that each have chosen a server",
    parameters: parameters::PARAMETERS,
    span: "requests",
    span_unit: "requests",
    observables: parameters::OBSERVABLES,
    sums: words::SUMS,
    peaks: &["overloaded"],
    maxima: &[],
    lacking: None,
    traced: Traced {
        name: "delay",
        symbol: "T",
        unit: parameters::TIME,
        help: "delay of each request, 0 where it is rejected; where servers have connections, the requests present after each event",
        mean: None,
        peak: None,
    },
    starter: parameters::STARTER,
    bench: &["server=\"mm1\"", "servers=10", "streams=10", "load=0.7"],
    plan: plan::plan,
    warmup: |_| None,
    start: start::start,
    unfold: observe::unfold,
    estimates: observe::estimates,
    theory: exact::theory,
    // The largest and the least of several estimates are off, as all of them vary.
    exact: &["delay_mean", "delay_var", "rejected", "utilisation_mean"],
    tails: exact::TAILS,
    conditional: None,
    derived: parameters::DERIVED,
    cpu: kernel::kernel,
    shader: &[
        include_str!("../../../shaders/lib/exponential.wgsl"),
        include_str!("../../../shaders/lib/quantile.wgsl"),
        include_str!("../../../shaders/lib/log_linear.wgsl"),
        include_str!("../../../shaders/models/farm.wgsl"),
    ],
    param_words: words::param::COUNT,
    constants: words::wgsl,
    parity_grid: parity::grid,
    state_word: words::state_word,
};

//! `delay`: N clients, two servers, everybody sees the queues as they were a while ago.
//!
//! Owns the registry row of the model; its files are parameters (what people write), plan (integers),
//! start (time 0), step and reject (the CPU kernel, twin of shaders/models/delay.wgsl), observe (estimates and
//! theory), parity (configurations that together use every option).
//!
//! The system is that of Metzler, Klein and Bar-Yam, cond-mat/0312266; docs/theory.md states its rules.

mod general;
mod masks;
mod observe;
mod parameters;
mod parity;
mod plain;
mod plan;
mod reject;
mod rules;
mod start;
mod step;
mod tallies;
mod walk;
pub mod words;

use crate::models::{Model, Traced};

/// The registry row.
pub static MODEL: Model = Model {
    name: "delay",
    summary: "Clients choose between two servers by queue lengths as they were a while ago",
    parameters: parameters::PARAMETERS,
    span: "ticks",
    span_unit: "time units",
    observables: parameters::OBSERVABLES,
    sums: words::SUMS,
    peaks: &["size"],
    maxima: &[],
    lacking: None,
    traced: Traced {
        name: "a",
        symbol: "A = N₁ − N₂",
        unit: "packets",
        help: "difference of the queues",
        mean: None,
        peak: Some("peak"),
    },
    starter: parameters::STARTER,
    bench: &["disinformation=0.3"],
    plan: plan::plan,
    warmup: |_| None,
    start: start::start,
    unfold: tallies::unfold,
    estimates: observe::estimates,
    theory: observe::theory,
    exact: &["rejections_per_request"],
    tails: &[],
    conditional: None,
    derived: parameters::DERIVED,
    cpu: step::kernel,
    shader: &[
        include_str!("../../../shaders/lib/log2.wgsl"),
        include_str!("../../../shaders/models/delay.wgsl"),
        include_str!("../../../shaders/models/delay_reject.wgsl"),
        include_str!("../../../shaders/models/delay_walk.wgsl"),
    ],
    param_words: words::param::COUNT,
    constants: words::wgsl,
    parity_grid: parity::grid,
    state_word: words::state_word,
};

//! `selfish-mixed`: every stream draws one server for all its requests, and profiles of such choices are drawn anew.
//!
//! Owns the registry row of the model; its files are parameters (what people write), equilibrium and strategy (what
//! streams draw from), plan (integers), host (what the host keeps of a point), start (time 0), step (the CPU kernel,
//! twin of shaders/models/selfish_mixed.wgsl), estimates (from counts), laws (theory beside them), parity
//! (configurations that together use every option).
//!
//! A step is one profile. Kernels count loads, which are whole numbers, and know no costs: whatever a profile costs
//! follows from the counts.

mod equilibrium;
mod estimates;
mod host;
mod laws;
mod parameters;
mod parity;
mod plan;
mod start;
mod step;
mod strategy;
pub mod words;

use crate::models::{Model, Traced};

/// The registry row.
pub static MODEL: Model = Model {
    name: "selfish-mixed",
    summary: "Every stream draws one server from its mixed strategy: loads and costs of the profiles",
    parameters: parameters::PARAMETERS,
    span: "profiles",
    span_unit: "profiles",
    observables: parameters::OBSERVABLES,
    sums: words::SUMS,
    peaks: &[],
    maxima: &[],
    lacking: None,
    traced: Traced {
        name: "overloaded",
        symbol: "overloaded",
        unit: "",
        help: "servers at or above their capacity in the profile",
        mean: None,
        peak: None,
    },
    starter: parameters::STARTER,
    bench: &["servers=100", "streams=100", "load=0.2"],
    plan: plan::plan,
    warmup: |_| None,
    start: start::start,
    unfold: estimates::unfold,
    estimates: estimates::estimates,
    theory: laws::theory,
    exact: parameters::EXACT,
    tails: laws::TAILS,
    conditional: None,
    derived: parameters::DERIVED,
    cpu: step::kernel,
    shader: &[include_str!("../../../shaders/models/selfish_mixed.wgsl")],
    param_words: words::param::COUNT,
    constants: words::wgsl,
    parity_grid: parity::grid,
    state_word: words::state_word,
};

//! `selfish-pure`: streams of requests that choose servers for themselves, one at a time, until nobody wants to move.
//!
//! Owns the registry row of the model; its files are parameters (what people write), plan and tables (integers),
//! start (time 0), step and look (the CPU kernel, twin of shaders/models/selfish_pure.wgsl), estimates, parity
//! (configurations that together use every option).
//!
//! A step is one start: an instance is drawn among those of the point, and a random server for every stream. Then
//! streams look, one at a time, for the server where their load over speed, they included, would be least (the first
//! of equal ones), and move there if that is strictly less than where they are. Loads over speeds are compared
//! exactly, by cross multiplication. A start ends once all streams are satisfied, a pure Nash equilibrium, or when
//! one wants to move after `max_moves` moves.
//!
//! Random words of a start, numbered from 0, four a block: the instance, a server for each stream, then from block
//! `param::FIRST_LOOK` on one word for each look, used where the order is random. Looks that need none count as well,
//! so that replicas side by side are at the same word. With random order, streams are drawn until one is unsatisfied,
//! which then is a uniformly random one of those. After n draws in vain since the last move all streams look in their
//! order, without moving; if one is unsatisfied, the draws go on.

mod estimates;
mod look;
mod parameters;
mod parity;
mod plan;
mod start;
mod step;
mod tables;
pub mod words;

use crate::models::{Lacking, Model, Traced};

/// The registry row.
pub static MODEL: Model = Model {
    name: "selfish-pure",
    summary: "Streams move to better servers, one at a time, until a pure Nash equilibrium: its largest load over the optimum",
    parameters: parameters::PARAMETERS,
    span: "starts",
    span_unit: "starts",
    observables: parameters::OBSERVABLES,
    sums: words::SUMS,
    peaks: &[],
    maxima: &["load_ratio"],
    lacking: Some(Lacking {
        histogram: "load_ratio",
        sum: words::sum::UNCONVERGED,
        reason: "starts were given up before they reached an equilibrium: raise max_moves",
    }),
    traced: Traced {
        name: "load_ratio",
        symbol: "max w / OPT",
        unit: "",
        help: "largest load over speed at the end of the start, over the optimum",
        mean: None,
        peak: None,
    },
    starter: parameters::STARTER,
    bench: &["servers=5"],
    plan: plan::plan,
    warmup: |_| None,
    start: start::start,
    unfold: estimates::unfold,
    estimates: estimates::estimates,
    theory: estimates::theory,
    // The laws of optima and of trivial games are exact, but the bound of the worst is none: nothing is listed.
    exact: &[],
    tails: &[],
    conditional: None,
    derived: parameters::DERIVED,
    cpu: step::kernel,
    shader: &[
        include_str!("../../../shaders/lib/log_linear.wgsl"),
        include_str!("../../../shaders/models/selfish_pure.wgsl"),
    ],
    param_words: words::param::COUNT,
    constants: words::wgsl,
    parity_grid: parity::grid,
    state_word: words::state_word,
};

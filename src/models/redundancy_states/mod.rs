//! `redundancy-states`: the jobs of redundancy-d, oldest first, and how many servers work on each of them.
//!
//! Owns the registry row of the model; its files are parameters (what people write), plan (integers), start (time 0),
//! step, departure and trials (the CPU kernel, twin of shaders/models/redundancy_states.wgsl), observe (what an event
//! adds to), estimates, parity (configurations that together use every option).
//!
//! The list (a_1, .., a_n) is a Markov chain by deferred decisions: the servers that a job has in common with older
//! ones are a uniform subset of theirs, and are drawn only when they matter. So no set of servers is ever stored.
//! A step is one event of the uniformised chain, of rate N (1 + rho): an arrival, a departure, or nothing.

mod departure;
mod estimates;
mod observe;
mod parameters;
mod parity;
mod plan;
mod start;
mod step;
mod trials;
pub mod words;

use crate::models::{Lacking, Model, Traced};

/// The registry row.
pub static MODEL: Model = Model {
    name: "redundancy-states",
    summary: "Each job goes to d of N servers: the jobs present and the servers that work on each of them",
    parameters: parameters::PARAMETERS,
    span: "events",
    span_unit: "events",
    observables: parameters::OBSERVABLES,
    sums: words::SUMS,
    peaks: &[],
    maxima: &[],
    lacking: Some(Lacking {
        histogram: "response",
        sum: words::sum::UNKNOWN,
        reason: "jobs of the stationary start departed in the measured span, and how long they had been there is unknown: give a warm-up",
    }),
    traced: Traced {
        name: "jobs",
        symbol: "X",
        unit: "",
        help: "jobs present after the event",
        mean: None,
        peak: None,
    },
    starter: parameters::STARTER,
    bench: &["servers=10", "copies=2", "load=0.7"],
    plan: plan::plan,
    warmup: estimates::warmup,
    start: start::start,
    unfold: estimates::unfold,
    estimates: estimates::estimates,
    theory: estimates::theory,
    exact: parameters::EXACT,
    tails: estimates::TAILS,
    conditional: None,
    derived: parameters::DERIVED,
    cpu: step::kernel,
    shader: &[
        include_str!("../../../shaders/lib/exponential.wgsl"),
        include_str!("../../../shaders/lib/log_linear.wgsl"),
        include_str!("../../../shaders/models/redundancy_states.wgsl"),
    ],
    param_words: words::param::COUNT,
    constants: words::wgsl,
    parity_grid: parity::grid,
    state_word: words::state_word,
};

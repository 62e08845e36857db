//! Massive ensembles of load-balancing models on a GPU or a CPU, bit for bit the same, answered with
//! distributions, tails and confidence intervals.
//!
//! An experiment (a TOML file) names a model, sweeps its parameters and says how many replicas to
//! simulate; a backend simulates them; batches of replicas give estimates with intervals, and theory
//! stands beside them where a formula exists. The program `queuefarm` does this from the command line;
//! here is the same from Rust:
//!
//! ```
//! use queuefarm::engine::{Cpu, Watch};
//! use queuefarm::experiment::Experiment;
//! use queuefarm::statistics::Table;
//!
//! let experiment = Experiment::parse(
//!     r#"
//!     model = "delay"
//!     seed = 2003
//!     replicas = 64
//!     batches = 16
//!     warmup = 500
//!     duration = 2000
//!     [parameters]
//!     clients = 200
//!     information_delay = 10
//!     disinformation = { list = [0.0, 0.3] }
//!     "#,
//!     "example.toml",
//!     &[],
//!     None,
//! )?;
//! let results = queuefarm::ensemble::run(&experiment, &mut Cpu::new(0)?, &Watch::new())?;
//! let table = Table::new(&results, 0.95);
//! let a_rms = table.column("a_rms").ok_or("the delay model has this estimate")?;
//! let estimate = table.estimates[1][a_rms];
//! let (lo, hi) = estimate.interval.ok_or("16 batches have an interval")?;
//! println!("A_rms at p = 0.3: {:?}, 95 % interval {lo:.3} to {hi:.3}", estimate.mean);
//! // Disinformation damps the oscillation: 11.28 without, about 6.4 with p = 0.3.
//! assert!(5.5 < lo && hi < 7.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | owns |
//! |---|---|
//! | [`experiment`] | the TOML file, its checks, the sweep into points |
//! | [`models`] | what is simulated: parameters, kernels, estimates |
//! | [`theory`] | closed forms, each with its source |
//! | [`random`] | counter-based random numbers |
//! | [`engine`] | the CPU and the GPU as backends |
//! | [`ensemble`] | a whole run |
//! | [`mod@bench`] | how fast the models run here |
//! | [`statistics`] | estimates and intervals from batches |
//! | [`store`] | the HDF5 result file |
//! | [`report`] | tables and figures |
//! | [`cli`] | the command line |
//!
//! What must not drift is in docs/determinism.md, how the parts fit in docs/architecture.md.

pub mod bench;
pub mod cli;
pub mod engine;
pub mod ensemble;
pub mod experiment;
mod faults;
pub mod models;
pub mod random;
pub mod report;
pub mod statistics;
pub mod store;
pub mod theory;
mod words;

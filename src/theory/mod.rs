//! Closed forms in f64, each with its source: what the simulations are checked against and plotted beside.
//! Shared by the models; knows nothing of simulation, of random numbers or of files. The derivations are in
//! docs/theory.md, one part for each family of models.

pub mod delay;
pub mod redundancy;
pub mod selfish;

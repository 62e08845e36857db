//! queuefarm.

pub mod cli;
pub mod engine;
pub mod ensemble;
pub mod experiment;
pub mod models;
pub mod random;
pub mod report;
pub mod statistics;
pub mod store;
pub mod theory;
mod words;

//! queuefarm.

pub mod engine;
pub mod models;
pub mod random;
mod words;

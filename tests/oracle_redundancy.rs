//! The `redundancy` simulation against exact theory, measured reference numbers, and textbook queues.
//!
//! Every run has a fixed seed. A number agrees when it lies within 4.5 standard errors, which come from 128 batches
//! (and from the reference where it is measured): t has 127 degrees of freedom, so that |t| > 4.5 has a chance of
//! 1.5e-5. The 749 comparisons of the quick tests together would raise a false alarm under one seed in 90 at most (many are of
//! the same run, and not independent). The long test is `cargo test --release --test oracle_redundancy -- --ignored`. Each group of
//! comparisons has twins: the same run with a wrong parameter must fail.
#![allow(clippy::unwrap_used)]

#[path = "oracle_redundancy/alone.rs"]
mod alone;
#[path = "oracle_redundancy/compare.rs"]
mod compare;
#[path = "oracle_redundancy/faults.rs"]
mod faults;
#[path = "oracle_redundancy/grid.rs"]
mod grid;
#[path = "oracle_redundancy/identical.rs"]
mod identical;
#[path = "oracle_redundancy/simulate.rs"]
mod simulate;
#[path = "oracle_redundancy/single.rs"]
mod single;
#[path = "oracle_redundancy/stability.rs"]
mod stability;

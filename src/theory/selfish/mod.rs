//! Selfish traffic on server farms: m servers, n streams that each choose one server for all their requests.
//!
//! Owns costs, the queues behind them, optima, equilibria and what is known about the price of anarchy. Does not own
//! the rules of the simulation, nor the files that farms come from. Derivations and sources: docs/theory.md, part
//! "selfish".

mod cost;
mod queue;

pub use cost::{COSTS, Cost};
pub use queue::{erlang_b, mm1k_rejected};

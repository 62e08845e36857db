//! Selfish traffic on server farms: m servers, n streams that each choose one server for all their requests.
//!
//! Owns costs, the queues behind them, optima, equilibria and what is known about the price of anarchy. Does not own
//! the rules of the simulation, nor the files that farms come from. Derivations and sources: docs/theory.md, part
//! "selfish".

mod binomial;
mod bounds;
mod cost;
mod equilibria;
mod fraction;
mod mixed;
mod occupancy;
mod optimum;
mod price;
mod pure;
mod queue;

pub use cost::{COSTS, Cost};
pub use equilibria::{Equilibria, equilibria};
pub use fraction::Fraction;
pub use mixed::{Mixed, bell, small_load_ratio};
pub use occupancy::Occupancy;
pub use optimum::{Optimum, optimum, optimum_within};
pub use price::{
    Degradation, Guarantee, degradation_mixed, degradation_pure, guarantee, price_bound, pure_price,
};
pub use pure::{Instance, load_bound, ratio, worst, worst_at, worst_of_small_streams};
pub use queue::{
    Room, erlang_b, mg1_wait, mm1_delay, mm1_delay_tail, mm1_delay_var, mm1k_rejected, room,
};

//! What the three models of selfish traffic share: streams and servers as people give them, and as integers.
//!
//! Owns the shared parameters, the drawing of random instances and the choice of units. Simulates nothing: the models
//! are `selfish_pure`, `selfish_mixed` and `farm`.

mod costs;
mod host_words;
mod instance;
pub mod parameters;
mod units;

pub use costs::{COSTS, costs};
pub use host_words::{next_costs, next_number, push_costs, push_number};
pub use instance::{Instance, instances};

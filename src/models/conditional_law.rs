//! The law of a quantity given the state that a step of the span meets, for estimates far beyond what can be counted.
//!
//! Owns the declaration. The formulas are `theory`'s, the estimate `statistics`'.

use super::{Plan, Point, Problem};
use crate::random::Key;

/// P(V > t) given what one step of a replica meets.
#[derive(Debug, Clone, Copy)]
pub struct ConditionalLaw {
    /// The histogram that counts V.
    pub histogram: &'static str,
    /// What is met, in words: `the work left at the servers`.
    pub met: &'static str,
    /// What the law asks of a point, for people.
    pub needs: &'static str,
    /// Whether the law holds at a point.
    ///
    /// # Errors
    /// The key whose value it does not allow, and what it allows.
    pub holds: fn(&Point) -> Result<(), Problem>,
    /// How many steps of a replica come before the one that is looked at.
    pub before: fn(&Plan) -> u32,
    /// What it meets, from the state of a replica after those steps: as many numbers for each replica of a plan.
    pub read: fn(&Plan, &Key, u32, &[u32]) -> Vec<f64>,
    /// Roughly how many arithmetic operations one such chance takes.
    pub effort: fn(&Point) -> u64,
    /// P(V > t) given each of some observations, which stand one after another, in that order.
    pub chances: fn(&Point, &[f64], f64) -> Vec<f64>,
}

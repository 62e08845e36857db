//! The state at time 0: no profile has been drawn.

use crate::models::Plan;
use crate::random::Key;

/// Fills the state of one replica.
pub fn start(_plan: &Plan, _key: &Key, _replica: u32, words: &mut [u32]) {
    words.fill(0);
}

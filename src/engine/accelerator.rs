//! Accelerators: backends that compute in waves, can fail, and can be opened again.
//!
//! Owns what `Guarded` and `All` need of one beyond a backend. Knows no particular one.

use super::{Backend, Fault, Work};

/// A backend that computes in waves: pieces that are handed over together, at the end, or lost together.
pub trait Accelerator: Backend {
    /// How many of the pieces, from the first on, the next wave takes: at least one where there is one. Those many
    /// pieces, given to [`Backend::run`] alone, are one wave.
    fn wave(&self, work: &[Work<'_>]) -> usize;

    /// Fewest replicas that a unit should have so that waves of such units can keep the device busy.
    fn fewest_replicas(&self, work: &Work<'_>) -> u32;

    /// Opens the device afresh after a fault. After [`Fault::Memory`] later waves are at most half as wide as the
    /// last one.
    ///
    /// # Errors
    /// [`Fault::Device`] when it does not open.
    fn recover(&mut self, fault: &Fault) -> Result<(), Fault>;
}

//! Units: the pieces of work that can be done anywhere, in any order, and redone from scratch.

use crate::models::Plan;
use crate::random::Key;

/// Some replicas of one batch of one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// Index of the point.
    pub point: u32,
    /// Index of the batch.
    pub batch: u32,
    /// First replica, counted over the whole point.
    pub first_replica: u32,
    /// How many replicas.
    pub replicas: u32,
}

impl Unit {
    /// Its replicas, counted over the whole point.
    pub fn range(&self) -> std::ops::Range<u32> {
        self.first_replica..self.first_replica + self.replicas
    }
}

/// What of the traced value is kept, in steps of the span counted from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recording {
    /// The first replicas of the point whose whole trajectories are kept.
    pub trajectories: u32,
    /// Whether sums over replicas are kept for every step.
    pub ensemble: bool,
    /// First step recorded.
    pub from: u32,
    /// Number of steps recorded.
    pub steps: u32,
}

impl Recording {
    /// The first step that is no longer recorded.
    pub fn end(&self) -> u32 {
        self.from + self.steps
    }

    /// Whether anything of this unit is recorded.
    pub fn wants(&self, unit: &Unit) -> bool {
        self.steps > 0 && (self.ensemble || unit.first_replica < self.trajectories)
    }
}

/// A unit with all that is needed to simulate it.
#[derive(Debug, Clone, Copy)]
pub struct Work<'a> {
    /// The plan of the unit's point.
    pub plan: &'a Plan,
    /// Seed and stream of the unit's point.
    pub key: Key,
    /// Which replicas.
    pub unit: Unit,
    /// What is recorded.
    pub recording: Recording,
}

impl Work<'_> {
    /// Steps of replicas in this unit, warm-up included.
    pub fn steps(&self) -> u64 {
        u64::from(self.plan.end()) * u64::from(self.unit.replicas)
    }
}

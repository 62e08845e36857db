//! Comparing engines by equality, and finding where they part.
//!
//! Owns the search for the first replica, step and field that differ. Knows no particular model.

use super::{Backend, Fault, Recording, Unit, Watch, Work};
use crate::models::{Model, Plan, Tallies};
use crate::random::Key;

/// Where two engines part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The replica.
    pub replica: u32,
    /// The first step after which they differ.
    pub step: u32,
    /// Which word of the state, or which accumulator.
    pub field: String,
    /// The value on the reference engine.
    pub expected: u64,
    /// The value on the other one.
    pub found: u64,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "replica {}, step {}, {}: {} expected, {} found",
            self.replica, self.step, self.field, self.expected, self.found
        )
    }
}

/// The plan, ended after some steps.
fn shortened(plan: &Plan, steps: u32) -> Plan {
    let mut short = plan.clone();
    short.warmup = plan.warmup.min(steps);
    short.halves[0] = plan.halves[0].min(steps - short.warmup);
    short.halves[1] = plan.halves[1].min(steps - short.warmup - short.halves[0]);
    short
}

fn first_state_difference(
    model: &Model,
    plan: &Plan,
    unit: &Unit,
    step: u32,
    expected: &[u32],
    found: &[u32],
) -> Option<Difference> {
    let replicas = unit.replicas as usize;
    let column = (0..replicas).find(|&column| {
        (0..plan.state_words as usize)
            .any(|word| expected[word * replicas + column] != found[word * replicas + column])
    })?;
    let word = (0..plan.state_words).find(|&word| {
        expected[word as usize * replicas + column] != found[word as usize * replicas + column]
    })?;
    let at = word as usize * replicas + column;
    Some(Difference {
        replica: unit.first_replica + column as u32,
        step,
        field: (model.state_word)(plan, word),
        expected: u64::from(expected[at]),
        found: u64::from(found[at]),
    })
}

fn first_tally_difference(
    plan: &Plan,
    unit: &Unit,
    expected: &Tallies,
    found: &Tallies,
) -> Option<Difference> {
    let difference = |field: String, expected: u64, found: u64| {
        Some(Difference {
            replica: unit.first_replica,
            step: plan.end(),
            field,
            expected,
            found,
        })
    };
    let mut bin = 0;
    for histogram in &plan.histograms {
        for index in 0..histogram.bins as usize {
            let (a, b) = (expected.counts[bin], found.counts[bin]);
            if a != b {
                return difference(
                    format!("histogram of {}, bin {index}", histogram.name),
                    a,
                    b,
                );
            }
            bin += 1;
        }
    }
    if expected != found {
        return difference("a sum or a trace over replicas".to_owned(), 0, 1);
    }
    None
}

/// Simulates some replicas of a plan on both engines and compares every accumulator and every word of
/// the final states. `None` when all are equal.
///
/// # Errors
/// Faults of either engine.
pub fn compare(
    model: &Model,
    plan: &Plan,
    key: Key,
    unit: Unit,
    reference: &mut dyn Backend,
    other: &mut dyn Backend,
) -> Result<Option<Difference>, Fault> {
    let watch = Watch::new();
    let recording = Recording {
        trajectories: 2,
        ensemble: true,
        from: 3,
        steps: 40.min(plan.end().saturating_sub(3)),
    };
    let mut run = |plan: &Plan, recording: Recording| -> Result<_, Fault> {
        let work = Work {
            plan,
            key,
            unit,
            recording,
        };
        Ok((
            reference.final_states(model, &work, &watch)?,
            other.final_states(model, &work, &watch)?,
        ))
    };
    let ((tallies, states), (other_tallies, other_states)) = run(plan, recording)?;
    if states == other_states {
        return Ok(first_tally_difference(
            plan,
            &unit,
            &tallies,
            &other_tallies,
        ));
    }
    // States differ at the end: halve the span down to the first step after which they do.
    let (mut equal, mut differs) = (0, plan.end());
    let mut found = first_state_difference(model, plan, &unit, differs, &states, &other_states);
    while differs - equal > 1 {
        let middle = equal + (differs - equal) / 2;
        let ((_, states), (_, other_states)) = run(&shortened(plan, middle), Recording::default())?;
        match first_state_difference(model, plan, &unit, middle, &states, &other_states) {
            Some(difference) => {
                differs = middle;
                found = Some(difference);
            }
            None => equal = middle,
        }
    }
    Ok(found)
}

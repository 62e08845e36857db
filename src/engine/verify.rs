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

/// The first accumulator that differs: a bin, a sum, a peak or a traced value.
pub(super) fn first_tally_difference(
    model: &Model,
    plan: &Plan,
    expected: &Tallies,
    found: &Tallies,
) -> Option<(String, u64, u64)> {
    let mut bin = 0;
    for histogram in &plan.histograms {
        for index in 0..histogram.bins as usize {
            let (a, b) = (expected.counts[bin], found.counts[bin]);
            if a != b {
                return Some((
                    format!("histogram of {}, bin {index}", histogram.name),
                    a,
                    b,
                ));
            }
            bin += 1;
        }
    }
    for (name, (a, b)) in model.sums.iter().zip(expected.sums.iter().zip(&found.sums)) {
        for half in 0..2 {
            if a[half] != b[half] {
                let field = format!("sum of {name}, half {}", half + 1);
                return Some((field, a[half] as u64, b[half] as u64));
            }
        }
    }
    for (name, (a, b)) in model
        .peaks
        .iter()
        .zip(expected.peaks.iter().zip(&found.peaks))
    {
        if a != b {
            return Some((format!("peak of {name}"), *a as u64, *b as u64));
        }
    }
    let maxima = expected.maxima.iter().zip(&found.maxima);
    if let Some((name, (a, b))) = (model.maxima.iter().zip(maxima)).find(|(_, (a, b))| a != b) {
        return Some((format!("largest {name}"), *a, *b));
    }
    let finished = [
        ("replicas", expected.replicas, found.replicas),
        ("replicas out of range", expected.faults, found.faults),
    ];
    if let Some((name, a, b)) = finished.into_iter().find(|(_, a, b)| a != b) {
        return Some((name.to_owned(), a, b));
    }
    let traced = |tallies: &Tallies| {
        let sums: i128 = tallies.ensemble.iter().flatten().sum();
        let paths = tallies.trajectories.iter().flat_map(|(_, path)| path);
        sums as u64 ^ paths.fold(0u64, |hash, &value| hash.rotate_left(5) ^ value as u64)
    };
    (expected != found).then(|| ("traced values".to_owned(), traced(expected), traced(found)))
}

/// The first number of steps after which `differs` finds something, given what it finds after `end` steps.
fn first_step<T>(
    end: u32,
    at_end: T,
    mut differs: impl FnMut(u32) -> Result<Option<T>, Fault>,
) -> Result<(u32, T), Fault> {
    let (mut equal, mut step, mut found) = (0, end, at_end);
    while step - equal > 1 {
        let middle = equal + (step - equal) / 2;
        match differs(middle)? {
            Some(difference) => (step, found) = (middle, difference),
            None => equal = middle,
        }
    }
    Ok((step, found))
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
    let mut run = |plan: &Plan, unit: Unit, recording: Recording| -> Result<_, Fault> {
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
    let ((tallies, states), (other_tallies, other_states)) = run(plan, unit, recording)?;
    if states == other_states {
        let Some((field, expected, found)) =
            first_tally_difference(model, plan, &tallies, &other_tallies)
        else {
            return Ok(None);
        };
        let mut difference = Difference {
            replica: unit.first_replica,
            step: plan.end(),
            field,
            expected,
            found,
        };
        // The first replica that differs on its own, and the first step after which it does. When none
        // differs alone, replicas disturb each other: the difference of all of them stands.
        for replica in unit.first_replica..unit.first_replica.saturating_add(unit.replicas) {
            let alone = Unit {
                first_replica: replica,
                replicas: 1,
                ..unit
            };
            let mut differs = |steps: u32| -> Result<Option<(String, u64, u64)>, Fault> {
                let plan = plan.ended_after(steps);
                let recording = if steps < recording.end() {
                    Recording::default()
                } else {
                    recording
                };
                let ((tallies, _), (other, _)) = run(&plan, alone, recording)?;
                Ok(first_tally_difference(model, &plan, &tallies, &other))
            };
            let Some(at_end) = differs(plan.end())? else {
                continue;
            };
            let (step, (field, expected, found)) = first_step(plan.end(), at_end, differs)?;
            difference = Difference {
                replica,
                step,
                field,
                expected,
                found,
            };
            break;
        }
        return Ok(Some(difference));
    }
    // States differ at the end.
    let end = plan.end();
    let Some(at_end) = first_state_difference(model, plan, &unit, end, &states, &other_states)
    else {
        return Ok(None);
    };
    let differs = |steps: u32| {
        let ((_, states), (_, other)) = run(&plan.ended_after(steps), unit, Recording::default())?;
        Ok(first_state_difference(
            model, plan, &unit, steps, &states, &other,
        ))
    };
    Ok(Some(first_step(end, at_end, differs)?.1))
}

//! What one step of each replica meets: the states from which a conditional law takes its chances.
//!
//! Owns which replicas and which step, and simulates them once more, on the CPU: result files hold no states. A replica gives
//! one observation, so observations are independent.

use super::Results;
use crate::engine::{Backend, Cpu, Fault, Recording, Unit, Watch, Work};
use crate::models::{ConditionalLaw, Plan};
use crate::random::Key;

/// Most replicas of a unit: many units keep all threads busy.
const MOST_TOGETHER: u32 = 1024;
/// Most replica-steps that are simulated where nothing else is asked for: seconds to a minute on a few cores.
const MOST_STEPS: u64 = 1 << 31;
/// Most words of states that are read then: numbers of 8 bytes made of them are kept, half a gigabyte at most.
const MOST_WORDS: u64 = 1 << 26;
/// Most operations that the chances of one threshold then take.
const MOST_OPERATIONS: u64 = 1 << 31;

/// The steps before the one that is looked at, and how many replicas are simulated where nothing else is asked for.
pub fn affordable(results: &Results, law: &ConditionalLaw, point: usize) -> (u32, u32) {
    let plan = &results.plans[point];
    let before = (law.before)(plan);
    let steps = MOST_STEPS / u64::from(before.max(1));
    let words = MOST_WORDS / u64::from(plan.state_words.max(1));
    let chances = MOST_OPERATIONS / (law.effort)(&results.points[point]).max(1);
    let most = u64::from(results.experiment.replicas);
    let affordable = most.min(steps).min(words).min(chances);
    (before, affordable.max(1) as u32)
}

/// What the first `replicas` replicas of a point meet, one observation after another.
///
/// # Errors
/// A fault of the engine, or [`Fault::Stopped`] when `watch` asked to stop.
pub fn observations(
    results: &Results,
    law: &ConditionalLaw,
    point: usize,
    replicas: u32,
    cpu: &Cpu,
    watch: &Watch,
) -> Result<Vec<f64>, Fault> {
    let plan: Plan = results.plans[point].ended_after((law.before)(&results.plans[point]));
    let key = Key {
        seed: results.experiment.seed,
        stream: results.points[point].stream,
    };
    let work = |first_replica: u32, replicas: u32| Work {
        plan: &plan,
        key,
        unit: Unit {
            point: point as u32,
            batch: 0,
            first_replica,
            replicas,
        },
        recording: Recording::default(),
    };
    let together = cpu.replicas_per_unit(&work(0, 1))?.min(MOST_TOGETHER);
    let pieces: Vec<Work<'_>> = (0..replicas)
        .step_by(together.max(1) as usize)
        .map(|first| work(first, together.min(replicas - first)))
        .collect();
    let read = |replica: u32, state: &[u32]| (law.read)(&plan, &key, replica, state);
    let met = cpu.read_states(results.experiment.model, &pieces, watch, &read)?;
    Ok(met.concat())
}

//! Theory beside `selfish-mixed`: equal streams on equal servers that draw uniformly.
//!
//! Owns which points that is. The formulas are `theory::selfish`'s.

use super::parameters::{EACH_COST, OBSERVABLES, OF_LOADS};
use crate::models::selfish::{COSTS, costs, instances};
use crate::models::{Point, TailLaw};
use crate::theory::selfish::Mixed;

/// Most servers times streams for which the law of the fullest server is evaluated: it takes 0.1 s there.
const MOST_TRACTABLE: usize = 1 << 20;
/// How far off a whole number a number of streams may be by rounding.
const ROUNDING: f64 = 1e-9;

/// The equilibrium of a point, if its law is known.
fn mixed(point: &Point) -> Option<Mixed> {
    if point.word("strategy") == "matrix" {
        return None;
    }
    // Units as fine as they come, since only equality matters.
    let units = f64::from(1 << 30);
    let instance = instances(point, 1, units, units).ok()?.pop()?;
    let alike = |values: &[u32]| values.iter().all(|value| Some(value) == values.first());
    let rates: Vec<u32> = instance
        .rates
        .into_iter()
        .filter(|&rate| rate > 0)
        .collect();
    let (streams, servers) = (rates.len(), instance.speeds.len());
    if !alike(&rates) || !alike(&instance.speeds) || streams * servers > MOST_TRACTABLE {
        return None;
    }
    Mixed::new(servers as u32, streams as u32, instance.load)
}

/// Theory in the order of the observables; none for costs that are not asked for, or infinite.
pub fn theory(point: &Point) -> Vec<Option<f64>> {
    let mut found = vec![None; OBSERVABLES.len()];
    let Some(mixed) = mixed(point) else {
        return found;
    };
    found[0] = Some(mixed.utilisation(1) * mixed.fullest().mean());
    found[1] = Some(mixed.overload(1.0));
    found[2] = Some(mixed.stream_overload(1.0));
    for cost in costs(point).unwrap_or_default() {
        let which = COSTS.iter().position(|&name| name == cost.name());
        let values = [
            mixed.cost_max(&cost),
            mixed.cost_average(&cost),
            mixed.cost_stream(&cost),
            mixed.cost_max(&cost) / mixed.optimum(&cost),
            mixed.degradation(&cost).unwrap_or(f64::NAN),
        ];
        let at = OF_LOADS + EACH_COST * which.unwrap_or(0);
        for (slot, value) in found[at..].iter_mut().zip(values) {
            *slot = Some(value).filter(|value| value.is_finite());
        }
    }
    found
}

/// The law of the largest utilisation.
pub static TAILS: &[TailLaw] = &[TailLaw {
    histogram: "load_max",
    name: "exact law",
    exact: true,
    tail: |point, t| {
        let mixed = mixed(point)?;
        let streams = (t / mixed.utilisation(1) - ROUNDING).ceil().max(0.0) as u32;
        let below = streams.checked_sub(1);
        Some(below.map_or(1.0, |below| mixed.fullest().exceeds(below)))
    },
}];

//! Lower bounds on the largest load over speed of any assignment, in exact integers.
//!
//! Owns the bounds that the search of the optimum starts from and falls back on. Does not own that search.

use super::Fraction;

/// No assignment of streams with `rates` to servers with `speeds`, both largest first and without zeros, has a smaller
/// largest load over speed. Derived in docs/theory.md, "selfish: optima".
pub(super) fn lower_bound(rates: &[u64], speeds: &[u64]) -> Fraction {
    let total: u64 = rates.iter().sum();
    let Some(fastest) = speeds.first() else {
        return Fraction::new(total, 0);
    };
    // The k largest streams are on k servers at most; all of them on all servers.
    let mut bound = Fraction::new(total, speeds.iter().sum());
    let (mut units, mut speed) = (0, 0);
    for (rate, here) in rates.iter().zip(speeds) {
        units += rate;
        speed += here;
        bound = bound.max(Fraction::new(units, speed));
    }
    // Of the q m + 1 largest some q + 1 share a server.
    for shared in 2..=rates.len().div_ceil(speeds.len()) {
        let last = (shared - 1) * speeds.len();
        let smallest = rates.get(last + 1 - shared..=last).unwrap_or_default();
        bound = bound.max(Fraction::new(smallest.iter().sum(), *fastest));
    }
    whole(bound, total, speeds)
}

/// The least load over speed that is at least `bound`, is a whole load on some server, and leaves room for `total` in
/// whole units.
fn whole(bound: Fraction, total: u64, speeds: &[u64]) -> Fraction {
    let product = |speed: u64| u128::from(bound.units()) * u128::from(speed);
    let by = u128::from(bound.speed());
    // The load of each server at the bound, rounded down, and the next that comes up on it.
    let mut room = 0;
    let mut next = Vec::with_capacity(speeds.len());
    let mut attained = false;
    for speed in speeds {
        let load = (product(*speed) / by) as u64;
        attained |= product(*speed) % by == 0;
        room += load;
        next.push(load + 1);
    }
    let mut least = bound;
    while room < total || !attained {
        let each = next.iter().zip(speeds);
        let Some(up) = each.map(|(load, speed)| Fraction::new(*load, *speed)).min() else {
            break;
        };
        for (load, speed) in next.iter_mut().zip(speeds) {
            if Fraction::new(*load, *speed) == up {
                *load += 1;
                room += 1;
            }
        }
        (least, attained) = (up, true);
    }
    least
}

//! All pure Nash equilibria of a small instance, by trying every assignment.
//!
//! Owns the count, the best and the worst. Does not own the optimum, nor instances too large to enumerate.

use super::Fraction;

/// Most assignments that are tried.
const MOST: u64 = 1 << 21;

/// The pure equilibria of one instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Equilibria {
    /// How many assignments of streams to servers are equilibria; at least one is.
    pub count: u64,
    /// The largest load over speed in the best of them.
    pub best: Fraction,
    /// .. and in the worst.
    pub worst: Fraction,
}

/// Enumerates the equilibria of streams with `rates` on servers with `speeds`: nobody would have a smaller load over
/// speed on another server, itself included. `None` beyond 2 million assignments, without servers, or if a speed is 0.
pub fn equilibria(rates: &[u32], speeds: &[u32]) -> Option<Equilibria> {
    let streams = u32::try_from(rates.len()).ok()?;
    let servers = speeds.len() as u64;
    let assignments = servers.checked_pow(streams)?;
    if servers == 0 || assignments > MOST || speeds.contains(&0) {
        return None;
    }
    let mut place = vec![0_usize; rates.len()];
    let mut loads = vec![0_u64; speeds.len()];
    loads[0] = rates.iter().map(|rate| u64::from(*rate)).sum();
    let over = |units: u64, server: usize| Fraction::new(units, u64::from(speeds[server]));
    let mut found: Option<Equilibria> = None;
    for _ in 0..assignments {
        let content = rates.iter().zip(&place).all(|(rate, &here)| {
            let now = over(loads[here], here);
            let mut others = (0..speeds.len()).filter(|&there| there != here);
            others.all(|there| now <= over(loads[there] + u64::from(*rate), there))
        });
        if content {
            let each = loads.iter().enumerate();
            let max = each.map(|(server, units)| over(*units, server)).max()?;
            let all = found.get_or_insert(Equilibria {
                count: 0,
                best: max,
                worst: max,
            });
            all.count += 1;
            all.best = all.best.min(max);
            all.worst = all.worst.max(max);
        }
        // The next assignment, like the next number: the first digit that can grow does, those before start again.
        for (here, rate) in place.iter_mut().zip(rates) {
            loads[*here] -= u64::from(*rate);
            *here = (*here + 1) % speeds.len();
            loads[*here] += u64::from(*rate);
            if *here > 0 {
                break;
            }
        }
    }
    found
}

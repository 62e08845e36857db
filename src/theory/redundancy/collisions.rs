//! Laws of counts: the collisions of two jobs, and the laws that approximate them.
//!
//! Owns the hypergeometric and the Poisson law, the fits of docs/theory.md, "redundancy: collisions of two jobs",
//! and the distance between laws.

/// A law on whole numbers: the chances of `least`, `least` + 1, ..
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// The count that the first chance belongs to.
    pub least: u32,
    /// The chances, of sum 1.
    pub chances: Vec<f64>,
}

impl Counts {
    /// The chance of a count.
    pub fn chance(&self, count: u32) -> f64 {
        count
            .checked_sub(self.least)
            .and_then(|at| self.chances.get(at as usize))
            .copied()
            .unwrap_or(0.0)
    }

    /// The mean count.
    pub fn mean(&self) -> f64 {
        self.sum(|count| count)
    }

    /// The variance of the count.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.sum(|count| (count - mean) * (count - mean))
    }

    fn sum(&self, value: impl Fn(f64) -> f64) -> f64 {
        let count = |at: usize| f64::from(self.least) + at as f64;
        self.chances
            .iter()
            .enumerate()
            .map(|(at, chance)| chance * value(count(at)))
            .sum()
    }

    /// The law on least..=last with chances in the ratios ratio(k) = p(k+1)/p(k), which decrease with k.
    ///
    /// From the mode outwards, so that the far ends underflow and the bulk never does; then normalised.
    fn from_ratios(least: u32, last: u32, ratio: impl Fn(f64) -> f64) -> Counts {
        let ratio = |k: u32| ratio(f64::from(k));
        let (mut low, mut high) = (least, last);
        while low < high {
            let middle = low + (high - low) / 2;
            if ratio(middle) > 1.0 {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let mode = (low - least) as usize;
        let mut chances = vec![1.0; (last - least) as usize + 1];
        for at in mode + 1..chances.len() {
            chances[at] = chances[at - 1] * ratio(least + (at - 1) as u32);
        }
        for at in (0..mode).rev() {
            chances[at] = chances[at + 1] / ratio(least + at as u32);
        }
        let total: f64 = chances.iter().sum();
        chances.iter_mut().for_each(|chance| *chance /= total);
        Counts { least, chances }
    }

    fn shifted(mut self, by: u32) -> Counts {
        self.least += by;
        self
    }
}

/// How many of `marked` things out of `population` are among `drawn` uniform ones:
/// C(marked, k) C(population - marked, drawn - k) / C(population, drawn). `None` if either exceeds the population.
pub fn hypergeometric(population: u32, marked: u32, drawn: u32) -> Option<Counts> {
    let unmarked = population.checked_sub(marked)?;
    population.checked_sub(drawn)?;
    let least = drawn.saturating_sub(unmarked);
    let [marked_f, drawn_f] = [f64::from(marked), f64::from(drawn)];
    let shift = f64::from(unmarked) - drawn_f;
    let ratio = |k: f64| (marked_f - k) * (drawn_f - k) / ((k + 1.0) * (shift + k + 1.0));
    Some(Counts::from_ratios(least, marked.min(drawn), ratio))
}

/// The Poisson law, as far as its chances exceed 1e-30. `None` unless the mean is from 0 to 1e9.
pub fn poisson(mean: f64) -> Option<Counts> {
    if !(0.0..=1e9).contains(&mean) {
        return None;
    }
    // e^-(width^2/2) and, beyond a small mean, e^-width bound what is left out on either side.
    let width = 12.0 * mean.sqrt() + 80.0;
    let least = (mean - width).max(0.0) as u32;
    Some(Counts::from_ratios(least, (mean + width) as u32, |k| {
        mean / (k + 1.0)
    }))
}

/// The number of servers that two jobs share: hypergeometric(N, d, d). `None` for d > N.
pub fn two_jobs(servers: u32, copies: u32) -> Option<Counts> {
    hypergeometric(servers, copies, copies)
}

/// Its fit for d small against N: Poisson(d^2/N). `None` for d > N or no servers.
pub fn two_jobs_poisson(servers: u32, copies: u32) -> Option<Counts> {
    servers.checked_sub(copies)?;
    poisson(f64::from(copies) * f64::from(copies) / f64::from(servers))
}

/// Its fit for d close to N: 2d - N shared servers for certain, and Poisson((N-d)^2/N) more, as
/// hypergeometric(N, d, d) is 2d - N + hypergeometric(N, N-d, N-d). `None` unless N/2 <= d <= N.
pub fn two_jobs_shifted_poisson(servers: u32, copies: u32) -> Option<Counts> {
    let others = servers.checked_sub(copies)?;
    let certain = copies.checked_sub(others)?;
    Some(two_jobs_poisson(servers, others)?.shifted(certain))
}

/// Its fit for any d: in proportion to Poisson(d^2/N)(k) Poisson((N-d)^2/N)(k - 2d + N), normalised: k shared
/// servers, and as many that neither uses. `None` for d > N or no servers.
pub fn two_jobs_two_poissons(servers: u32, copies: u32) -> Option<Counts> {
    let others = servers.checked_sub(copies)?;
    if servers == 0 {
        return None;
    }
    let n = f64::from(servers);
    let [d, o] = [f64::from(copies), f64::from(others)];
    let means = d * d / n * (o * o / n);
    let least = copies.saturating_sub(others);
    let last = f64::from(least) + 24.0 * means.sqrt().sqrt() + 2.0 * means.sqrt() + 80.0;
    let ratio = |k: f64| means / ((k + 1.0) * (k + 1.0 - d + o));
    Some(Counts::from_ratios(least, last as u32, ratio))
}

/// Total variation distance, half the sum of |p - q|: the largest difference of the chances of any event.
pub fn total_variation(p: &Counts, q: &Counts) -> f64 {
    let end = |law: &Counts| law.least.saturating_add(law.chances.len() as u32);
    let range = p.least.min(q.least)..end(p).max(end(q));
    let sum: f64 = range.map(|k| (p.chance(k) - q.chance(k)).abs()).sum();
    sum / 2.0
}

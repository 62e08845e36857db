//! Which servers work: the number of busy ones, the aggregate state, and the collisions a new job meets.
//!
//! Source: docs/theory.md, "redundancy: busy servers and aggregate states".

use super::System;
use super::collisions::hypergeometric;

impl System {
    /// Mean number of busy servers, N rho: a busy server completes one copy's worth of work a unit of time.
    pub fn busy_mean(&self) -> f64 {
        self.sizes()[0] * self.load()
    }

    /// P(u servers are busy) for u = 0..N.
    ///
    /// g(u) (1 - rho_u) = (N rho / u) sum over v < u of g(v) h(u|v), where h(u|v) is the chance that d uniform servers
    /// make the union of v servers one of u; normalised by the sum, and rescaled on the way, so that nothing is
    /// lost where P(X = 0) underflows. Cost: N d operations; memory: N.
    pub fn busy_pmf(&self) -> Vec<f64> {
        const LARGE: f64 = 1e200;
        let servers = self.servers();
        let copies = self.copies();
        let arrivals = self.busy_mean();
        let mut law = vec![0.0; servers as usize + 1];
        law[0] = 1.0;
        // law[u] collects the sum over v < u until u is reached, and holds g(u) from then on.
        for (u, stage) in std::iter::once((0, None)).chain((copies..).zip(self.stages().map(Some)))
        {
            let at = u as usize;
            if let Some(stage) = stage {
                law[at] *= arrivals / (stage.m * stage.slack);
            }
            let weight = law[at];
            if weight == 0.0 {
                continue;
            }
            if let Some(step) = hypergeometric(servers, servers - u, copies) {
                let fresh = (step.least..).zip(&step.chances).filter(|(k, _)| *k > 0);
                for (k, chance) in fresh {
                    law[at + k as usize] += weight * chance;
                }
            }
            if weight > LARGE {
                law.iter_mut().for_each(|value| *value /= LARGE);
            }
        }
        let total: f64 = law.iter().sum();
        law.iter_mut().for_each(|value| *value /= total);
        law
    }

    /// pi(a), the probability of the aggregate state a = (a_1, .., a_n): a_j is the number of servers that serve the
    /// j-th oldest job, those with no older job. P(X = 0) for the empty list.
    ///
    /// pi(a) = (N rho / |a|) C(|a| - a_n, d - a_n) C(N - |a| + a_n, a_n) / C(N, d) pi(a_1 .. a_(n-1)). 0 for a list
    /// that cannot be, such as one that does not begin with d.
    pub fn aggregate_state(&self, served: &[u32]) -> f64 {
        let servers = self.servers();
        let mut union: u32 = 0;
        let mut ln = self.p_empty_ln();
        for &own in served {
            let free = servers - union;
            let chance =
                hypergeometric(servers, free, self.copies()).map_or(0.0, |fresh| fresh.chance(own));
            if chance == 0.0 {
                return 0.0;
            }
            union += own;
            ln += (self.busy_mean() / f64::from(union) * chance).ln();
        }
        ln.exp()
    }

    /// p_(k|a) = C(a, k) C(N-a, d-k) / C(N, d) for k = 0..d: the law of the number of busy servers among the d of a
    /// new job when a are busy. `None` for a > N.
    pub fn collisions_pmf(&self, busy: u32) -> Option<Vec<f64>> {
        let law = hypergeometric(self.servers(), busy, self.copies())?;
        Some((0..=self.copies()).map(|k| law.chance(k)).collect())
    }
}

//! The queue of one server: the jobs that have a copy there, waiting or in service.
//!
//! Owns its law and its mean. Source: docs/theory.md, "redundancy: one server".

use super::System;

impl System {
    /// E\[L\] = d E\[X\] / N, the mean number of jobs at one server.
    pub fn queue_mean(&self) -> f64 {
        let [servers, copies] = self.sizes();
        copies * self.jobs_mean() / servers
    }

    /// Q = E\[L\] (1 - rho) / rho = (d/N) sum of (1 - rho) r_m / (1 - rho_m): the mean queue of one server divided by
    /// that of an M/M/1 queue of the same load. 1 for d = 1 and for d = N.
    pub fn queue_normalised(&self) -> f64 {
        let [servers, copies] = self.sizes();
        let sum: f64 = self.stages().map(|stage| stage.ratio / stage.slack).sum();
        copies / servers * (1.0 - self.load()) * sum
    }

    /// P(L = n) of one server for n = 0 .. count-1.
    ///
    /// phi_(d-1) = 1 and phi_m(z) = (1 - rho_m) \[1 + (m-1) phi_(m-1)(z)\] / (m - rho_m (m-d) - rho_m d z), as power
    /// series: every phi_m is the law of a queue, all terms are positive. Cost: N count operations.
    pub fn queue_pmf(&self, count: usize) -> Vec<f64> {
        /// Below this a probability is 0: what follows from it is of no account, and denormal numbers are slow.
        const TINY: f64 = 1e-300;
        let [_, copies] = self.sizes();
        let mut law = vec![0.0; count];
        if let Some(first) = law.first_mut() {
            *first = 1.0;
        }
        for stage in self.stages() {
            let again = stage.load * copies;
            let scale = 1.0 / (stage.rate() + again);
            let mut source = stage.slack;
            let mut before = 0.0;
            for value in &mut law {
                source += stage.slack * (stage.m - 1.0) * *value;
                let new = (source + again * before) * scale;
                *value = if new < TINY { 0.0 } else { new };
                before = *value;
                source = 0.0;
            }
        }
        law
    }
}

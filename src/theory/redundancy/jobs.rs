//! X, the number of jobs in the system: a sum of independent geometrics with the ratios rho_m, m = d..N.
//!
//! Owns its moments, its law, its transform and a bound on its tail. Source: docs/theory.md,
//! "redundancy: jobs in the system".

use super::System;
use super::bound::{self, TOGETHER};

impl System {
    /// E\[X\] = sum of rho_m / (1 - rho_m).
    pub fn jobs_mean(&self) -> f64 {
        self.stages().map(|stage| stage.load / stage.slack).sum()
    }

    /// Var X = sum of rho_m / (1 - rho_m)^2.
    pub fn jobs_var(&self) -> f64 {
        self.stages()
            .map(|stage| stage.load / (stage.slack * stage.slack))
            .sum()
    }

    /// P(X = 0) = product of 1 - rho_m; 0 where it underflows.
    pub fn p_empty(&self) -> f64 {
        self.p_empty_ln().exp()
    }

    /// ln P(X = 0).
    pub fn p_empty_ln(&self) -> f64 {
        ln_product(self.stages().map(|stage| stage.slack))
    }

    /// E\[z^X\] = product of (1 - rho_m) / (1 - z rho_m). `None` where the expectation diverges, |z| rho >= 1.
    pub fn jobs_transform(&self, z: f64) -> Option<f64> {
        let factor = |slack: f64, load: f64| (1.0 - z) * load / slack;
        ((z * self.load()).abs() < 1.0).then(|| {
            let sum: f64 = self
                .stages()
                .map(|stage| factor(stage.slack, stage.load).ln_1p())
                .sum();
            (-sum).exp()
        })
    }

    /// P(X = n) for n = 0 .. count-1, to full relative accuracy down to the least positive number.
    ///
    /// P(X = n) = P(X = 0) rho^n v_n, where v_0 = 1 and n v_n = sum over k = 1..n of w_k v_(n-k), with
    /// w_k = sum of r_m^k: the logarithmic derivative of the product of 1/(1 - r_m z). All terms are positive.
    /// v_n is log-concave and w_k decreases, so the terms fall at least geometrically from any k on and the sum
    /// ends once the rest cannot change it. v is rescaled as it grows, so nothing is lost where P(X = 0) underflows.
    /// Cost: a few hundred operations an entry in the bulk, up to count^2/2 in all where n is far above the mean.
    pub fn jobs_pmf(&self, count: usize) -> Vec<f64> {
        /// Beyond this v is scaled down; what then underflows is far too small to matter.
        const LARGE: f64 = 1e200;
        let ln_empty = self.p_empty_ln();
        let ln_load = self.load().ln();
        let mut powers = PowerSums::new(self.stages().map(|stage| stage.ratio).collect());
        let mut v: Vec<f64> = Vec::with_capacity(count);
        let mut ln_scale = 0.0;
        let mut law = Vec::with_capacity(count);
        for n in 0..count {
            let mut value = 1.0;
            if n > 0 {
                value = 0.0;
                for k in 1..=n {
                    let term = powers.get(k) * v[n - k];
                    value += term;
                    let next = if k < n { v[n - k - 1] / v[n - k] } else { 0.0 };
                    // Where v has become flat, rounding may put the quotient at 1 or above.
                    let geometric = if next < 1.0 {
                        next / (1.0 - next)
                    } else {
                        f64::MAX
                    };
                    let rest = geometric.min((n - k) as f64);
                    if term * rest <= 1e-17 * value {
                        break;
                    }
                }
                value /= n as f64;
            }
            v.push(value);
            law.push((value.ln() + ln_scale + n as f64 * ln_load + ln_empty).exp());
            if value > LARGE {
                v.iter_mut().for_each(|old| *old /= LARGE);
                ln_scale += LARGE.ln();
            }
        }
        law
    }

    /// A bound: ln P(X >= n) is at most this (Chernoff).
    ///
    /// The least of ln E\[z^X\] - n ln z over some z from 1 to 1/rho; any z gives a bound, and the rounding of the
    /// sums is allowed for. With 1 - z rho = (1 - rho) e^-w, 1 - z rho_m = 1 - r_m + (1 - rho) r_m e^-w.
    /// Cost: some thirty products of N factors, eight at a time.
    pub fn jobs_tail_bound_ln(&self, n: u64) -> f64 {
        let n = n as f64;
        let gap = 1.0 - self.load();
        let [servers, _] = self.sizes();
        bound::least(libm::log(1.0 + n * gap) + 1.0, |w| {
            let shrunk = w.map(|w| gap * libm::exp(-w));
            let mut products = [1.0; TOGETHER];
            let mut moments = [0.0; TOGETHER];
            for stage in self.stages() {
                let again = 1.0 / stage.slack;
                for (product, shrunk) in products.iter_mut().zip(shrunk) {
                    *product *= (stage.rest + shrunk * stage.ratio) * again;
                }
                // 1 - z rho_m <= 1 - rho_m: the products only fall.
                if products.iter().any(|&product| product < 1e-200) {
                    for (moment, product) in moments.iter_mut().zip(&mut products) {
                        *moment -= libm::log(*product);
                        *product = 1.0;
                    }
                }
            }
            std::array::from_fn(|lane| {
                let moment = moments[lane] - libm::log(products[lane]);
                let power = n * libm::log1p(-gap * libm::expm1(-w[lane]) / self.load());
                moment - power + 1e-15 * (8.0 * servers + moment + power)
            })
        })
    }
}

/// ln of a product of positive numbers, with one logarithm for many factors.
fn ln_product(factors: impl Iterator<Item = f64>) -> f64 {
    let mut product = 1.0_f64;
    let mut sum = 0.0;
    for factor in factors {
        product *= factor;
        if !(1e-200..1e200).contains(&product) {
            sum += product.ln();
            product = 1.0;
        }
    }
    sum + product.ln()
}

/// w_k = sum of r_m^k, computed for k = 1, 2, .. as far as asked for.
struct PowerSums {
    ratios: Vec<f64>,
    /// r_m^k for the last k, in the order of `ratios`; those before `first` no longer matter.
    powers: Vec<f64>,
    first: usize,
    sums: Vec<f64>,
}

impl PowerSums {
    fn new(ratios: Vec<f64>) -> PowerSums {
        PowerSums {
            powers: vec![1.0; ratios.len()],
            ratios,
            first: 0,
            sums: Vec::new(),
        }
    }

    /// w_k, k >= 1. The largest ratio is 1, so w_k >= 1 and small powers may be left out for good.
    fn get(&mut self, k: usize) -> f64 {
        const SMALL: f64 = 1e-26;
        /// Summed by themselves: the rounding of w_k comes back N-fold in v.
        const BLOCK: usize = 256;
        while self.sums.len() < k {
            let mut sum = 0.0;
            let active = self.ratios[self.first..].chunks(BLOCK);
            for (powers, ratios) in self.powers[self.first..].chunks_mut(BLOCK).zip(active) {
                let mut block = 0.0;
                for (power, ratio) in powers.iter_mut().zip(ratios) {
                    *power *= ratio;
                    block += *power;
                }
                sum += block;
            }
            self.first += self.powers[self.first..].partition_point(|power| *power < SMALL);
            self.sums.push(sum);
        }
        self.sums[k - 1]
    }
}

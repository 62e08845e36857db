//! T, the time from a job's arrival to its completion: moments, exact law, quantiles, and a bound on the tail.
//!
//! T is phase-type: from stage m = N on, a stage lasts Exp(s_m) with s_m = m (1 - rho_m); then the job leaves with
//! probability d/m or goes on to stage m - 1; from stage d it always leaves. Source: docs/theory.md,
//! "redundancy: response time". Does not own how the chain of stages is followed (see `chain`).

use super::System;
use super::bound::{self, TOGETHER};
use super::chain::Chain;

impl System {
    /// E\[T\] = (1/N) sum of r_m / (1 - rho_m), which is E\[X\] / (N rho) (Little's law).
    pub fn response_mean(&self) -> f64 {
        let sum: f64 = self.stages().map(|stage| stage.ratio / stage.slack).sum();
        sum / self.sizes()[0]
    }

    /// E\[T^2\], by the recursion over stages M_m = 2/s_m^2 + (1 - d/m) (2 E_(m-1)/s_m + M_(m-1)).
    pub fn response_second_moment(&self) -> f64 {
        let [_, copies] = self.sizes();
        let (_, second) = self.stages().fold((0.0, 0.0), |(first, second), stage| {
            let mean = 1.0 / stage.rate();
            let on = (stage.m - copies) / stage.m;
            (
                mean + on * first,
                2.0 * mean * mean + on * (2.0 * mean * first + second),
            )
        });
        second
    }

    /// P(T > t), with a relative error far below 1e-9 down to 1e-300. 1 for t <= 0, NaN for NaN.
    ///
    /// The chain of stages is followed by uniformisation, with positive terms only, in legs that use the largest rate
    /// among the stages that still matter. Cost: about (stages that matter at one time) x (largest rate x t, but no
    /// more than a few N). Milliseconds for N = 1000 whatever t; half a second for N = 65,536 at rho = .9. Most where
    /// N (1 - rho) is of order d or less, as all N stages then matter at once: up to a minute for N = 10^5.
    pub fn response_tail(&self, t: f64) -> f64 {
        if t.is_nan() {
            return t;
        }
        if t <= 0.0 {
            return 1.0;
        }
        if let Some(rate) = self.response_rate() {
            return (-rate * t).exp();
        }
        // A job leaves at a rate of at least d (1 - rho), whatever its stage.
        if self.sizes()[1] * (1.0 - self.load()) * t > 746.0 {
            return 0.0;
        }
        let mut chain = Chain::new(self);
        loop {
            let leg = chain.leg_towards(t);
            if leg.end() >= t {
                return leg.tail(t);
            }
        }
    }

    /// The least t with P(T <= t) >= p. `None` outside 0 <= p < 1. Costs as much as one P(T > t).
    pub fn response_quantile(&self, p: f64) -> Option<f64> {
        if !(0.0..1.0).contains(&p) {
            return None;
        }
        let q = 1.0 - p;
        if let Some(rate) = self.response_rate() {
            return Some(-(-p).ln_1p() / rate);
        }
        let mut chain = Chain::new(self);
        loop {
            let leg = chain.leg_down_to(q);
            if leg.tail(leg.end()) <= q {
                return Some(leg.time_of(q));
            }
        }
    }

    /// The rate of T where it is exponential: 1 - rho for d = 1, N (1 - rho) for d = N.
    fn response_rate(&self) -> Option<f64> {
        let end = self.copies() == 1 || self.copies() == self.servers();
        end.then(|| self.sizes()[1] * (1.0 - self.load()))
    }

    /// A bound: ln P(T > t) is at most this (Chernoff). 0, which says nothing, for t <= 0 and NaN.
    ///
    /// The least of ln E\[e^(theta T)\] - theta t over some theta below the least rate s of a stage, theta =
    /// s (1 - e^-w), from E_m = s_m/(s_m - theta) \[d/m + (1 - d/m) E_(m-1)\]; any theta gives a bound, and rounding is
    /// allowed for. libm throughout, since kernels' clocks follow from it. Cost: some thirty recursions over the stages, eight at a time.
    pub fn response_tail_bound_ln(&self, t: f64) -> f64 {
        if t.is_nan() || t <= 0.0 {
            return 0.0;
        }
        let slowest = self
            .stages()
            .map(|stage| stage.rate())
            .fold(f64::INFINITY, f64::min);
        let [servers, _] = self.sizes();
        let t = t.min(f64::MAX / slowest.max(1.0));
        bound::least(libm::log(1.0 + slowest * t) + 1.0, |w| {
            let left = w.map(|w| libm::exp(-w));
            let moments = self.response_moments_ln(left.map(|left| slowest * (1.0 - left)));
            std::array::from_fn(|lane| {
                let power = slowest * (1.0 - left[lane]) * t;
                let rounding = 8.0 * (servers + 1.0 / left[lane]) + moments[lane] + power;
                moments[lane] - power + 1e-15 * rounding
            })
        })
    }

    /// ln E\[e^(theta T)\] for several theta from 0 to below every rate.
    fn response_moments_ln(&self, theta: [f64; TOGETHER]) -> [f64; TOGETHER] {
        const LARGE: f64 = 1e200;
        let [_, copies] = self.sizes();
        // The moment is value / unit; unit = e^-ln_scale shrinks whenever value grows large.
        #[derive(Clone, Copy)]
        struct Moment {
            value: f64,
            unit: f64,
            ln_scale: f64,
        }
        let mut moments = [Moment {
            value: 0.0,
            unit: 1.0,
            ln_scale: 0.0,
        }; TOGETHER];
        for stage in self.stages() {
            let rate = stage.rate();
            let leave = copies / stage.m;
            let on = (stage.m - copies) / stage.m;
            for (moment, theta) in moments.iter_mut().zip(theta) {
                let factor = rate / (rate - theta);
                moment.value = factor * (leave * moment.unit + on * moment.value);
            }
            if moments.iter().any(|moment| moment.value > LARGE) {
                for moment in &mut moments {
                    moment.ln_scale += libm::log(moment.value);
                    moment.unit /= moment.value;
                    moment.value = 1.0;
                }
            }
        }
        moments.map(|moment| libm::log(moment.value) + moment.ln_scale)
    }
}

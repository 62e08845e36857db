//! Exact intervals for a share of independent observations (Clopper and Pearson, Biometrika 26, 1934, 404).
//!
//! Owns the inversion of the beta law, which the binomial tails are. Does not know whether observations are independent.

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::beta::beta_reg;

/// From so many observations of either kind on, the beta law is as good as normal around its mean, where its continued
/// fraction fails: the search stays clear of it.
const MANY: f64 = 1e4;
/// Relative width of the bracket at which a search ends.
const PRECISION: f64 = 1e-11;

/// The interval of level `confidence` for the chance of an event that `events` of `total` > 0 independent observations
/// saw: P(Bin(n, low) >= k) = P(Bin(n, high) <= k) = (1 - confidence) / 2.
pub fn clopper_pearson(events: u64, total: u64, confidence: f64) -> (f64, f64) {
    let tail = (1.0 - confidence) / 2.0;
    let (k, n) = (events as f64, total as f64);
    let low = match events {
        0 => 0.0,
        k_is_n if k_is_n == total => libm::exp(libm::log(tail) / n),
        _ => beta_quantile(k, n - k + 1.0, tail),
    };
    let high = match events {
        0 => -libm::expm1(libm::log(tail) / n),
        k_is_n if k_is_n == total => 1.0,
        _ => beta_quantile(k + 1.0, n - k, 1.0 - tail),
    };
    (low, high)
}

/// Independent observations of which none lies beyond the quantile `q` with a chance of at most (1 - confidence) / 2:
/// with fewer, nothing bounds the quantile from above.
pub fn least_observations(q: f64, confidence: f64) -> u64 {
    libm::ceil(libm::log((1.0 - confidence) / 2.0) / libm::log(q)) as u64
}

/// x with I_x(a, b) = p, for a and b of at least 1 and p that is not near one half where both are large.
fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    let mean = a / (a + b);
    let deviation = (mean * (1.0 - mean) / (a + b + 1.0)).sqrt();
    let z = Normal::standard().inverse_cdf(p);
    let (mut low, mut high) = if a.min(b) < MANY {
        (0.0, (mean + 60.0 * deviation).min(1.0))
    } else {
        let ends = [mean + 2.0 * z * deviation, mean + 0.5 * z * deviation];
        (ends[0].min(ends[1]), ends[0].max(ends[1]))
    };
    let above = |x: f64| beta_reg(a, b, x.clamp(0.0, 1.0)) - p;
    // False position; an end that stays twice gets half its weight (Illinois).
    let (mut at_low, mut at_high) = (above(low), above(high));
    let mut last = 0;
    for _ in 0..200 {
        if high - low <= PRECISION * high || at_low >= 0.0 || at_high <= 0.0 {
            break;
        }
        let slope = (low * at_high - high * at_low) / (at_high - at_low);
        let x = if slope > low && slope < high {
            slope
        } else {
            0.5 * (low + high)
        };
        let at = above(x);
        if at.abs() <= PRECISION * p {
            return x;
        }
        if at < 0.0 {
            (low, at_low) = (x, at);
            at_high *= if last < 0 { 0.5 } else { 1.0 };
            last = -1;
        } else {
            (high, at_high) = (x, at);
            at_low *= if last > 0 { 0.5 } else { 1.0 };
            last = 1;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::{clopper_pearson, least_observations};

    /// P(Bin(n, x) <= k) by summation of logarithms of terms.
    fn at_most(k: u64, n: u64, x: f64) -> f64 {
        let term = |i: u64| {
            let (i, n) = (i as f64, n as f64);
            let choose = libm::lgamma(n + 1.0) - libm::lgamma(i + 1.0) - libm::lgamma(n - i + 1.0);
            libm::exp(choose + i * libm::log(x) + (n - i) * libm::log1p(-x))
        };
        (0..=k).map(term).sum()
    }

    #[test]
    fn both_ends_leave_half_the_error_each() {
        for confidence in [0.8, 0.95, 0.999] {
            let tail = (1.0 - confidence) / 2.0;
            for (k, n) in [
                (1, 2),
                (1, 10),
                (3, 10),
                (9, 10),
                (50, 100),
                (3, 1_000_000),
                (400, 1_000),
            ] {
                let (low, high) = clopper_pearson(k, n, confidence);
                let below = 1.0 - at_most(k - 1, n, low);
                assert!((below / tail - 1.0).abs() < 1e-5, "{k} of {n}: {below}");
                let above = at_most(k, n, high);
                assert!((above / tail - 1.0).abs() < 1e-5, "{k} of {n}: {above}");
            }
        }
    }

    #[test]
    fn known_values_and_ends_of_the_range() {
        // 0 and 10 of 10: 0.3085 = 1 - 0.025^(1/10).
        let (low, high) = clopper_pearson(0, 10, 0.95);
        assert!(low == 0.0 && (high - 0.308_497_1).abs() < 1e-7);
        let (low, high) = clopper_pearson(10, 10, 0.95);
        assert!(high == 1.0 && (low - 0.691_502_9).abs() < 1e-7);
        // Garwood's 3 Poisson events: 0.61867 to 8.76727.
        let (low, high) = clopper_pearson(3, 1_000_000_000, 0.95);
        assert!((low * 1e9 - 0.618_672).abs() < 1e-5 && (high * 1e9 - 8.767_273).abs() < 1e-5);
    }

    #[test]
    fn large_counts_have_the_normal_interval() {
        for (k, n) in [
            (500_000_000u64, 1_000_000_000u64),
            (1_000_000, 1_000_000_000),
            (50_000, 100_000),
        ] {
            let (low, high) = clopper_pearson(k, n, 0.95);
            let p = k as f64 / n as f64;
            let se = (p * (1.0 - p) / n as f64).sqrt();
            let z = [(p - low) / se, (high - p) / se];
            assert!(z.iter().all(|z| (z - 1.959_964).abs() < 0.01), "{z:?}");
            assert!(low < p && p < high);
        }
    }

    #[test]
    fn a_far_quantile_needs_many_observations() {
        assert_eq!(least_observations(0.9999, 0.95), 36_887);
        assert_eq!(least_observations(0.5, 0.95), 6);
    }
}

//! Intervals for a share of independent observations: exact ones (Clopper and Pearson, Biometrika 26, 1934, 404), and
//! Jeffreys', which a number of observations that is no whole one has too.
//!
//! Owns the inversion of the beta law, which the binomial tails are. Does not know whether observations are independent.

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::beta::{beta_reg, ln_beta};

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

/// The interval of level `confidence` for a chance of which `effective` > 0 observations of equal worth saw the share `p`,
/// neither 0 nor 1: the quantiles of the beta law with half an event and half a failure added (Jeffreys' prior; Brown, Cai
/// and DasGupta, Statistical Science 16, 2001, 101). They need not be whole numbers.
pub fn jeffreys(p: f64, effective: f64, confidence: f64) -> (f64, f64) {
    let tail = (1.0 - confidence) / 2.0;
    let (a, b) = (p * effective + 0.5, (1.0 - p) * effective + 0.5);
    // Of next to no observations the law says little about where they lie.
    let low = beta_quantile(a, b, tail).min(p);
    let high = (1.0 - beta_quantile(b, a, tail)).max(p);
    (low, high)
}

/// x with I_x(a, b) = p, for a and b of at least 1/2 and p that is not near one half where both are large.
fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    let mean = a / (a + b);
    let deviation = (mean * (1.0 - mean) / (a + b + 1.0)).sqrt();
    let z = Normal::standard().inverse_cdf(p);
    let (mut low, mut high) = if a.min(b) < MANY {
        (0.0, 1.0)
    } else {
        let ends = [mean + 2.0 * z * deviation, mean + 0.5 * z * deviation];
        (ends[0].min(ends[1]), ends[0].max(ends[1]))
    };
    let ln_beta = ln_beta(a, b);
    let mut x = first_guess(a, b, p, z, ln_beta);
    // Newton's steps, halfway where they leave the bracket.
    for _ in 0..200 {
        if !(x > low && x < high) {
            x = 0.5 * (low + high);
        }
        let above = beta_reg(a, b, x) - p;
        if above.abs() <= PRECISION * p || high - low <= PRECISION * high {
            break;
        }
        if above < 0.0 {
            low = x;
        } else {
            high = x;
        }
        let density = (a - 1.0) * libm::log(x) + (b - 1.0) * libm::log1p(-x) - ln_beta;
        let step = above / libm::exp(density);
        if step.abs() <= PRECISION * x {
            break;
        }
        x -= step;
    }
    x
}

/// Close to the quantile: by the law near 0 for small a, else by Abramowitz and Stegun 26.5.22.
fn first_guess(a: f64, b: f64, p: f64, z: f64, ln_beta: f64) -> f64 {
    if a <= 1.0 || b <= 1.0 {
        return libm::exp((libm::log(p * a) + ln_beta) / a);
    }
    let [up, down] = [a, b].map(|x| 1.0 / (2.0 * x - 1.0));
    let lambda = (z * z - 3.0) / 6.0;
    let h = 2.0 / (up + down);
    let w = -z * (h + lambda).max(0.0).sqrt() / h
        - (down - up) * (lambda + 5.0 / 6.0 - 2.0 / (3.0 * h));
    a / (a + b * libm::exp(2.0 * w))
}

#[cfg(test)]
mod tests {
    use super::{beta_quantile, clopper_pearson, jeffreys, least_observations};
    use statrs::function::beta::beta_reg;

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

    #[test]
    fn quantiles_of_the_beta_law_are_inverted_for_all_shapes() {
        let shapes: [f64; 11] = [0.5, 0.5001, 0.9, 1.0, 1.3, 4.0, 37.5, 900.0, 9e3, 5e4, 2e7];
        for a in shapes {
            for b in shapes.into_iter().filter(|b| a.min(*b) < 1e3) {
                for p in [1e-6, 0.005, 0.025, 0.1, 0.9, 0.975, 0.995] {
                    let x = beta_quantile(a, b, p);
                    let found = beta_reg(a, b, x);
                    // What is next to 1 is asked for from the other side.
                    if x < 0.999 {
                        assert!((found / p - 1.0).abs() < 1e-6, "{a} {b} {p}: {x} {found}");
                    }
                }
            }
        }
    }

    #[test]
    fn jeffreys_interval_has_its_known_values_and_is_symmetric() {
        // Brown, Cai and DasGupta (2001), table of limits: 1 of 7, 3 of 10, 5 of 20.
        for (k, n, low, high) in [
            (1.0, 7.0, 0.016, 0.501),
            (3.0, 10.0, 0.093, 0.606),
            (5.0, 20.0, 0.102, 0.464),
        ] {
            let found = jeffreys(k / n, n, 0.95);
            assert!(
                (found.0 - low).abs() < 1e-3 && (found.1 - high).abs() < 1e-3,
                "{k} of {n}: {found:?}"
            );
            let mirrored = jeffreys(1.0 - k / n, n, 0.95);
            assert!((1.0 - mirrored.1 - found.0).abs() < 1e-9);
        }
        // Next to no observations: next to no knowledge, but what was seen is held.
        let (low, high) = jeffreys(1e-6, 0.01, 0.95);
        assert!(low <= 1e-6 && high > 0.99, "{low} {high}");
    }
}

//! Special functions of one real variable, to nearly full precision.
//!
//! Owns the sums that the limits of many servers need, and how they are made to converge fast.

use std::f64::consts::PI;

/// Li2(x) = sum over k >= 1 of x^k / k^2. `None` outside 0 <= x <= 1.
///
/// Directly for x <= 1/2, else by Euler's reflection Li2(x) = pi^2/6 - ln x ln(1-x) - Li2(1-x).
pub fn dilogarithm(x: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&x) {
        return None;
    }
    let direct = |x: f64| power_series(x, |k| 1.0 / ((k + 1.0) * (k + 1.0))) * x;
    Some(if x <= 0.5 {
        direct(x)
    } else if x < 1.0 {
        PI * PI / 6.0 - x.ln() * (-x).ln_1p() - direct(1.0 - x)
    } else {
        PI * PI / 6.0
    })
}

/// Sum over k >= 0 of c(k) x^k for 0 <= x <= 1/2 and bounded c that do not increase.
pub(super) fn power_series(x: f64, c: impl Fn(f64) -> f64) -> f64 {
    // 2^-60 of the first term is left out.
    let terms = 60;
    (0..terms)
        .rev()
        .fold(0.0, |sum, k| sum * x + c(f64::from(k)))
}

/// Sum over k >= 0 of x^k / (a + k) = 2F1(1, a; 1+a; x) / a, for 0 < x < 1 and 1 <= a <= 2.
///
/// For x > 1/2 by the expansion about x = 1: sum over n of (a)_n / n! \[psi(1+n) - psi(a+n) - ln(1-x)\] (1-x)^n
/// (Abramowitz and Stegun 15.3.10).
pub(super) fn lerch(x: f64, a: f64) -> f64 {
    if x <= 0.5 {
        return power_series(x, |k| 1.0 / (a + k));
    }
    let y = 1.0 - x;
    let mut bracket = digamma(1.0) - digamma(a) - y.ln();
    let mut weight = 1.0;
    let mut sum = 0.0;
    // (a)_n / n! <= n + 1 for a <= 2, so that at n = 70 less than 2^-60 of the sum is left.
    for n in 0..70 {
        let n = f64::from(n);
        sum += weight * bracket;
        bracket += 1.0 / (1.0 + n) - 1.0 / (a + n);
        weight *= (a + n) / (1.0 + n) * y;
    }
    sum
}

/// psi(x) for x >= 1, by the recurrence psi(x) = psi(x+1) - 1/x and the asymptotic series.
fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 16.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    // Bernoulli numbers B_2k / (2k).
    let series = y
        * (1.0 / 12.0
            - y * (1.0 / 120.0
                - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y * (1.0 / 132.0 - y * 691.0 / 32760.0)))));
    sum + x.ln() - 0.5 / x - series
}

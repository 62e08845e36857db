//! Probabilities as integers, so that "happens with probability p" is one comparison.
//!
//! Owns the 31-bit thresholds: an event happens when the upper 31 bits of a random word are below
//! its threshold, so that both 0 and 1 are exact and the rounding error is at most 2^-32.

/// The threshold of a certain event.
pub const CERTAIN: u32 = 1 << 31;

/// The threshold of an event of probability `p` in [0, 1]; rounded to the nearest multiple of 2^-31.
pub fn threshold(p: f64) -> u32 {
    (p * f64::from(CERTAIN)).round() as u32
}

/// The probability that a threshold stands for.
pub fn probability(threshold: u32) -> f64 {
    f64::from(threshold) / f64::from(CERTAIN)
}

#[cfg(test)]
mod tests {
    use super::{CERTAIN, probability, threshold};

    #[test]
    fn never_always_and_a_fair_coin_are_exact() {
        assert_eq!(threshold(0.0), 0);
        assert_eq!(threshold(1.0), CERTAIN);
        assert_eq!(threshold(0.5), CERTAIN / 2);
        assert!(
            (u32::MAX >> 1) < threshold(1.0),
            "the largest word must be below certainty"
        );
    }

    #[test]
    fn the_probability_used_is_within_half_a_step_of_the_one_asked_for() {
        for i in 0..=1000 {
            let p = f64::from(i) / 1000.0;
            assert!((probability(threshold(p)) - p).abs() <= 0.5f64.powi(32));
        }
    }
}

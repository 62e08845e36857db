//! Binomial laws as lists of probabilities.
//!
//! Owns their computation: from the mode outwards by quotients of neighbours, then divided by the sum, so that every
//! term has a small relative error, however rare. Does not own what is averaged over them.

/// Part of a law on the whole numbers: `weights[i]` is the probability of `start + i`.
#[derive(Debug)]
pub(super) struct Law {
    pub start: usize,
    pub weights: Vec<f64>,
}

impl Law {
    /// Binomial(n, p), without the ends where a term is at most `least` times the largest.
    pub fn binomial(n: usize, p: f64, least: f64) -> Law {
        if p >= 1.0 || p <= 0.0 {
            let start = if p >= 1.0 { n } else { 0 };
            return Law {
                start,
                weights: vec![1.0],
            };
        }
        let odds = p / (1.0 - p);
        let mode = (((n + 1) as f64 * p) as usize).min(n);
        let mut below = Vec::new();
        let mut term = 1.0;
        for k in (0..mode).rev() {
            term *= (k + 1) as f64 / ((n - k) as f64 * odds);
            if term <= least {
                break;
            }
            below.push(term);
        }
        let start = mode - below.len();
        let mut weights: Vec<f64> = below.into_iter().rev().chain([1.0]).collect();
        term = 1.0;
        for k in mode..n {
            term *= (n - k) as f64 * odds / (k + 1) as f64;
            if term <= least {
                break;
            }
            weights.push(term);
        }
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= total);
        Law { start, weights }
    }

    /// The values and their probabilities.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> {
        (self.start..).zip(self.weights.iter().copied())
    }

    /// P(X > k) for every k from 0 to `last`, summed from the rare end.
    pub fn tails(&self, last: usize) -> Vec<f64> {
        let mut tails = vec![0.0; last + 1];
        let mut sum = 0.0;
        let end = self.start + self.weights.len();
        for k in (0..=last.max(end)).rev() {
            if let Some(tail) = tails.get_mut(k) {
                *tail = sum;
            }
            let at = k.checked_sub(self.start);
            sum += at.and_then(|at| self.weights.get(at)).unwrap_or(&0.0);
        }
        tails
    }
}

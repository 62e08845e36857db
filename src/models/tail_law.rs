//! What theory says about the tail of a histogram: P(T >= t), and its inverse.
//!
//! Owns the declaration and the search for a quantile. The formulas are `theory`'s.

use super::Point;

/// A law of the quantity that a histogram counts.
#[derive(Debug)]
pub struct TailLaw {
    /// The histogram that it is about.
    pub histogram: &'static str,
    /// What it is, in words for a legend: `exact law`, `N → ∞`.
    pub name: &'static str,
    /// Whether it is the law of the very system that is simulated, not of a limit.
    pub exact: bool,
    /// P(T >= t) at a point, in the histogram's unit, as rows count values; none where no formula holds, or it would
    /// take too long.
    pub tail: fn(&Point, f64) -> Option<f64>,
}

/// Relative width at which a quantile is found.
const CLOSE: f64 = 1e-10;
/// Most evaluations of the law for one quantile.
const MOST_EVALUATIONS: usize = 200;

impl TailLaw {
    /// The least t with P(T <= t) >= q, to 1e-10, or 0; `near` is a positive guess. None where the law has no value.
    ///
    /// The logarithm of a tail is close to a straight line, so the false position (with Illinois' weights) takes some
    /// ten evaluations; every third one halves the interval, which makes the search safe where the law jumps.
    pub fn quantile(&self, point: &Point, q: f64, near: f64) -> Option<f64> {
        let level = (-q).ln_1p();
        let excess = |t: f64| {
            let p = (self.tail)(point, t)?;
            // A tail that is 0 is as far below as the search needs.
            Some(if p > 0.0 { p.ln() - level } else { -1e3 })
        };
        let mut low = (0.0, excess(0.0)?);
        if low.1 <= 0.0 {
            return Some(0.0);
        }
        let mut high = (near, excess(near)?);
        let mut evaluations = 2;
        while high.1 > 0.0 {
            if evaluations == MOST_EVALUATIONS {
                return None;
            }
            low = high;
            high.0 *= 1.5;
            high.1 = excess(high.0)?;
            evaluations += 1;
        }
        while high.0 - low.0 > CLOSE * high.0 && evaluations < MOST_EVALUATIONS {
            let halfway = evaluations % 3 == 0;
            let share = if halfway {
                0.5
            } else {
                low.1 / (low.1 - high.1)
            };
            let t = low.0 + share * (high.0 - low.0);
            // So close to an end that nothing lies between: step just past the root instead.
            let t = t.clamp(low.0 + 0.4 * CLOSE * high.0, high.0 - 0.4 * CLOSE * high.0);
            let at = (t, excess(t)?);
            if at.1 > 0.0 {
                low = at;
                high.1 *= 0.5;
            } else {
                high = at;
                low.1 *= 0.5;
            }
            evaluations += 1;
        }
        Some(high.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::TailLaw;
    use crate::models::Point;

    fn point() -> Point {
        Point {
            index: 0,
            stream: 0,
            warmup: 0.0,
            duration: 1.0,
            values: Vec::new(),
        }
    }

    fn law(tail: fn(&Point, f64) -> Option<f64>) -> TailLaw {
        TailLaw {
            histogram: "response",
            name: "exact law",
            exact: true,
            tail,
        }
    }

    #[test]
    fn the_quantile_of_an_exponential_is_found_from_any_guess() {
        let law = law(|_, t| Some((-3.0 * t).exp().min(1.0)));
        for q in [1e-6, 0.1, 0.5, 0.999, 1.0 - 1e-12] {
            for near in [1e-5, 1.0, 1e5] {
                let exact = -f64::ln_1p(-q) / 3.0;
                let found = law.quantile(&point(), q, near).unwrap();
                assert!(
                    (found / exact - 1.0).abs() < 3e-10,
                    "{q} {near}: {found} {exact}"
                );
            }
        }
    }

    #[test]
    fn a_law_that_jumps_and_one_that_begins_with_a_jump_have_quantiles() {
        let jumps = law(|_, t| {
            Some(if t < 2.0 {
                0.75
            } else if t < 5.0 {
                0.25
            } else {
                0.0
            })
        });
        for (q, exact) in [(0.2, 0.0), (0.5, 2.0), (0.9, 5.0)] {
            let found = jumps.quantile(&point(), q, 1.0).unwrap();
            assert!((found - exact).abs() < 1e-8, "{q}: {found}");
        }
        let none = law(|_, t| (t < 1.0).then_some(1.0));
        assert_eq!(none.quantile(&point(), 0.5, 0.5), None);
    }
}

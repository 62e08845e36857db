//! Comparisons in standard errors: how many were made and which were missed. Owns the limit.

use crate::simulate::Answers;

/// Largest |z| that counts as agreement.
pub const LIMIT: f64 = 4.5;

/// Comparisons so far.
#[derive(Default)]
pub struct Comparisons {
    z: Vec<f64>,
    missed: Vec<String>,
}

impl Comparisons {
    /// One more: a number found, its standard error, and what it should be (give or take `exact_se`).
    pub fn add(&mut self, what: &str, found: f64, se: f64, exact: f64, exact_se: f64) {
        // What leaves nothing to chance is exact but for the rounding of estimates.
        let z = if (found - exact).abs() <= 1e-14 * exact.abs() {
            0.0
        } else {
            (found - exact) / se.hypot(exact_se)
        };
        // NaN is a miss, too.
        if z.abs() <= LIMIT {
            self.z.push(z);
        } else {
            self.missed.push(format!(
                "z = {z:.2}: {what}: {found} (se {se:e}) against {exact}"
            ));
        }
    }

    /// One more: an estimate of a run.
    pub fn estimate(&mut self, what: &str, answers: &Answers, observable: &str, exact: f64) {
        self.against(what, answers, observable, exact, 0.0);
    }

    /// The same against a measured number.
    pub fn against(&mut self, what: &str, answers: &Answers, name: &str, value: f64, se: f64) {
        let found = answers.get(name);
        self.add(
            &format!("{name} of {what}"),
            found.mean.unwrap_or(f64::NAN),
            found.se.unwrap_or(f64::NAN),
            value,
            se,
        );
    }

    /// Joins the comparisons of another.
    pub fn join(&mut self, other: Comparisons) {
        self.z.extend(other.z);
        self.missed.extend(other.missed);
    }

    /// How many there were, and how many failed.
    pub fn counts(&self) -> (usize, usize) {
        (self.z.len() + self.missed.len(), self.missed.len())
    }

    /// Panics unless all agreed, and there were as many as expected.
    #[track_caller]
    pub fn assert_all(&self, expected: usize) {
        let (made, missed) = self.counts();
        assert!(
            missed == 0,
            "{missed} of {made} missed:\n{}",
            self.missed.join("\n")
        );
        assert_eq!(made, expected, "comparisons");
        // Not only is none far off: all together they are as close as chance has it.
        let spread = (self.z.iter().map(|z| z * z).sum::<f64>() / made as f64).sqrt();
        assert!(spread < 1.5, "root mean square z = {spread}");
    }
}

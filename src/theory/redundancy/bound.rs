//! The search for the best of a family of exponential bounds.
//!
//! Owns the minimisation only. Every member of the family is a valid bound, so the search need not be exact.

/// How many members are computed together: a processor does so for the price of one or two.
pub(super) const TOGETHER: usize = 8;

/// The least value that `bound` was seen to take for w from 0 to `last`, and at most 0, the trivial bound on ln P.
///
/// By grids, each between the neighbours of the best point so far: ln E\[e^(theta Y)\] - theta y is convex in theta,
/// hence has one minimum in any increasing function w of theta.
pub(super) fn least(last: f64, bound: impl Fn([f64; TOGETHER]) -> [f64; TOGETHER]) -> f64 {
    /// Enough for a grid of last/400.
    const GRIDS: usize = 4;
    let mut least = 0.0;
    let (mut low, mut high) = (0.0, last);
    for _ in 0..GRIDS {
        let step = (high - low) / (TOGETHER + 1) as f64;
        let points = std::array::from_fn(|at| low + step * (at + 1) as f64);
        let bounds = bound(points);
        let best = (1..TOGETHER).fold(
            0,
            |best, at| {
                if bounds[at] < bounds[best] { at } else { best }
            },
        );
        least = bounds[best].min(least);
        (low, high) = (points[best] - step, points[best] + step);
    }
    least
}

//! From the numbers of a figure to the extent of its axes, and from a value to its place on an axis.
//!
//! Owns the choice of ranges and the map of values. Ticks are `ticks`'s, pixels are `page`'s.

use crate::report::figure::{Axis, Figure, Series, Style};

/// Values beyond this cannot be told from an overflow when ranges are padded.
const LARGEST: f64 = 1e300;
/// Ranges narrower than this, relative to their ends, are one value: ticks within would be noise.
const NARROWEST: f64 = 1e-12;
/// Theory may stretch the vertical axis by this much of the data's height at each end; the rest of a
/// line that diverges is cut off.
const THEORY_MARGIN: f64 = 0.2;
/// Places are kept within this many axis lengths, so that no later product overflows.
const FARTHEST: f64 = 1e6;

/// The extent of an axis, in values or, if logarithmic, in decimal logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Whether the axis is logarithmic.
    pub log: bool,
    /// First coordinate.
    pub low: f64,
    /// Last coordinate; greater than `low`.
    pub high: f64,
}

impl Scale {
    /// Where `value` lies on the axis: 0 at its start, 1 at its end; `None` if it has no place, even
    /// outside.
    pub fn place(&self, value: f64) -> Option<f64> {
        let t = (coordinate(value, self.log)? - self.low) / (self.high - self.low);
        Some(t.clamp(-FARTHEST, FARTHEST))
    }

    /// Whether `value` lies on the axis.
    pub fn holds(&self, value: f64) -> bool {
        // The slack forgives the rounding of the ends of a range.
        self.place(value)
            .is_some_and(|t| (-1e-9..=1.0 + 1e-9).contains(&t))
    }
}

/// A value as a coordinate of an axis.
fn coordinate(value: f64, log: bool) -> Option<f64> {
    if !value.is_finite() || value.abs() > LARGEST {
        None
    } else if !log {
        Some(value)
    } else if value > 0.0 {
        Some(value.log10())
    } else {
        None
    }
}

/// The horizontal extent of a figure: all that has a place, with a margin if there are marks.
pub fn horizontal(figure: &Figure) -> Scale {
    let axis = &figure.x;
    if let Some(scale) = of_names(axis) {
        return scale;
    }
    let marks = figure.series.iter().flat_map(|s| &s.marks).map(|m| m.x);
    let lines = figure
        .series
        .iter()
        .flat_map(|s| s.line.iter().chain(&s.dashed))
        .map(|p| p.0);
    let any_marks = figure.series.iter().any(|s| !s.marks.is_empty());
    let margin = if any_marks { 0.03 } else { 0.0 };
    let extent = extent(marks.chain(lines), axis.log);
    given(axis).unwrap_or_else(|| padded(extent, axis.log, margin, false))
}

/// The vertical extent of a figure: marks, intervals and data lines with a margin, and theory where it
/// stays near them.
pub fn vertical(figure: &Figure) -> Scale {
    let axis = &figure.y;
    if let Some(scale) = of_names(axis) {
        return scale;
    }
    let is_theory = |s: &&Series| matches!(s.style, Style::MarksAndTheory | Style::MarksOnBand);
    let marks = figure.series.iter().flat_map(|s| &s.marks).flat_map(|m| {
        let (low, high) = m.interval.unwrap_or((m.y, m.y));
        // The interval of a mark that cannot be drawn is not drawn either.
        let shown = coordinate(m.y, axis.log).is_some() && coordinate(m.x, figure.x.log).is_some();
        [m.y, low, high].into_iter().filter(move |_| shown)
    });
    let data_lines = figure.series.iter().filter(|s| !is_theory(s));
    let data = marks.chain(data_lines.flat_map(|s| &s.line).map(|p| p.1));
    let theory = figure.series.iter().filter(is_theory).flat_map(|s| &s.line);
    let dashed = figure.series.iter().flat_map(|s| &s.dashed);
    let theory = extent(theory.chain(dashed).map(|p| p.1), axis.log);
    let extent = match (extent(data, axis.log), theory) {
        (Some((low, high)), Some((below, above))) => {
            let height = if high > low { high - low } else { high.abs() };
            let stretch = THEORY_MARGIN * height;
            Some((
                low.min(below.max(low - stretch)),
                high.max(above.min(high + stretch)),
            ))
        }
        (data, theory) => data.or(theory),
    };
    given(axis).unwrap_or_else(|| padded(extent, axis.log, 0.05, true))
}

/// Whether a figure has no point at all that could be drawn.
pub fn is_blank(figure: &Figure) -> bool {
    let mut cells = figure
        .cells
        .iter()
        .flat_map(|cells| &cells.values)
        .flatten();
    if cells.any(|cell| cell.value.is_some_and(f64::is_finite)) {
        return false;
    }
    let mut points = figure.series.iter().flat_map(|series| {
        let marks = series.marks.iter().map(|m| (m.x, m.y));
        let lines = series.line.iter().chain(&series.dashed).copied();
        marks.chain(lines)
    });
    let fits = |value: f64, log: bool| value.is_finite() && (!log || value > 0.0);
    !points.any(|(x, y)| fits(x, figure.x.log) && fits(y, figure.y.log))
}

/// The extent of values themselves, without a margin.
pub fn tight(values: impl Iterator<Item = f64>, log: bool) -> Scale {
    padded(extent(values, log), log, 0.0, false)
}

fn extent(values: impl Iterator<Item = f64>, log: bool) -> Option<(f64, f64)> {
    values
        .filter_map(|value| coordinate(value, log))
        .fold(None, |range, c| match range {
            None => Some((c, c)),
            Some((low, high)) => Some((c.min(low), c.max(high))),
        })
}

/// An axis of names has a unit for each.
fn of_names(axis: &Axis) -> Option<Scale> {
    (!axis.names.is_empty()).then_some(Scale {
        log: false,
        low: 0.0,
        high: axis.names.len() as f64,
    })
}

fn given(axis: &Axis) -> Option<Scale> {
    let (low, high) = axis.range?;
    let low = coordinate(low, axis.log)?;
    let high = coordinate(high, axis.log)?;
    (high > low && !is_one_value(low, high)).then_some(Scale {
        log: axis.log,
        low,
        high,
    })
}

fn is_one_value(low: f64, high: f64) -> bool {
    let span = high - low;
    span < LARGEST.recip() || span <= NARROWEST * low.abs().max(high.abs())
}

fn padded(extent: Option<(f64, f64)>, log: bool, margin: f64, from_zero: bool) -> Scale {
    let (low, high) = match extent {
        None => (0.0, 1.0),
        Some((low, high)) if is_one_value(low, high) => {
            let middle = low + (high - low) / 2.0;
            let around = if log || middle.abs() < LARGEST.recip() {
                0.5
            } else {
                middle.abs() / 2.0
            };
            (middle - around, middle + around)
        }
        Some((low, high)) => {
            let span = high - low;
            let to_zero = from_zero && !log;
            let down = if to_zero && low >= 0.0 && low <= span {
                0.0
            } else {
                low - margin * span
            };
            let up = if to_zero && high <= 0.0 && -high <= span {
                0.0
            } else {
                high + margin * span
            };
            (down, up)
        }
    };
    Scale { log, low, high }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::Mark;

    fn figure(ys: &[f64]) -> Figure {
        let mark = |(i, &y): (usize, &f64)| Mark {
            x: i as f64,
            y,
            interval: None,
        };
        Figure {
            series: vec![Series {
                marks: ys.iter().enumerate().map(mark).collect(),
                ..Series::default()
            }],
            ..Figure::default()
        }
    }

    #[test]
    fn the_vertical_axis_starts_at_zero_when_zero_is_near_and_not_otherwise() {
        assert_eq!(vertical(&figure(&[0.5, 1.0])).low, 0.0);
        assert_eq!(vertical(&figure(&[-1.0, -0.5])).high, 0.0);
        let far = vertical(&figure(&[10.0, 11.0]));
        assert!(far.low > 9.8 && far.low < 10.0 && far.high > 11.0 && far.high < 11.2);
        assert!(vertical(&figure(&[-0.1, 1.0])).low < -0.1);
    }

    #[test]
    fn theory_that_diverges_does_not_squash_the_data() {
        let mut diverging = figure(&[1.0, 2.0]);
        diverging.series[0].line = vec![(0.0, 1.0), (1.0, 1e9)];
        let scale = vertical(&diverging);
        assert!(scale.high < 3.0, "{scale:?}");
        assert!(scale.place(1e300).is_some_and(f64::is_finite));
    }

    #[test]
    fn intervals_belong_to_the_vertical_extent() {
        let mut wide = figure(&[1.0, 2.0]);
        wide.series[0].marks[1].interval = Some((-3.0, 7.0));
        let scale = vertical(&wide);
        assert!(scale.low < -3.0 && scale.high > 7.0);
    }

    #[test]
    fn every_set_of_numbers_gives_an_increasing_finite_range() {
        let sets: &[&[f64]] = &[
            &[],
            &[f64::NAN],
            &[f64::INFINITY, f64::NEG_INFINITY],
            &[0.0],
            &[5.0],
            &[-5.0, -5.0],
            &[1e300, -1e300],
            &[f64::MAX, f64::MIN],
            &[5e-324],
            &[1e-310, 2e-310],
            &[1.0, 1.0 + f64::EPSILON],
            &[1e9, 1e9 + 1.0],
        ];
        for ys in sets {
            for log in [false, true] {
                let mut figure = figure(ys);
                figure.y.log = log;
                for scale in [vertical(&figure), horizontal(&figure)] {
                    assert!(scale.low.is_finite() && scale.high.is_finite(), "{ys:?}");
                    assert!(scale.high > scale.low, "{ys:?} {scale:?}");
                }
            }
        }
    }

    #[test]
    fn a_given_range_is_kept_and_an_impossible_one_ignored() {
        let mut figure = figure(&[1.0, 2.0]);
        figure.y.range = Some((0.0, 1.2));
        let scale = vertical(&figure);
        assert_eq!((scale.low, scale.high), (0.0, 1.2));
        assert!(scale.holds(1.2) && scale.holds(0.0) && !scale.holds(1.3));
        for bad in [
            (1.0, 1.0),
            (2.0, 1.0),
            (f64::NAN, 1.0),
            (0.0, f64::INFINITY),
        ] {
            figure.y.range = Some(bad);
            assert!(vertical(&figure).high > 2.0, "{bad:?}");
        }
        figure.y.log = true;
        figure.y.range = Some((0.0, 1.0));
        assert!(vertical(&figure).high > 0.3);
    }
}

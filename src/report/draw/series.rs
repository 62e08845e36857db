//! The data: bands, lines, whiskers and markers in the plot area.
//!
//! Owns how each style of series is drawn. The looks are `look`'s, the map to the page is `axes`'s.

use super::DrawError;
use super::axes::Frame;
use super::canvas::Canvas;
use super::geometry::{Point, polygon_within, thinned, within};
use super::look::{BAND, BAND_EDGE, DATA_LINE, Look, THEORY_LINE, WHISKER};
use super::range::Scale;
use crate::report::figure::{Figure, Mark, Series, Style};

/// Radius of a marker, few and many to a series.
const RADII: (f64, f64) = (6.0, 3.5);
/// From this many marks on, markers are small.
const MANY_MARKS: usize = 100;

/// Which of the intervals that a figure shows as whiskers are within their markers, so not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unseen {
    None,
    Some,
    All,
}

/// Marks without a place on these axes.
pub fn hidden_marks(figure: &Figure, x: &Scale, y: &Scale) -> usize {
    let marks = figure.series.iter().flat_map(|series| &series.marks);
    marks.filter(|m| !x.holds(m.x) || !y.holds(m.y)).count()
}

/// Draws bands, then lines.
pub fn draw(figure: &Figure, frame: &Frame, canvas: &mut dyn Canvas) -> Result<(), DrawError> {
    for (i, series) in figure.series.iter().enumerate() {
        if is_band(series) || series.style == Style::MarksOnBand {
            draw_band(series, Look::of(i), frame, canvas)?;
        }
    }
    for (i, series) in figure.series.iter().enumerate() {
        let look = Look::of(i);
        if series.style == Style::Band && series.line.is_empty() {
            let joined: Vec<(f64, f64)> = series.marks.iter().map(|m| (m.x, m.y)).collect();
            draw_line(&joined, DATA_LINE, look, frame, canvas)?;
        } else if series.style == Style::MarksAndTheory {
            draw_line(&series.line, THEORY_LINE, look, frame, canvas)?;
        } else if series.style == Style::Reference {
            draw_line(&series.line, DATA_LINE, Look::reference(), frame, canvas)?;
        } else if series.style == Style::MarksOnBand {
            draw_line(&series.line, THEORY_LINE, look.solid(), frame, canvas)?;
        } else {
            draw_line(&series.line, DATA_LINE, look, frame, canvas)?;
        }
        draw_line(&series.dashed, THEORY_LINE, look.dashed(), frame, canvas)?;
    }
    Ok(())
}

/// Draws whiskers, then markers, over everything else.
pub fn draw_marks(
    figure: &Figure,
    frame: &Frame,
    canvas: &mut dyn Canvas,
) -> Result<(), DrawError> {
    // All whiskers first: no cap may cross another series' marker.
    for (mark, series, look) in shown_marks(figure, frame) {
        if let Some(ends) = interval_ends(mark, series, look, frame).filter(is_seen) {
            draw_whisker(&ends, radius(series), look, frame, canvas)?;
        }
    }
    for (mark, series, look) in shown_marks(figure, frame) {
        if let Some(center) = frame.point(mark.x, mark.y) {
            look.marker(canvas, center, radius(series))?;
        }
    }
    Ok(())
}

/// Which intervals are within their markers on these axes.
pub fn unseen_whiskers(figure: &Figure, frame: &Frame) -> Unseen {
    let (mut seen, mut unseen) = (false, false);
    for (mark, series, look) in shown_marks(figure, frame) {
        if let Some(ends) = interval_ends(mark, series, look, frame) {
            seen |= is_seen(&ends);
            unseen |= !is_seen(&ends);
        }
    }
    match (seen, unseen) {
        (_, false) => Unseen::None,
        (true, true) => Unseen::Some,
        (false, true) => Unseen::All,
    }
}

/// The marks in the plot area that have markers, with their series and its look. A band shows its
/// marks by its line and their intervals by itself.
fn shown_marks<'a>(
    figure: &'a Figure,
    frame: &'a Frame,
) -> impl Iterator<Item = (&'a Mark, &'a Series, Look)> {
    let series = figure.series.iter().enumerate();
    let marked = series.filter(|(_, series)| !is_band(series));
    marked.flat_map(|(i, series)| {
        let marks = series.marks.iter();
        let shown = marks.filter(|mark| frame.holds(mark.x, mark.y));
        shown.map(move |mark| (mark, series, Look::of(i)))
    })
}

fn radius(series: &Series) -> f64 {
    if series.marks.len() < MANY_MARKS {
        RADII.0
    } else {
        RADII.1
    }
}

/// Whether a series is drawn as a band: one of a single mark could not be seen.
pub fn is_band(series: &Series) -> bool {
    series.style == Style::Band && (series.marks.len() > 1 || series.line.len() > 1)
}

/// The interval of a mark with its ends in order, unless one is not a number.
pub fn interval(mark: &Mark) -> Option<(f64, f64)> {
    let (a, b) = mark.interval?;
    (!a.is_nan() && !b.is_nan()).then(|| (a.min(b), a.max(b)))
}

fn draw_band(
    series: &Series,
    look: Look,
    frame: &Frame,
    canvas: &mut dyn Canvas,
) -> Result<(), DrawError> {
    let mut marks: Vec<&Mark> = series.marks.iter().collect();
    marks.sort_by(|a, b| a.x.total_cmp(&b.x));
    let ends: Vec<Option<(Point, Point)>> = marks
        .iter()
        .map(|mark| {
            let (low, high) = interval(mark)?;
            Some((frame.end(mark.x, low)?, frame.end(mark.x, high)?))
        })
        .collect();
    // A mark without an interval interrupts the band.
    for run in ends.split(Option::is_none) {
        let (lower, upper): (Vec<Point>, Vec<Point>) = run.iter().copied().flatten().unzip();
        // Where bands cover each other, their colours mix: edges keep them apart.
        if series.style == Style::Band {
            for edge in [&lower, &upper] {
                for part in within(&thinned(edge), &frame.area) {
                    look.line(canvas, &part, BAND_EDGE, &frame.area)?;
                }
            }
        }
        let mut outline = thinned(&lower);
        outline.extend(thinned(&upper).into_iter().rev());
        let outline = polygon_within(&outline, &frame.area);
        if !outline.is_empty() {
            canvas.polygon(&outline, look.color, BAND)?;
        }
    }
    Ok(())
}

fn draw_line(
    points: &[(f64, f64)],
    width: f64,
    look: Look,
    frame: &Frame,
    canvas: &mut dyn Canvas,
) -> Result<(), DrawError> {
    let placed: Vec<Option<Point>> = points.iter().map(|&(x, y)| frame.point(x, y)).collect();
    for run in placed.split(Option::is_none) {
        let run: Vec<Point> = run.iter().copied().flatten().collect();
        match run.as_slice() {
            [] => {}
            // A point without neighbours would vanish as a line.
            [only] => {
                let on_page = within(&[*only, *only], &frame.area);
                if !on_page.is_empty() {
                    canvas.disc(*only, 1.3 * width, look.color)?;
                }
            }
            run => {
                for part in within(&thinned(run), &frame.area) {
                    look.line(canvas, &part, width, &frame.area)?;
                }
            }
        }
    }
    Ok(())
}

/// An end of an interval.
struct End {
    at: Point,
    /// Whether it lies above or below the marker.
    beyond_marker: bool,
    beyond_axis: bool,
}

/// The ends of the interval of a mark that is drawn as a whisker; `None` if it has none, or one without a place.
fn interval_ends(mark: &Mark, series: &Series, look: Look, frame: &Frame) -> Option<[End; 2]> {
    let (low, high) = interval(mark).filter(|_| series.style != Style::MarksOnBand)?;
    let (_, center) = frame.point(mark.x, mark.y)?;
    let (up, down) = look.reach(radius(series));
    let end = |value: f64| {
        let at = frame.end(mark.x, value)?;
        Some(End {
            at,
            beyond_marker: at.1 < center - up || at.1 > center + down,
            beyond_axis: !frame.holds(mark.x, value),
        })
    };
    Some([end(low)?, end(high)?])
}

/// Whether an interval can be seen. A whisker within its marker would only put a cap across it, which
/// reads as a minus sign and tells no more than the size of the marker.
fn is_seen(ends: &[End; 2]) -> bool {
    ends.iter().any(|end| end.beyond_marker)
}

fn draw_whisker(
    ends: &[End; 2],
    cap: f64,
    look: Look,
    frame: &Frame,
    canvas: &mut dyn Canvas,
) -> Result<(), DrawError> {
    for part in within(&[ends[0].at, ends[1].at], &frame.area) {
        canvas.stroke(&part, WHISKER, look.color)?;
    }
    for end in ends {
        // An end beyond the axis has no cap: the interval goes on.
        if end.beyond_marker && !end.beyond_axis {
            let (x, y) = end.at;
            canvas.stroke(&[(x - cap, y), (x + cap, y)], WHISKER, look.color)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use plotters::style::RGBColor;

    use super::*;
    use crate::report::draw::canvas::Text;
    use crate::report::draw::geometry::length;
    use crate::report::draw::{font, page};
    use crate::report::figure::Axis;

    /// What was drawn; a stroke with its colour.
    #[derive(Default)]
    struct Record {
        strokes: Vec<(Vec<Point>, RGBColor)>,
        discs: Vec<(Point, f64)>,
        texts: Vec<String>,
    }

    impl Canvas for Record {
        fn stroke(
            &mut self,
            points: &[Point],
            _width: f64,
            color: RGBColor,
        ) -> Result<(), DrawError> {
            self.strokes.push((points.to_vec(), color));
            Ok(())
        }

        fn polygon(&mut self, _: &[Point], _: RGBColor, _: f64) -> Result<(), DrawError> {
            Ok(())
        }

        fn disc(&mut self, center: Point, radius: f64, _: RGBColor) -> Result<(), DrawError> {
            self.discs.push((center, radius));
            Ok(())
        }

        fn text(&mut self, text: &Text) -> Result<(), DrawError> {
            self.texts.push(text.text.to_owned());
            Ok(())
        }
    }

    fn drawn(figure: &Figure) -> Record {
        font::register().unwrap();
        let mut record = Record::default();
        page::paint(figure, &mut record).unwrap();
        record
    }

    /// Marks at (1, 1) and (2, 3), on an axis from 0 to 4.
    fn figure(intervals: [Option<(f64, f64)>; 2]) -> Figure {
        let mark = |x, y, interval| Mark { x, y, interval };
        Figure {
            y: Axis {
                range: Some((0.0, 4.0)),
                ..Axis::default()
            },
            series: vec![Series {
                marks: vec![mark(1.0, 1.0, intervals[0]), mark(2.0, 3.0, intervals[1])],
                ..Series::default()
            }],
            ..Figure::default()
        }
    }

    /// The strokes of the first series.
    fn whiskers(record: &Record) -> Vec<&[Point]> {
        let strokes = record.strokes.iter();
        let own = strokes.filter(|(_, color)| *color == Look::of(0).color);
        own.map(|(points, _)| points.as_slice()).collect()
    }

    const EXPLAINED: &str = "confidence interval";
    const ALL_WITHIN: &str = "All confidence intervals are smaller than their marker.";
    const SOME_WITHIN: &str = "Confidence intervals smaller than their marker are not drawn.";

    #[test]
    fn a_whisker_has_a_stem_and_caps_no_wider_than_the_marker() {
        let record = drawn(&figure([Some((0.5, 1.5)), None]));
        let (center, radius) = record.discs[0];
        let [stem, low, high] = whiskers(&record)[..] else {
            panic!("{:?}", whiskers(&record));
        };
        assert_eq!((stem[0].0, stem[1].0), (center.0, center.0));
        assert!(stem[0].1 > center.1 + radius && stem[1].1 < center.1 - radius);
        for (cap, end) in [(low, stem[0]), (high, stem[1])] {
            assert_eq!(cap, [(end.0 - radius, end.1), (end.0 + radius, end.1)]);
        }
        assert!(record.texts.contains(&EXPLAINED.to_owned()));
    }

    #[test]
    fn an_interval_within_its_marker_is_told_instead_of_drawn() {
        for interval in [(1.0, 1.0), (0.99, 1.01), (1.01, 0.99)] {
            let record = drawn(&figure([Some(interval), None]));
            assert!(whiskers(&record).is_empty());
            assert!(record.texts.contains(&ALL_WITHIN.to_owned()));
            assert!(!record.texts.contains(&EXPLAINED.to_owned()));
        }
        let mixed = drawn(&figure([Some((0.99, 1.01)), Some((2.0, 3.5))]));
        assert_eq!(whiskers(&mixed).len(), 3);
        assert!(mixed.texts.contains(&SOME_WITHIN.to_owned()));
        assert!(mixed.texts.contains(&EXPLAINED.to_owned()));
    }

    #[test]
    fn an_end_on_the_marker_or_beyond_the_axis_has_no_cap() {
        for interval in [(0.99, 1.5), (-7.0, 1.5), (f64::NEG_INFINITY, 1.5)] {
            let record = drawn(&figure([Some(interval), None]));
            assert_eq!(whiskers(&record).len(), 2, "{interval:?}");
            assert!(!record.texts.contains(&SOME_WITHIN.to_owned()));
        }
        // On the axis's end it has.
        let record = drawn(&figure([Some((0.0, 1.5)), None]));
        assert_eq!(whiskers(&record).len(), 3);
    }

    #[test]
    fn dashes_of_a_theory_of_many_points_go_on_across_its_points() {
        let point = |i: i32| (f64::from(i) / 299.0, (f64::from(i) / 50.0).sin());
        let theory = Series {
            line: (0..300).map(point).collect(),
            ..Series::default()
        };
        // The second series, in dashes of 11 and gaps of 5.
        let record = drawn(&Figure {
            series: vec![Series::default(), theory],
            ..Figure::default()
        });
        let strokes = record.strokes.iter();
        let dashes = strokes.filter(|(_, color)| *color == Look::of(1).color);
        let dashes: Vec<&Vec<Point>> = dashes.map(|(points, _)| points).collect();
        assert!(dashes.len() > 50, "{}", dashes.len());
        for pair in dashes.windows(2) {
            assert!((length(pair[0]) - 11.0).abs() < 1e-6, "{:?}", pair[0]);
            let gap = length(&[*pair[0].last().unwrap(), pair[1][0]]);
            // Across a bend of the curve, the chord is a little shorter.
            assert!(gap > 4.9 && gap < 5.0 + 1e-6, "{gap}");
        }
    }
}

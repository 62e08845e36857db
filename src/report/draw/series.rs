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
            draw_band(series, look_of(figure, i), frame, canvas)?;
        }
    }
    for (i, series) in figure.series.iter().enumerate() {
        let look = look_of(figure, i);
        if series.style == Style::Band && series.line.is_empty() {
            let joined: Vec<(f64, f64)> = series.marks.iter().map(|m| (m.x, m.y)).collect();
            draw_line(&joined, DATA_LINE, look, frame, canvas)?;
        } else if series.style == Style::MarksAndTheory {
            draw_line(&series.line, THEORY_LINE, look, frame, canvas)?;
        } else if series.style == Style::MarksOnBand {
            draw_line(&series.line, THEORY_LINE, look.solid(), frame, canvas)?;
        } else {
            draw_line(&series.line, DATA_LINE, look, frame, canvas)?;
        }
        draw_line(&series.dashed, THEORY_LINE, look.dashed(), frame, canvas)?;
    }
    Ok(())
}

/// The look of the series at a place of a figure.
pub fn look_of(figure: &Figure, index: usize) -> Look {
    let reference = |series: &&Series| series.style == Style::Reference;
    if figure.series.get(index).as_ref().is_some_and(reference) {
        Look::reference(figure.series[..index].iter().filter(reference).count())
    } else {
        Look::of(index)
    }
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
    match series.style {
        Style::Band => series.marks.len() > 1 || series.line.len() > 1,
        Style::Reference => series.marks.len() > 1,
        _ => false,
    }
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
    /// Whether it lies outside the marker.
    beyond_marker: bool,
    beyond_axis: bool,
    /// From the middle of its cap to one of its ends, for a cap of length 2.
    cap: Point,
}

/// The ends of the interval of a mark that is drawn as a whisker; `None` if it has none, or one without a place.
fn interval_ends(mark: &Mark, series: &Series, look: Look, frame: &Frame) -> Option<[End; 2]> {
    let (low, high) = interval(mark).filter(|_| series.style != Style::MarksOnBand)?;
    let (middle, center) = frame.point(mark.x, mark.y)?;
    let (up, down) = look.reach(radius(series));
    let across = |value: f64| {
        let at = frame.point(value, mark.y)?;
        Some(End {
            at,
            beyond_marker: (at.0 - middle).abs() > up.max(down),
            beyond_axis: !frame.holds(value, mark.y),
            cap: (0.0, 1.0),
        })
    };
    if series.style == Style::Sideways {
        return Some([across(low)?, across(high)?]);
    }
    let end = |value: f64| {
        let at = frame.end(mark.x, value)?;
        Some(End {
            at,
            beyond_marker: at.1 < center - up || at.1 > center + down,
            beyond_axis: !frame.holds(mark.x, value),
            cap: (1.0, 0.0),
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
            let ((x, y), (dx, dy)) = (end.at, (cap * end.cap.0, cap * end.cap.1));
            canvas.stroke(&[(x - dx, y - dy), (x + dx, y + dy)], WHISKER, look.color)?;
        }
    }
    Ok(())
}

//! The data: bands, lines, whiskers and markers in the plot area.
//!
//! Owns how each style of series is drawn. The looks are `look`'s, the map to the page is `axes`'s.

use super::DrawError;
use super::axes::Frame;
use super::canvas::Canvas;
use super::geometry::{Point, polygon_within, thinned, within};
use super::look::{BAND, DATA_LINE, Look, THEORY_LINE, WHISKER};
use super::range::Scale;
use crate::report::figure::{Figure, Mark, Series, Style};

/// Radius of a marker, few and many to a series.
const RADII: (f64, f64) = (6.0, 3.5);
/// From this many marks on, markers are small.
const MANY_MARKS: usize = 100;
/// Caps stand out at each side of a marker by this much, so that even the smallest interval is seen.
const CAP_BEYOND_MARKER: f64 = 3.5;

/// Marks without a place on these axes.
pub fn hidden_marks(figure: &Figure, x: &Scale, y: &Scale) -> usize {
    let marks = figure.series.iter().flat_map(|series| &series.marks);
    marks.filter(|m| !x.holds(m.x) || !y.holds(m.y)).count()
}

/// Whether a figure has no point at all that could be drawn.
pub fn is_blank(figure: &Figure) -> bool {
    let mut points = figure.series.iter().flat_map(|series| {
        let marks = series.marks.iter().map(|m| (m.x, m.y));
        marks.chain(series.line.iter().copied())
    });
    let fits = |value: f64, log: bool| value.is_finite() && (!log || value > 0.0);
    !points.any(|(x, y)| fits(x, figure.x.log) && fits(y, figure.y.log))
}

/// Draws bands, then lines.
pub fn draw(figure: &Figure, frame: &Frame, canvas: &mut dyn Canvas) -> Result<(), DrawError> {
    for (i, series) in figure.series.iter().enumerate() {
        if is_band(series) {
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
        } else {
            draw_line(&series.line, DATA_LINE, look, frame, canvas)?;
        }
    }
    Ok(())
}

/// Draws whiskers, then markers, over everything else.
pub fn draw_marks(
    figure: &Figure,
    frame: &Frame,
    canvas: &mut dyn Canvas,
) -> Result<(), DrawError> {
    // A band shows its marks by its line and their intervals by itself.
    let marked = || {
        let series = figure.series.iter().enumerate();
        series.filter(|(_, series)| !is_band(series))
    };
    // All whiskers first: no cap may cross another series' marker.
    for (i, series) in marked() {
        let cap = radius(series) + CAP_BEYOND_MARKER;
        for mark in series.marks.iter().filter(|m| frame.holds(m.x, m.y)) {
            draw_whisker(mark, cap, Look::of(i), frame, canvas)?;
        }
    }
    for (i, series) in marked() {
        for mark in series.marks.iter().filter(|m| frame.holds(m.x, m.y)) {
            if let Some(center) = frame.point(mark.x, mark.y) {
                Look::of(i).marker(canvas, center, radius(series))?;
            }
        }
    }
    Ok(())
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

fn draw_whisker(
    mark: &Mark,
    cap: f64,
    look: Look,
    frame: &Frame,
    canvas: &mut dyn Canvas,
) -> Result<(), DrawError> {
    let Some((low, high)) = interval(mark) else {
        return Ok(());
    };
    let (Some(from), Some(to)) = (frame.end(mark.x, low), frame.end(mark.x, high)) else {
        return Ok(());
    };
    for part in within(&[from, to], &frame.area) {
        canvas.stroke(&part, WHISKER, look.color)?;
    }
    // An end beyond the axis has no cap: the interval goes on.
    for (value, (x, y)) in [(low, from), (high, to)] {
        if frame.holds(mark.x, value) {
            canvas.stroke(&[(x - cap, y), (x + cap, y)], WHISKER, look.color)?;
        }
    }
    Ok(())
}

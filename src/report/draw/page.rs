//! The page: how title, plot area, legend and note share it.
//!
//! Owns the layout and the order of drawing. Each part draws itself: `axes`, `series`, `legend`.

use super::DrawError;
use super::axes::{self, Frame};
use super::canvas::{Anchor, Canvas, HEIGHT, Text, WIDTH};
use super::font::{Fitted, fit};
use super::geometry::Area;
use super::legend::Legend;
use super::look::{FAINT_INK, INK};
use super::range;
use super::series;
use crate::report::figure::Figure;

/// Blank edge of the page.
const EDGE: f64 = 24.0;
/// Between the plot area and the legend.
const GUTTER: f64 = 24.0;
const TITLE: f64 = 26.0;
const NOTE: f64 = 14.0;

/// Draws a whole figure on an empty page.
///
/// # Errors
/// Only those of the canvas: every figure can be drawn, an empty one too.
pub fn paint(figure: &Figure, canvas: &mut dyn Canvas) -> Result<(), DrawError> {
    let x = range::horizontal(figure);
    let y = range::vertical(figure);
    let room = WIDTH - 2.0 * EDGE;
    let title = fit(&figure.title, TITLE, 17.0, room, 3);
    let note = fit(
        &note(figure, series::hidden_marks(figure, &x, &y)),
        NOTE,
        10.0,
        room,
        4,
    );

    let top = EDGE + title.height() + if title.lines.is_empty() { 12.0 } else { 18.0 };
    let foot = if note.lines.is_empty() {
        0.0
    } else {
        note.height() + 14.0
    };
    let bottom = HEIGHT - EDGE - foot;
    let legend = Legend::new(figure, bottom - top);
    let right = match legend.width() {
        0.0 => WIDTH - EDGE - 12.0,
        width => WIDTH - EDGE - width - GUTTER,
    };
    let frame = Frame::new(
        figure,
        (x, y),
        &Area {
            left: EDGE,
            top,
            right,
            bottom,
        },
    );

    axes::draw_grid(&frame, canvas)?;
    series::draw(figure, &frame, canvas)?;
    axes::draw_axes(&frame, canvas)?;
    series::draw_marks(figure, &frame, canvas)?;
    legend.draw(canvas, right + GUTTER, frame.area.top)?;
    let middle = (frame.area.left + frame.area.right) / 2.0;
    if series::is_blank(figure) {
        let height = (frame.area.top + frame.area.bottom) / 2.0;
        let nothing = fit("no data", 22.0, 22.0, room, 1);
        lines(canvas, &nothing, (middle, height), Anchor::Middle, false)?;
    }
    // Over the plot if it fits there, else over the page.
    let center = if title.width() <= 2.0 * (middle - EDGE).min(WIDTH - EDGE - middle) {
        middle
    } else {
        WIDTH / 2.0
    };
    lines(canvas, &title, (center, EDGE), Anchor::Middle, false)?;
    lines(
        canvas,
        &note,
        (EDGE, HEIGHT - EDGE - note.height()),
        Anchor::Start,
        true,
    )
}

fn note(figure: &Figure, hidden: usize) -> String {
    let marks = match hidden {
        0 => return figure.note.clone(),
        1 => "1 mark is".to_owned(),
        n => format!("{n} marks are"),
    };
    let hidden = format!("{marks} not shown: not finite, or outside the axes.");
    if figure.note.trim().is_empty() {
        hidden
    } else {
        format!("{hidden}\n{}", figure.note)
    }
}

fn lines(
    canvas: &mut dyn Canvas,
    text: &Fitted,
    top: (f64, f64),
    anchor: Anchor,
    faint: bool,
) -> Result<(), DrawError> {
    for (i, line) in text.lines.iter().enumerate() {
        canvas.text(&Text {
            text: line,
            at: (top.0, top.1 + text.size + i as f64 * text.leading()),
            size: text.size,
            anchor,
            upwards: false,
            color: if faint { FAINT_INK } else { INK },
        })?;
    }
    Ok(())
}

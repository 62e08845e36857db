//! The plot area: its place within the labels of its axes, its grid, ticks and frame.
//!
//! Owns the map from data to the page. Does not choose ranges (see `range`) or ticks (see `ticks`).

use super::DrawError;
use super::canvas::{Anchor, Canvas, Text};
use super::font::{Fitted, fit, width};
use super::geometry::{Area, Point};
use super::label::Wording;
use super::look::{GRID, INK, ZERO};
use super::range::Scale;
use super::ticks::{Ticks, named, superscript, ticks};
use crate::report::figure::Figure;

/// Sizes of an axis's label, and the smallest to which it is shrunk.
const LABEL_SIZES: (f64, f64) = (24.0, 15.0);
const TICK_LABEL: f64 = 20.0;
const MAJOR_TICK: f64 = 7.0;
const MINOR_TICK: f64 = 4.0;
const TICK_GAP: f64 = 6.0;
const LABEL_GAP: f64 = 12.0;
const FRAME_LINE: f64 = 1.5;
const GRID_LINE: f64 = 1.0;
/// Capitals and digits of the bundled face, in ems.
const CAP_HEIGHT: f64 = 0.73;
/// Room of a labelled tick on the vertical axis.
const ROW: f64 = 75.0;
/// Axis lengths beyond the axis where an end of an interval without a place is put.
const FAR: f64 = 100.0;

/// The plot area with its axes.
#[derive(Debug)]
pub struct Frame {
    /// Where the data are.
    pub area: Area,
    x: Scale,
    y: Scale,
    x_ticks: Ticks,
    y_ticks: Ticks,
    x_label: Fitted,
    y_label: Fitted,
    /// Space between the plot area and the label of the vertical axis.
    y_label_distance: f64,
}

impl Frame {
    /// The largest plot area that leaves room for its labels within `outer`.
    pub fn new(figure: &Figure, (x, y): (Scale, Scale), outer: &Area) -> Self {
        let x_label = fit(
            &figure.x.label,
            Wording::Symbols,
            LABEL_SIZES,
            outer.width() - 120.0,
            2,
        );
        let below = MAJOR_TICK + TICK_GAP + TICK_LABEL + gap_and(&x_label);
        let bottom = outer.bottom - below;
        let height = bottom - outer.top;
        let y_label = fit(&figure.y.label, Wording::Symbols, LABEL_SIZES, height, 2);
        let y_names = &figure.y.names;
        let y_ticks = if y_names.is_empty() {
            ticks(&y, ((height / ROW) as usize).max(2))
        } else {
            let most = ((height / (1.4 * TICK_LABEL)) as usize).max(1);
            named(y_names, y_names.len().div_ceil(most))
        };
        // A power of ten at the end of the axis needs a line above the frame.
        let top = outer.top + if y_ticks.power == 0 { 0.0 } else { TICK_LABEL };
        let y_label_distance = MAJOR_TICK + TICK_GAP + widest(&y_ticks);
        // Whole pixels, so that all four lines of the frame look the same.
        let area = Area {
            left: (outer.left + gap_and(&y_label) + y_label_distance).round(),
            top: top.round(),
            // Half a tick label may stand out at the right.
            right: (outer.right - 8.0).round(),
            bottom: bottom.round(),
        };
        let x_names = &figure.x.names;
        let fits = |ticks: &Ticks| has_room(ticks, area.width());
        let x_ticks = if x_names.is_empty() {
            let few = (2..=8).rev().map(|most| ticks(&x, most)).find(fits);
            few.unwrap_or_else(|| ticks(&x, 1))
        } else {
            let few = (1..x_names.len()).map(|every| named(x_names, every));
            few.into_iter()
                .find(fits)
                .unwrap_or_else(|| named(x_names, x_names.len()))
        };
        Self {
            area,
            x,
            y,
            x_ticks,
            y_ticks,
            x_label,
            y_label,
            y_label_distance,
        }
    }

    /// A value of each axis on the page, within the plot area or not; `None` if one has no place.
    pub fn point(&self, x: f64, y: f64) -> Option<Point> {
        let (x, y) = (self.x.place(x)?, self.y.place(y)?);
        Some((self.across(x), self.up(y)))
    }

    /// Whether a value of each axis lies in the plot area.
    pub fn holds(&self, x: f64, y: f64) -> bool {
        self.x.holds(x) && self.y.holds(y)
    }

    /// An end of an interval on the page, within the plot area or not: unlike other values, zero and
    /// less on a logarithmic axis and infinity have a place, far beyond the axis.
    pub fn end(&self, x: f64, y: f64) -> Option<Point> {
        let beyond = if y > 0.0 { FAR } else { -FAR };
        let y = self.y.place(y).unwrap_or(beyond);
        Some((self.across(self.x.place(x)?), self.up(y)))
    }

    fn across(&self, place: f64) -> f64 {
        self.area.left + place * self.area.width()
    }

    fn up(&self, place: f64) -> f64 {
        self.area.bottom - place * self.area.height()
    }
}

fn gap_and(label: &Fitted) -> f64 {
    if label.lines.is_empty() {
        0.0
    } else {
        LABEL_GAP + label.height()
    }
}

fn widest(ticks: &Ticks) -> f64 {
    let widths = ticks
        .ticks
        .iter()
        .map(|tick| width(&tick.label, Wording::Literal, TICK_LABEL));
    widths.fold(0.0, f64::max)
}

/// Whether the labels of a horizontal axis of this length stay apart.
fn has_room(ticks: &Ticks, length: f64) -> bool {
    let mut free_from = f64::NEG_INFINITY;
    for tick in ticks.ticks.iter().filter(|tick| !tick.label.is_empty()) {
        let half = width(&tick.label, Wording::Literal, TICK_LABEL) / 2.0;
        let center = tick.place * length;
        if center - half < free_from {
            return false;
        }
        free_from = center + half + TICK_LABEL;
    }
    true
}

/// Draws the grid, which everything else covers.
pub fn draw_grid(frame: &Frame, canvas: &mut dyn Canvas) -> Result<(), DrawError> {
    let Area {
        left,
        top,
        right,
        bottom,
    } = frame.area;
    for tick in frame.x_ticks.ticks.iter().filter(|t| !t.label.is_empty()) {
        let x = frame.across(tick.place);
        canvas.stroke(&[(x, top), (x, bottom)], GRID_LINE, GRID)?;
    }
    for tick in frame.y_ticks.ticks.iter().filter(|t| !t.label.is_empty()) {
        let y = frame.up(tick.place);
        canvas.stroke(&[(left, y), (right, y)], GRID_LINE, GRID)?;
    }
    let zero = frame
        .y
        .place(0.0)
        .filter(|place| (0.01..0.99).contains(place));
    if let Some(place) = zero {
        let y = frame.up(place);
        canvas.stroke(&[(left, y), (right, y)], GRID_LINE, ZERO)?;
    }
    Ok(())
}

/// Draws the frame, the ticks and every label of the axes.
pub fn draw_axes(frame: &Frame, canvas: &mut dyn Canvas) -> Result<(), DrawError> {
    let area = &frame.area;
    let mut outline = area.corners().to_vec();
    outline.extend_from_slice(&area.corners()[..2]);
    canvas.stroke(&outline, FRAME_LINE, INK)?;
    let label_line = area.bottom + MAJOR_TICK + TICK_GAP + CAP_HEIGHT * TICK_LABEL;
    for tick in &frame.x_ticks.ticks {
        let x = frame.across(tick.place);
        let end = area.bottom + tick_length(&tick.label);
        canvas.stroke(&[(x, area.bottom), (x, end)], FRAME_LINE, INK)?;
        write(canvas, &tick.label, (x, label_line), Anchor::Middle)?;
    }
    for tick in &frame.y_ticks.ticks {
        let y = frame.up(tick.place);
        let end = area.left - tick_length(&tick.label);
        canvas.stroke(&[(area.left, y), (end, y)], FRAME_LINE, INK)?;
        let at = (
            area.left - MAJOR_TICK - TICK_GAP,
            y + CAP_HEIGHT * TICK_LABEL / 2.0,
        );
        write(canvas, &tick.label, at, Anchor::End)?;
    }
    draw_powers(frame, canvas)?;
    draw_labels(frame, canvas)
}

fn tick_length(label: &str) -> f64 {
    if label.is_empty() {
        MINOR_TICK
    } else {
        MAJOR_TICK
    }
}

fn write(canvas: &mut dyn Canvas, text: &str, at: Point, anchor: Anchor) -> Result<(), DrawError> {
    if text.is_empty() {
        return Ok(());
    }
    canvas.text(&Text {
        text,
        wording: Wording::Literal,
        at,
        size: TICK_LABEL,
        anchor,
        upwards: false,
        color: INK,
    })
}

/// The common powers of ten of the tick labels, at the ends of the axes.
fn draw_powers(frame: &Frame, canvas: &mut dyn Canvas) -> Result<(), DrawError> {
    let area = &frame.area;
    if frame.x_ticks.power != 0 {
        let text = format!("×10{}", superscript(frame.x_ticks.power));
        let line = area.bottom + MAJOR_TICK + TICK_GAP + LABEL_GAP + 1.8 * TICK_LABEL;
        write(canvas, &text, (area.right, line), Anchor::End)?;
    }
    if frame.y_ticks.power != 0 {
        let text = format!("×10{}", superscript(frame.y_ticks.power));
        write(canvas, &text, (area.left, area.top - 10.0), Anchor::Start)?;
    }
    Ok(())
}

fn draw_labels(frame: &Frame, canvas: &mut dyn Canvas) -> Result<(), DrawError> {
    let area = &frame.area;
    let middle = (
        (area.left + area.right) / 2.0,
        (area.top + area.bottom) / 2.0,
    );
    let x = &frame.x_label;
    let below = area.bottom + MAJOR_TICK + TICK_GAP + TICK_LABEL + LABEL_GAP;
    for (i, line) in x.lines.iter().enumerate() {
        canvas.text(&Text {
            text: line,
            wording: x.wording,
            at: (
                middle.0,
                below + CAP_HEIGHT * x.size + i as f64 * x.leading(),
            ),
            size: x.size,
            anchor: Anchor::Middle,
            upwards: false,
            color: INK,
        })?;
    }
    let y = &frame.y_label;
    for (i, line) in y.lines.iter().rev().enumerate() {
        // Descenders point to the plot.
        let distance = frame.y_label_distance + LABEL_GAP + 0.24 * y.size;
        canvas.text(&Text {
            text: line,
            wording: y.wording,
            at: (area.left - distance - i as f64 * y.leading(), middle.1),
            size: y.size,
            anchor: Anchor::Middle,
            upwards: true,
            color: INK,
        })?;
    }
    Ok(())
}

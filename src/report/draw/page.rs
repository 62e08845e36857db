//! The page: how title, plot area, legend and note share it.
//!
//! Owns the layout and the order of drawing. Each part draws itself: `axes`, `series`, `legend`.

use super::DrawError;
use super::axes::{self, Frame};
use super::canvas::{Anchor, Canvas, HEIGHT, Text, WIDTH};
use super::font::{Fitted, fit};
use super::geometry::Area;
use super::heat::{self, Bar};
use super::label::Wording;
use super::legend::Legend;
use super::look::{FAINT_INK, INK};
use super::range;
use super::series::{self, Unseen};
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
    let room = WIDTH - 2.0 * EDGE;
    let title = title(figure);
    let Layout {
        frame,
        legend,
        bar,
        beside,
        note,
    } = Layout::of(figure, &title);

    axes::draw_grid(&frame, canvas)?;
    if let (Some(cells), Some(bar)) = (&figure.cells, &bar) {
        heat::draw_cells(cells, bar, &frame, canvas)?;
        bar.draw(canvas, beside, &frame.area)?;
    }
    series::draw(figure, &frame, canvas)?;
    axes::draw_axes(&frame, canvas)?;
    series::draw_marks(figure, &frame, canvas)?;
    legend.draw(canvas, beside, frame.area.top)?;
    let middle = (frame.area.left + frame.area.right) / 2.0;
    if range::is_blank(figure) {
        let height = (frame.area.top + frame.area.bottom) / 2.0;
        let nothing = fit("no data", Wording::Literal, (22.0, 22.0), room, 1);
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

/// The plot area of a whole figure.
pub fn frame(figure: &Figure) -> Frame {
    Layout::of(figure, &title(figure)).frame
}

fn title(figure: &Figure) -> Fitted {
    let room = WIDTH - 2.0 * EDGE;
    fit(&figure.title, Wording::Literal, (TITLE, 17.0), room, 3)
}

/// What is below the title.
struct Layout {
    frame: Frame,
    legend: Legend,
    bar: Option<Bar>,
    /// Where the legend or the colour bar begins.
    beside: f64,
    note: Fitted,
}

impl Layout {
    fn of(figure: &Figure, title: &Fitted) -> Self {
        let top = EDGE + title.height() + if title.lines.is_empty() { 12.0 } else { 18.0 };
        // Only the frame tells which whiskers are seen, and a line about the others takes room from it: what
        // was too small to be seen stays so.
        let layout = Self::new(figure, top, Unseen::None);
        match series::unseen_whiskers(figure, &layout.frame) {
            Unseen::None => layout,
            unseen => Self::new(figure, top, unseen),
        }
    }

    fn new(figure: &Figure, top: f64, unseen: Unseen) -> Self {
        let x = range::horizontal(figure);
        let y = range::vertical(figure);
        let note = fit(
            &note(figure, series::hidden_marks(figure, &x, &y), unseen),
            Wording::Symbols,
            (NOTE, 10.0),
            WIDTH - 2.0 * EDGE,
            4,
        );
        let foot = if note.lines.is_empty() {
            0.0
        } else {
            note.height() + 14.0
        };
        let bottom = HEIGHT - EDGE - foot;
        let legend = Legend::new(figure, unseen != Unseen::All, bottom - top);
        let bar = figure.cells.as_ref();
        let bar = bar.map(|cells| Bar::new(cells, bottom - top));
        let right = match legend.width() + bar.as_ref().map_or(0.0, Bar::width) {
            0.0 => WIDTH - EDGE - 12.0,
            width => WIDTH - EDGE - width - GUTTER,
        };
        let outer = Area {
            left: EDGE,
            top,
            right,
            bottom,
        };
        Self {
            frame: Frame::new(figure, (x, y), &outer),
            legend,
            bar,
            beside: right + GUTTER,
            note,
        }
    }
}

/// The lines under the plot: what the figure does not show, then its own note.
fn note(figure: &Figure, hidden: usize, unseen: Unseen) -> String {
    let marks = match hidden {
        0 => String::new(),
        1 => "1 mark is not shown: not finite, or outside the axes.".to_owned(),
        n => format!("{n} marks are not shown: not finite, or outside the axes."),
    };
    let whiskers = match unseen {
        Unseen::None => "",
        Unseen::Some => "Confidence intervals smaller than their marker are not drawn.",
        Unseen::All => "All confidence intervals are smaller than their marker.",
    };
    [marks.as_str(), whiskers, figure.note.trim()]
        .into_iter()
        .filter(|line| !line.is_empty())
        .collect::<Vec<&str>>()
        .join("\n")
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
            wording: text.wording,
            at: (top.0, top.1 + text.size + i as f64 * text.leading()),
            size: text.size,
            anchor,
            upwards: false,
            color: if faint { FAINT_INK } else { INK },
        })?;
    }
    Ok(())
}

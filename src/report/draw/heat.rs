//! Heat maps: cells in the plot area, and the bar beside it that says what their colours mean.
//!
//! Owns the colour scale. Which point is which cell is `report::heatmap`'s.

use plotters::style::RGBColor;

use super::DrawError;
use super::axes::Frame;
use super::canvas::{Anchor, Canvas, Text};
use super::font::{Fitted, fit, width};
use super::geometry::Area;
use super::label::Wording;
use super::look::INK;
use super::range::{self, Scale};
use super::ticks::{Ticks, superscript, ticks};
use crate::report::figure::{Cell, Cells};
use crate::report::number::significant;

const BAR: f64 = 30.0;
const TICK: f64 = 7.0;
const GAP: f64 = 8.0;
const TICK_LABEL: f64 = 18.0;
const LABEL_SIZES: (f64, f64) = (22.0, 14.0);
/// Pieces of the bar.
const PIECES: u32 = 160;
/// Sizes of the numbers in cells, tried in turn; where none fits, cells have no numbers.
const NUMBERS: [f64; 5] = [20.0, 18.0, 16.0, 14.0, 12.0];
/// Share of a cell that its number may fill.
const FILLED: f64 = 0.86;
/// Side of the triangle in the corner of a cell that is in doubt.
const CORNER: f64 = 18.0;
/// A cell without a value.
const EMPTY: RGBColor = RGBColor(0xd9, 0xd9, 0xd9);

/// From dark to light with even steps of lightness, blue to yellow: it reads in grey and to the colour-blind (cividis,
/// Nunez, Anderton and Renslow 2018).
const STOPS: [(u8, u8, u8); 10] = [
    (0x00, 0x22, 0x4e),
    (0x12, 0x35, 0x70),
    (0x3b, 0x49, 0x6c),
    (0x57, 0x5d, 0x6d),
    (0x70, 0x71, 0x73),
    (0x8a, 0x86, 0x78),
    (0xa5, 0x9c, 0x74),
    (0xc3, 0xb3, 0x69),
    (0xe1, 0xcc, 0x55),
    (0xfe, 0xe8, 0x38),
];

/// The colour at a place of the bar, from 0 to 1.
fn color(place: f64) -> RGBColor {
    let along = place.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let below = (along.floor() as usize).min(STOPS.len() - 2);
    let share = along - below as f64;
    let (a, b) = (STOPS[below], STOPS[below + 1]);
    let mix = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// Black or white, whichever is read better on a colour.
fn on(color: RGBColor) -> RGBColor {
    let luma = 0.299 * f64::from(color.0) + 0.587 * f64::from(color.1) + 0.114 * f64::from(color.2);
    if luma > 125.0 {
        RGBColor(0, 0, 0)
    } else {
        RGBColor(0xff, 0xff, 0xff)
    }
}

/// The colour bar of a heat map, ready to be placed.
#[derive(Debug)]
pub struct Bar {
    scale: Scale,
    ticks: Ticks,
    label: Fitted,
}

impl Bar {
    /// The bar of cells for a plot area of that height.
    pub fn new(cells: &Cells, height: f64) -> Self {
        // What is in doubt does not stretch the scale of what is not.
        let all = || cells.values.iter().flatten();
        let sure: Vec<f64> = (all().filter(|cell| !cell.doubtful))
            .filter_map(|cell| cell.value)
            .collect();
        let any = all().filter_map(|cell| cell.value);
        let scale = if sure.is_empty() {
            range::tight(any, cells.log)
        } else {
            range::tight(sure.into_iter(), cells.log)
        };
        Self {
            scale,
            ticks: ticks(&scale, 8),
            label: fit(&cells.label, Wording::Symbols, LABEL_SIZES, height, 2),
        }
    }

    /// Width with its ticks and label.
    pub fn width(&self) -> f64 {
        BAR + self.labels() + 2.0 * GAP + self.label.height()
    }

    fn labels(&self) -> f64 {
        let widths =
            (self.ticks.ticks.iter()).map(|tick| width(&tick.label, Wording::Literal, TICK_LABEL));
        TICK + GAP + widths.fold(0.0, f64::max)
    }

    /// Draws the bar from `left` on, as high as the plot area.
    pub fn draw(&self, canvas: &mut dyn Canvas, left: f64, plot: &Area) -> Result<(), DrawError> {
        let area = Area {
            left: left.round(),
            right: left.round() + BAR,
            ..*plot
        };
        // Each piece reaches to the top and is covered by the next: no seams.
        for piece in 0..PIECES {
            let place = f64::from(piece) / f64::from(PIECES);
            let bottom = area.bottom - place * area.height();
            let middle = place + 0.5 / f64::from(PIECES);
            canvas.polygon(&Area { bottom, ..area }.corners(), color(middle), 1.0)?;
        }
        let mut outline = area.corners().to_vec();
        outline.extend_from_slice(&area.corners()[..2]);
        canvas.stroke(&outline, 1.5, INK)?;
        let mut write = |text: &str, at: (f64, f64), anchor: Anchor| {
            canvas.text(&Text {
                text,
                wording: Wording::Literal,
                at,
                size: TICK_LABEL,
                anchor,
                upwards: false,
                color: INK,
            })
        };
        let right = area.right;
        for tick in self.ticks.ticks.iter().filter(|t| !t.label.is_empty()) {
            let y = area.bottom - tick.place * area.height();
            write(
                &tick.label,
                (right + TICK + GAP, y + 0.36 * TICK_LABEL),
                Anchor::Start,
            )?;
        }
        if self.ticks.power != 0 {
            let text = format!("×10{}", superscript(self.ticks.power));
            write(&text, (area.left, area.top - 10.0), Anchor::Start)?;
        }
        for tick in self.ticks.ticks.iter().filter(|t| !t.label.is_empty()) {
            let y = area.bottom - tick.place * area.height();
            canvas.stroke(&[(right, y), (right + TICK, y)], 1.5, INK)?;
        }
        let middle = (area.top + area.bottom) / 2.0;
        for (i, line) in self.label.lines.iter().enumerate() {
            let baseline = right + self.labels() + 2.0 * GAP + 0.76 * self.label.size;
            canvas.text(&Text {
                text: line,
                wording: self.label.wording,
                at: (baseline + i as f64 * self.label.leading(), middle),
                size: self.label.size,
                anchor: Anchor::Middle,
                upwards: true,
                color: INK,
            })?;
        }
        Ok(())
    }

    fn color_of(&self, cell: &Cell) -> RGBColor {
        let place = cell.value.and_then(|value| self.scale.place(value));
        place.map_or(EMPTY, color)
    }
}

/// The place of the cell in that row and column.
pub fn cell_area(frame: &Frame, row: usize, column: usize) -> Option<Area> {
    let (left, bottom) = frame.point(column as f64, row as f64)?;
    let (right, top) = frame.point(column as f64 + 1.0, row as f64 + 1.0)?;
    Some(Area {
        left,
        top,
        right,
        bottom,
    })
}

/// Draws the cells, with their numbers where these fit.
pub fn draw_cells(
    cells: &Cells,
    bar: &Bar,
    frame: &Frame,
    canvas: &mut dyn Canvas,
) -> Result<(), DrawError> {
    let text = |cell: &Cell| cell.value.map_or("–".to_owned(), number);
    let widest = cells
        .values
        .iter()
        .flatten()
        .map(|cell| width(&text(cell), Wording::Literal, 1.0));
    let widest = widest.fold(0.0, f64::max);
    let size = cell_area(frame, 0, 0).and_then(|area| {
        let fits =
            |size: &f64| widest * size <= FILLED * area.width() && *size <= FILLED * area.height();
        NUMBERS.into_iter().find(fits)
    });
    for (row, all) in cells.values.iter().enumerate() {
        for (column, cell) in all.iter().enumerate() {
            let Some(area) = cell_area(frame, row, column) else {
                continue;
            };
            let fill = bar.color_of(cell);
            canvas.polygon(&area.corners(), fill, 1.0)?;
            if cell.doubtful {
                let side = CORNER.min(0.3 * area.width()).min(0.3 * area.height());
                let corner = [
                    (area.right - side, area.top),
                    (area.right, area.top),
                    (area.right, area.top + side),
                ];
                canvas.polygon(&corner, on(fill), 1.0)?;
            }
            if let Some(size) = size {
                let middle = (area.left + area.right) / 2.0;
                canvas.text(&Text {
                    text: &text(cell),
                    wording: Wording::Literal,
                    at: (middle, (area.top + area.bottom) / 2.0 + 0.36 * size),
                    size,
                    anchor: Anchor::Middle,
                    upwards: false,
                    color: on(fill),
                })?;
            }
        }
    }
    Ok(())
}

/// Three digits, zeros too, so that numbers in a column end alike.
fn number(value: f64) -> String {
    let text = if (1e-3..1e3).contains(&value.abs()) {
        // Of the number as written: 0.9996 is 1.00.
        let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
        let decimals = 2 - rounded.abs().log10().floor() as i32;
        format!("{value:.*}", decimals.max(0) as usize)
    } else {
        significant(value, 3)
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lightness_rises_along_the_bar_so_that_it_reads_in_grey() {
        let luma = |place: f64| {
            let c = color(place);
            0.299 * f64::from(c.0) + 0.587 * f64::from(c.1) + 0.114 * f64::from(c.2)
        };
        for step in 0..100 {
            let place = f64::from(step) / 100.0;
            assert!(luma(place + 0.01) > luma(place), "{place}");
        }
        assert!(luma(1.0) - luma(0.0) > 180.0);
    }

    #[test]
    fn numbers_in_cells_have_three_digits() {
        let written = [0.3, 0.999_6, 0.062, 15.66, 123.4, -2.0, 0.0, 5e6].map(number);
        assert_eq!(
            written,
            [
                "0.300", "1.00", "0.0620", "15.7", "123", "−2.00", "0", "5000000"
            ]
        );
    }

    #[test]
    fn numbers_contrast_with_their_cells() {
        for step in 0..=100 {
            let fill = color(f64::from(step) / 100.0);
            let far = |a: u8, b: u8| (f64::from(a) - f64::from(b)).abs();
            assert!(far(fill.1, on(fill).1) > 100.0, "{fill:?}");
        }
    }
}

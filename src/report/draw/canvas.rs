//! The pens: strokes, filled shapes and text, as SVG elements or as pixels.
//!
//! Owns the two kinds of output and their agreement on sizes and baselines. Does not know what a
//! figure is.
//!
//! Both backends place things on whole units, so both work on a page `FINE` times finer than the
//! 1200 by 800 everyone else sees: SVG says so in its view box, and the pixels are averaged, which
//! also smooths every edge.

use std::path::Path;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, RGBAColor, RGBColor, ShapeStyle, TextStyle, WHITE};

use super::DrawError;
use super::font;
use super::geometry::{Point, fill_spans, stroke_outlines};
use super::label::{DROP, SUBSCRIPT, Wording, pieces};
use super::spans;

/// Width of the page.
pub const WIDTH: f64 = 1200.0;
/// Height of the page.
pub const HEIGHT: f64 = 800.0;
/// Units of the backends to a unit of the page, along each axis.
const FINE: u32 = 4;

const PAGE: (u32, u32) = (WIDTH as u32, HEIGHT as u32);
const FINE_PAGE: (u32, u32) = (PAGE.0 * FINE, PAGE.1 * FINE);

/// Which end of a text is at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A line of text: `at` is a point of its baseline.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    pub text: &'a str,
    pub wording: Wording,
    pub at: Point,
    /// Size of the em.
    pub size: f64,
    pub anchor: Anchor,
    /// Whether the text runs up the page instead of to the right.
    pub upwards: bool,
    pub color: RGBColor,
}

/// What a figure is drawn on; positions and sizes in units of the 1200 by 800 page.
pub trait Canvas {
    /// Strokes a polyline.
    fn stroke(&mut self, points: &[Point], width: f64, color: RGBColor) -> Result<(), DrawError>;
    /// Fills a polygon; `opacity` from 0 to 1.
    fn polygon(&mut self, points: &[Point], color: RGBColor, opacity: f64)
    -> Result<(), DrawError>;
    /// Fills a disc.
    fn disc(&mut self, center: Point, radius: f64, color: RGBColor) -> Result<(), DrawError>;
    /// Writes a line of text.
    fn text(&mut self, text: &Text) -> Result<(), DrawError>;
}

/// The SVG document that `paint` draws.
pub fn svg(
    paint: impl FnOnce(&mut dyn Canvas) -> Result<(), DrawError>,
) -> Result<String, DrawError> {
    let mut document = String::new();
    {
        let mut backend = SVGBackend::with_string(&mut document, FINE_PAGE);
        whiten(&mut backend)?;
        let mut canvas = Vector(backend);
        paint(&mut canvas)?;
        canvas.0.present().map_err(failed)?;
    }
    let fine = format!("<svg width=\"{}\" height=\"{}\"", FINE_PAGE.0, FINE_PAGE.1);
    let page = format!(
        "<svg width=\"{}\" height=\"{}\" stroke-linejoin=\"round\"",
        PAGE.0, PAGE.1
    );
    Ok(spans::unmarked(&document.replacen(&fine, &page, 1)))
}

/// The picture that `paint` draws: 1200 by 800 pixels of three bytes, row by row.
pub fn pixels(
    paint: impl FnOnce(&mut dyn Canvas) -> Result<(), DrawError>,
) -> Result<Vec<u8>, DrawError> {
    let mut fine = vec![0; FINE_PAGE.0 as usize * FINE_PAGE.1 as usize * 3];
    {
        let mut backend = BitMapBackend::with_buffer(&mut fine, FINE_PAGE);
        whiten(&mut backend)?;
        let mut canvas = Raster(backend);
        paint(&mut canvas)?;
        canvas.0.present().map_err(failed)?;
    }
    Ok(averaged(&fine))
}

/// Writes a picture of `pixels` as a PNG file; the error is the encoder's own words.
pub fn encode_png(pixels: &[u8], path: &Path) -> Result<(), String> {
    let mut backend = BitMapBackend::new(path, PAGE);
    backend
        .blit_bitmap((0, 0), PAGE, pixels)
        .and_then(|()| backend.present())
        .map_err(|error| error.to_string())
}

fn whiten<B: DrawingBackend>(backend: &mut B) -> Result<(), DrawError> {
    let corner = (FINE_PAGE.0 as i32, FINE_PAGE.1 as i32);
    backend
        .draw_rect((0, 0), corner, &WHITE, true)
        .map_err(failed)
}

fn averaged(fine: &[u8]) -> Vec<u8> {
    let side = FINE as usize;
    let row = FINE_PAGE.0 as usize * 3;
    let mut pixels = Vec::with_capacity(fine.len() / (side * side));
    for band in fine.chunks_exact(row * side) {
        for x in 0..PAGE.0 as usize {
            for channel in 0..3 {
                let sum: usize = (0..side * side)
                    .map(|i| {
                        let at = (i / side) * row + (x * side + i % side) * 3 + channel;
                        usize::from(band[at])
                    })
                    .sum();
                pixels.push(((sum + side * side / 2) / (side * side)) as u8);
            }
        }
    }
    pixels
}

fn failed(error: impl std::fmt::Display) -> DrawError {
    DrawError::Drawing {
        reason: error.to_string(),
    }
}

fn fine(point: Point) -> (i32, i32) {
    let unit = f64::from(FINE);
    (
        (point.0 * unit).round() as i32,
        (point.1 * unit).round() as i32,
    )
}

/// Writes printable characters on a backend that puts the baseline `drop` ems below the position of a
/// text anchored at its top.
fn write<B: DrawingBackend>(backend: &mut B, text: &Text, drop: f64) -> Result<(), DrawError> {
    let h_pos = match text.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let lift = drop * text.size;
    let (transform, top) = if text.upwards {
        (FontTransform::Rotate270, (text.at.0 - lift, text.at.1))
    } else {
        (FontTransform::None, (text.at.0, text.at.1 - lift))
    };
    let style = TextStyle::from(font::face(text.size * f64::from(FINE)).transform(transform))
        .pos(Pos::new(h_pos, VPos::Top))
        .color(&text.color);
    backend
        .draw_text(text.text, &style, fine(top))
        .map_err(failed)
}

struct Vector<'a>(SVGBackend<'a>);

impl Canvas for Vector<'_> {
    fn stroke(&mut self, points: &[Point], width: f64, color: RGBColor) -> Result<(), DrawError> {
        let style = ShapeStyle {
            color: color.into(),
            filled: false,
            stroke_width: (width * f64::from(FINE)).round() as u32,
        };
        self.0
            .draw_path(points.iter().map(|&point| fine(point)), &style)
            .map_err(failed)
    }

    fn polygon(
        &mut self,
        points: &[Point],
        color: RGBColor,
        opacity: f64,
    ) -> Result<(), DrawError> {
        let color = RGBAColor(color.0, color.1, color.2, opacity);
        self.0
            .fill_polygon(points.iter().map(|&point| fine(point)), &color)
            .map_err(failed)
    }

    fn disc(&mut self, center: Point, radius: f64, color: RGBColor) -> Result<(), DrawError> {
        let radius = (radius * f64::from(FINE)).round() as u32;
        self.0
            .draw_circle(fine(center), radius, &color, true)
            .map_err(failed)
    }

    fn text(&mut self, text: &Text) -> Result<(), DrawError> {
        let marked = spans::marked(&pieces(text.text, text.wording));
        let text = Text {
            text: &marked,
            ..*text
        };
        write(&mut self.0, &text, 0.76)
    }
}

/// Pixels. Shapes are filled here, span by span: the backend's own polygons round their corners
/// to whole pixels and leave gaps where a thick line turns.
struct Raster<'a>(BitMapBackend<'a>);

impl Raster<'_> {
    fn fill(&mut self, points: &[Point], color: RGBAColor) -> Result<(), DrawError> {
        let unit = f64::from(FINE);
        let scaled: Vec<Point> = points.iter().map(|p| (p.0 * unit, p.1 * unit)).collect();
        for (y, from, to) in fill_spans(&scaled, FINE_PAGE.0 as i32, FINE_PAGE.1 as i32) {
            self.0
                .draw_line((from, y), (to, y), &color)
                .map_err(failed)?;
        }
        Ok(())
    }
}

impl Canvas for Raster<'_> {
    fn stroke(&mut self, points: &[Point], width: f64, color: RGBColor) -> Result<(), DrawError> {
        for outline in stroke_outlines(points, width) {
            self.fill(&outline, color.into())?;
        }
        Ok(())
    }

    fn polygon(
        &mut self,
        points: &[Point],
        color: RGBColor,
        opacity: f64,
    ) -> Result<(), DrawError> {
        self.fill(points, RGBAColor(color.0, color.1, color.2, opacity))
    }

    fn disc(&mut self, center: Point, radius: f64, color: RGBColor) -> Result<(), DrawError> {
        self.fill(&super::geometry::disc_outline(center, radius), color.into())
    }

    fn text(&mut self, text: &Text) -> Result<(), DrawError> {
        // Piece by piece: how far along the line and below it, and how large.
        let width = font::width(text.text, text.wording, text.size);
        let mut along = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        for piece in pieces(text.text, text.wording) {
            let (size, below) = if piece.lowered {
                (SUBSCRIPT * text.size, DROP * text.size)
            } else {
                (text.size, 0.0)
            };
            let at = if text.upwards {
                (text.at.0 + below, text.at.1 - along)
            } else {
                (text.at.0 + along, text.at.1 + below)
            };
            let part = Text {
                text: &piece.text,
                at,
                size,
                anchor: Anchor::Start,
                ..*text
            };
            write(&mut self.0, &part, font::HEIGHT_IN_EMS / 2.0)?;
            along += font::piece_width(&piece.text, size);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn pixel(pixels: &[u8], x: usize, y: usize) -> [u8; 3] {
        let at = (y * PAGE.0 as usize + x) * 3;
        [pixels[at], pixels[at + 1], pixels[at + 2]]
    }

    #[test]
    fn an_untouched_page_is_white_in_every_pixel() {
        let pixels = pixels(|_| Ok(())).unwrap();
        assert_eq!(pixels.len(), 1200 * 800 * 3);
        assert!(pixels.iter().all(|&byte| byte == 255));
    }

    #[test]
    fn shapes_land_on_the_pixels_they_are_given() {
        let red = RGBColor(200, 0, 0);
        let pixels = pixels(|canvas| {
            canvas.stroke(&[(100.0, 50.5), (200.0, 50.5)], 1.0, red)?;
            canvas.disc((300.5, 300.5), 5.0, red)?;
            let square = [
                (400.0, 400.0),
                (410.0, 400.0),
                (410.0, 410.0),
                (400.0, 410.0),
            ];
            canvas.polygon(&square, red, 0.5)
        })
        .unwrap();
        assert_eq!(pixel(&pixels, 150, 50), [200, 0, 0]);
        assert_eq!(pixel(&pixels, 150, 49), [255, 255, 255]);
        assert_eq!(pixel(&pixels, 150, 51), [255, 255, 255]);
        assert_eq!(pixel(&pixels, 300, 300), [200, 0, 0]);
        assert_eq!(pixel(&pixels, 307, 300), [255, 255, 255]);
        let [r, g, b] = pixel(&pixels, 405, 405);
        assert!(r > 200 && (126..=129).contains(&g) && (126..=129).contains(&b));
        assert_eq!(pixel(&pixels, 411, 405), [255, 255, 255]);
    }

    #[test]
    fn the_baseline_of_a_text_is_where_it_was_asked_for() {
        font::register().unwrap();
        let pixels = pixels(|canvas| {
            canvas.text(&Text {
                text: "H",
                wording: Wording::Literal,
                at: (100.0, 200.0),
                size: 40.0,
                anchor: Anchor::Start,
                upwards: false,
                color: RGBColor(0, 0, 0),
            })
        })
        .unwrap();
        let dark_rows: Vec<usize> = (0..800)
            .filter(|&y| (100..140).any(|x| pixel(&pixels, x, y)[0] < 128))
            .collect();
        // Capitals of this font are 0.73 ems high.
        assert_eq!(dark_rows.last(), Some(&199));
        assert!((170..=172).contains(dark_rows.first().unwrap()));
    }

    #[test]
    fn svg_keeps_the_page_size_and_escapes_labels() {
        font::register().unwrap();
        let document = svg(|canvas| {
            canvas.text(&Text {
                text: "a<b & c\u{1}",
                wording: Wording::Symbols,
                at: (10.0, 10.0),
                size: 10.0,
                anchor: Anchor::End,
                upwards: true,
                color: RGBColor(0, 0, 0),
            })
        })
        .unwrap();
        assert!(document.starts_with("<svg width=\"1200\" height=\"800\""));
        assert!(document.contains("viewBox=\"0 0 4800 3200\""));
        assert!(document.contains("a&lt;b &amp; c"));
        assert!(!document.contains('\u{1}'));
        assert!(document.trim_end().ends_with("</svg>"));
    }
}

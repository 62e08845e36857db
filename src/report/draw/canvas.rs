//! The pens: strokes, filled shapes and text, and how they become SVG elements.
//!
//! Owns what every kind of output agrees on, sizes and baselines, and SVG. Does not draw pixels (see
//! `raster`) or know what a figure is.
//!
//! Both backends place things on whole units, so both work on a page `FINE` times finer than the
//! 1200 by 800 everyone else sees: SVG says so in its view box, and the pixels are averaged, which
//! also smooths every edge.

use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, RGBAColor, RGBColor, ShapeStyle, TextStyle, WHITE};

use super::DrawError;
use super::font;
use super::geometry::Point;
use super::label::{Wording, pieces};
use super::spans;

/// Width of the page.
pub const WIDTH: f64 = 1200.0;
/// Height of the page.
pub const HEIGHT: f64 = 800.0;
/// Units of the backends to a unit of the page, along each axis.
pub const FINE: u32 = 4;

/// The page, in whole units.
pub const PAGE: (u32, u32) = (WIDTH as u32, HEIGHT as u32);
/// The page, in units of the backends.
pub const FINE_PAGE: (u32, u32) = (PAGE.0 * FINE, PAGE.1 * FINE);

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

/// Fills the page of a backend with white.
pub fn whiten<B: DrawingBackend>(backend: &mut B) -> Result<(), DrawError> {
    let corner = (FINE_PAGE.0 as i32, FINE_PAGE.1 as i32);
    backend
        .draw_rect((0, 0), corner, &WHITE, true)
        .map_err(failed)
}

/// An error of the drawing library.
pub fn failed(error: impl std::fmt::Display) -> DrawError {
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
pub fn write<B: DrawingBackend>(backend: &mut B, text: &Text, drop: f64) -> Result<(), DrawError> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

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

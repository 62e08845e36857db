//! The look of a series: colour, marker and dashes, so that it reads in colour, to the colour-blind and
//! in grey.
//!
//! Owns the palette and the shapes. Does not know data.

use plotters::style::RGBColor;

use super::DrawError;
use super::canvas::Canvas;
use super::geometry::{Area, Point, dashes, length};

/// Text and axes.
pub const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// What explains: notes and the legend's key.
pub const FAINT_INK: RGBColor = RGBColor(0x55, 0x55, 0x55);
/// Grid lines.
pub const GRID: RGBColor = RGBColor(0xe8, 0xe8, 0xe8);

/// The grid line at zero.
pub const ZERO: RGBColor = RGBColor(0xa8, 0xa8, 0xa8);

/// Width of a line that is data.
pub const DATA_LINE: f64 = 2.6;
/// Width of a line that is theory.
pub const THEORY_LINE: f64 = 1.5;
/// Width of whiskers and their caps.
pub const WHISKER: f64 = 1.7;
/// Width of the edges of bands.
pub const BAND_EDGE: f64 = 1.1;
/// Opacity of bands.
pub const BAND: f64 = 0.2;
/// A dashed line longer than this many diagonals of its area is so crumpled that its dashes hide it.
const CRUMPLED: f64 = 8.0;

/// Okabe and Ito's palette without yellow, orange and sky blue a little darker for white paper, in an
/// order that alternates light and dark.
const COLORS: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0x00, 0x00, 0x00),
    RGBColor(0xd6, 0x90, 0x00),
    RGBColor(0xb8, 0x5c, 0x94),
    RGBColor(0x3b, 0xa0, 0xdc),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Circle,
    Square,
    Triangle,
    Diamond,
    TriangleDown,
    Plus,
    Cross,
    Star,
}

/// Eight shapes against seven colours: no pair repeats within 56 series.
const SHAPES: [Shape; 8] = [
    Shape::Circle,
    Shape::Square,
    Shape::Triangle,
    Shape::Diamond,
    Shape::TriangleDown,
    Shape::Plus,
    Shape::Cross,
    Shape::Star,
];

/// Dashes and gaps, in units of the page.
pub const DASHES: [&[f64]; 6] = [
    &[],
    &[11.0, 5.0],
    &[3.0, 4.0],
    &[12.0, 4.0, 3.0, 4.0],
    &[20.0, 6.0],
    &[9.0, 4.0, 3.0, 4.0, 3.0, 4.0],
];

/// A curve that belongs to no series: a grey between those of the palette.
const REFERENCE: RGBColor = RGBColor(0x80, 0x80, 0x80);

/// The look of one series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    pub color: RGBColor,
    shape: Shape,
    dashes: &'static [f64],
}

impl Look {
    /// The look of the series at place `index` of a figure.
    pub fn of(index: usize) -> Self {
        Self {
            color: COLORS[index % COLORS.len()],
            shape: SHAPES[index % SHAPES.len()],
            dashes: DASHES[index % DASHES.len()],
        }
    }

    /// The look of a curve that belongs to no series; several of a figure differ in their dashes.
    pub fn reference(index: usize) -> Self {
        Self {
            color: REFERENCE,
            shape: Shape::Circle,
            dashes: DASHES[(3 + 5 * index) % DASHES.len()],
        }
    }

    /// Draws a marker as one element; all shapes of one `radius` look equally large.
    pub fn marker(
        &self,
        canvas: &mut dyn Canvas,
        center: Point,
        radius: f64,
    ) -> Result<(), DrawError> {
        if self.shape == Shape::Circle {
            return canvas.disc(center, radius, self.color);
        }
        let outline: Vec<Point> = outline(self.shape)
            .iter()
            .map(|&(x, y)| (center.0 + radius * x, center.1 + radius * y))
            .collect();
        canvas.polygon(&outline, self.color, 1.0)
    }

    /// How far a marker of this `radius` reaches from its centre, up and down.
    pub fn reach(&self, radius: f64) -> (f64, f64) {
        let corners = outline(self.shape).into_iter();
        corners.fold((0.0_f64, 0.0_f64), |(up, down), (_, y)| {
            (up.max(-radius * y), down.max(radius * y))
        })
    }

    /// The same colour and marker without dashes.
    pub fn solid(self) -> Self {
        Self {
            dashes: &[],
            ..self
        }
    }

    /// The same colour and marker with plain dashes.
    pub fn dashed(self) -> Self {
        Self {
            dashes: DASHES[1],
            ..self
        }
    }

    /// Strokes a polyline in the dashes of the series; solid where dashes could not be seen.
    pub fn line(
        &self,
        canvas: &mut dyn Canvas,
        points: &[Point],
        width: f64,
        area: &Area,
    ) -> Result<(), DrawError> {
        let crumpled = length(points) > CRUMPLED * area.width().hypot(area.height());
        let pattern = if crumpled { &[] } else { self.dashes };
        for dash in dashes(points, pattern) {
            canvas.stroke(&dash, width, self.color)?;
        }
        Ok(())
    }
}

/// The corners of a marker around the origin, its size comparable to a disc of radius 1.
fn outline(shape: Shape) -> Vec<Point> {
    let regular = |corners: i32, radius: f64, turn: f64| -> Vec<Point> {
        (0..corners)
            .map(|i| {
                let angle = std::f64::consts::TAU * (f64::from(i) / f64::from(corners) + turn);
                (radius * angle.sin(), -radius * angle.cos())
            })
            .collect()
    };
    // A plus of half-length `a` and half-thickness `t`.
    let plus = |a: f64, t: f64| {
        vec![
            (-t, -a),
            (t, -a),
            (t, -t),
            (a, -t),
            (a, t),
            (t, t),
            (t, a),
            (-t, a),
            (-t, t),
            (-a, t),
            (-a, -t),
            (-t, -t),
        ]
    };
    match shape {
        Shape::Circle => regular(40, 1.0, 0.0),
        Shape::Square => regular(4, 1.27, 0.125),
        Shape::Triangle => regular(3, 1.42, 0.0),
        Shape::Diamond => regular(4, 1.36, 0.0),
        Shape::TriangleDown => regular(3, 1.42, 0.5),
        Shape::Plus => plus(1.3, 0.36),
        Shape::Cross => {
            let half = std::f64::consts::FRAC_1_SQRT_2;
            let turned = plus(1.4, 0.36).into_iter();
            turned
                .map(|(x, y)| ((x - y) * half, (x + y) * half))
                .collect()
        }
        Shape::Star => {
            let points = regular(5, 1.5, 0.0).into_iter();
            let notches = regular(5, 0.65, 0.1);
            points.zip(notches).flat_map(|(a, b)| [a, b]).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_of_fifty_six_series_share_colour_and_marker() {
        for a in 0..56 {
            for b in 0..a {
                let (a, b) = (Look::of(a), Look::of(b));
                assert!(a.color != b.color || a.shape != b.shape);
            }
        }
    }

    #[test]
    fn every_colour_stands_out_from_white() {
        let linear = |byte: u8| {
            let c = f64::from(byte) / 255.0;
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        };
        for color in COLORS {
            let luminance =
                0.2126 * linear(color.0) + 0.7152 * linear(color.1) + 0.0722 * linear(color.2);
            // Contrast as the WCAG defines it.
            assert!(1.05 / (luminance + 0.05) > 2.6, "{color:?}");
        }
    }
}

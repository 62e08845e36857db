//! Pixels: shapes filled span by span, text piece by piece, both smoothed by averaging.
//!
//! Owns the picture and its encoding. What can be drawn on it is `canvas`'s.

use std::path::Path;

use plotters::backend::{BitMapBackend, DrawingBackend};
use plotters::style::{RGBAColor, RGBColor};

use super::DrawError;
use super::canvas::{Anchor, Canvas, FINE, FINE_PAGE, PAGE, Text, failed, whiten, write};
use super::font;
use super::geometry::{Point, disc_outline, fill_spans, stroke_outlines};
use super::label::{DROP, SUBSCRIPT, pieces};

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
        self.fill(&disc_outline(center, radius), color.into())
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
    use crate::report::draw::label::Wording;

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
    fn a_subscript_is_smaller_and_lower_than_its_line_also_in_a_text_that_runs_upwards() {
        font::register().unwrap();
        let dark = |upwards| {
            let pixels = pixels(|canvas| {
                canvas.text(&Text {
                    text: "H_H",
                    wording: Wording::Symbols,
                    at: (200.0, 200.0),
                    size: 100.0,
                    anchor: Anchor::End,
                    upwards,
                    color: RGBColor(0, 0, 0),
                })
            });
            let pixels = pixels.unwrap();
            // Along the line back from its end, and below it.
            let at = |along: i32, below: i32| {
                let (x, y) = if upwards {
                    (below, along)
                } else {
                    (-along, below)
                };
                pixel(&pixels, (200 + x) as usize, (200 + y) as usize)[0] < 128
            };
            let rows = |columns: std::ops::Range<i32>| {
                let rows = (-100..50).filter(|&row| columns.clone().any(|x| at(x, row)));
                let rows: Vec<i32> = rows.collect();
                (rows[0], rows[rows.len() - 1])
            };
            // The subscript is 53 wide, the letter 75.
            [rows(0..50), rows(56..125)]
        };
        for upwards in [false, true] {
            let [(top, bottom), (line_top, line_bottom)] = dark(upwards);
            assert!((line_top + 73).abs() <= 1 && (line_bottom + 1).abs() <= 1);
            assert!((bottom - 19).abs() <= 1, "{bottom}");
            assert!((top - (20 - 51)).abs() <= 1, "{top}");
        }
    }
}

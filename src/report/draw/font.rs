//! The bundled typeface: its registration, the widths of texts, and breaking texts into lines.
//!
//! Owns text as a matter of measure. Does not draw (see `canvas`).

use std::sync::OnceLock;

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};

use super::DrawError;
use super::label::{SUBSCRIPT, Wording, pieces};

/// What an SVG viewer looks for: the bundled face by the name under which it is usually installed,
/// then one of about the same widths. The drawing library finds the bundled bytes under the same name.
const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";
const FACE: &[u8] = include_bytes!("../../../data/fonts/DejaVuSans-Figure.ttf");
/// Ascent plus descent of the bundled face, in ems; the drawing library's sizes are this height.
pub const HEIGHT_IN_EMS: f64 = 1.24;
/// Longer texts are cut: nothing this long can be read in a figure.
const MOST_CHARACTERS: usize = 600;
/// Widths are whole pixels; measured at a large size, the rounding does not matter.
const MEASURING_SIZE: f64 = 1000.0;

/// Registers the bundled face; later calls do nothing.
///
/// # Errors
/// The drawing library does not accept the font.
pub fn register() -> Result<(), DrawError> {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    if *REGISTERED.get_or_init(|| register_font(FAMILY, FontStyle::Normal, FACE).is_ok()) {
        Ok(())
    } else {
        Err(DrawError::Drawing {
            reason: "the bundled font was not accepted".to_owned(),
        })
    }
}

/// The bundled face with an em of `size`.
pub fn face(size: f64) -> FontDesc<'static> {
    FontDesc::new(
        FontFamily::Name(FAMILY),
        size * HEIGHT_IN_EMS,
        FontStyle::Normal,
    )
}

/// Width of a line of text with an em of `size`, in the same unit.
pub fn width(text: &str, wording: Wording, size: f64) -> f64 {
    let pieces = pieces(text, wording).into_iter();
    pieces
        .map(|piece| {
            let scale = if piece.lowered { SUBSCRIPT } else { 1.0 };
            piece_width(&piece.text, scale * size)
        })
        .sum()
}

/// Width of printable characters on one level, with an em of `size`.
pub fn piece_width(text: &str, size: f64) -> f64 {
    match face(MEASURING_SIZE).box_size(text) {
        Ok((width, _)) => f64::from(width) / MEASURING_SIZE * size,
        // Only without a registered face; an em and a half a character wastes space, nothing worse.
        Err(_) => text.chars().count() as f64 * size * 1.5,
    }
}

/// A text broken into lines of a common size.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// Size of the em.
    pub size: f64,
    /// The lines; none for an empty text.
    pub lines: Vec<String>,
    /// How they are read.
    pub wording: Wording,
}

impl Fitted {
    /// Distance of baselines.
    pub fn leading(&self) -> f64 {
        self.size * 1.25
    }

    /// Height of all lines.
    pub fn height(&self) -> f64 {
        self.lines.len() as f64 * self.leading()
    }

    /// Width of the widest line.
    pub fn width(&self) -> f64 {
        self.lines
            .iter()
            .map(|line| width(line, self.wording, self.size))
            .fold(0.0, f64::max)
    }
}

/// Fits `text` into `room` and at most `most_lines` lines: breaks it first, then shrinks it from
/// `size` down to `least`, then cuts it, ending in an ellipsis.
pub fn fit(
    text: &str,
    wording: Wording,
    (size, least): (f64, f64),
    room: f64,
    most_lines: usize,
) -> Fitted {
    let mut text = text.to_owned();
    if let Some((end, _)) = text.char_indices().nth(MOST_CHARACTERS) {
        text.truncate(end);
        text.push('…');
    }
    let mut size = size;
    loop {
        let width = |text: &str| width(text, wording, size);
        let mut lines = wrap(&text, &width, room);
        if lines.len() <= most_lines {
            let lines = balanced(lines, &text, &width, (room, size / 2.0));
            return Fitted {
                size,
                lines,
                wording,
            };
        }
        if size <= least {
            lines.truncate(most_lines);
            if let Some(last) = lines.last_mut() {
                while !last.is_empty() && width(&format!("{last}…")) > room {
                    last.pop();
                }
                last.push('…');
            }
            return Fitted {
                size,
                lines,
                wording,
            };
        }
        size = (size - 1.0).max(least);
    }
}

/// `lines` of a wrapped text again, as even as they can be: in the narrowest room that needs no more,
/// found to within `tolerance`.
fn balanced(
    lines: Vec<String>,
    text: &str,
    width: &dyn Fn(&str) -> f64,
    (room, tolerance): (f64, f64),
) -> Vec<String> {
    let mut best = lines;
    if best.len() < 2 {
        return best;
    }
    let longest_word = text.split(' ').map(width).fold(0.0, f64::max);
    let (mut narrow, mut wide) = (longest_word.min(room), room);
    while wide - narrow > tolerance {
        let middle = f64::midpoint(narrow, wide);
        let lines = wrap(text, width, middle);
        if lines.len() > best.len() {
            narrow = middle;
        } else {
            wide = middle;
            best = lines;
        }
    }
    best
}

/// Breaks at spaces, and within a word only where the word alone is too wide.
fn wrap(text: &str, width: &dyn Fn(&str) -> f64, room: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
            let candidate = if line.is_empty() {
                word.to_owned()
            } else {
                format!("{line} {word}")
            };
            if width(&candidate) <= room {
                line = candidate;
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            for c in word.chars() {
                line.push(c);
                if width(&line) > room && line.chars().count() > 1 {
                    line.pop();
                    lines.push(std::mem::replace(&mut line, c.to_string()));
                }
            }
        }
        if !line.is_empty() {
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_short_text_keeps_its_size_and_one_line() {
        register().unwrap();
        let fitted = fit("p = 0.1", Wording::Literal, (20.0, 10.0), 300.0, 2);
        assert_eq!(fitted.size, 20.0);
        assert_eq!(fitted.lines, ["p = 0.1"]);
    }

    #[test]
    fn a_long_text_is_broken_then_shrunk_then_cut_and_never_wider_than_its_room() {
        register().unwrap();
        let text = "the response time of a job that is copied to two servers ".repeat(4);
        let fitted = fit(&text, Wording::Literal, (26.0, 16.0), 900.0, 3);
        assert!(fitted.size < 26.0 && fitted.lines.len() == 3);
        assert_eq!(fitted.lines.join(" "), text.trim());
        let cut = fit(&text, Wording::Literal, (26.0, 16.0), 200.0, 2);
        assert_eq!(cut.lines.len(), 2);
        assert!(cut.lines[1].ends_with('…') && cut.width() <= 200.0);
        let word = fit(
            &"x".repeat(100_000),
            Wording::Literal,
            (20.0, 10.0),
            300.0,
            2,
        );
        assert!(word.width() <= 300.0 && word.lines.len() == 2);
        assert!(
            fit("", Wording::Literal, (20.0, 10.0), 300.0, 2)
                .lines
                .is_empty()
        );
        assert!(
            fit(" \n ", Wording::Literal, (20.0, 10.0), 300.0, 2)
                .lines
                .is_empty()
        );
    }

    #[test]
    fn widths_are_those_of_the_bundled_face() {
        register().unwrap();
        // A digit of this face is 1303 of 2048 units wide.
        assert!((width("0", Wording::Literal, 2048.0) - 1303.0).abs() < 3.0);
        assert!(
            (width("00", Wording::Literal, 20.0) - 2.0 * width("0", Wording::Literal, 20.0)).abs()
                < 0.1
        );
    }

    #[test]
    fn a_subscript_is_narrower_than_its_characters_and_has_no_underscore() {
        register().unwrap();
        let expected = piece_width("A", 20.0) + piece_width("rms", 14.0);
        let symbol = width("A_rms", Wording::Symbols, 20.0);
        assert!((symbol - expected).abs() < 1e-9);
        assert!(symbol < width("A_rms", Wording::Literal, 20.0) - 10.0);
        // What fits as a symbol is not broken for the sake of its spelling.
        let fitted = fit(
            "A_rms A_rms",
            Wording::Symbols,
            (20.0, 20.0),
            2.3 * symbol,
            2,
        );
        assert_eq!(fitted.lines.len(), 1);
        assert!((fitted.width() - 2.0 * symbol - piece_width(" ", 20.0)).abs() < 0.1);
    }
}

//! Subscripts in SVG: elements within the text, so that a label stays one text to select and to search.
//!
//! Owns the marks that carry a change of level through the drawing library, which knows no such
//! elements and would escape them. Which characters are subscripts is `label`'s.

use super::label::{DROP, Piece, SUBSCRIPT};

/// Before a subscript, before what follows one, and after either. Texts have none of these
/// characters: they are not printable.
const LOWER: char = '\u{1}';
const RAISE: char = '\u{2}';
const END: char = '\u{3}';

/// The characters of a line with marks where their level changes.
pub fn marked(pieces: &[Piece]) -> String {
    let mut marked = String::new();
    for (i, piece) in pieces.iter().enumerate() {
        if i == 0 && !piece.lowered {
            marked.push_str(&piece.text);
        } else {
            marked.push(if piece.lowered { LOWER } else { RAISE });
            marked.push_str(&piece.text);
            marked.push(END);
        }
    }
    marked
}

/// An SVG document with elements in place of the marks.
pub fn unmarked(document: &str) -> String {
    // Each shift is in ems of what it shifts. Some viewers drop a space at the start of an element.
    let lower = format!(
        "<tspan font-size=\"{:.0}%\" dy=\"{:.4}em\">",
        100.0 * SUBSCRIPT,
        DROP / SUBSCRIPT
    );
    document
        .replace(LOWER, &lower)
        .replace(
            RAISE,
            &format!("<tspan xml:space=\"preserve\" dy=\"-{DROP:.4}em\">"),
        )
        .replace(END, "</tspan>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::draw::label::{Wording, pieces};

    #[test]
    fn what_follows_a_subscript_is_back_on_the_line() {
        let marked = marked(&pieces("τ_D + τ_T", Wording::Symbols));
        assert_eq!(
            unmarked(&marked),
            "τ<tspan font-size=\"70%\" dy=\"0.2857em\">D</tspan>\
             <tspan xml:space=\"preserve\" dy=\"-0.2000em\"> + τ</tspan>\
             <tspan font-size=\"70%\" dy=\"0.2857em\">T</tspan>"
        );
    }
}

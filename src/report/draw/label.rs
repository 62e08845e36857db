//! The spelling of labels: which characters of a text stand lower, as subscripts.
//!
//! Owns the reading of plain-text symbols such as `τ_D`, and the size and place of subscripts. Does not
//! measure (see `font`) or draw (see `canvas`).

/// How the characters of a text are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// Every character is itself.
    Literal,
    /// `τ_D` is τ with the subscript D, and `N₁` is N with the subscript 1.
    Symbols,
}

/// A part of a line of text that stands on one level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The characters, all of them printable.
    pub text: String,
    /// Whether they are a subscript.
    pub lowered: bool,
}

/// Size of a subscript, in sizes of its line.
pub const SUBSCRIPT: f64 = 0.7;
/// A subscript stands this much lower, in ems of its line.
pub const DROP: f64 = 0.2;

/// Unicode's subscripts and the characters they lower. Faces draw them small and high; lowered like
/// the others, they match.
const LOWERED: [(&str, &str); 2] = [
    ("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "0123456789+−=()"),
    ("ₐₑₒₓₕₖₗₘₙₚₛₜᵢᵣᵤᵥⱼ", "aeoxhklmnpstiruvj"),
];

/// The pieces of a line of text, in order; none for an empty line.
///
/// An underscore makes a subscript of the letters and digits behind it if one letter, perhaps
/// multiplied by a number, is in front of it: `2τ_D` but not `max_rate`, nor `a_rms_scaled`.
pub fn pieces(text: &str, wording: Wording) -> Vec<Piece> {
    let chars: Vec<char> = text.chars().map(printable).collect();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut push = |c: char, lowered: bool| match pieces.last_mut() {
        Some(piece) if piece.lowered == lowered => piece.text.push(c),
        _ => pieces.push(Piece {
            text: c.to_string(),
            lowered,
        }),
    };
    if wording == Wording::Literal {
        chars.iter().for_each(|&c| push(c, false));
        return pieces;
    }
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let length = subscript_length(&chars, at);
        for &c in &chars[at + 1..=at + length] {
            push(c, true);
        }
        if length == 0 {
            match lowered(c) {
                Some(c) => push(c, true),
                None => push(c, false),
            }
        }
        at += 1 + length;
    }
    pieces
}

/// A control character has no glyph, and XML forbids it: a space instead.
fn printable(c: char) -> char {
    match c {
        '\u{fffe}' | '\u{ffff}' => ' ',
        c if c.is_control() => ' ',
        c => c,
    }
}

/// The character that one of Unicode's subscripts lowers.
fn lowered(c: char) -> Option<char> {
    LOWERED.iter().find_map(|(low, plain)| {
        let place = low.chars().position(|known| known == c)?;
        plain.chars().nth(place)
    })
}

/// How many characters behind the underscore at `at` are its subscript; none if there is no
/// underscore, or it is part of a name.
fn subscript_length(chars: &[char], at: usize) -> usize {
    if chars[at] != '_' {
        return 0;
    }
    let in_word = |&&c: &&char| c.is_alphanumeric() || c == '_';
    let before: Vec<char> = chars[..at]
        .iter()
        .rev()
        .take_while(in_word)
        .copied()
        .collect();
    let base_is_one_letter = match before.split_first() {
        Some((&base, factor)) => {
            is_letter(base) && factor.iter().all(|digit| digit.is_ascii_digit())
        }
        None => false,
    };
    let behind = &chars[at + 1..];
    let run = behind
        .iter()
        .take_while(|&&c| is_letter(c) || c.is_ascii_digit())
        .count();
    if base_is_one_letter && behind.get(run) != Some(&'_') {
        run
    } else {
        0
    }
}

/// Whether a character is a letter on the line, not a raised or lowered one.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !('\u{2070}'..='\u{209f}').contains(&c) && lowered(c).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces with braces around subscripts.
    fn read(text: &str) -> String {
        let pieces = pieces(text, Wording::Symbols).into_iter();
        pieces
            .map(|piece| {
                if piece.lowered {
                    format!("{{{}}}", piece.text)
                } else {
                    piece.text
                }
            })
            .collect()
    }

    #[test]
    fn an_underscore_behind_one_letter_lowers_the_letters_and_digits_that_follow() {
        for (text, pieces) in [
            ("τ_D", "τ{D}"),
            ("A_rms/(2τ)", "A{rms}/(2τ)"),
            ("A_rms/(2 τ_D)", "A{rms}/(2 τ{D})"),
            ("A_rms/(2τ_D)", "A{rms}/(2τ{D})"),
            ("τ_D + τ_T (time units)", "τ{D} + τ{T} (time units)"),
            ("c = 0.01, τ_Pi = 3", "c = 0.01, τ{Pi} = 3"),
            ("⟨x_1²⟩", "⟨x{1}²⟩"),
            ("N₁ − N₂, Aᵣₘₛ", "N{1} − N{2}, A{rms}"),
            ("T_b", "T{b}"),
        ] {
            assert_eq!(read(text), pieces);
        }
    }

    #[test]
    fn an_underscore_elsewhere_is_an_underscore() {
        for text in [
            "a_rms_scaled",
            "max_rate",
            "fig2a_b",
            "cN_b",
            "τ_",
            "τ_ D",
            "τ_(D)",
            "_D",
            "2_D",
            "τ__D",
            "_τ_D",
            "τ _D",
            "N₁_D",
        ] {
            let all: Vec<Piece> = pieces(text, Wording::Symbols);
            assert!(
                all.iter().any(|piece| piece.text.contains('_')),
                "{text}: {all:?}"
            );
        }
        assert_eq!(read("a_rms_scaled"), "a_rms_scaled");
        assert_eq!(read("N₁_D"), "N{1}_D");
    }

    #[test]
    fn a_literal_text_is_one_piece_without_control_characters() {
        let piece = |text: &str| Piece {
            text: text.to_owned(),
            lowered: false,
        };
        assert_eq!(pieces("τ_D\u{1} N₁", Wording::Literal), [piece("τ_D  N₁")]);
        assert_eq!(pieces("a\u{2}\u{ffff}b", Wording::Symbols), [piece("a  b")]);
        assert_eq!(pieces("", Wording::Symbols), []);
    }
}

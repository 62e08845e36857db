//! Text in HTML: escaped, with subscripts, and words of a shell quoted.
//!
//! Owns what may not reach a page as it stands. Every text that is not ours goes through here.

use crate::report::draw::label::{Wording, pieces};

/// A text as HTML, in an element or a quoted attribute.
pub fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            '\n' | '\t' => html.push(c),
            c if c.is_control() => html.push(' '),
            c => html.push(c),
        }
    }
    html
}

/// A symbol as HTML: `τ_D` is τ with the subscript D.
pub fn symbol(text: &str) -> String {
    pieces(text, Wording::Symbols)
        .iter()
        .map(|piece| {
            let text = escaped(&piece.text);
            if piece.lowered {
                format!("<sub>{text}</sub>")
            } else {
                text
            }
        })
        .collect()
}

/// A sentence as HTML, in which `names` are code.
pub fn prose(text: &str) -> String {
    let mut html = String::new();
    for (place, part) in text.split('`').enumerate() {
        if place % 2 == 0 {
            html.push_str(&escaped(part));
        } else {
            html.push_str(&format!("<code>{}</code>", escaped(part)));
        }
    }
    html
}

/// A word of a command line, quoted where a shell would read it otherwise.
pub fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=,:@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::{escaped, prose, shell, symbol};

    #[test]
    fn nothing_of_a_text_is_markup() {
        assert_eq!(
            escaped("a<b & \"c\" 'd'\u{1}"),
            "a&lt;b &amp; &quot;c&quot; &#39;d&#39; "
        );
        assert_eq!(symbol("τ_D < 1"), "τ<sub>D</sub> &lt; 1");
    }

    #[test]
    fn names_in_a_sentence_are_code() {
        assert_eq!(
            prose("0 for as many as `rates` < 9"),
            "0 for as many as <code>rates</code> &lt; 9"
        );
    }

    #[test]
    fn a_file_name_with_blanks_or_quotes_is_one_word_of_a_command() {
        assert_eq!(shell("a/b.h5"), "a/b.h5");
        assert_eq!(shell("my file.h5"), "'my file.h5'");
        assert_eq!(shell("it's"), "'it'\\''s'");
    }
}

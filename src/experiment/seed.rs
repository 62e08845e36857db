//! The seed: any 64-bit number, however it is written.
//!
//! Owns its spellings and the drawing of one. Does not generate random numbers for the models.

use super::document::{Item, Node, Place};
use super::problem::Problems;
use super::read;

const EXPECTED: &str = "a whole number from 0 to 18446744073709551615";
const HELP: &str = "also as a string, decimal or hexadecimal: \"0xC0FFEE\"";

/// Reads the seed of a file.
pub(super) fn read(item: &Item, problems: &mut Problems) -> Option<u64> {
    let seed = match &item.node {
        Node::Integer(Some(x)) => u64::try_from(*x).ok(),
        Node::Text(text) => from_text(text),
        _ => None,
    };
    if seed.is_none() {
        read::refuse(item, "seed", EXPECTED, HELP, problems);
    }
    seed
}

fn from_text(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    // Rust would take a sign too.
    let proper = digits.chars().all(|c| c.is_digit(radix));
    if proper {
        u64::from_str_radix(digits, radix).ok()
    } else {
        None
    }
}

/// Draws a seed from the operating system.
pub(super) fn draw(problems: &mut Problems) -> Option<u64> {
    let drawn = getrandom::u64();
    if let Err(error) = &drawn {
        let what = format!("none is given, and the system has no random numbers: {error}");
        problems.report(
            Place::File,
            "seed",
            what,
            "write one into the file: seed = 2003",
        );
    }
    drawn.ok()
}

/// A seed as it stands in a canonical file.
///
/// TOML promises 63 bits; larger seeds are strings, so that every reader of TOML gets them right.
pub(super) fn canonical(seed: u64) -> String {
    if i64::try_from(seed).is_ok() {
        seed.to_string()
    } else {
        format!("\"{seed}\"")
    }
}

//! What is wrong with an experiment file, in words for the person who typed it.
//!
//! Owns the collecting, the order and the layout of messages. Does not decide what is wrong.

use std::fmt;

use super::document::Place;

/// Beyond this many, problems are counted and not kept.
const KEPT: usize = 50;

/// Everything that was found wrong with an experiment file and its overrides.
#[derive(Debug, Clone, PartialEq)]
pub struct Problems {
    file_name: String,
    overrides: Vec<String>,
    kept: Vec<Complaint>,
    more: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Complaint {
    place: Place,
    /// Which key, or which column; may be empty.
    label: String,
    what: String,
    /// What is allowed and what to type instead; may be empty.
    help: String,
}

impl Problems {
    pub(super) fn none(file_name: &str, overrides: &[String]) -> Problems {
        Problems {
            file_name: plain(file_name),
            overrides: overrides.to_vec(),
            kept: Vec::new(),
            more: 0,
        }
    }

    /// Adds a problem; the list stays in the order of the file, with the overrides last.
    pub(super) fn report(
        &mut self,
        place: Place,
        label: impl Into<String>,
        what: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.is_full() {
            self.more += 1;
            return;
        }
        let complaint = Complaint {
            place,
            label: label.into(),
            what: what.into(),
            help: help.into(),
        };
        let at = self.kept.partition_point(|other| other.place <= place);
        self.kept.insert(at, complaint);
    }

    /// The name of the file, as messages show it.
    pub(super) fn file_name(&self) -> &str {
        &self.file_name
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether further problems are only counted, so that their words need no effort.
    pub(super) fn is_full(&self) -> bool {
        self.kept.len() >= KEPT
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, complaint) in self.kept.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            match complaint.place {
                Place::File => write!(f, "{}", self.file_name)?,
                Place::Line(line) => write!(f, "{}, line {line}", self.file_name)?,
                Place::Set(at) => {
                    let argument = self.overrides.get(at).map_or("", String::as_str);
                    write!(f, "--set {}", plain(argument))?;
                }
            }
            if !complaint.label.is_empty() {
                write!(f, ", {}", complaint.label)?;
            }
            write!(f, ": {}", complaint.what)?;
            for line in complaint.help.lines() {
                write!(f, "\n    {line}")?;
            }
        }
        if self.more > 0 {
            write!(f, "\nand {} more problems", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Text from a user as it may stand in a message: one line of bounded length, nothing a terminal obeys.
pub(crate) fn plain(text: &str) -> String {
    const LONGEST: usize = 100;
    let mut shown: String = text
        .chars()
        .take(LONGEST)
        .flat_map(|c| {
            if c.is_control() {
                c.escape_debug().collect()
            } else {
                vec![c]
            }
        })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    shown
}

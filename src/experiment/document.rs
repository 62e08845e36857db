//! TOML text as a tree whose every node knows where it was typed.
//!
//! Owns the parsing, the order of the file and the line numbers. Knows no key by name.

use toml::de::{DeTable, DeValue};

use super::problem::Problems;

/// The largest file that is read, in bytes: a generous bound on the memory a parse takes.
const MAX_BYTES: usize = 16 << 20;

/// Where something was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// Nowhere in particular: something is missing from the file.
    File,
    /// A line of the file, counted from one.
    Line(usize),
    /// The `--set` argument of that position.
    Set(usize),
}

/// A value and where it was typed.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) place: Place,
    pub(super) node: Node,
}

/// A TOML value.
#[derive(Debug)]
pub(super) enum Node {
    Text(String),
    /// None when beyond 128 bits.
    Integer(Option<i128>),
    /// May be infinite or not a number.
    Real(f64),
    Flag(bool),
    Date,
    Array(Vec<Item>),
    Table(Table),
}

/// A table, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) entries: Vec<Entry>,
}

/// A key of a table with its value.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    /// Where the key stands; a long value begins here but may end lines below.
    pub(super) place: Place,
    pub(super) item: Item,
}

impl Node {
    /// The table, if it is one.
    pub(super) fn as_table(&self) -> Option<&Table> {
        match self {
            Node::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl Table {
    /// The entry of that key.
    pub(super) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// Puts an entry in the place of the one of the same key, or at the end.
    pub(super) fn set(&mut self, entry: Entry) {
        match self.entries.iter_mut().find(|old| old.key == entry.key) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
    }

    /// The table under that key, made when there is none; none when something else is there.
    pub(super) fn section(&mut self, key: &str, place: Place) -> Option<&mut Table> {
        let at = match self.entries.iter().position(|entry| entry.key == key) {
            Some(at) => at,
            None => {
                let item = Item {
                    place,
                    node: Node::Table(Table::default()),
                };
                self.entries.push(Entry {
                    key: key.to_owned(),
                    place,
                    item,
                });
                self.entries.len() - 1
            }
        };
        match &mut self.entries[at].item.node {
            Node::Table(table) => Some(table),
            _ => None,
        }
    }
}

/// Parses a file; on a syntax error reports it and gives none.
pub(super) fn file(source: &str, problems: &mut Problems) -> Option<Table> {
    if source.len() > MAX_BYTES {
        let what = format!("{} bytes are too many for an experiment file", source.len());
        problems.report(
            Place::File,
            "",
            what,
            format!("at most {MAX_BYTES} are read"),
        );
        return None;
    }
    let text = source.strip_prefix('\u{feff}').unwrap_or(source);
    match DeTable::parse(text) {
        Ok(table) => {
            let lines = Lines::of(text);
            Some(convert_table(table.into_inner(), &|offset| {
                Place::Line(lines.line(offset))
            }))
        }
        Err(error) => {
            let lines = Lines::of(text);
            let (place, label) = match error.span() {
                Some(span) => {
                    let column = lines.column(text, span.start);
                    (
                        Place::Line(lines.line(span.start)),
                        format!("column {column}"),
                    )
                }
                None => (Place::File, String::new()),
            };
            problems.report(
                place,
                label,
                format!("this is not TOML: {}", error.message()),
                "",
            );
            None
        }
    }
}

/// Parses a value alone; the error is the parser's message.
pub(super) fn value(text: &str, place: Place) -> Result<Item, String> {
    let value = DeValue::parse(text).map_err(|error| error.message().to_owned())?;
    Ok(Item {
        place,
        node: convert(value.into_inner(), &|_| place),
    })
}

/// The recursion is as deep as the parser lets the text be: 80 levels of values, and 80 of keys.
fn convert(value: DeValue<'_>, place: &dyn Fn(usize) -> Place) -> Node {
    match value {
        DeValue::String(text) => Node::Text(text.into_owned()),
        DeValue::Integer(integer) => {
            Node::Integer(i128::from_str_radix(integer.as_str(), integer.radix()).ok())
        }
        // The parser has checked the form; whatever Rust cannot read is refused later as not finite.
        DeValue::Float(float) => Node::Real(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Node::Flag(flag),
        DeValue::Datetime(_) => Node::Date,
        DeValue::Array(array) => Node::Array(
            array
                .into_iter()
                .map(|item| {
                    let place_of_item = place(item.span().start);
                    Item {
                        place: place_of_item,
                        node: convert(item.into_inner(), place),
                    }
                })
                .collect(),
        ),
        DeValue::Table(table) => Node::Table(convert_table(table, place)),
    }
}

fn convert_table(table: DeTable<'_>, place: &dyn Fn(usize) -> Place) -> Table {
    let mut entries: Vec<(usize, Entry)> = table
        .into_iter()
        .map(|(key, item)| {
            let at = key.span().start;
            let item_place = place(item.span().start);
            let entry = Entry {
                key: key.into_inner().into_owned(),
                place: place(at),
                item: Item {
                    place: item_place,
                    node: convert(item.into_inner(), place),
                },
            };
            (at, entry)
        })
        .collect();
    // The parser sorts by key; the order of the text is the order of the sweeps.
    entries.sort_by_key(|(at, _)| *at);
    Table {
        entries: entries.into_iter().map(|(_, entry)| entry).collect(),
    }
}

/// Where the lines of a text begin.
struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    fn of(text: &str) -> Lines {
        let after_breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines {
            starts: std::iter::once(0)
                .chain(after_breaks.map(|(at, _)| at + 1))
                .collect(),
        }
    }

    /// The line of a byte, counted from one.
    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    /// The column of a byte in characters, counted from one.
    fn column(&self, text: &str, offset: usize) -> usize {
        let start = self.starts[self.line(offset) - 1];
        1 + text
            .get(start..offset)
            .map_or(offset - start, |before| before.chars().count())
    }
}

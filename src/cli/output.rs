//! Writing results to standard output; a reader that goes away is no error.

use super::Failure;
use std::io::{ErrorKind, Write};

/// Writes text to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::Failed(format!(
            "cannot write to standard output: {error}"
        ))),
        Ok(()) => Ok(()),
    }
}

/// Writes a JSON document to standard output.
pub fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}

/// Columns of the terminal; a hundred elsewhere.
pub fn width() -> u16 {
    terminal_size::terminal_size().map_or(100, |(width, _)| width.0)
}

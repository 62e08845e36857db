//! `queuefarm report`: one HTML page about a result file.

use super::{Failure, open, summary};
use crate::report::html;
use crate::statistics::Table;
use clap::Args;
use std::path::{Path, PathBuf};

/// Write one HTML page about a result file: what was run, the numbers, pictures, how sure they are
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  queuefarm report fig2.h5
  queuefarm report fig2.h5 -o report.html --force

The page needs no other file and no network: it can be sent, printed and kept. Pointing at a mark of a picture shows its
numbers.")]
pub struct Arguments {
    /// The result file
    file: PathBuf,
    /// The page; the result's name with .html by default
    #[arg(short, long, value_name = "REPORT.html")]
    output: Option<PathBuf>,
    /// Overwrite an existing page
    #[arg(long)]
    force: bool,
    /// Level of the intervals
    #[arg(long, default_value_t = 0.95, value_parser = summary::level)]
    confidence: f64,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = arguments.output.clone().unwrap_or_else(|| {
        let name = arguments.file.with_extension("html");
        PathBuf::from(name.file_name().unwrap_or_default())
    });
    check(&path, arguments)?;
    let results = open::results(&arguments.file)?;
    let table = Table::new(&results, arguments.confidence);
    let file = arguments.file.file_name().unwrap_or_default();
    let page = html::page(&results, &table, &file.to_string_lossy()).map_err(Failure::failed)?;
    write(&path, &page)?;
    eprintln!("wrote {}", path.display());
    Ok(())
}

/// Refuses a place where no page can or should be written, before the result is read.
fn check(path: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let page = (path.extension())
        .is_some_and(|end| end.eq_ignore_ascii_case("html") || end.eq_ignore_ascii_case("htm"));
    if !page {
        return Err(Failure::Usage(format!(
            "{}: a report is an HTML page; give the file's name the extension .html",
            path.display()
        )));
    }
    if path.exists() && !arguments.force {
        return Err(Failure::Usage(format!(
            "{} exists; add --force to overwrite it, or name another file with -o",
            path.display()
        )));
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => Err(Failure::Usage(format!(
            "the folder {} does not exist; create it first: mkdir -p {0}",
            folder.display()
        ))),
        None => Ok(()),
    }
}

/// The page appears complete or not at all.
fn write(path: &Path, page: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::Failed(format!("cannot write {}: {error}", path.display()))
    };
    let temporary = path.with_file_name(format!(".report-{}.tmp", std::process::id()));
    let written = std::fs::write(&temporary, page).and_then(|()| std::fs::rename(&temporary, path));
    written.map_err(|error| {
        // Nothing half-written stays; what could not be created cannot be removed.
        let _ = std::fs::remove_file(&temporary);
        failed(error)
    })
}

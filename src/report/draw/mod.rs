//! Writes a figure to a file: SVG or PNG, by the file's extension.
//!
//! Owns the choice of the format, the atomic write and its errors. What goes where on the page is
//! `page`'s; the pens are `canvas`'s and `raster`'s; the data of a figure are `report::figure`'s.

mod axes;
mod canvas;
mod font;
mod geometry;
mod heat;
pub(super) mod label;
mod legend;
mod look;
mod page;
mod range;
mod raster;
mod series;
#[cfg(test)]
mod series_tests;
mod spans;
mod spots;
mod ticks;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use crate::report::figure::Figure;
pub use spots::Spot;

/// Why a figure was not drawn.
#[derive(Debug, Error)]
pub enum DrawError {
    /// The file's extension names no format that can be drawn.
    #[error(
        "{}: a figure is drawn as .svg or .png; give the file's name one of these extensions",
        path.display()
    )]
    Extension {
        /// The file asked for.
        path: PathBuf,
    },
    /// The folder of the file does not exist, or is no folder.
    #[error("{}: the folder {} does not exist; create it first", path.display(), folder.display())]
    Folder {
        /// The file asked for.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// The file could not be written.
    #[error("{}: cannot write the figure: {reason}", path.display())]
    Write {
        /// The file asked for.
        path: PathBuf,
        /// What the operating system or the encoder said.
        reason: String,
    },
    /// The drawing library failed.
    #[error("cannot draw the figure: {reason}")]
    Drawing {
        /// What the library said.
        reason: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Svg,
    Png,
}

/// Draws `figure` into the file `path`, 1200 by 800, as SVG or PNG by its extension.
///
/// The file appears complete or not at all: it is written under a temporary name in the same
/// folder and renamed. Marks that cannot be shown (not finite, or outside a given range) are
/// left out and counted in a line under the plot.
///
/// # Errors
/// An extension other than `.svg` and `.png`, a missing folder, a file that cannot be written.
pub fn draw(figure: &Figure, path: &Path) -> Result<(), DrawError> {
    let format = format_of(path)?;
    let folder = folder_of(path)?;
    font::register()?;
    let failed = |reason: String| DrawError::Write {
        path: path.to_owned(),
        reason,
    };
    let temporary = Temporary::new(folder, format);
    match format {
        Format::Svg => {
            let text = canvas::svg(|canvas| page::paint(figure, canvas))?;
            fs::write(&temporary.0, text).map_err(|error| failed(error.to_string()))?;
        }
        Format::Png => {
            let pixels = raster::pixels(|canvas| page::paint(figure, canvas))?;
            // Asks the operating system first: its message is better than the encoder's.
            fs::File::create(&temporary.0).map_err(|error| failed(error.to_string()))?;
            raster::encode_png(&pixels, &temporary.0).map_err(failed)?;
        }
    }
    fs::rename(&temporary.0, path).map_err(|error| failed(error.to_string()))
}

/// Whether a figure could be drawn into the file `path`, as far as its name tells.
///
/// # Errors
/// An extension other than `.svg` and `.png`, a missing folder.
pub fn check(path: &Path) -> Result<(), DrawError> {
    format_of(path)?;
    folder_of(path).map(|_| ())
}

/// A picture for a page that answers to a pointer.
#[derive(Debug, Clone)]
pub struct Picture {
    /// The SVG document, 1200 by 800.
    pub svg: String,
    /// The places that have something to say.
    pub spots: Vec<Spot>,
}

/// Draws `figure` as SVG, and finds its marks on the page.
///
/// # Errors
/// What the drawing library said.
pub fn picture(figure: &Figure) -> Result<Picture, DrawError> {
    font::register()?;
    let svg = canvas::svg(|canvas| page::paint(figure, canvas))?;
    let spots = spots::spots(figure, &page::frame(figure));
    Ok(Picture { svg, spots })
}

fn format_of(path: &Path) -> Result<Format, DrawError> {
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("svg") => Ok(Format::Svg),
        Some("png") => Ok(Format::Png),
        _ => Err(DrawError::Extension {
            path: path.to_owned(),
        }),
    }
}

fn folder_of(path: &Path) -> Result<&Path, DrawError> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if folder.is_dir() {
        Ok(folder)
    } else {
        Err(DrawError::Folder {
            path: path.to_owned(),
            folder: folder.to_owned(),
        })
    }
}

/// The name of a file that is removed again unless it was renamed.
struct Temporary(PathBuf);

impl Temporary {
    fn new(folder: &Path, format: Format) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let extension = match format {
            Format::Svg => "svg",
            Format::Png => "png",
        };
        let process = std::process::id();
        Self(folder.join(format!(".figure-{process}-{count}.{extension}")))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Renamed or never created: then there is nothing to remove, and no one to tell.
        let _ = fs::remove_file(&self.0);
    }
}

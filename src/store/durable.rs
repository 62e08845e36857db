//! A file appears under its name whole or not at all.
//!
//! Owns the temporary name, the order of sync and rename, and the removal of what is left behind on
//! an error. Does not know what is in the file.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::StoreError;
use crate::faults;

/// Creates `path` through `fill`, which is given another name in the same folder to write to.
///
/// What `fill` has written and closed is synced to the disk before it gets its final name, and the
/// folder after, so that a crash of the machine leaves the old file or the new one. A file of that
/// name is replaced.
///
/// # Errors
/// Those of `fill`, and what the system refuses; the temporary file is then removed.
pub(super) fn create(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let fault = |doing| {
        move |source| StoreError::Io {
            path: path.to_owned(),
            doing,
            source,
        }
    };
    let mut temporary = reserve(path)?;
    if faults::strikes(faults::Kind::DiskFull) {
        return Err(fault("write")(io::ErrorKind::StorageFull.into()));
    }
    fill(&temporary.name)?;
    // Opened for writing because some systems do not sync what is open for reading only.
    let written = OpenOptions::new().write(true).open(&temporary.name);
    written
        .and_then(|file| file.sync_all())
        .map_err(fault("bring it to the disk"))?;
    fs::rename(&temporary.name, path).map_err(fault("give it its name"))?;
    temporary.renamed = true;
    sync_folder(path).map_err(fault("bring its folder to the disk"))
}

/// Whether `path` can be created, found out by letting `begin` begin to, under another name.
///
/// # Errors
/// What the system refuses, and those of `begin`.
pub(super) fn probe(
    path: &Path,
    begin: impl FnOnce(&Path) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let temporary = reserve(path)?;
    begin(&temporary.name)
}

fn reserve(path: &Path) -> Result<Temporary, StoreError> {
    let fault = |doing| {
        move |source| StoreError::Io {
            path: path.to_owned(),
            doing,
            source,
        }
    };
    // A rename would replace a device or a folder just as readily as a file.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        let source = io::Error::new(io::ErrorKind::IsADirectory, "it is not a regular file");
        return Err(fault("write")(source));
    }
    Temporary::reserve(path).map_err(fault("create a file beside it"))
}

/// The `n`-th temporary name of this process for `path`.
fn candidate(path: &Path, n: u32) -> Option<PathBuf> {
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(path.file_name()?);
    hidden.push(format!(".{}.{n}.tmp", std::process::id()));
    Some(path.with_file_name(hidden))
}

/// Removes what programs that were killed had begun to write for `path`. Nobody else may be writing to it.
pub fn sweep(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return;
    };
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let start = format!(".{}.", name.to_string_lossy());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let found = found.to_string_lossy();
        let middle = (found.strip_prefix(&start)).and_then(|rest| rest.strip_suffix(".tmp"));
        let numbers = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        if middle.is_some_and(numbers) && !begun().contains(&entry.path()) {
            // What cannot be removed is in nobody's way.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The temporary files of this process that have not got their names yet.
static BEGUN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn begun() -> MutexGuard<'static, Vec<PathBuf>> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes whatever this process has begun to write, for those who are about to end it.
pub fn abandon() {
    for name in std::mem::take(&mut *begun()) {
        // Nothing can be done about a failure here: the process is ending.
        let _ = fs::remove_file(name);
    }
}

/// A file that is removed when the value goes away, unless it has got another name by then.
struct Temporary {
    name: PathBuf,
    renamed: bool,
}

impl Temporary {
    /// Creates an empty file of a name that nobody else uses: `.NAME.PID.N.tmp`.
    ///
    /// The process number alone would not do: machines that share a folder share process numbers too.
    fn reserve(path: &Path) -> io::Result<Temporary> {
        let mut n = 0_u32;
        loop {
            let candidate = candidate(path, n).ok_or(io::ErrorKind::InvalidInput)?;
            match OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&candidate)
            {
                Ok(_) => {
                    begun().push(candidate.clone());
                    return Ok(Temporary {
                        name: candidate,
                        renamed: false,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && n < 1000 => n += 1,
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        begun().retain(|name| *name != self.name);
        if !self.renamed {
            // Nothing can be done about a failure here: the error that led here is the one to report.
            let _ = fs::remove_file(&self.name);
        }
    }
}

/// Makes the rename last. Some network file systems cannot do that and say so; then there is no more to be done.
fn sync_folder(path: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match File::open(folder)?.sync_all() {
        Err(e)
            if matches!(
                e.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        other => other,
    }
}

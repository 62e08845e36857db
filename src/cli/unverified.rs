//! Result files that have no checksum, read by a process of its own: the HDF5 library crashes or hangs on some broken ones.
//!
//! Owns the hidden command by which the program starts itself, its limits, and what is said when it ends badly. The
//! child writes what it has read as a new file, with a checksum, which is then read here.

use super::written::STORED_CONFIDENCE;
use super::{Failure, guard};
use crate::ensemble::Results;
use crate::report;
use crate::statistics::Table;
use crate::store;
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Read a result file under limits, and write it again with a checksum
#[derive(Debug, Args)]
pub struct Arguments {
    /// The file
    file: PathBuf,
    /// Where to write what it holds
    output: PathBuf,
    /// Bytes of memory
    #[arg(long)]
    memory: u64,
    /// Seconds of computing
    #[arg(long)]
    seconds: u64,
}

/// Reads a file in a process of its own.
pub fn read(path: &Path) -> Result<Results, Failure> {
    let failed = |what: String| Failure::Failed(format!("{}: {what}", path.display()));
    let size = fs::metadata(path).map_or(0, |file| file.len());
    let limits = guard::Limits::for_file_of(size);
    let place = Place::new().map_err(|error| {
        let folder = std::env::temp_dir();
        failed(format!(
            "it has no checksum, and there is no place for a safe copy: {}: {error}; name a folder in TMPDIR",
            folder.display()
        ))
    })?;
    let (output, said) = (place.0.join("copy.h5"), place.0.join("said"));
    let child = std::env::current_exe().and_then(|program| {
        let mut command = Command::new(program);
        command
            .arg("read-unverified")
            .arg(format!("--memory={}", limits.memory))
            .arg(format!("--seconds={}", limits.seconds))
            .arg("--")
            .args([path, &output])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&said)?);
        guard::run(&mut command, limits.patience())
    });
    let end = child.map_err(|error| {
        failed(format!(
            "it has no checksum, and the process to read it in does not start: {error}"
        ))
    })?;
    let said = fs::read(&said).unwrap_or_default();
    match guard::verdict(end, &String::from_utf8_lossy(&said), limits) {
        guard::Verdict::Done => {}
        guard::Verdict::Refused(message) => return Err(Failure::Failed(message)),
        guard::Verdict::Died(how) => {
            return Err(failed(format!(
                "it has no checksum, and {how}; it seems to be damaged: restore the file from a copy or run its experiment again"
            )));
        }
    }
    let results = store::read(&output).map_err(Failure::failed)?;
    eprintln!(
        "note: {} has no checksum: another program has edited it, or an older queuefarm wrote it; nothing vouches for its numbers",
        path.display()
    );
    Ok(results)
}

/// The child: runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    guard::limit_this_process(guard::Limits {
        memory: arguments.memory,
        seconds: arguments.seconds,
    });
    let results = store::read_unverified(&arguments.file).map_err(Failure::failed)?;
    let table = Table::new(&results, STORED_CONFIDENCE);
    let stored = report::stored(&results, &table);
    store::write(&arguments.output, &results, &stored).map_err(Failure::failed)
}

/// A folder for one copy, nobody else's, that goes away with the value.
struct Place(PathBuf);

impl Place {
    fn new() -> std::io::Result<Place> {
        let mut number = [0; 8];
        getrandom::fill(&mut number).map_err(std::io::Error::other)?;
        let name = format!("queuefarm-{:016x}", u64::from_le_bytes(number));
        let folder = std::env::temp_dir().join(name);
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        Ok(Place(folder))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Nothing depends on it; temporary folders are emptied by the system in the end.
        let _ = fs::remove_dir_all(&self.0);
    }
}

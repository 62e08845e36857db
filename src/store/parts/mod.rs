//! Finished work in a folder beside the result, so that a run can go on where it was stopped.
//!
//! Owns the folder: which experiment it belongs to, who may work in it, its removal. `part` is one file of finished work,
//! `writer` makes them while a run goes on, `load` reads them back. Nothing in here is opened by the HDF5 library.
//!
//! A folder holds `experiment.json` (the manifest), part files, and locks. A part's name is the beginning of its own
//! checksum: files of several machines never collide, and no order of writing matters.

mod load;
mod manifest;
mod part;
mod writer;

pub use load::{Damaged, Loaded, Overlap};
pub use part::Piece;
pub use writer::Writer;

use super::{StoreError, durable};
use crate::experiment::Experiment;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The ending of part files.
const ENDING: &str = "part";
/// Who does all that is missing.
pub const WHOLE: &str = "run";
/// How often somebody at work is asked for again before he is believed to stay.
const LOCK_TRIES: u32 = 10;
/// The file that says which experiment the parts are of.
const MANIFEST: &str = "experiment.json";

/// The folder of parts of one experiment.
#[derive(Debug)]
pub struct Parts {
    folder: PathBuf,
    /// BLAKE3 of the experiment's identity and of the stream of random numbers.
    identity: String,
    /// Held open for the lock on it.
    _lock: Option<File>,
}

impl Parts {
    /// Where a run with that output keeps its parts.
    pub fn beside(output: &Path) -> PathBuf {
        let mut name = OsString::from(output);
        name.push(".parts");
        PathBuf::from(name)
    }

    /// The experiment that the parts of a folder are of, or none when there is no such folder.
    ///
    /// # Errors
    /// When the folder is there and does not say.
    pub fn experiment(folder: &Path) -> Result<Option<Experiment>, StoreError> {
        if fs::metadata(folder).is_ok_and(|found| !found.is_dir()) {
            return Err(StoreError::Io {
                path: folder.to_owned(),
                doing: "keep parts of the run in it",
                source: std::io::Error::new(
                    std::io::ErrorKind::NotADirectory,
                    "it is no folder; move it away, or name another output with -o",
                ),
            });
        }
        let path = folder.join(MANIFEST);
        match fs::read(&path) {
            Ok(bytes) => manifest::experiment(&path, &bytes).map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                if parts_in(folder).is_ok_and(|parts| !parts.is_empty()) {
                    return Err(StoreError::NoManifest {
                        path,
                        what: "it is missing".to_owned(),
                    });
                }
                Ok(None)
            }
            Err(source) => Err(StoreError::Io {
                path,
                doing: "read",
                source,
            }),
        }
    }

    /// The folder for parts of `experiment`; it is made when the first part is written.
    ///
    /// # Errors
    /// [`StoreError::OtherExperiment`] when it has parts of another one, and those of [`Parts::experiment`].
    pub fn open(folder: &Path, experiment: &Experiment) -> Result<Parts, StoreError> {
        if let Some(there) = Parts::experiment(folder)? {
            let difference = manifest::difference(&there, experiment);
            if let Some(difference) = difference {
                return Err(StoreError::OtherExperiment {
                    path: folder.to_owned(),
                    difference,
                });
            }
        }
        Ok(Parts {
            folder: folder.to_owned(),
            identity: manifest::digest(experiment),
            _lock: None,
        })
    }

    /// Makes the folder, if it is not there, and keeps others of that role out of it.
    ///
    /// Where the file system has no locks, nobody is kept out; work that is done twice is noticed when it is read.
    ///
    /// # Errors
    /// [`StoreError::InUse`] when another program is at work, and what the system refuses.
    pub fn occupy(&mut self, experiment: &Experiment, role: &str) -> Result<(), StoreError> {
        let refused = |path: &Path, doing: &'static str| {
            let path = path.to_owned();
            move |source| StoreError::Io {
                path,
                doing,
                source,
            }
        };
        fs::create_dir_all(&self.folder).map_err(refused(&self.folder, "create the folder"))?;
        let path = self.folder.join(format!("{role}.lock"));
        let lock = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(refused(&path, "create"))?;
        // Whoever only looks who is at work holds the lock for a moment.
        let mut tries = 0;
        while let Err(TryLockError::WouldBlock) = lock.try_lock() {
            if tries == LOCK_TRIES {
                return Err(self.in_use("another run"));
            }
            tries += 1;
            std::thread::sleep(Duration::from_millis(50));
        }
        self._lock = Some(lock);
        // A run would do, and at last remove, what shards are doing.
        let others = Parts::at_work(&self.folder);
        let other =
            (others.iter()).find(|other| *other != role && (role == WHOLE || *other == WHOLE));
        if let Some(other) = other {
            self._lock = None;
            return Err(self.in_use(&format!("another program ({other})")));
        }
        self.introduce(experiment)
    }

    fn in_use(&self, who: &str) -> StoreError {
        StoreError::InUse {
            path: self.folder.clone(),
            who: who.to_owned(),
        }
    }

    /// The numbers of shards that have worked in a folder, as in `shard-3-of-8`.
    pub fn numbers_of_shards(folder: &Path) -> Vec<u32> {
        let mut numbers: Vec<u32> = (fs::read_dir(folder).into_iter().flatten().flatten())
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let (_, of) = name
                    .strip_prefix("shard-")?
                    .strip_suffix(".lock")?
                    .split_once("-of-")?;
                of.parse().ok()
            })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Who is at work in a folder: `run`, `shard-3-of-8`. None where the file system has no locks.
    pub fn at_work(folder: &Path) -> Vec<String> {
        let mut roles = Vec::new();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let role = path.file_stem().unwrap_or_default().to_string_lossy();
            let lock = path.extension().is_some_and(|end| end == "lock");
            let held = || {
                let file = File::open(&path).ok()?;
                Some(matches!(
                    file.try_lock_shared(),
                    Err(TryLockError::WouldBlock)
                ))
            };
            if lock && held() == Some(true) {
                roles.push(role.into_owned());
            }
        }
        roles.sort();
        roles
    }

    /// Whether this program is at work in the folder.
    pub fn occupied(&self) -> bool {
        self._lock.is_some()
    }

    /// Writes what the folder is about, unless it is there.
    fn introduce(&self, experiment: &Experiment) -> Result<(), StoreError> {
        let path = self.folder.join(MANIFEST);
        if path.exists() {
            return Ok(());
        }
        let text = manifest::text(experiment);
        durable::create(&path, |temporary| {
            fs::write(temporary, &text).map_err(|source| StoreError::Io {
                path: path.clone(),
                doing: "write",
                source,
            })
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes the parts, and the folder if nothing else is in it.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn remove(self) -> Result<(), StoreError> {
        let refused = |source| StoreError::Io {
            path: self.folder.clone(),
            doing: "remove the parts in it",
            source,
        };
        if !self.folder.is_dir() {
            return Ok(());
        }
        let ours = |name: &str| {
            name == MANIFEST
                || [".part", ".lock", ".tmp"]
                    .iter()
                    .any(|end| name.ends_with(end))
        };
        // The experiment goes last: parts without it would be nobody's.
        let mut files: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(refused)? {
            let name = entry.map_err(refused)?.file_name();
            if name.to_str().is_some_and(ours) {
                files.push(self.folder.join(name));
            }
        }
        files.sort_by_key(|path| path.file_name().is_some_and(|name| name == MANIFEST));
        for file in files {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(refused(error));
                }
                _ => {}
            }
        }
        match fs::remove_dir(&self.folder) {
            // What others have put there is theirs.
            Err(error) if error.kind() == std::io::ErrorKind::DirectoryNotEmpty => Ok(()),
            other => other.map_err(refused),
        }
    }
}

/// The part files of a folder, by name.
fn parts_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut parts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !hidden && path.extension().is_some_and(|end| end == ENDING) {
            parts.push(path);
        }
    }
    parts.sort();
    Ok(parts)
}

//! What can go wrong with a result file, in words for the person whose file it is.
//!
//! Owns the texts. Does not decide what is wrong (see `write`, `read` and `durable`).

use std::fmt;
use std::io;
use std::path::PathBuf;

/// A result file could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such file.
    #[error("{}: no such file", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The operating system refused something.
    #[error("{}: cannot {doing}: {source}{}", path.display(), Remedy(.source.kind()))]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The file is something else than HDF5.
    #[error(
        "{}: not an HDF5 file ({what}); a result file is what `queuefarm run FILE.toml -o OUT.h5` writes",
        path.display()
    )]
    NotHdf5 {
        /// The file.
        path: PathBuf,
        /// How that can be seen.
        what: &'static str,
    },
    /// The file is HDF5, but of another program.
    #[error(
        "{}: an HDF5 file, but not one that queuefarm wrote (the attribute `program` is {found})",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What stands where the program's name is expected.
        found: String,
    },
    /// The file was written by a program that knows more than this one.
    #[error(
        "{}: written by queuefarm {program} with {what} version {found}, this program reads up to {known}; \
         use queuefarm {program} or newer",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Which version: `schema` or `stream`.
        what: &'static str,
        /// The version in the file.
        found: u32,
        /// The newest version that this program reads.
        known: u32,
        /// The version of the program that wrote the file.
        program: String,
    },
    /// The file does not hold what its own description says.
    #[error("{}: damaged: {what}; restore the file from a copy or run its experiment again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was expected, and what was found.
        what: String,
    },
    /// The bytes of the file are not those that were written.
    #[error(
        "{}: damaged: its checksum says that it was changed after it was written (a fault of the disk or of a copy, \
         or an edit); restore the file from a copy or run its experiment again",
        path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Nothing tells whether the file is as it was written.
    #[error(
        "{}: it has no checksum at its end: it was cut short, or another program or an older queuefarm has written it last",
        path.display()
    )]
    Unverified {
        /// The file.
        path: PathBuf,
    },
    /// The file is whole, but its experiment means something else, or nothing, to this program.
    #[error(
        "{}: this program does not read the experiment as queuefarm {program} did, which wrote the file: {what}; \
         use queuefarm {program}",
        path.display()
    )]
    Experiment {
        /// The file.
        path: PathBuf,
        /// The version of the program that wrote the file.
        program: String,
        /// The difference.
        what: String,
    },
    /// A folder of parts belongs to another experiment.
    #[error("{}: parts of another experiment; with - what they are of, with + what is asked for:\n{difference}", path.display())]
    OtherExperiment {
        /// The folder.
        path: PathBuf,
        /// The lines that differ.
        difference: String,
    },
    /// Nothing says what the parts in a folder are of.
    #[error(
        "{}: {what}, so nobody knows what the parts beside it are of; copy the file from another folder of the same experiment \
         (all shards have the same), or remove the folder and what is done with it",
        path.display()
    )]
    NoManifest {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Another program works in a folder of parts.
    #[error("{}: {who} is at work on it; wait for its end, or name another output with -o", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
        /// Who: a run, or a shard.
        who: String,
    },
    /// The HDF5 library failed while writing.
    #[error("{}: cannot write {what}: {}", path.display(), Library(.detail))]
    Library {
        /// The file.
        path: PathBuf,
        /// The variable or attribute being written.
        what: String,
        /// What the library said.
        detail: String,
    },
    /// The results handed over do not fit together; nothing was written.
    #[error("{}: not written, the results are incomplete: {what}", path.display())]
    Incomplete {
        /// The file.
        path: PathBuf,
        /// What was expected, and what was handed over.
        what: String,
    },
}

/// The advice that goes with a kind of system error, empty where there is none to give.
struct Remedy(io::ErrorKind);

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            io::ErrorKind::NotFound => "; create the folder first, or name another one with -o",
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "; change the permissions of the file and its folder, or name another place"
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FULL,
            io::ErrorKind::IsADirectory => "; name a file",
            _ => "",
        })
    }
}

/// What the library said, with advice where its words hide a full disk.
struct Library<'a>(&'a str);

impl fmt::Display for Library<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The library has no code for a full disk: it quotes the system's message, in English
        // because the program never sets a locale.
        if self.0.contains("No space left on device") || self.0.contains("Disk quota exceeded") {
            write!(f, "the disk is full{FULL}")
        } else if self.0.contains("unable to lock file") {
            f.write_str(
                "the file system has no locks, which the HDF5 library asks for; result files do not need them: \
                 run again with HDF5_USE_FILE_LOCKING=FALSE in the environment",
            )
        } else {
            f.write_str(self.0)
        }
    }
}

const FULL: &str = "; free some space, or name a place on another disk with -o";

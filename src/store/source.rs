//! A file being read: attributes and variables, each checked for presence, type and shape.
//!
//! Owns distrust: whatever does not look as it should is an error that names it. Does not know which
//! variables there are (see `read`).

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hdf5::types::VarLenUnicode;
use hdf5::{Dataset, H5Type};
use ndarray::ArrayD;

use super::sheet::rows;
use super::{StoreError, layout};

/// The first eight bytes of every HDF5 file.
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// Whether there is such a file and it begins as HDF5 does.
pub(super) fn check_start(path: &Path) -> Result<(), StoreError> {
    let io = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => StoreError::Missing {
            path: path.to_owned(),
        },
        _ => StoreError::Io {
            path: path.to_owned(),
            doing: "read it",
            source,
        },
    };
    // Opening a pipe would wait for somebody to write to it.
    if !fs::metadata(path).map_err(io)?.is_file() {
        let what = "it is not a regular file";
        return Err(io(io::Error::new(io::ErrorKind::IsADirectory, what)));
    }
    let mut start = Vec::new();
    let file = fs::File::open(path).map_err(io)?;
    file.take(SIGNATURE.len() as u64)
        .read_to_end(&mut start)
        .map_err(io)?;
    if start == SIGNATURE {
        return Ok(());
    }
    let what = if start.is_empty() {
        "it is empty"
    } else {
        "it begins otherwise"
    };
    Err(StoreError::NotHdf5 {
        path: path.to_owned(),
        what,
    })
}

/// An HDF5 file open for reading.
pub(super) struct Source {
    path: PathBuf,
    file: hdf5::File,
}

impl Source {
    /// Opens a file, if it is one and is HDF5.
    pub fn open(path: &Path) -> Result<Source, StoreError> {
        check_start(path)?;
        let path = path.to_owned();
        match hdf5::File::open(&path) {
            Ok(file) => Ok(Source { path, file }),
            Err(error) => {
                let what = format!("the HDF5 library cannot open it ({error})");
                Err(StoreError::Damaged { path, what })
            }
        }
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A text at the head of the file; none when there is no such attribute.
    pub fn text(&self, name: &str) -> Result<Option<String>, StoreError> {
        let Ok(attribute) = self.file.attr(name) else {
            return Ok(None);
        };
        let value: VarLenUnicode = attribute
            .read_scalar()
            .map_err(|error| self.damaged(format!("the attribute {name} is no text ({error})")))?;
        // The type says UTF-8, but only the bytes can tell.
        match String::from_utf8(value.as_bytes().to_vec()) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(self.damaged(format!("the attribute {name} is not UTF-8"))),
        }
    }

    /// A text that the schema promises.
    pub fn required(&self, name: &str) -> Result<String, StoreError> {
        self.text(name)?
            .ok_or_else(|| self.damaged(format!("the attribute {name} is missing")))
    }

    /// A number that the schema promises.
    pub fn number<T: H5Type>(&self, name: &str) -> Result<T, StoreError> {
        let missing = |_| self.damaged(format!("the attribute {name} is missing"));
        let attribute = self.file.attr(name).map_err(missing)?;
        let kind = attribute.dtype().is_ok_and(|found| found.is::<T>());
        if !kind || !attribute.is_scalar() {
            let expected = std::any::type_name::<T>();
            return Err(self.damaged(format!("the attribute {name} is not a number ({expected})")));
        }
        attribute
            .read_scalar()
            .map_err(|error| self.damaged(format!("the attribute {name}: {error}")))
    }

    /// A small variable of that shape, its last dimension the fastest.
    pub fn whole<T: H5Type>(&self, name: &str, shape: &[usize]) -> Result<Vec<T>, StoreError> {
        let dataset = self.dataset::<T>(name, shape)?;
        dataset
            .read_raw()
            .map_err(|error| self.damaged(format!("the variable {name}: {error}")))
    }

    /// A large variable of that shape: `take` is called for each point in turn with its values.
    ///
    /// # Errors
    /// Those of `take` are put down to the file.
    pub fn blocks<T: H5Type + Copy>(
        &self,
        name: &str,
        shape: &[usize],
        mut take: impl FnMut(usize, &[T]) -> Result<(), String>,
    ) -> Result<(), StoreError> {
        let fault = |what: String| self.damaged(format!("the variable {name}: {what}"));
        let dataset = self.dataset::<T>(name, shape)?;
        if shape.contains(&0) {
            return Ok(());
        }
        let per_chunk = layout::chunk(shape, size_of::<T>())[0];
        let stride: usize = shape[1..].iter().product();
        for first in (0..shape[0]).step_by(per_chunk) {
            let last = (first + per_chunk).min(shape[0]);
            let part: ArrayD<T> = dataset
                .read_slice(rows(first..last, shape.len()))
                .map_err(|error| fault(error.to_string()))?;
            let values = part.as_slice().unwrap_or_default();
            for (point, values) in (first..).zip(values.chunks_exact(stride)) {
                take(point, values).map_err(|what| fault(format!("point {point}: {what}")))?;
            }
        }
        Ok(())
    }

    /// The file does not hold what it should.
    pub fn damaged(&self, what: String) -> StoreError {
        StoreError::Damaged {
            path: self.path.clone(),
            what,
        }
    }

    fn dataset<T: H5Type>(&self, name: &str, shape: &[usize]) -> Result<Dataset, StoreError> {
        let missing = |_| self.damaged(format!("the variable {name} is missing"));
        let dataset = self.file.dataset(name).map_err(missing)?;
        let found = dataset.shape();
        if found != shape {
            let what = format!("the variable {name} has shape {found:?}, expected {shape:?}");
            return Err(self.damaged(what));
        }
        if !dataset.dtype().is_ok_and(|found| found.is::<T>()) {
            let expected = std::any::type_name::<T>();
            return Err(self.damaged(format!("the variable {name} is not of type {expected}")));
        }
        Ok(dataset)
    }
}

//! A file being written: variables over named dimensions, with units and compression.
//!
//! Owns how a variable becomes an HDF5 dataset that xarray understands. Does not know which
//! variables there are (see `write`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hdf5::types::VarLenUnicode;
use hdf5::{Dataset, H5Type, Hyperslab, Location};
use ndarray::{ArrayView1, ArrayViewD};

use super::{StoreError, layout, scale};

/// What a reader of the file is told about a variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct About<'a> {
    /// Unit, empty for pure numbers.
    pub unit: &'a str,
    /// One sentence.
    pub long_name: &'a str,
}

/// An HDF5 file open for writing, and the dimensions that it has so far.
pub(super) struct Sheet {
    path: PathBuf,
    file: hdf5::File,
    scales: BTreeMap<String, (usize, Dataset)>,
}

impl Sheet {
    /// Truncates and opens `temporary`; errors will speak of `path`.
    pub fn create(path: &Path, temporary: &Path) -> Result<Sheet, StoreError> {
        let file = hdf5::File::create(temporary)
            .map_err(|error| library(path, "the head of the file", error))?;
        Ok(Sheet {
            path: path.to_owned(),
            file,
            scales: BTreeMap::new(),
        })
    }

    /// Closes the file; whatever the library still holds back is written by this, and can fail.
    pub fn close(self) -> Result<(), StoreError> {
        let Sheet { path, file, scales } = self;
        // The library keeps a file open as long as one of its datasets is.
        drop(scales);
        file.flush()
            .map_err(|error| library(&path, "the end of the file", error))?;
        file.close()
            .map_err(|error| library(&path, "the end of the file", error))
    }

    /// Adds a text to the head of the file.
    pub fn text(&self, name: &str, text: &str) -> Result<(), StoreError> {
        attribute(&self.path, &self.file, name, text)
    }

    /// Adds a number to the head of the file.
    pub fn number<T: H5Type>(&self, name: &str, number: T) -> Result<(), StoreError> {
        let attr = self.file.new_attr::<T>().create(name);
        attr.and_then(|attr| attr.write_scalar(&number))
            .map_err(|error| library(&self.path, &format!("the attribute {name}"), error))
    }

    /// Adds the dimension `name` with its coordinates.
    pub fn dimension<T: H5Type>(
        &mut self,
        name: &str,
        coordinates: &[T],
        about: About<'_>,
    ) -> Result<(), StoreError> {
        let dataset = self.small(name, &[coordinates.len()], coordinates)?;
        scale::set(&dataset, name).map_err(|detail| self.refused(name, detail))?;
        self.describe(&dataset, about)?;
        self.scales
            .insert(name.to_owned(), (coordinates.len(), dataset));
        Ok(())
    }

    /// Adds a small variable, its values in the order of its dimensions, the last one fastest.
    pub fn variable<T: H5Type>(
        &self,
        name: &str,
        dimensions: &[&str],
        values: &[T],
        about: About<'_>,
    ) -> Result<(), StoreError> {
        let shape = self.shape(name, dimensions)?;
        let dataset = self.small(name, &shape, values)?;
        self.describe(&dataset, about)?;
        self.attach(&dataset, name, dimensions)
    }

    /// Adds a variable of texts over the points.
    pub fn words(&self, name: &str, words: &[&str], about: About<'_>) -> Result<(), StoreError> {
        let texts: Result<Vec<VarLenUnicode>, StoreError> = words
            .iter()
            .map(|word| unicode(&self.path, name, word))
            .collect();
        self.variable(name, &["point"], &texts?, about)
    }

    /// Adds a large variable: `fill` is called for each point in turn with zeros to replace, the
    /// values of that point in the order of the dimensions after the first, which is `point`.
    pub fn blocks<T: H5Type + Copy + Default>(
        &self,
        name: &str,
        dimensions: &[&str],
        about: About<'_>,
        mut fill: impl FnMut(usize, &mut [T]),
    ) -> Result<(), StoreError> {
        let shape = self.shape(name, dimensions)?;
        if shape.contains(&0) {
            return self.variable::<T>(name, dimensions, &[], about);
        }
        let chunk = layout::chunk(&shape, size_of::<T>());
        let per_chunk = chunk[0];
        let fault = |error| library(&self.path, name, error);
        let builder = self.file.new_dataset_builder().chunk(chunk);
        let builder = builder.shuffle().deflate(4).fletcher32();
        let dataset = builder
            .empty::<T>()
            .shape(shape.as_slice())
            .create(name)
            .map_err(fault)?;
        let stride: usize = shape[1..].iter().product();
        for first in (0..shape[0]).step_by(per_chunk) {
            let last = (first + per_chunk).min(shape[0]);
            let mut values = vec![T::default(); (last - first) * stride];
            for (i, point) in values.chunks_exact_mut(stride).enumerate() {
                fill(first + i, point);
            }
            let mut part = shape.clone();
            part[0] = last - first;
            let view = ArrayViewD::from_shape(part, &values).map_err(|e| fault(e.into()))?;
            dataset
                .write_slice(view, rows(first..last, shape.len()))
                .map_err(fault)?;
        }
        self.describe(&dataset, about)?;
        self.attach(&dataset, name, dimensions)
    }

    fn small<T: H5Type>(
        &self,
        name: &str,
        shape: &[usize],
        values: &[T],
    ) -> Result<Dataset, StoreError> {
        let dataset = self.file.new_dataset::<T>().shape(shape).create(name);
        dataset
            .and_then(|dataset| {
                dataset.write_raw(ArrayView1::from(values))?;
                Ok(dataset)
            })
            .map_err(|error| library(&self.path, name, error))
    }

    fn shape(&self, name: &str, dimensions: &[&str]) -> Result<Vec<usize>, StoreError> {
        let length = |dimension: &&str| match self.scales.get(*dimension) {
            Some((length, _)) => Ok(*length),
            None => Err(self.refused(name, format!("there is no dimension {dimension}"))),
        };
        dimensions.iter().map(length).collect()
    }

    fn attach(&self, dataset: &Dataset, name: &str, dimensions: &[&str]) -> Result<(), StoreError> {
        for (axis, dimension) in (0..).zip(dimensions) {
            if let Some((_, scale)) = self.scales.get(*dimension) {
                scale::attach(dataset, scale, axis).map_err(|detail| self.refused(name, detail))?;
            }
        }
        Ok(())
    }

    fn describe(&self, dataset: &Dataset, about: About<'_>) -> Result<(), StoreError> {
        // The netCDF conventions write the unit of a pure number as 1.
        let unit = if about.unit.is_empty() {
            "1"
        } else {
            about.unit
        };
        attribute(&self.path, dataset, "units", unit)?;
        attribute(&self.path, dataset, "long_name", about.long_name)
    }

    fn refused(&self, name: &str, detail: String) -> StoreError {
        StoreError::Library {
            path: self.path.clone(),
            what: name.to_owned(),
            detail,
        }
    }
}

/// All of the points `range`, as a selection in an array of `axes` axes.
pub(super) fn rows(range: std::ops::Range<usize>, axes: usize) -> Hyperslab {
    let mut selection = vec![hdf5::SliceOrIndex::from(..); axes];
    if let Some(first) = selection.first_mut() {
        *first = range.into();
    }
    selection.into()
}

fn attribute(path: &Path, place: &Location, name: &str, text: &str) -> Result<(), StoreError> {
    let value = unicode(path, name, text)?;
    let attr = place.new_attr::<VarLenUnicode>().create(name);
    attr.and_then(|attr| attr.write_scalar(&value))
        .map_err(|error| library(path, &format!("the attribute {name}"), error))
}

/// Texts have variable length, because fixed ones are limited to 64 KiB.
fn unicode(path: &Path, name: &str, text: &str) -> Result<VarLenUnicode, StoreError> {
    text.parse().map_err(|_| StoreError::Incomplete {
        path: path.to_owned(),
        what: format!("the text of {name} holds a NUL character, which the file cannot store"),
    })
}

fn library(path: &Path, what: &str, error: hdf5::Error) -> StoreError {
    StoreError::Library {
        path: path.to_owned(),
        what: what.to_owned(),
        detail: error.to_string(),
    }
}

//! Dimension scales: the two calls of HDF5's high-level library that give axes names and coordinates.
//!
//! Owns the only foreign calls of the store, and the argument why they are safe. The `hdf5` crate has
//! no bindings for them; everything else goes through that crate.

use std::ffi::{CString, c_char, c_int, c_uint};

use hdf5::Dataset;
use hdf5_sys::h5i::hid_t;

unsafe extern "C" {
    /// `herr_t H5DSset_scale(hid_t dsid, const char *dimname)`, negative on failure.
    fn H5DSset_scale(dsid: hid_t, dimname: *const c_char) -> c_int;
    /// `herr_t H5DSattach_scale(hid_t did, hid_t dsid, unsigned int idx)`, negative on failure.
    fn H5DSattach_scale(did: hid_t, dsid: hid_t, idx: c_uint) -> c_int;
}

/// Turns a one-dimensional dataset into the dimension scale `name`.
///
/// # Errors
/// When `name` holds a NUL or the library refuses; the library's own words are not kept.
pub(super) fn set(dataset: &Dataset, name: &str) -> Result<(), String> {
    let text = CString::new(name).map_err(|_| format!("the name {name:?} holds a NUL"))?;
    // SAFETY: the declaration is that of H5DSpublic.h. The identifier is valid during the call because
    // `dataset` owns a reference to it and is borrowed, the library checks what kind of object it is, and
    // `text` is NUL-terminated, outlives the call and is copied by it. The lock that `sync` holds is
    // the one that every call of the `hdf5` crate takes, so no other thread is inside the library.
    let status = hdf5::sync::sync(|| unsafe { H5DSset_scale(dataset.id(), text.as_ptr()) });
    done(status, || format!("cannot make {name} a dimension scale"))
}

/// Attaches the dimension scale `scale` to axis `axis` of `dataset`.
///
/// # Errors
/// When the library refuses, for instance because there is no such axis.
pub(super) fn attach(dataset: &Dataset, scale: &Dataset, axis: u32) -> Result<(), String> {
    // SAFETY: as above; both identifiers are kept alive by the borrowed datasets, and the library
    // checks that the second is a scale and that the first has the axis.
    let status = hdf5::sync::sync(|| unsafe { H5DSattach_scale(dataset.id(), scale.id(), axis) });
    done(status, || {
        format!("cannot attach {} to axis {axis}", scale.name())
    })
}

fn done(status: c_int, message: impl FnOnce() -> String) -> Result<(), String> {
    if status < 0 { Err(message()) } else { Ok(()) }
}

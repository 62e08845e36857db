//! Our own checksum of a file: BLAKE3 of all of it, in a line of text after its end.
//!
//! Owns the line and what it says about a file. HDF5 ignores what follows the end that its first block
//! states, so other readers do not notice the line; a program that changes the file through the HDF5
//! library cuts it off. Does not know what the bytes mean, nor what follows from a verdict.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Length of the line in bytes, whatever the file's length.
const LINE: usize = 128;
/// What the line begins with.
const START: &str = "\nqueuefarm blake3 ";
/// Bytes that are read at a time.
const PIECE: usize = 1 << 18;

/// BLAKE3 of bytes that come in pieces.
pub(crate) struct Hasher(blake3::Hasher);

impl Hasher {
    /// Of nothing so far.
    pub(crate) fn new() -> Hasher {
        Hasher(blake3::Hasher::new())
    }

    /// Adds bytes.
    pub(crate) fn with(mut self, bytes: &[u8]) -> Hasher {
        self.0.update(bytes);
        self
    }

    /// The checksum, as 64 hexadecimal digits.
    pub(crate) fn finish(self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

/// What the checksum says about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The bytes are those that were written.
    Whole,
    /// There is a checksum, of other bytes.
    Changed,
    /// There is none, or no more.
    Absent,
}

/// Appends the checksum of everything in the file to it.
///
/// # Errors
/// What the system refuses.
pub(super) fn seal(path: &Path) -> io::Result<()> {
    let (length, digest) = of(File::open(path)?)?;
    let mut file = OpenOptions::new().append(true).open(path)?;
    file.write_all(&line(length, &digest))
}

/// Compares a file with the checksum at its end.
///
/// # Errors
/// What the system refuses.
pub(super) fn verify(path: &Path) -> io::Result<Verdict> {
    let mut file = File::open(path)?;
    let all = file.metadata()?.len();
    let Some(length) = all.checked_sub(LINE as u64) else {
        return Ok(Verdict::Absent);
    };
    file.seek(SeekFrom::Start(length))?;
    let mut found = Vec::with_capacity(LINE);
    (&mut file).take(LINE as u64).read_to_end(&mut found)?;
    if !found.starts_with(START.as_bytes()) {
        return Ok(Verdict::Absent);
    }
    file.seek(SeekFrom::Start(0))?;
    let (length, digest) = of(file.take(length))?;
    Ok(if found == line(length, &digest) {
        Verdict::Whole
    } else {
        Verdict::Changed
    })
}

/// Length and checksum of all that can be read.
fn of(mut reader: impl Read) -> io::Result<(u64, String)> {
    let mut piece = vec![0; PIECE];
    let (mut length, mut hasher) = (0, Hasher::new());
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok((length, hasher.finish())),
            Ok(n) => {
                length += n as u64;
                hasher = hasher.with(&piece[..n]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn line(length: u64, digest: &str) -> Vec<u8> {
    let text = format!("{START}{digest} {length}");
    format!("{text:<width$}\n", width = LINE - 1).into_bytes()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn file(bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    #[test]
    fn the_checksum_is_blake3() {
        // The empty input and "abc", from the test vectors of BLAKE3's authors.
        let known = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(Hasher::new().finish(), known);
        let known = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
        assert_eq!(Hasher::new().with(b"a").with(b"bc").finish(), known);
        let bytes: Vec<u8> = (0..3 * PIECE + 5).map(|i| i as u8).collect();
        let (length, digest) = of(&bytes[..]).unwrap();
        assert_eq!(length, bytes.len() as u64);
        assert_eq!(digest, Hasher::new().with(&bytes).finish());
    }

    #[test]
    fn any_change_of_a_sealed_file_is_noticed() {
        for bytes in [&b""[..], b"x", &[7; 1000]] {
            let (_folder, path) = file(bytes);
            assert_eq!(verify(&path).unwrap(), Verdict::Absent);
            seal(&path).unwrap();
            assert_eq!(verify(&path).unwrap(), Verdict::Whole);
            let sealed = std::fs::read(&path).unwrap();
            assert_eq!(sealed.len(), bytes.len() + LINE);
            for i in (0..8 * sealed.len()).step_by(5) {
                let mut changed = sealed.clone();
                changed[i / 8] ^= 1 << (i % 8);
                std::fs::write(&path, &changed).unwrap();
                let start = bytes.len()..bytes.len() + START.len();
                let expected = if start.contains(&(i / 8)) {
                    Verdict::Absent
                } else {
                    Verdict::Changed
                };
                assert_eq!(verify(&path).unwrap(), expected, "bit {i}");
            }
        }
    }

    #[test]
    fn a_file_that_was_cut_or_extended_has_no_checksum_and_a_shifted_one_a_wrong_one() {
        let (_folder, path) = file(&[7; 1000]);
        seal(&path).unwrap();
        let sealed = std::fs::read(&path).unwrap();
        let given = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            verify(&path).unwrap()
        };
        for length in 0..sealed.len() {
            assert_eq!(given(&sealed[..length]), Verdict::Absent, "{length}");
        }
        assert_eq!(given(&[&sealed[..], b"x"].concat()), Verdict::Absent);
        assert_eq!(given(&sealed[1..]), Verdict::Changed);
        assert_eq!(given(&[b"x", &sealed[..]].concat()), Verdict::Changed);
    }
}

//! Broken result files: thousands of them, and whatever is in them, the program ends in time, within its memory and in words.
//!
//! A short campaign with a fixed seed is an ordinary test. `make fuzz` runs the long one.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

#[path = "common/seeds.rs"]
mod seeds;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Bytes at the end that hold the checksum.
const SEAL: usize = 128;
/// Most address space of the program and of its child, each, in kibibytes.
const MOST_KIB: u64 = 6 << 20;
/// Longest that the program may take: what it waits for a child, and some.
const MOST: Duration = Duration::from_secs(200);

/// SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// What the HDF5 library begins its structures with: next to these, a changed byte does most harm.
const STRUCTURES: [&[u8]; 6] = [b"\x89HDF", b"TREE", b"SNOD", b"HEAP", b"GCOL", b"OHDR"];

/// A place in the file, every other one near a structure of the library's.
fn place(bytes: &[u8], numbers: &mut Numbers) -> usize {
    if numbers.below(2) == 0 {
        return numbers.below(bytes.len());
    }
    let start = numbers.below(bytes.len());
    let structure = STRUCTURES[numbers.below(STRUCTURES.len())];
    let found = (bytes[start..].windows(structure.len())).position(|window| window == structure);
    let near = found.map_or(0, |at| start + at) + numbers.below(256);
    near.min(bytes.len() - 1)
}

/// Breaks a file in one of the ways that files break in.
fn damage(bytes: &mut Vec<u8>, numbers: &mut Numbers) -> &'static str {
    match numbers.below(8) {
        0..=2 => {
            let at = place(bytes, numbers);
            bytes[at] ^= 1 << numbers.below(8);
            "bit flipped"
        }
        3..=5 => {
            for _ in 0..=numbers.below(8) {
                let at = place(bytes, numbers);
                bytes[at] = [0, 1, 0x7f, 0x80, 0xff, numbers.next() as u8][numbers.below(6)];
            }
            "bytes changed"
        }
        6 => {
            let at = place(bytes, numbers);
            let end = (at + 1 + numbers.below(64)).min(bytes.len());
            bytes[at..end].fill([0, 0xff][numbers.below(2)]);
            "bytes blanked"
        }
        _ => {
            bytes.truncate(place(bytes, numbers));
            "cut short"
        }
    }
}

/// How the program ended, if it ended as it should.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    sealed_refused: u64,
    refused: u64,
    crashed: u64,
    out_of_time: u64,
    out_of_memory: u64,
    equal: u64,
    different: u64,
}

/// Runs `summary` on a file: its exit code, what it printed and what it said.
fn summary(folder: &Path, file: &Path) -> (Option<i32>, Vec<u8>, String) {
    let (out, said) = (folder.join("out"), folder.join("said"));
    let mut child = Command::new("sh")
        .args([
            "-c",
            &format!("ulimit -v {MOST_KIB} && exec \"$0\" summary --json \"$1\""),
        ])
        .arg(folder.join("queuefarm"))
        .arg(file)
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .stdout(fs::File::create(&out).unwrap())
        .stderr(fs::File::create(&said).unwrap())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > MOST {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{} takes longer than {MOST:?}", file.display());
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let said = String::from_utf8_lossy(&fs::read(&said).unwrap()).into_owned();
    (status.code(), fs::read(&out).unwrap(), said)
}

/// Breaks files until `enough` says so; those of interest are copied to `keep`.
fn campaign(seed: u64, keep: Option<PathBuf>, enough: impl Fn(u64) -> bool) -> (u64, Counts) {
    let folder = tempfile::tempdir().unwrap();
    // A copy, since the program may be built anew while a long campaign goes on.
    fs::copy(
        env!("CARGO_BIN_EXE_queuefarm"),
        folder.path().join("queuefarm"),
    )
    .unwrap();
    let whole: Vec<(String, Vec<u8>, Vec<u8>)> = seeds::write(folder.path())
        .into_iter()
        .map(|path| {
            let (code, printed, said) = summary(folder.path(), &path);
            assert_eq!(code, Some(0), "{said}");
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, fs::read(&path).unwrap(), printed)
        })
        .collect();
    let (mut counts, mut cases) = (Counts::default(), 0);
    while !enough(cases) {
        let mut numbers = Numbers(seed.wrapping_add(cases));
        let (name, bytes, printed) = &whole[numbers.below(whole.len())];
        let (mut bytes, seal) = {
            let (body, seal) = bytes.split_at(bytes.len() - SEAL);
            (body.to_vec(), seal)
        };
        let before = bytes.clone();
        let how = damage(&mut bytes, &mut numbers);
        if numbers.below(4) == 0 {
            damage(&mut bytes, &mut numbers);
        }
        let sealed = numbers.below(8) == 0;
        if sealed {
            bytes.extend_from_slice(seal);
        } else if numbers.below(16) == 0 {
            let more = numbers.below(4096);
            bytes.extend((0..more).map(|_| numbers.next() as u8));
        }
        let file = folder.path().join(format!("{name}-{seed}-{cases}.h5"));
        fs::write(&file, &bytes).unwrap();
        let (code, found, said) = summary(folder.path(), &file);
        let context = || {
            let kept = std::env::temp_dir().join(file.file_name().unwrap());
            fs::copy(&file, &kept).unwrap();
            format!("{how}: exit code {code:?}, see {}: {said}", kept.display())
        };
        let count = match code {
            Some(1) if sealed => {
                assert!(
                    said.contains("checksum") || !bytes.starts_with(b"\x89HDF\r\n\x1a\n"),
                    "{}",
                    context()
                );
                &mut counts.sealed_refused
            }
            Some(0) if sealed => {
                assert!(bytes[..bytes.len() - SEAL] == before, "{}", context());
                &mut counts.equal
            }
            Some(0) if found == *printed => &mut counts.equal,
            Some(0) => &mut counts.different,
            Some(1) if said.starts_with("error: ") && said.contains(".h5: ") => {
                if said.contains("crashed on it") {
                    &mut counts.crashed
                } else if said.contains("without an end") {
                    &mut counts.out_of_time
                } else if said.contains("takes more than") {
                    &mut counts.out_of_memory
                } else {
                    assert!(!said.contains("panicked"), "{}", context());
                    &mut counts.refused
                }
            }
            _ => panic!("{}", context()),
        };
        *count += 1;
        if let Some(keep) = &keep
            && [
                "crashed on it",
                "without an end",
                "takes more than",
                "failed (",
            ]
            .iter()
            .any(|word| said.contains(word))
        {
            fs::copy(&file, keep.join(file.file_name().unwrap())).unwrap();
            eprintln!("{how}: {said}");
        }
        fs::remove_file(&file).unwrap();
        cases += 1;
    }
    (cases, counts)
}

#[test]
fn a_hundred_broken_files_are_refused_in_words_or_read() {
    let (cases, counts) = campaign(1, None, |cases| cases == 120);
    eprintln!("{cases} files: {counts:?}");
    assert!(
        counts.sealed_refused > 5 && counts.refused > 20 && counts.equal > 5,
        "{counts:?}"
    );
}

/// Seconds from FUZZ_SECONDS, seed from FUZZ_SEED; files that crash or stall the library are copied to FUZZ_KEEP.
#[test]
#[ignore = "takes ten minutes: make fuzz"]
fn broken_files_for_ten_minutes() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let time = Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(600));
    let seed = number("FUZZ_SEED").unwrap_or(1 << 32);
    let keep = std::env::var_os("FUZZ_KEEP").map(PathBuf::from);
    let begun = Instant::now();
    let (cases, counts) = campaign(seed, keep, |_| begun.elapsed() > time);
    eprintln!("{cases} files from seed {seed}: {counts:?}");
}

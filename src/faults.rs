//! Faults made on purpose, so that tests can show what happens after them.
//!
//! Owns the variable QUEUEFARM_FAULTS, which is read once, and only where the Cargo feature `fault-injection` is on:
//! elsewhere nothing here does anything. A list of these, separated by commas:
//!
//! | text | what happens |
//! |---|---|
//! | `device-lost@2` | the device is destroyed before the second dispatch |
//! | `out-of-memory@1` | the first buffer of a device cannot be made for want of memory |
//! | `short-dispatch@3` | the third dispatch does half of its microsteps |
//! | `driver-panic@4` | the fourth time that a device is waited for ends in a panic |
//! | `wrong-answer@5` | the fifth unit that comes back from a device has a wrong bit |
//! | `disk-full@3` | the third file that is begun finds the disk full |
//! | `...@2..` | the same from the second time on |
//! | `part-seconds=0.05` | that many seconds of work go into a part file |
//!
//! A text that is none of these ends the program with exit code 2: a test must not pass because of a slip.

/// What can be made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    DeviceLost,
    OutOfMemory,
    ShortDispatch,
    #[cfg_attr(
        not(feature = "fault-injection"),
        expect(dead_code, reason = "only made where faults are")
    )]
    DriverPanic,
    WrongAnswer,
    DiskFull,
}

/// Whether this occasion is one that is to fail.
#[cfg(not(feature = "fault-injection"))]
#[inline(always)]
pub(crate) fn strikes(_: Kind) -> bool {
    false
}

/// Panics where this occasion is to end in a panic of the driver's interface.
#[cfg(not(feature = "fault-injection"))]
#[inline(always)]
pub(crate) fn panic_if_asked() {}

/// Seconds of work in a part file, where a test wants others than the program.
#[cfg(not(feature = "fault-injection"))]
#[inline(always)]
pub(crate) fn part_seconds() -> Option<f64> {
    None
}

#[cfg(feature = "fault-injection")]
pub(crate) use made::{panic_if_asked, part_seconds, strikes};

#[cfg(feature = "fault-injection")]
mod made {
    use super::Kind;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// The names of the kinds, in the order of their occasions in [`Faults`].
    const NAMES: [(&str, Kind); 6] = [
        ("device-lost", Kind::DeviceLost),
        ("out-of-memory", Kind::OutOfMemory),
        ("short-dispatch", Kind::ShortDispatch),
        ("driver-panic", Kind::DriverPanic),
        ("wrong-answer", Kind::WrongAnswer),
        ("disk-full", Kind::DiskFull),
    ];

    /// What the variable asks for.
    #[derive(Debug, Default)]
    pub(super) struct Faults {
        /// Kind, the first occasion that fails, and whether all later ones fail too.
        asked: Vec<(Kind, u64, bool)>,
        part_seconds: Option<f64>,
        occasions: [AtomicU64; NAMES.len()],
    }

    impl Faults {
        pub(super) fn parse(text: &str) -> Result<Faults, String> {
            let mut faults = Faults::default();
            for item in text
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
            {
                let refused = || format!("QUEUEFARM_FAULTS: \"{item}\" is not understood");
                if let Some((key, value)) = item.split_once('=') {
                    let value = value.parse().ok().filter(|seconds| *seconds > 0.0);
                    faults.part_seconds = value.filter(|_| key == "part-seconds");
                    faults.part_seconds.ok_or_else(refused)?;
                    continue;
                }
                let (name, when) = item.split_once('@').ok_or_else(refused)?;
                let kind = NAMES.iter().find(|(known, _)| *known == name);
                let (_, kind) = kind.ok_or_else(refused)?;
                let on = when.ends_with("..");
                let first = when.trim_end_matches("..").parse().map_err(|_| refused())?;
                faults.asked.push((*kind, first, on));
            }
            Ok(faults)
        }

        pub(super) fn strikes(&self, kind: Kind) -> bool {
            if !self.asked.iter().any(|(asked, ..)| *asked == kind) {
                return false;
            }
            let place = NAMES.iter().position(|(_, known)| *known == kind);
            let occasion = place.map_or(0, |place| {
                self.occasions[place].fetch_add(1, Ordering::Relaxed)
            }) + 1;
            self.asked.iter().any(|&(asked, first, on)| {
                asked == kind && (occasion == first || (on && occasion > first))
            })
        }
    }

    fn faults() -> &'static Faults {
        static FAULTS: OnceLock<Faults> = OnceLock::new();
        FAULTS.get_or_init(|| {
            let text = std::env::var("QUEUEFARM_FAULTS").unwrap_or_default();
            Faults::parse(&text).unwrap_or_else(|refused| {
                eprintln!("{refused}");
                std::process::exit(2)
            })
        })
    }

    pub(crate) fn strikes(kind: Kind) -> bool {
        faults().strikes(kind)
    }

    pub(crate) fn panic_if_asked() {
        if strikes(Kind::DriverPanic) {
            panic!("made to fail");
        }
    }

    pub(crate) fn part_seconds() -> Option<f64> {
        faults().part_seconds
    }
}

#[cfg(all(test, feature = "fault-injection"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::Kind;
    use super::made::Faults;

    #[test]
    fn the_occasions_that_were_asked_for_fail_and_no_others() {
        let faults = Faults::parse("device-lost@2, wrong-answer@3..").unwrap();
        let five = |kind| [(); 5].map(|()| faults.strikes(kind));
        assert_eq!(five(Kind::DeviceLost), [false, true, false, false, false]);
        assert_eq!(five(Kind::WrongAnswer), [false, false, true, true, true]);
        assert_eq!(five(Kind::OutOfMemory), [false; 5]);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in [
            "device-lost",
            "device-lots@1",
            "device-lost@x",
            "part-seconds=0",
            "parts=1",
        ] {
            assert!(Faults::parse(text).is_err(), "{text}");
        }
        assert!(Faults::parse("").is_ok() && Faults::parse("part-seconds=0.05").is_ok());
    }
}

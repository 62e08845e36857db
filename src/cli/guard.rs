//! A process under limits, and what its end means in words.
//!
//! Owns the limits, waiting no longer than they allow, and the names of signals. Does not know what the process does.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// What a process may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of address space, and of a file that it writes.
    pub memory: u64,
    /// Seconds of a processor.
    pub seconds: u64,
}

impl Limits {
    /// Enough for a whole result file of that many bytes: its numbers are rarely compressed more than thirty times, and
    /// are in memory twice; a megabyte is read and written in less than a second, and points are planned in some seconds.
    pub fn for_file_of(bytes: u64) -> Limits {
        Limits {
            memory: bytes.saturating_mul(64).saturating_add(4 << 30),
            seconds: 60 + (bytes >> 20),
        }
    }

    /// How long to wait for the end: longer than it may compute, since others may compute as well.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(3 * self.seconds)
    }
}

/// Limits this process, as far as the system can: elsewhere, others must end it in time.
pub fn limit_this_process(limits: Limits) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let values = [
            (Resource::As, limits.memory),
            (Resource::Fsize, limits.memory),
            (Resource::Cpu, limits.seconds),
            // No dump of all its memory when it crashes.
            (Resource::Core, 0),
        ];
        for (resource, value) in values {
            let maximum = getrlimit(resource).maximum;
            let value = maximum.map_or(value, |maximum| value.min(maximum));
            let limit = Rlimit {
                current: Some(value),
                maximum,
            };
            // What the system does not limit, it does not: waiting is limited in any case.
            let _ = setrlimit(resource, limit);
        }
    }
    #[cfg(not(unix))]
    let _ = limits;
}

/// Runs a command to its end, or for that long: then it is killed, and there is no status.
pub fn run(command: &mut Command, patience: Duration) -> io::Result<Option<ExitStatus>> {
    let (begun, mut pause) = (Instant::now(), Duration::from_millis(1));
    let mut child = command.spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(20));
    }
}

/// What the end of a process means.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It has done its work.
    Done,
    /// It has said why not.
    Refused(String),
    /// It has not come that far: how, in words that begin with its subject.
    Died(String),
}

/// The verdict on a process of this program that ended so and `said` that, or did not end.
pub fn verdict(end: Option<ExitStatus>, said: &str, limits: Limits) -> Verdict {
    let Some(status) = end else {
        let seconds = limits.patience().as_secs();
        return Verdict::Died(format!(
            "reading it was stopped after {seconds} s without an end"
        ));
    };
    if status.success() {
        return Verdict::Done;
    }
    let said = said.trim_end();
    if let (Some(1), Some(message)) = (status.code(), said.strip_prefix("error: ")) {
        return Verdict::Refused(message.to_owned());
    }
    let mebibytes = limits.memory >> 20;
    Verdict::Died(match signal(status) {
        _ if said.contains("memory allocation of") => {
            format!("reading it takes more than the {mebibytes} MiB that such a file may take")
        }
        Some("SIGXCPU") => format!(
            "reading it was stopped after {} s of computing without an end",
            limits.seconds
        ),
        Some("SIGKILL") => {
            "the process that read it was killed (SIGKILL), perhaps for want of memory".to_owned()
        }
        Some(name) => format!("the HDF5 library crashed on it ({name})"),
        None => format!(
            "the process that read it failed ({status}): {}",
            said.lines().next().unwrap_or("without a word")
        ),
    })
}

/// The name of the signal that ended a process, if one did.
#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<&'static str> {
    use std::os::unix::process::ExitStatusExt;
    let number = status.signal()?;
    let name = rustix::process::Signal::from_named_raw(number);
    use rustix::process::Signal;
    Some(match name {
        Some(Signal::SEGV) => "SIGSEGV",
        Some(Signal::BUS) => "SIGBUS",
        Some(Signal::ABORT) => "SIGABRT",
        Some(Signal::FPE) => "SIGFPE",
        Some(Signal::ILL) => "SIGILL",
        Some(Signal::KILL) => "SIGKILL",
        Some(Signal::XCPU) => "SIGXCPU",
        Some(Signal::XFSZ) => "SIGXFSZ",
        _ => "by a signal",
    })
}

/// No signals elsewhere.
#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<&'static str> {
    None
}

#[cfg(all(test, unix))]
#[path = "guard_tests.rs"]
mod tests;

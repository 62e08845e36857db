//! Stopping in order: signals and a limit of time become a reason to stop.
//!
//! Owns which signal means what. An interrupt is a person's (exit code 130), a termination the system's or a scheduler's
//! (75, like a limit of time): both leave a run that can go on. A second interrupt, or one while a file is being written,
//! ends the program at once, without a half-written file.

use crate::engine::{Stop, Watch};
use crate::store;
use std::sync::Arc;
use std::time::Duration;

/// Lets SIGINT and SIGTERM stop what `watch` looks after.
///
/// Where a handler cannot be set, signals end the program at once; finished parts stay.
#[cfg(unix)]
pub fn on_signals(watch: &Arc<Watch>) {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else {
        return;
    };
    let watch = Arc::clone(watch);
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let (why, code) = match signal {
                SIGINT => (Stop::Interrupt, 130),
                _ => (Stop::Terminate, 75),
            };
            let again = watch.stopped() && why == Stop::Interrupt;
            if store::assembling() || again {
                store::abandon();
                eprintln!(
                    "stopped at once: no result is written; what was kept before is gone on with by the same command"
                );
                std::process::exit(code);
            }
            watch.stop(why);
        }
    });
}

/// Elsewhere signals end the program at once; finished parts stay.
#[cfg(not(unix))]
pub fn on_signals(_watch: &Arc<Watch>) {}

/// Stops after some time.
pub fn after(limit: Duration, watch: &Arc<Watch>) {
    let watch = Arc::clone(watch);
    std::thread::spawn(move || {
        std::thread::sleep(limit);
        watch.stop(Stop::TimeLimit);
    });
}

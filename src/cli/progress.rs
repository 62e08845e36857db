//! Progress on standard error: a bar with rate and remaining time on a terminal, a plain line every few
//! seconds elsewhere, nothing when asked to be quiet.

use crate::engine::Watch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Between two plain lines.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// A large count in words of three digits: 1.23 G.
pub fn count(x: f64) -> String {
    let units = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    let unit = units.iter().find(|(size, _)| x >= *size);
    unit.map_or(format!("{x:.0}"), |(size, name)| {
        format!("{:.3}{name}", x / size).replacen(".000", "", 1)
    })
}

/// A number of things in words: 1 point, 2 points.
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The same where the plural has another ending.
pub fn counted_as(n: usize, one: &str, several: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { several })
}

/// A duration in words.
pub fn duration(seconds: f64) -> String {
    let rounded = if seconds < 0.1 {
        (seconds * 1e3).ceil() / 1e3
    } else if seconds < 10.0 {
        (seconds * 10.0).round() / 10.0
    } else {
        seconds.round()
    };
    Duration::try_from_secs_f64(rounded).map_or("for ever".to_owned(), |d| {
        humantime::format_duration(d).to_string()
    })
}

/// Shows progress towards `steps` until `work` is done.
pub fn show<T>(watch: &Watch, steps: u64, quiet: bool, what: &str, work: impl FnOnce() -> T) -> T {
    if quiet {
        return work();
    }
    let bar = std::io::stderr().is_terminal().then(|| {
        let style = ProgressStyle::with_template("{msg} {wide_bar} {percent}% {prefix} left {eta}");
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
        bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            .with_message("simulating")
    });
    let begun = Instant::now();
    let mut last = begun;
    let (tell, told) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let every = Duration::from_millis(100);
            while let Err(std::sync::mpsc::RecvTimeoutError::Timeout) = told.recv_timeout(every) {
                let (done, elapsed) = (watch.steps(), begun.elapsed().as_secs_f64());
                let rate = done as f64 / elapsed.max(1e-9);
                if let Some(bar) = &bar {
                    bar.set_prefix(format!("{} {what}/s", count(rate)));
                    bar.set_position(done);
                } else if last.elapsed() >= LINE_EVERY {
                    last = Instant::now();
                    let left = if done == 0 {
                        "unknown".to_owned()
                    } else {
                        duration(steps.saturating_sub(done) as f64 / rate)
                    };
                    eprintln!(
                        "simulating: {:.0} %, {} {what}/s, {left} left",
                        100.0 * done as f64 / steps.max(1) as f64,
                        count(rate)
                    );
                }
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        let result = work();
        drop(tell);
        result
    })
}

//! A headless browser that a test asks to show a page: run, or visibly skipped.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The browser of QUEUEFARM_CHROMIUM; none, with a visible line, without one. That is an error when REQUIRE_CHROMIUM=1.
pub fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("QUEUEFARM_CHROMIUM").filter(|name| !name.is_empty());
    if let Some(browser) = named {
        return Some(browser.into());
    }
    assert!(
        std::env::var_os("REQUIRE_CHROMIUM").as_deref() != Some(OsStr::new("1")),
        "REQUIRE_CHROMIUM=1, but QUEUEFARM_CHROMIUM names no browser"
    );
    // Not by eprintln, which the test runner keeps to itself when a test passes.
    let mut stderr = std::io::stderr();
    writeln!(
        stderr,
        "SKIPPED: set QUEUEFARM_CHROMIUM to a Chromium or Chrome"
    )
    .unwrap();
    None
}

/// What the browser prints when it is shown a page with these options.
pub fn show(browser: &Path, page: &Path, options: &[String]) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(options)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap_or_else(|error| panic!("cannot run {}: {error}", browser.display()));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

//! Programs in Python that a test asks: run, or visibly skipped.

use serde_json::Value;
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// What a script of tests/python prints when it is run with these arguments; none without a Python.
#[allow(dead_code, reason = "examples lie elsewhere")]
pub fn output_of(script: &str, arguments: &[&Path]) -> Option<Vec<u8>> {
    let arguments: Vec<&OsStr> = arguments.iter().map(|path| path.as_os_str()).collect();
    printed(&Path::new("tests/python").join(script), &arguments)
}

/// What a script of this repository prints when it is run with these arguments; none, with a visible line, without a
/// Python. That is an error when REQUIRE_PYTHON=1.
pub fn printed(script: &Path, arguments: &[&OsStr]) -> Option<Vec<u8>> {
    let Some(python) = std::env::var_os("QUEUEFARM_PYTHON") else {
        assert!(
            std::env::var_os("REQUIRE_PYTHON").as_deref() != Some(OsStr::new("1")),
            "REQUIRE_PYTHON=1, but QUEUEFARM_PYTHON names no Python"
        );
        // Not by eprintln, which the test runner keeps to itself when a test passes.
        let message = "SKIPPED: set QUEUEFARM_PYTHON to a Python with h5py, h5netcdf, xarray, matplotlib and scipy";
        let mut stderr = std::io::stderr();
        writeln!(stderr, "{message}").unwrap();
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
    let output = Command::new(&python).arg(script).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("cannot run {}: {error}", python.display()));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(output.stdout)
}

/// What a reference simulator answers to configurations: one answer each, as JSON.
#[allow(
    dead_code,
    reason = "a test that has a script of another kind does not ask"
)]
pub fn answers(script: &str, configurations: &[Value]) -> Option<Value> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("configurations.json");
    std::fs::write(&file, Value::from(configurations).to_string()).unwrap();
    let answers = output_of(script, &[&file])?;
    Some(serde_json::from_slice(&answers).unwrap())
}

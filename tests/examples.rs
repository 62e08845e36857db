//! The examples run as their README says, and what they draw is what the program says of the same files.
#![allow(clippy::unwrap_used)]

#[path = "common/python.rs"]
mod python;

use serde_json::Value;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// What the program prints on these arguments.
fn queuefarm(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_queuefarm"))
        .current_dir(folder)
        .env("NODEVICE_SELECT", "1")
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    output.stdout
}

/// Runs an experiment of data/experiments in the folder, with some keys replaced.
fn run(folder: &Path, name: &str, set: &[&str]) {
    let file = format!(
        "{}/data/experiments/{name}.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut arguments = vec!["run", &file, "--backend", "cpu", "--quiet"];
    for key in set {
        arguments.extend(["--set", key]);
    }
    queuefarm(folder, &arguments);
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_slice(&queuefarm(folder, arguments)).unwrap()
}

/// The numbers of a figure that examples/redraw.py drew in the folder; none without a Python.
fn redrawn(folder: &Path, figure: &str, files: &[&str], output: &str) -> Option<Value> {
    let path = |name: &str| folder.join(name).into_os_string();
    let mut arguments = vec![OsStr::new(figure).to_owned()];
    arguments.extend(files.iter().map(|file| path(file)));
    arguments.extend(["-o".into(), path(output), "--json".into()]);
    let arguments: Vec<&OsStr> = arguments.iter().map(|a| a.as_os_str()).collect();
    let printed = python::printed(Path::new("examples/redraw.py"), &arguments)?;
    Some(serde_json::from_slice(&printed).unwrap())
}

fn list(numbers: &Value, name: &str) -> Vec<Option<f64>> {
    let list = numbers[name].as_array().unwrap();
    list.iter().map(Value::as_f64).collect()
}

/// Two lists of numbers, one of which may be rounded otherwise in the last digits.
fn assert_same(what: &str, a: &[Option<f64>], b: &[Option<f64>], relative: f64) {
    assert_eq!(a.len(), b.len(), "{what}");
    assert!(!a.is_empty());
    for (index, pair) in a.iter().zip(b).enumerate() {
        let same = match pair {
            (Some(a), Some(b)) => (a - b).abs() <= relative * b.abs(),
            (a, b) => a == b,
        };
        assert!(same, "{what} {index}: {pair:?}");
    }
}

#[test]
fn fig_2_is_redrawn_from_its_files_with_the_numbers_of_the_summary() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let small = [
        "replicas=64",
        "batches=8",
        "warmup=500",
        "duration=500",
        "disinformation={list=[0,0.2,0.4]}",
    ];
    let files = ["fig2-top.h5", "fig2-bottom.h5"];
    for file in files {
        run(folder, file.trim_end_matches(".h5"), &small);
    }
    let Some(figure) = redrawn(folder, "fig2", &files, "fig2.png") else {
        return;
    };
    for (file, panel) in files.iter().zip(figure.as_array().unwrap()) {
        let summary = json(folder, &["summary", file, "--json"]);
        let points = summary["points"].as_array().unwrap();
        for (name, key) in [
            ("a_rms_scaled", "mean"),
            ("a_rms_scaled_lo", "lo"),
            ("a_rms_scaled_hi", "hi"),
            ("a_rms_scaled_theory", "theory"),
        ] {
            let of = |point: &Value| point["estimates"]["a_rms_scaled"][key].as_f64();
            let said: Vec<Option<f64>> = points.iter().map(of).collect();
            // Both read the same doubles.
            assert_same(&format!("{file} {name}"), &list(panel, name), &said, 1e-15);
        }
    }
    let png = std::fs::read(folder.join("fig2.png")).unwrap();
    assert!(
        png.starts_with(b"\x89PNG") && png.len() > 20_000,
        "{}",
        png.len()
    );
}

#[test]
fn a_tail_is_redrawn_from_counts_with_the_shares_intervals_and_law_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    run(
        folder,
        "redundancy-tail",
        &[
            "replicas=512",
            "batches=16",
            "duration=200",
            "servers={list=[10,30]}",
        ],
    );
    let Some(figure) = redrawn(folder, "tail", &["redundancy-tail.h5"], "tail.svg") else {
        return;
    };
    for (point, curve) in figure.as_array().unwrap().iter().enumerate() {
        let times = list(curve, "t").into_iter().flatten();
        let times: Vec<String> = times.map(|t| t.to_string()).collect();
        assert!(times.len() > 20, "{times:?}");
        let (at, point) = (times.join(","), point.to_string());
        let said = json(
            folder,
            &[
                "tail",
                "redundancy-tail.h5",
                "--at",
                &at,
                "--point",
                &point,
                "--json",
            ],
        );
        let rows = said["points"][0]["tail"].as_array().unwrap();
        assert!(rows.iter().all(|row| row["few_events"] == false));
        for (name, key, relative) in [
            ("t", "edge", 0.0),
            ("p", "p", 1e-14),
            ("se", "se", 1e-9),
            ("lo", "lo", 1e-7),
            ("hi", "hi", 1e-7),
            ("exact", "exact", 1e-7),
        ] {
            let said: Vec<Option<f64>> = rows.iter().map(|row| row[key].as_f64()).collect();
            let what = format!("{name} at point {point}");
            assert_same(&what, &list(curve, name), &said, relative);
        }
    }
    let svg = std::fs::read_to_string(folder.join("tail.svg")).unwrap();
    assert!(
        svg.contains("</svg>") && svg.len() > 20_000,
        "{}",
        svg.len()
    );
}

/// The commands of the README are those that exist: every file it names does, and so does every subcommand.
#[test]
fn the_readme_of_the_examples_types_what_there_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("examples/README.md")).unwrap();
    let mut files = 0;
    for word in readme.split_whitespace() {
        if word.starts_with("data/experiments/") || word.starts_with("examples/") {
            assert!(root.join(word).is_file(), "{word}");
            files += 1;
        }
    }
    assert!(files >= 5, "{files}");
}

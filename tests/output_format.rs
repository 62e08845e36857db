//! The result file: what is written comes back, and what is not as it should be is refused in words.
#![allow(clippy::unwrap_used)]

#[path = "output/synthetic.rs"]
mod synthetic;

use std::fs;
use std::path::{Path, PathBuf};

use hdf5::types::VarLenUnicode;
use queuefarm::ensemble::Results;
use queuefarm::store::{SCHEMA_VERSION, StoreError, read, read_unverified, write};
use synthetic::{RECORDED, estimates, experiment, results};
use tempfile::TempDir;

/// A folder that goes away, and the name of a file in it.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.h5");
    (folder, path)
}

fn written() -> (TempDir, PathBuf, Results) {
    let (folder, path) = place();
    let results = results(experiment(RECORDED), |point| 5 + point);
    write(&path, &results, &estimates(&results)).unwrap();
    (folder, path, results)
}

/// Changes a whole file with the HDF5 library.
fn edit(path: &Path, change: impl FnOnce(&hdf5::File)) {
    let file = hdf5::File::open_rw(path).unwrap();
    change(&file);
    file.close().unwrap();
}

fn set_text(file: &hdf5::File, name: &str, text: &str) {
    let text: VarLenUnicode = text.parse().unwrap();
    file.attr(name).unwrap().write_scalar(&text).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// What is said about a file that was changed by the test: its checksum, wrong or gone, is left aside.
fn refusal(path: &Path) -> StoreError {
    read_unverified(path).map(|_| ()).unwrap_err()
}

#[test]
fn what_is_written_is_read_back_equal() {
    let (_folder, path, results) = written();
    let back = read(&path).unwrap();
    assert_eq!(back.points, results.points);
    assert_eq!(back.plans, results.plans);
    assert_eq!(back.batches, results.batches);
    assert_eq!(back.provenance, results.provenance);
    assert_eq!(back.experiment.seed, u64::MAX);
    assert_eq!(back.experiment.source, RECORDED);
    assert_eq!(back.experiment.resolved(), results.experiment.resolved());
}

#[test]
fn results_without_recording_are_read_back_equal() {
    let (_folder, path) = place();
    let source = RECORDED.split("[record]").next().unwrap();
    let mut asked = experiment(source);
    asked.overrides = vec!["a = \"b\nc\"".to_owned(), "d=1".to_owned()];
    let results = results(asked, |_| 0);
    write(&path, &results, &estimates(&results)).unwrap();
    let back = read(&path).unwrap();
    assert_eq!(back.batches, results.batches);
    assert_eq!(back.experiment.overrides, results.experiment.overrides);
    let file = hdf5::File::open(&path).unwrap();
    for absent in ["tick", "trajectory", "ensemble_sum", "trajectories"] {
        assert!(!file.link_exists(absent), "{absent}");
    }
}

#[test]
fn sums_beyond_64_bits_are_exact() {
    let (_folder, path) = place();
    let mut results = results(experiment(RECORDED), |_| 2);
    let batch = &mut results.batches[1][2];
    batch.sums[0] = [(1 << 64) - 1, 1 << 64];
    batch.sums[1] = [(1 << 64) + 1, (1 << 120) + (1 << 64) + 7];
    batch.peaks[0] = (1 << 90) + 1;
    batch.ensemble[0] = [-1, i128::from(u64::MAX)];
    batch.ensemble[1] = [-(1 << 64) - 1, (1 << 100) + 1];
    write(&path, &results, &estimates(&results)).unwrap();
    assert_eq!(read(&path).unwrap().batches, results.batches);
}

#[test]
fn an_experiment_file_longer_than_64_kib_is_kept_verbatim() {
    let (_folder, path) = place();
    let source = format!("# {}\n{RECORDED}", "ü — long ".repeat(20_000));
    assert!(source.len() > 3 * 65_536);
    let results = results(experiment(&source), |_| 3);
    write(&path, &results, &estimates(&results)).unwrap();
    assert_eq!(read(&path).unwrap().experiment.source, source);
}

#[test]
fn every_axis_is_a_dimension_scale_with_a_name() {
    let (_folder, path, results) = written();
    let file = hdf5::File::open(&path).unwrap();
    let has = |dataset: &hdf5::Dataset, name: &str| {
        dataset
            .attr_names()
            .unwrap()
            .iter()
            .any(|found| found == name)
    };
    let mut scales = Vec::new();
    for dataset in file.datasets().unwrap() {
        let is_scale = has(&dataset, "CLASS");
        assert!(
            is_scale || has(&dataset, "DIMENSION_LIST"),
            "{}",
            dataset.name()
        );
        assert!(
            has(&dataset, "units") && has(&dataset, "long_name"),
            "{}",
            dataset.name()
        );
        if is_scale {
            scales.push(dataset.name().trim_start_matches('/').to_owned());
        }
    }
    let bins = results.plans[0]
        .histograms
        .iter()
        .map(|h| format!("{}_bin", h.name));
    let plain = ["point", "batch", "half", "tick", "trajectory"].map(str::to_owned);
    for expected in plain.into_iter().chain(bins) {
        assert!(
            scales.contains(&expected),
            "{expected} is not among {scales:?}"
        );
    }
}

#[test]
fn a_written_file_stands_alone_in_its_folder_and_replaces_an_older_one() {
    let (folder, path) = place();
    fs::write(&path, "older").unwrap();
    let results = results(experiment(RECORDED), |_| 1);
    write(&path, &results, &estimates(&results)).unwrap();
    assert_eq!(names(folder.path()), ["out.h5"]);
    assert!(read(&path).is_ok());
}

#[test]
fn incomplete_results_are_refused_and_leave_the_older_file_alone() {
    let (folder, path, results) = written();
    let before = fs::read(&path).unwrap();
    let all = estimates(&results);
    let refused = |change: &dyn Fn(&mut Results), word: &str| {
        let mut results = results.clone();
        change(&mut results);
        let error = write(&path, &results, &all).unwrap_err();
        assert!(matches!(error, StoreError::Incomplete { .. }), "{error}");
        assert!(error.to_string().contains(word), "{error}");
    };
    refused(
        &|r| r.batches[2][1].replicas -= 1,
        "point 2: batch 1: 2 of 3 replicas",
    );
    refused(&|r| drop(r.batches[0].pop()), "3 batches, expected 4");
    refused(&|r| drop(r.batches.pop()), "expected 4");
    refused(&|r| r.batches[0][0].counts.truncate(3), "3 counts");
    refused(
        &|r| r.batches[0][0].ensemble.truncate(3),
        "3 ticks of the ensemble",
    );
    refused(
        &|r| drop(r.batches[3][1].trajectories.pop()),
        "4 trajectories, expected 5",
    );
    let long = &|r: &mut Results| r.batches[0][0].ensemble.resize(1 << 20, [0; 2]);
    refused(long, "1048576 recorded ticks in a shorter span");
    refused(&|r| drop(r.plans.pop()), "3 plans, expected 4");
    refused(
        &|r| r.experiment.title = "a\0b".to_owned(),
        "the text of title holds a NUL",
    );
    let mut short = estimates(&results);
    short.columns[0].lo.pop();
    assert!(
        write(&path, &results, &short)
            .unwrap_err()
            .to_string()
            .contains("estimates of")
    );
    assert_eq!(names(folder.path()), ["out.h5"]);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_place_that_cannot_be_written_is_an_error_that_names_it() {
    let (folder, _) = place();
    let results = results(experiment(RECORDED), |_| 1);
    let missing = folder.path().join("nowhere").join("out.h5");
    let message = write(&missing, &results, &estimates(&results))
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("nowhere") && message.contains("create the folder"),
        "{message}"
    );
    let message = write(folder.path(), &results, &estimates(&results))
        .unwrap_err()
        .to_string();
    assert!(message.contains("not a regular file"), "{message}");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_newer_schema_is_refused_and_the_program_to_use_is_named() {
    let (_folder, path, _) = written();
    edit(&path, |file| {
        file.attr("schema_version")
            .unwrap()
            .write_scalar(&(SCHEMA_VERSION + 1))
            .unwrap();
        set_text(file, "program_version", "7.8.9");
        file.unlink("replicas").unwrap();
    });
    let error = refusal(&path);
    assert!(
        matches!(error, StoreError::Newer { what: "schema", .. }),
        "{error}"
    );
    assert!(
        error.to_string().contains("use queuefarm 7.8.9 or newer"),
        "{error}"
    );
}

#[test]
fn a_newer_stream_of_random_numbers_is_refused() {
    let (_folder, path, _) = written();
    edit(&path, |file| {
        file.attr("stream_version")
            .unwrap()
            .write_scalar(&u32::MAX)
            .unwrap()
    });
    assert!(matches!(
        refusal(&path),
        StoreError::Newer {
            what: "stream",
            found: u32::MAX,
            ..
        }
    ));
}

#[test]
fn a_file_that_is_missing_or_something_else_is_refused_as_such() {
    let (folder, path) = place();
    assert!(matches!(refusal(&path), StoreError::Missing { .. }));
    for content in ["", "\u{89}HDF", "title = \"an experiment\"\n"] {
        fs::write(&path, content).unwrap();
        assert!(
            matches!(refusal(&path), StoreError::NotHdf5 { .. }),
            "{content:?}"
        );
    }
    assert!(matches!(refusal(folder.path()), StoreError::Io { .. }));
    let file = hdf5::File::create(&path).unwrap();
    file.new_dataset::<u8>().create("x").unwrap();
    file.close().unwrap();
    assert!(matches!(refusal(&path), StoreError::Foreign { .. }));
}

#[test]
fn a_truncated_file_is_refused_wherever_it_ends() {
    let (_folder, path, _) = written();
    let whole = fs::read(&path).unwrap();
    // The last 128 bytes are the checksum, without which nothing is missing.
    let end = whole.len() - 128;
    for length in [8, 9, 100, 2048, end / 2, end - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let error = refusal(&path);
        assert!(
            matches!(error, StoreError::Damaged { .. }),
            "{length}: {error}"
        );
    }
}

#[test]
fn a_changed_byte_in_the_numbers_is_noticed() {
    let (_folder, path, results) = written();
    let histogram = format!("histogram_{}", results.plans[0].histograms[0].name);
    for name in ["replicas", &histogram, "trajectories", "ensemble_sum_high"] {
        let file = hdf5::File::open(&path).unwrap();
        let chunk = file.dataset(name).unwrap().chunk_info(0).unwrap();
        file.close().unwrap();
        let whole = fs::read(&path).unwrap();
        let mut changed = whole.clone();
        changed[(chunk.addr + chunk.size / 2) as usize] ^= 1;
        fs::write(&path, changed).unwrap();
        let error = refusal(&path);
        assert!(
            matches!(error, StoreError::Damaged { .. }),
            "{name}: {error}"
        );
        assert!(error.to_string().contains(name), "{name}: {error}");
        fs::write(&path, whole).unwrap();
    }
}

#[test]
fn a_variable_that_is_missing_or_of_another_shape_or_type_is_named() {
    let (_folder, path, results) = written();
    let sum = format!("sum_{}_high", results.experiment.model.sums[0]);
    let whole = fs::read(&path).unwrap();
    let check = |change: &dyn Fn(&hdf5::File), word: &str| {
        edit(&path, change);
        let message = refusal(&path).to_string();
        assert!(message.contains(word), "{message}");
        fs::write(&path, &whole).unwrap();
    };
    check(
        &|file| file.unlink(&sum).unwrap(),
        &format!("{sum} is missing"),
    );
    check(
        &|file| {
            file.unlink(&sum).unwrap();
            file.new_dataset::<u64>()
                .shape([4, 4, 3])
                .create(sum.as_str())
                .unwrap();
        },
        "has shape [4, 4, 3], expected [4, 4, 2]",
    );
    check(
        &|file| {
            file.unlink(&sum).unwrap();
            file.new_dataset::<f64>()
                .shape([4, 4, 2])
                .create(sum.as_str())
                .unwrap();
        },
        "is not of type u64",
    );
    check(
        &|file| file.delete_attr("resolved").unwrap(),
        "the attribute resolved is missing",
    );
}

#[test]
fn numbers_that_no_simulation_gives_are_refused() {
    let (_folder, path, results) = written();
    let sum = format!("sum_{}_high", results.experiment.model.sums[0]);
    let whole = fs::read(&path).unwrap();
    for (name, value) in [
        (sum.as_str(), u64::MAX),
        ("replicas", 4),
        ("recorded_ticks", 1 << 40),
    ] {
        edit(&path, |file| {
            let dataset = file.dataset(name).unwrap();
            dataset.write_raw(&vec![value; dataset.size()]).unwrap();
        });
        let error = refusal(&path);
        assert!(
            matches!(error, StoreError::Damaged { .. }),
            "{name}: {error}"
        );
        assert!(error.to_string().contains(name), "{error}");
        fs::write(&path, &whole).unwrap();
    }
}

#[test]
fn an_experiment_that_this_program_does_not_understand_is_no_damage() {
    let (_folder, path, results) = written();
    let whole = fs::read(&path).unwrap();
    edit(&path, |file| {
        set_text(file, "resolved", "model = \"unheard of\"\n")
    });
    assert!(matches!(refusal(&path), StoreError::Experiment { .. }));
    fs::write(&path, whole).unwrap();
    let width = format!("{}_width", results.plans[0].histograms[0].name);
    edit(&path, |file| {
        file.dataset(&width)
            .unwrap()
            .write_raw(&[1_u32, 1, 2, 1])
            .unwrap()
    });
    let error = refusal(&path);
    assert!(matches!(error, StoreError::Experiment { .. }), "{error}");
    assert!(error.to_string().contains("at point 2"), "{error}");
}

#[test]
fn the_page_on_the_format_names_every_attribute_and_every_kind_of_variable() {
    let (_folder, path, results) = written();
    let page = include_str!("../docs/output-format.md");
    let file = hdf5::File::open(&path).unwrap();
    for name in file.attr_names().unwrap() {
        assert!(page.contains(&format!("`{name}`")), "attribute {name}");
    }
    let model = results.experiment.model;
    let kinds = [
        (
            "PARAMETER",
            model.parameters.iter().map(|p| p.name).collect::<Vec<_>>(),
        ),
        (
            "ESTIMATE",
            model.observables.iter().map(|o| o.name).collect(),
        ),
        ("NAME", model.parameters.iter().map(|p| p.name).collect()),
        (
            "NAME",
            results.plans[0].histograms.iter().map(|h| h.name).collect(),
        ),
        (
            "NAME",
            (model.sums.iter().chain(model.peaks))
                .chain(model.maxima)
                .copied()
                .collect(),
        ),
    ];
    for name in file.member_names().unwrap() {
        // Names as whole words between underscores: `a` is not to be found in `histogram`.
        let framed = format!("_{name}_");
        let general = |(kind, names): &(&str, Vec<&str>)| {
            names.iter().any(|own| {
                let word = framed.replacen(&format!("_{own}_"), &format!("_{kind}_"), 1);
                word != framed && page.contains(&format!("`{}`", word.trim_matches('_')))
            })
        };
        let known = page.contains(&format!("`{name}`")) || kinds.iter().any(general);
        assert!(known, "variable {name}");
    }
}

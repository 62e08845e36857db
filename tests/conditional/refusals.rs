//! What has no such law, and what was asked for in a way that makes no sense.

use super::{STATIONARY, contains, queuefarm, run};

/// Runs an experiment, and expects the estimator to refuse it with all of some words.
fn refused(set: &[&str], arguments: &[&str], words: &[&str]) {
    let folder = run(
        STATIONARY,
        &[&["replicas=64", "duration=2", "start=empty"], set].concat(),
    );
    let mut command = queuefarm(folder.path());
    command.args(["tail", "out.h5"]).args(arguments);
    let mut assert = command.assert().code(2);
    for word in words {
        assert = assert.stderr(contains(*word));
    }
}

const CONDITIONAL: [&str; 2] = ["--estimator", "conditional"];

#[test]
fn laws_that_do_not_forget_are_refused_with_the_key_and_what_is_allowed() {
    refused(
        &["service=deterministic"],
        &CONDITIONAL,
        &[
            "point 0: service: with \"deterministic\"",
            "\"exponential\" only",
        ],
    );
    refused(
        &["copies_are=identical", "load=0.1"],
        &CONDITIONAL,
        &["copies_are: \"identical\"", "\"independent\""],
    );
    refused(
        &["policy=cancel_on_start"],
        &CONDITIONAL,
        &[
            "policy: with \"cancel_on_start\"",
            "\"cancel_on_completion\" and \"random\"",
        ],
    );
    refused(
        &["policy=fork_join", "needed=2", "load=0.1"],
        &CONDITIONAL,
        &["needed: 2 completions", "needed = 1 has it"],
    );
}

#[test]
fn arguments_that_do_not_go_together_are_refused_with_those_that_do() {
    let with = |more: [&'static str; 2]| [&CONDITIONAL[..], &more].concat();
    refused(
        &[],
        &with(["--quantiles", "0.5"]),
        &["--quantiles goes with --estimator counts"],
    );
    refused(
        &[],
        &with(["--histogram", "wait"]),
        &["is that of response"],
    );
    refused(
        &[],
        &with(["--subsample", "65"]),
        &["this file has 64 replicas"],
    );
    refused(
        &[],
        &["--subsample", "9"],
        &["--subsample goes with --estimator conditional"],
    );
    refused(&[], &["--estimator", "both"], &["counts, conditional"]);
    refused(&[], &with(["--point", "1"]), &["no point 1"]);
}

#[test]
fn other_models_are_refused_with_those_that_have_such_a_law() {
    let folder = tempfile::tempdir().unwrap();
    let mut new = queuefarm(folder.path());
    let starter = new.args(["new", "farm"]).assert().success();
    std::fs::write(
        folder.path().join("farm.toml"),
        &starter.get_output().stdout,
    )
    .unwrap();
    let mut command = queuefarm(folder.path());
    command.args([
        "run",
        "farm.toml",
        "-o",
        "out.h5",
        "--quiet",
        "--backend",
        "cpu",
    ]);
    command
        .args(["--set", "replicas=64", "--set", "batches=4"])
        .assert()
        .success();
    let mut command = queuefarm(folder.path());
    command.args(["tail", "out.h5"]).args(CONDITIONAL);
    let assert = command.assert().code(2);
    assert
        .stderr(contains("model = \"farm\" has no law"))
        .stderr(contains("redundancy with"));
}

#[test]
fn few_replicas_are_too_few() {
    let folder = run(STATIONARY, &["replicas=128"]);
    let mut command = queuefarm(folder.path());
    command
        .args(["tail", "out.h5", "--at", "1"])
        .args(CONDITIONAL);
    let assert = command.assert().success();
    assert.stdout(contains(
        "not reliable: 128 observations, and at least 400 are needed",
    ));
}

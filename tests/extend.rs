//! More batches for a result, and targets: the same bits as all batches at once, and honest endings.
#![allow(clippy::unwrap_used)]

#[path = "common/program.rs"]
mod program;

use program::{json, queuefarm};
use queuefarm::engine::{Cpu, Watch};
use queuefarm::ensemble::{Results, run};
use queuefarm::experiment::Experiment;
use queuefarm::store;

const DELAY: &str = "model = \"delay\"\nseed = 5\nwarmup = 20\nduration = 60\n[parameters]\nclients = { list = [20, 21] }\ninformation_delay = 3\ndisinformation = 0.2\n[record]\ntrajectories = 3\nensemble = true\nfrom = 10\nto = 30\n";
const REDUNDANCY: &str = "model = \"redundancy\"\nseed = 6\nwarmup = 0\nobserve = \"one\"\n[parameters]\nservers = 10\ncopies = 2\nload = 0.7\nstart = \"stationary\"\n";

fn experiment(text: &str, replicas: u32, batches: u32) -> Experiment {
    let text = format!("replicas = {replicas}\nbatches = {batches}\n{text}");
    Experiment::parse(&text, "t.toml", &[], None).unwrap_or_else(|problems| panic!("{problems}"))
}

fn simulated(text: &str, replicas: u32, batches: u32) -> Results {
    let mut cpu = Cpu::new(0).unwrap();
    run(
        &experiment(text, replicas, batches),
        &mut cpu,
        &Watch::new(),
    )
    .unwrap()
}

#[test]
fn extending_in_steps_gives_the_same_as_all_batches_at_once() {
    for text in [DELAY, REDUNDANCY] {
        let whole = simulated(text, 24 * 9, 9);
        let mut grown = simulated(text, 24 * 2, 2);
        let mut cpu = Cpu::new(1).unwrap();
        for more in [1, 6] {
            grown.extend(more, &mut cpu, &Watch::new()).unwrap();
        }
        assert_eq!(grown.batches, whole.batches);
        assert_eq!(grown.experiment.resolved(), whole.experiment.resolved());
        assert_eq!(grown.provenance.steps, whole.provenance.steps);
        // Not because nothing depends on the replicas' numbers.
        assert_ne!(whole.batches[0][0], whole.batches[0][8]);
    }
}

#[test]
fn a_file_that_was_extended_reads_as_one_that_was_whole_from_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("a.toml"), DELAY).unwrap();
    let sizes = |n: u32, b: u32| [format!("replicas={n}"), format!("batches={b}")];
    for (name, [replicas, batches]) in [("a.h5", sizes(32, 4)), ("b.h5", sizes(80, 10))] {
        let set = [
            "run", "a.toml", "-o", name, "-q", "--set", &replicas, "--set", &batches,
        ];
        assert!(queuefarm(folder, &set).status.success());
    }
    let said = json(&queuefarm(
        folder,
        &["extend", "a.h5", "--batches", "6", "-q", "--json"],
    ));
    assert_eq!(
        (&said["batches"], &said["replicas"]),
        (&10.into(), &80.into())
    );
    let [a, b] = ["a.h5", "b.h5"].map(|name| store::read(&folder.join(name)).unwrap());
    assert_eq!(a.batches, b.batches);
    assert_eq!(a.experiment.resolved(), b.experiment.resolved());
    assert_eq!(a.experiment.overrides, b.experiment.overrides);
    let summaries =
        ["a.h5", "b.h5"].map(|name| json(&queuefarm(folder, &["summary", name, "--json"])));
    assert_eq!(summaries[0]["points"], summaries[1]["points"]);

    // Refusals leave the file as it is.
    let before = std::fs::read(folder.join("a.h5")).unwrap();
    for (arguments, code, words) in [
        (
            &["extend", "a.h5", "--batches", "0"][..],
            2,
            "0 is not in 1..",
        ),
        (
            &["extend", "a.h5", "--batches", "4000000000"],
            1,
            "more than 4294967295",
        ),
        (
            &["extend", "a.h5", "--batches", "1", "-o", "b.h5"],
            2,
            "--force",
        ),
    ] {
        let output = queuefarm(folder, arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(words), "{said}");
    }
    assert!(std::fs::read(folder.join("a.h5")).unwrap() == before);
}

#[test]
fn a_target_adds_batches_until_the_interval_is_narrow_or_the_budget_is_spent() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let file = |target: &str| {
        let text = format!("replicas = 640\nbatches = 10\ntarget = {{ {target} }}\n{REDUNDANCY}");
        std::fs::write(folder.join("t.toml"), text).unwrap();
        json(&queuefarm(
            folder,
            &["run", "t.toml", "-o", "t.h5", "-q", "--force", "--json"],
        ))
    };
    let mean = "estimate = \"response_mean\", relative_half_width";
    let reached = file(&format!("{mean} = 0.02, max_replicas = 100000"));
    let target = &reached["target"];
    assert_eq!(target["reached"], true);
    let width = target["relative_half_width"].as_f64().unwrap();
    assert!(width <= 0.02 && width > 0.01, "{width}");
    let batches = u32::try_from(reached["batches"].as_u64().unwrap()).unwrap();
    assert!(batches > 10);
    // The same bits as so many batches at once.
    let whole = simulated(REDUNDANCY, 64 * batches, batches);
    let grown = store::read(&folder.join("t.h5")).unwrap();
    assert_eq!(grown.batches, whole.batches);

    let spent = file(&format!("{mean} = 0.0001, max_replicas = 2000"));
    assert_eq!(spent["target"]["reached"], false);
    assert_eq!(spent["target"]["spent"], "max_replicas");
    assert_eq!(spent["replicas"], 1984, "whole batches only");
    let spent = file(&format!("{mean} = 0.0000001, max_seconds = 0.3"));
    assert_eq!(spent["target"]["spent"], "max_seconds");
    let quantile =
        file("estimate = \"response_p999\", relative_half_width = 0.1, max_replicas = 200000");
    assert_eq!(quantile["target"]["reached"], true, "{quantile}");
}

#[test]
fn targets_that_make_no_sense_are_refused_in_words() {
    for (target, words) in [
        (
            "estimate = \"response_p999\", relative_half_width = 0.01, max_replicas = 10",
            "bins_an_octave = 128 would do",
        ),
        (
            "estimate = \"respons_mean\", relative_half_width = 0.01, max_replicas = 10",
            "response_mean",
        ),
        (
            "estimate = \"response_mean\", relative_half_width = 0, max_replicas = 10",
            "above zero",
        ),
        (
            "estimate = \"response_mean\", relative_half_width = 0.1",
            "max_seconds",
        ),
        (
            "relative_half_width = 0.1, max_replicas = 10",
            "no `estimate`",
        ),
    ] {
        let text = format!("target = {{ {target} }}\n{REDUNDANCY}");
        let said = Experiment::parse(&text, "t.toml", &[], None)
            .unwrap_err()
            .to_string();
        assert!(said.contains(words), "{said}");
    }
    let both = format!("duration = 3\n{REDUNDANCY}");
    let said = Experiment::parse(&both, "t.toml", &[], None)
        .unwrap_err()
        .to_string();
    assert!(said.contains("one observation"), "{said}");
}

#[test]
fn points_share_random_numbers_only_when_asked_to() {
    for (common, equal) in [(true, true), (false, false)] {
        let text = format!(
            "common_random_numbers = {common}\n{}",
            REDUNDANCY.replace("load = 0.7", "load = { list = [0.7, 0.7] }")
        );
        let found = simulated(&text, 64, 4);
        assert_eq!(found.batches[0] == found.batches[1], equal);
    }
}

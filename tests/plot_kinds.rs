//! Pictures of ensembles and heat maps: what they show, and what is said where there is nothing to show.

#![allow(clippy::unwrap_used)]

use assert_cmd::Command;
use std::path::Path;

const EXPERIMENT: &str = r#"title = "kinds"
model = "redundancy"
seed = 7
replicas = 512
batches = 16
warmup = 0
duration = 20
[parameters]
servers = { list = [4, 8] }
copies = 2
load = { list = [0.2, 0.5, 0.8] }
start = "stationary"
"#;
const RECORDED: &str = "[record]\nensemble = true\nto = 20\n";

fn queuefarm(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("queuefarm").unwrap();
    command.args(arguments).current_dir(folder);
    command
}

fn ran(experiment: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.toml"), experiment).unwrap();
    let run = ["run", "a.toml", "--backend", "cpu"];
    queuefarm(folder.path(), &run).assert().success();
    folder
}

fn drawn(folder: &Path, options: &[&str]) -> String {
    let plot = [&["plot", "a.h5", "-o", "a.svg"], options].concat();
    queuefarm(folder, &plot).assert().success();
    std::fs::read_to_string(folder.join("a.svg")).unwrap()
}

fn complaint(folder: &Path, options: &[&str]) -> String {
    let plot = [&["plot", "a.h5", "-o", "b.svg"], options].concat();
    let output = queuefarm(folder, &plot).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!folder.join("b.svg").exists());
    String::from_utf8(output.stderr).unwrap()
}

/// The estimates of the points, as a program reads them.
fn estimates(folder: &Path, name: &str) -> Vec<f64> {
    let output = queuefarm(folder, &["summary", "a.h5", "--json"])
        .output()
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let points = json["points"].as_array().unwrap();
    let mean = |point: &serde_json::Value| point["estimates"][name]["mean"].as_f64().unwrap();
    points.iter().map(mean).collect()
}

#[test]
fn a_heat_map_has_a_cell_a_point_with_its_number_and_a_bar_with_a_label() {
    let folder = ran(EXPERIMENT);
    let svg = drawn(folder.path(), &["--kind", "heatmap"]);
    for mean in estimates(folder.path(), "response_mean") {
        let decimals = (2.0 - mean.log10().floor()) as usize;
        let number = format!("\n{mean:.decimals$}\n");
        assert!(svg.contains(&number), "no {number:?}");
    }
    for text in [
        "load, ρ",
        "servers, N",
        "E[T] (mean service times)",
        "Theory is known for 6 cells",
    ] {
        assert!(svg.contains(text), "no {text}");
    }
    let other = drawn(
        folder.path(),
        &[
            "--kind",
            "heatmap",
            "--estimate",
            "busy_mean",
            "--x",
            "servers",
        ],
    );
    assert_ne!(svg, other);
}

#[test]
fn a_heat_map_of_anything_but_two_swept_parameters_is_refused_with_what_to_do() {
    let folder = ran(EXPERIMENT);
    let two = complaint(
        folder.path(),
        &["--kind", "heatmap", "--estimate", "response_mean,wait_mean"],
    );
    assert!(two.contains("one estimate"), "{two}");
    let folder = ran(&EXPERIMENT.replace("{ list = [4, 8] }", "4"));
    let one = complaint(folder.path(), &["--kind", "heatmap"]);
    assert!(
        one.contains("takes two swept parameters") && one.contains("load"),
        "{one}"
    );
    let folder = ran(&EXPERIMENT.replace("copies = 2", "copies = { list = [1, 2] }"));
    let three = complaint(folder.path(), &["--kind", "heatmap"]);
    assert!(three.contains("several points have the same"), "{three}");
}

#[test]
fn an_ensemble_is_a_band_a_point_with_the_mean_of_the_steady_state() {
    let folder = ran(&format!("{EXPERIMENT}{RECORDED}"));
    let all = drawn(folder.path(), &["--kind", "ensemble"]);
    assert_eq!(all.matches("mean ± s.d.").count(), 6);
    assert!(all.contains("mean in the steady"));
    let some = drawn(folder.path(), &["--kind", "ensemble", "--point", "0,5"]);
    assert_eq!(some.matches("mean ± s.d.").count(), 2);
    let beyond = complaint(folder.path(), &["--kind", "ensemble", "--point", "6"]);
    assert!(beyond.contains("there is no point 6: the result has 6, from 0 on"));
}

#[test]
fn what_the_file_says_of_its_x_axis_does_not_hold_for_another() {
    let swept = EXPERIMENT.replace("copies = 2\n", "copies = { list = [1, 2, 4] }\n");
    let swept = swept.replace("servers = { list = [4, 8] }", "servers = 8");
    let plain = "[plot]\nestimate = \"queue_normalised\"\nx = \"copies\"\n";
    let own = ran(&format!(
        "{swept}{plain}vertical = \"optimal_copies\"\nlog = \"x\"\n"
    ));
    let without = ran(&format!("{swept}{plain}"));
    let own_drawn = drawn(own.path(), &[]);
    assert!(own_drawn.contains("Vertical lines: optimal d of each series."));
    assert_ne!(own_drawn, drawn(without.path(), &[]));
    assert_eq!(own_drawn, drawn(own.path(), &["--x", "copies"]));
    let other = drawn(own.path(), &["--x", "load"]);
    assert_eq!(other, drawn(without.path(), &["--x", "load"]));
    assert!(!other.contains("Vertical lines"));
}

#[test]
fn estimates_of_one_kind_share_its_name_on_the_axis() {
    let folder = ran(
        "title = \"kinds\"\nmodel = \"selfish-pure\"\nseed = 7\nreplicas = 64\nbatches = 16\nwarmup = 0\nduration = 2\n\
                      [parameters]\nservers = 3\nrates = [1, 1, 2, 2]\nload = { list = [0.1, 0.2] }\ncosts = [\"power\", \"mm1\"]\n",
    );
    let drawn = drawn(folder.path(), &["--estimate", "price_power,price_mm1"]);
    assert_eq!(
        drawn.matches("worst f / f(opt)").count(),
        1,
        "on the axis alone"
    );
    assert!(
        drawn.contains(">mm1<") || drawn.contains("\nmm1\n"),
        "in the legend"
    );
}

#[test]
fn an_ensemble_that_was_not_recorded_is_not_drawn_and_said_how_to_record() {
    let folder = ran(EXPERIMENT);
    let said = complaint(folder.path(), &["--kind", "ensemble"]);
    assert!(said.contains("ensemble = true"), "{said}");
}

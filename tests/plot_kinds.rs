//! Pictures of ensembles, heat maps and best choices: what they show, and what is said where there is nothing to show.

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

/// A search for the number of copies of eight servers with the least queue.
const SEARCH: &str = r#"title = "search"
model = "redundancy"
seed = 7
replicas = 2048
batches = 32
warmup = 0
duration = 40
common_random_numbers = true
[parameters]
servers = 8
copies = { list = [1, 2, 3, 4, 6, 8] }
load = { list = [0.5, 0.95] }
start = "stationary"
[plot]
kind = "best"
estimate = "queue_normalised"
x = "load"
reference = ["optimal_copies_rule", "optimal_copies_asymptotic"]
"#;

/// What a report says at the marks of its picture: at which x, the value, and its interval where it has one.
fn said(folder: &Path, y: &str) -> Vec<(f64, f64, (f64, f64))> {
    let report = ["report", "a.h5", "-o", "a.html"];
    queuefarm(folder, &report).assert().success();
    let page = std::fs::read_to_string(folder.join("a.html")).unwrap();
    let spots = page.split("<title>").skip(1);
    let spots = spots.filter_map(|rest| rest.split("</title>").next());
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let mark = |spot: &str| {
        let line = |name: &str| spot.lines().find_map(|l| l.strip_prefix(name));
        let x = number(line("load, ρ: ")?)?;
        let value = line(y)?;
        let (value, ends) = value.split_once(" (").unwrap_or((value, ""));
        let value = number(value)?;
        let ends = ends.trim_end_matches(')').split_once(" to ");
        let ends = ends.and_then(|(a, b)| Some((number(a)?, number(b)?)));
        // Only marks have a theory beside them.
        line("least ")?;
        Some((x, value, ends.unwrap_or((value, value))))
    };
    spots.filter_map(mark).collect()
}

#[test]
fn the_best_choice_is_the_exact_one_as_far_as_the_simulation_can_tell() {
    let folder = ran(SEARCH);
    let svg = drawn(folder.path(), &[]);
    for text in [
        "least Q by",
        "for large N",
        "rule",
        "copies, d, where Q is least",
    ] {
        assert!(svg.contains(text), "no {text}");
    }
    let marks = said(folder.path(), "copies, d, where Q is least: ");
    assert_eq!(marks.len(), 2, "{marks:?}");
    for &(load, best, (first, last)) in &marks {
        let exact = queuefarm::theory::redundancy::optimal_copies(8, load).unwrap();
        let exact = f64::from(exact);
        assert!(
            (first..=last).contains(&exact) && (first..=last).contains(&best),
            "{load}: {exact} is not among {first} to {last}"
        );
        // One copy and all of them are worse beyond doubt: Q = 1.
        assert!(first > 1.0 && last < 8.0, "{load}: {first} to {last}");
    }
    // The least mean of all is at the mark.
    let means = estimates(folder.path(), "queue_normalised");
    let copies = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0];
    for (which, (load, best, _)) in marks.into_iter().enumerate() {
        let at = |d: usize| means[2 * d + which];
        let least = (0..6).min_by(|&a, &b| at(a).total_cmp(&at(b))).unwrap();
        assert_eq!(copies[least], best, "{load}");
    }
    // E[T] has its least value at d = N.
    let other = drawn(folder.path(), &["--estimate", "response_mean"]);
    assert!(other.contains("where E[T] is least"));
}

#[test]
fn a_best_choice_without_two_swept_numbers_is_refused_with_what_it_needs() {
    let best = ["--kind", "best"];
    let folder = ran(&EXPERIMENT.replace("{ list = [4, 8] }", "4"));
    let one = complaint(folder.path(), &best);
    assert!(
        one.contains("takes two swept parameters") && one.contains("this result has load"),
        "{one}"
    );
    let folder = ran(&EXPERIMENT.replace("copies = 2", "copies = { list = [1, 2] }"));
    let three = complaint(folder.path(), &best);
    assert!(
        three.contains("Name `x`") && three.contains("`series`"),
        "{three}"
    );
    let folder = ran(EXPERIMENT);
    let two = [&best[..], &["--estimate", "response_mean,wait_mean"]].concat();
    assert!(complaint(folder.path(), &two).contains("one estimate"));
    let x = [&best[..], &["--x", "slack"]].concat();
    assert!(complaint(folder.path(), &x).contains("`slack` is not among the swept numbers"));
    drawn(folder.path(), &best);
}

//! The report of a result: what the page says, that it is well formed and alone, and that it works in a browser.

#![allow(clippy::unwrap_used)]

#[path = "common/browser.rs"]
mod browser;
#[path = "report_page/probe.rs"]
mod probe;

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// Title and swept points from the stationary law, so that exact laws hold everywhere.
const STEADY: &str = r#"title = "Queues <b>& \"more\"</b>"
model = "redundancy"
seed = 11
replicas = 2048
batches = 32
warmup = 0
duration = 20
[parameters]
servers = 10
copies = 2
load = { list = [0.3, 0.5, 0.7] }
start = "stationary"
[plot]
estimate = "response_mean"
"#;

/// From an empty start without a warm-up: the halves of the span differ.
const DRIFTING: &str = r#"title = "Filling up"
model = "redundancy"
seed = 11
replicas = 1024
batches = 16
warmup = 0
duration = 40
[parameters]
servers = 10
copies = 2
load = 0.9
[record]
trajectories = 1
ensemble = true
to = 20
[plot]
kind = "ensemble"
"#;

fn queuefarm(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("queuefarm").unwrap();
    command.args(arguments);
    command
}

/// A result and its report in a folder of their own.
fn report(experiment: &str) -> (TempDir, PathBuf, String) {
    let folder = tempfile::tempdir().unwrap();
    let [file, result, page] = ["a.toml", "a.h5", "a.html"].map(|name| folder.path().join(name));
    fs::write(&file, experiment).unwrap();
    let run = ["run", text(&file), "-o", text(&result), "--backend", "cpu"];
    queuefarm(&run).assert().success();
    let make = ["report", text(&result), "-o", text(&page)];
    queuefarm(&make).assert().success();
    let html = fs::read_to_string(&page).unwrap();
    (folder, page, html)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The elements of a page in order, each tag with its attributes; panics where one is not closed in its turn.
fn elements(html: &str) -> Vec<String> {
    const VOID: [&str; 3] = ["meta", "br", "!DOCTYPE"];
    let (mut all, mut open) = (Vec::new(), Vec::<String>::new());
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        // What stands in a script or a style is not markup.
        let raw = open
            .last()
            .filter(|name| ["script", "style"].contains(&name.as_str()));
        if raw.is_some_and(|name| !rest.starts_with(&format!("/{name}>"))) {
            continue;
        }
        let (tag, after) = rest.split_once('>').unwrap();
        rest = after;
        let name = tag.split_whitespace().next().unwrap().trim_end_matches('/');
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "in {tag}");
        } else {
            if !VOID.contains(&name) && !tag.ends_with('/') {
                open.push(name.to_owned());
            }
            all.push(tag.to_owned());
        }
    }
    assert!(open.is_empty(), "not closed: {open:?}");
    all
}

#[test]
fn a_page_is_well_formed_with_all_its_parts_and_readable_without_seeing() {
    let (_folder, _, html) = report(STEADY);
    let elements = elements(&html);
    assert!(html.starts_with("<!DOCTYPE html>"));
    assert!(elements.iter().any(|tag| tag == "html lang=\"en\""));
    for id in [
        "short",
        "run",
        "pictures",
        "estimates",
        "trust",
        "provenance",
    ] {
        let section = format!("section id=\"{id}\"");
        assert!(elements.contains(&section), "no {id}");
    }
    let of = |name: &str| {
        let name = name.to_owned();
        elements
            .iter()
            .filter(move |tag| tag.split(' ').next() == Some(&name))
    };
    assert!(of("th").count() > 20 && of("th").all(|tag| tag.contains("scope=\"")));
    assert_eq!(of("table").count(), of("caption").count());
    // The mean and the tail, each with a text in place of the picture.
    assert_eq!(of("figure").count(), 2);
    assert!(of("svg").all(|tag| tag.contains("role=\"img\"") && tag.contains("aria-label=\"")));
    assert_eq!(of("h1").count(), 1);
}

#[test]
fn a_title_is_text_wherever_it_stands() {
    let (_folder, _, html) = report(STEADY);
    let elements = elements(&html);
    assert!(
        !elements
            .iter()
            .any(|tag| tag == "b&" || tag.starts_with("b&"))
    );
    let escaped = "Queues &lt;b&gt;&amp; &quot;more&quot;&lt;/b&gt;";
    assert!(html.contains(&format!("<title>{escaped}</title>")));
    assert!(html.contains(&format!("<h1>{escaped}</h1>")));
    assert!(!html.contains("Queues <b>"));
    assert!(!html.contains("\"more\"</b>"));
}

#[test]
fn a_page_needs_nothing_from_elsewhere() {
    for experiment in [STEADY, DRIFTING] {
        let (_folder, _, html) = report(experiment);
        let html = html.replace("http://www.w3.org/2000/svg", "");
        for outside in [
            "http:", "https:", "src=", "url(", "@import", "<link", "fetch(", "import(", "XMLHttp",
        ] {
            assert!(!html.contains(outside), "{outside}");
        }
        assert!(html.contains("default-src 'none'"));
    }
}

#[test]
fn what_nobody_wrote_is_marked_as_a_default_and_what_somebody_did_is_not() {
    let (_folder, _, html) = report(STEADY);
    let row = |name: &str| {
        let start = html
            .find(&format!("<th scope=\"row\">{name}</th>"))
            .unwrap();
        let row = &html[html[..start].rfind("<tr").unwrap()..];
        row.split_once("</tr>").unwrap().0
    };
    assert!(row("policy").contains("class=\"default\"") && row("policy").contains("(default)"));
    assert!(!row("servers").contains("default"));
}

#[test]
fn the_numbers_of_the_page_are_those_of_the_summary_and_marks_say_theirs() {
    let (folder, _, html) = report(STEADY);
    let result = folder.path().join("a.h5");
    let output = queuefarm(&["summary", text(&result), "--json"])
        .output()
        .unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let points = summary["points"].as_array().unwrap();
    assert_eq!(points.len(), 3);
    for point in points {
        let estimate = &point["estimates"]["response_mean"];
        let [mean, se, lo, hi, theory] =
            ["mean", "se", "lo", "hi", "theory"].map(|key| estimate[key].as_f64().unwrap());
        let decimals = (1.0 - ((hi - lo) / 2.0).log10().floor()) as usize;
        let found = format!("<td>{mean:.decimals$} ±{:.decimals$}</td>", (hi - lo) / 2.0);
        let z = format!("<td>{:.2}</td>", (mean - theory) / se);
        let row = html.lines().find(|line| line.contains(&found)).unwrap();
        assert!(row.contains(&z), "no {z} in {row}");
        let load = point["parameters"]["load"].as_f64().unwrap();
        let start = format!("<title>load, ρ: {load}\n");
        let mark = html
            .split(&start)
            .nth(1)
            .unwrap()
            .split("</title>")
            .next()
            .unwrap();
        assert!(mark.starts_with("E[T] (mean service times): "), "{mark}");
        let law: f64 = mark.split("theory: ").nth(1).unwrap().parse().unwrap();
        assert!((law / theory - 1.0).abs() < 1e-5);
    }
}

#[test]
fn the_verdict_says_whether_exact_laws_are_met_and_doubt_is_said_in_words() {
    let (_folder, _, html) = report(STEADY);
    assert!(html.contains("agrees with the exact laws"));
    assert!(html.contains("No point is in doubt"));
    let (_folder, _, html) = report(DRIFTING);
    assert!(!html.contains("agrees with the exact laws"));
    assert!(html.contains("Nothing was compared with exact laws: one point is void"));
    assert!(html.contains("not steady: the halves of the measured span differ in"));
    assert!(html.contains("<tr class=\"doubt\">"));
}

#[test]
fn the_experiment_on_the_page_gives_the_same_estimates_again() {
    let (folder, _, html) = report(STEADY);
    let details = html
        .split("<details><summary>Everything in force")
        .nth(1)
        .unwrap();
    let experiment = details
        .split("<pre>")
        .nth(1)
        .unwrap()
        .split("</pre>")
        .next()
        .unwrap();
    let plain = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    let experiment = plain
        .iter()
        .fold(experiment.to_owned(), |text, (from, to)| {
            text.replace(from, to)
        });
    let [file, again] = ["again.toml", "again.h5"].map(|name| folder.path().join(name));
    fs::write(&file, experiment).unwrap();
    queuefarm(&["run", text(&file), "-o", text(&again)])
        .assert()
        .success();
    let csv = |path: &Path| {
        queuefarm(&["summary", text(path), "--csv"])
            .output()
            .unwrap()
            .stdout
    };
    assert_eq!(csv(&again), csv(&folder.path().join("a.h5")));
}

#[test]
fn the_commands_below_the_pictures_draw() {
    let (folder, _, html) = report(DRIFTING);
    let commands: Vec<&str> = (html.split("<code>queuefarm plot ").skip(1))
        .map(|rest| rest.split("</code>").next().unwrap())
        .collect();
    assert_eq!(
        commands.len(),
        3,
        "ensemble, tail and trajectory: {commands:?}"
    );
    for command in commands {
        let mut plot = queuefarm(&["plot"]);
        plot.args(command.split(' '))
            .current_dir(folder.path())
            .assert()
            .success();
    }
    assert!(folder.path().join("figure-3.svg").is_file());
}

#[test]
fn a_page_that_is_there_is_kept_unless_forced_and_a_wrong_name_is_refused() {
    let (folder, page, _) = report(STEADY);
    let result = folder.path().join("a.h5");
    fs::write(&page, "mine").unwrap();
    let said = |arguments: &[&str], code: i32| {
        let output = queuefarm(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        String::from_utf8(output.stderr).unwrap()
    };
    let again = ["report", text(&result), "-o", text(&page)];
    assert!(said(&again, 2).contains("exists; add --force"));
    assert_eq!(fs::read_to_string(&page).unwrap(), "mine");
    said(&[&again[..], &["--force"]].concat(), 0);
    assert!(
        fs::read_to_string(&page)
            .unwrap()
            .starts_with("<!DOCTYPE html>")
    );
    let wrong = ["report", text(&result), "-o", "report.h5", "--force"];
    assert!(said(&wrong, 2).contains("extension .html"));
    let lost = folder.path().join("no/folder.html");
    assert!(said(&["report", text(&result), "-o", text(&lost)], 2).contains("mkdir -p"));
    let names = fs::read_dir(folder.path())
        .unwrap()
        .map(|e| e.unwrap().file_name());
    assert!(
        names
            .into_iter()
            .all(|name| !name.to_string_lossy().contains(".tmp"))
    );
}

#[test]
fn in_a_browser_marks_answer_to_pointer_and_keys_without_an_error_or_a_request() {
    let Some(browser) = browser::browser() else {
        return;
    };
    for experiment in [STEADY, DRIFTING] {
        let (folder, _, html) = report(experiment);
        let marks: Vec<String> = (html.split("<title>").skip(2))
            .map(|rest| rest.split("</title>").next().unwrap().replace("&lt;", "<"))
            .collect();
        let said = probe::probe(&browser, folder.path(), &html);
        assert_eq!(said["faults"], serde_json::json!([]));
        assert_eq!(said["pointed"], marks[1].as_str());
        assert_eq!(said["walked"], marks[0].as_str());
        assert_eq!(said["left"], true);
        assert_eq!(said["requests"], 0);
        assert_eq!(said["wide"], 0, "the page is wider than the window");
        // The browser's own tips are gone.
        assert_eq!(said["titles"], 0);
    }
}

#[test]
fn the_probe_sees_a_script_that_fails_and_a_request() {
    let Some(browser) = browser::browser() else {
        return;
    };
    let (folder, _, html) = report(STEADY);
    let broken = html.replacen("\"use strict\";", "undefinedFunction();", 1);
    let said = probe::probe(&browser, folder.path(), &broken);
    assert!(
        said["faults"].to_string().contains("undefinedFunction"),
        "{said}"
    );
    let asking = html.replacen(
        "<header>",
        "<img src=\"file:///nowhere.png\" alt=\"\"><header>",
        1,
    );
    let said = probe::probe(&browser, folder.path(), &asking);
    assert_ne!(said["requests"], 0, "{said}");
}

#[test]
fn a_browser_draws_the_page_wide_and_narrow() {
    let Some(browser) = browser::browser() else {
        return;
    };
    let (folder, page, _) = report(STEADY);
    for width in [1200, 400] {
        let picture = folder.path().join(format!("{width}.png"));
        let options = [
            format!("--screenshot={}", picture.display()),
            format!("--window-size={width},1600"),
        ];
        browser::show(&browser, &page, &options);
        let bytes = fs::read(&picture).unwrap();
        assert_eq!(&bytes[1..4], b"PNG");
        // An empty page compresses to a few thousand bytes.
        assert!(bytes.len() > 40_000, "{} bytes at {width}", bytes.len());
    }
}

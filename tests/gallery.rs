//! docs/figures is what `make figures` draws: every experiment with a picture is there, and nothing else.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a folder with an extension, without it.
fn stems(folder: &str, extension: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|e| e == extension));
    let stem = |path: PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    paths.map(stem).collect()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// The experiments that the script draws: those with a [plot].
fn drawn() -> BTreeSet<String> {
    let mut names = stems("data/experiments", "toml");
    names.retain(|name| {
        let text = read(&format!("data/experiments/{name}.toml"));
        text.lines().any(|line| line.starts_with("[plot]"))
    });
    names
}

/// The targets of the links of a page that lead into a folder.
fn links(page: &str, folder: &str, extension: &str) -> BTreeSet<String> {
    let targets = page.split("](").skip(1);
    let targets = targets.filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    let names = targets.filter_map(|target| target.strip_prefix(folder));
    let names = names.filter_map(|name| name.strip_suffix(extension));
    names.map(str::to_owned).collect()
}

#[test]
fn every_experiment_with_a_picture_is_drawn_and_every_picture_has_its_experiment() {
    let drawn = drawn();
    assert!(drawn.len() > 20);
    assert_eq!(drawn, stems("docs/figures", "svg"));
    let page = read("docs/figures/README.md");
    assert_eq!(drawn, links(&page, "", ".svg"));
    assert_eq!(drawn, links(&page, "../../data/experiments/", ".toml"));
}

#[test]
fn every_figure_of_the_founding_works_is_on_the_map_and_the_map_names_what_there_is() {
    let script = read("scripts/figures.sh");
    let page = read("docs/figures/README.md");
    let map: Vec<&str> = script
        .lines()
        .filter(|line| line.starts_with("| "))
        .collect();
    for line in &map {
        assert!(
            page.contains(line),
            "not in the page, `make figures` writes it: {line}"
        );
        let last = line.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let files: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        for name in files {
            assert!(drawn().contains(name), "{name}");
        }
    }
    for figure in [
        "Fig. 1, top",
        "Fig. 1, bottom",
        "Fig. 2, top",
        "Fig. 2, bottom",
        "Fig. 3",
        "picture 1",
        "picture 2",
        "picture 3",
        "picture 4",
        "picture 5",
        "result 1",
        "result 2",
        "result 3",
        "result 4",
    ] {
        assert!(map.iter().any(|line| line.contains(figure)), "{figure}");
    }
}

/// The title in the file is the one under which the page shows it, and the comment at its head is its text.
#[test]
fn the_page_tells_what_the_files_say() {
    let page = read("docs/figures/README.md");
    for name in drawn() {
        let file = read(&format!("data/experiments/{name}.toml"));
        let title = file
            .lines()
            .find_map(|line| line.strip_prefix("title = \""));
        let title = title.unwrap().trim_end_matches('"');
        assert!(page.contains(&format!("\n## {title}\n")), "{name}");
        let story = file.lines().take_while(|line| line.starts_with('#'));
        let story: Vec<&str> = story.map(|line| line[1..].trim()).collect();
        assert!(
            page.contains(&story.join(" ")),
            "{name}: `make figures` brings the page up to date"
        );
    }
}

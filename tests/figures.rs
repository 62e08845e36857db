//! Figures as files: what an SVG or PNG contains, and that a failed drawing leaves nothing behind.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use queuefarm::report::draw::draw;
use queuefarm::report::figure::{Axis, Figure, Mark, Series, Style};

fn axis(label: &str) -> Axis {
    Axis {
        label: label.to_owned(),
        ..Axis::default()
    }
}

fn mark(x: f64, y: f64) -> Mark {
    Mark {
        x,
        y,
        interval: Some((y - 0.1, y + 0.1)),
    }
}

/// Three series of 25 marks with theory.
fn paper_figure() -> Figure {
    let series = |tau: u32| Series {
        label: format!("τ = {tau}"),
        marks: (0..25)
            .map(|i| mark(f64::from(i) / 50.0, 1.0 / f64::from(tau + i)))
            .collect(),
        line: (0..200)
            .map(|i| (f64::from(i) / 400.0, 1.0 / f64::from(200 - i)))
            .collect(),
        style: Style::MarksAndTheory,
        ..Series::default()
    };
    Figure {
        title: "Fluctuations".to_owned(),
        x: axis("disinformation p"),
        y: Axis {
            range: Some((-0.2, 1.2)),
            ..axis("A_rms/(2τ)")
        },
        series: [5, 10, 15].map(series).to_vec(),
        note: "seed 42 & more".to_owned(),
        ..Figure::default()
    }
}

fn svg(figure: &Figure) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("figure.svg");
    draw(figure, &path).unwrap();
    fs::read_to_string(path).unwrap()
}

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

/// The texts of an SVG, in order, with braces around subscripts; panics unless every element is closed.
fn texts(svg: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut open = Vec::new();
    let mut lowered = false;
    for piece in svg.split('<').skip(1) {
        let (tag, content) = piece.split_once('>').unwrap();
        let name = tag.split_whitespace().next().unwrap();
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name.to_owned());
        }
        match name {
            "text" => texts.push(content.trim().to_owned()),
            "tspan" | "/tspan" => {
                let text = texts.last_mut().unwrap();
                if name == "tspan" {
                    lowered = tag.contains("font-size");
                    assert!(lowered || tag.contains("dy=\"-"));
                }
                if lowered {
                    text.push(if name == "tspan" { '{' } else { '}' });
                }
                text.push_str(if name == "tspan" {
                    content
                } else {
                    content.trim()
                });
            }
            _ => assert!(content.trim().is_empty(), "stray text {content:?}"),
        }
    }
    assert!(open.is_empty(), "not closed: {open:?}");
    texts
}

/// Names of what is in a folder.
fn listing(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn an_svg_shows_every_label_and_explains_lines_and_whiskers() {
    let texts = texts(&svg(&paper_figure()));
    for label in [
        "Fluctuations",
        "disinformation p",
        "A{rms}/(2τ)",
        "τ = 5",
        "τ = 10",
        "τ = 15",
        "theory",
        "confidence interval",
        "seed 42 &amp; more",
        "0.1",
        "−0.2",
        "1.2",
    ] {
        assert!(
            texts.iter().any(|text| text == label),
            "{label} is missing from {texts:?}"
        );
    }
}

#[test]
fn an_svg_has_one_marker_a_finite_mark_and_one_a_legend_entry() {
    let mut figure = paper_figure();
    let drawn = svg(&figure);
    // Circles, then squares and triangles.
    assert_eq!(count(&drawn, "<circle"), 25 + 1);
    assert_eq!(count(&drawn, "<polygon"), 2 * (25 + 1));
    figure.series[0].marks[3].y = f64::NAN;
    figure.series[0].marks[4].x = f64::INFINITY;
    figure.series[1].marks[5].y = 7.0;
    let drawn = svg(&figure);
    assert_eq!(count(&drawn, "<circle"), 23 + 1);
    assert_eq!(count(&drawn, "<polygon"), 24 + 25 + 2);
    let note = "3 marks are not shown: not finite, or outside the axes.";
    assert!(texts(&drawn).iter().any(|text| text == note));
}

#[test]
fn symbols_have_subscripts_in_every_label_and_titles_are_literal() {
    let mut figure = paper_figure();
    figure.title = "at τ_D of delay_fig2".to_owned();
    figure.x = axis("τ_D + τ_T (time units)");
    figure.series[0].label = "c = 0.01, τ_T = 3".to_owned();
    figure.series[1].label = "a_rms_scaled".to_owned();
    figure.note = "N₁ at T_b".to_owned();
    let drawn = svg(&figure);
    let texts = texts(&drawn);
    for text in [
        "at τ_D of delay_fig2",
        "τ{D} + τ{T} (time units)",
        "A{rms}/(2τ)",
        "c = 0.01, τ{T} = 3",
        "a_rms_scaled",
        "N{1} at T{b}",
    ] {
        assert!(
            texts.iter().any(|known| known == text),
            "{text} is missing from {texts:?}"
        );
    }
}

#[test]
fn a_png_has_the_size_of_the_page_and_replaces_an_older_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("figure.PNG");
    fs::write(&path, "old").unwrap();
    draw(&paper_figure(), &path).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(bytes[16..24], [0, 0, 4, 176, 0, 0, 3, 32]);
    assert!(bytes.ends_with(b"IEND\xaeB`\x82"));
    assert_eq!(listing(folder.path()), ["figure.PNG"]);
}

#[test]
fn the_same_figure_is_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    for extension in ["svg", "png"] {
        let paths = ["a", "b"].map(|name| folder.path().join(name).with_extension(extension));
        for path in &paths {
            draw(&paper_figure(), path).unwrap();
        }
        assert_eq!(fs::read(&paths[0]).unwrap(), fs::read(&paths[1]).unwrap());
    }
}

#[test]
fn degenerate_figures_are_drawn_too() {
    let styles = [Style::MarksAndTheory, Style::Line, Style::Band];
    let values: &[&[f64]] = &[
        &[],
        &[f64::NAN, f64::NAN],
        &[f64::INFINITY, f64::NEG_INFINITY],
        &[0.0],
        &[3.0],
        &[-2.0, -2.0, -2.0],
        &[1e300, -1e300],
        &[f64::MAX, f64::MIN, 1.0],
        &[5e-324, 1e-320],
        &[1.0, 1.0 + f64::EPSILON],
        &[1e-9, 1e9],
        &[0.0, -1.0, 5.0],
    ];
    for style in styles {
        for ys in values {
            for log in [false, true] {
                for swapped in [false, true] {
                    let points = ys.iter().enumerate().map(|(i, &y)| {
                        let x = i as f64;
                        if swapped { (y, x) } else { (x, y) }
                    });
                    let points: Vec<(f64, f64)> = points.collect();
                    let interval = |y: f64| Some((y - 1.0, y * f64::INFINITY));
                    let marks = points.iter().map(|&(x, y)| Mark {
                        x,
                        y,
                        interval: interval(y),
                    });
                    let axis = Axis {
                        log,
                        ..Axis::default()
                    };
                    let figure = Figure {
                        x: axis.clone(),
                        y: axis,
                        series: vec![Series {
                            label: "series".to_owned(),
                            marks: marks.collect(),
                            line: points,
                            style,
                            ..Series::default()
                        }],
                        ..Figure::default()
                    };
                    let drawn = svg(&figure);
                    assert!(!texts(&drawn).is_empty());
                    assert!(!drawn.contains("NaN") && !drawn.contains("inf"));
                    // Saturated coordinates would show as the ends of i32.
                    assert!(!drawn.contains("2147483"), "{style:?} {ys:?} {log}");
                }
            }
        }
    }
    assert!(texts(&svg(&Figure::default())).contains(&"no data".to_owned()));
}

#[test]
fn a_line_that_is_interrupted_has_a_gap_and_a_lone_point_is_seen() {
    let line = |points: &[(f64, f64)]| Figure {
        series: vec![Series {
            line: points.to_vec(),
            style: Style::Line,
            ..Series::default()
        }],
        ..Figure::default()
    };
    let whole = svg(&line(&[(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 1.0)]));
    let gap = svg(&line(&[
        (0.0, 0.0),
        (1.0, 1.0),
        (1.5, f64::NAN),
        (2.0, 0.0),
        (3.0, 1.0),
    ]));
    assert_eq!(count(&gap, "<polyline"), count(&whole, "<polyline") + 1);
    let lone = svg(&line(&[(0.0, 0.0), (0.5, f64::NAN), (1.0, 1.0)]));
    assert_eq!(count(&lone, "<circle"), 2);
}

#[test]
fn a_line_of_a_hundred_thousand_points_makes_a_small_file_that_keeps_its_spike() {
    let spike = 61_803;
    let height = |i: i32| {
        if i == spike {
            9.0
        } else {
            f64::from(i % 10) / 10.0
        }
    };
    let figure = Figure {
        series: vec![Series {
            line: (0..100_000).map(|i| (f64::from(i), height(i))).collect(),
            style: Style::Line,
            ..Series::default()
        }],
        ..Figure::default()
    };
    let drawn = svg(&figure);
    assert!(drawn.len() < 300_000, "{}", drawn.len());
    let points = drawn.split("points=\"").skip(1);
    let longest = points
        .map(|rest| rest.split('"').next().unwrap())
        .max_by_key(|points| points.len())
        .unwrap();
    let heights = longest.split_whitespace();
    let heights = heights.map(|p| p.split_once(',').unwrap().1.parse::<i32>().unwrap());
    let (top, bottom) = heights.fold((i32::MAX, i32::MIN), |(a, b), y| (a.min(y), b.max(y)));
    // The spike is ten times as high as the rest, on a plot area about 700 units of 4 high.
    assert!(bottom - top > 2400, "{top} {bottom}");
}

#[test]
fn twelve_series_with_long_labels_all_are_in_the_legend() {
    let mut figure = paper_figure();
    let one = figure.series[0].clone();
    figure.series = (0..12)
        .map(|i| Series {
            label: format!("policy{i} with a label far too long for a single line of the legend"),
            ..one.clone()
        })
        .collect();
    let texts = texts(&svg(&figure));
    for i in 0..12 {
        assert!(
            texts
                .iter()
                .any(|text| text.starts_with(&format!("policy{i} "))),
            "{texts:?}"
        );
    }
}

#[test]
fn an_unknown_extension_is_refused_and_says_what_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["figure.pdf", "figure", "svg", ".png"] {
        let error = draw(&paper_figure(), &folder.path().join(name)).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains(".svg or .png") && message.contains(name),
            "{message}"
        );
    }
    assert!(listing(folder.path()).is_empty());
}

#[test]
fn a_missing_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("plots");
    let error = draw(&paper_figure(), &missing.join("a.svg")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains(&format!("the folder {} does not", missing.display()))
    );
    fs::write(&missing, "a file").unwrap();
    assert!(draw(&paper_figure(), &missing.join("a.svg")).is_err());
    assert_eq!(listing(folder.path()), ["plots"]);
}

#[test]
fn a_write_that_fails_leaves_nothing_behind_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["taken.svg", "taken.png"] {
        // A folder of the same name: the last step, the renaming, must fail.
        let path = folder.path().join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), "").unwrap();
        let error = draw(&paper_figure(), &path).unwrap_err().to_string();
        assert!(
            error.contains(name) && error.contains("cannot write the figure"),
            "{error}"
        );
        assert_eq!(listing(folder.path()), [name]);
        fs::remove_dir_all(&path).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_an_error_and_stays_empty() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    // An administrator may write anyway: then there is nothing to test.
    if fs::write(closed.join("probe"), "").is_err() {
        for name in ["a.svg", "a.png"] {
            assert!(draw(&paper_figure(), &closed.join(name)).is_err());
        }
        assert!(listing(&closed).is_empty());
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A tail: marks on a band, an exact law and a limit.
fn tail_figure() -> Figure {
    let law = |t: f64, rate: f64| (-rate * t).exp();
    let series = |rate: f64| Series {
        label: format!("d = {rate}"),
        marks: (0..12)
            .map(|i| {
                let (x, y) = (f64::from(i) / 2.0, law(f64::from(i) / 2.0, rate));
                Mark {
                    x,
                    y,
                    interval: Some((y / 1.5, 1.5 * y)),
                }
            })
            .collect(),
        line: (0..60)
            .map(|i| (f64::from(i) / 10.0, law(f64::from(i) / 10.0, rate)))
            .collect(),
        dashed: (0..60)
            .map(|i| (f64::from(i) / 10.0, law(f64::from(i) / 10.0, 1.2 * rate)))
            .collect(),
        style: Style::MarksOnBand,
    };
    Figure {
        x: Axis {
            range: Some((0.0, 6.0)),
            ..axis("t")
        },
        y: Axis {
            log: true,
            range: Some((1e-6, 1.25)),
            ..axis("P(response ≥ t)")
        },
        series: [1.0, 2.0].map(series).to_vec(),
        theory: "exact law".to_owned(),
        dashed: "N → ∞".to_owned(),
        ..Figure::default()
    }
}

#[test]
fn marks_on_a_band_have_no_whiskers_and_the_legend_tells_law_limit_and_band_apart() {
    let mut figure = tail_figure();
    let drawn = svg(&figure);
    let names = texts(&drawn);
    for name in [
        "d = 1",
        "d = 2",
        "exact law",
        "N → ∞",
        "confidence interval",
    ] {
        assert!(names.iter().any(|text| text == name), "{name}: {names:?}");
    }
    assert!(!names.iter().any(|text| text == "theory"));
    // A circle for each mark of the first series and one in the legend.
    assert_eq!(count(&drawn, "<circle"), 12 + 1);
    // Bands: one a series, one a legend entry, one that explains; squares: the marks of the second series and one.
    assert_eq!(count(&drawn, "<polygon"), 2 + 2 + 1 + 12 + 1);
    for series in &mut figure.series {
        series.dashed.clear();
        series.line.clear();
    }
    let names = texts(&svg(&figure));
    assert!(
        !names
            .iter()
            .any(|text| text == "exact law" || text == "N → ∞")
    );
}

#[test]
fn a_limit_is_drawn_in_dashes_and_the_law_in_one_piece() {
    let lines = |figure: &Figure| count(&svg(figure), "<polyline");
    let mut figure = tail_figure();
    let both = lines(&figure);
    for series in &mut figure.series {
        series.dashed.clear();
    }
    let solid = lines(&figure);
    // Each of two dashed lines has many dashes.
    assert!(both > solid + 40, "{both} {solid}");
    for series in &mut figure.series {
        series.line.clear();
    }
    // Two laws, their two samples in the legend and the one that explains.
    assert_eq!(solid - lines(&figure), 5);
}

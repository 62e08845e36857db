//! Experiment files: what they mean, and what is said about those that mean nothing.

#![allow(clippy::unwrap_used)]

use queuefarm::experiment::{Combine, Experiment, PlotKind};
use queuefarm::models::Value;

const TOP: &str = "model = \"delay\"\nseed = 1\nwarmup = 100\nduration = 1000\n";
const PLAIN: &str = "clients = 200\ninformation_delay = 5\ndisinformation = 0.25\n";

/// A file with those lines at the top and in `[parameters]`, which is its fifth line when `top` is empty.
fn file(top: &str, parameters: &str) -> String {
    format!("{TOP}{top}[parameters]\n{parameters}")
}

fn read(source: &str) -> Experiment {
    Experiment::parse(source, "test.toml", &[], None)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn read_with(source: &str, overrides: &[&str]) -> Experiment {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    Experiment::parse(source, "test.toml", &overrides, None)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn complaint(source: &str) -> String {
    Experiment::parse(source, "test.toml", &[], None)
        .unwrap_err()
        .to_string()
}

fn complaint_with(source: &str, overrides: &[&str]) -> String {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    Experiment::parse(source, "test.toml", &overrides, None)
        .unwrap_err()
        .to_string()
}

fn numbers(experiment: &Experiment, name: &str) -> Vec<f64> {
    experiment
        .points()
        .iter()
        .map(|point| point.number(name))
        .collect()
}

#[track_caller]
fn assert_says(complaint: &str, parts: &[&str]) {
    for part in parts {
        assert!(complaint.contains(part), "no `{part}` in:\n{complaint}");
    }
}

const FIG_2: &str = r#"title = "Disinformation damps the oscillation (Metzler, Klein, Bar-Yam, Fig. 2 top)"
model = "delay"
seed = 2003            # any u64, also as a string or hex
replicas = 4096
batches = 64
warmup = 2000          # time units of the model
duration = 20000
[parameters]
clients = 200
information_delay = { list = [5, 10, 15] }
disinformation = { from = 0.0, to = 0.48, count = 25 }
"#;

#[test]
fn the_file_of_figure_2_makes_75_points_of_which_the_last_sweep_varies_fastest() {
    let experiment = read(FIG_2);
    assert_eq!(experiment.model.name, "delay");
    assert_eq!((experiment.seed, experiment.seed_was_drawn), (2003, false));
    assert_eq!((experiment.replicas, experiment.batches), (4096, 64));
    assert_eq!(experiment.combine, Combine::Grid);
    assert_eq!(experiment.source, FIG_2);
    let points = experiment.points();
    assert_eq!(points.len(), 75);
    assert_eq!(experiment.point_count(), 75);
    for (i, point) in points.iter().enumerate() {
        assert_eq!((point.index as usize, point.stream as usize), (i, i));
        assert_eq!((point.warmup, point.duration), (2000.0, 20000.0));
        assert_eq!(point.number("clients"), 200.0);
        assert_eq!(point.number("information_delay"), [5.0, 10.0, 15.0][i / 25]);
        let named: Vec<&str> = point.values.iter().map(|(name, _)| *name).collect();
        let declared: Vec<&str> = experiment.model.parameters.iter().map(|p| p.name).collect();
        assert_eq!(named, declared);
    }
}

#[test]
fn evenly_spaced_numbers_are_those_that_a_person_would_have_typed() {
    let disinformation = &numbers(&read(FIG_2), "disinformation")[..25];
    let typed = [
        0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.24, 0.26, 0.28, 0.3,
        0.32, 0.34, 0.36, 0.38, 0.4, 0.42, 0.44, 0.46, 0.48,
    ];
    assert_eq!(disinformation, typed);
}

#[test]
fn a_number_with_no_short_decimal_keeps_all_its_digits() {
    let thirds =
        "clients = 200\ninformation_delay = 5\ndisinformation = {from = 0, to = 0.1, count = 4}\n";
    let found = numbers(&read(&file("", thirds)), "disinformation");
    assert_eq!(found, [0.0, 0.1 / 3.0, 0.2 / 3.0, 0.1]);
}

#[test]
fn both_ends_of_a_sweep_are_exact_in_either_direction_and_on_either_scale() {
    for (from, to) in [
        ("0.1", "0.3"),
        ("0.3", "0.1"),
        ("0.07", "0.4900000000000001"),
    ] {
        for scale in ["linear", "log"] {
            for count in [2, 3, 7, 1000] {
                let sweep = format!(
                    "clients = 200\ninformation_delay = 5\n\
                     disinformation = {{ from = {from}, to = {to}, count = {count}, scale = \"{scale}\" }}\n"
                );
                let found = numbers(&read(&file("", &sweep)), "disinformation");
                assert_eq!(found.len(), count);
                assert_eq!(found[0], from.parse::<f64>().unwrap());
                assert_eq!(found[count - 1], to.parse::<f64>().unwrap());
            }
        }
    }
}

#[test]
fn a_log_scale_has_equal_ratios_and_gives_whole_numbers_where_they_are() {
    let sweeps = "clients = { from = 10, to = 10000, count = 4, scale = \"log\" }\n\
                  disinformation = { from = 0.001, to = 0.1, count = 3, scale = \"log\" }\ninformation_delay = 5\n";
    let experiment = read(&file("", sweeps));
    assert_eq!(
        numbers(&experiment, "disinformation")[..3],
        [0.001, 0.01, 0.1]
    );
    let clients: Vec<f64> = numbers(&experiment, "clients")
        .into_iter()
        .step_by(3)
        .collect();
    assert_eq!(clients, [10.0, 100.0, 1000.0, 10000.0]);
}

#[test]
fn zipped_sweeps_go_in_step() {
    let sweeps = "clients = { list = [100, 200, 300] }\n\
                  information_delay = { from = 5, to = 15, count = 3 }\ndisinformation = 0\n";
    let experiment = read(&file("combine = \"zip\"\n", sweeps));
    assert_eq!(numbers(&experiment, "clients"), [100.0, 200.0, 300.0]);
    assert_eq!(numbers(&experiment, "information_delay"), [5.0, 10.0, 15.0]);
}

#[test]
fn zipped_sweeps_of_different_lengths_are_refused_with_their_lengths() {
    let sweeps = "clients = { list = [100, 200] }\ninformation_delay = { list = [5, 6, 7] }\ndisinformation = 0\n";
    let said = complaint(&file("combine = \"zip\"\n", sweeps));
    assert_says(
        &said,
        &[
            "test.toml, line 5, combine:",
            "clients has 2",
            "information_delay has 3",
        ],
    );
}

#[test]
fn words_and_arrays_are_values_and_can_be_listed() {
    let sweeps = format!(
        "{PLAIN}information = {{ list = [\"exclusive\", \"inclusive\"] }}\n\
         service_time = {{ list = [1, [1, 2]] }}\n"
    );
    let points = read(&file("", &sweeps)).points();
    assert_eq!(points.len(), 4);
    assert_eq!(points[0].word("information"), "exclusive");
    assert_eq!(points[3].word("information"), "inclusive");
    assert_eq!(points[2].get("service_time"), Some(&Value::Number(1.0)));
    assert_eq!(
        points[3].get("service_time"),
        Some(&Value::Numbers(vec![1.0, 2.0]))
    );
    let fixed = read(&file("", &format!("{PLAIN}service_time = [1, 2]\n")));
    assert!(fixed.sweeps.is_empty());
    assert_eq!(fixed.points()[0].pair("service_time"), [1.0, 2.0]);
}

#[test]
fn a_sweep_may_be_a_table_with_a_header_of_its_own() {
    let source = format!(
        "{TOP}[parameters]\nclients = 200\ndisinformation = 0\n[parameters.information_delay]\nlist = [5, 6]\n"
    );
    assert_eq!(numbers(&read(&source), "information_delay"), [5.0, 6.0]);
}

#[test]
fn every_spelling_of_a_seed_is_read_up_to_64_bits() {
    let top = "model = \"delay\"\nwarmup = 0\nduration = 10\n";
    for (typed, seed) in [
        ("0", 0),
        ("18446744073709551615", u64::MAX),
        ("9223372036854775808", 1 << 63),
        ("0xFFFF_FFFF_FFFF_FFFF", u64::MAX),
        ("0xC0FFEE", 0xC0_FFEE),
        ("\"18446744073709551615\"", u64::MAX),
        ("\"0xdeadBEEF\"", 0xdead_beef),
    ] {
        let experiment = read(&format!("{top}seed = {typed}\n[parameters]\n{PLAIN}"));
        assert_eq!(
            (experiment.seed, experiment.seed_was_drawn),
            (seed, false),
            "{typed}"
        );
        assert_eq!(read(&experiment.resolved()).seed, seed, "{typed}");
    }
    for typed in [
        "-1",
        "1.0",
        "18446744073709551616",
        "\"-1\"",
        "\"+1\"",
        "\"\"",
        "\"0x\"",
        "\"0x1g\"",
        "\"0x10000000000000000\"",
        "\"twelve\"",
        "true",
    ] {
        let said = complaint(&format!("{top}seed = {typed}\n[parameters]\n{PLAIN}"));
        assert_says(
            &said,
            &["test.toml, line 4, seed: expected a whole number from 0 to"],
        );
    }
}

#[test]
fn a_seed_is_drawn_only_when_nobody_gives_one() {
    let silent = format!("model = \"delay\"\nwarmup = 0\nduration = 10\n[parameters]\n{PLAIN}");
    let (one, other) = (read(&silent), read(&silent));
    assert!(one.seed_was_drawn && other.seed_was_drawn);
    assert_ne!(one.seed, other.seed);
    let again = read(&one.resolved());
    assert_eq!((again.seed, again.seed_was_drawn), (one.seed, false));
    let given = Experiment::parse(&silent, "test.toml", &[], Some(u64::MAX)).unwrap();
    assert_eq!((given.seed, given.seed_was_drawn), (u64::MAX, false));
    let replaced = Experiment::parse(FIG_2, "test.toml", &[], Some(7)).unwrap();
    assert_eq!(replaced.seed, 7);
}

#[test]
fn the_resolved_text_gives_the_same_points_and_the_same_text() {
    let everything = "title = 'a \"quoted\" \\ title'\nreplicas = 60\ncombine = \"zip\"\n";
    let sweeps = "disinformation = { from = 0.001, to = 0.45, count = 5, scale = \"log\" }\n\
                  clients = { list = [2, 3, 4, 5, 65535] }\ninformation_delay = 5\nservice_time = [1, 2]\n\
                  [record]\ntrajectories = 2\nensemble = true\nfrom = 1\n\
                  [plot]\nx = \"disinformation\"\nestimate = \"a_rms\"\nseries = [\"clients\"]\nlog = [\"y\"]\ntitle = \"t\"\n";
    for source in [FIG_2.to_owned(), file(everything, sweeps)] {
        let experiment = read_with(&source, &["seed=18446744073709551615"]);
        let text = experiment.resolved();
        let again = read(&text);
        assert_eq!(again.points(), experiment.points());
        assert_eq!(again.resolved(), text);
        assert_eq!(again.title, experiment.title);
        assert_eq!(again.seed, u64::MAX);
        assert_eq!(
            (again.replicas, again.batches),
            (experiment.replicas, experiment.batches)
        );
        assert_eq!(
            (again.combine, &again.sweeps),
            (experiment.combine, &experiment.sweeps)
        );
        assert_eq!(
            (&again.record, &again.plot),
            (&experiment.record, &experiment.plot)
        );
    }
}

#[test]
fn batches_are_chosen_to_divide_the_replicas() {
    for (replicas, batches) in [(1024, 64), (100, 50), (64, 64), (7, 7), (1, 1)] {
        let experiment = read(&file(&format!("replicas = {replicas}\n"), PLAIN));
        assert_eq!(experiment.batches, batches);
    }
    assert_eq!(read(&file("", PLAIN)).replicas, 1024);
    let prime = complaint(&file("replicas = 10007\n", PLAIN));
    assert_says(
        &prime,
        &[
            "line 5, replicas:",
            "batches = 1 ",
            "replicas = 10048 with batches = 64",
        ],
    );
    assert_eq!(
        read(&file("replicas = 10007\nbatches = 1\n", PLAIN)).batches,
        1
    );
}

#[test]
fn batches_that_do_not_divide_are_refused_with_the_nearest_that_do() {
    let said = complaint(&file("replicas = 1000\nbatches = 64\n", PLAIN));
    assert_says(
        &said,
        &["test.toml, line 6, batches: 64 batches do not divide 1000 replicas"],
    );
    assert_says(
        &said,
        &[
            "batches = 50 or batches = 100",
            "replicas = 1024 with batches = 64",
        ],
    );
    for zero in ["replicas = 0\n", "batches = 0\n", "replicas = 4294967296\n"] {
        assert_says(
            &complaint(&file(zero, PLAIN)),
            &["line 5", "from 1 to 4294967295"],
        );
    }
}

#[test]
fn an_unknown_key_is_named_with_file_line_section_and_the_nearest_key() {
    let said = complaint(&file(
        "",
        &PLAIN.replace("information_delay", "information_dealy"),
    ));
    assert_says(
        &said,
        &["test.toml, line 7, information_dealy in [parameters]: unknown key"],
    );
    assert_says(
        &said,
        &["did you mean `information_delay`?  allowed here: clients"],
    );
    let said = complaint(&file("replica = 5\n", PLAIN));
    assert_says(
        &said,
        &[
            "test.toml, line 5, replica: unknown key",
            "did you mean `replicas`?",
        ],
    );
    let said = complaint(&file(
        "",
        &format!("{PLAIN}[record]\ntrajectory = 5\n[plot]\nseris = []\n"),
    ));
    assert_says(
        &said,
        &[
            "line 10, trajectory in [record]: unknown key",
            "`trajectories`?",
        ],
    );
    assert_says(
        &said,
        &["line 12, seris in [plot]: unknown key", "`series`?"],
    );
    let said = complaint(&file(
        "",
        "disinformation = { from = 0, to = 0.1, cuont = 3 }\n",
    ));
    assert_says(
        &said,
        &[
            "line 6, cuont in [parameters.disinformation]: unknown key",
            "`count`?",
        ],
    );
}

#[test]
fn a_key_in_the_wrong_section_is_told_where_it_belongs() {
    let said = complaint(&file("", &format!("{PLAIN}replicas = 64\n")));
    assert_says(
        &said,
        &[
            "line 9, replicas in [parameters]",
            "belongs to the top of the file",
        ],
    );
    let said = complaint(&file("clients = 64\n", "disinformation = 0\n"));
    assert_says(
        &said,
        &[
            "line 5, clients: unknown key",
            "belongs below the line [parameters]",
        ],
    );
}

#[test]
fn an_unknown_model_is_answered_with_those_there_are() {
    let said = complaint(&file("", PLAIN).replace("\"delay\"", "\"deley\""));
    assert_says(
        &said,
        &[
            "test.toml, line 1, model: there is no model \"deley\"",
            "`delay`?",
        ],
    );
    let said = complaint("warmup = 0\nduration = 1\n");
    assert_says(&said, &["test.toml, model: missing", "delay"]);
}

#[test]
fn all_problems_are_reported_in_the_order_of_the_file() {
    let said = complaint(&file(
        "replicas = -1\ncombine = \"both\"\n",
        "clients = 0\nfoo = 1\n[plot]\nx = 3\n",
    ));
    let lines = [
        "line 5, replicas",
        "line 6, combine",
        "line 8, clients",
        "line 9, foo",
        "line 11, x in [plot]",
    ];
    let found: Vec<usize> = lines
        .iter()
        .map(|part| said.find(part).expect(part))
        .collect();
    assert!(found.is_sorted(), "{said}");
}

#[test]
fn required_keys_are_asked_for() {
    let said = complaint(&format!("model = \"delay\"\n[parameters]\n{PLAIN}"));
    assert_says(
        &said,
        &["test.toml, warmup: missing", "test.toml, duration: missing"],
    );
}

#[test]
fn spans_must_be_finite_and_in_range() {
    for (key, value) in [
        ("warmup", "-1"),
        ("warmup", "inf"),
        ("warmup", "nan"),
        ("warmup", "\"5\""),
        ("warmup", "1e400"),
        ("duration", "0"),
        ("duration", "-5"),
        ("duration", "inf"),
        ("duration", "[1]"),
    ] {
        let other = if key == "warmup" {
            "duration"
        } else {
            "warmup"
        };
        let source =
            format!("model = \"delay\"\n{other} = 1\n{key} = {value}\n[parameters]\n{PLAIN}");
        let said = complaint(&source);
        assert_says(
            &said,
            &[&format!("test.toml, line 3, {key}: expected a number")],
        );
    }
}

#[test]
fn values_of_the_wrong_type_or_out_of_range_are_refused_at_their_line() {
    for (key, value, part) in [
        ("clients", "200.0", "write 200, not 200.0"),
        ("clients", "\"200\"", "write 200 without quotes"),
        ("clients", "0", "a whole number from"),
        ("clients", "65536", "to 65535"),
        (
            "clients",
            "99999999999999999999999999999999999999999",
            "expected a whole number",
        ),
        (
            "clients",
            "[100, 200]",
            "for a sweep write clients = { list = [...] }",
        ),
        ("clients", "1979-05-27", "found a date"),
        ("disinformation", "-0.5", "found -0.5"),
        ("disinformation", "nan", "only finite numbers"),
        ("disinformation", "inf", "only finite numbers"),
        ("disinformation", "true", "found true"),
        ("information", "\"inklusive\"", "did you mean `inclusive`?"),
        ("information", "1", "allowed here: "),
        ("service_time", "[]", "an array of two, one a server"),
        ("service_time", "[1, 2, 3]", "found an array of 3"),
        ("service_time", "[1, \"2\"]", "write 2 without quotes"),
    ] {
        let rest: String = PLAIN
            .lines()
            .filter(|line| !line.starts_with(key))
            .map(|l| format!("{l}\n"))
            .collect();
        let said = complaint(&file("", &format!("{key} = {value}\n{rest}")));
        assert_says(
            &said,
            &[&format!("test.toml, line 6, {key} in [parameters]: "), part],
        );
    }
}

#[test]
fn sweeps_that_are_none_are_refused() {
    for (sweep, part) in [
        ("{ list = [] }", "an empty sweep has no points"),
        ("{}", "the sweep has no `from`"),
        ("{ from = 0, to = 0.1 }", "the sweep has no `count`"),
        ("{ from = 0, to = 0.1, count = 1 }", "a whole number from 2"),
        ("{ from = 0, to = 0.1, count = 2.0 }", "write 2, not 2.0"),
        ("{ from = 0.1, to = 0.1, count = 3 }", "too close"),
        (
            "{ from = 0.1, to = 0.10000000000000002, count = 30 }",
            "too close",
        ),
        (
            "{ from = 0, to = 0.1, count = 3, scale = \"log\" }",
            "must be above zero",
        ),
        (
            "{ from = 0, to = 0.1, count = 3, scale = \"cubic\" }",
            "allowed here: linear, log",
        ),
        ("{ from = 0, to = 99, count = 3 }", "found 99"),
        ("{ list = [0.1], count = 3 }", "cannot stand beside `list`"),
        ("{ list = 0.1 }", "expected an array"),
        ("{ list = [0.1, -0.1] }", "found -0.1"),
        ("{ from = 0, to = 0.1, count = 1000000000000 }", "to 250000"),
    ] {
        let said = complaint(&file(
            "",
            &format!("clients = 9\ninformation_delay = 5\ndisinformation = {sweep}\n"),
        ));
        assert_says(&said, &["test.toml, line 8, ", "disinformation", part]);
    }
    let halves =
        "clients = { from = 1, to = 10, count = 3 }\ninformation_delay = 5\ndisinformation = 0\n";
    assert_says(
        &complaint(&file("", halves)),
        &["line 6, clients", "5.5, which is no whole number"],
    );
    let words = format!("{PLAIN}information = {{ from = 0, to = 1, count = 2 }}\n");
    assert_says(
        &complaint(&file("", &words)),
        &["line 9, information", "a sweep of words is a list"],
    );
}

#[test]
fn an_element_of_a_long_list_is_reported_at_its_own_line() {
    let said = complaint(&file(
        "",
        "clients = { list = [\n  10,\n  20,\n  oops,\n] }\n",
    ));
    assert_says(&said, &["test.toml, line 9, column 3: this is not TOML"]);
    let said = complaint(&file(
        "",
        "clients = { list = [\n  10,\n  20,\n  -1,\n] }\n",
    ));
    assert_says(
        &said,
        &[
            "test.toml, line 9, list in [parameters.clients]",
            "found -1",
        ],
    );
}

#[test]
fn too_many_points_are_refused_before_any_is_made() {
    let sweeps = "clients = { from = 1, to = 60000, count = 60000 }\n\
                  information_delay = { from = 0, to = 1000, count = 1001 }\ndisinformation = 0\n";
    let said = complaint(&file("", sweeps));
    assert_says(
        &said,
        &[
            "line 5, parameters: the sweeps make 60060000 points",
            "at most 1000000",
        ],
    );
}

#[test]
fn a_delay_that_is_no_whole_number_of_ticks_is_refused_at_its_line_with_the_point() {
    let sweeps = "clients = 200\nticks_per_service = 2\nphase = 1\n\
                  information_delay = { list = [5, 5.5, 5.3] }\ndisinformation = { list = [0, 0.25] }\n";
    let said = complaint(&file("", sweeps));
    assert_says(
        &said,
        &["test.toml, line 9, information_delay in [parameters]: "],
    );
    assert_says(
        &said,
        &["at point 4 of the sweep: information_delay = 5.3, disinformation = 0"],
    );
    assert!(
        !said.contains("0.25"),
        "only the first point that is refused:\n{said}"
    );
}

#[test]
fn syntax_errors_have_line_and_column_also_with_windows_line_ends_and_a_byte_order_mark() {
    for (mark, end) in [
        ("", "\n"),
        ("\u{feff}", "\n"),
        ("", "\r\n"),
        ("\u{feff}", "\r\n"),
    ] {
        let source = format!("{mark}model = \"delay\"{end}# ä{end}warmup = = 3{end}");
        assert_says(
            &complaint(&source),
            &["test.toml, line 3, column 10: this is not TOML: "],
        );
        let source = format!(
            "{mark}{}",
            file("", &PLAIN.replace("200", "0")).replace('\n', end)
        );
        assert_says(
            &complaint(&source),
            &["test.toml, line 6, clients in [parameters]"],
        );
        let source = format!("{mark}{}", FIG_2.replace('\n', end));
        assert_eq!(read(&source).points(), read(FIG_2).points());
    }
}

#[test]
fn a_key_given_twice_is_refused() {
    let said = complaint(&file("", &format!("{PLAIN}clients = 3\n")));
    assert_says(
        &said,
        &["test.toml, line 9, column 1: this is not TOML: duplicate key"],
    );
}

#[test]
fn overrides_replace_in_place_and_add_at_the_end() {
    let overrides = [
        "disinformation=0.3",
        "parameters.information_delay={list=[7,8]}",
        "seed=0x10",
        "replicas=640",
    ];
    let experiment = read_with(FIG_2, &overrides);
    assert_eq!((experiment.seed, experiment.replicas), (16, 640));
    assert_eq!(experiment.overrides, overrides);
    assert_eq!(experiment.source, FIG_2);
    assert_eq!(numbers(&experiment, "information_delay"), [7.0, 8.0]);
    assert_eq!(numbers(&experiment, "disinformation"), [0.3, 0.3]);
    let added = read_with(
        FIG_2,
        &["service_time={list=[1,2]}", "clients={list=[10,20]}"],
    );
    let names: Vec<&str> = added.sweeps.iter().map(|sweep| sweep.name).collect();
    assert_eq!(
        names,
        [
            "clients",
            "information_delay",
            "disinformation",
            "service_time"
        ]
    );
    let words = read_with(
        FIG_2,
        &[
            "title=what if",
            "information=exclusive",
            "plot.x=clients",
            "record.ensemble=true",
        ],
    );
    assert_eq!(words.title, "what if");
    assert_eq!(words.points()[0].word("information"), "exclusive");
    assert_eq!(words.plot.unwrap().x, Some("clients"));
    assert!(words.record.ensemble);
}

#[test]
fn a_wrong_override_is_named_instead_of_a_line() {
    for (argument, part) in [
        ("information_dealy=5", "did you mean `information_delay`?"),
        (
            "parameters.clientz=5",
            "clientz in [parameters]: unknown key",
        ),
        (
            "clients=0",
            "clients in [parameters]: expected a whole number",
        ),
        (
            "clients={list=[1,0]}",
            "list in [parameters.clients]: expected a whole number",
        ),
        ("seed=-1", "seed: expected"),
        ("seed", "expected key=value"),
        ("seed=", "there is no value"),
        ("seed=1\nduration=5", "the value is not TOML"),
        ("title=\"open", "the value is not TOML"),
        ("nowhere.clients=5", "unknown key"),
        ("parameters.clients.list=[5]", "unknown key"),
        ("parameters=5", "expected a table"),
        ("model=deley", "there is no model \"deley\""),
    ] {
        let said = complaint_with(FIG_2, &[argument]);
        let shown = argument.replace('\n', "\\n");
        assert_says(&said, &[&format!("--set {shown}"), part]);
        assert!(!said.contains("test.toml, line"), "{said}");
    }
    assert_says(
        &complaint_with(FIG_2, &["clients=5", "parameters.clients=6"]),
        &["set twice"],
    );
    let both = Experiment::parse(FIG_2, "test.toml", &["seed=5".to_owned()], Some(6)).unwrap_err();
    assert_says(
        &both.to_string(),
        &["--set seed=5, seed: --seed gives one as well"],
    );
}

#[test]
fn recording_is_off_by_default_and_its_span_lies_in_the_run() {
    let record = read(&file("", PLAIN)).record;
    assert_eq!((record.trajectories, record.ensemble), (0, false));
    assert_eq!((record.from, record.to), (0.0, 1100.0));
    let record = read(&file(
        "",
        &format!("{PLAIN}[record]\ntrajectories = 3\nfrom = 100\nto = 150\n"),
    ))
    .record;
    assert_eq!(
        (record.trajectories, record.from, record.to),
        (3, 100.0, 150.0)
    );
    for (lines, part) in [
        (
            "from = 1\nto = 1101",
            "line 11, to in [record]: there is nothing to record from 1 to 1101",
        ),
        ("from = -1\nto = 5", "line 10, from in [record]"),
        ("from = 5\nto = 5", "line 11, to in [record]"),
        ("from = 1100", "line 10, from in [record]"),
        ("trajectories = 1025", "a whole number from 0 to 1024"),
        ("ensemble = \"yes\"", "expected true or false"),
    ] {
        assert_says(
            &complaint(&file("", &format!("{PLAIN}[record]\n{lines}\n"))),
            &[part],
        );
    }
}

#[test]
fn plot_settings_name_what_the_model_has() {
    assert!(read(&file("", PLAIN)).plot.is_none());
    let plot =
        "[plot]\nx = \"disinformation\"\nestimate = [\"a_rms\", \"throughput\"]\nlog = \"x\"\n";
    let plot = read(&file("", &format!("{PLAIN}{plot}"))).plot.unwrap();
    assert_eq!(
        (plot.kind, plot.x),
        (PlotKind::Sweep, Some("disinformation"))
    );
    assert_eq!(plot.estimate, ["a_rms", "throughput"]);
    assert_eq!((plot.log_x, plot.log_y), (true, false));
    for (lines, part) in [
        (
            "estimate = \"a_rsm\"",
            "line 10, estimate in [plot]: there is no \"a_rsm\"\n    did you mean `a_rms`?",
        ),
        ("estimate = [\"a_rms\", \"a_rms\"]", "stands here twice"),
        (
            "x = \"disinfo\"",
            "line 10, x in [plot]: there is no \"disinfo\"",
        ),
        (
            "series = [\"a_rms\"]",
            "series in [plot]: there is no \"a_rms\"",
        ),
        (
            "x = \"clients\"\nseries = \"clients\"",
            "already the x axis",
        ),
        ("kind = \"pie\"", "allowed here: sweep, trajectory"),
        ("kind = \"trajectory\"", "there is no trajectory to draw"),
        (
            "kind = \"trajectory\"\nx = \"clients\"",
            "a picture of trajectories has none",
        ),
        ("kind = \"ensemble\"", "record it: ensemble = true"),
        (
            "kind = \"best\"\nvertical = \"clients\"",
            "a picture of what is best has none",
        ),
        (
            "kind = \"heatmap\"\nreference = \"clients\"",
            "a heat map has none: its axes are two swept parameters",
        ),
        ("log = [\"z\"]", "allowed here: x, y"),
        ("title = 5", "expected a string"),
    ] {
        assert_says(
            &complaint(&file("", &format!("{PLAIN}[plot]\n{lines}\n"))),
            &[part],
        );
    }
    let drawn = format!("{PLAIN}[record]\nensemble = true\n[plot]\nkind = \"trajectory\"\n");
    assert_eq!(
        read(&file("", &drawn)).plot.unwrap().kind,
        PlotKind::Trajectory
    );
    for (kind, name) in [
        (PlotKind::Ensemble, "ensemble"),
        (PlotKind::Heatmap, "heatmap"),
        (PlotKind::Best, "best"),
    ] {
        let drawn = drawn.replace("trajectory", name);
        let experiment = read(&file("", &drawn));
        assert_eq!(experiment.plot.as_ref().unwrap().kind, kind);
        assert_eq!(read(&experiment.resolved()).plot, experiment.plot);
    }
}

#[test]
fn the_title_is_the_models_summary_unless_given_and_is_one_line() {
    let experiment = read(&file("", PLAIN));
    assert_eq!(experiment.title, experiment.model.summary);
    assert_says(
        &complaint(&file("title = \"a\\nb\"\n", PLAIN)),
        &["line 5, title: expected one line"],
    );
    assert_says(
        &complaint(&file("title = \"\\u0000\"\n", PLAIN)),
        &["line 5, title: expected one line"],
    );
}

#[test]
fn deep_and_hostile_files_are_refused_without_harm() {
    for hostile in [
        "a = ".to_owned() + &"[".repeat(100_000),
        "a = ".to_owned() + &"{a=".repeat(100_000),
        format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!(
            "[{}a]\n{}b = {}{}",
            "a.".repeat(79),
            "b.".repeat(79),
            "[".repeat(79),
            "]".repeat(79)
        ),
        format!("{} = 1", vec!["a"; 100_000].join(".")),
        format!("[{}]", vec!["a"; 100_000].join(".")),
        format!("{} = 1", "long".repeat(100_000)),
        "\u{feff}\u{feff}".to_owned(),
        "\0".to_owned(),
        "=".to_owned(),
        "[parameters]\n[[parameters]]".to_owned(),
        "[[parameters]]\nclients = 1".to_owned(),
        (0..20_000).map(|i| format!("key_{i} = {i}\n")).collect(),
    ] {
        let said = complaint(&hostile);
        assert!(said.len() < 20_000, "{} bytes of complaint", said.len());
        assert!(!said.is_empty());
        let argument = format!("clients={hostile}");
        assert!(complaint_with(FIG_2, &[&argument]).len() < 20_000);
        assert!(complaint_with(FIG_2, &[&hostile]).len() < 20_000);
    }
    let large = format!("{FIG_2}# {}", "x".repeat(17 << 20));
    assert_says(
        &complaint(&large),
        &["bytes are too many for an experiment file"],
    );
}

#[test]
fn a_complaint_holds_nothing_that_a_terminal_obeys() {
    let said = complaint(&file(
        "",
        "\"\\u001b[2J\" = 1\ninformation = \"\\u001b]0;x\\u0007\"\n",
    ));
    assert!(
        !said.contains(|c: char| c.is_control() && c != '\n'),
        "{said:?}"
    );
}

#[test]
fn cutting_a_file_anywhere_never_panics() {
    let full = read(FIG_2).resolved();
    for text in [FIG_2, &full] {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let _ = Experiment::parse(&text[..end], "test.toml", &[], Some(1));
            let _ = Experiment::parse(&text[end..], "test.toml", &[], Some(1));
        }
    }
}

#[test]
fn the_farm_of_ones_own_reads_its_csv_files_in_all_three_models() {
    for name in ["pure", "mixed", "farm"] {
        let path = format!("{}/data/your-farm/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(&path).unwrap();
        let experiment = Experiment::parse(&source, &path, &[], None).unwrap();
        let point = experiment.points().remove(0);
        assert_eq!(point.numbers("rates").len(), 10, "{name}");
        assert_eq!(point.numbers("speeds"), [250.0, 250.0, 400.0, 400.0]);
        let plan = (experiment.model.plan)(&point).unwrap();
        let used = plan.used.iter().find(|(key, _)| *key == "load");
        // 1009 requests a second for servers of 1300.
        assert!(used.is_none_or(|(_, load)| (load[0] - 1009.0 / 1300.0).abs() < 1e-3));
    }
}

#[test]
fn a_key_that_the_chosen_law_does_not_use_is_refused_unless_it_is_its_default() {
    let file = |lines: &str| {
        format!(
            "model = \"redundancy\"\nseed = 1\nwarmup = 0\nduration = 10\n[parameters]\nservers = 4\ncopies = 2\nload = 0.5\n{lines}\n"
        )
    };
    for (lines, key, users) in [
        (
            "service_shape = 3",
            "service_shape",
            "\"erlang\" or \"pareto\" or \"weibull\"",
        ),
        (
            "service = \"erlang\"\nservice_low = 0.5",
            "service_low",
            "only \"uniform\" does",
        ),
        (
            "service_samples = [1, 2]",
            "service_samples",
            "only \"samples\" does",
        ),
        (
            "arrival_rates = [1, 3]",
            "arrival_rates",
            "only \"hyperexponential\" does",
        ),
    ] {
        let said = complaint(&file(lines));
        assert_says(&said, &[key, "does not use it", users, "leave"]);
    }
    read(&file("service = \"erlang\"\nservice_shape = 3"));
    read(&file("service_shape = 2"));
}

#[test]
fn a_table_of_another_separator_or_without_names_is_refused_with_what_is_amiss() {
    let folder = tempfile::tempdir().unwrap();
    let complaint_about = |text: &str| {
        let path = folder.path().join("strategy.csv");
        std::fs::write(&path, text).unwrap();
        let source = format!(
            "model = \"selfish-mixed\"\nseed = 1\nwarmup = 0\nduration = 10\n[parameters]\nservers = 2\nstreams = 2\nload = 0.5\n\
             strategy = \"matrix\"\nstrategy_matrix = {{ file = \"{}\", columns = [\"s1\", \"s2\"] }}\n",
            path.display()
        );
        complaint(&source)
    };
    let no_comma = "is the separator a comma?";
    let no_names = "is the first line the names of the columns? it holds numbers";
    for separator in [";", "\t", "|"] {
        let said = complaint_about(&format!("s1{separator}s2\n0.5{separator}0.5\n"));
        assert_says(&said, &["has no column \"s1\"", no_comma]);
    }
    let said = complaint_about("0.5,0.5\n0.2,0.8\n");
    assert_says(&said, &["has no column \"s1\"", no_names]);
    let said = complaint_about("a,b\n0.5,0.5\n");
    assert_says(&said, &["its first line names: a, b"]);
    assert!(!said.contains(no_comma) && !said.contains(no_names));
}

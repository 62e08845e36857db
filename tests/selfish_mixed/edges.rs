//! Limits of `selfish-mixed`: one server, many servers, empty streams, infinite costs, and what is refused.

use super::{Value, all, costs, estimate, number, point, simulate};
use queuefarm::experiment::Experiment;
use queuefarm::models::selfish_mixed::MODEL;
use queuefarm::models::{Plan, Tallies};

fn run(changes: &[(&str, Value)]) -> (Plan, Tallies) {
    let plan = (MODEL.plan)(&point(20, changes)).unwrap();
    let whole = all(&simulate(&plan, 16), &plan);
    (plan, whole)
}

#[test]
fn one_server_has_all_streams_in_every_profile() {
    let (plan, whole) = run(&[
        ("servers", number(1.0)),
        ("streams", number(7.0)),
        ("load", number(0.75)),
        costs(&["mm1", "mg1"]),
    ]);
    let value = |name: &str| estimate(&plan, &whole, name);
    assert!((value("load_max").unwrap() - 0.75).abs() < 1e-12);
    assert_eq!(value("overload"), Some(0.0));
    for kind in ["max", "average", "worst_stream"] {
        let cost = value(&format!("cost_{kind}_mm1")).unwrap();
        assert!((cost - 4.0).abs() < 1e-9, "{kind}: {cost}");
    }
    assert_eq!(value("cost_max_power"), None);
}

#[test]
fn costs_that_are_infinite_are_none_and_their_chance_is_beside_them() {
    // Two streams of which each fills its server: whatever they do, both are at capacity.
    let (plan, whole) = run(&[
        ("servers", number(2.0)),
        ("streams", number(2.0)),
        ("load", number(1.0)),
        costs(&["mm1", "mm1k"]),
    ]);
    let value = |name: &str| estimate(&plan, &whole, name);
    assert_eq!(
        (value("overload"), value("stream_overload")),
        (Some(1.0), Some(1.0))
    );
    for kind in ["max", "average", "worst_stream"] {
        assert_eq!(value(&format!("cost_{kind}_mm1")), None, "{kind}");
        assert!(value(&format!("cost_{kind}_mm1k")).is_some(), "{kind}");
    }
    // Rounding makes no server overloaded, nor less so: 29 streams of 1/29 each.
    let (plan, whole) = run(&[
        ("servers", number(1.0)),
        ("streams", number(29.0)),
        ("load", number(1.0)),
        costs(&["mm1"]),
    ]);
    assert_eq!(estimate(&plan, &whole, "overload"), Some(1.0));
    assert_eq!(estimate(&plan, &whole, "cost_max_mm1"), None);
}

#[test]
fn one_stream_among_many_servers_is_alone_and_empty_streams_change_nothing() {
    let (plan, whole) = run(&[
        ("servers", number(50.0)),
        ("rates", Value::Numbers(vec![0.0, 2.0, 0.0])),
        ("load", number(0.01)),
        costs(&["mm1"]),
    ]);
    let value = |name: &str| estimate(&plan, &whole, name).unwrap();
    assert!((value("load_max") - 0.5).abs() < 1e-12);
    for kind in ["max", "average", "worst_stream"] {
        assert!((value(&format!("cost_{kind}_mm1")) - 2.0).abs() < 1e-9);
    }
    // A server without streams costs as much as x^0 and weighs nothing in the average.
    let (plan, whole) = run(&[
        ("servers", number(50.0)),
        ("streams", number(1.0)),
        costs(&["exponential"]),
        ("load", number(0.02)),
    ]);
    let average = estimate(&plan, &whole, "cost_average_exponential").unwrap();
    assert!((average - 1f64.exp()).abs() < 1e-9, "{average}");
}

#[test]
fn equal_rates_are_exact_whatever_they_are() {
    for rate in [1.0, 0.1, 1.0 / 3.0, 1e-7] {
        let (plan, _) = run(&[
            ("servers", number(3.0)),
            ("streams", number(5000.0)),
            ("rates", number(rate)),
        ]);
        assert_eq!(plan.histograms[1].bins, 5001, "{rate}");
        let (plan, _) = run(&[
            ("servers", number(3.0)),
            (
                "rates",
                Value::Numbers([vec![rate; 50], vec![0.0]].concat()),
            ),
        ]);
        assert_eq!(plan.histograms[1].bins, 51, "{rate}");
    }
}

#[test]
fn theory_is_there_for_equal_streams_on_equal_servers_alone() {
    let theory = |changes: &[(&str, Value)]| (MODEL.theory)(&point(20, changes));
    let equal = [
        ("servers", number(10.0)),
        ("streams", number(10.0)),
        ("load", number(0.2)),
        costs(&["mm1", "erlang_b"]),
    ];
    let found = theory(&equal);
    assert!((found[0].unwrap() - 0.2 * 2.74868911).abs() < 1e-9);
    assert!((found[1].unwrap() - 0.01634824).abs() < 1e-9);
    let of = |name| {
        MODEL
            .observables
            .iter()
            .position(|o| o.name == name)
            .unwrap()
    };
    assert_eq!(found[of("cost_max_mm1")], None);
    assert!(found[of("cost_max_erlang_b")].is_some() && found[of("cost_max_power")].is_none());
    let mut other = equal.to_vec();
    other.push(("speeds", Value::Numbers(vec![2.0; 10])));
    assert!(theory(&other)[0].is_some());
    other.pop();
    other.push(("speeds", Value::Word("uniform".to_owned())));
    assert_eq!(theory(&other)[0], None);
}

fn refusal(changes: &[(&str, Value)]) -> String {
    (MODEL.plan)(&point(20, changes)).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_simulated_is_refused_in_words() {
    let word = |word: &str| Value::Word(word.to_owned());
    let two = ("servers", number(2.0));
    let cases = [
        (
            vec![
                two.clone(),
                ("streams", number(3.0)),
                ("strategy", word("matrix")),
            ],
            "0 probabilities, and 3 streams with 2 servers each need 6",
        ),
        (
            vec![
                two.clone(),
                ("streams", number(2.0)),
                ("strategy", word("matrix")),
                ("strategy_matrix", Value::Numbers(vec![0.5, 0.5, 0.5, 0.4])),
            ],
            "row 2 (the strategy of stream 2) sums to 0.9",
        ),
        (
            vec![
                ("speeds", Value::Numbers(vec![1.0, 10.0])),
                ("streams", number(3.0)),
                ("strategy", word("fully_mixed")),
            ],
            "stream 1 would have to draw",
        ),
        (
            vec![
                ("servers", number(400.0)),
                ("streams", number(300.0)),
                ("speeds", word("pareto")),
                ("rates", word("pareto")),
            ],
            "lower `resolution` to",
        ),
        (
            vec![
                two,
                ("streams", number(300.0)),
                ("rates", word("pareto")),
                ("resolution", number(100.0)),
            ],
            "at least 600",
        ),
    ];
    for (changes, words) in cases {
        let said = refusal(&changes);
        assert!(said.contains(words), "{said}");
    }
    let mut warm = point(20, &[("servers", number(2.0)), ("streams", number(2.0))]);
    warm.warmup = 1.0;
    assert!(
        (MODEL.plan)(&warm)
            .unwrap_err()
            .to_string()
            .contains("warmup = 0")
    );
}

#[test]
fn a_matrix_is_read_from_the_columns_of_a_file_row_by_row() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("strategy.csv");
    std::fs::write(&file, "# mixed\ns2,name,s1\n0.25,a,0.75\n1,b,0\n").unwrap();
    let source = |columns: &str| {
        let top =
            "model = \"selfish-mixed\"\nreplicas = 16\nbatches = 2\nwarmup = 0\nduration = 10\n";
        format!(
            "{top}[parameters]\nservers = 2\nstreams = 2\nstrategy = \"matrix\"\n\
             strategy_matrix = {{ file = '{}', {columns} }}\n",
            file.display()
        )
    };
    let read = |columns: &str| Experiment::parse(&source(columns), "test.toml", &[], None);
    let found = read("columns = [\"s1\", \"s2\"]").unwrap();
    let matrix = found.points()[0].numbers("strategy_matrix");
    assert_eq!(matrix, [0.75, 0.25, 0.0, 1.0]);
    for (columns, words) in [
        (
            "columns = [\"s1\", \"name\"]",
            "line 3: \"a\" in column \"name\"",
        ),
        ("columns = [\"s1\", \"s3\"]", "has no column \"s3\""),
        ("columns = []", "an empty list"),
        ("columns = \"s1\"", "no list of columns"),
        ("column = \"s1\", columns = [\"s2\"]", "exclude each other"),
        ("column = \"s1\"", "2 probabilities, and 2 streams"),
    ] {
        let said = read(columns).unwrap_err().to_string();
        assert!(said.contains(words), "{columns}: {said}");
    }
}

//! Identical copies against the measured rows of data/reference/redundancy.json: response times, and where
//! stability ends. Owns how the rows become experiments.

use crate::compare::{Comparisons, LIMIT};
use crate::simulate::{Answers, Effort, simulate};
use serde_json::Value;

const EFFORT: Effort = Effort {
    replicas: 1024,
    warmup: 3_000,
    duration: 12_000,
};

fn rows(block: &str) -> Vec<Value> {
    let tables: Value =
        serde_json::from_str(include_str!("../../data/reference/redundancy.json")).unwrap();
    tables[block]["rows"].as_array().unwrap().clone()
}

fn number(row: &Value, key: &str) -> f64 {
    row[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no number {key} in {row}"))
}

fn parameters(row: &Value, load: f64) -> String {
    format!(
        "servers = {}\ncopies = {}\nload = {load}\ncopies_are = \"identical\"\n",
        row["N"], row["d"]
    )
}

/// The square of the mean plus the variance, and an error that allows for both.
fn second_moment(answers: &Answers) -> (f64, f64) {
    let (mean, variance) = (answers.get("response_mean"), answers.get("response_var"));
    let [m, v] = [mean, variance].map(|estimate| estimate.mean.unwrap());
    let [m_se, v_se] = [mean, variance].map(|estimate| estimate.se.unwrap());
    (m * m + v, 2.0 * m * m_se + v_se)
}

#[test]
fn identical_copies_take_as_long_as_was_measured() {
    let mut made = Comparisons::default();
    for (index, row) in rows("B_simulation_identical_copies").iter().enumerate() {
        let load = number(row, "rho");
        let parameters = parameters(row, load);
        let answers = simulate(&parameters, EFFORT, index as u64);
        let se = number(row, "ET_se");
        made.against(
            &parameters,
            &answers,
            "response_mean",
            number(row, "ET"),
            se,
        );
        let (value, se_x) = (number(row, "EX"), number(row, "EX_se"));
        made.against(&parameters, &answers, "jobs_mean", value, se_x);
        // The table gives no errors for the rest: they are ours, by how much less was simulated there.
        let less = se / answers.get("response_mean").se.unwrap();
        let (square, square_se) = second_moment(&answers);
        let what = format!("E[T^2] of {parameters}");
        made.add(
            &what,
            square,
            square_se,
            number(row, "ET2"),
            less * square_se,
        );
        for (time, share) in row["tail"].as_object().unwrap() {
            let (time, share) = (time.parse::<f64>().unwrap(), share.as_f64().unwrap());
            if share < 1e-3 {
                continue;
            }
            let tail = answers.tail_near(time);
            if (tail.time - time).abs() < 1e-3 * time {
                let what = format!("P(T > {time}) of {parameters}");
                made.add(&what, tail.share, tail.se, share, less * tail.se);
            }
        }
    }
    // .1 is left out, which no bin edge meets.
    made.assert_all(53);
    // The twin: d = 3 for 2, and independent copies for identical ones.
    let rows = rows("B_simulation_identical_copies");
    let row = rows
        .iter()
        .find(|row| row["N"] == 10 && row["d"] == 2)
        .unwrap();
    let right = parameters(row, 0.5);
    for (from, to) in [
        ("copies = 2", "copies = 3"),
        ("identical", "independent"),
        ("load = 0.5", "load = 0.51"),
    ] {
        let wrong = right.replace(from, to);
        assert_ne!(wrong, right);
        let mut twin = Comparisons::default();
        let answers = simulate(&wrong, EFFORT, 9);
        let se = number(row, "ET_se");
        twin.against(&wrong, &answers, "response_mean", number(row, "ET"), se);
        assert_eq!(twin.counts(), (1, 1), "{to} is told from {from}");
    }
}

#[test]
fn identical_copies_are_steady_below_their_critical_load_and_drift_above_it() {
    // The row d = N = 2 is proven, and so refused above: see `stability`.
    let rows = rows("B_identical_copies_stability");
    let measured: Vec<_> = rows.iter().filter(|row| row["N"] != row["d"]).collect();
    assert_eq!(measured.len(), 5);
    let effort = Effort {
        replicas: 256,
        warmup: 10_000,
        duration: 20_000,
    };
    for row in measured {
        let critical = number(row, "rho_star");
        for (factor, steady) in [(0.9, true), (1.06, false)] {
            let parameters = parameters(row, critical * factor);
            let answers = simulate(&parameters, effort, 5);
            assert_eq!(
                answers.is_steady(),
                steady,
                "at {factor} of the critical load: {parameters}"
            );
            let drifts = answers.get("response_mean").drifts;
            assert_eq!(drifts, !steady, "{parameters}");
            assert!(!answers.results.plans[0].unstable, "nothing is proven");
        }
    }
}

/// models of docs/theory.md: E[T] at N = 10, load .5, rounded to 1.635 and 2.122.
#[test]
fn ten_servers_at_half_load_take_what_the_theory_page_says() {
    for (copies, value, rounded) in [(2, 1.635, 0.002), (3, 2.122, 0.005)] {
        let parameters =
            format!("servers = 10\ncopies = {copies}\nload = 0.5\ncopies_are = \"identical\"\n");
        let found = simulate(&parameters, EFFORT, 11).get("response_mean");
        let z = (found.mean.unwrap() - value) / found.se.unwrap().hypot(rounded);
        assert!(z.abs() < LIMIT, "z = {z}");
        assert!(found.se.unwrap() < rounded, "{found:?}");
    }
}

//! Jobs that meet no other: with an empty start and hardly any load, a job finds idle servers, and its response time
//! is an order statistic of its sizes.

use crate::compare::{Comparisons, LIMIT};
use crate::simulate::{Effort, simulate};

/// Two jobs a replica; the first meets none, the second the first with a chance below 1e-3.
const EFFORT: Effort = Effort {
    replicas: 131_072,
    warmup: 0,
    duration: 2,
};
/// Arrivals in all.
const RATE: f64 = 2e-4;

#[test]
fn k_of_d_copies_take_as_long_as_the_order_statistic() {
    let mut made = Comparisons::default();
    for (copies, needed) in [(2u32, 2u32), (3, 2), (4, 4), (6, 3), (9, 9), (16, 5)] {
        let parameters = format!(
            "servers = {copies}\ncopies = {copies}\nload = {}\npolicy = \"fork_join\"\nneeded = {needed}\n",
            RATE / f64::from(copies)
        );
        let answers = simulate(&parameters, EFFORT, u64::from(copies));
        let sum = |power: i32| {
            let terms = (copies - needed + 1)..=copies;
            terms.map(|i| f64::from(i).powi(-power)).sum::<f64>()
        };
        let k = f64::from(needed);
        for (name, exact) in [
            ("response_mean", sum(1)),
            ("response_var", sum(2)),
            // The copies together work until `needed` of them are done, at rate 1 each.
            ("busy_mean", RATE * k),
            ("queue_mean", RATE * k / f64::from(copies)),
        ] {
            made.estimate(&parameters, &answers, name, exact);
        }
        // One more copy is told apart.
        let found = answers.get("response_mean");
        let next = sum(1) + 1.0 / f64::from(copies - needed).max(1.0);
        let z = (found.mean.unwrap() - next) / found.se.unwrap();
        assert!(z < -LIMIT, "z = {z}");
    }
    made.assert_all(24);
}

#[test]
fn the_first_of_d_copies_takes_a_dth_of_a_size_and_the_first_start_a_whole_one() {
    let mut made = Comparisons::default();
    for (policy, copies, mean) in [
        ("cancel_on_completion", 4, 0.25),
        ("cancel_on_completion", 8, 0.125),
        ("cancel_on_start", 3, 1.0),
        ("cancel_on_start", 7, 1.0),
        ("random", 5, 1.0),
    ] {
        let parameters = format!(
            "servers = 10\ncopies = {copies}\nload = {}\npolicy = \"{policy}\"\n",
            RATE / 10.0
        );
        let answers = simulate(&parameters, EFFORT, 40 + copies);
        let busy = if policy == "cancel_on_completion" {
            RATE
        } else {
            RATE * mean
        };
        for (name, exact) in [
            ("response_mean", mean),
            ("response_var", mean * mean),
            ("busy_mean", busy),
        ] {
            made.estimate(&parameters, &answers, name, exact);
        }
        let wait = answers.get("wait_mean").mean.unwrap();
        assert!(wait < 1e-3, "{wait}");
    }
    made.assert_all(15);
}

/// Deterministic and identical copies leave nothing to chance: a job alone takes one size at the fastest server.
#[test]
fn copies_of_one_size_take_it_at_the_fastest_server() {
    for (lines, mean) in [
        ("service = \"deterministic\"\n", 0.5),
        ("copies_are = \"identical\"\n", 0.5),
        (
            "copies_are = \"identical\"\npolicy = \"fork_join\"\nneeded = 3\n",
            4.0,
        ),
    ] {
        let parameters = format!(
            "servers = 3\ncopies = 3\nspeeds = [0.25, 2, 1]\nload = {}\n{lines}",
            RATE / 3.25
        );
        let answers = simulate(&parameters, EFFORT, 60);
        let found = answers.get("response_mean");
        let (value, se) = (found.mean.unwrap(), found.se.unwrap());
        let resolution = answers.results.plans[0].traced_unit;
        assert!(
            (value - mean).abs() < LIMIT * se + 1e-4 * mean + resolution * resolution,
            "{value} (se {se}) against {mean} with {parameters}"
        );
        assert!(se < 0.01 * mean, "{se}");
    }
}

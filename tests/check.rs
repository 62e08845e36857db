//! `queuefarm check` and `queuefarm compare`: right results pass, wrong ones fail, and pairing narrows differences.
#![allow(clippy::unwrap_used)]

use queuefarm::engine::{Cpu, Watch};
use queuefarm::ensemble::{Results, run};
use queuefarm::experiment::Experiment;
use queuefarm::models::Value;
use queuefarm::statistics::{Check, Table, differences, paired};

/// Level of the verdict: the seed is fixed, so it holds or it does not.
const LEVEL: f64 = 0.01;

fn simulated(parameters: &str) -> Results {
    let text = format!(
        "model = \"redundancy\"\nseed = 3\nreplicas = 2048\nwarmup = 0\nduration = 300\n{parameters}"
    );
    let experiment = Experiment::parse(&text, "t.toml", &[], None).unwrap();
    run(&experiment, &mut Cpu::new(0).unwrap(), &Watch::new()).unwrap()
}

const POINTS: &str = "[parameters]\nservers = 10\ncopies = { list = [1, 2, 3] }\nload = 0.7\nstart = \"stationary\"\n";

fn check(results: &Results) -> Check {
    Check::new(results, &Table::new(results, 0.95), |_| true)
}

#[test]
fn a_right_result_agrees_and_one_that_claims_another_load_does_not() {
    let mut results = simulated(POINTS);
    let found = check(&results);
    assert!(found.comparisons.len() > 30);
    assert!(found.p() >= LEVEL, "{}", found.p());
    assert!((0.4..1.6).contains(&found.spread()), "{}", found.spread());
    // The twin: the same numbers beside the law of a load that is 2 % higher.
    for point in &mut results.points {
        let load = point.values.iter_mut().find(|(key, _)| *key == "load");
        load.unwrap().1 = Value::Number(0.714);
    }
    let wrong = check(&results);
    assert!(wrong.p() < LEVEL, "{}", wrong.p());
}

#[test]
fn what_was_never_seen_counts_only_where_it_should_have_been() {
    // P(all 100 servers idle) is 2.7e-21.
    let rare =
        simulated("[parameters]\nservers = 100\ncopies = 3\nload = 0.9\nstart = \"stationary\"\n");
    let found = check(&rare);
    assert!(found.comparisons.iter().all(|c| c.what != "p_empty"));
    assert!(found.p() >= LEVEL, "{}", found.p());
}

#[test]
fn points_that_share_random_numbers_are_paired_and_their_differences_narrower() {
    let common = simulated(&format!("common_random_numbers = true\n{POINTS}"));
    let apart = simulated(POINTS);
    let response = |results: &Results| {
        let found = differences((results, 1), (results, 2), 0.95);
        found
            .into_iter()
            .find(|d| d.name == "response_mean")
            .unwrap()
    };
    assert!(paired((&common, 1), (&common, 2)) && !paired((&apart, 1), (&apart, 2)));
    let (pair, independent) = (response(&common), response(&apart));
    let se = |d: &queuefarm::statistics::Difference| d.difference.unwrap().se.unwrap();
    assert!(se(&pair) < 0.8 * se(&independent));
    assert!(pair.saved.unwrap() > 1.5 && independent.saved.is_none());
    // Both hold the exact difference within 4.5 standard errors.
    let theory = Table::new(&common, 0.95).theory;
    let exact = theory[2][0].unwrap() - theory[1][0].unwrap();
    for found in [&pair, &independent] {
        let z = (found.difference.unwrap().value - exact) / se(found);
        assert!(z.abs() < 4.5, "{z}");
    }
    // A result compared with itself: no difference at all.
    let same = differences((&common, 1), (&common, 1), 0.95);
    assert_eq!(same[0].difference.unwrap().value, 0.0);
    assert_eq!(same[0].ratio.unwrap().interval, Some((1.0, 1.0)));
}

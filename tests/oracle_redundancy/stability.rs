//! Where no steady state is known to exist: refused with the reason, and simulated on demand without ever being
//! called steady. Owns one case of every condition that is proven, and its neighbour that is not refused.

use crate::simulate::{Effort, file, simulate};
use queuefarm::experiment::Experiment;
use queuefarm::report::unstable_points;

/// Few jobs: too few for a drift to show, so that it is the proof which counts.
const EFFORT: Effort = Effort {
    replicas: 128,
    warmup: 0,
    duration: 10,
};

/// Lines of an experiment file, the load from which on it is refused, and the reason.
const PROVEN: &[(&str, f64, &str)] = &[
    (
        "servers = 3\ncopies = 1\n",
        1.0,
        "with one server a job the slowest server gets",
    ),
    (
        "servers = 3\ncopies = 2\npolicy = \"random\"\nservice = \"weibull\"\n",
        1.0,
        "with one server a job the slowest server gets",
    ),
    (
        "servers = 2\ncopies = 1\nspeeds = [1, 0.5]\n",
        2.0 / 3.0,
        "with one server a job the slowest server gets",
    ),
    (
        "servers = 4\ncopies = 2\npolicy = \"cancel_on_start\"\nservice = \"pareto\"\n",
        1.0,
        "every job is served once",
    ),
    (
        "servers = 4\ncopies = 4\ncopies_are = \"identical\"\n",
        0.25,
        "all servers work on every job at once",
    ),
    (
        "servers = 4\ncopies = 4\ncopies_are = \"identical\"\npolicy = \"fork_join\"\nneeded = 3\n",
        0.25,
        "all servers work on every job at once",
    ),
    (
        "servers = 4\ncopies = 2\ncopies_are = \"identical\"\n",
        1.0,
        "a job takes at least its own size of work",
    ),
    (
        "servers = 6\ncopies = 3\npolicy = \"fork_join\"\nneeded = 3\n",
        1.0 / 3.0,
        "all 3 copies must complete",
    ),
    (
        "servers = 6\ncopies = 3\n",
        1.0,
        "exponential independent copies are stable below a load of 1",
    ),
    (
        "servers = 6\ncopies = 6\nspeeds = [1, 2, 1, 1, 1, 0.5]\n",
        1.0,
        "exponential independent copies are stable below a load of 1",
    ),
    // d = N: N lambda E[min] = 1. The least of 10 hyperexponential sizes has mean .0617 (.9 e^-1.8x + .1 e^-.2x)^10.
    (
        "servers = 10\ncopies = 10\nservice = \"deterministic\"\n",
        0.1,
        "with d = N a job keeps every server for the least of its sizes",
    ),
    (
        "servers = 10\ncopies = 10\nservice = \"erlang\"\nservice_shape = 2\n",
        0.43,
        "with d = N a job keeps every server for the least of its sizes",
    ),
    (
        "servers = 10\ncopies = 10\nservice = \"hyperexponential\"\n",
        1.62,
        "with d = N a job keeps every server for the least of its sizes",
    ),
    (
        "servers = 2\ncopies = 2\nservice = \"samples\"\nservice_samples = [1, 3]\n",
        // The least has mean 1 with probability 3/4 and 3 else, and the mean size is 2.
        1.0 / 1.5,
        "with d = N a job keeps every server for the least of its sizes",
    ),
];

#[test]
fn what_is_proven_unstable_is_refused_with_the_reason() {
    for (lines, critical, reason) in PROVEN {
        // Two digits are known of some.
        let above = format!("{lines}load = {}\n", critical * 1.012);
        let refused = Experiment::parse(&file(&above, EFFORT, 1), "x.toml", &[], None);
        let problems = refused.unwrap_err().to_string();
        assert!(problems.contains(reason), "{problems}\n{lines}");
        assert!(problems.contains("allow_unstable = true"), "{problems}");
        assert!(problems.contains("has no steady state"), "{problems}");
    }
}

#[test]
fn just_below_it_is_not_refused() {
    for (lines, critical, reason) in PROVEN {
        let below = format!("{lines}load = {}\n", critical * 0.988);
        let accepted = Experiment::parse(&file(&below, EFFORT, 1), "x.toml", &[], None);
        assert!(accepted.is_ok(), "{reason}: {lines}{:?}", accepted.err());
    }
}

#[test]
fn what_is_proven_unstable_runs_on_demand_and_is_never_called_steady() {
    for (lines, critical, reason) in PROVEN {
        let parameters = format!(
            "{lines}load = {}\nallow_unstable = true\n",
            critical * 1.012
        );
        let answers = simulate(&parameters, EFFORT, 1);
        assert!(!answers.is_steady(), "{reason}: {lines}");
        assert_eq!(unstable_points(&answers.results), [0], "{lines}");
        let stable = format!("{lines}load = {}\nallow_unstable = true\n", critical * 0.9);
        let answers = simulate(&stable, EFFORT, 1);
        assert!(unstable_points(&answers.results).is_empty(), "{lines}");
    }
}

#[test]
fn an_unstable_run_of_some_length_drifts() {
    let effort = Effort {
        replicas: 128,
        warmup: 0,
        duration: 4_000,
    };
    for (lines, load) in [
        ("servers = 3\ncopies = 2\n", 1.2),
        ("servers = 4\ncopies = 4\ncopies_are = \"identical\"\n", 0.3),
        (
            "servers = 6\ncopies = 3\npolicy = \"cancel_on_start\"\n",
            1.2,
        ),
    ] {
        let parameters = format!("{lines}load = {load}\nallow_unstable = true\n");
        let answers = simulate(&parameters, effort, 2);
        assert!(answers.get("response_mean").drifts, "{parameters}");
        assert!(!answers.is_steady());
    }
}

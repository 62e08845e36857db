//! The exponential model with independent copies against its exact law, on a grid of (N, d, rho).
//! Owns the grid, how much of it is simulated by default, and the twins that must fail.

use crate::compare::{Comparisons, LIMIT};
use crate::simulate::{Answers, Effort, simulate};
use queuefarm::theory::redundancy::{System, warmup_jobs};

/// N, d, rho.
type Point = (u32, u32, f64);

/// Points with an empty start, and (replicas, jobs measured in each) by default.
const FROM_EMPTY: &[(Point, u32, u32)] = &[
    ((1, 1, 0.1), 1024, 40_000),
    ((1, 1, 0.9), 1024, 10_000),
    ((10, 1, 0.7), 1024, 20_000),
    ((10, 2, 0.1), 1024, 40_000),
    ((10, 2, 0.7), 1024, 40_000),
    ((10, 2, 0.9), 1024, 10_000),
    ((5, 4, 0.8), 1024, 10_000),
    ((10, 10, 0.7), 1024, 2_000),
    ((100, 2, 0.5), 1024, 4_000),
    ((100, 10, 0.7), 512, 3_000),
    ((1000, 3, 0.5), 256, 6_000),
    ((1000, 30, 0.5), 256, 1_000),
];

/// Points with a stationary start, and the same: the first job of a replica finds the exact law already.
const FROM_STATIONARY: &[(Point, u32, u32)] = &[
    ((1, 1, 0.5), 262_144, 1),
    ((1, 1, 0.99), 65_536, 2),
    ((10, 1, 0.9), 32_768, 1),
    ((10, 2, 0.7), 262_144, 1),
    ((10, 2, 0.95), 65_536, 3),
    ((10, 3, 0.99), 32_768, 2),
    ((10, 10, 0.9), 65_536, 1),
    ((100, 2, 0.9), 16_384, 4),
    ((100, 10, 0.1), 65_536, 1),
    ((100, 10, 0.99), 16_384, 4),
    ((1000, 3, 0.9), 4_096, 8),
    ((1000, 30, 0.1), 8_192, 4),
    ((1000, 30, 0.9), 4_096, 16),
    ((1000, 30, 0.99), 4_096, 16),
];

/// Points of the long version: those, and these.
const MORE: &[Point] = &[
    (1, 1, 0.7),
    (2, 2, 0.9),
    (10, 1, 0.1),
    (10, 2, 0.5),
    (10, 3, 0.9),
    (10, 5, 0.95),
    (100, 2, 0.95),
    (100, 10, 0.9),
    (100, 50, 0.8),
    (1000, 2, 0.7),
    (1000, 30, 0.7),
];

/// Chances at whose quantiles the tail is compared, as far as jobs reach.
const TAILS: [f64; 7] = [0.9, 0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-5];
/// Jobs expected beyond a time, or to find the system empty, for the share to have a normal law.
const ENOUGH: f64 = 1_000.0;

fn parameters((servers, copies, load): Point, start: &str) -> String {
    format!("servers = {servers}\ncopies = {copies}\nload = {load}\nstart = \"{start}\"\n")
}

/// Everything that the exact law has, against a run.
fn against_theory(what: &str, answers: &Answers, point: Point, jobs: f64) -> Comparisons {
    let (servers, copies, load) = point;
    let system = System::new(servers, copies, load).unwrap();
    let mean = system.response_mean();
    let mut made = Comparisons::default();
    for (observable, exact) in [
        ("response_mean", mean),
        (
            "response_var",
            system.response_second_moment() - mean * mean,
        ),
        ("queue_mean", system.queue_mean()),
        ("queue_normalised", system.queue_normalised()),
        ("jobs_mean", system.jobs_mean()),
        ("busy_mean", system.busy_mean()),
    ] {
        made.estimate(what, answers, observable, exact);
    }
    let empty = system.p_empty();
    if empty * jobs > ENOUGH {
        made.estimate(what, answers, "p_empty", empty);
    }
    for chance in TAILS.into_iter().filter(|chance| chance * jobs > ENOUGH) {
        let tail = answers.tail_near(system.response_quantile(1.0 - chance).unwrap());
        let exact = system.response_tail(tail.time);
        let what = format!("P(T > {}) of {what}", tail.time);
        made.add(&what, tail.share, tail.se, exact, 0.0);
    }
    made
}

/// The measured warm-up of theory/redundancy/stability.rs.
fn warmup((servers, copies, load): Point) -> u32 {
    warmup_jobs(servers, copies, load).unwrap().ceil() as u32
}

fn from_empty(point: Point, replicas: u32, duration: u32, seed: u64) -> Comparisons {
    let effort = Effort {
        replicas,
        warmup: warmup(point),
        duration,
    };
    let answers = simulate(&parameters(point, "empty"), effort, seed);
    let what = format!("{point:?} from empty");
    against_theory(&what, &answers, point, effort.jobs())
}

fn from_stationary(point: Point, replicas: u32, duration: u32, seed: u64) -> Comparisons {
    let effort = Effort {
        replicas,
        warmup: 0,
        duration,
    };
    let answers = simulate(&parameters(point, "stationary"), effort, seed);
    let what = format!("{point:?} from the stationary law");
    against_theory(&what, &answers, point, effort.jobs())
}

#[test]
fn an_empty_start_with_the_measured_warmup_gives_the_exact_law() {
    let mut made = Comparisons::default();
    for (index, &(point, replicas, duration)) in FROM_EMPTY.iter().enumerate() {
        made.join(from_empty(point, replicas, duration, index as u64));
    }
    made.assert_all(145);
}

#[test]
fn a_stationary_start_gives_the_exact_law_from_the_first_job_on() {
    let mut made = Comparisons::default();
    for (index, &(point, replicas, duration)) in FROM_STATIONARY.iter().enumerate() {
        made.join(from_stationary(
            point,
            replicas,
            duration,
            100 + index as u64,
        ));
    }
    made.assert_all(136);
}

/// Every point both ways. From empty one replica a batch, so that long warm-ups (loads of .99) are paid least often.
#[test]
#[ignore = "minutes"]
fn the_whole_grid_gives_the_exact_law() {
    let mut made = Comparisons::default();
    let all = FROM_EMPTY.iter().chain(FROM_STATIONARY).map(|row| row.0);
    let points: Vec<Point> = all.chain(MORE.iter().copied()).collect();
    for (index, &point) in points.iter().enumerate() {
        let (servers, copies, load) = point;
        let seed = 1000 + 2 * index as u64;
        // Copies that are simulated, a server's share of the cache counted as well.
        let copies_in_all = 8e8 / (1.0 + f64::from(servers) / 500.0);
        let jobs = copies_in_all / f64::from(copies.max(4));
        let warmup = warmup(point);
        let replicas = 128;
        let duration = (jobs / f64::from(replicas)) as u32;
        made.join(from_empty(point, replicas, duration, seed));
        let present = System::new(servers, copies, load).unwrap().jobs_mean();
        let start = 40.0 + f64::from(servers) + present * f64::from(copies);
        let replicas = (4e7 / start) as u32 / 128 * 128;
        made.join(from_stationary(point, replicas.max(8_192), 1, seed + 1));
    }
    let (count, _) = made.counts();
    assert!(count > 700, "{count} comparisons");
    made.assert_all(count);
}

/// The comparisons of a run with other parameters against the theory of a point; those that fail, and all.
fn twin(point: Point, wrong: &str, start: &str, effort: Effort) -> (usize, usize) {
    let answers = simulate(&format!("{wrong}start = \"{start}\"\n"), effort, 7);
    let (made, missed) = against_theory("a twin", &answers, point, effort.jobs()).counts();
    (missed, made)
}

#[test]
fn a_service_rate_two_percent_off_or_another_d_is_found_out() {
    for (point, start, replicas, duration) in [
        ((10, 2, 0.7), "empty", 1024, 5_000),
        ((10, 2, 0.7), "stationary", 131_072, 1),
        ((100, 10, 0.7), "empty", 512, 3_000),
        ((1000, 30, 0.9), "stationary", 4_096, 16),
    ] {
        let (servers, copies, load) = point;
        let warmup = if start == "empty" { warmup(point) } else { 0 };
        let effort = Effort {
            replicas,
            warmup,
            duration,
        };
        let right = format!("servers = {servers}\ncopies = {copies}\nload = {load}\n");
        let (missed, made) = twin(point, &right, start, effort);
        assert_eq!(missed, 0, "of {made} at {point:?} from {start}");
        // The same arrivals at servers 2 % slower.
        let slow = format!(
            "servers = {servers}\ncopies = {copies}\nload = {}\nspeeds = 0.98\n",
            load / 0.98
        );
        let other = format!(
            "servers = {servers}\ncopies = {}\nload = {load}\n",
            copies + 1
        );
        for (what, wrong) in [("2 % slower", slow), ("d + 1", other)] {
            let (missed, made) = twin(point, &wrong, start, effort);
            assert!(
                missed >= 5,
                "{what}: {missed} of {made} beyond z = {LIMIT} at {point:?} from {start}"
            );
        }
    }
}

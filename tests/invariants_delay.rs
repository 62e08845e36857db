//! What must hold in every run of the `delay` model, whatever its options: clients are conserved, and sums,
//! histograms and trajectories tell the same story to the last unit.
#![allow(clippy::unwrap_used)]

#[path = "invariants_delay/run.rs"]
mod run;

use queuefarm::engine::gpu::Gpu;
use queuefarm::engine::{Backend, Cpu};
use queuefarm::models::delay::MODEL;
use queuefarm::models::delay::words::{state, sum};
use queuefarm::models::{Model, Plan, Point, Value};
use queuefarm::random::Key;
use run::{REPLICAS, Run};

/// A point of the parity grid with some values changed.
fn point(warmup: f64, duration: f64, changes: &[(&str, Value)]) -> Point {
    let mut point = (MODEL.parity_grid)().remove(0);
    (point.warmup, point.duration) = (warmup, duration);
    for (name, value) in changes {
        let place = point
            .values
            .iter_mut()
            .find(|(key, _)| key == name)
            .unwrap();
        place.1 = value.clone();
    }
    point
}

fn n(x: f64) -> Value {
    Value::Number(x)
}

fn word(x: &str) -> Value {
    Value::Word(x.to_owned())
}

/// The largest systems, where 32 bits are closest to overflowing.
fn large() -> Vec<Point> {
    let clients = ("clients", n(65_535.0));
    vec![
        point(10.0, 300.0, &[clients.clone(), ("start", word("all_in_1"))]),
        point(
            0.0,
            40.0,
            &[
                clients.clone(),
                ("start", word("all_in_1")),
                ("service_time", Value::Numbers(vec![4096.0, 4096.0])),
                ("compare", word("work")),
                ("phase", n(4096.0)),
            ],
        ),
        point(
            5.0,
            100.0,
            &[
                clients.clone(),
                ("bias", n(0.5)),
                ("bias_kind", word("clients")),
                ("start", word("random")),
                ("information_delay", n(50.0)),
            ],
        ),
        point(
            0.0,
            50.0,
            &[
                clients.clone(),
                ("load_rejection_scaled", n(1.5)),
                ("bounce_limit", n(16_383.0)),
                ("information_delay", n(3.0)),
            ],
        ),
        point(
            3.0,
            200.0,
            &[
                ("clients", n(3_000.0)),
                ("rejection", n(0.9)),
                ("bounce", word("travel")),
                ("travel_time", n(40.0)),
                ("bounce_limit", n(7.0)),
                ("bias", n(0.4)),
                ("bias_kind", word("clients")),
            ],
        ),
    ]
}

#[test]
fn every_option_conserves_clients_and_counts_consistently() {
    let mut cpu = Cpu::new(0).unwrap();
    for point in (MODEL.parity_grid)() {
        Run::new(&mut cpu, &MODEL, &point).check();
    }
}

#[test]
fn large_systems_conserve_clients_and_count_consistently() {
    let mut cpu = Cpu::new(0).unwrap();
    for point in large() {
        Run::new(&mut cpu, &MODEL, &point).check();
    }
}

/// With c > 2/N both servers may refuse for sure: the run ends, and refusals are counted.
#[test]
fn servers_that_both_refuse_for_sure_end_and_are_counted() {
    for (c, bounces) in [(1.0, 1000.0), (1.0, 0.0), (0.2, 5.0)] {
        let point = point(
            50.0,
            400.0,
            &[
                ("clients", n(30.0)),
                ("load_rejection", n(c)),
                ("bounce_limit", n(bounces)),
                ("disinformation", n(0.0)),
                ("information_delay", n(2.0)),
            ],
        );
        let run = Run::new(&mut Cpu::new(0).unwrap(), &MODEL, &point);
        run.check();
        assert!(
            run.sum(sum::REFUSALS) > 0 && run.sum(sum::JOINED) > 0,
            "c = {c}"
        );
        if c == 1.0 {
            // A server takes a packet only when it is empty: one each, the others ask in vain every tick.
            assert_eq!(
                run.tallies.counts.iter().rev().take(29).sum::<u64>(),
                0,
                "nobody meets a queue"
            );
            assert!(
                run.sum(sum::REFUSALS) >= 27 * run.ticks(),
                "the others are refused in every tick"
            );
        }
    }
}

/// The 64-bit sums begin here instead of at 0: each low word is about to carry, or the top bit to be set.
fn preset(plan: &Plan, key: &Key, replica: u32, words: &mut [u32], base: u64) {
    (MODEL.start)(plan, key, replica, words);
    for entry in 0..2 * sum::COUNT {
        let at = state::SUMS + 2 * entry;
        words[at] = base as u32;
        words[at + 1] = (base >> 32) as u32;
    }
}

const NEAR_32: u64 = (1 << 32) - 3;
const NEAR_63: u64 = (1 << 63) - 3;

fn counters_carry_on(backend: &mut dyn Backend) {
    let near_32 = Model {
        start: |p, k, r, w| preset(p, k, r, w, NEAR_32),
        ..MODEL
    };
    let near_63 = Model {
        start: |p, k, r, w| preset(p, k, r, w, NEAR_63),
        ..MODEL
    };
    for index in [4, 9, 12, 16] {
        let point = (MODEL.parity_grid)().remove(index);
        let plain = Run::new(backend, &MODEL, &point);
        for (model, base) in [(&near_32, NEAR_32), (&near_63, NEAR_63)] {
            let late = Run::new(backend, model, &point);
            for (which, sums) in late.tallies.sums.iter().enumerate() {
                let expected = plain.tallies.sums[which]
                    .map(|sum| sum + u128::from(REPLICAS) * u128::from(base));
                assert_eq!(
                    *sums, expected,
                    "{} from {base:#x} in {}",
                    MODEL.sums[which], late.what
                );
            }
        }
    }
}

#[test]
fn sums_beyond_32_and_63_bits_carry_on() {
    counters_carry_on(&mut Cpu::new(0).unwrap());
}

#[test]
fn sums_beyond_32_and_63_bits_carry_on_the_gpu_too() {
    match Gpu::open(None, true) {
        Ok(mut gpu) => counters_carry_on(&mut gpu),
        Err(fault) if std::env::var_os("REQUIRE_GPU").is_some() => {
            panic!("REQUIRE_GPU is set: {fault}")
        }
        Err(fault) => eprintln!("SKIPPED, no adapter: {fault}"),
    }
}

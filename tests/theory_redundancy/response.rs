//! The response time: the exact tail against partial fractions, quadrature and M/M/1; quantiles; bounds.

use super::assert_close;
use queuefarm::theory::redundancy::{System, mm1_response_tail};

/// P(T > t) as a sum of exponentials, which is exact for large t, where one of them is left, and useless for small t,
/// where they cancel.
fn partial_fractions(system: &System, t: f64) -> f64 {
    let d = f64::from(system.copies());
    let mut rates: Vec<f64> = Vec::new();
    let mut weights: Vec<f64> = Vec::new();
    for (load, m) in system.loads().zip(system.copies()..) {
        let m = f64::from(m);
        let rate = m * (1.0 - load);
        for (weight, other) in weights.iter_mut().zip(&rates) {
            *weight *= (1.0 - d / m) * rate / (rate - other);
        }
        weights.push(1.0 - weights.iter().sum::<f64>());
        rates.push(rate);
    }
    let terms = weights.iter().zip(&rates);
    terms.map(|(weight, rate)| weight * (-rate * t).exp()).sum()
}

#[test]
fn the_tail_is_right_down_to_1e_minus_300() {
    // The slowest stage is the last one in the first three systems and the first one in the others.
    for (n, d, rho, factor) in [
        (10, 3, 0.3, 1.0),
        (30, 2, 0.5, 1.0),
        (60, 5, 0.6, 1.0),
        (10, 3, 0.9, 1.0),
        (12, 2, 0.97, 1.0),
        (20, 4, 0.999, 1.0),
    ] {
        let system = System::new(n, d, rho).unwrap();
        let slowest = system
            .loads()
            .zip(d..)
            .map(|(load, m)| f64::from(m) * (1.0 - load))
            .fold(f64::INFINITY, f64::min);
        for decades in [100.0, 200.0, 295.0] {
            let t = factor * decades * std::f64::consts::LN_10 / slowest;
            let tail = system.response_tail(t);
            assert!(tail < 1e-90 && tail > 1e-300);
            assert_close(tail, partial_fractions(&system, t), 1e-9);
        }
    }
}

#[test]
fn the_tail_of_few_servers_is_a_sum_of_exponentials_at_all_times() {
    for (n, d, rho) in [(3, 2, 0.8), (5, 2, 0.7), (6, 4, 0.5)] {
        let system = System::new(n, d, rho).unwrap();
        for t in [1e-9, 0.01, 0.3, 1.0, 4.0, 20.0, 100.0] {
            assert_close(
                system.response_tail(t),
                partial_fractions(&system, t),
                1e-11,
            );
        }
    }
}

#[test]
fn the_moments_are_integrals_of_the_tail() {
    for (n, d, rho) in [(10, 2, 0.7), (100, 10, 0.9), (50, 3, 0.95)] {
        let system = System::new(n, d, rho).unwrap();
        let cells = 4000;
        let width = system.response_quantile(1.0 - 1e-13).unwrap() / f64::from(cells);
        let (mut first, mut second) = (0.0, 0.0);
        for cell in 0..=cells {
            let t = width * f64::from(cell);
            let simpson = match cell {
                0 => 1.0,
                _ if cell == cells => 1.0,
                _ if cell % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let part = simpson * width / 3.0 * system.response_tail(t);
            first += part;
            second += 2.0 * t * part;
        }
        assert_close(first, system.response_mean(), 1e-9);
        assert_close(second, system.response_second_moment(), 1e-9);
    }
}

#[test]
fn one_copy_and_all_copies_have_exponential_response_times() {
    for (n, d, rho) in [(7, 1, 0.6), (9, 9, 0.8), (1, 1, 0.3)] {
        let system = System::new(n, d, rho).unwrap();
        for t in [0.0, 0.2, 3.0, 100.0] {
            let expected = mm1_response_tail(n, d, rho, t).unwrap();
            assert_close(system.response_tail(t), expected, 1e-12);
            let p = 1.0 - expected;
            if p < 1.0 - 1e-3 {
                let quantile = system.response_quantile(p).unwrap();
                assert!((quantile - t).abs() < 1e-11);
            }
        }
        let rate = f64::from(d) * (1.0 - rho);
        assert_close(system.response_mean(), 1.0 / rate, 1e-13);
        let second = system.response_second_moment();
        assert_close(second, 2.0 / (rate * rate), 1e-12);
    }
    assert_eq!(mm1_response_tail(5, 2, 0.5, 1.0), None);
}

#[test]
fn quantiles_invert_the_tail() {
    for (n, d, rho) in [(10, 2, 0.7), (200, 5, 0.95), (20, 4, 0.999_999_9)] {
        let system = System::new(n, d, rho).unwrap();
        for p in [1e-6, 0.1, 0.5, 0.99, 0.9999, 1.0 - 1e-12] {
            let t = system.response_quantile(p).unwrap();
            assert_close(system.response_tail(t), 1.0 - p, 1e-10);
        }
        assert_eq!(system.response_quantile(0.0), Some(0.0));
        assert_eq!(system.response_quantile(1.0), None);
        assert_eq!(system.response_quantile(-0.1), None);
        assert_eq!(system.response_quantile(f64::NAN), None);
    }
}

#[test]
fn the_tail_takes_every_time_and_a_load_next_to_one() {
    let system = System::new(30, 3, 0.9).unwrap();
    assert_eq!(system.response_tail(-1.0), 1.0);
    assert_eq!(system.response_tail(0.0), 1.0);
    assert_eq!(system.response_tail(f64::INFINITY), 0.0);
    assert!(system.response_tail(f64::NAN).is_nan());
    assert_close(system.response_tail(1e-300), 1.0, 1e-15);
    assert_eq!(system.response_tail_bound_ln(f64::NAN), 0.0);
    assert!(system.response_tail_bound_ln(f64::INFINITY) < -1e10);
    // The first stage alone is slow: T is exponential for long times.
    let load = 1.0 - 1e-12;
    let system = System::new(30, 3, load).unwrap();
    let rate = 30.0 * (1.0 - load);
    let t = 300.0 * std::f64::consts::LN_10 / rate;
    assert_close(system.response_tail(t), 1e-300, 1e-9);
    assert_close(system.response_tail(1.0 / rate), (-1.0_f64).exp(), 1e-9);
}

#[test]
fn bounds_on_the_tail_bound_and_are_close() {
    for (n, d, rho) in [
        (10, 2, 0.7),
        (10, 1, 0.5),
        (10, 10, 0.5),
        (100, 3, 0.9),
        (500, 2, 0.99),
        (500, 400, 0.9),
    ] {
        let system = System::new(n, d, rho).unwrap();
        for times in [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0] {
            let t = times * system.response_mean();
            let exact = system.response_tail(t).ln();
            let bound = system.response_tail_bound_ln(t);
            assert!(
                bound >= exact - 1e-11,
                "{n} {d} {rho}, t {t}: {bound} < {exact}"
            );
            let most = exact + 3.0 + (1.0 + f64::from(d) * t).ln();
            assert!(
                bound <= most,
                "{n} {d} {rho}, t {t}: {bound} against {exact}"
            );
        }
    }
}

/// P(T > t) by uniformisation without any of the shortcuts, for (largest rate) x t below 700.
fn uniformised(system: &System, t: f64) -> f64 {
    let d = f64::from(system.copies());
    let stages: Vec<[f64; 2]> = system
        .loads()
        .zip(system.copies()..)
        .map(|(load, m)| [f64::from(m) * (1.0 - load), 1.0 - d / f64::from(m)])
        .collect();
    let rate = stages.iter().map(|stage| stage[0]).fold(0.0, f64::max);
    let mut there = vec![1.0; stages.len()];
    let mut poisson = (-rate * t).exp();
    let mut tail = 0.0;
    for tick in 1..5000 {
        tail += poisson * there[stages.len() - 1];
        poisson *= rate * t / f64::from(tick);
        let mut below = 0.0;
        for (there, [leave, on]) in there.iter_mut().zip(&stages) {
            let next = (1.0 - leave / rate) * *there + leave / rate * on * below;
            below = *there;
            *there = next;
        }
    }
    tail
}

#[test]
fn the_tail_of_many_servers_is_as_without_shortcuts() {
    for (n, d, rho, times) in [
        (400, 3, 0.9, [0.1, 1.0, 4.0]),
        (400, 2, 0.9995, [0.1, 1.0, 6.0]),
        (2000, 2, 0.9, [0.05, 0.5, 1.1]),
        (2000, 100, 0.7, [0.01, 0.1, 0.3]),
    ] {
        let system = System::new(n, d, rho).unwrap();
        for t in times {
            assert_close(system.response_tail(t), uniformised(&system, t), 1e-11);
        }
    }
}

//! Very many servers: finite, quick, consistent, and on the way to the limits.

use super::assert_close;
use queuefarm::theory::redundancy::{
    System, limit_queue_normalised, limit_response_mean, limit_response_tail, mean_field_queue,
    optimal_copies,
};

#[test]
fn a_hundred_thousand_servers_neither_overflow_nor_disappear() {
    for (d, rho) in [(2, 0.9), (3, 0.5), (1000, 0.9), (99_999, 0.9)] {
        let system = System::new(100_000, d, rho).unwrap();
        let mean = system.jobs_mean();
        let law = system.jobs_pmf((mean + 12.0 * system.jobs_var().sqrt()) as usize + 400);
        let listed: f64 = law.iter().sum();
        let listed_mean: f64 = law.iter().enumerate().map(|(n, p)| n as f64 * p).sum();
        assert_close(listed, 1.0, 1e-9);
        assert_close(listed_mean, mean, 1e-9);
        let queue = system.queue_pmf(400);
        let listed: f64 = queue.iter().sum();
        assert_close(listed, 1.0, 1e-9);
        let mean: f64 = queue.iter().enumerate().map(|(n, p)| n as f64 * p).sum();
        assert_close(mean, system.queue_mean(), 1e-9);
        assert_close(
            system.response_mean(),
            system.jobs_mean() / system.busy_mean(),
            1e-12,
        );
        assert!(system.response_second_moment().is_finite());
        assert!(system.p_empty_ln().is_finite());
    }
    let system = System::new(100_000, 2, 0.9).unwrap();
    assert_eq!(system.p_empty(), 0.0);
    let busy = system.busy_pmf();
    let mean: f64 = busy.iter().enumerate().map(|(u, p)| u as f64 * p).sum();
    assert_close(mean, 90_000.0, 1e-9);
}

#[test]
fn the_tail_of_very_many_servers_differs_from_its_limit_by_one_over_their_number() {
    let t = 0.5;
    let limit = limit_response_tail(3, 0.9, t).unwrap();
    let excess = |n: u32| {
        let tail = System::new(n, 3, 0.9).unwrap().response_tail(t);
        f64::from(n) * (tail - limit)
    };
    let (few, many) = (excess(1000), excess(100_000));
    assert_close(few, many, 0.02);
    assert!(many.abs() > 0.05);
}

#[test]
fn means_of_very_many_servers_approach_their_limits() {
    for (d, rho) in [(2, 0.3), (3, 0.9), (10, 0.99)] {
        let excess = |n: u32| {
            let system = System::new(n, d, rho).unwrap();
            let limit = limit_response_mean(d, rho).unwrap();
            f64::from(n) * (system.response_mean() - limit)
        };
        assert_close(excess(30_000), excess(100_000), 0.05);
    }
}

#[test]
fn the_limit_of_the_mean_is_the_integral_of_the_limit_of_the_tail() {
    for d in [1, 2, 3, 7, 50, 1000] {
        for rho in [1e-9, 0.1, 0.499, 0.501, 0.9, 0.999] {
            let mean = limit_response_mean(d, rho).unwrap();
            // Double exponential quadrature over t from 0 to infinity.
            let scale = mean * 2.0;
            let mut sum = 0.0;
            let step = 1.0 / 64.0;
            for at in -320..=320 {
                let x = step * f64::from(at);
                let s = std::f64::consts::FRAC_PI_2 * x.sinh();
                let t = scale * (-2.0 * s).exp().ln_1p();
                let weight = std::f64::consts::PI * x.cosh() * (1.0 / (1.0 + (2.0 * s).exp()));
                sum += step * weight * scale * limit_response_tail(d, rho, t).unwrap();
            }
            assert_close(sum, mean, 1e-10);
        }
    }
}

#[test]
fn the_hypergeometric_limit_is_its_series() {
    for d in [2_u32, 3, 10, 400] {
        let a = f64::from(d) / f64::from(d - 1);
        for rho in [0.2, 0.49, 0.51, 0.9, 0.99] {
            let mut series = 0.0;
            for k in (0..6000).rev() {
                series = series * rho + a / (a + f64::from(k));
            }
            let q = limit_queue_normalised(d, rho).unwrap();
            assert_close(q, (1.0 - rho) * series, 1e-12);
        }
    }
    // d = 2 has the closed form 2 (-rho - ln(1 - rho)) / rho^2 for the series.
    for rho in [0.9, 1.0 - 1e-9] {
        let gap: f64 = 1.0 - rho;
        let closed = 2.0 * (-rho - gap.ln()) / (rho * rho);
        let q = limit_queue_normalised(2, rho).unwrap();
        assert_close(q, gap * closed, 1e-12);
    }
}

#[test]
fn the_mean_field_curve_is_the_limit_of_many_copies_and_lies_below_every_queue() {
    for rho in [0.01, 0.5, 0.9, 0.999] {
        let curve = mean_field_queue(rho).unwrap();
        let near = limit_queue_normalised(1_000_000, rho).unwrap();
        assert_close(near, curve, 1e-4);
        for (n, d) in [(2, 2), (10, 3), (1000, 30), (1000, 1)] {
            assert!(System::new(n, d, rho).unwrap().queue_normalised() > curve);
        }
    }
}

#[test]
fn limits_have_no_value_outside_their_range() {
    for (d, rho) in [(0, 0.5), (2, 0.0), (2, 1.0), (2, f64::NAN)] {
        assert_eq!(limit_response_mean(d, rho), None);
        assert_eq!(limit_queue_normalised(d, rho), None);
        assert_eq!(limit_response_tail(d, rho, 1.0), None);
    }
    assert_eq!(mean_field_queue(1.0), None);
    assert_eq!(limit_response_tail(2, 0.5, f64::NAN), None);
    assert_eq!(limit_response_tail(2, 0.5, 1e9), Some(0.0));
    assert_eq!(limit_response_tail(2, 0.5, -1.0), Some(1.0));
}

#[test]
fn the_best_number_of_copies_among_very_many_servers_has_worse_neighbours() {
    for rho in [0.01, 0.5, 0.9, 0.999] {
        let n = 100_000;
        let best = optimal_copies(n, rho).unwrap();
        let q = |d| System::new(n, d, rho).unwrap().queue_normalised();
        assert!(q(best) <= q(best - 1) && q(best) <= q(best + 1));
        assert!(q(best) < q(best / 2) && q(best) < q(best * 2));
    }
}

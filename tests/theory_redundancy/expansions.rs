//! Expansions for low and for heavy load, stability, and the length of a warm-up.

use super::assert_close;
use queuefarm::theory::redundancy::{
    System, alpha, alpha_expansion, critical_load_all, heavy_load_queue, warmup_jobs,
};

#[test]
fn alpha_is_the_slope_of_the_response_time_at_no_load() {
    for (n, d) in [(10, 3), (100, 10), (57, 57), (20, 1)] {
        let rho = 1e-7;
        let system = System::new(n, d, rho).unwrap();
        let slope = (f64::from(d) * system.response_mean() - 1.0) / rho;
        assert_close(slope, alpha(n, d).unwrap(), 1e-6);
    }
    let gap = |n: u32, d: u32| alpha(n, d).unwrap() - alpha_expansion(n, d).unwrap();
    assert!(gap(10_000, 100).abs() < 3e-4);
    assert!(gap(1_000_000, 1000).abs() < 3e-6);
    assert_eq!(alpha(5, 6), None);
    assert_eq!(alpha_expansion(5, 0), None);
}

#[test]
fn the_heavy_load_expansion_is_the_slope_of_the_queue_at_full_load() {
    for (n, d) in [(10, 2), (10, 3), (100, 2), (100, 7), (9, 9), (2, 2), (3, 2)] {
        let rho = 1.0 - 1e-7;
        let q = System::new(n, d, rho).unwrap().queue_normalised();
        let expansion = heavy_load_queue(n, d, rho).unwrap();
        assert_close(q, expansion, 1e-9);
        let share = f64::from(d) / f64::from(n);
        let slope = |q: f64| (q / share - 1.0) / (1.0 - rho);
        if d < n {
            assert_close(slope(q), slope(expansion), 1e-4);
        }
    }
    assert_eq!(heavy_load_queue(10, 1, 0.9), None);
    assert_eq!(heavy_load_queue(10, 11, 0.9), None);
    assert_eq!(heavy_load_queue(10, 2, 1.0), None);
}

#[test]
fn all_copies_of_exponential_jobs_are_stable_up_to_full_load() {
    assert_close(critical_load_all(10, 0.1).unwrap(), 1.0, 1e-15);
    // Deterministic: the least of any number of copies is a whole service time.
    assert_close(critical_load_all(10, 1.0).unwrap(), 0.1, 1e-15);
    // Hyperexponential, rates 1.8 and .2 with weights .9 and .1: E[min of 10] from P(S > t)^10, term by term.
    let mut least = 0.0;
    let mut choose = 1.0;
    for slow in 0..=10 {
        let fast = 10 - slow;
        let rate = 1.8 * f64::from(fast) + 0.2 * f64::from(slow);
        least += choose * 0.9_f64.powi(fast) * 0.1_f64.powi(slow) / rate;
        choose *= f64::from(fast) / f64::from(slow + 1);
    }
    assert_close(critical_load_all(10, least).unwrap(), 1.62, 5e-3);
    assert_eq!(critical_load_all(0, 1.0), None);
    assert_eq!(critical_load_all(3, 0.0), None);
    assert_eq!(critical_load_all(3, f64::INFINITY), None);
}

#[test]
fn the_warm_up_covers_the_measured_ones_without_waste() {
    // Jobs from empty until the measured bias of E[T] is below 1e-4.
    for (n, d, rho, measured) in [
        (10, 2, 0.5, 77.0),
        (10, 2, 0.7, 229.0),
        (10, 2, 0.9, 1992.0),
        (10, 2, 0.95, 7546.0),
        (100, 2, 0.9, 6959.0),
        (100, 10, 0.9, 1854.0),
        (1000, 3, 0.9, 33962.0),
    ] {
        let rule = warmup_jobs(n, d, rho).unwrap();
        assert!(
            measured <= rule && rule < 2.5 * measured,
            "{n} {d} {rho}: {rule}"
        );
    }
    // One copy: N times what a single queue needs.
    let single = warmup_jobs(1, 1, 0.9).unwrap();
    assert_close(warmup_jobs(50, 1, 0.9).unwrap(), 50.0 * single, 1e-14);
    assert_close(warmup_jobs(50, 50, 0.9).unwrap(), single, 1e-14);
    assert_eq!(warmup_jobs(5, 6, 0.5), None);
    assert_eq!(warmup_jobs(5, 2, 1.0), None);
}

//! The number of jobs, the queue of one server and the busy servers: laws against moments, transforms and bounds.

use super::{assert_all_close, assert_close};
use queuefarm::theory::redundancy::{MAX_SERVERS, System, mm1_jobs_pmf};

const GRID: [(u32, u32, f64); 7] = [
    (1, 1, 0.5),
    (5, 2, 0.7),
    (10, 10, 0.9),
    (20, 1, 0.3),
    (50, 3, 0.95),
    (100, 50, 0.2),
    (300, 4, 0.9),
];

fn moments(law: &[f64]) -> [f64; 3] {
    let moment = |power| {
        let terms = law.iter().enumerate();
        terms.map(|(n, p)| p * (n as f64).powi(power)).sum()
    };
    [moment(0), moment(1), moment(2)]
}

#[test]
fn laws_add_up_to_one_and_have_the_mean_and_the_variance_of_the_formulas() {
    for (n, d, rho) in GRID {
        let system = System::new(n, d, rho).unwrap();
        let most = (system.jobs_mean() + 40.0 / (1.0 - rho)) as usize + 300;
        let [one, mean, square] = moments(&system.jobs_pmf(most));
        assert_close(one, 1.0, 1e-11);
        assert_close(mean, system.jobs_mean(), 1e-10);
        assert_close(square - mean * mean, system.jobs_var(), 1e-8);
        let [one, mean, _] = moments(&system.queue_pmf(most));
        assert_close(one, 1.0, 1e-11);
        assert_close(mean, system.queue_mean(), 1e-10);
        let busy = system.busy_pmf();
        assert_eq!(busy.len(), n as usize + 1);
        let [_, mean, _] = moments(&busy);
        assert_close(mean, system.busy_mean(), 1e-11);
        assert_close(busy[0], system.p_empty(), 1e-10);
        // An arrival is one of the jobs at a server with probability d/N: Little's law for one server.
        assert_close(
            system.queue_mean(),
            rho * system.response_mean() * f64::from(d),
            1e-12,
        );
        assert_close(
            system.queue_normalised(),
            system.queue_mean() * (1.0 - rho) / rho,
            1e-12,
        );
    }
}

#[test]
fn a_server_is_busy_with_the_probability_of_its_load() {
    for (n, d, rho) in GRID {
        let idle = System::new(n, d, rho).unwrap().queue_pmf(1)[0];
        assert_close(idle, 1.0 - rho, 1e-11);
    }
}

#[test]
fn the_transform_is_the_power_series_of_the_law() {
    for (n, d, rho) in GRID {
        let system = System::new(n, d, rho).unwrap();
        let law = system.jobs_pmf(3000);
        for z in [-0.5, 0.0, 0.4, 0.99, 1.0, 1.0 + 0.3 * (1.0 - rho)] {
            let series: f64 = law.iter().rev().fold(0.0, |sum, p| sum * z + p);
            let transform = system.jobs_transform(z).unwrap();
            assert!((transform - series).abs() < 1e-11 * transform.max(1.0));
        }
        assert_eq!(system.jobs_transform(1.0 / rho + 1e-9), None);
        assert_eq!(system.jobs_transform(f64::NAN), None);
    }
}

#[test]
fn one_copy_is_many_queues_and_all_copies_are_one_queue() {
    for (n, d, rho) in [(7, 1, 0.6), (40, 1, 0.95), (9, 9, 0.8), (1, 1, 0.3)] {
        let system = System::new(n, d, rho).unwrap();
        let law = system.jobs_pmf(400);
        assert_all_close(&law, &mm1_jobs_pmf(n, d, rho, 400).unwrap(), 1e-10);
        let single: Vec<f64> = (0..400).map(|n| (1.0 - rho) * f64::powi(rho, n)).collect();
        assert_all_close(&system.queue_pmf(400), &single, 1e-10);
        assert_close(system.queue_normalised(), 1.0, 1e-13);
    }
    assert_eq!(mm1_jobs_pmf(5, 2, 0.5, 3), None);
}

#[test]
fn bounds_on_the_number_of_jobs_bound_and_are_close() {
    for (n, d, rho) in GRID {
        let system = System::new(n, d, rho).unwrap();
        let law = system.jobs_pmf(4000);
        let mut tail = 0.0;
        let mut checked = 0;
        for (n, p) in law.iter().enumerate().rev() {
            tail += p;
            // The law is cut at 4000: near there the sum is not yet the tail.
            if n > 3000 || tail < 1e-290 || n % 7 != 0 {
                continue;
            }
            let (bound, exact) = (system.jobs_tail_bound_ln(n as u64), f64::ln(tail));
            assert!(bound >= exact - 1e-11, "{system:?}, {n}: {bound} < {exact}");
            assert!(
                bound <= exact + 3.0 + (1.0 + n as f64).ln(),
                "{n}: {bound}, {exact}"
            );
            checked += 1;
        }
        assert!(checked > 10);
    }
}

#[test]
fn a_law_keeps_its_relative_accuracy_far_out() {
    // For two servers and two copies X is geometric; for (3, 2) it is the sum of two geometrics.
    let rho = 0.5;
    let law = System::new(3, 2, rho).unwrap().jobs_pmf(1000);
    let expected = |n: i32| {
        let (a, b) = (rho, rho / 2.0);
        (1.0 - a) * (1.0 - b) * (a.powi(n + 1) - b.powi(n + 1)) / (a - b)
    };
    for n in [0, 10, 100, 900, 990] {
        assert_close(law[n as usize], expected(n), 1e-11);
    }
    assert!(law[990] < 1e-297);
}

#[test]
fn a_system_needs_a_load_below_one_and_no_more_copies_than_servers() {
    for (n, d, rho) in [
        (0, 0, 0.5),
        (5, 0, 0.5),
        (5, 6, 0.5),
        (5, 2, 0.0),
        (5, 2, 1.0),
        (5, 2, -0.1),
        (5, 2, f64::NAN),
        (MAX_SERVERS + 1, 2, 0.5),
    ] {
        assert_eq!(System::new(n, d, rho), None);
    }
}

#[test]
fn loads_are_ratios_of_binomials() {
    let system = System::new(9, 3, 0.7).unwrap();
    let choose = |n: u32| f64::from(n * (n - 1) / 2);
    let expected: Vec<f64> = (3..=9).map(|m| 0.7 * choose(m - 1) / choose(8)).collect();
    let actual: Vec<f64> = system.loads().collect();
    assert_eq!(actual.len(), 7);
    assert_all_close(&actual, &expected, 1e-14);
}

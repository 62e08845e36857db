//! Every exact row and field of the reference.
//!
//! To 1e-9, but for `exact_tail`, `exact_PX` and `exact_PQ` of B_simulation_iid, which were written with six
//! significant digits: these must agree in all six.

use super::{assert_all_close, assert_close, number, numbers, reference, rows, whole};
use queuefarm::theory::redundancy::{
    System, alpha, alpha_expansion, limit_response_mean, limit_response_tail, mean_field_queue,
    optimal_copies, optimal_copies_asymptotic, optimal_copies_rule, optimal_queue_asymptotic,
    two_jobs,
};
use serde_json::Value;

const EXACT: f64 = 1e-9;

fn system(row: &Value) -> System {
    System::new(whole(row, "N"), whole(row, "d"), number(row, "rho")).unwrap()
}

#[track_caller]
fn assert_same_six_digits(actual: f64, expected: f64) {
    let unit = 10_f64.powf(expected.abs().log10().floor() - 5.0);
    let close = expected == 0.0 || (actual - expected).abs() <= 0.5001 * unit;
    assert!(close, "{actual:e} is not {expected:e} in six digits");
}

#[test]
fn the_grid_of_moments_is_met() {
    let rows = rows("B_grid");
    assert_eq!(rows.len(), 268);
    for row in rows {
        let system = system(&row);
        for (name, actual) in [
            ("EX", system.jobs_mean()),
            ("VarX", system.jobs_var()),
            ("ET", system.response_mean()),
            ("ET2", system.response_second_moment()),
            ("mean_queue_per_server", system.queue_mean()),
            ("normalised_queue", system.queue_normalised()),
            ("P0", system.p_empty()),
        ] {
            assert_close(actual, number(&row, name), EXACT);
        }
    }
}

#[test]
fn the_laws_of_jobs_queues_and_response_times_are_met() {
    for row in rows("B_distributions") {
        let system = system(&row);
        assert_close(system.jobs_mean(), number(&row, "mean"), EXACT);
        let jobs = numbers(&row, "PX");
        let law = system.jobs_pmf(jobs.len());
        assert_all_close(&law, &jobs, EXACT);
        assert_close(law.iter().sum(), number(&row, "sum_listed"), EXACT);
        let queue = numbers(&row, "P_queue_of_one_server");
        assert_all_close(&system.queue_pmf(queue.len()), &queue, EXACT);
        let tail: Vec<f64> = numbers(&row, "t")
            .iter()
            .map(|&t| system.response_tail(t))
            .collect();
        assert_all_close(&tail, &numbers(&row, "P_T_gt_t"), EXACT);
    }
}

#[test]
fn the_limits_of_many_servers_are_met() {
    for row in rows("B_meanfield") {
        let (d, rho) = (whole(&row, "d"), number(&row, "rho"));
        assert_close(
            limit_response_mean(d, rho).unwrap(),
            number(&row, "ET"),
            EXACT,
        );
        let tail: Vec<f64> = numbers(&row, "t")
            .iter()
            .map(|&t| limit_response_tail(d, rho, t).unwrap())
            .collect();
        assert_all_close(&tail, &numbers(&row, "P_T_gt_t"), EXACT);
    }
    let block = &reference()["B_meanfield_convergence"];
    for row in rows("B_meanfield_convergence") {
        let (system, d, rho) = (system(&row), whole(&row, "d"), number(&row, "rho"));
        assert_close(system.response_mean(), number(&row, "ET"), EXACT);
        assert_close(system.response_tail(1.0), number(&row, "P_T_gt_1"), EXACT);
        let mean = limit_response_mean(d, rho).unwrap();
        assert_close(mean, number(block, "limit_ET"), EXACT);
        let tail = limit_response_tail(d, rho, 1.0).unwrap();
        assert_close(tail, number(block, "limit_P_T_gt_1"), EXACT);
    }
}

#[test]
fn the_optimal_numbers_of_copies_are_met() {
    for row in rows("B_optimal_d") {
        let (n, rho) = (whole(&row, "N"), number(&row, "rho"));
        let q = |d: u32| System::new(n, d, rho).unwrap().queue_normalised();
        let best = optimal_copies(n, rho).unwrap();
        assert_eq!(best, whole(&row, "d_opt"), "N {n}, rho {rho}");
        let root = f64::from(n).sqrt().round() as u32;
        // The reference is written without the floor of two copies.
        let floored = number(&row, "derived_d").max(2.0);
        for (actual, expected) in [
            (q(best), number(&row, "q_min")),
            (q(2), number(&row, "q_at_d2")),
            (q(root), number(&row, "q_at_round_sqrtN")),
            (
                optimal_copies_rule(n, rho).unwrap(),
                number(&row, "notebook_sqrtN_times_1mrho_quarter"),
            ),
            (optimal_copies_asymptotic(n, rho).unwrap(), floored),
            (
                optimal_queue_asymptotic(n, rho).unwrap(),
                number(&row, "derived_qmin"),
            ),
            (mean_field_queue(rho).unwrap(), number(&row, "limit_q")),
        ] {
            assert_close(actual, expected, EXACT);
        }
    }
}

#[test]
fn the_exact_values_beside_the_measured_ones_are_met() {
    for row in rows("B_simulation_iid") {
        let system = system(&row);
        assert_close(system.jobs_mean(), number(&row, "exact_EX"), EXACT);
        let expected = numbers(&row, "exact_PX");
        let law = system.jobs_pmf(expected.len());
        if row["code"] == "python" {
            assert_all_close(&law, &expected, EXACT);
            continue;
        }
        for (actual, expected) in law.iter().zip(expected) {
            assert_same_six_digits(*actual, expected);
        }
        let expected = numbers(&row, "exact_PQ");
        for (actual, expected) in system.queue_pmf(expected.len()).iter().zip(expected) {
            assert_same_six_digits(*actual, expected);
        }
        let mut times: Vec<f64> = row["tail"]
            .as_object()
            .unwrap()
            .keys()
            .map(|t| t.parse().unwrap())
            .collect();
        times.sort_by(f64::total_cmp);
        let expected = numbers(&row, "exact_tail");
        assert_eq!(times.len(), expected.len());
        for (t, expected) in times.into_iter().zip(expected) {
            assert_same_six_digits(system.response_tail(t), expected);
        }
    }
}

#[test]
fn the_laws_of_busy_servers_are_met() {
    for row in rows("B_busy_servers") {
        let law = system(&row).busy_pmf();
        let expected = numbers(&row, "P");
        assert_eq!(law.len(), expected.len());
        assert_all_close(&law, &expected, EXACT);
    }
}

#[test]
fn the_low_load_slopes_are_met() {
    for row in rows("B_low_load_alpha_d") {
        let (n, d) = (whole(&row, "N"), whole(&row, "d"));
        assert_close(alpha(n, d).unwrap(), number(&row, "alpha"), EXACT);
        let approx = alpha_expansion(n, d).unwrap();
        assert_close(approx, number(&row, "approx"), EXACT);
    }
}

#[test]
fn the_collisions_of_two_jobs_are_met() {
    for row in rows("B_collisions_two_jobs") {
        let law = two_jobs(whole(&row, "N"), whole(&row, "d")).unwrap();
        assert_close(law.mean(), number(&row, "mean"), EXACT);
        assert_close(law.variance(), number(&row, "var"), EXACT);
        for (count, chance) in row["p"].as_object().unwrap() {
            let count = count.parse().unwrap();
            assert_close(law.chance(count), chance.as_f64().unwrap(), EXACT);
        }
    }
}

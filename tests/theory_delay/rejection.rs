//! Constant and load-dependent rejection.

use super::{assert_close, number, rows};
use queuefarm::theory::delay::{fluctuations, rejection};

#[test]
fn every_theory_column_of_constant_rejection_is_met() {
    let mut compared = 0;
    for row in rows("A_fig3") {
        if row["scheme"] == "constant" {
            let r = number(&row, "r");
            let p = rejection::equivalent_p(r).unwrap();
            assert_close(p, number(&row, "p_equiv"), 1e-15);
            let tau = number(&row, "tauD");
            let a_rms = fluctuations::diffusion_a_rms(tau, p).unwrap();
            assert_close(a_rms / (2.0 * tau), number(&row, "rw_diffusion"), 1e-9);
            let rejections = rejection::rejections_per_request(r).unwrap();
            assert_close(rejections, number(&row, "rej_theory"), 1e-15);
            let se = number(&row, "rej_per_req_excl_se");
            let measured = number(&row, "rej_per_req_excl");
            assert!((rejections - measured).abs() <= 4.5 * se, "{row}");
            compared += 1;
        }
    }
    assert_eq!(compared, 9);
    assert_eq!(rejection::rejections_per_request(1.0), Some(f64::INFINITY));
    assert_eq!(rejection::equivalent_p(1.0), Some(0.5));
    assert_eq!(rejection::equivalent_p(1.1), None);
}

#[test]
fn acceptance_is_the_sum_over_all_bounces() {
    for (r1, r2) in [(0.3, 0.6), (0.9, 0.95), (1.0, 0.4), (0.4, 1.0), (0.0, 1.0)] {
        let (mut first, mut other, mut on_its_way) = (0.0, 0.0, 1.0);
        for _ in 0..2000 {
            first += on_its_way * (1.0 - r1);
            other += on_its_way * r1 * (1.0 - r2);
            on_its_way *= r1 * r2;
        }
        let acceptance = rejection::acceptance(r1, r2).unwrap();
        assert!((acceptance.first - first).abs() < 1e-12);
        assert!((acceptance.other - other).abs() < 1e-12);
    }
    let equal = rejection::acceptance(0.25, 0.25).unwrap();
    assert_close(equal.first, 1.0 / 1.25, 1e-15);
    assert_close(equal.other, rejection::equivalent_p(0.25).unwrap(), 1e-15);
    assert_eq!(rejection::acceptance(1.0, 1.0), None);
    assert_eq!(rejection::acceptance(f64::NAN, 0.5), None);
}

#[test]
fn load_dependent_rejection_balances_the_servers_at_its_bound() {
    for (clients, mean_r) in [(80.0, 0.4), (140.0, 0.6), (200.0, 0.95)] {
        let bound = rejection::load_dependent_bound(clients, mean_r).unwrap();
        assert!(bound < clients);
        // A = N_1 - N_2 at the bound, R1 the first choice: as many requests bounce to R2 as stay.
        let r1 = mean_r * (1.0 + bound / clients);
        let r2 = mean_r * (1.0 - bound / clients);
        let acceptance = rejection::acceptance(r1, r2).unwrap();
        assert_close(acceptance.first, 0.5, 1e-12);
        assert_close(acceptance.other, 0.5, 1e-12);
    }
    assert_eq!(
        rejection::load_dependent_bound(80.0, 0.1),
        Some(80.0),
        "the formula exceeds N"
    );
    assert_eq!(rejection::load_dependent_bound(80.0, 0.0), Some(80.0));
    assert_eq!(rejection::load_dependent_bound(80.0, 1.0), Some(0.0));
    assert_eq!(rejection::load_dependent_bound(80.0, 1.2), None);
}

#[test]
fn the_fluctuation_floor_meets_the_simulation_at_80_clients_and_strong_rejection() {
    let floor = rejection::fluctuation_floor(80.0, 0.95).unwrap();
    assert!((floor - 1.647).abs() < 5e-4);
    let kappa = rejection::restoring_rate(80.0, 0.95).unwrap();
    assert_close(kappa, 4.0 * 0.95 / (80.0 * (1.0 - 0.95 * 0.95)), 1e-14);
    let row = rows("A_fig3")
        .into_iter()
        .find(|row| row["scheme"] == "LDR" && row["N"] == 80 && row["cN_over_2"] == 0.95)
        .unwrap();
    let scale = 2.0 * number(&row, "tauD");
    let allowed = 4.5 * number(&row, "Arms_n_excl_se");
    assert!((floor / scale - number(&row, "Arms_n_excl")).abs() < allowed);
    assert_eq!(rejection::fluctuation_floor(80.0, 0.0), Some(f64::INFINITY));
    assert_eq!(rejection::fluctuation_floor(80.0, 1.0), None);
    let kappa = rejection::restoring_rate(8.0, 0.9).unwrap();
    assert!(kappa > 2.0 && kappa < 2.5);
    assert_eq!(rejection::fluctuation_floor(8.0, 0.9), None);
    assert_eq!(rejection::restoring_rate(80.0, 1.0), None);
}

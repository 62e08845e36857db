//! The best number of copies: exact search against trying all, and the formulas for many servers.

use super::assert_close;
use queuefarm::theory::redundancy::{
    System, dilogarithm, optimal_copies, optimal_copies_asymptotic, optimal_copies_rule,
    optimal_queue_asymptotic,
};

#[test]
fn the_search_finds_what_trying_all_finds() {
    for n in 1..=60 {
        for rho in [0.05, 0.3, 0.49, 0.51, 0.7, 0.9, 0.99, 0.9999] {
            let q = |d| System::new(n, d, rho).unwrap().queue_normalised();
            let best = optimal_copies(n, rho).unwrap();
            for d in 1..=n {
                let better = q(d) < q(best) * (1.0 - 1e-12);
                let as_good = d < best && q(d) <= q(best) * (1.0 + 1e-15);
                assert!(!better && !as_good, "N {n}, rho {rho}: {d} beats {best}");
            }
        }
    }
}

#[test]
fn ties_go_to_the_smallest_number_and_tiny_loads_are_no_ties() {
    assert_eq!(optimal_copies(1, 0.5), Some(1));
    assert_eq!(optimal_copies(2, 0.5), Some(1));
    assert_eq!(optimal_copies(100, 1e-200), Some(10));
    assert_eq!(optimal_copies(100, 1.0 - 1e-15), Some(2));
    for (n, rho) in [(0, 0.5), (5, 0.0), (5, 1.0), (5, f64::NAN)] {
        assert_eq!(optimal_copies(n, rho), None);
        assert_eq!(optimal_copies_rule(n, rho), None);
        assert_eq!(optimal_copies_asymptotic(n, rho), None);
        assert_eq!(optimal_queue_asymptotic(n, rho), None);
    }
}

#[test]
fn the_asymptotic_formula_is_within_one_copy_where_there_are_many() {
    for n in [1000, 10_000, 50_000] {
        for rho in [0.001, 0.2, 0.6, 0.9, 0.99] {
            let exact = f64::from(optimal_copies(n, rho).unwrap());
            let formula = optimal_copies_asymptotic(n, rho).unwrap();
            assert!(
                (exact - formula).abs() <= 1.0,
                "{n} {rho}: {exact}, {formula}"
            );
        }
    }
    assert_eq!(optimal_copies_asymptotic(10, 0.999), Some(2.0));
    // At no load sqrt(N), to first order in rho, where the plain differences cancel.
    let small = optimal_copies_asymptotic(10_000, 1e-12).unwrap();
    assert_close(small, 100.0, 1e-11);
}

#[test]
fn the_dilogarithm_has_its_known_values() {
    use std::f64::consts::{LN_2, PI};
    let half = PI * PI / 12.0 - LN_2 * LN_2 / 2.0;
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    for (x, value) in [
        (0.0, 0.0),
        (1.0, PI * PI / 6.0),
        (0.5, half),
        (golden, PI * PI / 10.0 - golden.ln() * golden.ln()),
        (golden * golden, PI * PI / 15.0 - golden.ln() * golden.ln()),
    ] {
        assert_close(dilogarithm(x).unwrap(), value, 1e-14);
    }
    for x in [0.3, 0.8, 0.95] {
        let mut series = 0.0;
        for k in (1..3000).rev() {
            series = (series + 1.0 / (f64::from(k) * f64::from(k))) * x;
        }
        assert_close(dilogarithm(x).unwrap(), series, 1e-14);
    }
    assert_eq!(dilogarithm(-0.1), None);
    assert_eq!(dilogarithm(1.1), None);
}

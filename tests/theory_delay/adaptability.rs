//! Biased clients and unequal servers: thresholds, queues and throughput.

use super::{assert_close, number, rows};
use queuefarm::theory::delay::{adaptability, fluctuations};

#[test]
fn the_thresholds_of_the_bias_figure_are_met() {
    for row in rows("A_fig2_bottom") {
        let b = number(&row, "b");
        let collapse = adaptability::collapse_p(b).unwrap();
        assert_close(collapse, number(&row, "p_threshold"), 1e-15);
        let empty = adaptability::fixed_clients_empty_p(b).unwrap();
        assert_close(empty, number(&row, "p_empty_identity"), 1e-15);
    }
    for (b, p) in [(0.0, 0.5), (0.1, 0.4444), (0.2, 0.375), (0.3, 0.2857)] {
        assert!((adaptability::collapse_p(b).unwrap() - p).abs() < 5e-5);
    }
}

#[test]
fn the_measured_throughput_beyond_collapse_is_met() {
    let (mut coins, mut fixed) = (0, 0);
    for row in rows("A_fig2_bottom") {
        let (b, p) = (number(&row, "b"), number(&row, "p"));
        let (measured, se) = (number(&row, "thr_excl"), number(&row, "thr_excl_se"));
        if row["bias"].as_str().unwrap().starts_with("per decision") {
            // Right at the threshold, q close to 1/2, a hundred clients are too few for the limit.
            if (1.0 - b) * (1.0 - p) < 0.485 {
                let theory = adaptability::coin_throughput(b, p).unwrap();
                assert!((theory - measured).abs() < 4.5 * se, "b {b}, p {p}");
                coins += 1;
            }
        } else if p > adaptability::fixed_clients_empty_p(b).unwrap() {
            let theory = adaptability::fixed_clients_throughput(b, p).unwrap();
            // R2 has the load theory - 1 and keeps about 1/(1 - load) of the N clients to itself, which the limit
            // of large N neglects: close to a load of 1 a hundred clients are too few here, too.
            if theory - 1.0 > 0.95 {
                continue;
            }
            assert!(
                (theory - measured).abs() < 2.0 / number(&row, "N"),
                "b {b}, p {p}"
            );
            fixed += 1;
        }
    }
    assert_eq!((coins, fixed), (5, 4));
}

#[test]
fn fixed_clients_hold_up_the_queue_that_was_derived() {
    let throughput = adaptability::fixed_clients_throughput(0.3, 0.43).unwrap();
    assert!((throughput - 1.928).abs() < 5e-4);
    // N_1* is N/2 at the threshold and N where R2 empties.
    let queue = |p| adaptability::fixed_clients_queue(100.0, 0.3, p).unwrap();
    let (collapse, empty) = (0.4 / 1.4 + 1e-12, 0.7 / 1.7);
    assert_close(queue(collapse), 50.0, 1e-9);
    assert_close(queue(empty - 1e-12), 100.0, 1e-9);
    assert_eq!(queue(0.45), 100.0);
    assert_close(queue(0.35), 0.3 * 100.0 * 0.65 / 0.3, 1e-14);
    assert_eq!(adaptability::fixed_clients_queue(100.0, 0.3, 0.2), None);
    assert_eq!(adaptability::fixed_clients_queue(100.0, 0.0, 0.5), None);
}

#[test]
fn bias_functions_are_defined_at_the_ends_of_their_ranges() {
    assert_eq!(adaptability::collapse_p(0.5), Some(0.0));
    assert_eq!(adaptability::collapse_p(1.0), Some(0.0));
    assert_eq!(adaptability::collapse_p(1.5), None);
    assert_eq!(adaptability::coin_throughput(0.0, 0.5), Some(2.0));
    assert_eq!(adaptability::coin_throughput(0.0, 0.4995), Some(2.0));
    assert_eq!(adaptability::coin_throughput(1.0, 0.0), Some(1.0));
    assert_eq!(adaptability::coin_throughput(0.2, 0.8), None);
    assert_eq!(adaptability::fixed_clients_throughput(1.0, 0.0), Some(1.0));
    assert_eq!(adaptability::fixed_clients_throughput(0.5, 0.0), Some(2.0));
    assert_eq!(
        adaptability::fixed_clients_queue(100.0, 1.0, 0.0),
        Some(100.0)
    );
}

#[test]
fn a_preference_that_alternates_quickly_acts_as_more_disinformation() {
    assert_close(adaptability::alternating_p(0.3, 0.2).unwrap(), 0.29, 1e-15);
    assert_eq!(adaptability::alternating_p(0.0, 0.2), Some(0.2));
    assert_eq!(adaptability::alternating_p(1.0, 0.2), Some(0.5));
    assert_eq!(adaptability::alternating_p(-0.1, 0.2), None);
    // Measured at tau_D = 10: A_rms 6.48 with the alternating preference and 8.07 without any.
    let a_rms = |p| fluctuations::lattice_a_rms(10.0, p).unwrap();
    assert_close(a_rms(0.29), 6.48, 0.035);
    assert_close(a_rms(0.2), 8.07, 0.035);
}

#[test]
fn unequal_servers_collapse_where_measured() {
    for row in rows("A_unequal_service") {
        let at = |key| number(&row, key);
        let collapse = adaptability::unequal_collapse_p(at("P1"), at("P2")).unwrap();
        assert_close(collapse, at("collapse_at"), 1e-15);
        let theory = adaptability::unequal_throughput(at("P1"), at("P2"), at("p")).unwrap();
        if at("p") < collapse {
            assert_close(theory, at("thr_max"), 1e-15);
        } else {
            // Two hundred clients: an error of order 1/N beside the statistical one.
            let allowed = 4.5 * at("thr_excl_se") + 1.0 / at("N");
            assert!((theory - at("thr_excl")).abs() < allowed, "{row}");
        }
    }
    assert_close(
        adaptability::share_of_r1(1.0, 2.0).unwrap(),
        2.0 / 3.0,
        1e-15,
    );
    assert_close(
        adaptability::unequal_collapse_p(2.0, 1.0).unwrap(),
        1.0 / 3.0,
        1e-15,
    );
    assert_eq!(adaptability::unequal_collapse_p(0.0, 1.0), None);
}

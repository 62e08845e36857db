//! The oscillation of A(t) without fluctuations: the triangle wave and the regimes with idle servers.

use super::{assert_close, number, rows};
use queuefarm::theory::delay::{fluctuations, fluid, idle};
use serde_json::Value;

#[test]
fn the_undisturbed_oscillation_of_the_paper_has_period_20_and_amplitude_10() {
    let tau = fluid::effective_delay(5.0, 0.0);
    assert_eq!(fluid::period(tau), 20.0);
    assert_eq!(fluid::peak(tau, 0.0), Some(10.0));
    assert_eq!(fluid::effective_delay(5.0, 2.5), 7.5);
}

#[test]
fn the_measured_undisturbed_oscillation_is_within_one_percent_of_theory_in_the_mean_of_both_conventions()
 {
    let out_of_phase: Vec<Value> = rows("A_fig1_undisturbed")
        .into_iter()
        .filter(|row| number(row, "phi") == 0.5)
        .collect();
    assert_eq!(out_of_phase.len(), 2);
    let mean = |key| out_of_phase.iter().map(|row| number(row, key)).sum::<f64>() / 2.0;
    assert_close(mean("period"), fluid::period(5.0), 0.01);
    assert_close(
        mean("Arms"),
        fluctuations::lattice_a_rms(5.0, 0.0).unwrap(),
        0.01,
    );
}

#[test]
fn the_triangle_wave_has_the_stated_period_peak_and_root_mean_square() {
    let (tau, p, cells) = (7.0, 0.1, 100_000);
    let peak = fluid::peak(tau, p).unwrap();
    let at = |t| fluid::difference(t, tau, p).unwrap();
    assert_eq!(at(0.0), -peak);
    assert_close(at(2.0 * tau), peak, 1e-12);
    assert_close(at(3.3 + fluid::period(tau)), at(3.3), 1e-12);
    assert_close(at(-1.0), at(1.0), 1e-12);
    // Between crossings the slope is 2 (1 - 2p), the right-hand side of the paper's eq. 7.
    assert_close(at(1.5) - at(1.0), (1.0 - 2.0 * p) * 2.0 * 0.5, 1e-12);
    let width = fluid::period(tau) / f64::from(cells);
    let squares: f64 = (0..cells)
        .map(|cell| at((f64::from(cell) + 0.5) * width).powi(2))
        .sum();
    let a_rms = fluid::a_rms(tau, p).unwrap();
    assert_close((squares / f64::from(cells)).sqrt(), a_rms, 1e-9);
    assert_eq!(fluid::difference(1.0, 0.0, p), None);
    assert_eq!(fluid::difference(f64::NAN, 1.0, p), None);
    assert_eq!(fluid::a_rms(tau, 0.7), None);
}

#[test]
fn every_prediction_of_the_idle_regime_is_met_to_the_last_digit() {
    for row in rows("A_idle_regime") {
        let at = |key| number(&row, key);
        let cycle = idle::regime(at("N"), at("tauD"), at("tauT"), at("tauI")).unwrap();
        // One reference value is itself rounded the other way in its last bit.
        assert_close(cycle.throughput, at("thr_pred"), f64::EPSILON);
        assert_eq!(cycle.period, at("period_pred"));
        assert_eq!(cycle.peak, at("amp_pred"));
    }
}

#[test]
fn the_measured_idle_regime_is_met_to_order_one_over_n() {
    for row in rows("A_idle_regime") {
        let at = |key| number(&row, key);
        let cycle = idle::regime(at("N"), at("tauD"), at("tauT"), at("tauI")).unwrap();
        let mean =
            |key: &str| (row[key][0].as_f64().unwrap() + row[key][1].as_f64().unwrap()) / 2.0;
        assert!((mean("thr") - cycle.throughput).abs() < 1.0 / at("N") + 2e-3);
        assert_close(mean("period"), cycle.period, 2e-3);
        assert!((mean("maxA") - cycle.peak).abs() <= 1.0);
    }
}

#[test]
fn the_three_idle_regimes_meet_without_a_jump() {
    let close = |left: idle::Cycle, right: idle::Cycle| {
        assert_close(left.throughput, right.throughput, 1e-6);
        assert_close(left.period, right.period, 1e-6);
        assert_close(left.peak, right.peak, 1e-6);
    };
    let at = |tau_d| idle::regime(1000.0, tau_d, 50.0, 50.0).unwrap();
    // tau_L = 0 at tau = N/2 - T0 = 350, tau_L = T0 at tau = N/2 = 500.
    close(at(300.0 - 1e-6), at(300.0 + 1e-6));
    close(at(450.0 - 1e-6), at(450.0 + 1e-6));
    assert_eq!(at(300.0).throughput, 2.0);
}

#[test]
fn the_idle_regime_has_no_value_where_its_cycle_does_not_exist() {
    assert_eq!(idle::regime(1000.0, 400.0, 100.0, 350.0), None, "T0 > N/2");
    assert_eq!(idle::regime(1000.0, 0.0, 200.0, 50.0), None, "T0 > tau");
    assert_eq!(idle::regime(100.0, -1.0, 0.0, 0.0), None);
    assert_eq!(idle::regime(100.0, f64::NAN, 0.0, 0.0), None);
    assert_eq!(idle::regime(100.0, 1.0, f64::INFINITY, 0.0), None);
    assert_eq!(idle::regime(0.0, 1.0, 0.0, 0.0), None);
}

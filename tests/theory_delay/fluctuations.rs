//! The random walk of A(t) under global disinformation, against the reference rows and a sum over all paths.

use super::{assert_close, number, reference, rows};
use queuefarm::theory::delay::{fluctuations, fluid};

/// A_rms/(2 tau) of the walk in whole steps by summing over all its paths: start from the exact law of tau steps
/// given that it is positive, walk to 0, then tau steps more.
fn brute_force_ratio(tau: usize, p: f64) -> f64 {
    let (toward, stay, away) = ((1.0 - p) * (1.0 - p), 2.0 * p * (1.0 - p), p * p);
    let square_sum = |law: &[f64], zero: usize| -> f64 {
        let square = |at: usize| (at as f64 - zero as f64).powi(2);
        law.iter().enumerate().map(|(at, w)| w * square(at)).sum()
    };
    let mut law = vec![0.0; 2 * tau + 1];
    law[tau] = 1.0;
    let mut squares = 0.0;
    for _ in 0..tau {
        squares += square_sum(&law, tau);
        let mut next = vec![0.0; law.len()];
        for at in 1..law.len() - 1 {
            next[at - 1] += law[at] * away;
            next[at] += law[at] * stay;
            next[at + 1] += law[at] * toward;
        }
        law = next;
    }
    let mut steps = tau as f64;
    let mut above = vec![0.0; 40 * tau];
    let positive: f64 = law[tau + 1..].iter().sum();
    for (x, weight) in law[tau..].iter().enumerate().skip(1) {
        above[x] = weight / positive;
    }
    for _ in 0..100 * tau {
        squares += square_sum(&above, 0);
        steps += above.iter().sum::<f64>();
        let mut next = vec![0.0; above.len()];
        for x in 1..above.len() - 1 {
            next[x - 1] += above[x] * toward;
            next[x] += above[x] * stay;
            next[x + 1] += above[x] * away;
        }
        next[0] = 0.0;
        above = next;
    }
    assert!(
        above.iter().sum::<f64>() < 1e-12,
        "the walk was cut short at tau {tau}, p {p}"
    );
    (squares / steps).sqrt() / tau as f64
}

#[test]
fn every_theory_row_of_the_disinformation_figure_is_met() {
    for row in rows("A_fig2_top") {
        let (tau, p) = (number(&row, "tauD"), number(&row, "p"));
        let ratio = |a_rms: Option<f64>| a_rms.unwrap() / (2.0 * tau);
        let lattice = ratio(fluctuations::lattice_a_rms(tau, p));
        let diffusion = ratio(fluctuations::diffusion_a_rms(tau, p));
        assert_close(lattice, number(&row, "rw_lattice"), 1e-9);
        assert_close(diffusion, number(&row, "rw_diffusion"), 1e-9);
        let fluid = ratio(fluid::a_rms(tau, p));
        assert_close(fluid, number(&row, "no_fluctuations"), 1e-9);
    }
}

#[test]
fn the_measured_rows_of_the_disinformation_figure_are_within_three_and_a_half_percent_of_the_lattice_walk()
 {
    let mut compared = 0;
    for row in rows("A_fig2_top") {
        if row.get("sim_mean_of_both").is_some() {
            let (tau, p) = (number(&row, "tauD"), number(&row, "p"));
            let lattice = fluctuations::lattice_a_rms(tau, p).unwrap() / (2.0 * tau);
            assert_close(lattice, number(&row, "sim_mean_of_both"), 0.035);
            compared += 1;
        }
    }
    assert_eq!(compared, 24);
}

#[test]
fn the_lattice_walk_is_within_one_percent_of_a_sum_over_all_paths_and_the_diffusion_is_not() {
    for (tau, p) in [(5, 0.0), (5, 0.2), (5, 0.3), (10, 0.3), (15, 0.4)] {
        let exact = brute_force_ratio(tau, p);
        let tau = tau as f64;
        let lattice = fluctuations::lattice_a_rms(tau, p).unwrap() / (2.0 * tau);
        assert_close(lattice, exact, 0.01);
    }
    let diffusion = fluctuations::diffusion_a_rms(5.0, 0.3).unwrap() / 10.0;
    assert!((diffusion / brute_force_ratio(5, 0.3) - 1.0).abs() > 0.01);
}

#[test]
fn without_disinformation_the_walk_is_certain() {
    let lattice = fluctuations::lattice_a_rms(5.0, 0.0).unwrap() / 10.0;
    assert_close(lattice, 0.5830951894845301, 4.0 * f64::EPSILON);
    assert_close(lattice, brute_force_ratio(5, 0.0), 4.0 * f64::EPSILON);
    let diffusion = fluctuations::diffusion_a_rms(5.0, 0.0).unwrap();
    assert_close(
        diffusion,
        fluid::a_rms(5.0, 0.0).unwrap(),
        4.0 * f64::EPSILON,
    );
}

#[test]
fn the_walk_has_no_bound_at_one_half_and_no_value_beyond_or_below_one_step() {
    for a_rms in [fluctuations::lattice_a_rms, fluctuations::diffusion_a_rms] {
        assert_eq!(a_rms(10.0, 0.5), Some(f64::INFINITY));
        let just_below = a_rms(10.0, 0.5 - f64::EPSILON).unwrap();
        assert!(just_below.is_finite() && just_below > 1e14);
        for (tau, p) in [
            (10.0, 0.6),
            (10.0, -0.1),
            (10.0, f64::NAN),
            (0.5, 0.2),
            (0.0, 0.2),
            (f64::NAN, 0.2),
            (f64::INFINITY, 0.2),
        ] {
            assert_eq!(a_rms(tau, p), None, "tau {tau}, p {p}");
        }
        assert!(a_rms(1.0, 0.49).unwrap().is_finite());
        assert!(a_rms(1e300, 0.2).unwrap().is_finite());
    }
}

#[test]
fn the_optimum_table_is_met() {
    let table = reference()["A_fig2_top"]["optimum_diffusion_theory"].clone();
    for row in table.as_array().unwrap() {
        let optimum = fluctuations::optimum(number(row, "tauD")).unwrap();
        assert_close(optimum.p, number(row, "p_star"), 1e-6);
        assert_close(optimum.ratio, number(row, "min"), 1e-6);
    }
}

#[test]
fn the_optimum_beats_its_neighbours() {
    for tau in [2.0, 5.0, 40.0, 3000.0] {
        let optimum = fluctuations::optimum(tau).unwrap();
        let ratio = |p| fluctuations::diffusion_a_rms(tau, p).unwrap() / (2.0 * tau);
        assert_close(optimum.ratio, ratio(optimum.p), 1e-14);
        let step = (0.5 - optimum.p) / 100.0;
        assert!(ratio(optimum.p - step) > optimum.ratio);
        assert!(ratio(optimum.p + step) > optimum.ratio);
    }
}

#[test]
fn short_delays_are_best_without_disinformation() {
    for tau in [1.0, 1.4, 1.5] {
        assert_eq!(fluctuations::optimum(tau).unwrap().p, 0.0);
    }
    assert!(fluctuations::optimum(1.6).unwrap().p > 0.0);
    assert_eq!(fluctuations::optimum(0.5), None);
}

#[test]
fn long_delays_approach_the_stated_limit() {
    for tau in [1e6, 1e8] {
        let limit = fluctuations::large_delay_optimum(tau).unwrap();
        let optimum = fluctuations::optimum(tau).unwrap();
        assert_close(1.0 - 2.0 * optimum.p, 1.0 - 2.0 * limit.p, 1e-5);
        assert_close(optimum.ratio, limit.ratio, 1e-5);
        assert_close((1.0 - 2.0 * limit.p) * tau.sqrt(), 0.79, 0.005);
        assert_close(limit.ratio * tau.sqrt(), 0.957, 0.0005);
    }
}

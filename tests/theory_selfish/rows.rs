//! Every row of the reference numbers.

use super::{assert_close, number, reference, rows, whole};
use queuefarm::theory::selfish::{
    Cost, Mixed, Occupancy, bell, erlang_b, small_load_ratio, worst, worst_at,
    worst_of_small_streams,
};

const RELATIVE: f64 = 1e-9;

#[test]
fn erlang_b_meets_every_reference_number() {
    let table = reference("C_erlangB");
    let mut met = 0;
    for (connections, row) in table.as_object().unwrap() {
        let Some(row) = row.as_object() else { continue };
        let connections: u32 = connections.parse().unwrap();
        for (x, expected) in row {
            let x: f64 = x.parse().unwrap();
            let expected = expected.as_f64().unwrap();
            assert_close(
                erlang_b(connections, f64::from(connections) * x),
                expected,
                RELATIVE,
            );
            assert_close(Cost::ErlangB { connections }.at(x), expected, RELATIVE);
            met += 1;
        }
    }
    assert_eq!(met, 8 * 13);
}

#[test]
fn the_fullest_of_m_bins_with_m_balls_has_the_exact_mean() {
    let table = reference("C_balls_in_bins_Emax_m_eq_n");
    let mut met = 0;
    for (m, expected) in table.as_object().unwrap() {
        let Ok(m) = m.parse() else { continue };
        assert_close(
            Occupancy::new(m, m).unwrap().mean(),
            expected.as_f64().unwrap(),
            RELATIVE,
        );
        met += 1;
    }
    assert_eq!(met, 10);
}

#[test]
fn the_fully_mixed_equilibrium_overloads_mm1_servers_as_often_as_it_must() {
    for row in rows("C_mm1_fully_mixed") {
        let mixed = Mixed::new(whole(&row, "m"), whole(&row, "n"), number(&row, "x")).unwrap();
        let least = mixed.overloading(Cost::Mm1.capacity());
        assert!(least.is_none_or(|least| least == whole(&row, "k")), "{row}");
        assert_close(
            mixed.overload(1.0),
            number(&row, "P_some_server_overloaded"),
            RELATIVE,
        );
        assert_close(
            mixed.stream_overload(1.0),
            number(&row, "P_given_stream_overloaded"),
            RELATIVE,
        );
        assert_close(
            mixed.optimum(&Cost::Mm1),
            number(&row, "opt_delay"),
            RELATIVE,
        );
        let infinite = mixed.overload(1.0) > 0.0;
        for cost in [mixed.cost_max(&Cost::Mm1), mixed.cost_stream(&Cost::Mm1)] {
            assert_eq!(cost.is_infinite(), infinite, "{row}");
        }
    }
}

#[test]
fn the_worst_pure_equilibrium_of_mm1_servers_meets_its_rows() {
    for row in rows("C_mm1_pure_worst") {
        let (m, x, util) = (whole(&row, "m"), number(&row, "x"), number(&row, "util"));
        for instance in [worst(&Cost::Mm1, m, x), worst_at(&Cost::Mm1, m, util)] {
            assert_close(instance.utilisation, util, RELATIVE);
            assert_close(instance.nash, number(&row, "NE"), RELATIVE);
            assert_close(instance.optimum, number(&row, "OPT"), RELATIVE);
            assert_close(instance.ratio().unwrap(), number(&row, "ratio"), RELATIVE);
        }
    }
}

#[test]
fn small_streams_meet_their_rows() {
    for row in rows("C_mm1_pure_eps") {
        let (m, eps, eta) = (whole(&row, "m"), number(&row, "eps"), number(&row, "eta"));
        let instance = worst_of_small_streams(&Cost::Mm1, m, eps, 1.0 - eta);
        assert_close(instance.utilisation, number(&row, "util"), RELATIVE);
        assert_close(instance.nash, number(&row, "NE"), RELATIVE);
        assert_close(instance.optimum, number(&row, "OPT"), RELATIVE);
        assert_close(instance.ratio().unwrap(), number(&row, "ratio"), RELATIVE);
    }
}

#[test]
fn streams_that_mix_over_rejecting_servers_pay_what_the_rows_say() {
    for row in rows("C_rejection_fully_mixed") {
        let cost = Cost::ErlangB {
            connections: whole(&row, "c"),
        };
        let m = whole(&row, "m");
        for (each, key) in [
            (1, "NE_stream_cost_k1"),
            (4, "NE_stream_cost_k4"),
            (10, "NE_stream_cost_k10"),
            (100, "NE_stream_cost_k100"),
        ] {
            let mixed = Mixed::new(m, each * m, number(&row, "util")).unwrap();
            assert_close(mixed.cost_stream(&cost), number(&row, key), RELATIVE);
            assert_close(mixed.optimum(&cost), number(&row, "OPT"), RELATIVE);
        }
    }
}

#[test]
fn at_small_load_rejections_grow_by_the_reference_ratio_up_to_a_bell_number() {
    let table = reference("C_rejection_small_load_ratio");
    let mut met = 0;
    for (key, expected) in table.as_object().unwrap() {
        let Some((m, c)) = key.strip_prefix("m=").and_then(|key| key.split_once(",c=")) else {
            continue;
        };
        let (m, c): (u32, u32) = (m.parse().unwrap(), c.parse().unwrap());
        let ratio = small_load_ratio(m, m, c).unwrap();
        assert_close(ratio, expected.as_f64().unwrap(), RELATIVE);
        // The costs themselves come to the same.
        let (cost, mixed) = (
            Cost::ErlangB { connections: c },
            Mixed::new(m, m, 1e-7).unwrap(),
        );
        assert_close(mixed.cost_stream(&cost) / mixed.optimum(&cost), ratio, 1e-4);
        assert!(ratio < bell(c + 1));
        met += 1;
    }
    assert_eq!(met, 16);
    for (c, expected) in reference("C_bell_c_plus_1").as_object().unwrap() {
        let Ok(c) = c.parse::<u32>() else { continue };
        assert_close(bell(c + 1), expected.as_f64().unwrap(), RELATIVE);
        assert_close(
            small_load_ratio(100_000, 100_000, c).unwrap(),
            bell(c + 1),
            1e-3,
        );
    }
}

#[test]
fn the_figures_of_the_text_are_met() {
    let overload = |x| Mixed::new(100, 100, x).unwrap().overload(1.0);
    assert_close(overload(0.2), 0.298, 2e-3);
    assert_close(overload(0.3), 0.874, 1e-3);
    let cost = Cost::ErlangB { connections: 100 };
    for (streams, rejected) in [(100, 0.132), (1000, 0.0018), (10_000, 1.9e-7)] {
        let mixed = Mixed::new(100, streams, 0.5).unwrap();
        assert_close(mixed.cost_stream(&cost), rejected, 0.01);
    }
    let instance = worst(&Cost::Mm1, 10, 0.499);
    assert_close(instance.nash, 500.0, 1e-9);
    assert_close(instance.optimum, 2.22, 2e-3);
    let eps = worst_of_small_streams(&Cost::Mm1, 10, 0.001, 1.0 - 1e-5);
    assert_close(eps.ratio().unwrap(), 91.0, 1e-9);
}

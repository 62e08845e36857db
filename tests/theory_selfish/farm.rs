//! Queues of one server against their own chains of births and deaths.

use super::assert_close;
use queuefarm::theory::selfish::{
    Cost, erlang_b, mg1_wait, mm1_delay, mm1_delay_tail, mm1_delay_var, mm1k_rejected, room,
};

/// The stationary law of M/M/c/K by detailed balance.
fn law(c: u32, places: u32, a: f64) -> Vec<f64> {
    let mut law = vec![1.0];
    for n in 1..=places {
        law.push(law[law.len() - 1] * a / f64::from(n.min(c)));
    }
    let total: f64 = law.iter().sum();
    law.iter().map(|weight| weight / total).collect()
}

#[test]
fn a_server_with_room_has_the_law_of_its_chain() {
    for (c, places) in [(1, 1), (1, 10), (3, 3), (3, 9), (10, 12)] {
        for a in [1e-3, 0.5, 0.999_999_9, 1.0, 1.3, 9.0] {
            let law = law(c, places, a);
            let mean = |f: &dyn Fn(u32) -> u32| -> f64 {
                let each = law.iter().zip(0..);
                each.map(|(p, n)| p * f64::from(f(n))).sum()
            };
            let found = room(c, places, a);
            assert_close(found.rejected, law[places as usize], 1e-12);
            assert_close(found.number, mean(&|n| n), 1e-12);
            assert_close(found.waiting, mean(&|n| n.saturating_sub(c)), 1e-12);
            // Little's law.
            let accepted = a * (1.0 - law[places as usize]);
            assert_close(found.delay, mean(&|n| n) / accepted, 1e-12);
            if c == 1 {
                assert_close(mm1k_rejected(places, a), found.rejected, 1e-12);
            }
            if c == places {
                assert_close(erlang_b(c, a), found.rejected, 1e-12);
            }
        }
    }
}

#[test]
fn the_ends_of_the_range_are_right() {
    assert_eq!(room(2, 4, 0.0).delay, 1.0);
    assert_eq!(room(2, 4, 0.0).rejected, 0.0);
    let full = room(2, 4, f64::INFINITY);
    assert_eq!(
        (full.rejected, full.waiting, full.number, full.delay),
        (1.0, 2.0, 4.0, 2.0)
    );
    assert_eq!(room(0, 4, 1.0).rejected, 1.0);
    assert_eq!((erlang_b(5, 0.0), erlang_b(5, f64::INFINITY)), (0.0, 1.0));
    assert_eq!(
        (mm1k_rejected(5, 0.0), mm1k_rejected(5, f64::INFINITY)),
        (0.0, 1.0)
    );
    // 1e-300 and beyond, where products of powers and factorials would be lost.
    assert_close(
        erlang_b(100, 0.1),
        9.048_374_2e-1 * 1e-100 / 9.332_621_544_394_41e157,
        1e-7,
    );
    assert_close(mm1k_rejected(300, 0.1), 0.9e-300, 1e-9);
    assert_close(mm1k_rejected(10, 1.0 + 1e-9), mm1k_rejected(10, 1.0), 1e-7);
    assert_close(
        mm1k_rejected(1_000_000, 1.0 - 1e-12),
        1.0 / 1_000_001.0,
        1e-5,
    );
}

#[test]
fn queues_with_endless_room_are_the_limit_of_those_with_much() {
    let x = 0.6;
    assert_close(room(1, 2000, x).delay, mm1_delay(x), 1e-12);
    assert_close(mm1_delay_var(x), 6.25, 1e-12);
    assert_close(mm1_delay_tail(x, 3.0), (-1.2_f64).exp(), 1e-12);
    assert_eq!(
        (mm1_delay(1.0), mm1_delay_tail(1.5, 3.0)),
        (f64::INFINITY, 1.0)
    );
    // Exponential service is M/M/1; fixed service waits half as long.
    assert_close(1.0 + mg1_wait(x, 1.0), mm1_delay(x), 1e-12);
    assert_close(2.0 * mg1_wait(x, 0.0), mg1_wait(x, 1.0), 1e-12);
    assert_eq!(mg1_wait(1.0, 0.0), f64::INFINITY);
}

#[test]
fn rejecting_servers_reject_at_most_what_overload_forces_and_never_less() {
    for c in [1, 10, 100] {
        for x in [0.5, 1.0, 2.0, 50.0] {
            let rejected = Cost::ErlangB { connections: c }.at(x);
            assert!(rejected >= 1.0 - 1.0 / x);
            assert!(rejected <= 1.0);
        }
    }
}

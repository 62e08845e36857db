//! Optima and pure equilibria of integer instances against enumeration.

use super::{Dice, assert_close, number, reference};
use queuefarm::theory::selfish::{Fraction, equilibria, load_bound, optimum, optimum_within};

/// The optimum by trying every assignment.
fn best(rates: &[u32], speeds: &[u32]) -> Fraction {
    let servers = speeds.len();
    let all = (0..servers.pow(rates.len() as u32)).map(|mut code| {
        let mut loads = vec![0_u64; servers];
        for rate in rates {
            loads[code % servers] += u64::from(*rate);
            code /= servers;
        }
        let each = loads.iter().zip(speeds);
        each.map(|(load, speed)| Fraction::new(*load, u64::from(*speed)))
            .max()
            .unwrap()
    });
    all.min().unwrap()
}

#[test]
fn branch_and_bound_finds_the_optimum_of_every_small_instance() {
    let mut dice = Dice(1);
    for _ in 0..4000 {
        let (m, n) = (dice.whole(1, 4), dice.whole(0, 7));
        let largest = [3, 10, 1_000_000][dice.whole(0, 2) as usize];
        let fastest = [1, 3, 50][dice.whole(0, 2) as usize];
        let (rates, speeds) = (dice.list(n, 0, largest), dice.list(m, 1, fastest));
        let found = optimum(&rates, &speeds);
        assert!(found.exact);
        assert_eq!(
            found.value,
            best(&rates, &speeds),
            "{rates:?} on {speeds:?}"
        );
    }
}

#[test]
fn a_bound_is_never_above_the_optimum_and_says_that_it_is_one() {
    let mut dice = Dice(2);
    let mut bounds = 0;
    for _ in 0..3000 {
        let (m, n) = (dice.whole(2, 4), dice.whole(3, 7));
        let (rates, speeds) = (dice.list(n, 1, 30), dice.list(m, 1, 4));
        let (found, exact) = (optimum_within(&rates, &speeds, 0), best(&rates, &speeds));
        if found.exact {
            assert_eq!(found.value, exact);
        } else {
            bounds += 1;
            assert!(found.value <= exact, "{rates:?} on {speeds:?}");
        }
    }
    assert!(bounds > 100, "{bounds}");
}

#[test]
fn hard_and_large_instances_end_within_their_budget() {
    let mut dice = Dice(3);
    let (rates, speeds) = (dice.list(60, 1_000_000, 4_000_000), dice.list(12, 1, 9));
    let found = optimum(&rates, &speeds);
    let total: f64 = rates.iter().map(|rate| f64::from(*rate)).sum();
    let capacity: f64 = speeds.iter().map(|speed| f64::from(*speed)).sum();
    assert!(found.value.value() >= total / capacity);
    let many = optimum(&dice.list(10_000, 1, u32::MAX), &[u32::MAX; 100]);
    assert!(many.value.value() < 60.0);
}

#[test]
fn optima_without_streams_servers_or_speed_are_right() {
    assert_eq!(optimum(&[], &[3]).value, Fraction::new(0, 1));
    assert_eq!(optimum(&[0, 0], &[]).value, Fraction::new(0, 1));
    assert_eq!(optimum(&[4, 2], &[0, 3]).value, Fraction::new(6, 3));
    assert!(optimum(&[4], &[0]).value.value().is_infinite());
    assert_eq!(optimum(&[u32::MAX; 3], &[u32::MAX, 1]).value.value(), 3.0);
    assert_eq!(equilibria(&[1], &[]), None);
    assert_eq!(equilibria(&[1], &[0, 1]), None);
    assert_eq!(equilibria(&[1; 40], &[1; 2]), None);
    assert_eq!(equilibria(&[], &[1, 1]).unwrap().count, 1);
}

/// The worst ratio of a pure equilibrium to the optimum over 4000 random instances.
fn worst_ratio(servers: u32, seed: u64) -> f64 {
    let mut dice = Dice(seed);
    let bound = Fraction::new(2 * u64::from(servers), u64::from(servers) + 1);
    let speeds = vec![1; servers as usize];
    let mut worst: f64 = 0.0;
    for _ in 0..4000 {
        let (n, largest) = (dice.whole(2, 7), dice.whole(2, 9));
        let rates = dice.list(n, 1, largest);
        let (found, all) = (
            optimum(&rates, &speeds),
            equilibria(&rates, &speeds).unwrap(),
        );
        assert!(all.count >= 1);
        // Moving streams one by one never leaves the optimum for good: it can be reached as an equilibrium.
        assert_eq!(all.best, found.value, "{rates:?}");
        let scaled = Fraction::new(
            found.value.units() * bound.units(),
            found.value.speed() * bound.speed(),
        );
        assert!(all.worst <= scaled, "{rates:?}");
        worst = worst.max(all.worst.over(found.value));
    }
    worst
}

#[test]
fn enumerated_equilibria_attain_the_bound_and_never_pass_it() {
    let block = reference("C_pure_NE_bruteforce");
    for (servers, key) in [(2, "m=2"), (3, "m=3")] {
        let worst = worst_ratio(servers, 40 + u64::from(servers));
        assert_close(worst, number(&block["worst_load_ratio"], key), 1e-12);
        let bound = number(&block["bound_2_minus_2_over_m_plus_1"], key);
        assert_close(load_bound(servers), bound, 1e-12);
    }
}

#[test]
fn the_instance_that_attains_the_bound_is_an_equilibrium() {
    for m in 2..=4_u32 {
        // Equilibrium: m + m on one server, k + (m - k) on the others. Optimum: k + (m + 1 - k) everywhere.
        let rates: Vec<u32> = (1..=m).flat_map(|rate| [rate, rate]).collect();
        let speeds = vec![1; m as usize];
        let (all, found) = (
            equilibria(&rates, &speeds).unwrap(),
            optimum(&rates, &speeds),
        );
        assert_eq!(found.value, Fraction::new(u64::from(m) + 1, 1));
        assert_eq!(all.worst, Fraction::new(2 * u64::from(m), 1));
        assert_close(all.worst.over(found.value), load_bound(m), 1e-12);
    }
}

//! Bounds on the price of anarchy against equilibria that they must hold for.

use super::{Dice, assert_close};
use queuefarm::theory::selfish::{
    Cost, Mixed, degradation_mixed, degradation_pure, equilibria, guarantee, load_bound, optimum,
    price_bound, pure_price, ratio, worst_at, worst_of_small_streams,
};

fn bounded() -> Vec<Cost> {
    vec![
        Cost::Power(1.0),
        Cost::Power(3.0),
        Cost::Mm1k { room: 4 },
        Cost::ErlangB { connections: 5 },
        Cost::table(vec![0.0, 0.5, 1.0, 4.0], vec![0.1, 0.2, 3.0, 10.0]).unwrap(),
        Cost::table(vec![0.0, 0.5, 2.0], vec![0.0, 0.2, 3.0]).unwrap(),
    ]
}

fn unbounded() -> Vec<Cost> {
    vec![Cost::Mm1, Cost::Mg1 { scv: 4.0 }, Cost::Exponential(1.0)]
}

#[test]
fn bounded_costs_keep_every_equilibrium_below_their_price_bound() {
    for cost in bounded() {
        for m in [2, 5, 20] {
            let (mixed_bound, pure_bound) = (
                price_bound(&cost, m).unwrap(),
                pure_price(&cost, m).unwrap(),
            );
            assert!(pure_bound <= cost.doubling().unwrap());
            for load in [1e-3, 0.1, 0.3, 0.9, 3.0] {
                let pure = worst_at(&cost, m, load).ratio().unwrap();
                assert!(pure <= pure_bound * (1.0 + 1e-12), "{cost:?} {m} {load}");
                let mixed = Mixed::new(m, 3 * m, load).unwrap();
                let price = ratio(mixed.cost_max(&cost), mixed.optimum(&cost)).unwrap();
                assert!(price >= 1.0 && price <= mixed_bound * (1.0 + 1e-12));
                let stream = mixed.cost_stream(&cost) / mixed.optimum(&cost);
                assert!(stream <= mixed_bound * (1.0 + 1e-12));
            }
        }
    }
}

#[test]
fn the_price_of_pure_equilibria_is_approached_by_its_worst_instances() {
    for (cost, near) in [
        (Cost::Power(3.0), 1e-12),
        (Cost::ErlangB { connections: 5 }, 1e-3),
        (Cost::Mm1k { room: 4 }, 1e-3),
    ] {
        let found = worst_at(&cost, 3, 1e-4).ratio().unwrap();
        assert_close(found, pure_price(&cost, 3).unwrap(), near);
    }
}

#[test]
fn unbounded_costs_pass_every_bound_at_some_load() {
    for cost in unbounded() {
        assert_eq!(price_bound(&cost, 4), None);
        assert_eq!(pure_price(&cost, 4), None);
        assert_eq!(price_bound(&cost, 1), Some(1.0));
        let loads = (1..1_000_000).map(|i| f64::from(i) * 1e-4);
        let worst = loads
            .filter_map(|load| worst_at(&cost, 4, load).ratio())
            .fold(0.0, f64::max);
        assert!(worst > 1e3, "{cost:?} {worst}");
    }
}

#[test]
fn every_pure_equilibrium_costs_at_most_the_worst_one_at_its_load() {
    let mut dice = Dice(7);
    for _ in 0..1000 {
        let (m, n) = (dice.whole(2, 3), dice.whole(2, 7));
        let rates = dice.list(n, 1, 9);
        let speeds = vec![1; m as usize];
        let total: u32 = rates.iter().sum();
        let largest = f64::from(*rates.iter().max().unwrap());
        let (all, best) = (
            equilibria(&rates, &speeds).unwrap(),
            optimum(&rates, &speeds),
        );
        for cost in bounded().into_iter().chain(unbounded()) {
            for load in [0.2, 0.45, 0.6] {
                let unit = load * f64::from(m) / f64::from(total);
                let nash = cost.at(all.worst.value() * unit);
                let best = cost.at(best.value.value() * unit);
                let Some(price) = ratio(nash, best) else {
                    continue;
                };
                if price <= 1.0 {
                    continue;
                }
                let worst = worst_at(&cost, m, load).ratio().unwrap();
                assert!(price <= worst * (1.0 + 1e-9), "{cost:?} {rates:?} {load}");
                // The bound for small streams: the fullest server is at most this full.
                let stream = largest * unit;
                let full = load + stream * (1.0 - 1.0 / f64::from(m));
                let eps = worst_of_small_streams(&cost, m, stream, full);
                assert_close(eps.utilisation, load, 1e-12);
                assert!(price <= eps.ratio().unwrap() * (1.0 + 1e-9));
            }
        }
    }
}

#[test]
fn servers_faster_by_the_degradation_make_every_equilibrium_as_cheap_as_the_optimum() {
    for cost in bounded().into_iter().chain(unbounded()) {
        for m in [1, 2, 5, 10] {
            let (mixed, pure) = (degradation_mixed(&cost, m), degradation_pure(&cost, m));
            assert_eq!(mixed.factor, f64::from(m));
            assert_close(pure.factor, 2.0 - 2.0 / (f64::from(m) + 1.0), 1e-15);
            for load in [0.05, 0.3, 0.7, 0.95] {
                let worst = worst_at(&cost, m, load);
                assert!(cost.at(worst.nash_load / pure.factor) <= worst.optimum * (1.0 + 1e-12));
                let needed = Mixed::new(m, m, load).unwrap().degradation(&cost);
                assert!((1.0..=mixed.factor).contains(&needed.unwrap()));
            }
        }
    }
}

#[test]
fn degradation_of_unbounded_costs_comes_up_to_m_and_not_that_of_bounded_ones() {
    for m in [2, 3, 5, 8] {
        let needed = |cost: Cost, load: f64| {
            let mixed = Mixed::new(m, m, load).unwrap();
            mixed.degradation(&cost).unwrap() / f64::from(m)
        };
        assert!(degradation_mixed(&Cost::Mm1, m).exact);
        assert!(needed(Cost::Mm1, 1.0 - 1e-9) > 0.999);
        assert!(needed(Cost::Exponential(1.0), 500.0) > 0.95);
        assert!(!degradation_mixed(&Cost::Power(1.0), m).exact);
    }
    assert!(degradation_pure(&Cost::Mm1, 3).exact);
    assert!(!degradation_pure(&Cost::Power(0.0), 3).exact);
}

#[test]
fn no_stream_pays_more_than_its_guarantee() {
    let cost = Cost::ErlangB { connections: 100 };
    let mut useful = 0;
    for (m, each) in [(10, 10), (100, 10), (100, 100), (50, 200)] {
        for load in [0.1, 0.5, 0.8] {
            let mixed = Mixed::new(m, m * each, load).unwrap();
            let stream = mixed.utilisation(1);
            let bound = guarantee(&cost, stream, stream, load).unwrap();
            assert!(mixed.cost_stream(&cost) <= bound.cost);
            assert!(bound.cost <= 1.0);
            // No delta of a plain grid is better by more than rounding.
            for delta in (1..4000).map(|i| f64::from(i) * 0.005) {
                let chernoff = (delta - (1.0 + delta) * (1.0 + delta).ln()) * load / stream;
                let there = cost.at(stream + (1.0 + delta) * load) + chernoff.exp();
                assert!(bound.cost <= there * (1.0 + 1e-9));
            }
            useful += u32::from(bound.cost < 0.5);
        }
    }
    assert!(useful >= 4, "{useful}");
    assert_eq!(guarantee(&Cost::Mm1, 0.1, 0.1, 0.5), None);
    let table = Cost::table(vec![0.0, 1.0], vec![2.0, 6.0]).unwrap();
    assert!(guarantee(&table, 1e-4, 1e-4, 0.2).unwrap().cost < 6.0);
}

#[test]
fn prices_for_the_largest_and_for_the_average_cost_differ_by_at_most_the_number_of_servers() {
    for cost in bounded() {
        for (m, n) in [(2, 2), (3, 9), (10, 10), (30, 60)] {
            for load in [0.05, 0.4, 1.5] {
                let mixed = Mixed::new(m, n, load).unwrap();
                let (max, average) = (mixed.cost_max(&cost), mixed.cost_average(&cost));
                assert!(average <= max * (1.0 + 1e-12));
                assert!(max <= f64::from(m) * average * (1.0 + 1e-12));
            }
        }
    }
    assert_close(load_bound(1), 1.0, 0.0);
}

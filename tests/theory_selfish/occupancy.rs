//! The law of the fullest bin, and the costs of mixing, against every assignment one by one and against each other.

use super::assert_close;
use queuefarm::theory::selfish::{Cost, Mixed, Occupancy};

/// Calls `visit` with the counts of every one of the m^n assignments.
fn every(bins: usize, balls: u32, mut visit: impl FnMut(&[u32])) {
    for mut code in 0..bins.pow(balls) {
        let mut counts = vec![0; bins];
        for _ in 0..balls {
            counts[code % bins] += 1;
            code /= bins;
        }
        visit(&counts);
    }
}

#[test]
fn the_law_of_the_fullest_bin_is_that_of_all_assignments() {
    for (bins, balls) in [(1, 5), (2, 1), (2, 9), (3, 8), (4, 7), (7, 4), (5, 6)] {
        let mut counts = vec![0.0; balls as usize + 1];
        every(bins, balls, |loads| {
            counts[*loads.iter().max().unwrap() as usize] += 1.0;
        });
        let all: f64 = counts.iter().sum();
        let law = Occupancy::new(bins as u32, balls).unwrap().pmf();
        assert_eq!(law.len(), counts.len());
        for (chance, count) in law.iter().zip(&counts) {
            assert!(
                (chance - count / all).abs() < 1e-14,
                "{bins} {balls} {law:?}"
            );
        }
    }
}

#[test]
fn costs_of_mixing_are_means_over_all_assignments() {
    let costs = [
        Cost::Power(2.0),
        Cost::Mg1 { scv: 4.0 },
        Cost::Mm1k { room: 3 },
        Cost::ErlangB { connections: 4 },
        Cost::Exponential(2.0),
        Cost::table(vec![0.1, 0.5, 0.7], vec![0.0, 1.0, 3.0]).unwrap(),
    ];
    let (bins, balls, load) = (3_usize, 7_u32, 0.3);
    let mixed = Mixed::new(bins as u32, balls, load).unwrap();
    for cost in costs {
        let (mut max, mut average, mut first, mut all) = (0.0, 0.0, 0.0, 0.0);
        every(bins, balls, |loads| {
            let f = |k: u32| cost.at(f64::from(k) * bins as f64 * load / f64::from(balls));
            all += 1.0;
            max += loads.iter().map(|k| f(*k)).fold(0.0, f64::max);
            let weighted = loads
                .iter()
                .map(|k| if *k == 0 { 0.0 } else { f64::from(*k) * f(*k) });
            average += weighted.sum::<f64>() / f64::from(balls);
            first += f64::from(loads[0]) / f64::from(balls) * bins as f64 * f(loads[0]);
        });
        assert_close(mixed.cost_max(&cost), max / all, 1e-12);
        assert_close(mixed.cost_average(&cost), average / all, 1e-12);
        assert_close(mixed.cost_stream(&cost), first / all, 1e-12);
    }
}

#[test]
fn rare_events_keep_their_relative_precision_across_the_change_of_method() {
    // n balls in 2 bins: P(fullest > k) is twice a binomial tail, and both methods are in use.
    let n = 200_u32;
    let law = Occupancy::new(2, n).unwrap();
    let mut tail = 0.0;
    let mut term = 0.5_f64.powi(n as i32);
    for k in (n / 2..n).rev() {
        tail += term;
        assert_close(law.exceeds(k), 2.0 * tail, 1e-11);
        term *= f64::from(k + 1) / f64::from(n - k);
    }
    assert_close(law.exceeds(n - 1), 2.0 * 0.5_f64.powi(n as i32), 1e-12);
    // All balls in one of m bins.
    let all = Occupancy::new(10, 10).unwrap().exceeds(9);
    assert_close(all, 1e-9, 1e-12);
}

#[test]
fn large_farms_have_the_law_that_small_steps_give() {
    // An independent way: bins one after the other, all numbers of balls, positive terms.
    let (bins, balls) = (40_usize, 300_usize);
    let law = Occupancy::new(bins as u32, balls as u32).unwrap();
    for k in [12, 15, 18, 22, 30] {
        let mut exceeds: Vec<f64> = (0..=balls).map(|n| f64::from(u8::from(n > k))).collect();
        for size in 2..=bins {
            let p = 1.0 / size as f64;
            let last = exceeds;
            exceeds = (0..=balls)
                .map(|n| {
                    let mut chance = (1.0 - p).powi(n as i32);
                    let mut sum = 0.0;
                    for here in 0..=n {
                        sum += chance * if here > k { 1.0 } else { last[n - here] };
                        chance *= (n - here) as f64 / (here + 1) as f64 * p / (1.0 - p);
                    }
                    sum
                })
                .collect();
        }
        assert_close(law.exceeds(k as u32), exceeds[balls], 1e-10);
    }
}

#[test]
fn sizes_beyond_reach_and_nonsense_have_no_law() {
    assert!(Occupancy::new(0, 5).is_none());
    assert!(Occupancy::new(100_001, 1).is_none());
    assert!(Occupancy::new(2, Occupancy::most_balls(2) + 1).is_none());
    assert!(Occupancy::new(2, Occupancy::most_balls(2)).is_some());
    assert!(Mixed::new(3, 0, 0.5).is_none());
    for load in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Mixed::new(3, 3, load).is_none());
    }
    assert_eq!(Occupancy::new(4, 0).unwrap().mean(), 0.0);
    let one = Mixed::new(1, 3, 0.5).unwrap();
    assert_eq!(one.cost_max(&Cost::Mm1), 2.0);
    assert_eq!(one.cost_stream(&Cost::Mm1), 2.0);
    assert_eq!(Mixed::new(1, 3, 1.0).unwrap().overload(1.0), 1.0);
}

#[test]
fn ten_thousand_streams_on_a_hundred_servers_are_quick_and_add_up() {
    let law = Occupancy::new(100, 10_000).unwrap();
    let pmf = law.pmf();
    assert!((pmf.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(pmf.iter().all(|chance| *chance >= -1e-12));
    // The fullest of 100 nearly normal numbers of mean 100 and deviation 10.
    assert!((law.mean() - 125.0).abs() < 2.0, "{}", law.mean());
}

//! Laws of collisions and their fits.

use super::assert_close;
use queuefarm::theory::redundancy::{
    System, hypergeometric, poisson, total_variation, two_jobs, two_jobs_poisson,
    two_jobs_shifted_poisson, two_jobs_two_poissons,
};

fn choose(n: u32, k: u32) -> f64 {
    if k > n {
        return 0.0;
    }
    (0..k).fold(1.0, |product, at| {
        product * f64::from(n - at) / f64::from(at + 1)
    })
}

#[test]
fn the_hypergeometric_law_is_a_quotient_of_binomials() {
    for population in 0..=12 {
        for marked in 0..=population {
            for drawn in 0..=population {
                let law = hypergeometric(population, marked, drawn).unwrap();
                for k in 0..=13 {
                    let expected = if k > drawn {
                        0.0
                    } else {
                        choose(marked, k) * choose(population - marked, drawn - k)
                            / choose(population, drawn)
                    };
                    assert!((law.chance(k) - expected).abs() < 1e-14);
                }
            }
        }
    }
    assert_eq!(hypergeometric(5, 6, 2), None);
    assert_eq!(hypergeometric(5, 2, 6), None);
}

#[test]
fn the_poisson_law_is_its_formula_and_has_its_moments() {
    for mean in [0.0, 1e-9, 0.3, 4.0, 75.5, 1e6] {
        let law = poisson(mean).unwrap();
        assert!((law.mean() - mean).abs() <= 1e-9 * mean);
        assert!((law.variance() - mean).abs() <= 1e-7 * mean);
    }
    let law = poisson(2.0).unwrap();
    assert_close(law.chance(3), (-2.0_f64).exp() * 8.0 / 6.0, 1e-14);
    assert_eq!(poisson(-1.0), None);
    assert_eq!(poisson(f64::NAN), None);
}

#[test]
fn above_half_the_servers_some_collisions_are_certain() {
    let law = two_jobs(20, 14).unwrap();
    assert_eq!(law.least, 8);
    let rest = hypergeometric(20, 6, 6).unwrap();
    for k in 0..=6 {
        assert_close(law.chance(8 + k), rest.chance(k), 1e-14);
    }
    // With nearly all servers the shifted law is the better fit by far, and there is none below one half.
    let (law, shifted) = (two_jobs(100, 95), two_jobs_shifted_poisson(100, 95));
    let plain = two_jobs_poisson(100, 95).unwrap();
    let law = law.unwrap();
    assert!(total_variation(&law, &shifted.unwrap()) < 0.03);
    assert!(total_variation(&law, &plain) > 0.6);
    assert_eq!(two_jobs_shifted_poisson(100, 49), None);
}

#[test]
fn two_poissons_halve_the_distance_of_one_at_half_the_servers() {
    let law = two_jobs(100, 50).unwrap();
    let one = total_variation(&law, &two_jobs_poisson(100, 50).unwrap());
    let two = total_variation(&law, &two_jobs_two_poissons(100, 50).unwrap());
    assert!((one - 0.32).abs() < 0.005, "{one}");
    assert!((two - 0.17).abs() < 0.005, "{two}");
    // The variance is largest there.
    let variance = |d| two_jobs(100, d).unwrap().variance();
    assert!((1..100).all(|d| variance(d) <= variance(50)));
}

#[test]
fn the_product_of_two_poissons_is_its_formula() {
    for (n, d) in [(10_u32, 3_u32), (10, 5), (12, 9), (5, 5), (5, 0)] {
        let law = two_jobs_two_poissons(n, d).unwrap();
        let [nf, df] = [f64::from(n), f64::from(d)];
        let both = poisson(df * df / nf).unwrap();
        let neither = poisson((nf - df) * (nf - df) / nf).unwrap();
        let weight = |k: u32| match (k + n).checked_sub(2 * d) {
            Some(free) => both.chance(k) * neither.chance(free),
            None => 0.0,
        };
        let total: f64 = (0..100).map(weight).sum();
        for k in 0..20 {
            assert!((law.chance(k) - weight(k) / total).abs() < 1e-13);
        }
    }
    assert_eq!(two_jobs_two_poissons(0, 0), None);
    assert_eq!(two_jobs_two_poissons(5, 6), None);
}

#[test]
fn collisions_become_poisson_as_servers_and_copies_grow() {
    let gamma = 2.0;
    let distance = |n: u32, d: u32| {
        let busy = (gamma * f64::from(n) / f64::from(d)) as u32;
        let law = hypergeometric(n, busy, d).unwrap();
        total_variation(&law, &poisson(gamma).unwrap())
    };
    assert!(distance(10_000, 100) < 0.02 && distance(1_000_000, 1000) < 0.002);
    let system = System::new(10, 3, 0.5).unwrap();
    assert_eq!(system.collisions_pmf(11), None);
    assert_eq!(system.collisions_pmf(0), Some(vec![1.0, 0.0, 0.0, 0.0]));
}

#[test]
fn the_distance_of_laws_is_that_of_their_most_telling_event() {
    let (a, b) = (poisson(0.0).unwrap(), poisson(1.0).unwrap());
    assert_close(total_variation(&a, &b), 1.0 - (-1.0_f64).exp(), 1e-14);
    assert_eq!(total_variation(&b, &b), 0.0);
}

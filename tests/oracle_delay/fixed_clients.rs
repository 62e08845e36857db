//! Fixed biased clients without disinformation: why one row of Fig. 2 bottom depends on how a run begins.

use crate::simulate::{Effort, single_replicas};

const ROW: &str = "information = \"inclusive\"\nticks_per_service = 2\nphase = 1\nclients = 100\n\
                   information_delay = 10\nbias_kind = \"clients\"\n";

/// Reference: A_rms/(2 tau_D) = .688887 +- .00041 and mean A = 5.89457 +- .13 in three runs.
#[test]
fn without_coins_fixed_clients_keep_to_one_of_several_cycles() {
    let effort = Effort {
        replicas: 128,
        warmup: 2_000,
        duration: 8_000,
    };
    let replicas = single_replicas(&format!("{ROW}bias = 0.2\ndisinformation = 0\n"), effort, 1);
    let near = |a_rms: f64| (a_rms / 20.0 - 0.688_887).abs() < 0.01;
    let of_reference: Vec<f64> = replicas
        .iter()
        .filter(|(a, _)| near(*a))
        .map(|(_, mean)| *mean)
        .collect();
    let elsewhere = replicas
        .iter()
        .filter(|(a, _)| (a / 20.0 - 0.688_887).abs() > 0.05)
        .count();
    assert!(
        of_reference.len() >= 24,
        "{} of 128 find the reference's cycle",
        of_reference.len()
    );
    assert!(elsewhere >= 32, "{elsewhere} of 128 find another cycle");
    let mean = of_reference.iter().sum::<f64>() / of_reference.len() as f64;
    assert!(
        (mean - 5.894_57).abs() < 4.0 * 0.13,
        "mean A in that cycle is {mean}"
    );
}

//! The law of T given the work that an arriving job meets, for exponential sizes and independent copies.
//!
//! Owns the mean over the choices of servers. A copy at a server with work W left and speed s has not ended by t with
//! probability min(1, e^{-s (t - W)}), whatever else has happened; copies are independent, and the d servers are a uniform
//! choice. So P(T > t | W_1..W_N) is the d-th elementary symmetric mean of these chances. It asks neither for Poisson arrivals
//! nor for equal speeds.

/// P(T > t) given the work left at every server, in units of time; `speeds` holds one for all, or one a server.
/// `means` is scratch. `None` where there are fewer servers than copies.
pub fn response_given(
    work: &[f64],
    speeds: &[f64],
    copies: usize,
    t: f64,
    means: &mut Vec<f64>,
) -> Option<f64> {
    let chance = |work: f64, speed: f64| (speed * (work - t)).exp().min(1.0);
    match speeds {
        [speed] => symmetric_mean(work.iter().map(|w| chance(*w, *speed)), copies, means),
        speeds => {
            let chances = work.iter().zip(speeds).map(|(w, speed)| chance(*w, *speed));
            symmetric_mean(chances, copies, means)
        }
    }
}

/// The `copies`-th elementary symmetric mean: the mean, over all choices of so many of the chances, of their product.
///
/// M(i, k) = (i - k)/i M(i-1, k) + k/i x_i M(i-1, k-1) are averages of what was there, so nothing cancels. Only entries
/// that reach the last one are made: d (N - d + 1) of them.
fn symmetric_mean(
    chances: impl ExactSizeIterator<Item = f64>,
    copies: usize,
    means: &mut Vec<f64>,
) -> Option<f64> {
    let spare = chances.len().checked_sub(copies)?;
    means.clear();
    means.resize(copies + 1, 0.0);
    means[0] = 1.0;
    for (before, x) in chances.enumerate() {
        let i = before + 1;
        let least = i.saturating_sub(spare).max(1);
        for k in (least..=copies.min(i)).rev() {
            means[k] = ((i - k) as f64 * means[k] + k as f64 * x * means[k - 1]) / i as f64;
        }
    }
    Some(means[copies])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{response_given, symmetric_mean};

    fn mean(x: &[f64], copies: usize) -> Option<f64> {
        symmetric_mean(x.iter().copied(), copies, &mut Vec::new())
    }

    fn brute(x: &[f64], copies: usize) -> f64 {
        let choices = (0u32..1 << x.len()).filter(|set| set.count_ones() as usize == copies);
        let product = |set: u32| -> f64 {
            let chosen = (0..x.len()).filter(|i| set >> i & 1 == 1);
            chosen.map(|i| x[i]).product()
        };
        let products: Vec<f64> = choices.map(product).collect();
        products.iter().sum::<f64>() / products.len() as f64
    }

    #[test]
    fn symmetric_means_are_those_of_all_choices() {
        let x: Vec<f64> = (1..=12)
            .map(|i| (f64::from(i * 7919 % 101) / 9.0 - 11.0).exp().min(1.0))
            .collect();
        for n in 1..=12 {
            for d in 1..=n {
                let found = mean(&x[..n], d).unwrap();
                assert!((found / brute(&x[..n], d) - 1.0).abs() < 1e-13, "{n} {d}");
                let twin = brute(&x[..n], if d == n { d - 1 } else { d + 1 });
                assert!((found / twin - 1.0).abs() > 1e-3, "another d: {n} {d}");
            }
        }
        assert_eq!(mean(&x, 13), None);
    }

    #[test]
    fn they_are_right_for_thousands_of_values_and_down_to_1e_300() {
        for (n, d) in [(4096, 1), (4096, 2048), (4096, 4096), (4096, 3), (20, 5)] {
            let ln = -690.0 / d as f64;
            let found = mean(&vec![ln.exp(); n], d).unwrap();
            assert!((found.ln() / -690.0 - 1.0).abs() < 1e-12, "{n} {d}");
        }
        // One value of 1 among small ones is in a share d/N of the choices.
        let mut x = vec![1e-30; 4096];
        x[4095] = 1.0;
        let found = mean(&x, 2).unwrap();
        assert!(
            (found / (2.0 / 4096.0 * 1e-30) - 1.0).abs() < 1e-12,
            "{found}"
        );
    }

    #[test]
    fn an_empty_system_serves_all_copies_at_once_and_a_busy_server_waits() {
        let given = |work: &[f64], speeds: &[f64], copies, t| {
            response_given(work, speeds, copies, t, &mut Vec::new()).unwrap()
        };
        assert!((given(&[0.0; 7], &[1.0], 3, 0.4) - (-1.2_f64).exp()).abs() < 1e-15);
        // Before any of its servers is free no job ends, and work only delays the copy there.
        assert_eq!(given(&[2.0, 3.0], &[1.0], 2, 1.5), 1.0);
        assert!((given(&[2.0, 3.0], &[1.0], 2, 2.5) - (-0.5_f64).exp()).abs() < 1e-15);
        // Twice and half the speed: one copy, either server.
        let half = 0.5 * ((-2.0_f64).exp() + (-0.5_f64).exp());
        assert!((given(&[0.0, 0.0], &[2.0, 0.5], 1, 1.0) - half).abs() < 1e-15);
        let both = given(&[0.0, 1.0], &[2.0, 0.5], 2, 3.0);
        assert!((both - (-6.0_f64 - 1.0).exp()).abs() < 1e-17);
    }
}

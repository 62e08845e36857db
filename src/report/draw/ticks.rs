//! Ticks: round values on an axis and their labels.
//!
//! Owns the choice of 1-2-5 steps, of decades, and of digits. Does not place anything on a page.

use super::range::Scale;

/// One tick of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Place on the axis, from 0 to 1.
    pub place: f64,
    /// The label; empty for a minor tick.
    pub label: String,
}

/// The ticks of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticks {
    /// Ticks with labels first to last, then minor ones.
    pub ticks: Vec<Tick>,
    /// The labels are to be multiplied by this power of ten.
    pub power: i32,
}

/// At most about `most` labelled ticks for `scale`.
pub fn ticks(scale: &Scale, most: usize) -> Ticks {
    if scale.log {
        logarithmic(scale, most)
    } else {
        linear(scale.low, scale.high, most, |value| scale.place(value))
    }
}

/// Every so many of the names of an axis, each in the middle of its unit.
pub fn named(names: &[String], every: usize) -> Ticks {
    let place = |i: usize| (i as f64 + 0.5) / names.len() as f64;
    let tick = |(i, name): (usize, &String)| Tick {
        place: place(i),
        label: name.clone(),
    };
    let ticks = names.iter().enumerate().step_by(every.max(1)).map(tick);
    Ticks {
        ticks: ticks.collect(),
        power: 0,
    }
}

/// A number in superscripts.
pub fn superscript(number: i32) -> String {
    number
        .to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '4' => '⁴',
            '5' => '⁵',
            '6' => '⁶',
            '7' => '⁷',
            '8' => '⁸',
            '9' => '⁹',
            _ => '⁰',
        })
        .collect()
}

/// The smallest step of 1, 2 or 5 times a power of ten that is not below `least`: digit and power.
fn step(least: f64) -> (f64, i32) {
    let power = least.log10().floor() as i32;
    let digit = least / 10_f64.powi(power);
    // The slack takes a step that is exact but for its rounding.
    match [1.0, 2.0, 5.0].iter().find(|&&d| digit <= d * (1.0 + 1e-9)) {
        Some(&digit) => (digit, power),
        None => (1.0, power + 1),
    }
}

/// `units` times a power of ten, rounded once.
fn shifted(units: f64, power: i32) -> f64 {
    if power < 0 && power > -300 {
        units / 10_f64.powi(-power)
    } else {
        units * 10_f64.powi(power)
    }
}

fn linear(low: f64, high: f64, most: usize, place: impl Fn(f64) -> Option<f64>) -> Ticks {
    let (digit, exponent) = step((high - low) / most.max(1) as f64);
    let size = shifted(digit, exponent);
    let first = (low / size - 1e-9).ceil();
    let last = (high / size + 1e-9).floor();
    let largest = first.abs().max(last.abs()) * digit;
    // Digits before the point of the largest label, as a power of ten.
    let magnitude = if largest > 0.0 {
        largest.log10().floor() as i32 + exponent
    } else {
        0
    };
    let power = if (-3..5).contains(&magnitude) {
        0
    } else {
        magnitude.div_euclid(3) * 3
    };
    let decimals = usize::try_from(power - exponent).unwrap_or(0);
    let count = (last - first).max(0.0) as usize;
    let ticks = (0..=count)
        .filter_map(|i| {
            // Adding zero turns a negative zero into a plain one.
            let units = (first + i as f64) * digit + 0.0;
            let label = format!("{:.decimals$}", shifted(units, exponent - power));
            Some(Tick {
                place: place(shifted(units, exponent))?,
                label: label.replace('-', "−"),
            })
        })
        .collect();
    Ticks { ticks, power }
}

fn logarithmic(scale: &Scale, most: usize) -> Ticks {
    let place = |log: f64| (log - scale.low) / (scale.high - scale.low);
    let inside = |t: &f64| (-1e-9..=1.0 + 1e-9).contains(t);
    let first = (scale.low - 1e-9).ceil() as i32;
    let last = (scale.high + 1e-9).floor() as i32;
    let decades = last - first + 1;
    let minor = |log: f64| Tick {
        place: place(log),
        label: String::new(),
    };
    let within_decades = |digits: &[f64]| -> Vec<(f64, i32)> {
        let all = (first - 1..=last).flat_map(|e| digits.iter().map(move |&d| (d, e)));
        all.filter(|&(d, e)| inside(&place(f64::from(e) + d.log10())))
            .collect()
    };
    let fine = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    let mut ticks: Vec<Tick>;
    if decades > 2 {
        let most = i32::try_from(most.max(1)).unwrap_or(1);
        let every = (decades + most - 1) / most;
        ticks = (first..=last)
            .filter(|e| e.rem_euclid(every) == 0)
            .map(|e| Tick {
                place: place(f64::from(e)),
                label: format!("10{}", superscript(e)),
            })
            .collect();
        if every == 1 {
            let between = within_decades(&fine);
            ticks.extend(
                between
                    .iter()
                    .map(|&(d, e)| minor(f64::from(e) + d.log10())),
            );
        } else {
            let between = (first..=last).filter(|e| e.rem_euclid(every) != 0);
            ticks.extend(between.map(|e| minor(f64::from(e))));
        }
    } else {
        let labelled = within_decades(&[1.0, 2.0, 5.0]);
        // Less than a factor of about three: the axis is nearly linear, and so are its ticks.
        if labelled.len() < 3 {
            let (low, high) = (10_f64.powf(scale.low), 10_f64.powf(scale.high));
            let mut even = linear(low, high, most, |value| scale.place(value));
            even.ticks.retain(|tick| inside(&tick.place));
            return even;
        }
        ticks = labelled
            .iter()
            .map(|&(d, e)| Tick {
                place: place(f64::from(e) + d.log10()),
                label: if (-3..5).contains(&e) {
                    let decimals = usize::try_from(-e).unwrap_or(0);
                    format!("{:.decimals$}", shifted(d, e))
                } else {
                    format!("{d}×10{}", superscript(e))
                },
            })
            .collect();
        let between = within_decades(&[3.0, 4.0, 6.0, 7.0, 8.0, 9.0]);
        ticks.extend(
            between
                .iter()
                .map(|&(d, e)| minor(f64::from(e) + d.log10())),
        );
    }
    Ticks { ticks, power: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, log: bool) -> (Vec<String>, i32) {
        let found = ticks(&Scale { log, low, high }, 7);
        for tick in &found.ticks {
            assert!((-1e-6..=1.0 + 1e-6).contains(&tick.place), "{tick:?}");
        }
        let labels = found.ticks.into_iter().map(|tick| tick.label);
        (
            labels.filter(|label| !label.is_empty()).collect(),
            found.power,
        )
    }

    #[test]
    fn linear_labels_are_round_without_noise_digits() {
        let (found, power) = labels(0.0, 1.2, false);
        assert_eq!(found, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "1.2"]);
        assert_eq!(power, 0);
        assert_eq!(
            labels(-0.012, 0.512, false).0,
            ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]
        );
        assert_eq!(
            labels(-25.0, 25.0, false).0,
            ["−20", "−10", "0", "10", "20"]
        );
        assert_eq!(
            labels(0.0, 10_000.0, false).0.last().map(String::as_str),
            Some("10000")
        );
    }

    #[test]
    fn large_and_small_numbers_share_a_power_of_ten() {
        assert_eq!(
            labels(0.0, 2e5, false),
            (
                ["0", "50", "100", "150", "200"].map(String::from).to_vec(),
                3
            )
        );
        assert_eq!(labels(0.0, 3e-7, false).1, -9);
        let (found, power) = labels(-1e300, 1e300, false);
        assert_eq!(power, 300);
        assert!(found.contains(&"0.0".to_owned()), "{found:?}");
        let (found, power) = labels(1e9, 1e9 + 4.0, false);
        assert_eq!(power, 9);
        assert!(found.contains(&"1.000000001".to_owned()), "{found:?}");
        assert!(labels(0.0, 5e-300, false).0.len() > 2);
    }

    #[test]
    fn logarithmic_labels_are_powers_over_many_decades_and_plain_over_few() {
        assert_eq!(
            labels(-3.1, 2.1, true).0,
            ["10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹", "10²"]
        );
        assert_eq!(labels(0.0, 1.0, true).0, ["1", "2", "5", "10"]);
        assert_eq!(labels(-0.31, 0.31, true).0, ["0.5", "1", "2"]);
        assert_eq!(labels(6.0, 7.0, true).0[1], "2×10⁶");
        assert_eq!(labels(0.30, 0.33, true).0[0], "2.00");
        let (wide, _) = labels(-300.0, 300.0, true);
        assert!((4..=8).contains(&wide.len()), "{wide:?}");
    }

    #[test]
    fn steps_are_one_two_or_five() {
        assert_eq!(step(0.2), (2.0, -1));
        assert_eq!(step(0.21), (5.0, -1));
        assert_eq!(step(0.51), (1.0, 0));
        assert_eq!(step(1000.0), (1.0, 3));
    }
}

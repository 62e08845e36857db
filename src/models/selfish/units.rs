//! Whole numbers for given rates and speeds, so that comparisons of loads are exact.
//!
//! Owns the choice of the unit: one in which decimal numbers are whole where there is one, else a fine one.

/// Decimal places that are kept exactly where all numbers fit.
const MOST_PLACES: i32 = 6;
/// How far from whole a multiple of a decimal number may be, relatively: the rounding of the numbers themselves.
const ROUNDING: f64 = 1e-12;

/// Whole multiples of a unit, and the unit. Numbers that differ stay apart where they are multiples of a power of ten;
/// others are rounded to `1 / fine` of their sum, and those above zero to at least one unit.
///
/// The sum of the multiples is at most `most`, which is at least `fine`.
pub fn whole(values: &[f64], most: f64, fine: f64) -> (Vec<u32>, f64) {
    let sum: f64 = values.iter().sum();
    for places in 0..=MOST_PLACES {
        let scale = 10f64.powi(places);
        let is_whole = |x: &f64| (x * scale - libm::round(x * scale)).abs() <= ROUNDING * x * scale;
        if sum * scale > most {
            break;
        }
        if values.iter().all(is_whole) {
            let units: Vec<u32> = (values.iter())
                .map(|x| libm::round(x * scale) as u32)
                .collect();
            let common = units.iter().fold(0, |a, &b| divisor(a, b)).max(1);
            let units = units.into_iter().map(|x| x / common).collect();
            return (units, f64::from(common) / scale);
        }
    }
    let unit = sum / (fine - values.len() as f64).max(1.0);
    let units = values.iter().map(|&x| match x {
        0.0 => 0,
        x => libm::round(x / unit).max(1.0) as u32,
    });
    (units.collect(), unit)
}

/// The greatest common divisor.
fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn decimal_numbers_become_whole_without_rounding() {
        assert_eq!(
            whole(&[0.1, 0.25, 3.0], 1e6, 1e3),
            (vec![2, 5, 60], 5.0 / 100.0)
        );
        assert_eq!(whole(&[7.0; 3], 1e6, 1e3), (vec![1; 3], 7.0));
        assert_eq!(whole(&[0.0, 4.0, 6.0], 1e6, 1e3), (vec![0, 2, 3], 2.0));
    }

    #[test]
    fn other_numbers_are_rounded_and_none_is_lost() {
        let values = [std::f64::consts::PI, 1e-9, 0.0, 100.0];
        let (units, unit) = whole(&values, 1e6, 1e6);
        assert_eq!(units[1..3], [1, 0]);
        assert!(units.iter().map(|&x| f64::from(x)).sum::<f64>() <= 1e6);
        for (x, &n) in values.iter().zip(&units) {
            assert!((x - f64::from(n) * unit).abs() <= unit);
        }
        let equal = whole(&[1.0 / 3.0; 5], 1e6, 1e6).0;
        assert!(equal.iter().all(|&x| x == equal[0]));
    }
}

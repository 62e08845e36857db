//! Numbers for people: as many digits as their standard error deserves.

/// A value with so many significant digits, without needless zeros or exponents.
pub fn significant(x: f64, digits: i32) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let exponent = x.abs().log10().floor() as i32;
    if !(-5..9).contains(&exponent) {
        return format!("{x:.*e}", (digits - 1).max(0) as usize);
    }
    let decimals = (digits - 1 - exponent).max(0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A value and the half width of its interval, both to two significant digits of the latter: 17.498 ±0.052.
pub fn with_half_width(value: f64, half: Option<f64>) -> String {
    match half {
        None => significant(value, 6),
        Some(0.0) => format!("{} ±0", significant(value, 6)),
        Some(half) => {
            let exponent = half.abs().log10().floor() as i32;
            if !(-9..6).contains(&exponent) {
                return format!("{} ±{half:.1e}", significant(value, 6));
            }
            let decimals = (1 - exponent).max(0) as usize;
            format!("{value:.decimals$} ±{half:.decimals$}")
        }
    }
}

/// A value to two significant digits of the width of its interval, to six where that is zero.
pub fn ends(value: f64, width: f64) -> String {
    if width.is_nan() || width <= 0.0 || value == 0.0 {
        return significant(value, 6);
    }
    let digits = value.abs().log10().floor() - width.log10().floor() + 2.0;
    significant(value, digits.clamp(2.0, 12.0) as i32)
}

#[cfg(test)]
mod tests {
    use super::{ends, significant, with_half_width};

    #[test]
    fn digits_follow_the_half_width() {
        assert_eq!(with_half_width(17.498_123, Some(0.0521)), "17.498 ±0.052");
        assert_eq!(with_half_width(2.0, Some(0.0)), "2 ±0");
        assert_eq!(with_half_width(0.25, None), "0.25");
        assert_eq!(with_half_width(1234.5, Some(123.0)), "1234 ±123");
    }

    #[test]
    fn the_ends_of_an_interval_have_the_digits_of_its_width() {
        assert_eq!(ends(0.123_456_789, 0.000_21), "0.12346");
        assert_eq!(ends(1.234_56e-7, 3.1e-8), "1.23e-7");
        assert_eq!(ends(1.0, 0.0), "1");
    }

    #[test]
    fn significant_digits_have_no_noise() {
        assert_eq!(significant(0.300_000_000_000_000_04, 6), "0.3");
        assert_eq!(significant(0.0, 6), "0");
        assert_eq!(significant(1.5e-12, 3), "1.50e-12");
    }
}

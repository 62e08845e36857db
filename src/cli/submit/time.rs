//! Slurm's limits of time: `90`, `2:00:00`, `1-12`.

/// The forms that Slurm knows, for messages.
const FORMS: &str = "MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS, DAYS-HOURS:MINUTES or \
     DAYS-HOURS:MINUTES:SECONDS, and a minute or more: 90 is an hour and a half, 2:00:00 two hours, 1-12 a day and a half";

/// A limit as Slurm reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// As it was typed, which is how Slurm gets it.
    pub text: String,
    /// The same in seconds.
    pub seconds: u64,
}

/// Reads a limit of time.
///
/// # Errors
/// A form that Slurm does not know, or less than a minute.
pub fn parse(text: &str) -> Result<Limit, String> {
    let text = text.trim();
    seconds(text)
        .filter(|&seconds| seconds >= 60)
        .map(|seconds| Limit {
            text: text.to_owned(),
            seconds,
        })
        .ok_or_else(|| format!("a limit of time as Slurm writes it: {FORMS}"))
}

fn seconds(text: &str) -> Option<u64> {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(number(days)?), rest),
        None => (None, text),
    };
    let fields: Vec<u64> = rest.split(':').map(number).collect::<Option<_>>()?;
    let (hours, minutes, seconds) = match (days, fields[..].as_ref()) {
        (None, [m]) => (0, *m, 0),
        (None, [m, s]) => (0, *m, *s),
        (_, [h, m, s]) => (*h, *m, *s),
        (Some(_), [h]) => (*h, 0, 0),
        (Some(_), [h, m]) => (*h, *m, 0),
        _ => return None,
    };
    Some(((days.unwrap_or(0) * 24 + hours) * 60 + minutes) * 60 + seconds)
}

/// Digits only, and few enough that no sum can overflow.
fn number(text: &str) -> Option<u64> {
    let digits = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn limits_are_read_as_slurm_reads_them() {
        for (text, seconds) in [
            ("90", 5_400),
            ("2:00", 120),
            ("2:00:00", 7_200),
            ("1-12", 129_600),
            ("1-12:30", 131_400),
            ("0-0:01:30", 90),
            ("100:00:00", 360_000),
        ] {
            assert_eq!(
                parse(text).map(|limit| limit.seconds),
                Ok(seconds),
                "{text}"
            );
        }
    }

    #[test]
    fn other_forms_are_refused_with_the_known_ones() {
        for wrong in [
            "",
            "3h",
            "2 h",
            "-1",
            "1-",
            "-",
            ":",
            "1::2",
            "1:2:3:4",
            "1-2:3:4:5",
            "0",
            "0:59",
            "2.5",
            "+5",
            "9999999999",
            "UNLIMITED",
            "1-1-1",
        ] {
            let said = parse(wrong).expect_err(wrong);
            assert!(said.contains("HOURS:MINUTES:SECONDS"), "{wrong}: {said}");
        }
    }
}

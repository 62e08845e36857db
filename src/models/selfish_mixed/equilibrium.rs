//! The equilibrium in which every stream uses every server, for the cost load over speed.
//!
//! Owns its probabilities and when there is one. Koutsoupias and Papadimitriou, *Worst-case equilibria* (1999);
//! Mavronicolas and Spirakis, *The price of selfish routing* (2001).

use crate::models::Problem;

/// The probability of each server for a stream of rate `rate`, among `streams` of rates above zero that sum to
/// `traffic`. With speeds s_j that sum to S,
///
/// p_j = (1 - m s_j/S) (1 - traffic / ((n-1) rate)) + s_j/S,
///
/// since a stream is indifferent exactly where (w_i (1 - p_ij) + W_j) / s_j is the same for all j, W_j being the
/// expected load of server j, and W_j = traffic ((n+m-1) s_j/S - 1) / (n-1) follows from summing over streams.
///
/// # Errors
/// Where a probability would not be above 0, and below 1 unless there is one server alone; `stream` is then named.
pub fn fully_mixed(
    stream: usize,
    rate: u32,
    streams: usize,
    traffic: u64,
    speeds: &[u32],
) -> Result<Vec<f64>, Problem> {
    let speed: u64 = speeds.iter().map(|&s| u64::from(s)).sum();
    let servers = speeds.len();
    let share = |s: u32| f64::from(s) / speed as f64;
    // In whole numbers, so that it is exactly zero for a server of mean speed.
    let slower = |s: u32| {
        let excess = speed as i64 - servers as i64 * i64::from(s);
        excess as f64 / speed as f64
    };
    let others = streams as f64 - 1.0;
    let chance = |s: u32| match slower(s) {
        0.0 => share(s),
        slower => slower * (1.0 - traffic as f64 / (others * f64::from(rate))) + share(s),
    };
    let chances: Vec<f64> = speeds.iter().map(|&s| chance(s)).collect();
    let fits = |p: f64| p > 0.0 && (p < 1.0 || servers == 1);
    let Some(at) = chances.iter().position(|&p| !fits(p)) else {
        return Ok(chances);
    };
    let what = if streams == 1 {
        "a stream that is alone takes the fastest server".to_owned()
    } else {
        format!(
            "stream {} would have to draw a server of {:.3} times the mean speed with probability {:.4}",
            stream + 1,
            share(speeds[at]) * servers as f64,
            chances[at]
        )
    };
    Err(Problem::new(
        "strategy",
        format!(
            "no equilibrium in which every stream uses every server: {what}, and each must be above 0 and below 1; take speeds and rates that differ less, more streams, or strategy = \"uniform\""
        ),
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::fully_mixed;

    #[test]
    fn no_stream_gains_by_another_server() {
        let (rates, speeds) = ([3u32, 4, 5, 3, 4], [10u32, 11, 9]);
        let traffic: u64 = rates.iter().map(|&r| u64::from(r)).sum();
        let rows: Vec<Vec<f64>> = (rates.iter().enumerate())
            .map(|(i, &rate)| fully_mixed(i, rate, 5, traffic, &speeds).unwrap())
            .collect();
        for (i, row) in rows.iter().enumerate() {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let delay = |j: usize| {
                let others = (0..5).filter(|&k| k != i);
                let load: f64 = others.map(|k| rows[k][j] * f64::from(rates[k])).sum();
                (load + f64::from(rates[i])) / f64::from(speeds[j])
            };
            for j in 1..3 {
                assert!((delay(j) - delay(0)).abs() < 1e-12, "stream {i}");
            }
        }
    }

    #[test]
    fn equal_speeds_make_it_uniform_whatever_the_rates() {
        for (rate, streams) in [(1, 3), (900, 3), (5, 1)] {
            assert_eq!(
                fully_mixed(0, rate, streams, 1000, &[7; 4]).unwrap(),
                [0.25; 4]
            );
        }
        assert_eq!(fully_mixed(0, 3, 2, 5, &[7]).unwrap(), [1.0]);
    }

    #[test]
    fn where_there_is_none_the_stream_is_named() {
        let said = fully_mixed(3, 1, 5, 100, &[1, 2]).unwrap_err().to_string();
        assert!(said.contains("stream 4"), "{said}");
        let said = fully_mixed(0, 1, 1, 1, &[1, 2]).unwrap_err().to_string();
        assert!(said.contains("alone"), "{said}");
    }
}

//! Instances: the streams and servers of a point, given or drawn, in whole numbers.
//!
//! Owns the laws they are drawn from and the meaning of `load`.

use super::units::whole;
use crate::models::{Point, Problem, Value};
use crate::random::{Key, Purpose};

/// Most units of speed of all servers together. With as many units of rate, a product of both stays below 2^62.
const MOST_SPEED: f64 = (1u64 << 31) as f64;
/// Units of all speeds together where they are not multiples of a power of ten.
const FINE_SPEED: f64 = (1u64 << 24) as f64;
/// Exponent and range of the law "pareto".
const PARETO: (f64, f64) = (1.5, 1000.0);

/// Streams and servers in whole numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// The speed of each server in units of `speed_unit`, at least 1.
    pub speeds: Vec<u32>,
    /// The rate of each stream in units of `rate_unit`; 0 for an empty stream.
    pub rates: Vec<u32>,
    /// What a unit of rate is, in the file's own unit, before rates are scaled to `load`.
    pub rate_unit: f64,
    /// What a unit of speed is, in the file's own unit.
    pub speed_unit: f64,
    /// Sum of all rates over the capacity of all servers.
    pub load: f64,
}

impl Instance {
    /// Lambda, the sum of the rates, in units.
    pub fn rate(&self) -> u64 {
        self.rates.iter().map(|&rate| u64::from(rate)).sum()
    }

    /// Sum of the speeds, in units.
    pub fn speed(&self) -> u64 {
        self.speeds.iter().map(|&speed| u64::from(speed)).sum()
    }

    /// Units of rate that one unit of speed can serve: a server of speed s and load w has utilisation w / (s C).
    pub fn capacity(&self) -> f64 {
        self.rate() as f64 / (self.load * self.speed() as f64)
    }

    /// The least load at which a server of that speed is at or above its capacity, in units of rate.
    pub fn full(&self, speed: u32) -> u32 {
        let capacity = self.capacity() * f64::from(speed);
        // Loads that are whole multiples of the capacity are to be found there in spite of rounding.
        libm::ceil(capacity * (1.0 - 1e-12)).max(1.0) as u32
    }
}

/// The instances of a point: one where rates and speeds are given, else as many as asked for.
///
/// The rates of each are at most `most` units together; where they have no common unit, they are rounded to
/// `1 / fine` of their sum.
///
/// # Errors
/// Numbers of servers or streams that contradict the lists, or that are missing; no rate above zero.
pub fn instances(
    point: &Point,
    count: u32,
    most: f64,
    fine: f64,
) -> Result<Vec<Instance>, Problem> {
    let servers = number_of(point, "servers", "speeds")?;
    let streams = number_of(point, "streams", "rates")?;
    let is_law = |key| matches!(point.get(key), Some(Value::Word(_)));
    let count = if is_law("rates") || is_law("speeds") {
        count
    } else {
        1
    };
    (0..count)
        .map(|index| {
            let speeds = values(point, "speeds", servers, index);
            let rates = values(point, "rates", streams, index);
            instance(point, &rates, &speeds, most, fine)
        })
        .collect()
}

fn instance(
    point: &Point,
    rates: &[f64],
    speeds: &[f64],
    most: f64,
    fine: f64,
) -> Result<Instance, Problem> {
    if rates.iter().sum::<f64>() <= 0.0 {
        return Err(Problem::new(
            "rates",
            "all streams are empty; at least one rate must be above 0",
        ));
    }
    let (units, rate_unit) = whole(rates, most, fine);
    let (speeds, speed_unit) = whole(speeds, MOST_SPEED, FINE_SPEED);
    let mut instance = Instance {
        speeds,
        rates: units,
        rate_unit,
        speed_unit,
        load: point.number("load"),
    };
    if instance.load == 0.0 {
        instance.load = instance.rate() as f64 * rate_unit / (instance.speed() as f64 * speed_unit);
    }
    Ok(instance)
}

/// How many servers or streams there are, from their number or the length of their list.
fn number_of(point: &Point, key: &'static str, list: &'static str) -> Result<usize, Problem> {
    let number = point.number(key) as usize;
    match point.get(list) {
        Some(Value::Numbers(values)) if values.is_empty() => {
            Err(Problem::new(list, format!("the list of `{list}` is empty")))
        }
        Some(Value::Numbers(values)) if number == 0 || number == values.len() => Ok(values.len()),
        Some(Value::Numbers(values)) => Err(Problem::new(
            key,
            format!(
                "`{list}` lists {}, not {number}; leave `{key}` out, or give one number for all or a law as `{list}`",
                values.len()
            ),
        )),
        _ if number == 0 => Err(Problem::new(
            key,
            format!("how many {key} there are is missing: write {key} = 10, or list `{list}`"),
        )),
        _ => Ok(number),
    }
}

/// The rates or speeds of one instance as real numbers.
fn values(point: &Point, key: &str, number: usize, index: u32) -> Vec<f64> {
    match point.get(key) {
        Some(Value::Numbers(values)) => values.clone(),
        Some(Value::Word(law)) => (0..number)
            .map(|i| drawn(law, uniform(point, key, index, i as u32)))
            .collect(),
        _ => vec![point.number(key); number],
    }
}

/// A uniform number in (0, 1) that belongs to the i-th stream or server of an instance.
fn uniform(point: &Point, key: &str, index: u32, i: u32) -> f64 {
    let seed = point.number("instance_seed") as u64;
    let which = u32::from(key == "speeds");
    let words = Key { seed, stream: 0 }.draw(Purpose::SelfishInstance, index, which, i);
    let bits = u64::from(words[0]) << 21 | u64::from(words[1] >> 11);
    (bits as f64 + 0.5) / (1u64 << 53) as f64
}

/// A number of that law, from a uniform one. Laws are scaled where they matter.
fn drawn(law: &str, u: f64) -> f64 {
    match law {
        "uniform" => 2.0 * u,
        "exponential" => -libm::log(u),
        _ => {
            let (exponent, range) = PARETO;
            let kept = 1.0 - u * (1.0 - libm::pow(range, -exponent));
            libm::pow(kept, -1.0 / exponent)
        }
    }
}

#[cfg(test)]
#[path = "instance_tests.rs"]
mod tests;

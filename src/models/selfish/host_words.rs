//! Numbers and costs as words behind the tables of a plan: what the host needs to make costs of counts.
//!
//! Owns their encoding. Kernels do not read them.

use super::COSTS;
use crate::theory::selfish::Cost;

/// Appends a number.
pub fn push_number(words: &mut Vec<u32>, number: f64) {
    let bits = number.to_bits();
    words.extend([bits as u32, (bits >> 32) as u32]);
}

/// The next number of a list of words.
pub fn next_number(next: &mut impl FnMut() -> u32) -> f64 {
    let low = u64::from(next());
    f64::from_bits(low | u64::from(next()) << 32)
}

/// Appends costs.
pub fn push_costs(words: &mut Vec<u32>, costs: &[Cost]) {
    words.push(costs.len() as u32);
    for cost in costs {
        let numbers = numbers_of(cost);
        let which = COSTS.iter().position(|&name| name == cost.name());
        words.extend([which.unwrap_or(0) as u32, numbers.len() as u32]);
        for number in numbers {
            push_number(words, number);
        }
    }
}

/// The next costs of a list of words.
pub fn next_costs(next: &mut impl FnMut() -> u32) -> Vec<Cost> {
    (0..next())
        .map(|_| {
            let (which, count) = (next(), next());
            cost_of(which, (0..count).map(|_| next_number(next)).collect())
        })
        .collect()
}

/// The numbers that a cost has beside its name.
fn numbers_of(cost: &Cost) -> Vec<f64> {
    match cost {
        Cost::Mm1 => Vec::new(),
        Cost::Power(x) | Cost::Mg1 { scv: x } | Cost::Exponential(x) => vec![*x],
        Cost::Mm1k { room: c } | Cost::ErlangB { connections: c } => vec![f64::from(*c)],
        Cost::Table { loads, costs } => [&loads[..], costs].concat(),
    }
}

/// The cost of that place in the list of costs.
fn cost_of(which: u32, mut numbers: Vec<f64>) -> Cost {
    let x = numbers.first().copied().unwrap_or(0.0);
    match which {
        0 => Cost::Power(x),
        1 => Cost::Mm1,
        2 => Cost::Mg1 { scv: x },
        3 => Cost::Mm1k { room: x as u32 },
        4 => Cost::ErlangB {
            connections: x as u32,
        },
        5 => Cost::Exponential(x),
        _ => {
            let costs = numbers.split_off(numbers.len() / 2);
            Cost::Table {
                loads: numbers,
                costs,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{next_costs, push_costs};
    use crate::theory::selfish::Cost;

    #[test]
    fn costs_survive_being_words() {
        let costs = vec![
            Cost::Power(1.5),
            Cost::Mm1,
            Cost::Mg1 { scv: 0.3 },
            Cost::Mm1k { room: 7 },
            Cost::ErlangB { connections: 100 },
            Cost::Exponential(2.0),
            Cost::Table {
                loads: vec![0.0, 1.0],
                costs: vec![0.1, 0.2],
            },
        ];
        let mut words = Vec::new();
        push_costs(&mut words, &costs);
        let mut words = words.into_iter();
        assert_eq!(next_costs(&mut || words.next().unwrap_or(0)), costs);
        assert_eq!(words.next(), None);
    }
}

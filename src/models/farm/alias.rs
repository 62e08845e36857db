//! One of many, with given weights, from one random word: Walker's alias method in whole numbers.
//!
//! Owns the table. Each of the 2^32 words belongs to one of the choices, and the number of words of a choice is its
//! share of 2^32 rounded up or down: probabilities are right to 2^-32. The kernels' part: word w falls into column
//! floor(w n / 2^32), and is the column's own choice if it is below the column's limit, else the other one.

/// The limit and the other choice of each column, in pairs; none where all weights are equal and the column itself is
/// the choice. Some weight is above zero, and their sum is below 2^32.
pub fn table(weights: &[u32]) -> Option<Vec<u32>> {
    if weights.iter().all(|&weight| weight == weights[0]) {
        return None;
    }
    let columns = weights.len() as u64;
    // The first word of a column: the least w with floor(w n / 2^32) = column.
    let first = |column: u64| (column << 32).div_ceil(columns);
    let mut left = shares(weights);
    let mut pairs: Vec<u32> = (0..weights.len() as u32)
        .flat_map(|i| [u32::MAX, i])
        .collect();
    let capacity = |i: usize| first(i as u64 + 1) - first(i as u64);
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        (0..weights.len()).partition(|&i| left[i] < capacity(i));
    while let (Some(own), Some(&other)) = (small.pop(), large.last()) {
        // Below 2^32: only a column that is full, the last one perhaps, ends there.
        pairs[2 * own] = (first(own as u64) + left[own]) as u32;
        pairs[2 * own + 1] = other as u32;
        left[other] -= capacity(own) - left[own];
        if left[other] < capacity(other) {
            large.pop();
            small.push(other);
        }
    }
    Some(pairs)
}

/// How many words of 2^32 belong to each choice: rounded down, and what is left goes to the first ones that lost most.
fn shares(weights: &[u32]) -> Vec<u64> {
    let sum: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    let mut words: Vec<u64> = (weights.iter())
        .map(|&weight| (u64::from(weight) << 32) / sum)
        .collect();
    let missing = (1u64 << 32) - words.iter().sum::<u64>();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    let lost = |i: usize| (u64::from(weights[i]) << 32) % sum;
    order.sort_by_key(|&i| std::cmp::Reverse(lost(i)));
    for &i in order.iter().take(missing as usize) {
        words[i] += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::table;

    /// Words of each choice, column by column.
    fn words(weights: &[u32]) -> Vec<u64> {
        let pairs = table(weights).unwrap();
        let columns = weights.len() as u64;
        let first = |column: u64| (column << 32).div_ceil(columns);
        let mut words = vec![0; weights.len()];
        for column in 0..weights.len() {
            let (from, to) = (first(column as u64), first(column as u64 + 1));
            let (limit, other) = (pairs[2 * column], pairs[2 * column + 1] as usize);
            let own = u64::from(limit).clamp(from, to) - from;
            words[column] += own;
            words[other] += to - from - own;
        }
        words
    }

    #[test]
    fn every_choice_has_its_share_of_the_words_to_one_word() {
        for weights in [
            vec![1, 2],
            vec![0, 5, 0],
            vec![3, 1, 4, 1, 5, 9, 2, 6],
            vec![1, 1 << 30],
            (0..1000).map(|i| i * i % 97).collect(),
        ] {
            let sum: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
            for (found, &weight) in words(&weights).iter().zip(&weights) {
                let exact = (u64::from(weight) << 32) as f64 / sum as f64;
                assert!(
                    (*found as f64 - exact).abs() < 1.0 + 1e-6,
                    "{weights:?}: {found} {exact}"
                );
                assert!(weight > 0 || *found == 0);
            }
        }
    }

    #[test]
    fn equal_weights_need_no_table() {
        assert_eq!(table(&[7]), None);
        assert_eq!(table(&[2; 9]), None);
    }
}

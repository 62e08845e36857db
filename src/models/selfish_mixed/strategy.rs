//! Probabilities as tables from which one random word draws a server.
//!
//! Owns the rule: the word times m, upper half, is a column; below the column's threshold the word means the column's
//! own server, else the other one that the table names. (The alias method of Walker and Vose, in whole numbers.)

/// The words of a table of `chances`, which are positive somewhere: for each column a threshold and another server.
///
/// Each server is meant by a number of words that is off by less than 1 of 2^32 times its chance.
pub fn table(chances: &[f64]) -> Vec<u32> {
    let mut left = words_of_each(chances);
    let servers = chances.len() as u64;
    // The words of column k are those w with k 2^32 <= w m < (k + 1) 2^32.
    let first = |column: u64| (column << 32).div_ceil(servers);
    let size = |column: usize| first(column as u64 + 1) - first(column as u64);
    // A column whose words are all its own's never looks at the other server.
    let mut table: Vec<u32> = (0..servers as u32).flat_map(|j| [u32::MAX, j]).collect();
    let mut low: Vec<usize> = (0..left.len()).filter(|&j| left[j] < size(j)).collect();
    let mut high: Vec<usize> = (0..left.len()).filter(|&j| left[j] > size(j)).collect();
    while let (Some(&other), Some(column)) = (high.last(), low.pop()) {
        // The rest of the column is the other's, which has that many words: more than its own column, and the sizes
        // of columns differ by one at most.
        table[2 * column] = (first(column as u64) + left[column]) as u32;
        table[2 * column + 1] = other as u32;
        left[other] -= size(column) - left[column];
        if left[other] <= size(other) {
            high.pop();
        }
        if left[other] < size(other) {
            low.push(other);
        }
    }
    table
}

/// How many of the 2^32 words mean each server: cumulative sums, rounded.
fn words_of_each(chances: &[f64]) -> Vec<u64> {
    let all = (1u64 << 32) as f64;
    let total: f64 = chances.iter().sum();
    let (mut sum, mut before) = (0.0, 0);
    let mut words = Vec::with_capacity(chances.len());
    // What is impossible stays so: rounding errors of the sum would be a word of the last.
    let last = chances.iter().rposition(|&p| p > 0.0).unwrap_or(0);
    for (j, &chance) in chances.iter().enumerate() {
        sum += chance;
        let until = if j >= last {
            1 << 32
        } else {
            libm::round(sum / total * all) as u64
        };
        words.push(until - before);
        before = until;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::table;

    /// How many words mean each server, from the ends of the pieces of each column.
    fn words(table: &[u32]) -> Vec<u64> {
        let servers = table.len() as u64 / 2;
        let mut counts = vec![0; servers as usize];
        for column in 0..servers {
            let first = (column << 32).div_ceil(servers);
            let end = ((column + 1) << 32).div_ceil(servers);
            let [threshold, other] = [0, 1].map(|k| table[2 * column as usize + k]);
            let own = u64::from(threshold).clamp(first, end) - first;
            counts[column as usize] += own;
            counts[other as usize] += end - first - own;
        }
        counts
    }

    #[test]
    fn every_server_gets_its_words() {
        let lists: [&[f64]; 7] = [
            &[1.0],
            &[0.5, 0.5],
            &[0.0, 1.0, 0.0],
            &[0.1, 0.2, 0.3, 0.4],
            &[1e-9, 1.0 - 2e-9, 1e-9],
            &[0.7, 0.0, 0.0, 0.1, 0.1, 0.1, 0.0],
            &[0.2; 5],
        ];
        for chances in lists {
            let found = words(&table(chances));
            assert_eq!(found.iter().sum::<u64>(), 1 << 32);
            for (p, words) in chances.iter().zip(found) {
                let wanted = p * (1u64 << 32) as f64;
                assert!((words as f64 - wanted).abs() <= 1.0, "{chances:?} {words}");
                assert!(*p > 0.0 || words == 0, "{chances:?}");
            }
        }
    }
}

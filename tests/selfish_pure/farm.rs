//! A farm of selfish streams, literally: slow, with random numbers of its own, and sharing no code with the kernels.

/// Numbers for tests: SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(z ^ (z >> 31)) * n as u128) >> 64) as usize
    }
}

/// A farm, literally.
pub struct Farm {
    /// Rates of the streams.
    pub rates: Vec<u32>,
    /// Speeds of the servers.
    pub speeds: Vec<u32>,
}

impl Farm {
    pub fn loads(&self, homes: &[usize]) -> Vec<u64> {
        let mut loads = vec![0; self.speeds.len()];
        for (&home, &rate) in homes.iter().zip(&self.rates) {
            loads[home] += u64::from(rate);
        }
        loads
    }

    /// The largest load over speed.
    pub fn most(&self, homes: &[usize]) -> (u64, u64) {
        let loads = self
            .loads(homes)
            .into_iter()
            .zip(self.speeds.iter().map(|&s| u64::from(s)));
        loads.max_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1))).unwrap()
    }

    /// Where a stream would go, if anywhere.
    pub fn better(&self, homes: &[usize], stream: usize) -> Option<usize> {
        let (loads, home) = (self.loads(homes), homes[stream]);
        let cost = |j: usize| {
            let joined = if j == home {
                0
            } else {
                u64::from(self.rates[stream])
            };
            (loads[j] + joined, u64::from(self.speeds[j]))
        };
        let less = |a: usize, b: usize| cost(a).0 * cost(b).1 < cost(b).0 * cost(a).1;
        let mut best = None;
        for j in (0..self.speeds.len()).filter(|&j| j != home) {
            if best.is_none_or(|b| less(j, b)) {
                best = Some(j);
            }
        }
        best.filter(|&j| less(j, home))
    }

    pub fn unsatisfied(&self, homes: &[usize]) -> Vec<usize> {
        (0..homes.len())
            .filter(|&i| self.better(homes, i).is_some())
            .collect()
    }

    /// All assignments.
    pub fn all(&self) -> impl Iterator<Item = Vec<usize>> {
        let (servers, streams) = (self.speeds.len(), self.rates.len());
        (0..servers.pow(streams as u32)).map(move |code| {
            (0..streams)
                .map(|i| code / servers.pow(i as u32) % servers)
                .collect()
        })
    }

    /// A ratio in units of 2^-20, to the nearest.
    pub fn ratio(&self, most: (u64, u64), optimum: (u64, u64)) -> u32 {
        let above = (u128::from(most.0) * u128::from(optimum.1)) << 21;
        let below = u128::from(most.1) * u128::from(optimum.0);
        ((above / below) as u32).div_ceil(2)
    }

    pub fn optimum(&self) -> (u64, u64) {
        let all = self.all().map(|homes| self.most(&homes));
        all.min_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1))).unwrap()
    }

    /// A start with random order: the homes at its end, and the moves.
    pub fn start(&self, random: &mut Random) -> (Vec<usize>, u32) {
        let mut homes: Vec<usize> = self
            .rates
            .iter()
            .map(|_| random.below(self.speeds.len()))
            .collect();
        let mut moves = 0;
        loop {
            let unsatisfied = self.unsatisfied(&homes);
            if unsatisfied.is_empty() {
                return (homes, moves);
            }
            let stream = unsatisfied[random.below(unsatisfied.len())];
            homes[stream] = self.better(&homes, stream).unwrap();
            moves += 1;
        }
    }
}

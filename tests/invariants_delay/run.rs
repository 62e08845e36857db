//! One run of a point with every trajectory and final state, and the checks that any run must pass. Owns what
//! the words of the state mean for them; chooses no configuration.

use queuefarm::engine::{Backend, Recording, Unit, Watch, Work};
use queuefarm::models::delay::words::{param, state, sum};
use queuefarm::models::{Model, Plan, Point, Tallies};
use queuefarm::random::Key;

/// Replicas of a run: more than a group of lanes, and no multiple of it.
pub const REPLICAS: u32 = 20;

/// One run of a point: its plan, tallies with every trajectory, and final states.
pub struct Run {
    plan: Plan,
    pub tallies: Tallies,
    states: Vec<u32>,
    pub what: String,
}

impl Run {
    pub fn new(backend: &mut dyn Backend, model: &Model, point: &Point) -> Run {
        let plan = (model.plan)(point).unwrap();
        let work = Work {
            plan: &plan,
            key: Key {
                seed: 7,
                stream: point.stream,
            },
            unit: Unit {
                point: 0,
                batch: 0,
                first_replica: 0,
                replicas: REPLICAS,
            },
            recording: Recording {
                trajectories: REPLICAS,
                ensemble: false,
                from: 0,
                steps: plan.end(),
            },
        };
        let (tallies, states) = backend.final_states(model, &work, &Watch::new()).unwrap();
        let what = format!("{:?}", point.values);
        Run {
            plan,
            tallies,
            states,
            what,
        }
    }

    fn param(&self, index: usize) -> u32 {
        self.plan.params[index]
    }

    /// A state word of a replica at the end.
    fn word(&self, index: usize, replica: u32) -> u32 {
        self.states[index * REPLICAS as usize + replica as usize]
    }

    /// The entries of a ring of the state at the end.
    fn ring(&self, at: usize, slots: usize, replica: u32) -> Vec<u32> {
        let start = self.param(at);
        (start..start + self.param(slots))
            .map(|index| self.word(index as usize, replica))
            .collect()
    }

    pub fn sum(&self, which: usize) -> u128 {
        self.tallies.sums[which].iter().sum()
    }

    /// Bins of a histogram as (lowest value, width, count).
    fn histogram(&self, name: &str) -> Vec<(i128, i128, u128)> {
        let mut start = 0;
        for histogram in &self.plan.histograms {
            if histogram.name == name {
                let counts = &self.tallies.counts[start..start + histogram.bins as usize];
                let bin = |(index, count): (u32, &u64)| {
                    let (low, width) = (histogram.edge(index), histogram.width(index));
                    (i128::from(low), i128::from(width), u128::from(*count))
                };
                return (0..).zip(counts).map(bin).collect();
            }
            start += histogram.bins as usize;
        }
        panic!("no histogram {name}");
    }

    /// Ticks measured, over all replicas.
    pub fn ticks(&self) -> u128 {
        u128::from(REPLICAS)
            * self
                .plan
                .halves
                .iter()
                .map(|&half| u128::from(half))
                .sum::<u128>()
    }

    pub fn check(&self) {
        self.clients_are_conserved();
        self.histograms_and_sums_agree();
        self.trajectories_and_sums_agree();
        self.flows_balance();
    }

    /// Free and biased clients of a word that counts both.
    fn packed(word: u32) -> [u32; 2] {
        [word & 0xFFFF, word >> 16]
    }

    fn clients_are_conserved(&self) {
        for replica in 0..REPLICAS {
            let queues = [
                self.word(state::QUEUE_1, replica),
                self.word(state::QUEUE_2, replica),
            ];
            // Without a line, clients decide in the tick of their completion.
            let line = self.ring(param::LINE_AT, param::LINE_SLOTS, replica);
            let away = line.iter().map(|&word| Self::packed(word));
            let (free, biased) = away.fold((0, 0), |sum, x| (sum.0 + x[0], sum.1 + x[1]));
            let bouncing = self.ring(param::BOUNCED_LINE_AT, param::BOUNCED_SLOTS, replica);
            let between: u32 = bouncing.iter().sum();
            assert_eq!(
                between,
                self.word(state::BOUNCED_LENGTH, replica),
                "{}",
                self.what
            );
            let all = queues[0] + queues[1] + free + biased + between;
            assert_eq!(
                all,
                self.param(param::CLIENTS),
                "replica {replica} of {}",
                self.what
            );
            if self.param(param::FIXED_CLIENTS) == 1 {
                let queued: u32 = (0..2)
                    .map(|server| self.biased_in_queue(server, queues[server], replica))
                    .sum();
                let found = queued + biased + self.biased_between(between, replica);
                assert_eq!(
                    found,
                    self.param(param::BIASED_CLIENTS),
                    "biased clients, replica {replica} of {}",
                    self.what
                );
            }
        }
    }

    fn biased_in_queue(&self, server: usize, length: u32, replica: u32) -> u32 {
        let fifo = self.ring(param::FIFO_1_AT + server, param::FIFO_WORDS, replica);
        let head = self.word(state::FIFO_1_HEAD + server, replica);
        let bit = |position: u32| fifo[(position / 32) as usize] >> (position % 32) & 1;
        (0..length)
            .map(|i| bit((head + i) % (32 * fifo.len() as u32)))
            .sum()
    }

    fn biased_between(&self, length: u32, replica: u32) -> u32 {
        let (head, clients) = (
            self.word(state::BOUNCED_HEAD, replica),
            self.param(param::CLIENTS),
        );
        let at = |i: u32| self.param(param::BOUNCED_AT) + (head + i) % clients;
        (0..length)
            .map(|i| self.word(at(i) as usize, replica) >> 1 & 1)
            .sum()
    }

    /// A sum lies between those of the lower and the upper ends of the bins: equal when they are dense.
    fn assert_sum(&self, name: &str, sum: i128) {
        let bins = self.histogram(name);
        let low: i128 = bins
            .iter()
            .map(|(low, _, count)| low * *count as i128)
            .sum();
        let high: i128 = bins
            .iter()
            .map(|(low, width, count)| (low + width - 1) * *count as i128)
            .sum();
        assert!(
            low <= sum && sum <= high,
            "{name}: {low} <= {sum} <= {high} in {}",
            self.what
        );
    }

    fn histograms_and_sums_agree(&self) {
        let count = |name| self.histogram(name).iter().map(|bin| bin.2).sum::<u128>();
        assert_eq!(count("a"), self.ticks(), "{}", self.what);
        assert_eq!(count("wait"), self.sum(sum::JOINED), "{}", self.what);
        assert_eq!(count("queue"), self.sum(sum::JOINED), "{}", self.what);
        self.assert_sum(
            "a",
            self.sum(sum::QUEUE_1) as i128 - self.sum(sum::QUEUE_2) as i128,
        );
        self.assert_sum("wait", self.sum(sum::WAITED) as i128);
        self.assert_sum("queue", self.sum(sum::MET) as i128);
        let a = self.histogram("a");
        if a[0].1 == 1 {
            let squares: i128 = a.iter().map(|(a, _, count)| a * a * *count as i128).sum();
            assert_eq!(squares as u128, self.sum(sum::SQUARE), "{}", self.what);
        }
    }

    fn trajectories_and_sums_agree(&self) {
        let warmup = self.plan.warmup as usize;
        let (mut squares, mut crossings, mut peaks, mut total) = (0u128, 0u128, 0u128, 0i128);
        let bins = self.histogram("a");
        let mut counts = vec![0u128; bins.len()];
        assert_eq!(self.tallies.trajectories.len(), REPLICAS as usize);
        for (_, trajectory) in &self.tallies.trajectories {
            let (mut last, mut peak) = (0, 0);
            for (tick, &a) in trajectory.iter().enumerate() {
                let crossed = a.signum() * last == -1;
                last = if a == 0 { last } else { a.signum() };
                if tick >= warmup {
                    crossings += u128::from(crossed);
                    peak = peak.max(a.unsigned_abs());
                    squares += u128::from(a.unsigned_abs()).pow(2);
                    total += i128::from(a);
                    counts[((i128::from(a) - bins[0].0) / bins[0].1) as usize] += 1;
                }
            }
            peaks += u128::from(peak);
        }
        assert_eq!(squares, self.sum(sum::SQUARE), "squares in {}", self.what);
        assert_eq!(
            crossings,
            self.sum(sum::CROSSINGS),
            "crossings in {}",
            self.what
        );
        assert_eq!(peaks, self.tallies.peaks[0], "peaks in {}", self.what);
        assert_eq!(
            total,
            self.sum(sum::QUEUE_1) as i128 - self.sum(sum::QUEUE_2) as i128,
            "A in {}",
            self.what
        );
        let recorded: Vec<u128> = bins.iter().map(|bin| bin.2).collect();
        assert_eq!(counts, recorded, "histogram of A in {}", self.what);
    }

    /// What comes in and what goes out differ by no more than what there is.
    fn flows_balance(&self) {
        let clients = i128::from(REPLICAS) * i128::from(self.param(param::CLIENTS));
        let [requests, joined, refused, rejected] =
            [sum::REQUESTS, sum::JOINED, sum::REFUSALS, sum::REJECTIONS]
                .map(|which| self.sum(which) as i128);
        // Packets between servers were requested before they join or are refused.
        let in_flight = if self.param(param::BOUNCE_TRAVELS) == 1 {
            clients
        } else {
            0
        };
        assert!(
            (requests - joined - refused).abs() <= in_flight,
            "{requests} requests, {joined} joined, {refused} refused in {}",
            self.what
        );
        if self.param(param::REJECTS) == 0 {
            assert_eq!((refused, rejected), (0, 0), "{}", self.what);
        }
        let limit = i128::from(self.param(param::BOUNCE_LIMIT));
        if in_flight == 0 {
            assert!(
                rejected >= refused * (limit + 1)
                    && rejected <= refused * (limit + 1) + joined * limit,
                "{}",
                self.what
            );
        }
        let mut completed = 0;
        for server in 0..2 {
            let done = self.sum(sum::COMPLETED_1 + server) as i128;
            completed += done;
            // A server works or idles: its busy time is its completions' but for one service at either end.
            let busy = (self.ticks() - self.sum(sum::IDLE_1 + server)) as i128;
            let service = i128::from(self.param(param::SERVICE_1 + server));
            let slack = i128::from(REPLICAS) * (service + i128::from(self.param(param::PHASE)) + 1);
            assert!(
                (busy - done * service).abs() <= slack,
                "{busy} busy ticks, {done} completions in {}",
                self.what
            );
        }
        assert!(
            (joined - completed).abs() <= clients,
            "{joined} joined, {completed} completed in {}",
            self.what
        );
    }
}

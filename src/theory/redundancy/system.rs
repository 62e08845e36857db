//! The loads rho_m from which every exact law of redundancy-d follows.
//!
//! Owns r_m, 1 - r_m and 1 - rho_m without overflow or cancellation. Does not own what follows from them.

/// Most servers a [`System`] holds: two numbers a server are kept.
pub const MAX_SERVERS: u32 = 1 << 24;

/// A stable system of N servers and d copies of each job, at load rho.
///
/// rho_m = rho r_m with r_m = C(m-1, d-1) / C(N-1, d-1), m = d..N; m r_m / N is the chance that a job's d servers are
/// all among m given ones (docs/theory.md, "redundancy: stationary law").
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    servers: u32,
    copies: u32,
    load: f64,
    /// (r_m, 1 - r_m) for m = d..N.
    ratios: Vec<[f64; 2]>,
}

/// What a stage m = d..N of the system is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage {
    /// m, the number of servers.
    pub m: f64,
    /// r_m.
    pub ratio: f64,
    /// 1 - r_m, exact to rounding even where r_m is close to 1.
    pub rest: f64,
    /// rho_m.
    pub load: f64,
    /// 1 - rho_m, exact to rounding even where rho_m is close to 1.
    pub slack: f64,
}

impl Stage {
    /// Rate of leaving the stage, s_m = m (1 - rho_m).
    pub fn rate(&self) -> f64 {
        self.m * self.slack
    }
}

/// (r_(m-1), 1 - r_(m-1)) from (r_m, 1 - r_m): the smaller of the two is followed, and the other is what it leaves.
pub(super) fn below([ratio, rest]: [f64; 2], m: f64, d: f64) -> [f64; 2] {
    let rest_below = rest + ratio * ((d - 1.0) / (m - 1.0));
    if rest_below < 0.5 {
        [1.0 - rest_below, rest_below]
    } else {
        let ratio_below = ratio * ((m - d) / (m - 1.0));
        [ratio_below, 1.0 - ratio_below]
    }
}

impl System {
    /// The system, or `None` unless 1 <= copies <= servers <= [`MAX_SERVERS`] and 0 < load < 1.
    ///
    /// r_N = 1 and r_(m-1) = r_m (m-d)/(m-1), from the top down: products from below overflow. The far r_m may
    /// underflow to 0, where nothing depends on them.
    pub fn new(servers: u32, copies: u32, load: f64) -> Option<System> {
        let valid = 1 <= copies && copies <= servers && servers <= MAX_SERVERS;
        if !(valid && load > 0.0 && load < 1.0) {
            return None;
        }
        let mut ratios = vec![[1.0, 0.0]; (servers - copies + 1) as usize];
        let d = f64::from(copies);
        let mut at_m = [1.0, 0.0];
        for (above, entry) in ratios.iter_mut().enumerate().rev() {
            *entry = at_m;
            at_m = below(at_m, d + above as f64, d);
        }
        Some(System {
            servers,
            copies,
            load,
            ratios,
        })
    }

    /// N, the number of servers.
    pub fn servers(&self) -> u32 {
        self.servers
    }

    /// d, the number of copies of a job.
    pub fn copies(&self) -> u32 {
        self.copies
    }

    /// rho, the arrival rate for each server times the mean service time.
    pub fn load(&self) -> f64 {
        self.load
    }

    /// rho_m for m = d..N, increasing (docs/theory.md, "redundancy: stationary law").
    pub fn loads(&self) -> impl DoubleEndedIterator<Item = f64> + ExactSizeIterator + '_ {
        self.ratios.iter().map(|[ratio, _]| self.load * ratio)
    }

    /// N, d as real numbers.
    pub(super) fn sizes(&self) -> [f64; 2] {
        [f64::from(self.servers), f64::from(self.copies)]
    }

    /// The stages m = d..N.
    pub(super) fn stages(&self) -> impl DoubleEndedIterator<Item = Stage> + ExactSizeIterator + '_ {
        let d = f64::from(self.copies);
        self.ratios
            .iter()
            .enumerate()
            .map(move |(above, &[ratio, rest])| Stage {
                m: d + above as f64,
                ratio,
                rest,
                load: self.load * ratio,
                slack: rest + (1.0 - self.load) * ratio,
            })
    }
}

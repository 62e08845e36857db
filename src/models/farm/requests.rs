//! The CPU kernel of `farm` for queues: requests of sixteen replicas, several requests at a time.
//!
//! Owns a request from its arrival to its departure by the workload recursion: first come first served, a request waits
//! as long as its server is busy with earlier ones. A server with room for K requests rejects one that finds the K-th
//! last accepted request still there.
//!
//! Times are absolute, modulo 2^32, and compared by signed difference. One remembered time is brought up to date a
//! request, so that none is ever further in the past than 2^31.

use super::kernel::{Kernel, Registers};
use super::words::{RANGE, law, param, route};
use crate::engine::{LANES, Lane, Places, count_at, draw, even_odd, low_words};
use crate::engine::{pick_at, put_at};
use crate::models::lane_clock::{refreshed, scaled_gap};
use crate::models::log_linear_bin;
use crate::models::redundancy::exponentials::exponential_row;
use crate::models::redundancy::kernel::rows;
use crate::random::{
    EXPONENTIAL_TABLE_WORDS, MIDPOINT, SHORT_WORD, exponential, quantile, quantile_is_short,
};

/// Requests that are worked on at once, phase by phase.
const AHEAD: usize = 8;

/// Requests on their way, one row each.
struct Rows<const J: usize> {
    /// Random words: time, stream, size, server.
    words: [[Lane; J]; 4],
    /// When each arrives, in units.
    now: [Lane; J],
    /// Its size, in units.
    sizes: [Lane; J],
    /// Its stream and server.
    streams: [Lane; J],
    servers: [Lane; J],
    /// Where the workload of its server is.
    places: [Places; J],
    /// Its delay, 0 where it is rejected.
    delays: [Lane; J],
    /// 1 where it is rejected.
    rejected: [Lane; J],
    /// Where it is counted: delay, stream, server.
    bins: [[Places; J]; 3],
}

impl<const J: usize> Rows<J> {
    const NONE: Rows<J> = Rows {
        words: [[Lane::ZERO; J]; 4],
        now: [Lane::ZERO; J],
        sizes: [Lane::ZERO; J],
        streams: [Lane::ZERO; J],
        servers: [Lane::ZERO; J],
        places: [Places::FIRST; J],
        delays: [Lane::ZERO; J],
        rejected: [Lane::ZERO; J],
        bins: [[Places::FIRST; J]; 3],
    };
}

impl Kernel<'_, '_> {
    /// Some requests, at servers with limited room or not.
    #[inline(always)]
    pub fn requests<const LIMITED: bool, const MEASURED: bool>(
        &mut self,
        r: &mut Registers,
        steps: u32,
    ) {
        let mut left = steps as usize;
        let (mut first, mut second) = (Rows::<AHEAD>::NONE, Rows::<AHEAD>::NONE);
        let (mut these, mut next) = (&mut first, &mut second);
        let mut uncounted = false;
        if left >= AHEAD {
            for j in 0..rows::<AHEAD>() {
                self.draw_words(r.step, these, j);
            }
        }
        while left >= AHEAD {
            self.several::<AHEAD, LIMITED, MEASURED>(r, these, next, uncounted);
            uncounted = MEASURED;
            std::mem::swap(&mut these, &mut next);
            left -= AHEAD;
        }
        if uncounted {
            for j in 0..rows::<AHEAD>() {
                self.count(next, j);
            }
        }
        let (mut one, mut none) = (Rows::<1>::NONE, Rows::<1>::NONE);
        for _ in 0..left {
            self.draw_words(r.step, &mut one, 0);
            self.several::<1, LIMITED, MEASURED>(r, &mut one, &mut none, false);
            if MEASURED {
                self.count(&one, 0);
            }
        }
    }

    /// The next `J` requests. Their random words have been drawn; those of the `J` after them are drawn on the way, and
    /// the `J` before them counted, which `next` still holds: both keep the processor busy while it waits for workloads.
    #[inline(always)]
    fn several<const J: usize, const LIMITED: bool, const MEASURED: bool>(
        &mut self,
        r: &mut Registers,
        these: &mut Rows<J>,
        next: &mut Rows<J>,
        uncounted: bool,
    ) {
        self.arrivals(r, these);
        self.sizes(r, these);
        self.choices(these);
        let after = r.step.wrapping_add(J as u32);
        for j in 0..rows::<J>() {
            if MEASURED && uncounted {
                self.count(next, j);
            }
            self.accept::<J, LIMITED>(r, these, j);
            self.draw_words(after, next, j);
        }
        self.depart::<J, LIMITED, MEASURED>(r, these);
    }

    /// The random words of the j-th request from `step` on.
    #[inline(always)]
    fn draw_words<const J: usize>(&self, step: u32, these: &mut Rows<J>, j: usize) {
        let drawn = draw(self.key, step.wrapping_add(j as u32), &self.replicas, 0);
        for word in 0..4 {
            these.words[word][j] = drawn[word];
        }
    }

    /// When the requests arrive.
    #[inline(always)]
    fn arrivals<const J: usize>(&self, r: &mut Registers, these: &mut Rows<J>) {
        self.exponentials(r.step, 0, &these.words[0], &mut these.now);
        let [mantissa, shift] = [param::GAP_MANTISSA, param::GAP_SHIFT].map(|at| self.param(at));
        let sweep = self.param(param::SWEEP);
        // Copies, so that they stay in registers for the loop.
        let (mut clock, mut place) = (r.clock, r.place);
        for j in 0..rows::<J>() {
            let gap = scaled_gap(&even_odd(&these.now[j]), mantissa, shift);
            place += 1;
            let now = clock.advance(&gap, place == sweep);
            if place == sweep {
                place = 0;
            }
            these.now[j] = now;
        }
        r.clock = clock;
    }

    /// Sizes before they are multiplied by the factor of a server.
    #[inline(always)]
    fn sizes<const J: usize>(&self, r: &Registers, these: &mut Rows<J>) {
        match self.param(param::SERVICE_LAW) as usize {
            law::EXPONENTIAL => {
                self.exponentials(r.step, 2, &these.words[2], &mut these.sizes);
            }
            law::CONSTANT => these.sizes = [Lane::all(self.param(param::SERVICE_RAW)); J],
            _ => self.by_table(r.step, &these.words[2], &mut these.sizes),
        }
    }

    /// The same by the table of a quantile function.
    #[inline(never)]
    fn by_table(&self, step: u32, words: &[Lane], sizes: &mut [Lane]) {
        let table = &self.tables[self.param(param::SERVICE_AT) as usize..];
        for (j, (words, sizes)) in words.iter().zip(sizes).enumerate() {
            for i in 0..LANES {
                let low = if quantile_is_short(words[i]) {
                    self.more(step.wrapping_add(j as u32), 2, i)
                } else {
                    MIDPOINT
                };
                sizes[i] = ((quantile(table, words[i], low) + (1 << 31)) >> 32) as u32;
            }
        }
    }

    /// Exponentials from the words at a place of consecutive requests, in units of 2^-26.
    #[inline(always)]
    fn exponentials<const J: usize>(
        &self,
        step: u32,
        place: usize,
        words: &[Lane; J],
        found: &mut [Lane; J],
    ) {
        let mut shortest = Lane::all(u32::MAX);
        for j in 0..rows::<J>() {
            found[j] = exponential_row(&self.cells, &words[j]);
            for i in 0..LANES {
                shortest[i] = shortest[i].min(words[j][i]);
            }
        }
        let mut least = u32::MAX;
        for i in 0..LANES {
            least = least.min(shortest[i]);
        }
        if least < SHORT_WORD {
            self.lengthen(step, place, words, found);
        }
    }

    /// The same where a word is so small that it needs more bits.
    #[cold]
    #[inline(never)]
    fn lengthen(&self, step: u32, place: usize, words: &[Lane], found: &mut [Lane]) {
        let table = &self.tables[..EXPONENTIAL_TABLE_WORDS];
        for (j, (words, found)) in words.iter().zip(found).enumerate() {
            for i in 0..LANES {
                if words[i] < SHORT_WORD {
                    let more = self.more(step.wrapping_add(j as u32), place, i);
                    found[i] = exponential(table, words[i], more);
                }
            }
        }
    }

    /// The stream and server of each request, and sizes at servers of their own speed.
    #[inline(always)]
    fn choices<const J: usize>(&self, these: &mut Rows<J>) {
        let servers = self.param(param::SERVERS) as usize;
        let shift = self.param(param::FACTOR_SHIFT) & 63;
        let half_unit = (1u64 << shift) >> 1;
        for j in 0..rows::<J>() {
            let stream = self.stream(&these.words[1][j]);
            let [server, factor] = self.route(&stream, &these.words[3][j]);
            these.places[j] = Places::new(servers, &server);
            let (mut sizes, factors) = (even_odd(&these.sizes[j]), even_odd(&factor));
            for half in 0..2 {
                for k in 0..LANES / 2 {
                    let product = sizes[half][k] * factors[half][k] + half_unit;
                    sizes[half][k] = (product >> shift).min(u64::from(RANGE));
                }
            }
            these.sizes[j] = low_words(&sizes);
            these.streams[j] = stream;
            these.servers[j] = server;
        }
    }

    /// Brings one time that may be long past up to now.
    #[inline(always)]
    fn refresh(&mut self, r: &mut Registers, now: &Lane) {
        if r.place < self.param(param::REFRESHED) {
            let at = (self.param(param::SERVERS_AT) + r.place) as usize;
            self.group.state[at] = refreshed(&self.group.state[at], now);
        }
        r.place += 1;
        if r.place == self.param(param::SWEEP) {
            r.place = 0;
        }
    }

    /// One request joins its server.
    #[inline(always)]
    fn accept<const J: usize, const LIMITED: bool>(
        &mut self,
        r: &mut Registers,
        these: &mut Rows<J>,
        j: usize,
    ) {
        let at = self.param(param::SERVERS_AT) as usize;
        let (now, size) = (these.now[j], these.sizes[j]);
        self.refresh(r, &now);
        let until = pick_at(&self.group.state[at..], &these.places[j]);
        let (mut delay, mut then) = (Lane::ZERO, Lane::ZERO);
        for i in 0..LANES {
            let wait = (until[i].wrapping_sub(now[i]) as i32).max(0) as u32;
            delay[i] = (wait + size[i]).min(RANGE);
            then[i] = now[i].wrapping_add(delay[i]);
        }
        if LIMITED {
            these.rejected[j] = self.reject(these, j, &until, &mut delay, &mut then);
        }
        put_at(&mut self.group.state[at..], &these.places[j], &then);
        these.delays[j] = delay;
    }

    /// Where the room of the server is full, the request changes nothing and has no delay: returns 1 there.
    #[inline(always)]
    fn reject<const J: usize>(
        &mut self,
        these: &Rows<J>,
        j: usize,
        until: &Lane,
        delay: &mut Lane,
        then: &mut Lane,
    ) -> Lane {
        let (room, now, server) = (self.param(param::ROOM), &these.now[j], &these.servers[j]);
        let heads_at = self.param(param::HEAD_AT) as usize;
        let ring_at = self.param(param::RING_AT) as usize;
        let ring_rows = (room * self.param(param::SERVERS)) as usize;
        let mut head = pick_at(&self.group.state[heads_at..], &these.places[j]);
        let mut slot = Lane::ZERO;
        for i in 0..LANES {
            slot[i] = server[i].wrapping_mul(room).wrapping_add(head[i]);
        }
        let slots = Places::new(ring_rows, &slot);
        let mut oldest = pick_at(&self.group.state[ring_at..], std::hint::black_box(&slots));
        let mut rejected = Lane::ZERO;
        for i in 0..LANES {
            let full = (oldest[i].wrapping_sub(now[i]) as i32) > 0;
            then[i] = if full { until[i] } else { then[i] };
            oldest[i] = if full { oldest[i] } else { then[i] };
            delay[i] = if full { 0 } else { delay[i] };
            let next = if head[i] + 1 == room { 0 } else { head[i] + 1 };
            head[i] = if full { head[i] } else { next };
            rejected[i] = u32::from(full);
        }
        put_at(&mut self.group.state[ring_at..], &slots, &oldest);
        put_at(&mut self.group.state[heads_at..], &these.places[j], &head);
        rejected
    }

    /// The end of requests: what they are remembered by, and where `count` will count them.
    #[inline(always)]
    fn depart<const J: usize, const LIMITED: bool, const MEASURED: bool>(
        &mut self,
        r: &mut Registers,
        these: &mut Rows<J>,
    ) {
        let mut seen = r.seen;
        for j in 0..rows::<J>() {
            for i in 0..LANES {
                seen[i] |= these.delays[j][i];
            }
        }
        r.seen = seen;
        if MEASURED {
            r.sums.add(&these.delays);
            let bits = self.param(param::BIN_BITS);
            let (streams_at, streams) =
                (self.param(param::STREAM_BINS), self.param(param::STREAMS));
            let (servers_at, servers) =
                (self.param(param::SERVER_BINS), self.param(param::SERVERS));
            // One row of counts is not for bins.
            let past = self.group.counts.len().saturating_sub(1);
            for j in 0..rows::<J>() {
                let (mut delay, mut stream, mut server) = (Lane::ZERO, Lane::ZERO, Lane::ZERO);
                for i in 0..LANES {
                    let rejected = if LIMITED { these.rejected[j][i] } else { 0 };
                    let bin = log_linear_bin(these.delays[j][i], bits);
                    delay[i] = if rejected == 1 { u32::MAX } else { bin };
                    stream[i] = streams_at + these.streams[j][i] + streams * rejected;
                    server[i] = servers_at + these.servers[j][i] + servers * rejected;
                }
                these.bins[0][j] = Places::new(past, &delay);
                these.bins[1][j] = Places::new(past, &stream);
                these.bins[2][j] = Places::new(past, &server);
            }
        }
        if let Some(trace) = &mut self.group.trace {
            for delay in &these.delays {
                trace.push(std::array::from_fn(|i| delay[i] as i32));
            }
        }
        r.step = r.step.wrapping_add(J as u32);
    }

    /// Counts the j-th of requests on their way out. With a fixed route the server follows from the stream.
    #[inline(always)]
    fn count<const J: usize>(&mut self, these: &Rows<J>, j: usize) {
        count_at(self.group.counts, &these.bins[0][j]);
        count_at(self.group.counts, &these.bins[1][j]);
        if self.param(param::ROUTE) != route::FIXED as u32 {
            count_at(self.group.counts, &these.bins[2][j]);
        }
    }
}

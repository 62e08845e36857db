//! The CPU kernel of `farm` for servers with connections: sixteen replicas, all at the same event.
//!
//! Owns an event of the chain, made uniform: an arrival with probability Lambda / (Lambda + c sum s), else a possible
//! departure, of a server by its speed and one of its c connections: there is a departure if fewer than min(n, c)
//! connections come before it. Events without a departure count, too: means over events are means over time.

use super::kernel::{Kernel, Registers};
use super::words::{param, route};
use crate::engine::{LANES, Lane, count, draw, pick, put};

impl Kernel<'_, '_> {
    /// Some events.
    #[inline(always)]
    pub fn events<const MEASURED: bool>(&mut self, r: &mut Registers, steps: u32) {
        for _ in 0..steps {
            self.event::<MEASURED>(r);
        }
        r.place = r.step % self.param(param::SWEEP).max(1);
    }

    #[inline(always)]
    fn event<const MEASURED: bool>(&mut self, r: &mut Registers) {
        let words = draw(self.key, r.step, &self.replicas, 0);
        let (low, high) = (
            self.param(param::ARRIVAL_LOW),
            self.param(param::ARRIVAL_HIGH),
        );
        let stream = self.stream(&words[1]);
        let [towards, _] = self.route(&stream, &words[2]);
        let leaving = self.server_by_speed(&words[1]);
        let (mut arrives, mut server) = (Lane::ZERO, Lane::ZERO);
        for i in 0..LANES {
            let below = (words[0][i] < high) | (words[0][i] == high) & (words[3][i] < low);
            arrives[i] = u32::from(below);
            server[i] = if below { towards[i] } else { leaving[i] };
        }
        let (room, connections) = (self.param(param::ROOM), self.param(param::CONNECTIONS));
        let at = self.param(param::SERVERS_AT) as usize;
        let rows = at + self.param(param::SERVERS) as usize;
        if MEASURED {
            r.sums.add_present(&r.present);
        }
        let mut requests = pick(&self.group.state[at..rows], &server);
        let (mut accepted, mut present) = (Lane::ZERO, r.present);
        for i in 0..LANES {
            let connection = ((u64::from(words[2][i]) * u64::from(connections)) >> 32) as u32;
            accepted[i] = arrives[i] & u32::from(requests[i] < room);
            let departs = (arrives[i] ^ 1) & u32::from(connection < requests[i]);
            requests[i] = requests[i].wrapping_add(accepted[i]).wrapping_sub(departs);
            present[i] = present[i].wrapping_add(accepted[i]).wrapping_sub(departs);
        }
        put(&mut self.group.state[at..rows], &server, &requests);
        r.present = present;
        if MEASURED {
            let (streams_at, streams) =
                (self.param(param::STREAM_BINS), self.param(param::STREAMS));
            let (servers_at, servers) =
                (self.param(param::SERVER_BINS), self.param(param::SERVERS));
            let (mut by_stream, mut by_server) = (Lane::ZERO, Lane::ZERO);
            for i in 0..LANES {
                let rejected = arrives[i] ^ accepted[i];
                let none = arrives[i].wrapping_sub(1);
                by_stream[i] = (streams_at + stream[i] + streams * rejected) | none;
                by_server[i] = (servers_at + server[i] + servers * rejected) | none;
            }
            count(self.group.counts, &by_stream);
            if self.param(param::ROUTE) != route::FIXED as u32 {
                count(self.group.counts, &by_server);
            }
        }
        if let Some(trace) = &mut self.group.trace {
            trace.push(std::array::from_fn(|i| r.present[i] as i32));
        }
        r.step = r.step.wrapping_add(1);
    }
}

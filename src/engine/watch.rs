//! Progress for those who look, and a way to stop.
//!
//! Owns the two counters that engines and those who wait for them share. Does not print.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Why everything is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Stop {
    /// Somebody asked for it (SIGINT).
    Interrupt = 1,
    /// The system or its scheduler did (SIGTERM).
    Terminate = 2,
    /// The time that was given is over.
    TimeLimit = 3,
    /// What is done cannot be kept.
    Storage = 4,
}

/// Steps done, and whether somebody asked to stop.
#[derive(Debug)]
pub struct Watch {
    /// Steps of the whole, then those of ever smaller parts, down to those that came through this handle.
    steps: Vec<Arc<AtomicU64>>,
    stop: Arc<AtomicU8>,
}

impl Default for Watch {
    fn default() -> Watch {
        Watch {
            steps: vec![Arc::default()],
            stop: Arc::default(),
        }
    }
}

impl Watch {
    /// Nothing done, not stopped.
    pub fn new() -> Watch {
        Watch::default()
    }

    /// A watch for a part of the work: its steps are steps of the whole, and can be taken back.
    pub fn part(&self) -> Watch {
        let mut part = Watch {
            steps: self.steps.clone(),
            stop: Arc::clone(&self.stop),
        };
        part.steps.push(Arc::default());
        part
    }

    /// A watch for work that is no progress, such as a check; it stops with this one.
    pub fn aside(&self) -> Watch {
        Watch {
            stop: Arc::clone(&self.stop),
            ..Watch::default()
        }
    }

    /// Steps of replicas simulated so far, of the whole work.
    pub fn steps(&self) -> u64 {
        self.steps
            .first()
            .map_or(0, |steps| steps.load(Ordering::Relaxed))
    }

    /// Steps of replicas simulated so far in this part of it.
    pub fn own_steps(&self) -> u64 {
        self.steps
            .last()
            .map_or(0, |steps| steps.load(Ordering::Relaxed))
    }

    /// Adds steps of replicas.
    pub fn advance(&self, steps: u64) {
        for counter in &self.steps {
            counter.fetch_add(steps, Ordering::Relaxed);
        }
    }

    /// Takes back all steps of this part: they must be simulated again.
    pub fn take_back(&self) {
        let own = self.own_steps();
        for counter in &self.steps {
            counter.fetch_sub(own, Ordering::Relaxed);
        }
    }

    /// Asks every engine to stop soon. The first reason stands.
    pub fn stop(&self, why: Stop) {
        let _ = (self.stop).compare_exchange(0, why as u8, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) != 0
    }

    /// Why everything is to stop, if it is.
    pub fn reason(&self) -> Option<Stop> {
        let reasons = [
            Stop::Interrupt,
            Stop::Terminate,
            Stop::TimeLimit,
            Stop::Storage,
        ];
        let stop = self.stop.load(Ordering::Relaxed);
        reasons.into_iter().find(|&why| why as u8 == stop)
    }
}

#[cfg(test)]
mod tests {
    use super::{Stop, Watch};

    #[test]
    fn steps_of_a_part_can_be_taken_back_and_those_of_a_check_do_not_count() {
        let watch = Watch::new();
        watch.advance(5);
        let (side, rest) = (watch.part(), watch.part());
        let part = side.part();
        rest.advance(1);
        part.advance(7);
        watch.aside().advance(100);
        assert_eq!(
            (watch.steps(), side.own_steps(), part.own_steps()),
            (13, 7, 7)
        );
        assert_eq!(part.steps(), 13);
        part.take_back();
        part.take_back();
        assert_eq!(
            (watch.steps(), side.own_steps(), part.own_steps()),
            (6, 0, 0)
        );
        assert!(!part.stopped() && part.reason().is_none());
        watch.stop(Stop::TimeLimit);
        watch.stop(Stop::Interrupt);
        assert!(part.stopped() && watch.aside().stopped());
        assert_eq!(part.reason(), Some(Stop::TimeLimit));
    }
}

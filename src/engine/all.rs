//! Device and CPU at once, on different pieces of one list: the device takes waves from its front, the threads of the
//! CPU single pieces from its back, until they meet.
//!
//! Owns who takes what. Both give the same bits, so it decides about time alone. The device is guarded.

use super::{Backend, Cpu, Fault, Guarded, Incident, Watch, Work};
use crate::models::{Model, Tallies};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// A guarded device and the CPU, together.
#[derive(Debug)]
pub struct All {
    device: Guarded,
    cpu: Cpu,
}

/// The pieces that nobody has taken yet.
struct Left(Mutex<Range<usize>>);

impl Left {
    /// One piece from the back.
    fn last(&self) -> Option<usize> {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        left.next_back()
    }

    /// As many from the front as `count` says of those left.
    fn first(&self, count: impl FnOnce(&Range<usize>) -> usize) -> Range<usize> {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = count(&left).min(left.len());
        let taken = left.start..left.start + count;
        left.start = taken.end;
        taken
    }
}

/// How many of `left` pieces the device may take so that both sides end together, when they have done so many steps
/// of replicas so far. While nothing is known only a few, because the device may be the slower one; never the last one.
fn share(left: usize, device: u64, cpu: u64) -> usize {
    if device == 0 || cpu == 0 {
        return (left / 8).max(usize::from(left > 1));
    }
    (left as f64 * (device as f64 / (device as f64 + cpu as f64))) as usize
}

impl All {
    /// A guarded device beside the CPU.
    pub fn new(device: Guarded, cpu: Cpu) -> All {
        All { device, cpu }
    }
}

impl Backend for All {
    fn kind(&self) -> &'static str {
        "gpu+cpu"
    }

    fn adapter(&self) -> String {
        format!("{} and {}", self.device.adapter(), self.cpu.adapter())
    }

    fn driver(&self) -> String {
        self.device.driver()
    }

    fn replicas_per_unit(&self, work: &Work<'_>) -> Result<u32, Fault> {
        self.device.replicas_per_unit(work)
    }

    fn run(
        &mut self,
        model: &Model,
        work: &[Work<'_>],
        watch: &Watch,
        done: &(dyn Fn(usize, Tallies) + Sync),
    ) -> Result<(), Fault> {
        let left = Left(Mutex::new(0..work.len()));
        let ended = AtomicBool::new(false);
        let (by_device, by_cpu) = (watch.part(), watch.part());
        let (device, cpu) = (&mut self.device, &self.cpu);
        let next_wave = |device: &Guarded| {
            left.first(|left| {
                let most = share(left.len(), by_device.own_steps(), by_cpu.own_steps());
                match most {
                    0 => 0,
                    most => device.wave(&work[left.start..left.start + most]),
                }
            })
        };
        // The first wave is taken before the CPU may take anything, so that a short run has one at all.
        let mut wave = match device.given_up() {
            true => 0..0,
            false => next_wave(device),
        };
        std::thread::scope(|scope| {
            let threads = scope.spawn(|| {
                let next = || left.last().filter(|_| !ended.load(Ordering::Relaxed));
                let ran = cpu.run_while(model, work, &by_cpu, &next, done);
                ended.fetch_or(ran.is_err(), Ordering::Relaxed);
                ran
            });
            let mut ran = Ok(());
            while ran.is_ok() && !wave.is_empty() {
                let first = wave.start;
                ran = device.run(model, &work[wave], &by_device, &|index, tallies| {
                    done(first + index, tallies);
                });
                // A device that is given up leaves the rest to the CPU that is at it.
                let over = device.given_up() || ended.load(Ordering::Relaxed);
                wave = if over { 0..0 } else { next_wave(device) };
            }
            ended.fetch_or(ran.is_err(), Ordering::Relaxed);
            let broken = |_| Err(Fault::Host("a thread of the CPU broke off".to_owned()));
            ran.and(threads.join().unwrap_or_else(broken))
        })
    }

    fn final_states(
        &mut self,
        model: &Model,
        work: &Work<'_>,
        watch: &Watch,
    ) -> Result<(Tallies, Vec<u32>), Fault> {
        self.device.final_states(model, work, watch)
    }

    fn incidents(&mut self) -> Vec<Incident> {
        self.device.incidents()
    }
}

#[cfg(test)]
mod tests {
    use super::{Left, share};
    use std::sync::Mutex;

    #[test]
    fn shares_go_by_the_steps_done_and_are_small_before() {
        assert_eq!(share(101, 0, 500), 12);
        assert_eq!(share(2, 0, 0), 1);
        assert_eq!(share(1, 0, 0), 0);
        assert_eq!(share(100, 300, 100), 75);
        assert_eq!(share(1, 300, 100), 0);
        assert_eq!(share(0, 0, 0), 0);
    }

    #[test]
    fn both_ends_meet_and_no_piece_is_taken_twice() {
        let left = Left(Mutex::new(0..10));
        assert_eq!(left.first(|left| left.len() / 2), 0..5);
        assert_eq!(left.last(), Some(9));
        assert_eq!(left.first(|_| 100), 5..9);
        assert_eq!(left.last(), None);
        assert!(left.first(|left| left.len()).is_empty());
    }
}

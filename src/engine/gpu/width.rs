//! How many replicas a wave holds: few enough that it ends soon, many enough to keep the device busy.
//!
//! Owns that number and its adaptation. Pure: knows no units and no wgpu.

use std::time::Duration;

/// What a wave aims to take.
const AIM: Duration = Duration::from_secs(10);
/// Fewest and first replicas of a wave, on a real GPU and on a software adapter.
const REAL: [u32; 2] = [1 << 16, 1 << 18];
const SOFTWARE: [u32; 2] = [1 << 10, 1 << 14];
/// Most: no buffer of 2 GiB holds more than this many states.
const MOST: u32 = 1 << 26;

/// Most replicas of the next wave. A unit that is larger is a wave of its own.
#[derive(Debug, Clone)]
pub struct Width {
    fewest: u32,
    replicas: u32,
    /// Never more than this: the device ran out of memory above.
    most: u32,
    /// Replicas of the wave that was begun last.
    tried: u32,
}

impl Width {
    /// Where nothing is known yet but the kind of the device.
    pub fn new(is_gpu: bool) -> Width {
        let [fewest, replicas] = if is_gpu { REAL } else { SOFTWARE };
        Width {
            fewest,
            replicas,
            most: MOST,
            tried: 0,
        }
    }

    /// Most replicas of the next wave.
    pub fn replicas(&self) -> u32 {
        self.replicas
    }

    /// Fewest that keep the device busy.
    pub fn fewest(&self) -> u32 {
        self.fewest
    }

    /// A wave of so many replicas begins.
    pub fn tried(&mut self, replicas: u32) {
        self.tried = replicas;
    }

    /// It ended well after so long.
    pub fn took(&mut self, time: Duration) {
        let factor = (AIM.as_secs_f64() / time.as_secs_f64().max(1e-3)).clamp(0.25, 4.0);
        let fitting = (f64::from(self.tried) * factor) as u32;
        // A wave that ended early for want of work tells nothing about wider ones.
        let full = self.tried >= self.replicas / 2;
        if full || factor < 1.0 {
            let fewest = self.fewest.min(self.most);
            self.replicas = fitting.clamp(fewest, self.most);
        }
    }

    /// It was too large for the memory.
    pub fn halve(&mut self) {
        self.most = (self.tried / 2).max(1);
        self.replicas = self.replicas.min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::{AIM, REAL, Width};

    #[test]
    fn waves_grow_while_they_are_short_and_shrink_to_what_keeps_the_device_busy() {
        let mut width = Width::new(true);
        assert_eq!(width.replicas(), REAL[1]);
        width.tried(REAL[1]);
        width.took(AIM / 100);
        assert_eq!(width.replicas(), 4 * REAL[1]);
        width.tried(4 * REAL[1]);
        width.took(AIM * 2);
        assert_eq!(width.replicas(), 2 * REAL[1]);
        for _ in 0..9 {
            width.tried(width.replicas());
            width.took(AIM * 100);
        }
        assert_eq!(width.replicas(), REAL[0]);
    }

    #[test]
    fn a_narrow_wave_that_was_quick_changes_nothing() {
        let mut width = Width::new(true);
        width.tried(64);
        width.took(AIM / 1_000_000);
        assert_eq!(width.replicas(), REAL[1]);
    }

    #[test]
    fn after_a_lack_of_memory_no_wave_is_wider_than_half_of_the_one_that_failed() {
        let mut width = Width::new(false);
        width.tried(1000);
        width.halve();
        assert_eq!(width.replicas(), 500);
        for _ in 0..9 {
            width.tried(width.replicas());
            width.took(AIM / 100);
        }
        assert_eq!(width.replicas(), 500);
    }
}

//! Every path of a guarded device, on a device that fails as it is told to.
#![allow(clippy::unwrap_used)]

use super::{Accelerator, All, Backend, Cpu, Fault, Guarded, Recording, Stop, Unit, Watch, Work};
use crate::models::{MODELS, Model, Plan, Tallies};
use crate::random::Key;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// What the device does with a wave.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Works,
    IsLost,
    LacksMemory,
    /// One wrong bit in the piece at this place of the wave.
    Errs(usize),
    Forgets,
    IsStopped,
}
use Act::{Errs, Forgets, IsLost, IsStopped, LacksMemory, Works};

/// A device that computes on the CPU, three pieces a wave.
struct Scripted {
    cpu: Cpu,
    acts: VecDeque<Act>,
    wide: usize,
    opens_again: bool,
    /// First replica and pieces of each wave.
    waves: Arc<Mutex<Vec<(u32, usize)>>>,
}

impl Backend for Scripted {
    fn kind(&self) -> &'static str {
        "gpu"
    }
    fn adapter(&self) -> String {
        "a toy".to_owned()
    }
    fn driver(&self) -> String {
        String::new()
    }
    fn replicas_per_unit(&self, _: &Work<'_>) -> Result<u32, Fault> {
        Ok(1 << 20)
    }
    fn run(
        &mut self,
        model: &Model,
        work: &[Work<'_>],
        watch: &Watch,
        done: &(dyn Fn(usize, Tallies) + Sync),
    ) -> Result<(), Fault> {
        let act = self.acts.pop_front().unwrap_or(Works);
        let mut waves = self.waves.lock().unwrap();
        waves.push((work[0].unit.first_replica, work.len()));
        let hand_over = |index: usize, mut tallies: Tallies| {
            if act == Errs(index) {
                tallies.sums[0][1] ^= 1;
            }
            if act != Forgets || index > 0 {
                done(index, tallies);
            }
        };
        self.cpu.run(model, work, watch, &hand_over)?;
        // As a device would that found the wave short.
        self.wide += usize::from(matches!(act, Errs(_)));
        match act {
            IsLost => Err(Fault::Device {
                what: "device lost",
                device: self.adapter(),
                detail: "told to".to_owned(),
                remedy: "",
            }),
            LacksMemory => Err(Fault::Memory {
                device: self.adapter(),
                detail: "told to".to_owned(),
            }),
            IsStopped => {
                watch.stop(Stop::Interrupt);
                Err(Fault::Stopped)
            }
            _ => Ok(()),
        }
    }
    fn final_states(
        &mut self,
        _: &Model,
        _: &Work<'_>,
        _: &Watch,
    ) -> Result<(Tallies, Vec<u32>), Fault> {
        Err(Fault::Stopped)
    }
}

impl Accelerator for Scripted {
    fn wave(&self, work: &[Work<'_>]) -> usize {
        self.wide.min(work.len())
    }
    fn fewest_replicas(&self, _: &Work<'_>) -> u32 {
        256
    }
    fn recover(&mut self, fault: &Fault) -> Result<(), Fault> {
        if matches!(fault, Fault::Memory { .. }) {
            self.wide = (self.wide / 2).max(1);
        }
        let again = Fault::Device {
            what: "cannot open the device",
            device: "a toy".to_owned(),
            detail: "told so".to_owned(),
            remedy: "",
        };
        self.opens_again.then_some(()).ok_or(again)
    }
}

/// Nine pieces of eight replicas each.
fn work(plan: &Plan) -> Vec<Work<'_>> {
    let piece = |index: u32| Work {
        plan,
        key: Key { seed: 5, stream: 0 },
        unit: Unit {
            point: 0,
            batch: index / 2,
            first_replica: 8 * index,
            replicas: 8,
        },
        recording: Recording::default(),
    };
    (0..9).map(piece).collect()
}

/// What a guarded device did with the pieces.
struct Seen {
    ended: Result<(), Fault>,
    /// How many pieces were handed over; those that were are right, and came once.
    pieces: usize,
    waves: Vec<(u32, usize)>,
    incidents: Vec<String>,
    steps: u64,
    given_up: bool,
}

fn run_with(rate: f64, acts: &[Act], opens_again: bool) -> Seen {
    let model = MODELS[0];
    let plan = (model.plan)(&(model.parity_grid)()[0]).unwrap();
    let work = work(&plan);
    let collect = |backend: &mut dyn Backend, watch: &Watch| {
        let all = Mutex::new(vec![None; work.len()]);
        let ended = backend.run(model, &work, watch, &|index, tallies| {
            assert_eq!(all.lock().unwrap()[index].replace(tallies), None);
        });
        (ended, all.into_inner().unwrap())
    };
    let (_, right) = collect(&mut Cpu::new(1).unwrap(), &Watch::new());
    let waves = Arc::default();
    let device = Scripted {
        cpu: Cpu::new(1).unwrap(),
        acts: acts.iter().copied().collect(),
        wide: 3,
        opens_again,
        waves: Arc::clone(&waves),
    };
    let mut guarded = Guarded::new(Box::new(device), Cpu::new(1).unwrap(), rate);
    let watch = Watch::new();
    let (ended, found) = collect(&mut guarded, &watch);
    let came = found.iter().flatten().count();
    for (right, found) in right.iter().zip(&found) {
        assert!(found.is_none() || right == found);
    }
    let waves = waves.lock().unwrap().clone();
    let steps = watch.steps() / u64::from(plan.end());
    Seen {
        ended,
        pieces: came,
        waves,
        incidents: guarded
            .incidents()
            .iter()
            .map(ToString::to_string)
            .collect(),
        steps,
        given_up: guarded.given_up(),
    }
}

/// The same with checks of single pieces, on a device that opens again; it must end well, with every replica counted once.
fn run(acts: &[Act]) -> Seen {
    let seen = run_with(1e-9, acts, true);
    assert!(seen.ended.is_ok());
    assert_eq!((seen.pieces, seen.steps), (9, 72));
    seen
}

#[test]
fn a_device_that_works_gets_everything_and_there_is_nothing_to_tell() {
    let seen = run(&[]);
    assert_eq!(seen.waves, [(0, 3), (24, 3), (48, 3)]);
    assert!(seen.incidents.is_empty());
}

#[test]
fn a_wave_that_is_lost_is_redone_on_the_device_and_earlier_ones_are_kept() {
    let seen = run(&[Works, IsLost]);
    assert_eq!(seen.waves, [(0, 3), (24, 3), (24, 3), (48, 3)]);
    assert_eq!(
        seen.incidents,
        [
            "point 0, batch 1, replicas 24-31 and 2 units after them: device lost on a toy (told to); redone on the same device"
        ]
    );
}

#[test]
fn after_a_lack_of_memory_waves_are_half_as_wide() {
    let seen = run(&[LacksMemory]);
    assert_eq!(seen.waves[..3], [(0, 3), (0, 1), (8, 1)]);
    assert!(
        seen.incidents[0].contains("out of device memory on a toy (told to); redone on the same")
    );
}

#[test]
fn a_wave_that_is_lost_twice_is_redone_on_the_cpu_and_the_device_gets_the_next() {
    let seen = run(&[IsLost, IsLost]);
    assert_eq!(seen.waves, [(0, 3), (0, 3), (24, 3), (48, 3)]);
    assert_eq!(seen.incidents.len(), 2);
    assert!(
        seen.incidents
            .iter()
            .all(|line| line.ends_with("; redone on the CPU"))
    );
    assert!(!seen.given_up);
}

#[test]
fn a_device_that_fails_three_times_in_a_row_is_given_up() {
    let seen = run(&[IsLost, IsLost, IsLost]);
    assert_eq!(seen.waves, [(0, 3), (0, 3), (24, 3)]);
    assert_eq!(seen.incidents.len(), 3);
    assert!(seen.incidents[2].ends_with("the device is given up"));
    assert!(seen.given_up);
}

#[test]
fn failures_that_are_not_in_a_row_do_not_add_up() {
    let seen = run(&[IsLost, Works, IsLost, Works, IsLost, Works]);
    assert_eq!(seen.waves.len(), 6);
    assert!(!seen.given_up);
}

#[test]
fn a_device_that_does_not_open_again_is_given_up() {
    let seen = run_with(0.0, &[Works, IsLost], false);
    assert!(seen.ended.is_ok() && seen.given_up);
    assert_eq!((seen.pieces, seen.waves.len()), (9, 2));
    assert_eq!(seen.incidents.len(), 2);
    assert!(
        seen.incidents[1]
            .starts_with("cannot open the device on a toy (told so); redone on the CPU")
    );
}

#[test]
fn a_wrong_answer_voids_the_wave_which_is_redone() {
    let seen = run(&[Works, Errs(0)]);
    assert_eq!(seen.waves, [(0, 3), (24, 3), (24, 3), (48, 3)]);
    let line = &seen.incidents[0];
    assert!(
        line.starts_with("point 0, batch 1, replicas 24-31: a wrong answer on a toy (sum of"),
        "{line}"
    );
    assert!(
        line.ends_with("on the device); redone on the same device"),
        "{line}"
    );
}

#[test]
fn a_device_that_is_always_wrong_is_given_up_and_nothing_of_it_is_kept() {
    let seen = run(&[Errs(0); 9]);
    assert_eq!((seen.waves.len(), seen.incidents.len()), (3, 3));
}

#[test]
fn every_piece_is_checked_when_asked_and_none_when_not() {
    let seen = run_with(1.0, &[Errs(2)], true);
    assert_eq!((seen.waves.len(), seen.incidents.len()), (4, 1));
    assert!(seen.incidents[0].contains("replicas 16-23: a wrong answer"));
    // Its twin: the comparison of all pieces is what fails here.
    let unchecked = std::panic::catch_unwind(|| run_with(0.0, &[Errs(2)], true));
    assert!(unchecked.is_err());
}

#[test]
fn a_wave_that_comes_back_in_part_is_redone() {
    let seen = run(&[Forgets]);
    assert_eq!(seen.waves.len(), 4);
    assert!(seen.incidents[0].contains("missing answers"));
}

#[test]
fn a_stop_during_a_redo_ends_the_run_and_says_what_was_not_redone() {
    let seen = run_with(0.01, &[Works, IsLost, IsStopped], true);
    assert!(matches!(seen.ended, Err(Fault::Stopped)));
    assert_eq!(seen.pieces, 3);
    assert!(seen.incidents[0].ends_with("the run ended before it was redone"));
}

#[test]
fn units_suit_the_cpu_but_not_less_than_the_device_needs() {
    let model = MODELS[0];
    let plan = (model.plan)(&(model.parity_grid)()[0]).unwrap();
    let device = Scripted {
        cpu: Cpu::new(1).unwrap(),
        acts: VecDeque::new(),
        wide: 3,
        opens_again: true,
        waves: Arc::default(),
    };
    let guarded = Guarded::new(Box::new(device), Cpu::new(1).unwrap(), 0.0);
    let size = |plan: &Plan| guarded.replicas_per_unit(&work(plan)[0]).unwrap();
    let mut long = plan.clone();
    long.halves = [1 << 30; 2];
    assert_eq!(size(&long), 256);
    let short = size(&plan);
    assert!(short > 256 && short.is_multiple_of(64), "{short}");
}

#[test]
fn a_device_and_the_cpu_share_the_pieces_and_each_has_some_whatever_happens() {
    let model = MODELS[0];
    let plan = (model.plan)(&(model.parity_grid)()[0]).unwrap();
    let work = work(&plan);
    let tallies = |backend: &mut dyn Backend, watch: &Watch| {
        let all = Mutex::new(vec![None; work.len()]);
        let ended = backend.run(model, &work, watch, &|index, tallies| {
            assert_eq!(all.lock().unwrap()[index].replace(tallies), None);
        });
        ended.unwrap();
        all.into_inner().unwrap()
    };
    let right = tallies(&mut Cpu::new(1).unwrap(), &Watch::new());
    for acts in [&[][..], &[IsLost], &[Errs(0); 3]] {
        let waves = Arc::default();
        let device = Scripted {
            cpu: Cpu::new(1).unwrap(),
            acts: acts.iter().copied().collect(),
            wide: 3,
            opens_again: true,
            waves: Arc::clone(&waves),
        };
        let guarded = Guarded::new(Box::new(device), Cpu::new(1).unwrap(), 0.01);
        let mut all = All::new(guarded, Cpu::new(2).unwrap());
        let watch = Watch::new();
        assert_eq!(tallies(&mut all, &watch), right);
        assert_eq!(watch.steps(), 72 * u64::from(plan.end()));
        // Replicas of the last piece are the CPU's, always.
        let waves = waves.lock().unwrap();
        assert!(
            !waves.is_empty()
                && waves
                    .iter()
                    .all(|&(first, pieces)| first + 8 * (pieces as u32) < 72)
        );
        assert_eq!(all.incidents().is_empty(), acts.is_empty());
    }
}

//! A point of `redundancy`, understood and checked, in real numbers.
//!
//! Owns what needs more than one parameter to be judged. How it becomes integers is in plan.rs.

use super::clock::{self, Clock};
use super::few::MOST_COPIES;
use super::law::Law;
use super::parameters::MOST_FORKED;
use super::service::{self, Service};
use super::stability;
use crate::models::{Point, Problem};
use crate::theory::redundancy::System;

/// A point, understood and checked.
#[derive(Debug)]
pub(super) struct Job {
    /// N.
    pub servers: u32,
    /// Copies that play a part: 1 with policy "random".
    pub copies: u32,
    /// k.
    pub needed: u32,
    pub start_cancels: bool,
    pub identical: bool,
    pub service: Service,
    pub arrivals: Law,
    pub speeds: Vec<f64>,
    pub arrival_rate: f64,
    pub stationary: bool,
    pub unstable: bool,
    pub bin_bits: u32,
    /// The exact law, where the system has one.
    pub law: Option<System>,
}

impl Job {
    /// Reads and checks a point.
    pub fn of(point: &Point) -> Result<Job, Problem> {
        let servers = point.number("servers") as u32;
        let asked = point.number("copies") as u32;
        if asked > servers {
            return Err(Problem::new(
                "copies",
                format!("{asked} copies need as many distinct servers, and there are {servers}"),
            ));
        }
        let policy = point.word("policy");
        let copies = if policy == "random" { 1 } else { asked };
        let needed = point.number("needed") as u32;
        let forks = policy == "fork_join";
        if !forks && needed != 1 {
            return Err(Problem::new(
                "needed",
                "more than one copy is needed only with policy = \"fork_join\"",
            ));
        }
        if forks && copies > MOST_FORKED {
            return Err(Problem::new(
                "copies",
                format!("at most {MOST_FORKED} with policy = \"fork_join\""),
            ));
        }
        if needed > copies {
            return Err(Problem::new(
                "needed",
                format!("{needed} of {copies} copies cannot complete; at most {copies}"),
            ));
        }
        let speeds = speeds(point, servers)?;
        let load = point.number("load");
        service::check_used(point)?;
        let service = Service::of(point)?;
        let arrivals = service::arrivals(point)?;
        let exponential = matches!(service, Service::Law(Law::Exponential));
        let identical = point.word("copies_are") == "identical" && copies > 1;
        let start_cancels = policy == "cancel_on_start" && copies > 1;
        let lost = stability::lost(&stability::System {
            servers,
            copies,
            load,
            needed,
            start_cancels,
            identical,
            exponential,
            service: &service,
            speeds: &speeds,
        });
        let unstable = lost.is_some();
        if let Some(problem) = lost.filter(|_| !point.flag("allow_unstable")) {
            return Err(problem);
        }
        let known = exponential && needed == 1 && !start_cancels && !identical && speeds.len() == 1;
        let law = System::new(servers, copies, load)
            .filter(|_| known && matches!(arrivals, Law::Exponential));
        let stationary = point.word("start") == "stationary";
        if stationary && law.is_none() {
            return Err(Problem::new(
                "start",
                "the stationary law is known only below a load of 1 for exponential sizes, independent copies that the first completion cancels (or one server a job), Poisson arrivals and equal speeds; use start = \"empty\" and a warm-up",
            ));
        }
        let bins = point.number("bins_an_octave") as u32;
        if !bins.is_power_of_two() {
            return Err(Problem::new(
                "bins_an_octave",
                format!("{bins} is not a power of two: 1, 2, 4, ... 1024"),
            ));
        }
        let total: f64 = if speeds.len() == 1 {
            speeds[0] * f64::from(servers)
        } else {
            speeds.iter().sum()
        };
        Ok(Job {
            servers,
            copies,
            needed,
            start_cancels,
            identical,
            service,
            arrivals,
            arrival_rate: load * total,
            speeds,
            stationary,
            unstable,
            bin_bits: bins.trailing_zeros(),
            law,
        })
    }

    /// Whether a job has more copies than registers hold.
    pub fn is_many(&self) -> bool {
        self.copies as usize > MOST_COPIES
    }

    /// Whether servers are drawn in an order kept in the state.
    pub fn has_order(&self) -> bool {
        self.is_many() && self.copies < self.servers
    }

    /// The clock, with a given number of fraction bits if there is one.
    pub fn clock(&self, fraction_bits: Option<u32>) -> Result<Clock, Problem> {
        let slowest = self.speeds.iter().copied().fold(f64::INFINITY, f64::min);
        let longest_phase = match &self.arrivals {
            Law::Hyperexponential { weights, rates } => {
                let mean = weights[0] / rates[0] + weights[1] / rates[1];
                1.0 / (rates[0].min(rates[1]) * mean)
            }
            _ => 1.0,
        };
        // A single speed other than 1 only changes the unit of time; the law is that of speed 1.
        let chosen = clock::choose(&clock::Needs {
            servers: self.servers,
            arrival_rate: self.arrival_rate,
            longest_phase,
            law: self.law.as_ref().filter(|_| self.speeds == [1.0]),
            largest_size: self.service.largest() / slowest,
        });
        let Some(chosen) = chosen else {
            return Err(Problem::new(
                "load",
                "no clock of 32 bits holds both the shortest and the longest times of this system; bring load, speeds and the largest size closer together",
            ));
        };
        Ok(Clock {
            bits: fraction_bits.unwrap_or(chosen.bits),
            ..chosen
        })
    }
}

fn speeds(point: &Point, servers: u32) -> Result<Vec<f64>, Problem> {
    let speeds = point.numbers("speeds");
    let equal = speeds.iter().all(|speed| *speed == speeds[0]);
    if speeds.len() != 1 && speeds.len() != servers as usize {
        return Err(Problem::new(
            "speeds",
            format!(
                "{} speeds for {servers} servers; give one number, or one a server",
                speeds.len()
            ),
        ));
    }
    Ok(if equal { vec![speeds[0]] } else { speeds })
}

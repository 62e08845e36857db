//! Incidents: what went wrong on a device and how it was mended, one line each.
//!
//! Owns the wording. Who records it, and where, is not known here.

use super::{Fault, Unit};

/// Something that went wrong and was mended. It is no part of the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incident {
    /// The unit, or the first of those that were being simulated together.
    pub unit: Option<Unit>,
    /// How many more units were being simulated with it.
    pub others: usize,
    /// What went wrong.
    pub what: String,
    /// How it was mended.
    pub remedy: String,
}

impl std::fmt::Display for Incident {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(unit) = &self.unit {
            let last = u64::from(unit.first_replica) + u64::from(unit.replicas).max(1) - 1;
            write!(
                f,
                "point {}, batch {}, replicas {}-{last}",
                unit.point, unit.batch, unit.first_replica
            )?;
            match self.others {
                0 => {}
                1 => write!(f, " and 1 unit after them")?,
                others => write!(f, " and {others} units after them")?,
            }
            write!(f, ": ")?;
        }
        write!(f, "{}; {}", self.what, self.remedy)
    }
}

/// A fault of a device in one line, without what to try.
pub(super) fn in_one_line(fault: &Fault) -> String {
    let text = match fault {
        Fault::Device {
            what,
            device,
            detail,
            ..
        } => format!("{what} on {device} ({detail})"),
        Fault::Memory { device, detail } => format!("out of device memory on {device} ({detail})"),
        other => other.to_string(),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Incident, in_one_line};
    use crate::engine::{Fault, Unit};

    #[test]
    fn an_incident_is_one_line_that_says_where_what_and_how_it_was_mended() {
        let mut incident = Incident {
            unit: Some(Unit {
                point: 3,
                batch: 7,
                first_replica: 448,
                replicas: 64,
            }),
            others: 0,
            what: in_one_line(&Fault::Device {
                what: "device lost",
                device: "NVIDIA H200".to_owned(),
                detail: "a driver\n  said so".to_owned(),
                remedy: "run again",
            }),
            remedy: "redone on the same device".to_owned(),
        };
        assert_eq!(
            incident.to_string(),
            "point 3, batch 7, replicas 448-511: device lost on NVIDIA H200 (a driver said so); redone on the same device"
        );
        incident.others = 2;
        assert!(
            incident
                .to_string()
                .contains("448-511 and 2 units after them: ")
        );
        incident.unit = None;
        assert!(incident.to_string().starts_with("device lost on"));
    }
}

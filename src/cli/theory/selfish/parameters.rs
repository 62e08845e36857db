//! The parameters of `queuefarm theory selfish`.
//!
//! Owns their names, defaults and checks. Does not own what is computed from them.

use crate::cli::Failure;
use crate::experiment::{plain, suggestion};
use crate::theory::selfish::{COSTS, Cost, Mixed, Occupancy};
use std::collections::BTreeMap;

const KEYS: [&str; 11] = [
    "servers",
    "streams",
    "load",
    "cost",
    "power",
    "service_scv",
    "room",
    "connections",
    "exponent",
    "table_load",
    "table_cost",
];

/// The parameters that each of [`COSTS`] has.
const OF_COST: [&[&str]; 7] = [
    &["power"],
    &[],
    &["service_scv"],
    &["room"],
    &["connections"],
    &["exponent"],
    &["table_load", "table_cost"],
];

/// What is asked for: equal streams on equal servers.
pub(super) struct Parameters {
    pub servers: u32,
    pub streams: u32,
    pub load: f64,
    pub cost: Cost,
    pub mixed: Mixed,
}

/// What was set, each key once, and complaints about the rest.
struct Given {
    values: BTreeMap<&'static str, String>,
    complaints: Vec<String>,
}

/// Reads the parameters, and complains about all that is wrong with them.
pub(super) fn read(set: &[String]) -> Result<Parameters, Failure> {
    let mut given = Given::read(set);
    let servers = given.whole("servers", None, 1, 100_000);
    let most = servers.map_or(100_000, Occupancy::most_balls);
    let streams = given.whole("streams", servers, 1, most);
    let load = given.number("load", 0.5, 1e-300, 1e6, "above 0, up to 1e6");
    let cost = given.cost();
    if let (Some(servers), Some(load), Some(cost)) = (servers, load, &cost) {
        given.check_largest(servers, load, cost);
    }
    let (Some(servers), Some(streams), Some(load), Some(cost), true) =
        (servers, streams, load, cost, given.complaints.is_empty())
    else {
        return Err(Failure::Usage(given.complaints.join("\n")));
    };
    let mixed = Mixed::new(servers, streams, load).ok_or_else(|| {
        Failure::Usage("this farm is too large; fewer streams, please".to_owned())
    })?;
    Ok(Parameters {
        servers,
        streams,
        load,
        cost,
        mixed,
    })
}

impl Given {
    fn read(set: &[String]) -> Given {
        let mut given = Given {
            values: BTreeMap::new(),
            complaints: Vec::new(),
        };
        for argument in set {
            if let Err(what) = given.add(argument) {
                let argument = plain(argument);
                given.complaints.push(format!("--set {argument}: {what}"));
            }
        }
        given
    }

    fn add(&mut self, argument: &str) -> Result<(), String> {
        let (key, value) = argument
            .split_once('=')
            .ok_or("expected key=value\n    for example --set load=0.5")?;
        let key = key.trim();
        let key = key.strip_prefix("parameters.").unwrap_or(key);
        let known = KEYS.iter().find(|known| **known == key);
        let known = known.ok_or_else(|| format!("unknown key\n    {}", suggestion(key, &KEYS)))?;
        if self.values.contains_key(known) {
            return Err("this key is set twice\n    keep one of them".to_owned());
        }
        let value = value.trim().trim_matches(['"', '\'']);
        self.values.insert(known, value.to_owned());
        Ok(())
    }

    fn complain<T>(&mut self, key: &str, what: &str) -> Option<T> {
        let value = self.values.get(key).map_or("", String::as_str);
        let value = plain(value);
        self.complaints.push(format!("--set {key}={value}: {what}"));
        None
    }

    fn missing<T>(&mut self, key: &str, example: &str) -> Option<T> {
        let line = format!("missing: {key}\n    for example --set {key}={example}");
        self.complaints.push(line);
        None
    }

    fn number(&mut self, key: &str, default: f64, low: f64, high: f64, range: &str) -> Option<f64> {
        let Some(text) = self.values.get(key) else {
            return Some(default);
        };
        // TOML allows underscores between digits.
        match text.replace('_', "").parse::<f64>() {
            Ok(value) if (low..=high).contains(&value) => Some(value),
            _ => self.complain(key, &format!("expected a number {range}")),
        }
    }

    fn whole(&mut self, key: &str, default: Option<u32>, low: u32, high: u32) -> Option<u32> {
        let Some(text) = self.values.get(key) else {
            return match default {
                Some(value) if value <= high => Some(value),
                Some(value) => {
                    self.complain(key, &format!("{value} is too many here, at most {high}"))
                }
                // Streams are as many as servers: without these there is one complaint already.
                None if key == "streams" => None,
                None => self.missing(key, "10"),
            };
        };
        match text.replace('_', "").parse::<f64>() {
            Ok(value)
                if value.fract() == 0.0 && (f64::from(low)..=f64::from(high)).contains(&value) =>
            {
                Some(value as u32)
            }
            _ => self.complain(
                key,
                &format!("expected a whole number from {low} to {high}"),
            ),
        }
    }

    fn list(&mut self, key: &str) -> Option<Vec<f64>> {
        let Some(text) = self.values.get(key) else {
            return self.missing(key, "[0,0.5,1]");
        };
        let inner = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'));
        let numbers = inner.map(|inner| {
            let items = inner
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty());
            items
                .map(|item| item.replace('_', "").parse::<f64>())
                .collect()
        });
        match numbers {
            Some(Ok(numbers)) => Some(numbers),
            _ => self.complain(key, "expected a list of numbers, for example [0,0.5,1]"),
        }
    }

    fn cost(&mut self) -> Option<Cost> {
        let Some(name) = self.values.get("cost").cloned() else {
            let example = format!("mm1\n    one of {}", COSTS.join(", "));
            return self.missing("cost", &example);
        };
        let Some(which) = COSTS.iter().position(|known| *known == name) else {
            let help = suggestion(&name, &COSTS);
            return self.complain("cost", &format!("unknown cost\n    {help}"));
        };
        for (other, keys) in OF_COST
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != which)
        {
            for key in keys
                .iter()
                .filter(|key| self.values.contains_key(**key))
                .collect::<Vec<_>>()
            {
                let what = format!("only cost={} has it, not {name}", COSTS[other]);
                self.complain::<()>(key, &what);
            }
        }
        match which {
            0 => self
                .number("power", 2.0, 0.0, 50.0, "from 0 to 50")
                .map(Cost::Power),
            1 => Some(Cost::Mm1),
            2 => {
                let scv = self.number("service_scv", 4.0, 0.0, 1e6, "from 0 to 1e6");
                scv.map(|scv| Cost::Mg1 { scv })
            }
            3 => self
                .whole("room", Some(10), 1, 100_000)
                .map(|room| Cost::Mm1k { room }),
            4 => {
                let connections = self.whole("connections", Some(10), 1, 100_000);
                connections.map(|connections| Cost::ErlangB { connections })
            }
            5 => self
                .number("exponent", 1.0, 0.0, 1e6, "from 0 to 1e6")
                .map(Cost::Exponential),
            _ => {
                let (loads, costs) = (self.list("table_load"), self.list("table_cost"));
                match Cost::table(loads?, costs?) {
                    Ok(cost) => Some(cost),
                    Err(what) => {
                        self.complaints
                            .push(format!("table_load, table_cost: {what}"));
                        None
                    }
                }
            }
        }
    }

    /// All streams on one server must not cost more than a number can hold, where the cost is not infinite there.
    fn check_largest(&mut self, servers: u32, load: f64, cost: &Cost) {
        let all = f64::from(servers) * load;
        if cost.capacity() == f64::INFINITY && !cost.at(all).is_finite() {
            self.complaints.push(format!(
                "cost: with all streams on one server, at {all} times its capacity, {} is too large a number\n    \
                 a smaller load, exponent or power",
                cost.name()
            ));
        }
    }
}

//! The measured rows of data/reference/delay.json as experiments and what they are to give. Owns how the
//! columns of the tables translate into parameters and estimates.

use serde_json::Value;

/// How close an estimate has to come to the value of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Within {
    /// So many combined standard errors; this is the table's.
    Errors(f64),
    /// This distance.
    Distance(f64),
}

/// One number of a table.
#[derive(Debug, Clone)]
pub struct Check {
    /// The estimate it is.
    pub observable: &'static str,
    /// Its value in the table.
    pub value: f64,
    /// How close is close.
    pub within: Within,
}

/// One row of a table under one convention of information.
#[derive(Debug, Clone)]
pub struct Case {
    /// The block, and what distinguishes the row in it.
    pub name: String,
    /// Lines of an experiment file.
    pub parameters: String,
    /// Its numbers.
    pub checks: Vec<Check>,
}

pub const CONVENTIONS: [(&str, &str); 2] = [("excl", "exclusive"), ("incl", "inclusive")];
/// Servers out of phase, as everywhere but in the first table.
const OUT_OF_PHASE: &str = "ticks_per_service = 2\nphase = 1";

fn number(row: &Value, key: &str) -> f64 {
    row[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no number {key} in {row}"))
}

fn rows(block: &str) -> Vec<Value> {
    let tables: Value =
        serde_json::from_str(include_str!("../../data/reference/delay.json")).unwrap();
    tables[block]["rows"].as_array().unwrap().clone()
}

/// A value without a standard error: to 1 %.
fn to_one_percent(observable: &'static str, value: f64) -> Check {
    Check {
        observable,
        value,
        within: Within::Distance(0.01 * value.abs()),
    }
}

/// The columns of a row that have a standard error, under one convention.
fn with_errors(row: &Value, convention: &str, columns: &[(&str, &'static str)]) -> Vec<Check> {
    let check = |(column, observable): &(&str, &'static str)| Check {
        observable,
        value: number(row, &format!("{column}_{convention}")),
        within: Within::Errors(number(row, &format!("{column}_{convention}_se"))),
    };
    columns.iter().map(check).collect()
}

fn lines(information: &str, timing: &str, parameters: &[(&str, String)]) -> String {
    let mut text = format!("information = \"{information}\"\n{timing}\n");
    for (key, value) in parameters {
        text += &format!("{key} = {value}\n");
    }
    text
}

/// A table with a column for each convention and standard errors.
fn two_conventions(
    block: &str,
    columns: &[(&str, &'static str)],
    parameters: impl Fn(&Value) -> Vec<(&'static str, String)>,
) -> Vec<Case> {
    let mut cases = Vec::new();
    for row in rows(block) {
        // Some rows of Fig. 2 are theory only.
        if row.get("Arms_n_excl").is_none() {
            continue;
        }
        for (short, information) in CONVENTIONS {
            let mut all = vec![
                ("clients", number(&row, "N").to_string()),
                ("information_delay", number(&row, "tauD").to_string()),
            ];
            let own = parameters(&row);
            let name = format!("{block} {short} {:?}", [&all[..], &own[..]].concat());
            all.extend(own);
            cases.push(Case {
                name,
                parameters: lines(information, OUT_OF_PHASE, &all),
                checks: with_errors(&row, short, columns),
            });
        }
    }
    cases
}

fn disinformation(row: &Value) -> (&'static str, String) {
    ("disinformation", number(row, "p").to_string())
}

/// Fig. 1: undisturbed oscillation, in and out of phase.
pub fn undisturbed() -> Vec<Case> {
    let case = |row: &Value| {
        let (phase, n) = (number(row, "phi"), number(row, "N"));
        let timing = match phase {
            0.0 => "ticks_per_service = 1\nphase = 0",
            0.5 => OUT_OF_PHASE,
            _ => "ticks_per_service = 100\nphase = 37",
        };
        let inclusive = row["info_includes_events_at_t_minus_tauD"]
            .as_bool()
            .unwrap();
        let information = CONVENTIONS[usize::from(inclusive)].1;
        let given = [
            ("clients", n.to_string()),
            ("information_delay", number(row, "tauD").to_string()),
        ];
        Case {
            name: format!("A_fig1_undisturbed {information} phase {phase} {given:?}"),
            parameters: lines(information, timing, &given),
            checks: vec![
                to_one_percent("a_rms", number(row, "Arms")),
                to_one_percent("peak", number(row, "maxA")),
                Check {
                    observable: "period",
                    value: number(row, "period"),
                    within: Within::Distance(0.5),
                },
            ],
        }
    };
    rows("A_fig1_undisturbed").iter().map(case).collect()
}

/// Fig. 2 top: disinformation.
pub fn fluctuations() -> Vec<Case> {
    two_conventions("A_fig2_top", &[("Arms_n", "a_rms_scaled")], |row| {
        vec![disinformation(row)]
    })
}

const WITH_MEAN: [(&str, &str); 3] = [
    ("Arms_n", "a_rms_scaled"),
    ("meanA", "a_mean"),
    ("thr", "throughput"),
];

/// Fig. 2 bottom: bias of both kinds.
pub fn bias() -> Vec<Case> {
    two_conventions("A_fig2_bottom", &WITH_MEAN, |row| {
        let requests = row["bias"].as_str().unwrap().starts_with("per decision");
        let kind = if requests { "requests" } else { "clients" };
        vec![
            ("bias_kind", format!("{kind:?}")),
            ("bias", number(row, "b").to_string()),
            disinformation(row),
        ]
    })
}

/// Fig. 3: constant and load-dependent rejection.
pub fn rejection() -> Vec<Case> {
    let columns = [
        ("Arms_n", "a_rms_scaled"),
        ("rej_per_req", "rejections_per_request"),
    ];
    two_conventions("A_fig3", &columns, |row| {
        vec![match row["scheme"].as_str().unwrap() {
            "LDR" => (
                "load_rejection_scaled",
                number(row, "cN_over_2").to_string(),
            ),
            _ => ("rejection", number(row, "r").to_string()),
        }]
    })
}

/// Servers that run idle in turn.
pub fn idle() -> Vec<Case> {
    let mut cases = Vec::new();
    for row in rows("A_idle_regime") {
        for (which, (short, information)) in CONVENTIONS.into_iter().enumerate() {
            let given: Vec<(&str, String)> = [
                ("clients", "N"),
                ("information_delay", "tauD"),
                ("travel_time", "tauT"),
                ("idle_time", "tauI"),
            ]
            .map(|(key, column)| (key, number(&row, column).to_string()))
            .to_vec();
            let value = |column: &str| row[column][which].as_f64().unwrap();
            // The table's note: measured over windows that are not whole periods, N = 1000 up to 2e-3 high.
            cases.push(Case {
                name: format!("A_idle_regime {short} {given:?}"),
                parameters: lines(information, OUT_OF_PHASE, &given),
                checks: vec![
                    Check {
                        observable: "throughput",
                        value: value("thr"),
                        within: Within::Distance(2e-3 * value("thr")),
                    },
                    Check {
                        observable: "period",
                        value: value("period"),
                        within: Within::Distance(0.5),
                    },
                    to_one_percent("peak", value("maxA")),
                ],
            });
        }
    }
    cases
}

/// Unequal servers, compared by queue and by work.
pub fn unequal() -> Vec<Case> {
    two_conventions("A_unequal_service", &WITH_MEAN, |row| {
        let work = row["compare"].as_str().unwrap() != "N_i";
        vec![
            (
                "service_time",
                format!("[{}, {}]", number(row, "P1"), number(row, "P2")),
            ),
            (
                "compare",
                format!("{:?}", if work { "work" } else { "queue" }),
            ),
            disinformation(row),
        ]
    })
}

/// Throughput under rejection, and under the disinformation it is equivalent to; the table does not say
/// under which convention.
pub fn throughput() -> Vec<Case> {
    let mut cases = Vec::new();
    for row in rows("A_throughput_rejection") {
        let x = number(&row, "x");
        for (column, key, value) in [
            ("const_thr", "rejection", x),
            ("LDR_thr", "load_rejection_scaled", x),
            ("p_equiv_thr", "disinformation", x / (1.0 + x)),
        ] {
            for (short, information) in CONVENTIONS {
                let given = [
                    ("clients", number(&row, "N").to_string()),
                    ("information_delay", number(&row, "tauD").to_string()),
                    (key, value.to_string()),
                ];
                cases.push(Case {
                    name: format!("A_throughput_rejection {short} {given:?}"),
                    parameters: lines(information, OUT_OF_PHASE, &given),
                    checks: vec![to_one_percent("throughput", number(&row, column))],
                });
            }
        }
    }
    cases
}

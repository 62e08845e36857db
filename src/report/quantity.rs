//! Parameters and derived quantities as axes and in legends: their words and their values at a point.

use super::number::significant;
use crate::models::{Model, Point, Value};

/// Symbol and unit.
pub(super) fn label(symbol: &str, unit: &str) -> String {
    let symbol = &symbol.replace(" - ", " − ");
    if unit.is_empty() {
        symbol.to_owned()
    } else {
        format!("{symbol} ({unit})")
    }
}

/// A parameter in words, its symbol and unit: a letter alone is not understood.
pub(super) fn axis_label(name: &str, quantity: &Quantity) -> String {
    let words = name.replace('_', " ");
    if words == quantity.symbol {
        label(&words, quantity.unit)
    } else {
        label(&format!("{words}, {}", quantity.symbol), quantity.unit)
    }
}

/// How a quantity is found at a point.
type Lookup = Box<dyn Fn(&Point) -> Option<Value>>;

/// A parameter or derived quantity: its symbol, its unit, and its value at a point.
pub(super) struct Quantity {
    pub(super) symbol: &'static str,
    pub(super) unit: &'static str,
    pub(super) value: Lookup,
}

impl Quantity {
    pub(super) fn number(&self, point: &Point) -> Option<f64> {
        match (self.value)(point)? {
            Value::Number(x) => Some(x),
            Value::Numbers(xs) => xs.last().copied(),
            Value::Word(_) | Value::Words(_) | Value::Flag(_) => None,
        }
    }

    /// The value in words, for a legend.
    fn words(&self, point: &Point) -> Option<String> {
        Some(match (self.value)(point)? {
            Value::Word(word) => word.replace('_', " "),
            Value::Number(x) => format!("{}\u{a0}=\u{a0}{}", self.symbol, significant(x, 6)),
            other => format!("{}\u{a0}=\u{a0}{other}", self.symbol),
        })
    }
}

/// A parameter or derived quantity of that name.
pub(super) fn quantity(model: &Model, name: &str) -> Option<Quantity> {
    if let Some(derived) = model.derived.iter().find(|derived| derived.name == name) {
        let value = derived.value;
        return Some(Quantity {
            symbol: derived.symbol,
            unit: derived.unit,
            value: Box::new(move |point| Some(value(point))),
        });
    }
    let parameter = model
        .parameters
        .iter()
        .find(|parameter| parameter.name == name)?;
    let name = parameter.name;
    Some(Quantity {
        symbol: parameter.symbol,
        unit: parameter.unit,
        value: Box::new(move |point| point.get(name).cloned()),
    })
}

/// The words of a legend: the values of some quantities at a point.
pub(super) fn legend(model: &Model, names: &[&str], point: &Point) -> String {
    names
        .iter()
        .filter_map(|name| quantity(model, name)?.words(point))
        .collect::<Vec<_>>()
        .join(", ")
}

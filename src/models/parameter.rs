//! What a parameter is: its declaration, its values, and the point of a sweep that fixes them all.
//!
//! Owns names, symbols, units, ranges and the words of a complaint about a value.
//! Does not read files (see `experiment`) and knows no model.

use std::fmt;

/// The declaration of one parameter of a model.
#[derive(Debug)]
pub struct Parameter {
    /// The key in `[parameters]`.
    pub name: &'static str,
    /// The symbol the literature uses, for axes and tables.
    pub symbol: &'static str,
    /// The unit, empty for pure numbers.
    pub unit: &'static str,
    /// Which values it takes.
    pub kind: Kind,
    /// The value when the file is silent; `None` means that the file must give one.
    pub default: Option<Default>,
    /// One sentence for people.
    pub help: &'static str,
}

/// A default in a form that a `static` can hold.
#[derive(Debug, Clone, Copy)]
pub enum Default {
    /// A number.
    Number(f64),
    /// One of the words of a [`Kind::Choice`].
    Word(&'static str),
    /// The value of a [`Kind::Flag`].
    Flag(bool),
    /// Words of a [`Kind::Choices`].
    Words(&'static [&'static str]),
    /// A list of numbers for a [`Kind::List`].
    Numbers(&'static [f64]),
}

/// The values a parameter takes. Ranges are inclusive.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A whole number.
    Integer {
        /// Least value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// A real number.
    Real {
        /// Least value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// A real number, or an array of two, one a server.
    OneOrTwo {
        /// Least value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// A real number, or an array of them.
    List {
        /// Least value.
        min: f64,
        /// Largest value.
        max: f64,
        /// Most values.
        most: usize,
    },
    /// Given values: an array of real numbers, or a column of a CSV file, which is read into one.
    Samples {
        /// Least value.
        min: f64,
        /// Largest value.
        max: f64,
        /// Most values.
        most: usize,
        /// Words for laws to draw from instead; where there are some, one number for all is allowed, too.
        laws: &'static [&'static str],
    },
    /// One of some words.
    Choice(&'static [&'static str]),
    /// One of some words or an array of them, none twice.
    Choices(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
}

/// A value of a parameter at a point.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number; whole for [`Kind::Integer`].
    Number(f64),
    /// Several numbers.
    Numbers(Vec<f64>),
    /// A word of a [`Kind::Choice`], or the law of [`Kind::Samples`].
    Word(String),
    /// The words of a [`Kind::Choices`].
    Words(Vec<String>),
    /// The value of a [`Kind::Flag`].
    Flag(bool),
}

/// Most numbers of a list that are written out for people.
const MOST_SHOWN: usize = 20;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(x) => write!(f, "{x}"),
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Numbers(xs) if xs.len() > MOST_SHOWN => {
                write!(
                    f,
                    "{} numbers from {} to {}",
                    xs.len(),
                    xs[0],
                    xs[xs.len() - 1]
                )
            }
            Value::Numbers(xs) => {
                let words: Vec<String> = xs.iter().map(f64::to_string).collect();
                write!(f, "[{}]", words.join(", "))
            }
            Value::Word(word) => write!(f, "{word}"),
            Value::Words(words) => write!(f, "{}", words.join(", ")),
        }
    }
}

impl From<Default> for Value {
    fn from(default: Default) -> Value {
        match default {
            Default::Number(x) => Value::Number(x),
            Default::Word(word) => Value::Word(word.to_owned()),
            Default::Flag(flag) => Value::Flag(flag),
            Default::Numbers(xs) => Value::Numbers(xs.to_vec()),
            Default::Words(words) => {
                Value::Words(words.iter().map(|&word| word.to_owned()).collect())
            }
        }
    }
}

/// One point of the sweep: a value for every parameter of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Position in the sweep, counted from zero.
    pub index: u32,
    /// The stream of random numbers: the index, so that points are independent, or 0 where all points share them.
    pub stream: u32,
    /// Length of the warm-up, in the unit of the model's span.
    pub warmup: f64,
    /// Length of the measured span, in the same unit; 0 for one step, whose observations are all independent.
    pub duration: f64,
    /// Value of every parameter, in the order of the declarations.
    pub values: Vec<(&'static str, Value)>,
}

impl Point {
    /// A point of that index with some values, and defaults elsewhere; what has neither is not a number.
    pub fn with_defaults(
        parameters: &[Parameter],
        index: u32,
        [warmup, duration]: [f64; 2],
        value: impl Fn(&str) -> Option<Value>,
    ) -> Point {
        let values = parameters.iter().map(|parameter| {
            let default = || parameter.default.map(Value::from);
            let value = value(parameter.name).or_else(default);
            (parameter.name, value.unwrap_or(Value::Number(f64::NAN)))
        });
        Point {
            index,
            stream: index,
            warmup,
            duration,
            values: values.collect(),
        }
    }

    /// The value of a parameter, if the model declares it.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// The value of a numeric parameter; NaN when there is none, which every range check refuses.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Some(Value::Number(x)) => *x,
            Some(Value::Numbers(xs)) => xs.first().copied().unwrap_or(f64::NAN),
            _ => f64::NAN,
        }
    }

    /// The value of a [`Kind::OneOrTwo`] parameter, one a server.
    pub fn pair(&self, name: &str) -> [f64; 2] {
        match self.get(name) {
            Some(Value::Numbers(xs)) if xs.len() == 2 => [xs[0], xs[1]],
            _ => [self.number(name); 2],
        }
    }

    /// The values of a list, one where the file gives a plain number.
    pub fn numbers(&self, name: &str) -> Vec<f64> {
        match self.get(name) {
            Some(Value::Numbers(xs)) => xs.clone(),
            _ => vec![self.number(name)],
        }
    }

    /// The value of a [`Kind::Flag`] parameter; false when there is none.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Value::Flag(true)))
    }

    /// The words of a [`Kind::Choices`] parameter.
    pub fn words(&self, name: &str) -> Vec<&str> {
        match self.get(name) {
            Some(Value::Words(words)) => words.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// The value of a [`Kind::Choice`] parameter, empty when there is none.
    pub fn word(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Word(word)) => word,
            _ => "",
        }
    }
}

/// Something wrong with the value of a parameter, in words for the person who typed it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct Problem {
    /// The key that is to be changed.
    pub key: &'static str,
    /// What is wrong, what is allowed and what to type instead.
    pub message: String,
}

impl Problem {
    /// A problem with the value of `key`.
    pub fn new(key: &'static str, message: impl Into<String>) -> Problem {
        Problem {
            key,
            message: message.into(),
        }
    }
}

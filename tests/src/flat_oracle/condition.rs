//! A plain interpreter of conditions, written from the rules alone.

mod reader;

pub use reader::{Reading, read};

use serde_json::Value as Json;
use std::collections::BTreeMap;

/// A condition as a tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    /// Compares a value with a literal.
    Compare(ValuePath, Operator, Literal),
    /// `.exists`
    Exists(ValuePath),
    /// `!`
    Not(Box<Term>),
    /// `&&`
    And(Box<Term>, Box<Term>),
    /// `||`
    Or(Box<Term>, Box<Term>),
}

/// A reference.
#[derive(Debug, Clone, PartialEq)]
pub struct ValuePath {
    /// `last`, `input`, `error` and so on, or an output's name. `output.last` means an output named `last`.
    pub root: String,
    /// Keys and indices.
    pub path: Vec<Json>,
}

/// A comparison's operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the operators' own names")]
pub enum Operator {
    Equals,
    Differs,
    Contains,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// A literal as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Literal {
    /// Text without quotes.
    pub text: String,
    /// Whether it is quoted.
    pub quoted: bool,
}

/// Data that a condition reads.
#[derive(Debug, Clone, Default)]
pub struct ConditionScope {
    /// Last output.
    pub last: Json,
    /// Run's input.
    pub input: Json,
    /// Current failure.
    pub error: Option<Json>,
    /// Outputs by name.
    pub outputs: BTreeMap<String, Json>,
}

impl ConditionScope {
    fn find(&self, look: &ValuePath) -> Option<Json> {
        let root = match look.root.as_str() {
            "last" => Some(self.last.clone()),
            "input" => Some(self.input.clone()),
            "error" => self.error.clone(),
            name => self.outputs.get(name.strip_prefix("output.").unwrap_or(name)).cloned(),
        };
        look.path.iter().fold(root, |found, step| match (found?, step) {
            (Json::Object(map), Json::String(key)) => map.get(key).cloned(),
            (Json::Array(list), Json::Number(index)) => {
                list.get(usize::try_from(index.as_u64()?).ok()?).cloned()
            }
            (Json::Array(list), Json::String(digits)) => {
                let index: usize = digits.parse().ok()?;
                if index.to_string() == *digits { list.get(index).cloned() } else { None }
            }
            _ => None,
        })
    }

    /// Returns whether a condition holds. `None` if it orders something else than numbers, and no other part decides.
    pub fn holds(&self, term: &Term) -> Option<bool> {
        match term {
            Term::Not(inner) => Some(!self.holds(inner)?),
            Term::And(a, b) => decide(self.holds(a), self.holds(b), false),
            Term::Or(a, b) => decide(self.holds(a), self.holds(b), true),
            Term::Exists(look) => Some(self.find(look).is_some()),
            // Comparisons with a missing value are false.
            Term::Compare(look, operator, literal) => match self.find(look) {
                None => Some(false),
                Some(value) => compare(&value, *operator, literal),
            },
        }
    }
}

fn decide(a: Option<bool>, b: Option<bool>, decisive: bool) -> Option<bool> {
    if a == Some(decisive) || b == Some(decisive) { Some(decisive) } else { a.and(b) }
}

fn compare(value: &Json, operator: Operator, literal: &Literal) -> Option<bool> {
    let ordered = || Some((value.as_f64()?, literal.number()?));
    Some(match operator {
        Operator::Equals => equal(value, literal),
        Operator::Differs => !equal(value, literal),
        Operator::Contains => match value {
            Json::String(text) => text.contains(&literal.text),
            Json::Array(items) => items.iter().any(|item| equal(item, literal)),
            Json::Object(map) => map.keys().any(|key| *key == literal.text),
            _ => false,
        },
        Operator::Less => ordered().map(|(a, b)| a < b)?,
        Operator::AtMost => ordered().map(|(a, b)| a <= b)?,
        Operator::Greater => ordered().map(|(a, b)| a > b)?,
        Operator::AtLeast => ordered().map(|(a, b)| a >= b)?,
    })
}

fn equal(value: &Json, literal: &Literal) -> bool {
    match value {
        Json::Null => !literal.quoted && literal.text == "null",
        Json::Number(number) => match literal.number() {
            Some(other) => number.as_f64() == Some(other),
            None => literal.quoted && number_text(number.as_f64().unwrap_or(0.0)) == literal.text,
        },
        Json::Bool(truth) => literal.text == truth.to_string(),
        Json::String(text) => *text == literal.text,
        Json::Array(_) | Json::Object(_) => {
            serde_json::from_str(&literal.text).is_ok_and(|other: Json| same(value, &other))
        }
    }
}

/// Compares numbers by value.
fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            let all = a.keys().chain(b.keys());
            all.into_iter().all(|key| a.get(key).zip(b.get(key)).is_some_and(|(a, b)| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Integers have no point or exponent, fractions the shortest form.
fn number_text(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number:.0}").replace("-0", "0") } else { number.to_string() }
}

impl Literal {
    /// Returns the number of an unquoted numeric literal.
    pub fn number(&self) -> Option<f64> {
        let (sign, plain) = self.text.strip_prefix('-').map_or((1.0, &*self.text), |plain| (-1.0, plain));
        if self.quoted {
            return None;
        }
        if let Some(digits) = plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X")) {
            let hex = digits.chars().all(|c| c.is_ascii_hexdigit());
            #[expect(clippy::cast_precision_loss, reason = "a comparison with data is one of doubles")]
            return i64::from_str_radix(digits, 16).ok().filter(|_| hex).map(|number| sign * number as f64);
        }
        if plain.starts_with('.') {
            let whole = Self { text: format!("0{plain}"), quoted: false };
            return whole.number().map(|number| sign * number);
        }
        let json: Json = serde_json::from_str(&self.text).ok()?;
        // The standard library parses exactly.
        self.text.parse().ok().filter(|number: &f64| json.is_number() && number.is_finite())
    }

    fn write(&self) -> String {
        if self.quoted { Json::from(self.text.as_str()).to_string() } else { self.text.clone() }
    }
}

impl ValuePath {
    fn write(&self) -> String {
        let root = match self.root.as_str() {
            root @ ("last" | "input" | "error") => root.to_owned(),
            name => format!("output[{}]", Json::from(name.strip_prefix("output.").unwrap_or(name))),
        };
        self.path.iter().fold(root, |text, step| format!("{text}[{step}]"))
    }
}

impl Term {
    /// Prints the condition, parenthesizing every operand.
    pub fn write(&self) -> String {
        match self {
            Self::Exists(look) => format!("{}.exists", look.write()),
            Self::Not(inner) => format!("!({})", inner.write()),
            Self::And(a, b) => format!("({}) && ({})", a.write(), b.write()),
            Self::Or(a, b) => format!("({}) || ({})", a.write(), b.write()),
            Self::Compare(look, operator, literal) => {
                let sign = match operator {
                    Operator::Equals => "==",
                    Operator::Differs => "!=",
                    Operator::Contains => ".contains:",
                    Operator::Less => "<",
                    Operator::AtMost => "<=",
                    Operator::Greater => ">",
                    Operator::AtLeast => ">=",
                };
                format!("{}{sign}{}", look.write(), literal.write())
            }
        }
    }

    /// Returns whether the condition reads the failure.
    pub fn references_error(&self) -> bool {
        match self {
            Self::Compare(look, ..) | Self::Exists(look) => look.root == "error",
            Self::Not(inner) => inner.references_error(),
            Self::And(a, b) | Self::Or(a, b) => a.references_error() || b.references_error(),
        }
    }

    /// Returns whether the condition compares the failure's message.
    pub fn reads_error_message(&self) -> bool {
        match self {
            Self::Compare(look, ..) => {
                look.root == "error" && look.path.first().is_none_or(|step| *step == "message")
            }
            Self::Exists(_) => false,
            Self::Not(inner) => inner.reads_error_message(),
            Self::And(a, b) | Self::Or(a, b) => a.reads_error_message() || b.reads_error_message(),
        }
    }
}

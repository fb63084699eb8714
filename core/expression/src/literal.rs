//! A condition's literal always equals its text. An unquoted one can also be a number or `null`. JSON lists
//! and maps also equal that value.

use crate::base::{json_equal, json_number, parse_float};
use serde_json::Value as Json;
use std::fmt;

/// All possible meanings.
#[derive(Debug, Clone, PartialEq)]
pub struct Literal {
    /// The text inside quotes.
    pub text: String,
    /// Had quotes.
    pub quoted: bool,
    /// Unquoted number.
    pub number: Option<f64>,
    /// JSON list or map.
    pub structure: Option<Json>,
}

impl Literal {
    /// Creates a literal.
    pub fn new(text: impl Into<String>, quoted: bool) -> Self {
        let text = text.into();
        let structure = if text.starts_with(['[', '{']) { stepgraph_text::json::parse(&text) } else { None };
        let number = if quoted { None } else { number_of(&text) };
        Self { number, structure, text, quoted }
    }

    /// Whether it is the bare word `null`.
    pub fn is_null(&self) -> bool {
        !self.quoted && self.text == "null"
    }

    /// Compares with JSON.
    pub fn equals(&self, value: &Json) -> bool {
        match value {
            Json::Null => self.is_null(),
            Json::Bool(truth) => self.equals_bool(*truth),
            Json::Number(n) => self.equals_number(n.as_f64().unwrap_or(f64::NAN)),
            Json::String(s) => *s == self.text,
            Json::Array(_) | Json::Object(_) => {
                self.structure.as_ref().is_some_and(|json| json_equal(json, value))
            }
        }
    }

    /// Whether the text is this word.
    pub fn equals_bool(&self, value: bool) -> bool {
        self.text == if value { "true" } else { "false" }
    }

    /// Whether it equals only texts: no number, no truth value and not `null`.
    pub fn is_only_text(&self) -> bool {
        let starts_number = self.text.starts_with(|c: char| matches!(c, '-' | '.') || c.is_ascii_digit());
        !starts_number && !matches!(self.text.as_str(), "null" | "true" | "false")
    }

    /// Compares a bare number by value, a quoted literal by its text.
    #[expect(clippy::float_cmp, reason = "equal means equal; both sides come from the same decimal texts")]
    pub fn equals_number(&self, value: f64) -> bool {
        match self.number {
            Some(number) => number == value,
            None => self.quoted && crate::base::number_text(value) == self.text,
        }
    }
}

/// Numbers of JSON, and those that only expressions have.
pub(crate) fn number_of(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    match json_number(text) {
        Some(number) => number.as_f64(),
        None if unsigned.starts_with(['0', '.']) => other_number(unsigned, text.starts_with('-')),
        None => None,
    }
}

/// `0x10` and `.5`
#[inline(never)]
fn other_number(unsigned: &str, is_negative: bool) -> Option<f64> {
    let hex = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X"));
    let found = match hex.filter(|digits| !digits.starts_with(['+', '-'])) {
        #[expect(clippy::cast_precision_loss, reason = "a comparison with data is one of doubles")]
        Some(digits) => i64::from_str_radix(digits, 16).ok()? as f64,
        None if unsigned.strip_prefix('.')?.starts_with(|c: char| c.is_ascii_digit()) => {
            parse_float(&format!("0{unsigned}"))?
        }
        None => return None,
    };
    Some(if is_negative { -found } else { found }).filter(|number| number.is_finite())
}

impl Literal {
    pub(crate) fn has_unbalanced_parens(&self) -> bool {
        let depth = self.text.chars().try_fold(0_usize, |depth, c| match c {
            '(' => Some(depth + 1),
            ')' => depth.checked_sub(1),
            _ => Some(depth),
        });
        depth != Some(0)
    }
}

/// `{:#}` is for use within parentheses.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.quoted || f.alternate() && self.has_unbalanced_parens() {
            write!(f, "{}", Json::from(self.text.as_str()))
        } else {
            f.write_str(&self.text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As in JavaScript.
    #[test]
    fn numbers_are_exact() {
        let mut number = 0.1_f64;
        for _ in 0..2000 {
            number = number * 1.37 + 0.1 / number;
            let written = Literal::new(number.to_string(), false);
            assert!(written.equals_number(number), "{number} is read as {:?}", written.number);
        }
        assert_eq!(Literal::new("0.30000000000000004", false).number, Some(0.1 + 0.2));
        for text in [
            "01",
            "+1",
            "1.",
            "1_0",
            "inf",
            "NaN",
            "1e400",
            " 1",
            "",
            ".",
            "-.",
            "..5",
            "0x",
            "0x-1",
            "0x+1",
            "0xg",
            "--1",
            ".5x",
            "0xffffffffffffffff",
        ] {
            assert_eq!(Literal::new(text, false).number, None, "{text}");
        }
    }

    #[test]
    fn numbers_of_expressions_are_numbers() {
        for (text, number) in [("0x10", 16.0), ("-0X1f", -31.0), (".5", 0.5), ("-.5e1", -5.0)] {
            let literal = Literal::new(text, false);
            assert!(literal.equals_number(number) && literal.equals(&Json::from(text)), "{text}");
            assert!(!literal.is_only_text() && !Literal::new(text, true).equals_number(number), "{text}");
        }
    }
}

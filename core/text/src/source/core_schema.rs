//! YAML's core schema: the types of plain scalars, and its tags.
//!
//! Invariants: 1. A scalar has the same value in YAML and in JSON, if JSON allows it. 2. A number is finite.
//! 3. `-0` is the integer 0.
//!
//! Source: YAML 1.2.2 section 10.3, RFC 8259 section 6.

use super::ValueKind;
use serde_json::Number;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotFinite;

/// `None` if it's a string.
pub(super) fn resolve_plain(word: &str) -> Result<Option<ValueKind>, NotFinite> {
    Ok(match word.as_bytes().first() {
        None | Some(b'~' | b'n' | b'N') => is_null(word).then_some(ValueKind::Null),
        Some(b't' | b'T' | b'f' | b'F') => parse_bool(word).map(ValueKind::Bool),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => parse_number(word)?.map(ValueKind::Number),
        _ => None,
    })
}

/// For `!` alone returns `formal`, the value's own kind.
pub(super) fn core_tag<'a>(handle: &str, suffix: &'a str, formal: &'static str) -> Option<&'a str> {
    const PREFIX: &str = "tag:yaml.org,2002:";
    match (handle, suffix) {
        (PREFIX, name) => Some(name),
        ("", "!") => Some(formal),
        ("", whole) => whole.strip_prefix(PREFIX),
        _ => None,
    }
}

pub(super) fn is_null(word: &str) -> bool {
    matches!(word, "" | "~" | "null" | "Null" | "NULL")
}

pub(super) fn parse_bool(word: &str) -> Option<bool> {
    match word {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

pub(super) fn is_whole(word: &str) -> bool {
    word.starts_with("0x") || !word.contains(['.', 'e', 'E'])
}

pub(crate) fn parse_number(word: &str) -> Result<Option<Number>, NotFinite> {
    if let Some(digits) = word.strip_prefix("0x") {
        return Ok(parse_radix(digits, 16));
    }
    if let Some(digits) = word.strip_prefix("0o") {
        return Ok(parse_radix(digits, 8));
    }
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(word, ".nan" | ".NaN" | ".NAN") {
        return Err(NotFinite);
    }
    match number_form(unsigned) {
        NumberForm::Other => Ok(None),
        NumberForm::Whole => parse_integer(word).map(Some),
        NumberForm::Fraction => parse_float(word).map(Some),
    }
}

/// An integer if it fits 64 bits.
fn parse_integer(word: &str) -> Result<Number, NotFinite> {
    if let Ok(number) = word.parse::<i64>() {
        return Ok(number.into());
    }
    word.parse::<u64>().map_or_else(|_| parse_float(word), |number| Ok(number.into()))
}

fn parse_float(word: &str) -> Result<Number, NotFinite> {
    crate::parse_float::parse(word).and_then(Number::from_f64).ok_or(NotFinite)
}

enum NumberForm {
    Whole,
    Fraction,
    Other,
}

fn number_form(unsigned: &str) -> NumberForm {
    let (before, rest) = digits(unsigned.as_bytes());
    let (after, rest, point) = match rest {
        [b'.', rest @ ..] => {
            let (after, rest) = digits(rest);
            (after, rest, true)
        }
        _ => (0, rest, false),
    };
    match rest {
        _ if before + after == 0 => NumberForm::Other,
        [] if point => NumberForm::Fraction,
        [] => NumberForm::Whole,
        [b'e' | b'E', b'+' | b'-', power @ ..] | [b'e' | b'E', power @ ..] => match digits(power) {
            (1.., []) => NumberForm::Fraction,
            _ => NumberForm::Other,
        },
        _ => NumberForm::Other,
    }
}

fn digits(bytes: &[u8]) -> (usize, &[u8]) {
    let count = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count, bytes.get(count..).unwrap_or_default())
}

/// Above 64 bits, the nearest float.
fn parse_radix(digits: &str, base: u32) -> Option<Number> {
    if digits.is_empty() || !digits.bytes().all(|byte| char::from(byte).is_digit(base)) {
        return None;
    }
    if let Ok(number) = u64::from_str_radix(digits, base) {
        return Some(number.into());
    }
    let value = |c: char| c.to_digit(base).map_or(0.0, f64::from);
    Number::from_f64(digits.chars().fold(0.0, |sum, c| sum * f64::from(base) + value(c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn check(word: &str, expect: &Value) {
        let spanned = |kind| super::super::Spanned { kind, span: crate::diagnostic::Span::at(0) };
        let got =
            resolve_plain(word).map(|kind| kind.map_or_else(|| json!(word), |kind| spanned(kind).to_json()));
        assert_eq!(got.as_ref(), Ok(expect), "{word}");
    }

    #[test]
    fn words() {
        for word in ["", "~", "null", "Null", "NULL"] {
            check(word, &Value::Null);
        }
        for (word, expect) in
            [("true", true), ("True", true), ("TRUE", true), ("false", false), ("FALSE", false)]
        {
            check(word, &json!(expect));
        }
        for word in [
            "nULL",
            "tRUE",
            "yes",
            "no",
            "on",
            "off",
            "y",
            "n",
            "2024-01-02",
            "12:30:00",
            "1_000",
            "1,000",
            "0b11",
            "0o8",
            "0o",
            "0x",
            "0xg",
            "-0x1",
            "+0o7",
            ".",
            "-",
            "+",
            "..",
            "-.",
            "1e",
            "1e+",
            "e5",
            ".e5",
            "1.2.3",
            "1..2",
            "+-1",
            "0x1.5",
            "inf",
            "nan",
            "Infinity",
            "NaN",
            "-.nan",
            "1 2",
            "١",
            "-a",
            "1a",
            "~a",
            "infinity",
        ] {
            check(word, &json!(word));
        }
    }

    #[test]
    fn numbers() {
        for (word, expect) in [
            ("0", json!(0)),
            ("-0", json!(0)),
            ("+5", json!(5)),
            ("-7", json!(-7)),
            ("007", json!(7)),
            ("0o17", json!(15)),
            ("0xfF", json!(255)),
            ("9223372036854775807", json!(i64::MAX)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("18446744073709551615", json!(u64::MAX)),
            ("18446744073709551616", json!(18_446_744_073_709_551_616.0)),
            ("-9223372036854775809", json!(-9_223_372_036_854_775_809.0)),
            ("0xffffffffffffffff", json!(u64::MAX)),
            ("0x10000000000000000", json!(18_446_744_073_709_551_616.0)),
            ("1.0", json!(1.0)),
            ("1.", json!(1.0)),
            (".5", json!(0.5)),
            ("+.5", json!(0.5)),
            ("-.5", json!(-0.5)),
            ("1e3", json!(1000.0)),
            ("1.e3", json!(1000.0)),
            ("12e-1", json!(1.2)),
            ("1E+2", json!(100.0)),
            ("1e-999", json!(0.0)),
            ("0.1", json!(0.1)),
        ] {
            check(word, &expect);
        }
    }

    #[test]
    fn numbers_that_json_does_not_have() {
        for word in [".inf", "-.inf", "+.Inf", ".INF", ".nan", ".NaN", ".NAN", "1e999", "-1e999"] {
            assert_eq!(resolve_plain(word), Err(NotFinite), "{word}");
        }
        assert_eq!(resolve_plain(&"9".repeat(400)), Err(NotFinite));
        assert!(parse_radix(&"f".repeat(400), 16).is_none());
    }
}

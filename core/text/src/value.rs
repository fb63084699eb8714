//! The engine's interface to values. In WebAssembly Rust only knows their index in JavaScript's table.
//!
//! Invariants:
//! 1. Values are shared, never copied, and never changed.
//! 2. Both implementations return equal results, as JavaScript does, but integers never have exponents.
//!    Keys that are array indexes come first.

use crate::collect::CollectVec;
use serde_json::Value as Json;
use std::fmt::Write as _;

/// A path's segment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// `.key` or `["key"]`. Digits also index a list.
    Key(String),
    /// `[0]`, for lists only.
    Index(usize),
}

impl Segment {
    /// Its position in a list, if it can be one.
    pub fn list_index(&self) -> Option<usize> {
        match self {
            Self::Index(index) => Some(*index),
            Self::Key(key) => list_index(key),
        }
    }
}

/// The host may know it by its number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path {
    /// In its program. 0 is the value itself.
    pub number: u32,
    /// Empty for the value itself.
    pub segments: Vec<Segment>,
}

/// A value's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextView<'a> {
    /// The text.
    Inline(&'a str),
    /// The number of the program's equal literal.
    Literal(u32),
    /// Equals no literal. [`Value::text`] returns it.
    Remote,
}

/// A path's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum View<'a> {
    /// A segment does not exist.
    Missing,
    /// Existing `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// As in JavaScript.
    Number(f64),
    /// A string.
    Text(TextView<'a>),
    /// A list.
    List,
    /// A map.
    Map,
}

impl View<'_> {
    /// For messages.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Missing => "not there",
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::List => "a list",
            Self::Map => "a map",
        }
    }
}

/// A path's value.
pub fn get_path<'a>(value: &'a Json, segments: &[Segment]) -> Option<&'a Json> {
    segments.iter().try_fold(value, |value, segment| match (value, segment) {
        (Json::Object(map), Segment::Key(key)) => map.get(key),
        (Json::Array(list), Segment::Key(key)) => list.get(list_index(key)?),
        (Json::Array(list), Segment::Index(index)) => list.get(*index),
        _ => None,
    })
}

/// Whether it exists.
pub fn has_path(value: &Json, segments: &[Segment]) -> bool {
    get_path(value, segments).is_some()
}

/// Parses JavaScript's notation: digits without leading zeros.
pub fn list_index(key: &str) -> Option<usize> {
    let canonical = key == "0" || (!key.starts_with('0') && key.len() <= 10);
    let digits = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    if canonical && digits { key.parse().ok() } else { None }
}

/// Formats integers without exponent and point, others in the shortest form that parses to the same value.
pub fn number_text(number: f64) -> String {
    let Some(shortest) = serde_json::Number::from_f64(number) else { return "null".to_owned() };
    let written = shortest.to_string();
    let (sign, digits) = written.strip_prefix('-').map_or(("", written.as_str()), |digits| ("-", digits));
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let plain = shift_point(whole, fraction.trim_end_matches('0'), exponent.parse().unwrap_or(0));
    if plain == "0" { plain } else { format!("{sign}{plain}") }
}

/// Strips leading zeros.
fn shift_point(whole: &str, fraction: &str, places: isize) -> String {
    let digits = format!("{whole}{fraction}");
    let point = isize::try_from(whole.len()).unwrap_or(0) + places;
    let Ok(point) = usize::try_from(point) else {
        return format!("0.{}{digits}", "0".repeat(point.unsigned_abs()));
    };
    if point >= digits.len() {
        let padded = format!("{digits}{}", "0".repeat(point - digits.len()));
        let trimmed = padded.trim_start_matches('0');
        return if trimmed.is_empty() { "0".to_owned() } else { trimmed.to_owned() };
    }
    let (before, after) = digits.split_at(point);
    let before = before.trim_start_matches('0');
    format!("{}.{after}", if before.is_empty() { "0" } else { before })
}

/// Text of a value: strings stay, null is empty, all others become JSON.
pub fn plain_text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => String::new(),
        other => json_text(other),
    }
}

/// Serializes JSON as JavaScript does, except numbers: see [`number_text`].
///
/// # Example
/// ```
/// use stepgraph_text::value::json_text;
/// let value = serde_json::json!({"b": 1.0, "2": [true, null], "a": "é\n"});
/// assert_eq!(json_text(&value), r#"{"2":[true,null],"b":1,"a":"é\n"}"#);
/// ```
pub fn json_text(value: &Json) -> String {
    let mut out = String::new();
    write_json(value, &mut out, false);
    out
}

/// Sorts the keys of all maps.
pub fn canonical_text(value: &Json) -> String {
    let mut out = String::new();
    write_json(value, &mut out, true);
    out
}

fn write_json(value: &Json, out: &mut String, sorted: bool) {
    match value {
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            // Never fails.
            (Some(_), _) | (_, Some(_)) => _ = write!(out, "{number}"),
            _ => out.push_str(&number_text(number.as_f64().unwrap_or(0.0))),
        },
        Json::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_json(item, out, sorted);
            }
            out.push(']');
        }
        Json::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect_vec();
            // One sort for both orders: each adds much code.
            entries.sort_by(|(a, _), (b, _)| if sorted { a.cmp(b) } else { rank(a).cmp(&rank(b)) });
            out.push('{');
            for (i, (key, item)) in entries.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write_json(item, out, sorted);
            }
            out.push('}');
        }
        Json::String(text) => write_string(text, out),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Null => out.push_str("null"),
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'"' | b'\\' | 0..0x20)) {
        out.push_str(text.get(written..at).unwrap_or_default());
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            // Never fails.
            other => _ = write!(out, "\\u{other:04x}"),
        }
        written = at + 1;
    }
    out.push_str(text.get(written..).unwrap_or_default());
    out.push('"');
}

/// Keys in JavaScript's order: array indexes first.
pub fn ordered_keys(map: &serde_json::Map<String, Json>) -> Vec<&String> {
    let mut keys = map.keys().collect_vec();
    keys.sort_by_key(|key| rank(key));
    keys
}

/// Array indexes by value, then other keys as inserted.
fn rank(key: &str) -> u64 {
    array_index(key).map_or(u64::MAX, u64::from)
}

fn array_index(key: &str) -> Option<u32> {
    list_index(key).and_then(|index| u32::try_from(index).ok()).filter(|index| *index < u32::MAX)
}

/// Compares JSON, with numbers as floats.
pub fn json_equal(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| json_equal(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| json_equal(a, b)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_written_as_serde_json_writes_them() {
        let all: String = (0..0x2100).filter_map(char::from_u32).chain("🎉".chars()).collect();
        for text in [all.as_str(), "", "\"", "a\\", "\u{7f}\u{1f}é"] {
            let value = serde_json::json!({ text: [text, true, false, null, 1, -2, u64::MAX] });
            assert_eq!(json_text(&value), value.to_string());
        }
    }

    #[test]
    fn numbers_as_text() {
        for (number, text) in [
            (3.0, "3"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (1e21, "1000000000000000000000"),
            (1.5e-7, "0.00000015"),
            (1_000_000.0, "1000000"),
            (-12.5, "-12.5"),
            (123_456.789, "123456.789"),
            (5e-324, &format!("0.{}5", "0".repeat(323))),
            (1.5e300, &format!("15{}", "0".repeat(299))),
        ] {
            assert_eq!(number_text(number), text);
        }
    }

    #[test]
    fn paths_into_json() {
        let value = serde_json::json!({"a": [{"0": "x"}], "0": "map", "n": null});
        let key = |k: &str| Segment::Key(k.to_owned());
        for (segments, found) in [
            (vec![key("a"), key("0"), key("0")], Some(serde_json::json!("x"))),
            (vec![key("a"), Segment::Index(0), key("0")], Some(serde_json::json!("x"))),
            (vec![key("0")], Some(serde_json::json!("map"))),
            (vec![Segment::Index(0)], None),
            (vec![key("a"), key("00")], None),
            (vec![key("n")], Some(Json::Null)),
            (vec![key("n"), key("x")], None),
        ] {
            assert_eq!(get_path(&value, &segments).cloned(), found, "{segments:?}");
        }
    }
}

//! Reads JSON of answers of servers and models, stubs and literals of conditions. 12 kB smaller than
//! `serde_json`. [`crate::source`] reads plans with the same [`reader`], and reports errors with spans.
//!
//! The last of equal keys wins, as in JavaScript. `-0` is the integer 0, as in [`crate::source`].
//!
//! Invariants:
//! 1. No value is deeper than [`MAX_DEPTH`], so recursion is safe.
//! 2. It refuses numbers outside the range of floats.
//! 3. A lone surrogate becomes U+FFFD, to keep the rest.

mod reader;

pub(crate) use reader::{JsonPolicy, JsonReader};

use crate::diagnostic::Span;
use crate::source::{Container, MAX_DEPTH, Spanned, ValueKind};
use serde_json::{Map, Value as Json};

/// Parses a JSON text. `None` if the text is not JSON.
///
/// # Example
/// ```
/// use stepgraph_text::json::parse;
/// assert_eq!(parse(r#" {"a": [1, "é\n"], "a": 2.5} "#), Some(serde_json::json!({"a": 2.5})));
/// assert_eq!(parse("[1,]"), None);
/// ```
pub fn parse(text: &str) -> Option<Json> {
    let mut reader = JsonReader::new(text, 0, JsonBuilder::default());
    reader.document().ok()?;
    reader.policy.root
}

struct NotJson;

/// Builds values without spans, and stops at the first error.
#[derive(Default)]
struct JsonBuilder {
    stack: Vec<Json>,
    /// The keys of the values that are being read.
    keys: Vec<String>,
    root: Option<Json>,
}

impl JsonBuilder {
    fn add_json(&mut self, value: Json) {
        match self.stack.last_mut() {
            Some(Json::Object(map)) => drop(map.insert(self.keys.pop().unwrap_or_default(), value)),
            Some(Json::Array(list)) => list.push(value),
            _ => self.root = Some(value),
        }
    }
}

impl JsonPolicy for JsonBuilder {
    type Stop = NotJson;
    const REPLACES_SURROGATES: bool = true;

    fn top(&self) -> Container {
        match self.stack.last() {
            None => Container::None,
            Some(Json::Object(_)) => Container::Map,
            Some(_) => Container::List,
        }
    }

    fn open(&mut self, container: Container, _: usize) -> Result<(), NotJson> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(NotJson);
        }
        let is_map = container == Container::Map;
        self.stack.push(if is_map { Json::Object(Map::new()) } else { Json::Array(Vec::new()) });
        Ok(())
    }

    fn close(&mut self, _: usize) -> Result<(), NotJson> {
        let closed = self.stack.pop().ok_or(NotJson)?;
        self.add_json(closed);
        Ok(())
    }

    fn key(&mut self, name: String, _: Span) {
        self.keys.push(name);
    }

    fn add(&mut self, scalar: Spanned) -> Result<(), NotJson> {
        self.add_json(match scalar.kind {
            ValueKind::Bool(value) => Json::Bool(value),
            ValueKind::Number(number) => Json::Number(number),
            ValueKind::Text(text) => Json::String(text),
            ValueKind::Null | ValueKind::List(_) | ValueKind::Map(_) => Json::Null,
        });
        Ok(())
    }

    fn add_too_large(&mut self, _: &str, _: Span) -> Result<(), NotJson> {
        Err(NotJson)
    }

    fn stop<T>(&mut self, _: Span, _: &str, _: &str, _: &str) -> Result<T, NotJson> {
        Err(NotJson)
    }
}

/// Whether the byte ends a run of literal characters.
pub fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..=0x1f)
}

/// Returns an escape's character and byte length.
pub fn escape(rest: &str) -> Option<(char, usize)> {
    let simple = match rest.as_bytes().get(1)? {
        b'u' => return parse_unicode_escape(rest),
        letter @ (b'"' | b'\\' | b'/') => char::from(*letter),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        _ => return None,
    };
    Some((simple, 2))
}

/// Parses one `\u` escape, or a surrogate pair.
fn parse_unicode_escape(rest: &str) -> Option<(char, usize)> {
    let high = code_unit(rest)?;
    if !(0xd800..=0xdbff).contains(&high) {
        return Some((char::from_u32(high)?, 6));
    }
    let low = code_unit(rest.get(6..)?).filter(|low| (0xdc00..=0xdfff).contains(low))?;
    Some((char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))?, 12))
}

fn lone_surrogate(rest: &str) -> Option<(char, usize)> {
    code_unit(rest).filter(|unit| (0xd800..=0xdfff).contains(unit)).map(|_| (char::REPLACEMENT_CHARACTER, 6))
}

fn code_unit(rest: &str) -> Option<u32> {
    let digits = rest.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().try_fold(0, |code, byte| Some(code << 4 | char::from(byte).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str) {
        assert_eq!(parse(text), serde_json::from_str::<Json>(text).ok(), "{text}");
    }

    #[test]
    fn agrees_with_serde_json() {
        for text in [
            "",
            " ",
            "null",
            " true ",
            "false",
            "nul",
            "nulll",
            "True",
            "0",
            "-0.0",
            "-1",
            "01",
            "1.",
            ".5",
            "1e5",
            "1E+5",
            "-",
            "+1",
            "1e",
            "0x1",
            "NaN",
            "1e999",
            "18446744073709551615",
            "18446744073709551616",
            "-9223372036854775808",
            "0.1",
            "[]",
            "[ ]",
            "[1]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "[1",
            "]",
            "{}",
            "{ }",
            "{\"a\":1}",
            "{\"a\":1,}",
            "{,}",
            "{\"a\"}",
            "{a:1}",
            "{\"a\":1 \"b\":2}",
            "{\"a\":1,\"a\":{\"b\":[]}}",
            "{\"__proto__\":1}",
            "[1]x",
            "1 2",
            "\"",
            "\"a",
            "\"a\\\"",
            "\"\\q\"",
            "\"\\u00e9\\n\\/\"",
            "\"\\ud83d\\ude00\"",
            "\"\\u12\"",
            "\"\\u+123\"",
            "\"a\nb\"",
            "\"\u{1}\"",
            "\"ü😀\"",
            "{\"ü\": \"\\\\\"}",
            "\u{feff}1",
            "[[[[1]]]]",
            "\"\\u00é\"",
            "'a'",
        ] {
            check(text);
        }
        assert_eq!(parse("[-0]"), Some(serde_json::json!([0])));
        for (text, expect) in [
            ("\"\\ud83d\"", "\u{fffd}"),
            ("\"a\\ud83dx\"", "a\u{fffd}x"),
            ("\"\\ude00\\ud83d\\ud83d\\ude00\"", "\u{fffd}\u{fffd}😀"),
        ] {
            assert_eq!(parse(text), Some(Json::from(expect)), "{text}");
        }
        assert!(parse(&("[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH))).is_some());
        assert!(parse(&("[".repeat(MAX_DEPTH + 1) + &"]".repeat(MAX_DEPTH + 1))).is_none());
        assert!(parse(&"[".repeat(1_000_000)).is_none());
    }

    /// The only numbers that the two readers return differently.
    fn without_negative_zero(value: Json) -> Json {
        match value {
            Json::Number(number) if number.as_f64() == Some(0.0) => Json::from(0),
            Json::Array(items) => items.into_iter().map(without_negative_zero).collect(),
            Json::Object(map) => {
                map.into_iter().map(|(key, value)| (key, without_negative_zero(value))).collect()
            }
            other => other,
        }
    }

    proptest! {
        #[test]
        fn agrees_on_anything(text in "[\\[\\]{}:,\"\\\\ntruefals0-9.eE+ü \n-]{0,12}") {
            let expect = serde_json::from_str::<Json>(&text).ok().map(without_negative_zero);
            prop_assert_eq!(parse(&text).map(without_negative_zero), expect);
        }
    }
}

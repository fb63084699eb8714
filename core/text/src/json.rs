//! A JSON reader for answers of servers and models, stubs and literals of conditions, 12 kB smaller than
//! `serde_json`.
//!
//! The last of equal keys wins, as in JavaScript. `-0` is the integer 0, as in [`crate::source`].
//!
//! Invariants:
//! 1. The reader accepts only texts that RFC 8259 allows.
//! 2. It refuses nesting deeper than [`MAX_DEPTH`], so recursion is safe.
//! 3. It refuses numbers outside the range of floats.
//! 4. A lone surrogate becomes U+FFFD, to keep the rest.
//!
//! Source: RFC 8259.

use crate::source::{MAX_DEPTH, json_number};
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
    let mut reader = Parser { text, at: 0 };
    let value = reader.value(0)?;
    reader.next().is_none().then_some(value)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Option<Json> {
        match self.next()? {
            b'{' if depth < MAX_DEPTH => {
                let mut map = Map::new();
                self.items(b'}', |reader| {
                    let key = if reader.next() == Some(b'"') { reader.string()? } else { return None };
                    reader.take(b':')?;
                    map.insert(key, reader.value(depth + 1)?);
                    Some(())
                })?;
                Some(Json::Object(map))
            }
            b'[' if depth < MAX_DEPTH => {
                let mut list = Vec::new();
                self.items(b']', |reader| {
                    list.push(reader.value(depth + 1)?);
                    Some(())
                })?;
                Some(Json::Array(list))
            }
            b'"' => self.string().map(Json::String),
            _ => self.word(),
        }
    }

    /// Starts at the opening bracket.
    fn items(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        if self.take(close).is_some() {
            return Some(());
        }
        loop {
            item(self)?;
            if self.take(close).is_some() {
                return Some(());
            }
            self.take(b',')?;
        }
    }

    fn word(&mut self) -> Option<Json> {
        let rest = self.text.get(self.at..)?;
        let inside = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        let word = rest.get(..rest.bytes().take_while(inside).count())?;
        self.at += word.len();
        match word {
            "null" => Some(Json::Null),
            "true" => Some(Json::Bool(true)),
            "false" => Some(Json::Bool(false)),
            _ => json_number(word).map(Json::Number),
        }
    }

    /// Starts at the opening quote.
    fn string(&mut self) -> Option<String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            // Compiled for size, each step of an iterator would be a call.
            let (from, bytes) = (self.at, self.text.as_bytes());
            while !is_special(*bytes.get(self.at)?) {
                self.at += 1;
            }
            text.push_str(self.text.get(from..self.at)?);
            match bytes.get(self.at)? {
                b'"' => break,
                b'\\' => {
                    let rest = self.text.get(self.at..)?;
                    let (c, length) = escape(rest).or_else(|| lone_surrogate(rest))?;
                    text.push(c);
                    self.at += length;
                }
                _ => return None,
            }
        }
        self.at += 1;
        Some(text)
    }

    /// Skips whitespace and `sign`.
    fn take(&mut self, sign: u8) -> Option<()> {
        let found = self.next() == Some(sign);
        self.at += usize::from(found);
        found.then_some(())
    }

    /// Skips whitespace and peeks.
    fn next(&mut self) -> Option<u8> {
        loop {
            let byte = self.text.as_bytes().get(self.at).copied()?;
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }
}

/// Whether the byte ends a run of literal characters.
pub fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..=0x1f)
}

/// Returns an escape's character and byte length.
pub fn escape(rest: &str) -> Option<(char, usize)> {
    let simple = match rest.as_bytes().get(1)? {
        b'u' => return unicode(rest),
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
fn unicode(rest: &str) -> Option<(char, usize)> {
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

//! A strict JSON parser that records spans.
//!
//! It accepts a byte order mark. It refuses numbers outside the range of floats and lone surrogates, as
//! values cannot represent them.
//!
//! Source: RFC 8259.

use super::tree_builder::{Container, ParseAborted, TreeBuilder};
use super::{Document, Format, Spanned, ValueKind, core_schema};
use crate::diagnostic::{Code, Diagnostic, Span, shorten_name};
use crate::json::{escape, is_special};

const NO_COMMENTS: &str = "a comment is not allowed in JSON";

const COMMENT_HELP: &str = "remove the comment, or write the file as YAML, where comments begin with `#`";

/// Requires that all tokens before the comment are JSON. YAML would read it as text.
pub(super) fn comment(text: &str) -> Option<Diagnostic> {
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    loop {
        let rest = text.get(at..)?;
        let length = match rest.bytes().next()? {
            b' ' | b'\t' | b'\n' | b'\r' | b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            b'"' => string_length(rest)?,
            b'/' if begins_comment(rest) => {
                let diagnostic = Diagnostic::new(Code::SourceSyntax, NO_COMMENTS).at(Span::new(at, at + 2));
                return Some(diagnostic.help(COMMENT_HELP));
            }
            _ => {
                let ends = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'));
                let length = rest.find(ends).unwrap_or(rest.len());
                let word = rest.get(..length)?;
                (matches!(word, "true" | "false" | "null") || is_number(word)).then_some(length)?
            }
        };
        at += length;
    }
}

/// Some programs allow JavaScript comments in JSON.
pub(super) fn begins_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*")
}

fn string_length(rest: &str) -> Option<usize> {
    let mut escaped = true;
    let end = rest.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })?;
    Some(end + 1)
}

pub(super) fn parse(text: &str) -> Document {
    let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut reader = JsonParser { text, at, builder: TreeBuilder::default() };
    let outcome = reader.document();
    reader.builder.finish(outcome, Format::Json)
}

struct JsonParser<'t> {
    text: &'t str,
    at: usize,
    builder: TreeBuilder,
}

impl<'t> JsonParser<'t> {
    fn document(&mut self) -> Result<(), ParseAborted> {
        loop {
            let complete = self.value()?;
            if complete && !self.more()? {
                break;
            }
        }
        match self.next() {
            None => Ok(()),
            Some(_) => self
                .unexpected("nothing may follow the value", "remove what follows, or put both into one list"),
        }
    }

    /// `false` before the first value of a container.
    fn value(&mut self) -> Result<bool, ParseAborted> {
        let start = self.skip_whitespace();
        match self.next() {
            Some(b'{') => return self.open_map(start),
            Some(b'[') => return self.open_list(start),
            Some(b'"') => {
                let text = self.string()?;
                self.add(ValueKind::Text(text), start)?;
            }
            Some(b'-' | b'0'..=b'9') => self.number(start)?,
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.word(start)?,
            _ => {
                return self.unexpected(
                    "a value is missing here",
                    "write text in quotes, a number, a list or a map",
                );
            }
        }
        Ok(true)
    }

    fn open_list(&mut self, start: usize) -> Result<bool, ParseAborted> {
        self.builder.open_list(start)?;
        self.at += 1;
        self.skip_whitespace();
        self.close_if(b']')
    }

    fn open_map(&mut self, start: usize) -> Result<bool, ParseAborted> {
        self.builder.open_map(start)?;
        self.at += 1;
        self.skip_whitespace();
        let closed = self.close_if(b'}')?;
        if !closed {
            self.key()?;
        }
        Ok(closed)
    }

    /// `false` if all containers are closed.
    fn more(&mut self) -> Result<bool, ParseAborted> {
        loop {
            self.skip_whitespace();
            let (close, message) = match self.builder.top() {
                Container::None => return Ok(false),
                Container::List => (b']', "a `,` or a `]` is missing here"),
                Container::Map => (b'}', "a `,` or a `}` is missing here"),
            };
            if self.close_if(close)? {
                continue;
            }
            if self.next() != Some(b',') {
                self.unexpected(message, "separate values by commas and close every bracket")?;
            }
            self.at += 1;
            self.skip_whitespace();
            if self.next() == Some(close) {
                self.unexpected("a value is missing after the comma", "remove the comma before the bracket")?;
            }
            if close == b'}' {
                self.key()?;
            }
            return Ok(true);
        }
    }

    fn close_if(&mut self, bracket: u8) -> Result<bool, ParseAborted> {
        if self.next() != Some(bracket) {
            return Ok(false);
        }
        self.at += 1;
        if let Some(value) = self.builder.close(self.at) {
            self.builder.add(value)?;
        }
        Ok(true)
    }

    fn key(&mut self) -> Result<(), ParseAborted> {
        let start = self.at;
        if self.next() != Some(b'"') {
            self.unexpected("a key in double quotes is missing here", "write every key in double quotes")?;
        }
        let name = self.string()?;
        self.builder.key(name, Span::new(start, self.at));
        self.skip_whitespace();
        if self.next() != Some(b':') {
            self.unexpected("a `:` is missing after the key", "write `:` and a value after the key")?;
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, start: usize) -> Result<(), ParseAborted> {
        let rest = self.rest();
        let length =
            rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')).count();
        let word = rest.get(..length).unwrap_or_default();
        let kind = match word {
            "null" => ValueKind::Null,
            "true" => ValueKind::Bool(true),
            "false" => ValueKind::Bool(false),
            _ => {
                let message = format!("`{}` is not a JSON value", shorten_name(word));
                return self.syntax(start, start + length, message, "write text in double quotes");
            }
        };
        self.at += length;
        self.add(kind, start)
    }

    fn number(&mut self, start: usize) -> Result<(), ParseAborted> {
        let rest = self.rest();
        let length =
            rest.bytes().take_while(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')).count();
        let word = rest.get(..length).unwrap_or_default();
        if !is_number(word) {
            let message = format!("`{}` is not a JSON number", shorten_name(word));
            return self.syntax(
                start,
                start + length,
                message,
                "write digits, perhaps with a fraction or an exponent",
            );
        }
        self.at += length;
        if let Ok(Some(number)) = core_schema::parse_number(word) {
            return self.add(ValueKind::Number(number), start);
        }
        let kind = self.builder.not_finite(word, Span::new(start, self.at));
        self.add(kind, start)
    }

    /// Starts at the opening quote.
    fn string(&mut self) -> Result<String, ParseAborted> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            // Compiled for size, each step of an iterator would be a call.
            let (from, bytes) = (self.at, self.text.as_bytes());
            while let Some(byte) = bytes.get(self.at)
                && !is_special(*byte)
            {
                self.at += 1;
            }
            let piece = self.text.get(from..self.at).unwrap_or_default();
            if self.next() == Some(b'"') {
                self.at += 1;
                // Most strings are one piece.
                return Ok(if text.is_empty() { piece.to_owned() } else { text + piece });
            }
            text.push_str(piece);
            match self.next() {
                Some(b'\\') => text.push(self.escape()?),
                Some(b'\n' | b'\r') | None => {
                    return self.syntax(
                        start,
                        start + 1,
                        "the closing quote of this text is missing",
                        "close it before the end of the line; write `\\n` for a line break",
                    );
                }
                Some(_) => self.unexpected(
                    "a control character is not allowed in text",
                    "write it as `\\t` or `\\u0000`",
                )?,
            }
        }
    }

    /// Starts at the backslash.
    fn escape(&mut self) -> Result<char, ParseAborted> {
        let start = self.at;
        if let Some((c, length)) = escape(self.rest()) {
            self.at += length;
            return Ok(c);
        }
        if self.text.as_bytes().get(start + 1) != Some(&b'u') {
            return self.syntax(start, start + 1, "no such escape", "write a backslash itself as `\\\\`");
        }
        self.syntax(
            start,
            start + 2,
            "no character has this code",
            "write `\\u` and four hexadecimal digits, both halves of a pair",
        )
    }

    fn add(&mut self, kind: ValueKind, start: usize) -> Result<(), ParseAborted> {
        self.builder.add(Spanned { kind, span: Span::new(start, self.at) })
    }

    fn skip_whitespace(&mut self) -> usize {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.at
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn unexpected<T>(&mut self, message: &str, help: &str) -> Result<T, ParseAborted> {
        let message = if self.next().is_none() { "the text ends too early" } else { message };
        if begins_comment(self.rest()) {
            return self.syntax(self.at, self.at + 2, NO_COMMENTS, COMMENT_HELP);
        }
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        self.syntax(self.at, self.at + length, message, help)
    }

    fn syntax<T>(
        &mut self,
        start: usize,
        end: usize,
        message: impl Into<String>,
        help: &str,
    ) -> Result<T, ParseAborted> {
        let diagnostic = Diagnostic::new(Code::SourceSyntax, message).at(Span::new(start, end)).help(help);
        self.builder.stop(diagnostic)
    }
}

/// JSON's grammar has no `+1`, `01`, `.5` or `1.`.
pub(super) fn is_number(word: &str) -> bool {
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, power) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, p)| (m, Some(p)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && power.is_none_or(|power| digits(power.strip_prefix(['+', '-']).unwrap_or(power)))
}

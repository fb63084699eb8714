//! The JSON reader, generic over its [`JsonPolicy`]: what values are built, and what an error means.
//!
//! Invariants:
//! 1. The reader accepts only texts that RFC 8259 allows.
//! 2. It does not recurse.
//!
//! Source: RFC 8259.

use super::{escape, is_special, lone_surrogate};
use crate::diagnostic::Span;
use crate::source::json::{COMMENT_HELP, NO_COMMENTS, begins_comment, is_number};
use crate::source::{Container, Spanned, ValueKind, parse_number};

/// Builds values and handles errors.
pub(crate) trait JsonPolicy {
    /// Ends the reading.
    type Stop;
    /// Whether a lone surrogate becomes U+FFFD. Otherwise it is an error.
    const REPLACES_SURROGATES: bool;

    fn top(&self) -> Container;
    fn open(&mut self, container: Container, start: usize) -> Result<(), Self::Stop>;
    fn close(&mut self, end: usize) -> Result<(), Self::Stop>;
    fn key(&mut self, name: String, span: Span);
    fn add(&mut self, scalar: Spanned) -> Result<(), Self::Stop>;
    /// Adds a number outside the range of floats.
    fn add_too_large(&mut self, word: &str, span: Span) -> Result<(), Self::Stop>;
    /// Handles an error. With a `word`, the message is about it.
    fn stop<T>(&mut self, span: Span, word: &str, message: &str, help: &str) -> Result<T, Self::Stop>;
}

pub(crate) struct JsonReader<'t, P> {
    text: &'t str,
    at: usize,
    pub(crate) policy: P,
}

impl<'t, P: JsonPolicy> JsonReader<'t, P> {
    /// Reads from `at` to the end.
    pub(crate) fn new(text: &'t str, at: usize, policy: P) -> Self {
        Self { text, at, policy }
    }

    pub(crate) fn document(&mut self) -> Result<(), P::Stop> {
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
    fn value(&mut self) -> Result<bool, P::Stop> {
        let start = self.skip_whitespace();
        match self.next() {
            Some(b'{') => return self.open(Container::Map, start),
            Some(b'[') => return self.open(Container::List, start),
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

    fn open(&mut self, container: Container, start: usize) -> Result<bool, P::Stop> {
        self.policy.open(container, start)?;
        self.at += 1;
        self.skip_whitespace();
        if container == Container::List {
            return self.close_if(b']');
        }
        let closed = self.close_if(b'}')?;
        if !closed {
            self.key()?;
        }
        Ok(closed)
    }

    /// `false` if all containers are closed.
    fn more(&mut self) -> Result<bool, P::Stop> {
        loop {
            self.skip_whitespace();
            let (close, message) = match self.policy.top() {
                Container::None => return Ok(false),
                Container::List => (b']', "a `,` or a `]` is missing here"),
                Container::Map => (b'}', "a `,` or a `}` is missing here"),
            };
            if self.close_if(close)? {
                continue;
            }
            if self.next() != Some(b',') {
                return self.unexpected(message, "separate values by commas and close every bracket");
            }
            self.at += 1;
            self.skip_whitespace();
            if self.next() == Some(close) {
                return self
                    .unexpected("a value is missing after the comma", "remove the comma before the bracket");
            }
            if close == b'}' {
                self.key()?;
            }
            return Ok(true);
        }
    }

    fn close_if(&mut self, bracket: u8) -> Result<bool, P::Stop> {
        if self.next() != Some(bracket) {
            return Ok(false);
        }
        self.at += 1;
        self.policy.close(self.at)?;
        Ok(true)
    }

    fn key(&mut self) -> Result<(), P::Stop> {
        let start = self.at;
        if self.next() != Some(b'"') {
            return self
                .unexpected("a key in double quotes is missing here", "write every key in double quotes");
        }
        let name = self.string()?;
        self.policy.key(name, Span::new(start, self.at));
        self.skip_whitespace();
        if self.next() != Some(b':') {
            return self.unexpected("a `:` is missing after the key", "write `:` and a value after the key");
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, start: usize) -> Result<(), P::Stop> {
        let word = self.take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
        let kind = match word {
            "null" => ValueKind::Null,
            "true" => ValueKind::Bool(true),
            "false" => ValueKind::Bool(false),
            _ => {
                let span = Span::new(start, self.at);
                return self.policy.stop(span, word, "is not a JSON value", "write text in double quotes");
            }
        };
        self.add(kind, start)
    }

    fn number(&mut self, start: usize) -> Result<(), P::Stop> {
        let word = self.take_while(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
        if !is_number(word) {
            let help = "write digits, perhaps with a fraction or an exponent";
            return self.policy.stop(Span::new(start, self.at), word, "is not a JSON number", help);
        }
        match parse_number(word) {
            Ok(Some(number)) => self.add(ValueKind::Number(number), start),
            _ => self.policy.add_too_large(word, Span::new(start, self.at)),
        }
    }

    /// Starts at the opening quote.
    fn string(&mut self) -> Result<String, P::Stop> {
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
                    return self.stop(
                        start,
                        start + 1,
                        "the closing quote of this text is missing",
                        "close it before the end of the line; write `\\n` for a line break",
                    );
                }
                Some(_) => {
                    return self.unexpected(
                        "a control character is not allowed in text",
                        "write it as `\\t` or `\\u0000`",
                    );
                }
            }
        }
    }

    /// Starts at the backslash.
    fn escape(&mut self) -> Result<char, P::Stop> {
        let (start, rest) = (self.at, self.rest());
        let found = escape(rest).or_else(|| lone_surrogate(rest).filter(|_| P::REPLACES_SURROGATES));
        if let Some((c, length)) = found {
            self.at += length;
            return Ok(c);
        }
        if rest.as_bytes().get(1) != Some(&b'u') {
            return self.stop(start, start + 1, "no such escape", "write a backslash itself as `\\\\`");
        }
        self.stop(
            start,
            start + 2,
            "no character has this code",
            "write `\\u` and four hexadecimal digits, both halves of a pair",
        )
    }

    fn add(&mut self, kind: ValueKind, start: usize) -> Result<(), P::Stop> {
        self.policy.add(Spanned { kind, span: Span::new(start, self.at) })
    }

    fn take_while(&mut self, belongs: impl Fn(&u8) -> bool) -> &'t str {
        let rest = self.rest();
        let word = rest.get(..rest.bytes().take_while(belongs).count()).unwrap_or_default();
        self.at += word.len();
        word
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

    fn unexpected<T>(&mut self, message: &str, help: &str) -> Result<T, P::Stop> {
        let message = if self.next().is_none() { "the text ends too early" } else { message };
        if begins_comment(self.rest()) {
            return self.stop(self.at, self.at + 2, NO_COMMENTS, COMMENT_HELP);
        }
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        self.stop(self.at, self.at + length, message, help)
    }

    fn stop<T>(&mut self, start: usize, end: usize, message: &str, help: &str) -> Result<T, P::Stop> {
        self.policy.stop(Span::new(start, end), "", message, help)
    }
}

//! Lexes plain flow collections on one line.
//!
//! The parser reads all others: keys without a value, pairs in lists, trailing commas, escapes, comments, tabs and
//! several lines.
//!
//! Invariant: The parser would return the same tokens and positions, or an error.
//!
//! Source: YAML 1.2.2 section 7.4.

use crate::line_lexer::{MAX_KEY_CHARS, begins_plain, byte, quoted_end};

/// A flow token. Its position decides whether text is a key.
///
/// # Units
/// Byte offsets in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowToken {
    /// Opening bracket.
    Open {
        /// Its position.
        start: usize,
        /// List, not map.
        list: bool,
    },
    /// Key or value.
    Text {
        /// Includes the quote.
        start: usize,
        /// The end.
        end: usize,
        /// Quote, or 0.
        quote: u8,
    },
    /// Closing bracket.
    Close {
        /// The end.
        end: usize,
    },
}

/// Lexer of one flow collection.
#[derive(Debug)]
pub struct FlowLexer<'t> {
    bytes: &'t [u8],
    at: usize,
    /// Open brackets as bits, the innermost lowest; 1 is a list.
    lists: u64,
    depth: u32,
    expected: Expected,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// An entry, or an immediate closing bracket.
    First,
    Entry,
    Value,
    /// Comma or closing bracket.
    Separator,
    /// All brackets closed.
    Done,
}

impl<'t> FlowLexer<'t> {
    /// Starts at a bracket.
    pub fn new(bytes: &'t [u8], start: usize) -> Self {
        Self { bytes, at: start, lists: 0, depth: 0, expected: Expected::Value }
    }

    /// `None` after the last token, and where text is not plain.
    #[inline(never)]
    pub fn next_token(&mut self) -> Option<FlowToken> {
        if self.expected == Expected::Done {
            return None;
        }
        self.skip_whitespace();
        if self.expected == Expected::Separator && self.byte(self.at) == b',' {
            self.at += 1;
            self.expected = Expected::Entry;
            self.skip_whitespace();
        }
        let in_list = self.lists & 1 == 1;
        match (self.expected, self.byte(self.at)) {
            (Expected::First | Expected::Separator, b']') if in_list => Some(self.close()),
            (Expected::First | Expected::Separator, b'}') if !in_list => Some(self.close()),
            (Expected::Separator, _) => None,
            (Expected::First | Expected::Entry, _) if !in_list => self.key(),
            (_, bracket @ (b'[' | b'{')) => self.open(bracket == b'['),
            _ => self.value(),
        }
    }

    /// The end, if all is plain.
    pub(super) fn end(mut self) -> Option<usize> {
        while self.next_token().is_some() {}
        (self.expected == Expected::Done).then_some(self.at)
    }

    fn open(&mut self, list: bool) -> Option<FlowToken> {
        if self.depth == u64::BITS {
            return None;
        }
        let start = self.at;
        self.at += 1;
        self.depth += 1;
        self.lists = self.lists << 1 | u64::from(list);
        self.expected = Expected::First;
        Some(FlowToken::Open { start, list })
    }

    fn close(&mut self) -> FlowToken {
        self.at += 1;
        self.depth -= 1;
        self.lists >>= 1;
        self.expected = if self.depth == 0 { Expected::Done } else { Expected::Separator };
        FlowToken::Close { end: self.at }
    }

    /// Requires a colon and space.
    fn key(&mut self) -> Option<FlowToken> {
        let (end, quote) = self.text()?;
        let start = std::mem::replace(&mut self.at, end + 1);
        let is_key = self.byte(end) == b':' && self.byte(end + 1) == b' ' && end - start <= MAX_KEY_CHARS;
        self.expected = Expected::Value;
        is_key.then_some(FlowToken::Text { start, end, quote })
    }

    fn value(&mut self) -> Option<FlowToken> {
        let (end, quote) = self.text()?;
        let start = std::mem::replace(&mut self.at, end);
        self.expected = Expected::Separator;
        Some(FlowToken::Text { start, end, quote })
    }

    fn text(&self) -> Option<(usize, u8)> {
        match self.byte(self.at) {
            quote @ (b'"' | b'\'') => Some((quoted_end(self.bytes, self.at)?, quote)),
            _ => Some((self.plain_end()?, 0)),
        }
    }

    /// Before a colon, a comma or a closing bracket.
    fn plain_end(&self) -> Option<usize> {
        if !begins_plain(self.bytes, self.at) {
            return None;
        }
        let (mut at, mut end) = (self.at, self.at);
        loop {
            match (self.byte(at), self.byte(at + 1)) {
                (b' ', b'#') => return None,
                (b' ', _) => {}
                (b',' | b']' | b'}', _) => return Some(end),
                (b':', b' ') => return (end == at).then_some(end),
                (b':' | b'-', b',' | b'[' | b']' | b'{' | b'}' | b'\t' | b'\r' | b'\n' | 0) => return None,
                (b'[' | b'{' | b'\t' | b'\r' | b'\n' | 0, _) => return None,
                _ => end = at + 1,
            }
            at += 1;
        }
    }

    fn skip_whitespace(&mut self) {
        while self.byte(self.at) == b' ' {
            self.at += 1;
        }
    }

    #[inline]
    fn byte(&self, at: usize) -> u8 {
        byte(self.bytes, at)
    }
}

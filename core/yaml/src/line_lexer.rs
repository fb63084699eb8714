//! Lexes plain YAML: keys and values on their own lines, dashes, comments.
//!
//! A line is plain if its meaning depends on no other. The rest is [`LineToken::NotPlain`]: multi-line brackets, block
//! scalars, escapes, anchors, tags, tabs, several documents. The caller derives structure from columns, and checks
//! token positions.
//!
//! Invariant: The parser would return the same tokens and positions, or an error.
//!
//! Source: YAML 1.2.2 chapters 6 to 8.

use crate::flow_lexer::FlowLexer;

/// In bytes; the parser's higher limit counts characters.
pub(super) const MAX_KEY_CHARS: usize = 1000;

/// Line tokens, outside byte order marks, control characters and document ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineToken {
    /// Item dash.
    Dash(TokenSpan),
    /// A key; its colon is passed.
    Key(TokenSpan),
    /// A value after a key or dash, or alone.
    Value(TokenSpan),
    /// Plain brackets after a key or dash, for [`FlowLexer`].
    Flow(TokenSpan),
    /// Text end.
    End,
    /// Not plain; the empty span leaves the end open.
    NotPlain(TokenSpan),
}

/// Token span.
///
/// # Units
/// Bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenSpan {
    /// Includes the quote.
    pub start: usize,
    /// The end.
    pub end: usize,
    /// Distance from the line's start.
    pub column: usize,
    /// First in line.
    pub first: bool,
    /// Quote, or 0.
    pub quote: u8,
}

/// Lexer of plain lines.
#[derive(Debug)]
pub struct LineLexer<'t> {
    bytes: &'t [u8],
    at: usize,
    line: usize,
    before: LinePrefix,
}

/// Preceding token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinePrefix {
    None,
    Dash,
    Key,
    Value,
}

impl<'t> LineLexer<'t> {
    /// Lexes a text.
    pub fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), at: 0, line: 0, before: LinePrefix::None }
    }

    /// After [`LineToken::NotPlain`] the caller must skip the value.
    #[inline(never)]
    pub fn next_token(&mut self) -> LineToken {
        loop {
            let blanks = self.at;
            while self.byte(self.at) == b' ' {
                self.at += 1;
            }
            let apart = self.at > blanks || self.before == LinePrefix::None;
            if self.byte(self.at) == b'#' && apart {
                self.skip_line();
            }
            if self.ends_line(self.at) {
                if self.at >= self.bytes.len() {
                    return LineToken::End;
                }
                self.next_line();
                continue;
            }
            let before = self.before;
            let other = self.place(self.at, self.at, 0);
            let token = match self.byte(self.at) {
                _ if !apart || before == LinePrefix::Value => None,
                b'-' if self.ends_word(self.at + 1) => self.dash(),
                quote @ (b'"' | b'\'') => self.quoted(quote),
                b'{' | b'[' if before != LinePrefix::None => self.brackets(),
                _ => self.plain(),
            };
            return token.unwrap_or(LineToken::NotPlain(other));
        }
    }

    /// Skips to the next line with content in `column` or left of it, ignoring comments. Returns its start, or the
    /// text's end.
    pub fn skip_to(&mut self, at: usize, column: usize) -> usize {
        (self.at, self.before) = (at, LinePrefix::None);
        loop {
            while !matches!(self.byte(self.at), b'\n' | 0) {
                self.at += 1;
            }
            if self.at >= self.bytes.len() {
                return self.at;
            }
            self.next_line();
            while self.byte(self.at) == b' ' {
                self.at += 1;
            }
            let empty = matches!(self.byte(self.at), b'\n' | b'\r' | b'#' | 0);
            if !empty && self.at - self.line <= column {
                self.at = self.line;
                return self.line;
            }
        }
    }

    #[inline]
    fn byte(&self, at: usize) -> u8 {
        byte(self.bytes, at)
    }

    fn next_line(&mut self) {
        self.at += 1 + usize::from(self.byte(self.at) == b'\r');
        self.line = self.at;
        self.before = LinePrefix::None;
    }

    #[inline]
    fn skip_line(&mut self) {
        while !matches!(self.byte(self.at), b'\n' | b'\r' | 0) {
            self.at += 1;
        }
    }

    #[inline]
    fn ends_line(&self, at: usize) -> bool {
        match self.byte(at) {
            b'\n' | 0 => true,
            b'\r' => self.byte(at + 1) == b'\n',
            _ => false,
        }
    }

    #[inline]
    fn ends_word(&self, at: usize) -> bool {
        self.byte(at) == b' ' || self.ends_line(at)
    }

    fn place(&self, start: usize, end: usize, quote: u8) -> TokenSpan {
        TokenSpan { start, end, column: start - self.line, first: self.before == LinePrefix::None, quote }
    }

    fn dash(&mut self) -> Option<LineToken> {
        if self.before == LinePrefix::Key {
            return None;
        }
        let span = self.place(self.at, self.at + 1, 0);
        self.at += 1;
        self.before = LinePrefix::Dash;
        Some(LineToken::Dash(span))
    }

    /// Requires that only a comment follows: otherwise brackets may be a key.
    fn brackets(&mut self) -> Option<LineToken> {
        let start = self.at;
        let end = FlowLexer::new(self.bytes, start).end()?;
        let mut behind = end;
        while self.byte(behind) == b' ' {
            behind += 1;
        }
        let last = self.ends_line(behind) || (behind > end && self.byte(behind) == b'#');
        let span = self.place(start, end, 0);
        (self.at, self.before) = (end, LinePrefix::Value);
        last.then_some(LineToken::Flow(span))
    }

    fn quoted(&mut self, quote: u8) -> Option<LineToken> {
        let start = self.at;
        let end = quoted_end(self.bytes, start)?;
        if self.byte(end) == b':' { self.key(start, end, quote) } else { Some(self.value(start, end, quote)) }
    }

    /// Ends at a line's end, comment or colon.
    fn plain(&mut self) -> Option<LineToken> {
        let start = self.at;
        if !begins_plain(self.bytes, start) {
            return None;
        }
        let (mut at, mut end) = (start, start);
        loop {
            match self.byte(at) {
                b' ' if self.byte(at + 1) == b'#' => break,
                b' ' => {}
                b'\n' | 0 => break,
                b'\r' if self.ends_line(at) => break,
                b'\t' | b'\r' => return None,
                // After a space, the parser decides.
                b':' if self.ends_word(at + 1) => return (end == at).then(|| self.key(start, end, 0))?,
                b':' if matches!(self.byte(at + 1), b'\t' | b'\r') => return None,
                _ => end = at + 1,
            }
            at += 1;
        }
        Some(self.value(start, end, 0))
    }

    fn key(&mut self, start: usize, end: usize, quote: u8) -> Option<LineToken> {
        if self.before == LinePrefix::Key || end - start > MAX_KEY_CHARS || !self.ends_word(end + 1) {
            return None;
        }
        let span = self.place(start, end, quote);
        self.at = end + 1;
        self.before = LinePrefix::Key;
        Some(LineToken::Key(span))
    }

    fn value(&mut self, start: usize, end: usize, quote: u8) -> LineToken {
        let span = self.place(start, end, quote);
        self.at = end;
        self.before = LinePrefix::Value;
        LineToken::Value(span)
    }
}

/// 0 after the end, since texts contain none.
#[inline]
pub(super) fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

pub(super) fn begins_plain(bytes: &[u8], at: usize) -> bool {
    match byte(bytes, at) {
        b'_' | b'/' | b'$' | b'(' | b'+' | b'.' | b'~' | b'<' | b'=' => true,
        b'-' => byte(bytes, at + 1).is_ascii_alphanumeric(),
        b => b.is_ascii_alphanumeric() || b >= 0x80,
    }
}

/// On one line, without escapes and doubled quotes.
pub(super) fn quoted_end(bytes: &[u8], start: usize) -> Option<usize> {
    let quote = byte(bytes, start);
    let mut end = start + 1;
    loop {
        match byte(bytes, end) {
            b'\n' | b'\r' | 0 => return None,
            b'\\' if quote == b'"' => return None,
            b if b != quote => end += 1,
            _ if byte(bytes, end + 1) == quote => return None,
            _ => return Some(end + 1),
        }
    }
}

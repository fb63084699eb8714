//! The words of the plainest YAML, which nearly all of a plan is: keys and values on lines of their own, dashes, comments.
//!
//! Decides what is so plain that a line says all there is to say about it. Anything else is [`LineToken::NotPlain`]: brackets over several
//! lines, blocks of text, escapes, anchors, tags, tabs, several documents. Which words make which lists and maps, and whether they may stand where
//! they do, is for its caller to decide by their columns.
//!
//! Invariant: the parser would find the same words at the same places, unless it found a mistake.
//!
//! Source: YAML 1.2.2 chapters 6 to 8.

use crate::flow_lexer::FlowLexer;

/// How long a key may be: with fewer characters than the parser allows, however many bytes each has.
pub(super) const MAX_KEY_CHARS: usize = 1000;

/// One thing in a text without byte order marks, control characters and ends of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineToken {
    /// A dash before an item.
    Dash(TokenSpan),
    /// A key; the colon after it is passed.
    Key(TokenSpan),
    /// A value on the line of its key or dash, or alone on a line.
    Value(TokenSpan),
    /// A list or map between brackets, all of it plain, behind a key or a dash; its [`FlowLexer`] say what is in it.
    Flow(TokenSpan),
    /// The end of the text.
    End,
    /// Something that is not as plain, and how it goes on is not known; so its end is its beginning.
    NotPlain(TokenSpan),
}

/// Where a word stands.
///
/// # Units
/// Bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenSpan {
    /// Where it begins, its quote included.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// How far from the beginning of its line.
    pub column: usize,
    /// Whether nothing precedes it on its line.
    pub first: bool,
    /// Its quote; 0 without one.
    pub quote: u8,
}

/// The words of a text, one by one.
#[derive(Debug)]
pub struct LineLexer<'t> {
    bytes: &'t [u8],
    at: usize,
    line: usize,
    before: LinePrefix,
}

/// What precedes the place on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinePrefix {
    None,
    Dash,
    Key,
    Value,
}

impl<'t> LineLexer<'t> {
    /// The words of a text.
    pub fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), at: 0, line: 0, before: LinePrefix::None }
    }

    /// The next word; nothing more is to be asked after [`LineToken::NotPlain`].
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

    /// Goes on at the first line behind `at` that is neither empty nor a comment and begins in a column or before it. Gives where
    /// that line begins, or the text ends.
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

    /// Steps over the end of a line.
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

    /// Whether the line or the text ends there.
    #[inline]
    fn ends_line(&self, at: usize) -> bool {
        match self.byte(at) {
            b'\n' | 0 => true,
            b'\r' => self.byte(at + 1) == b'\n',
            _ => false,
        }
    }

    /// Whether a blank, the end of the line or that of the text stands there.
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

    /// A list or map between brackets, which nothing but a comment follows on its line: else it may be a key.
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

    /// A text in quotes.
    fn quoted(&mut self, quote: u8) -> Option<LineToken> {
        let start = self.at;
        let end = quoted_end(self.bytes, start)?;
        if self.byte(end) == b':' { self.key(start, end, quote) } else { Some(self.value(start, end, quote)) }
    }

    /// A text without quotes, up to the end of the line, a comment or a colon.
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
                // A blank may precede the colon, and then the word is something to look at closely.
                b':' if self.ends_word(at + 1) => return (end == at).then(|| self.key(start, end, 0))?,
                b':' if matches!(self.byte(at + 1), b'\t' | b'\r') => return None,
                _ => end = at + 1,
            }
            at += 1;
        }
        Some(self.value(start, end, 0))
    }

    /// A key, behind which a colon stands.
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

/// What stands there; 0 behind the end, since nothing else is 0.
#[inline]
pub(super) fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// Whether a plain word can begin with what stands there.
pub(super) fn begins_plain(bytes: &[u8], at: usize) -> bool {
    match byte(bytes, at) {
        b'_' | b'/' | b'$' | b'(' | b'+' | b'.' | b'~' | b'<' | b'=' => true,
        b'-' => byte(bytes, at + 1).is_ascii_alphanumeric(),
        b => b.is_ascii_alphanumeric() || b >= 0x80,
    }
}

/// Where a text ends that begins with a quote: on its line, without escapes and without quotes that are doubled.
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

//! The cursor of the parsers of references, conditions and templates.

use crate::base::Span;

/// In bytes, by whole characters.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    pub(crate) fn seek(&mut self, at: usize) {
        self.at = at;
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(crate) fn slice(&self, from: usize) -> &'a str {
        self.text.get(from..self.at).unwrap_or("")
    }

    pub(crate) fn before(&self, at: usize) -> &'a str {
        self.between(0, at)
    }

    pub(crate) fn between(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or("")
    }

    /// Nearly all text is ASCII.
    pub(crate) fn peek(&self) -> Option<char> {
        match self.text.as_bytes().get(self.at) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            Some(_) => self.rest().chars().next(),
            None => None,
        }
    }

    pub(crate) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(crate) fn eat(&mut self, word: &str) -> bool {
        let comes = self.rest().starts_with(word);
        if comes {
            self.at += word.len();
        }
        comes
    }

    pub(crate) fn skip_whitespace(&mut self) {
        self.skip_while(char::is_whitespace);
    }

    pub(crate) fn skip_while(&mut self, mut keep: impl FnMut(char) -> bool) {
        while let Some(next) = self.peek()
            && keep(next)
        {
            self.at += next.len_utf8();
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.at >= self.text.len()
    }

    /// An empty span grows by the next character, so editors can mark it.
    pub(crate) fn span(&self, start: usize) -> Span {
        let end = if self.at > start { self.at } else { start + self.peek().map_or(0, char::len_utf8) };
        Span::new(start, end)
    }
}

//! Open containers and found items.

use super::SyntaxItem;
use std::borrow::Cow;
use stepgraph_core::diagnostic::Span;

#[derive(Debug, Clone, Copy)]
pub(super) struct OpenBlock {
    pub(super) item: usize,
    pub(super) column: usize,
    pub(super) list: bool,
    pub(super) last: Option<usize>,
}

#[derive(Debug)]
pub(super) struct SyntaxParser<'t> {
    pub(super) text: &'t str,
    pub(super) items: Vec<SyntaxItem>,
    pub(super) open: Vec<OpenBlock>,
    pub(super) at: usize,
}

impl<'t> SyntaxParser<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let root = SyntaxItem { value: Span::at(at), start: at, ..SyntaxItem::default() };
        Self { text, items: vec![root], open: Vec::new(), at }
    }

    pub(super) fn parse(&mut self) {
        let first = self.content(self.at);
        if matches!(self.byte(first), b'{' | b'[') {
            self.flow(first, 0, None);
            return;
        }
        while self.at < self.text.len() {
            let line = self.at;
            self.line(line);
            // Always advance.
            let end = self.next_line(line);
            self.at = self.at.max(end);
        }
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or_default()
    }

    fn content(&self, mut at: usize) -> usize {
        loop {
            match self.byte(at) {
                b' ' | b'\t' | b'\n' | b'\r' => at += 1,
                b'#' => at = self.line_end(at),
                _ => return at,
            }
        }
    }

    pub(super) fn skip(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), b' ' | b'\t') {
            at += 1;
        }
        at
    }

    pub(super) fn line_end(&self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at + rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len())
    }

    pub(super) fn next_line(&self, at: usize) -> usize {
        let end = self.line_end(at);
        match (self.byte(end), self.byte(end + 1)) {
            (b'\r', b'\n') => end + 2,
            (b'\r' | b'\n', _) => end + 1,
            _ => end,
        }
    }

    pub(super) fn is_over(&self, at: usize) -> bool {
        let next = self.skip(at);
        let comment = self.byte(next) == b'#' && (next > at || next == 0 || self.is_blank(next - 1));
        next >= self.text.len() || matches!(self.byte(next), b'\n' | b'\r') || comment
    }

    pub(super) fn is_blank(&self, at: usize) -> bool {
        matches!(self.byte(at), b' ' | b'\t' | b'\n' | b'\r') || at >= self.text.len()
    }

    pub(super) fn add(&mut self, item: SyntaxItem) -> usize {
        self.items.push(item);
        self.items.len() - 1
    }

    pub(super) fn change(&mut self, at: usize, change: impl FnOnce(&mut SyntaxItem)) {
        if let Some(item) = self.items.get_mut(at) {
            change(item);
        }
    }

    pub(super) fn item(&self, at: usize) -> SyntaxItem {
        self.items.get(at).copied().unwrap_or_default()
    }

    /// If it is not closed before `limit`, returns the end of its first line.
    pub(super) fn quote_end(&self, at: usize, limit: usize) -> usize {
        let quote = self.byte(at);
        let mut end = at + 1;
        while end < limit {
            match self.byte(end) {
                b if b == quote && quote == b'\'' && self.byte(end + 1) == quote => end += 2,
                b if b == quote => return end + 1,
                b'\\' if quote == b'"' => end += 2,
                _ => end += 1,
            }
        }
        self.trimmed(at, self.line_end(at).min(limit.max(at + 1)))
    }

    pub(super) fn trimmed(&self, from: usize, end: usize) -> usize {
        from + self.slice(from, end).trim_end_matches([' ', '\t', '\r', '\n']).len()
    }

    pub(super) fn plain_end(&self, at: usize) -> usize {
        let end = self.line_end(at);
        let text = self.slice(at, end);
        let end = text.find(" #").or_else(|| text.find("\t#")).map_or(end, |comment| at + comment);
        self.trimmed(at, end)
    }

    pub(super) fn deeper_end(&self, at: usize, column: Option<usize>) -> usize {
        let mut end = self.line_end(at);
        loop {
            let line = self.next_line(end);
            if line == end {
                return end;
            }
            let content = self.skip(line);
            let blank = content >= self.text.len() || matches!(self.byte(content), b'\n' | b'\r');
            if !blank && column.is_some_and(|column| content - line <= column) {
                return end;
            }
            end = self.line_end(line);
        }
    }
}

pub(crate) fn unquote(raw: &str) -> Cow<'_, str> {
    let inner = |quote: char| {
        let rest = raw.strip_prefix(quote)?;
        Some(rest.strip_suffix(quote).unwrap_or(rest))
    };
    if let Some(inner) = inner('"') {
        if !inner.contains('\\') {
            return Cow::Borrowed(inner);
        }
        let parsed = stepgraph_core::json::parse(&format!("\"{inner}\""));
        return Cow::Owned(
            parsed.and_then(|text| Some(text.as_str()?.to_owned())).unwrap_or_else(|| inner.to_owned()),
        );
    }
    match inner('\'') {
        Some(inner) if inner.contains("''") => Cow::Owned(inner.replace("''", "'")),
        Some(inner) => Cow::Borrowed(inner),
        None => Cow::Borrowed(raw),
    }
}

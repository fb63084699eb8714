//! Locates a document's parts in its text. The lines of an entry include the comments directly above it, and
//! the deeper ones below it.

use super::super::lexeme::{byte, is_space, line_end, line_start, property_end, skip_whitespace};
use super::super::{Entry, Format, Spanned, ValueKind};
use crate::diagnostic::Span;
use crate::value::Segment;
use std::cell::RefCell;
use std::collections::HashMap;

pub(super) struct DocumentText<'t> {
    pub(super) text: &'t str,
    pub(super) root: &'t Spanned,
    pub(super) json: bool,
    pub(super) newline: &'static str,
    /// One level, in columns.
    pub(super) indent_width: usize,
    pub(super) flush_lists: bool,
    /// Large maps by address, their entries by key.
    index: RefCell<HashMap<*const Spanned, HashMap<&'t str, usize>>>,
}

const MAX_LINEAR_ENTRIES: usize = 16;

#[derive(Debug, Clone, Copy)]
pub(super) struct Slot<'t> {
    pub(super) holder: &'t Spanned,
    pub(super) index: usize,
}

impl<'t> Slot<'t> {
    pub(super) fn value(self) -> Option<&'t Spanned> {
        match &self.holder.kind {
            ValueKind::Map(entries) => entries.get(self.index).map(|entry| &entry.value),
            ValueKind::List(items) => items.get(self.index),
            _ => None,
        }
    }

    pub(super) fn entry(self) -> Option<&'t Entry> {
        self.holder.as_map()?.get(self.index)
    }

    pub(super) fn count(self) -> usize {
        match &self.holder.kind {
            ValueKind::Map(entries) => entries.len(),
            ValueKind::List(items) => items.len(),
            _ => 0,
        }
    }

    pub(super) fn own_end(self) -> usize {
        let key = self.entry().map_or(0, |entry| entry.key_span.end);
        self.value().map_or(key, |value| value.span.end.max(key))
    }

    pub(super) fn sibling(self, at: usize) -> Option<Self> {
        (at < self.count()).then_some(Self { index: at, ..self })
    }
}

impl<'t> DocumentText<'t> {
    pub(super) fn new(text: &'t str, root: &'t Spanned, format: Format) -> Self {
        let ending = text.find('\n').map_or(0, |at| at.saturating_sub(1));
        let mut document = Self {
            text,
            root,
            json: format == Format::Json,
            newline: if byte(text, ending) == b'\r' { "\r\n" } else { "\n" },
            indent_width: 2,
            flush_lists: false,
            index: RefCell::default(),
        };
        document.detect_indentation();
        document
    }

    /// The first nested map decides the width, the last list its style.
    fn detect_indentation(&mut self) {
        let Some(entries) = self.root.as_map() else { return };
        let mut step = None;
        for entry in entries {
            let column = self.column(entry.key_span.start);
            let (span, deep) = match &entry.value.kind {
                ValueKind::Map(inner) => (inner.first().map(|inner| inner.key_span), true),
                ValueKind::List(_) if !self.is_flow(&entry.value) => (Some(entry.value.span), false),
                _ => (None, false),
            };
            let Some(span) =
                span.filter(|span| self.line_start(span.start) != self.line_start(entry.key_span.start))
            else {
                continue;
            };
            let inner = self.column(span.start);
            if deep && inner > column {
                step = step.or(Some(inner - column));
            }
            if !deep {
                self.flush_lists = inner == column;
            }
        }
        self.indent_width = step.unwrap_or(2).clamp(1, 8);
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or_default()
    }

    pub(super) fn line_start(&self, at: usize) -> usize {
        line_start(self.text, at)
    }

    pub(super) fn previous_line(&self, line: usize) -> usize {
        let pair = line > 1 && self.slice(line - 2, line) == "\r\n";
        self.line_start(line - 1 - usize::from(pair))
    }

    pub(super) fn column(&self, at: usize) -> usize {
        at - self.line_start(at)
    }

    pub(super) fn line_end(&self, at: usize) -> usize {
        line_end(self.text, at)
    }

    pub(super) fn next_line(&self, at: usize) -> usize {
        let end = self.line_end(at);
        match (byte(self.text, end), byte(self.text, end + 1)) {
            (b'\r', b'\n') => end + 2,
            (b'\r' | b'\n', _) => end + 1,
            _ => end,
        }
    }

    pub(super) fn is_flow(&self, value: &Spanned) -> bool {
        self.json || matches!(byte(self.text, value.span.start), b'{' | b'[')
    }

    /// An alias's children are elsewhere in the text.
    pub(super) fn is_alias(&self, value: &Spanned) -> bool {
        !self.json && byte(self.text, value.span.start) == b'*' && value.span.end > value.span.start
    }

    /// The last slot may be empty.
    pub(super) fn resolve_path(&self, path: &[Segment]) -> Option<Vec<Slot<'t>>> {
        let mut slots = Vec::with_capacity(path.len());
        let mut holder = self.root;
        for (number, segment) in path.iter().enumerate() {
            let at = match (&holder.kind, segment) {
                (ValueKind::Map(entries), Segment::Key(key)) => {
                    self.position(holder, entries, key).unwrap_or(entries.len())
                }
                (ValueKind::List(_), Segment::Index(at)) => *at,
                (ValueKind::Null, _) => 0,
                _ => return None,
            };
            let slot = Slot { holder, index: at };
            slots.push(slot);
            match slot.value() {
                Some(value) => holder = value,
                None if number + 1 == path.len() => {}
                None => return None,
            }
        }
        Some(slots)
    }

    fn position(&self, holder: &'t Spanned, entries: &'t [Entry], key: &str) -> Option<usize> {
        if entries.len() <= MAX_LINEAR_ENTRIES {
            return entries.iter().position(|entry| entry.key == key);
        }
        let mut index = self.index.borrow_mut();
        let numbered = || entries.iter().enumerate().map(|(at, entry)| (entry.key.as_str(), at)).collect();
        index.entry(holder).or_insert_with(numbered).get(key).copied()
    }

    pub(super) fn span_of(&self, path: &[Segment]) -> Span {
        let found = (0..=path.len()).rev().find_map(|length| {
            let slots = self.resolve_path(path.get(..length)?)?;
            match slots.last() {
                Some(slot) => slot.value().map(|value| value.span),
                None => Some(self.root.span),
            }
        });
        found.unwrap_or_default()
    }

    /// Changes of a document with aliases may affect other paths.
    pub(super) fn has_aliases(&self) -> bool {
        !self.json && self.text.contains('&') && self.text.contains('*')
    }

    /// Includes the dash, anchor or tag.
    pub(super) fn start(&self, slot: Slot<'t>) -> usize {
        let own = match slot.entry() {
            Some(entry) => entry.key_span.start,
            None => slot.value().map_or(slot.holder.span.start, |value| value.span.start),
        };
        if self.is_flow(slot.holder) {
            return self.flow_start(slot, own);
        }
        let column = self.column(slot.holder.span.start);
        if slot.index == 0 { slot.holder.span.start } else { self.at_column(own, column) }
    }

    /// The last position up to `at` in this column, after indentation only.
    fn at_column(&self, at: usize, column: usize) -> usize {
        let mut line = self.line_start(at);
        loop {
            let place = line + column;
            let indented = self.slice(line, place).bytes().all(|b| b == b' ');
            if place <= at && indented && !is_space(byte(self.text, place)) && byte(self.text, place) != b'#'
            {
                return place;
            }
            if line == 0 {
                return at;
            }
            line = self.previous_line(line);
        }
    }

    fn flow_start(&self, slot: Slot<'t>, own: usize) -> usize {
        let before = match slot.index.checked_sub(1).and_then(|at| slot.sibling(at)) {
            Some(before) => {
                let comma = skip_whitespace(self.text, before.own_end());
                comma + usize::from(byte(self.text, comma) == b',')
            }
            None => slot.holder.span.start + 1,
        };
        skip_whitespace(self.text, before).min(own)
    }

    /// Before the line break. Includes comments after the entry, and deeper ones below it.
    pub(super) fn end(&self, slot: Slot<'t>) -> usize {
        let column = self.column(slot.holder.span.start);
        let mut end = self.line_end(slot.own_end());
        loop {
            let line = self.next_line(end);
            let content =
                line + self.slice(line, self.line_end(line)).bytes().take_while(|b| *b == b' ').count();
            if line == end || byte(self.text, content) != b'#' || content - line <= column {
                return end;
            }
            end = self.line_end(line);
        }
    }

    /// Includes comments directly above. `None` within a line.
    pub(super) fn lines_start(&self, slot: Slot<'t>) -> Option<usize> {
        let start = self.start(slot);
        let mut line = self.line_start(start);
        if !self.is_blank(line, start) {
            return None;
        }
        let column = start - line;
        // Comments above the document's first entry describe the whole file.
        let top = slot.index == 0 && std::ptr::eq(slot.holder, self.root);
        while line > 0 && !top {
            let above = self.previous_line(line);
            let content = self.slice(above, line);
            let indent = content.bytes().take_while(|b| *b == b' ').count();
            if indent != column || byte(self.text, above + indent) != b'#' {
                break;
            }
            line = above;
        }
        Some(line)
    }

    pub(super) fn is_blank(&self, from: usize, to: usize) -> bool {
        self.slice(from, to).bytes().all(|b| b == b' ' || b == b'\t')
    }

    pub(super) fn is_empty_above(&self, line: usize) -> bool {
        line > 0 && {
            let above = self.previous_line(line);
            above < line && self.slice(above, line).trim().is_empty()
        }
    }

    /// After the colon or dash, anchor and tag.
    pub(super) fn value_start(&self, slot: Slot<'t>) -> usize {
        self.properties(slot).last().map_or_else(|| self.sign_end(slot), |span| span.end)
    }

    fn sign_end(&self, slot: Slot<'t>) -> usize {
        match slot.entry() {
            Some(entry) => skip_whitespace(self.text, entry.key_span.end) + 1,
            None if self.is_flow(slot.holder) => self.start(slot),
            None => self.start(slot) + 1,
        }
    }

    /// Each with the whitespace before it.
    fn properties(&self, slot: Slot<'t>) -> Vec<Span> {
        let mut at = self.sign_end(slot);
        let until = slot.value().map_or(at, |value| value.span.start);
        let mut found = Vec::new();
        loop {
            let next = skip_whitespace(self.text, at);
            if next >= until || !matches!(byte(self.text, next), b'&' | b'!') {
                return found;
            }
            found.push(Span::new(at, property_end(self.text, next)));
            at = property_end(self.text, next);
        }
    }

    pub(super) fn anchor(&self, slot: Slot<'t>) -> Option<&'t str> {
        let mut properties = self.properties(slot).into_iter();
        properties.find_map(|span| self.slice(span.start, span.end).trim_start().strip_prefix('&'))
    }

    pub(super) fn alias(&self, value: &Spanned) -> Option<&'t str> {
        self.is_alias(value).then(|| self.slice(value.span.start + 1, value.span.end))
    }

    fn anchors(&self, slot: Slot<'t>, found: &mut Vec<Span>) {
        let is_anchor = |span: &Span| self.slice(span.start, span.end).contains('&');
        found.extend(self.properties(slot).into_iter().filter(is_anchor));
        if let Some(holder) = slot.value().filter(|value| !self.is_alias(value)) {
            let inner = Slot { holder, index: 0 };
            (0..inner.count())
                .filter_map(|at| inner.sibling(at))
                .for_each(|inner| self.anchors(inner, found));
        }
    }

    /// Omits anchors: if one is duplicate, some parsers use the later one, and others fail.
    pub(super) fn copied(&self, slot: Slot<'t>, from: usize, end: usize) -> String {
        let mut anchors = Vec::new();
        if !self.json && self.slice(from, end).contains('&') {
            self.anchors(slot, &mut anchors);
        }
        let mut out = String::new();
        let mut at = from;
        for span in anchors {
            out.push_str(self.slice(at, span.start));
            at = span.end;
        }
        out.push_str(self.slice(at, end));
        out
    }
}

//! Parses block style.

use super::parser::{OpenBlock, SyntaxParser};
use super::{SyntaxItem, ValueForm};
use stepgraph_core::diagnostic::Span;

impl SyntaxParser<'_> {
    /// A value may extend further.
    pub(super) fn line(&mut self, line: usize) {
        let mut at = self.skip(line);
        self.at = self.next_line(line);
        if self.is_over(line) || self.byte(at) == b'%' && at == line {
            return;
        }
        if at == line && (self.marks(at, "---") || self.marks(at, "...")) {
            // A document marker closes all containers.
            self.open.clear();
            at = self.skip(at + 3);
            if self.is_over(at) {
                return;
            }
        }
        // Several dashes are nested lists.
        while self.byte(at) == b'-' && self.is_blank(at + 1) {
            let Some(item) = self.dash(at, at - line) else { return };
            let rest = self.skip(at + 1);
            if self.is_over(at + 1) {
                return;
            }
            let goes_on = self.byte(rest) == b'-' && self.is_blank(rest + 1);
            if !(goes_on || self.begins_entry(rest)) {
                self.value(item, rest, Some(at - line));
                return;
            }
            at = rest;
        }
        self.entry(at, at - line);
    }

    fn marks(&self, at: usize, mark: &str) -> bool {
        self.slice(at, at + 3) == mark && self.is_blank(at + 3)
    }

    fn key_end(&self, at: usize) -> Option<usize> {
        match self.byte(at) {
            b'"' | b'\'' => {
                let end = self.quote_end(at, self.line_end(at));
                let colon = self.skip(end);
                (self.byte(colon) == b':' && self.is_blank(colon + 1)).then_some(end)
            }
            b'{' | b'[' | b'|' | b'>' | b'#' => None,
            _ => {
                let end = self.plain_end(at);
                let text = self.slice(at, end);
                let found = text.match_indices(':').find(|(colon, _)| self.is_blank(at + colon + 1))?.0;
                Some(self.trimmed(at, at + found))
            }
        }
    }

    fn begins_entry(&self, at: usize) -> bool {
        let at = self.properties(at);
        self.key_end(at).is_some()
    }

    fn properties(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), b'&' | b'!') {
            while !self.is_blank(at) {
                at += 1;
            }
            at = self.skip(at);
        }
        at
    }

    fn close_deeper(&mut self, column: usize, dash: bool) {
        while let Some(open) = self.open.last() {
            if open.column > column || (open.column == column && open.list && !dash) {
                self.open.pop();
            } else {
                return;
            }
        }
    }

    fn holder(&self) -> usize {
        match self.open.last() {
            Some(open) => open.last.unwrap_or(open.item),
            None => 0,
        }
    }

    fn dash(&mut self, at: usize, column: usize) -> Option<usize> {
        self.close_deeper(column, true);
        let fits = self.open.last().is_some_and(|open| open.list && open.column == column);
        if !fits {
            let holder = self.holder();
            if !self.start_container(holder, ValueForm::List, column) {
                self.continue_scalar(holder, at);
                return None;
            }
        }
        let parent = self.open.last().map_or(0, |open| open.item);
        let value = Span::at((at + 2).min(self.text.len()).min(self.line_end(at)));
        let item = self.add(SyntaxItem { parent, start: at, column, value, ..SyntaxItem::default() });
        self.note(item);
        Some(item)
    }

    fn start_container(&mut self, holder: usize, form: ValueForm, column: usize) -> bool {
        let item = self.item(holder);
        let can = item.form == ValueForm::Missing || (item.form == form && !item.flow);
        if can {
            self.change(holder, |item| item.form = form);
            self.open.push(OpenBlock { item: holder, column, list: form == ValueForm::List, last: None });
        }
        can
    }

    fn note(&mut self, item: usize) {
        if let Some(open) = self.open.last_mut() {
            open.last = Some(item);
        }
    }

    fn continue_scalar(&mut self, holder: usize, at: usize) {
        let end = self.plain_end(at);
        if self.item(holder).form == ValueForm::Scalar {
            self.change(holder, |item| item.value.end = end);
        }
    }

    fn entry(&mut self, at: usize, column: usize) {
        let key = self.properties(at);
        let end = self.key_end(key);
        self.close_deeper(column, false);
        let fits = self.open.last().is_some_and(|open| !open.list && open.column == column);
        if !fits && !self.find_map(key, end.is_some(), column) {
            return;
        }
        let parent = self.open.last().map_or(0, |open| open.item);
        let Some(end) = end else {
            // The user is typing a key.
            let end = if matches!(self.byte(key), b'"' | b'\'') {
                self.quote_end(key, self.line_end(key))
            } else {
                self.plain_end(key)
            };
            let span = Span::new(key, end);
            let item = SyntaxItem {
                parent,
                key: Some(span),
                start: at,
                column,
                value: Span::at(end),
                ..SyntaxItem::default()
            };
            let item = self.add(item);
            return self.note(item);
        };
        let colon = self.skip(end);
        let value = Span::at(if self.byte(colon + 1) == b' ' { colon + 2 } else { colon + 1 });
        let span = Span::new(key, end);
        let item = self.add(SyntaxItem {
            parent,
            key: Some(span),
            colon: true,
            start: at,
            column,
            value,
            ..SyntaxItem::default()
        });
        self.note(item);
        let rest = self.skip(colon + 1);
        if !self.is_over(colon + 1) {
            self.value(item, rest, Some(column));
        }
    }

    /// Handles unusual indentation. Returns whether the line is an entry.
    fn find_map(&mut self, at: usize, keyed: bool, column: usize) -> bool {
        let holder = self.holder();
        let item = self.item(holder);
        let line = super::line_start(self.text, item.value.start);
        match item.form {
            ValueForm::Missing if keyed => self.start_container(holder, ValueForm::Map, column),
            ValueForm::Map if !item.flow => self.start_container(holder, ValueForm::Map, column),
            ValueForm::Missing => {
                // A value, or a key's start.
                self.value(holder, at, self.open.last().map(|open| open.column));
                false
            }
            ValueForm::Scalar if keyed && item.value.start - line == column => {
                // The text above was a key without a colon.
                let typed = item.value;
                self.change(holder, |item| item.form = ValueForm::Missing);
                self.start_container(holder, ValueForm::Map, column);
                let key = SyntaxItem {
                    parent: holder,
                    key: Some(typed),
                    start: typed.start,
                    column,
                    value: Span::at(typed.end),
                    ..SyntaxItem::default()
                };
                let key = self.add(key);
                self.note(key);
                true
            }
            ValueForm::Scalar if keyed && self.open.last().is_some_and(|open| !open.list) => true,
            ValueForm::Scalar => {
                self.continue_scalar(holder, at);
                false
            }
            _ => self.open.last().is_some_and(|open| !open.list),
        }
    }

    fn value(&mut self, item: usize, at: usize, column: Option<usize>) {
        let start = self.properties(at);
        if self.is_over(start) {
            self.change(item, |item| item.value = Span::at(start));
            return;
        }
        let end = match self.byte(start) {
            b'{' | b'[' => {
                let end = self.flow(start, item, Some(column.unwrap_or(0)));
                self.at = self.next_line(end);
                return;
            }
            b'|' | b'>' => {
                let end = self.deeper_end(start, column);
                self.at = self.next_line(end);
                self.trimmed(start, end)
            }
            b'"' | b'\'' => {
                let end = self.quote_end(start, self.deeper_end(start, column));
                self.at = self.next_line(end);
                end
            }
            _ => self.plain_end(start),
        };
        self.change(item, |item| {
            item.form = ValueForm::Scalar;
            item.value = Span::new(start, end);
        });
    }
}

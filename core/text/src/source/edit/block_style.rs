//! Edits block-style containers by whole lines. New entries have blank lines between them if the existing
//! ones have.

use super::super::lexeme::byte;
use super::emit::Quote;
use super::locate::{DocumentText, Slot};
use crate::diagnostic::{Span, TextEdit};
use crate::value::Segment;
use serde_json::Value as Json;

pub(super) fn replace(from: usize, to: usize, text: impl Into<String>) -> TextEdit {
    TextEdit { span: Span::new(from, to), text: text.into() }
}

impl<'t> DocumentText<'t> {
    pub(super) fn replace_in_block(&self, slot: Slot<'t>, value: &Json) -> Option<Vec<TextEdit>> {
        let old = slot.value()?;
        let column = self.column(slot.holder.span.start);
        let (value_start, written) = (self.value_start(slot), self.slice(old.span.start, old.span.end));
        let flow = self.is_flow(old);
        // An empty container shows no preference for flow style.
        let flat = flow && Slot { holder: old, index: 0 }.count() > 0;
        let after = self.block_value(value, column, slot.entry().is_none(), flat);
        let block = !flow && !self.is_alias(old) && (old.as_map().is_some() || old.as_list().is_some());
        if block && self.line_start(value_start) != self.line_start(old.span.start) {
            // A comment after the key stays.
            let line = self.line_end(value_start);
            let end = self.end(slot);
            return Some(if after.starts_with(self.newline) {
                vec![replace(line, end, after)]
            } else {
                vec![replace(value_start, value_start, after), replace(line, end, "")]
            });
        }
        if block {
            return Some(vec![replace(value_start, slot.own_end().max(value_start), after)]);
        }
        let breaks = after.find(['\n', '\r']);
        if !written.is_empty() && (breaks.is_none() || self.has_comment(value_start, old.span.start)) {
            return self.replace_below(slot, value, &after);
        }
        let Some(at) = breaks else {
            let text = match value {
                Json::String(_) => self.scalar(value, Quote::of(written), false),
                _ => after.trim_start().to_owned(),
            };
            return Some(vec![replace(value_start, value_start, format!(" {text}"))]);
        };
        // A comment stays on the key's line.
        let (head, tail) = after.split_at(at);
        let comment = self.header_comment(old.span.start, old.span.end);
        if !comment.is_empty() {
            return Some(vec![replace(value_start, old.span.end, format!("{head}{comment}{tail}"))]);
        }
        let line = self.line_end(old.span.end.max(value_start));
        Some(vec![replace(value_start, old.span.end.max(value_start), head), replace(line, line, tail)])
    }

    pub(super) fn insert_in_block(
        &self,
        value_start: Slot<'t>,
        segment: &Segment,
        value: &Json,
    ) -> Option<Vec<TextEdit>> {
        let column = self.column(value_start.holder.span.start);
        let neighbour = value_start
            .sibling(value_start.index)
            .or_else(|| value_start.sibling(value_start.count().checked_sub(1)?))?;
        let flat = neighbour.value().is_some_and(|value| self.is_flow(value));
        let like = neighbour.value().and_then(|like| self.block_value_like(value, like));
        let after = |dash: bool| like.unwrap_or_else(|| self.block_value(value, column, dash, flat));
        let text = match segment {
            Segment::Key(key) => {
                let quote = neighbour.entry().map_or(Quote::Plain, |entry| self.quote(entry.key_span));
                format!("{}:{}", self.key(key, quote, false), after(false))
            }
            Segment::Index(_) => format!("-{}", after(true)),
        };
        self.insert_lines(value_start, &text)
    }

    pub(super) fn insert_lines(&self, value_start: Slot<'t>, text: &str) -> Option<Vec<TextEdit>> {
        let column = self.column(value_start.holder.span.start);
        let (newline, indent) = (self.newline, " ".repeat(column));
        let gap = if self.has_blank_lines(value_start) { newline } else { "" };
        if let Some(next) = value_start.sibling(value_start.index) {
            return Some(match self.lines_start(next) {
                Some(line) => vec![replace(line, line, format!("{indent}{text}{newline}{gap}"))],
                None => {
                    let start = self.start(next);
                    vec![replace(start, start, format!("{text}{newline}{indent}"))]
                }
            });
        }
        let end = self.end(value_start.sibling(value_start.count().checked_sub(1)?)?);
        Some(vec![replace(end, end, format!("{newline}{gap}{indent}{text}"))])
    }

    /// The last entry decides.
    pub(super) fn has_blank_lines(&self, value_start: Slot<'t>) -> bool {
        let last = value_start
            .count()
            .checked_sub(1)
            .filter(|last| *last > 0)
            .and_then(|last| value_start.sibling(last));
        last.and_then(|last| self.lines_start(last)).is_some_and(|line| self.is_empty_above(line))
    }

    fn quote(&self, span: Span) -> Quote {
        Quote::of(self.slice(span.start, span.end))
    }

    pub(super) fn remove_in_block(&self, value_start: Slot<'t>, brought: bool) -> Option<Vec<TextEdit>> {
        let Some(line) = self.removed_from(value_start, brought) else {
            return self.remove_first(value_start);
        };
        let end = self.end(value_start);
        let to = self.next_line(end);
        let last = value_start.index + 1 == value_start.count();
        let mut from = line;
        let empty_below = to >= self.text.len() || self.slice(to, self.line_end(to)).trim().is_empty();
        while (last || empty_below) && self.is_empty_above(from) {
            from = self.previous_line(from);
        }
        Some(vec![replace(from, to, "")])
    }

    /// The entry shares its line with the item's dash.
    fn remove_first(&self, value_start: Slot<'t>) -> Option<Vec<TextEdit>> {
        let next = value_start.sibling(value_start.index + 1)?;
        let (start, after) = (self.start(value_start), self.start(next));
        let end = self.end(value_start);
        let between = self.slice(end, after);
        if between.trim().is_empty() {
            return Some(vec![replace(start, after, "")]);
        }
        let blanks =
            self.slice(self.line_start(start), start).bytes().rev().take_while(|b| *b == b' ').count();
        Some(vec![replace(start - blanks, end, "")])
    }

    /// Its lines and comments move along.
    pub(super) fn move_in_block(&self, value_start: Slot<'t>, to: usize) -> Option<Vec<TextEdit>> {
        let other = value_start.sibling(to).filter(|_| to != value_start.index)?;
        let (from, end) = (self.lines_start(value_start)?, self.end(value_start));
        let rest = self.next_line(end);
        let lines = self.slice(from, end);
        let cut = replace(from, rest, "");
        if to < value_start.index {
            let at = self.lines_start(other)?;
            return Some(vec![replace(at, at, format!("{lines}{}", self.newline)), cut]);
        }
        let at = self.end(other);
        Some(vec![cut, replace(at, at, format!("{}{lines}", self.newline))])
    }

    pub(super) fn copy_in_block(&self, value_start: Slot<'t>, key: &str) -> Option<Vec<TextEdit>> {
        let entry = value_start.entry()?;
        let end = self.end(value_start);
        let name = self.key(key, self.quote(entry.key_span), false);
        let text = format!("{name}{}", self.copied(value_start, entry.key_span.end, end));
        if byte(self.text, self.start(value_start)) == b'?' {
            return None;
        }
        let indent = " ".repeat(self.column(value_start.holder.span.start));
        let gap = if self.has_blank_lines(value_start) { self.newline } else { "" };
        Some(vec![replace(end, end, format!("{}{gap}{indent}{text}", self.newline))])
    }
}

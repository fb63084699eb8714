//! Changes of lists and maps in block style: whole lines come, go and move.
//!
//! Decides which lines those are, and whether an empty line goes between entries: it does where the others have one.

use super::super::lexeme::byte;
use super::emit::Quote;
use super::locate::{Held, Site};
use crate::diagnostic::{Span, TextEdit};
use crate::value::Segment;
use serde_json::Value as Json;

pub(super) fn put(from: usize, to: usize, text: impl Into<String>) -> TextEdit {
    TextEdit { span: Span::new(from, to), text: text.into() }
}

impl<'t> Site<'t> {
    /// Puts a value in the place of another one that a block holds.
    pub(super) fn replace_in_block(&self, held: Held<'t>, value: &Json) -> Option<Vec<TextEdit>> {
        let old = held.value()?;
        let column = self.column(held.holder.span.start);
        let (slot, written) = (self.slot(held), self.part(old.span.start, old.span.end));
        let flow = self.is_flow(old);
        // Brackets around nothing say nothing of taste.
        let flat = flow && Held { holder: old, at: 0 }.count() > 0;
        let after = self.after(value, column, held.entry().is_none(), flat);
        let block = !flow && !self.is_alias(old) && (old.as_map().is_some() || old.as_list().is_some());
        if block && self.line_start(slot) != self.line_start(old.span.start) {
            // A comment behind the key stays there.
            let line = self.line_end(slot);
            let end = self.end(held);
            return Some(if after.starts_with(self.newline) {
                vec![put(line, end, after)]
            } else {
                vec![put(slot, slot, after), put(line, end, "")]
            });
        }
        if block {
            return Some(vec![put(slot, held.own_end().max(slot), after)]);
        }
        let breaks = after.find(['\n', '\r']);
        if !written.is_empty() && (breaks.is_none() || self.has_comment(slot, old.span.start)) {
            return self.replace_below(held, value, &after);
        }
        let Some(at) = breaks else {
            let text = match value {
                Json::String(_) => self.scalar(value, Quote::of(written), false),
                _ => after.trim_start().to_owned(),
            };
            return Some(vec![put(slot, slot, format!(" {text}"))]);
        };
        // A comment stays on the line of the key.
        let (head, tail) = after.split_at(at);
        let comment = self.header_comment(old.span.start, old.span.end);
        if !comment.is_empty() {
            return Some(vec![put(slot, old.span.end, format!("{head}{comment}{tail}"))]);
        }
        let line = self.line_end(old.span.end.max(slot));
        Some(vec![put(slot, old.span.end.max(slot), head), put(line, line, tail)])
    }

    /// Adds an entry or an item to a block.
    pub(super) fn insert_in_block(
        &self,
        held: Held<'t>,
        segment: &Segment,
        value: &Json,
    ) -> Option<Vec<TextEdit>> {
        let column = self.column(held.holder.span.start);
        let neighbour = held.other(held.at).or_else(|| held.other(held.count().checked_sub(1)?))?;
        let flat = neighbour.value().is_some_and(|value| self.is_flow(value));
        let like = neighbour.value().and_then(|like| self.after_like(value, like));
        let after = |dash: bool| like.unwrap_or_else(|| self.after(value, column, dash, flat));
        let text = match segment {
            Segment::Key(key) => {
                let quote = neighbour.entry().map_or(Quote::Plain, |entry| self.quote(entry.key_span));
                format!("{}:{}", self.key(key, quote, false), after(false))
            }
            Segment::Index(_) => format!("-{}", after(true)),
        };
        self.lines_in(held, &text)
    }

    /// Puts lines before an entry, or behind the last.
    pub(super) fn lines_in(&self, held: Held<'t>, text: &str) -> Option<Vec<TextEdit>> {
        let column = self.column(held.holder.span.start);
        let (newline, indent) = (self.newline, " ".repeat(column));
        let gap = if self.is_airy(held) { newline } else { "" };
        if let Some(next) = held.other(held.at) {
            return Some(match self.lines_start(next) {
                Some(line) => vec![put(line, line, format!("{indent}{text}{newline}{gap}"))],
                None => {
                    let start = self.start(next);
                    vec![put(start, start, format!("{text}{newline}{indent}"))]
                }
            });
        }
        let end = self.end(held.other(held.count().checked_sub(1)?)?);
        Some(vec![put(end, end, format!("{newline}{gap}{indent}{text}"))])
    }

    /// Whether entries have an empty line between them: the last has one above it.
    pub(super) fn is_airy(&self, held: Held<'t>) -> bool {
        let last = held.count().checked_sub(1).filter(|last| *last > 0).and_then(|last| held.other(last));
        last.and_then(|last| self.lines_start(last)).is_some_and(|line| self.is_empty_above(line))
    }

    fn quote(&self, span: Span) -> Quote {
        Quote::of(self.part(span.start, span.end))
    }

    /// Takes an entry or item away, when it is not the only one.
    pub(super) fn remove_in_block(&self, held: Held<'t>, brought: bool) -> Option<Vec<TextEdit>> {
        let Some(line) = self.removed_from(held, brought) else { return self.remove_first(held) };
        let end = self.end(held);
        let to = self.next_line(end);
        let last = held.at + 1 == held.count();
        let mut from = line;
        let empty_below = to >= self.text.len() || self.part(to, self.line_end(to)).trim().is_empty();
        while (last || empty_below) && self.is_empty_above(from) {
            from = self.above(from);
        }
        Some(vec![put(from, to, "")])
    }

    /// Takes away an entry that stands on one line with the dash of the item that it belongs to.
    fn remove_first(&self, held: Held<'t>) -> Option<Vec<TextEdit>> {
        let next = held.other(held.at + 1)?;
        let (start, after) = (self.start(held), self.start(next));
        let end = self.end(held);
        let between = self.part(end, after);
        if between.trim().is_empty() {
            return Some(vec![put(start, after, "")]);
        }
        let blanks =
            self.part(self.line_start(start), start).bytes().rev().take_while(|b| *b == b' ').count();
        Some(vec![put(start - blanks, end, "")])
    }

    /// Moves an item of a list, its lines and comments.
    pub(super) fn move_in_block(&self, held: Held<'t>, to: usize) -> Option<Vec<TextEdit>> {
        let other = held.other(to).filter(|_| to != held.at)?;
        let (from, end) = (self.lines_start(held)?, self.end(held));
        let rest = self.next_line(end);
        let lines = self.part(from, end);
        let cut = put(from, rest, "");
        if to < held.at {
            let at = self.lines_start(other)?;
            return Some(vec![put(at, at, format!("{lines}{}", self.newline)), cut]);
        }
        let at = self.end(other);
        Some(vec![cut, put(at, at, format!("{}{lines}", self.newline))])
    }

    /// Copies an entry as it is written.
    pub(super) fn copy_in_block(&self, held: Held<'t>, key: &str) -> Option<Vec<TextEdit>> {
        let entry = held.entry()?;
        let end = self.end(held);
        let name = self.key(key, self.quote(entry.key_span), false);
        let text = format!("{name}{}", self.copied(held, entry.key_span.end, end));
        if byte(self.text, self.start(held)) == b'?' {
            return None;
        }
        let indent = " ".repeat(self.column(held.holder.span.start));
        let gap = if self.is_airy(held) { self.newline } else { "" };
        Some(vec![put(end, end, format!("{}{gap}{indent}{text}", self.newline))])
    }
}

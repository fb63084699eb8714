//! Edits of flow-style containers and of JSON. New items get their own lines if existing ones have them.

use super::super::lexeme::{byte, skip_whitespace};
use super::super::{Spanned, ValueKind};
use super::block_style::replace;
use super::emit::{MAX_FLOW_CHARS, Quote};
use super::locate::{DocumentText, Slot};
use crate::diagnostic::TextEdit;
use crate::value::{Segment, json_text};
use serde_json::Value as Json;

impl<'t> DocumentText<'t> {
    pub(super) fn indentation(&self, at: usize) -> usize {
        let line = self.line_start(at);
        self.slice(line, at).bytes().take_while(|b| *b == b' ').count()
    }

    /// The closing bracket aligns with its opening line, but deeper than the block around it.
    pub(super) fn bracket_column(&self, at: usize) -> usize {
        let own = self.indentation(at);
        match self.block_column(at) {
            Some(block) if own <= block => block + self.indent_width,
            _ => own,
        }
    }

    /// The innermost block around an offset in brackets.
    fn block_column(&self, at: usize) -> Option<usize> {
        let (mut value, mut column) = (self.root, None);
        while !self.is_flow(value) {
            let child = match &value.kind {
                ValueKind::Map(entries) => {
                    let next = entries.partition_point(|entry| entry.key_span.start <= at);
                    next.checked_sub(1).and_then(|last| entries.get(last)).map(|entry| &entry.value)
                }
                ValueKind::List(items) => {
                    let next = items.partition_point(|item| item.span.start <= at);
                    next.checked_sub(1).and_then(|last| items.get(last))
                }
                _ => None,
            };
            let Some(child) = child else { break };
            (value, column) = (child, Some(self.column(value.span.start)));
        }
        column
    }

    fn is_multiline(&self, value: &Spanned) -> bool {
        let first = skip_whitespace(self.text, value.span.start + 1);
        self.line_start(first) != self.line_start(value.span.start)
    }

    pub(super) fn replace_in_flow(&self, slot: Slot<'t>, value: &Json) -> Option<Vec<TextEdit>> {
        let old = slot.value()?;
        let written = self.slice(old.span.start, old.span.end);
        let text = match value {
            Json::Array(_) | Json::Object(_) => {
                let tall = self.is_multiline(slot.holder) && (self.json || written.contains('\n'));
                self.brackets(value, self.bracket_column(old.span.start), tall)
            }
            scalar => self.scalar(scalar, Quote::of(written), true),
        };
        if !written.is_empty() {
            return Some(vec![replace(old.span.start, old.span.end, text)]);
        }
        let Some(entry) = slot.entry() else {
            return Some(vec![replace(old.span.start, old.span.start, text)]);
        };
        let colon = skip_whitespace(self.text, entry.key_span.end);
        if byte(self.text, colon) != b':' {
            return Some(vec![replace(entry.key_span.end, entry.key_span.end, format!(": {text}"))]);
        }
        let value_start = self.value_start(slot);
        Some(vec![replace(value_start, value_start, format!(" {text}"))])
    }

    pub(super) fn insert_in_flow(
        &self,
        value_start: Slot<'t>,
        segment: &Segment,
        value: &Json,
    ) -> Option<Vec<TextEdit>> {
        let tall = self.is_multiline(value_start.holder);
        let neighbour = value_start
            .sibling(value_start.index)
            .or_else(|| value_start.sibling(value_start.count().checked_sub(1)?));
        let column = match neighbour {
            Some(neighbour) if tall => self.bracket_column(self.start(neighbour)),
            _ => self.bracket_column(value_start.holder.span.start),
        };
        let like = neighbour.and_then(Slot::value).filter(|like| self.is_flow(like) && !self.is_alias(like));
        let value = match (value, like) {
            (value, _) if self.is_compact(neighbour) => json_text(value),
            (Json::Object(map), Some(like)) if !self.json && !map.is_empty() => {
                let line = self.flow_line_like(map, like);
                if line.len() + column <= MAX_FLOW_CHARS { line } else { self.brackets(value, column, false) }
            }
            _ => {
                let flat = like.is_some_and(|like| {
                    like.as_map().is_some_and(|map| !map.is_empty())
                        && !self.slice(like.span.start, like.span.end).contains('\n')
                });
                self.brackets(value, column, tall && self.json && !flat)
            }
        };
        let text = match segment {
            Segment::Key(key) => {
                let quote = neighbour.and_then(Slot::entry).map_or(Quote::Plain, |entry| {
                    Quote::of(self.slice(entry.key_span.start, entry.key_span.end))
                });
                let colon = if self.is_compact(neighbour) { ":" } else { ": " };
                format!("{}{colon}{value}", self.key(key, quote, true))
            }
            Segment::Index(_) => value,
        };
        self.insert_piece(value_start, &text)
    }

    /// Whether there are no spaces, as in minified JSON.
    fn is_compact(&self, neighbour: Option<Slot<'t>>) -> bool {
        let Some(entry) = neighbour.and_then(Slot::entry) else { return false };
        self.json && self.slice(entry.key_span.end, entry.value.span.start) == ":"
    }

    /// Inserts before another item, or after the last.
    pub(super) fn insert_piece(&self, value_start: Slot<'t>, text: &str) -> Option<Vec<TextEdit>> {
        let (open, tall) = (value_start.holder.span.start + 1, self.is_multiline(value_start.holder));
        if value_start.count() == 0 {
            return Some(vec![replace(open, value_start.holder.span.end.checked_sub(1)?, text)]);
        }
        let blank = if self.is_compact(value_start.sibling(0)) { "" } else { " " };
        if let Some(next) = value_start.sibling(value_start.index) {
            let start = self.start(next);
            let line = self.line_start(start);
            let own_line = tall && self.is_blank(line, start);
            let between = if own_line {
                format!("{}{}", self.newline, self.slice(line, start))
            } else {
                blank.to_owned()
            };
            return Some(vec![replace(start, start, format!("{text},{between}"))]);
        }
        let last = value_start.sibling(value_start.count().checked_sub(1)?)?;
        let (start, end) = (self.start(last), last.own_end());
        let line = self.line_start(start);
        if !(tall && self.is_blank(line, start)) {
            return Some(vec![replace(end, end, format!(",{blank}{text}"))]);
        }
        let indent = self.slice(line, start);
        let comma = skip_whitespace(self.text, end);
        let behind = if byte(self.text, comma) == b',' { comma + 1 } else { end };
        let rest = self.line_end(behind);
        let trailing = if behind > end { "," } else { "" };
        let added = replace(rest, rest, format!("{}{indent}{text}{trailing}", self.newline));
        // A comment stays next to its item.
        let closes = !matches!(self.slice(behind, rest).trim_start().as_bytes().first(), None | Some(b'#'));
        if closes {
            return Some(vec![replace(end, end, format!(",{}{indent}{text}", self.newline))]);
        }
        Some(if behind > end { vec![added] } else { vec![replace(end, end, ","), added] })
    }

    pub(super) fn remove_in_flow(&self, value_start: Slot<'t>) -> Option<Vec<TextEdit>> {
        let (start, end) = (self.start(value_start), value_start.own_end());
        let comma = skip_whitespace(self.text, end);
        let behind = if byte(self.text, comma) == b',' { comma + 1 } else { end };
        if value_start.count() == 1 {
            let (open, close) =
                (value_start.holder.span.start + 1, value_start.holder.span.end.checked_sub(1)?);
            let remarks = self.has_comment(open, start) || self.has_comment(end, close);
            return Some(vec![if remarks { replace(start, behind, "") } else { replace(open, close, "") }]);
        }
        let line = self.line_start(start);
        let rest = self.line_end(behind);
        let alone = self.is_blank(line, start)
            && matches!(self.slice(behind, rest).trim_start().as_bytes().first(), None | Some(b'#'));
        let Some(next) = value_start.sibling(value_start.index + 1) else {
            let before = value_start.sibling(value_start.index.checked_sub(1)?)?;
            let from = before.own_end();
            // An item without trailing comma takes the comma before it along. A comment between them stays.
            let own_comma = behind > end;
            let comma = skip_whitespace(self.text, from);
            let remarks = self.has_comment(from, start);
            return Some(match (own_comma, alone) {
                (true, true) => vec![replace(line, self.next_line(rest), "")],
                (false, true) => vec![replace(comma, comma + 1, ""), replace(line, self.next_line(rest), "")],
                (true, false) if remarks => vec![replace(start, behind, "")],
                (false, false) if remarks => vec![replace(comma, comma + 1, ""), replace(start, end, "")],
                (true, false) => vec![replace(comma + 1, behind, "")],
                (false, false) => vec![replace(from, end, "")],
            });
        };
        let next = self.start(next);
        Some(vec![if alone {
            replace(line, self.next_line(rest), "")
        } else if self.has_comment(end, next) {
            replace(start, behind, "")
        } else {
            replace(start, next, "")
        }])
    }

    /// The text between the items stays.
    pub(super) fn move_in_flow(&self, value_start: Slot<'t>, to: usize) -> Option<Vec<TextEdit>> {
        let (first, last) = (value_start.index.min(to), value_start.index.max(to));
        let text = |at: usize| {
            Some(self.slice(self.start(value_start.sibling(at)?), value_start.sibling(at)?.own_end()))
        };
        (first..=last)
            .map(|at| {
                let from = match at {
                    at if at == to => value_start.index,
                    at if value_start.index < to => at + 1,
                    at => at - 1,
                };
                let place = value_start.sibling(at)?;
                Some(replace(self.start(place), place.own_end(), text(from)?))
            })
            .collect()
    }

    pub(super) fn copy_in_flow(&self, value_start: Slot<'t>, key: &str) -> Option<Vec<TextEdit>> {
        let entry = value_start.entry()?;
        let quote = Quote::of(self.slice(entry.key_span.start, entry.key_span.end));
        let text = format!(
            "{}{}",
            self.key(key, quote, true),
            self.copied(value_start, entry.key_span.end, value_start.own_end())
        );
        self.insert_piece(Slot { index: value_start.index + 1, ..value_start }, &text)
    }
}

//! Entries and items that move as written, with their comments. The move fails if a target in brackets would
//! lose comments.

use super::change::NewValue;
use super::emit::Quote;
use super::locate::{DocumentText, Slot};
use crate::diagnostic::TextEdit;
use crate::value::Segment;

impl<'t> DocumentText<'t> {
    pub(super) fn insert_relocated(
        &self,
        slots: &[Slot<'t>],
        before: Option<usize>,
        entries: &[(String, NewValue)],
    ) -> Option<Vec<TextEdit>> {
        let holder = match slots.last() {
            Some(slot) => slot.value()?,
            None => self.root,
        };
        let whole = Slot { holder, index: 0 };
        if whole.count() == 0 || slots.iter().any(|slot| self.is_alias(slot.holder)) || self.is_alias(holder)
        {
            return None;
        }
        let slot = Slot { index: before.unwrap_or(usize::MAX).min(whole.count()), ..whole };
        let is_list = holder.as_list().is_some();
        if self.is_flow(holder) {
            let column =
                self.bracket_column(whole.sibling(0).map_or(holder.span.start, |first| self.start(first)));
            let pieces: Option<Vec<String>> = entries
                .iter()
                .map(|(key, value)| self.flow_entry_of((!is_list).then_some(key), value, column))
                .collect();
            return self.insert_piece(slot, &pieces?.join(", "));
        }
        let column = self.column(holder.span.start);
        let lines: Option<Vec<String>> = entries
            .iter()
            .map(|(key, value)| self.block_entry_of((!is_list).then_some(key), value, column))
            .collect();
        let gap = if self.has_blank_lines(slot) { self.newline } else { "" };
        let between = format!("{}{gap}{}", self.newline, " ".repeat(column));
        self.insert_lines(slot, &lines?.join(&between))
    }

    fn slot_at(&self, path: &[Segment]) -> Option<Slot<'t>> {
        let slot = *self.resolve_path(path)?.last()?;
        slot.value().map(|_| slot)
    }

    /// The first line has no indentation.
    fn block_entry_of(&self, key: Option<&String>, new_value: &NewValue, column: usize) -> Option<String> {
        let head = |rest: String| match key {
            Some(key) => format!("{}:{rest}", self.key(key, Quote::Plain, false)),
            None => format!("-{rest}"),
        };
        let inner = if key.is_some() { column + self.indent_width } else { column + 2 };
        let block = |pieces: Vec<String>, inner: usize| {
            let indent = format!("{}{}", self.newline, " ".repeat(inner));
            let start = if key.is_some() { indent.as_str() } else { " " };
            head(format!("{start}{}", pieces.join(&indent)))
        };
        Some(match new_value {
            NewValue::Value(value) => head(self.block_value(value, column, key.is_none(), true)),
            NewValue::Map(entries) if entries.is_empty() => head(" {}".to_owned()),
            NewValue::List(items) if items.is_empty() => head(" []".to_owned()),
            NewValue::Map(entries) => {
                let piece =
                    |(key, new_value): &(String, NewValue)| self.block_entry_of(Some(key), new_value, inner);
                block(entries.iter().map(piece).collect::<Option<_>>()?, inner)
            }
            NewValue::List(items) => {
                let inner = if self.flush_lists && key.is_some() { column } else { inner };
                let piece = |new_value: &NewValue| self.block_entry_of(None, new_value, inner);
                block(items.iter().map(piece).collect::<Option<_>>()?, inner)
            }
            NewValue::Existing(path) => {
                let slot = self.slot_at(path)?;
                if key.is_some() != slot.entry().is_some() {
                    return Some(head(self.block_value(
                        &slot.value()?.to_json(),
                        column,
                        key.is_none(),
                        true,
                    )));
                }
                if self.is_flow(slot.holder) {
                    let text = self.slice(self.start(slot), slot.own_end());
                    if text.contains('\n') {
                        return self.rewritten(slot, |value| {
                            head(self.block_value(value, column, key.is_none(), true))
                        });
                    }
                    return Some(if key.is_some() { text.to_owned() } else { format!("- {text}") });
                }
                let from = self.lines_start(slot).unwrap_or_else(|| self.start(slot));
                let own = self.column(slot.holder.span.start);
                let lead = if self.column(from) == 0 { String::new() } else { " ".repeat(own) };
                self.reindent(&format!("{lead}{}", self.slice(from, self.end(slot))), own, column)
            }
        })
    }

    /// The first line gets no indentation.
    fn reindent(&self, text: &str, own: usize, column: usize) -> String {
        let indent = " ".repeat(column);
        let lines = text.split('\n').enumerate().map(|(number, line)| {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let blanks = line.bytes().take_while(|b| *b == b' ').count();
            let rest = line.get(blanks.min(own)..).unwrap_or_default();
            if number == 0 || rest.is_empty() { rest.to_owned() } else { format!("{indent}{rest}") }
        });
        lines.collect::<Vec<_>>().join(self.newline)
    }

    /// Formats a value again, unless that loses a comment.
    fn rewritten(&self, slot: Slot<'t>, write: impl Fn(&serde_json::Value) -> String) -> Option<String> {
        let from = if self.is_flow(slot.holder) { self.start(slot) } else { self.lines_start(slot)? };
        let to = if self.is_flow(slot.holder) { slot.own_end() } else { self.end(slot) };
        let remarks = !self.json
            && self
                .slice(from, to)
                .lines()
                .any(|line| line.trim_start().starts_with('#') || line.contains(" #"));
        if remarks { None } else { Some(write(&slot.value()?.to_json())) }
    }

    fn flow_entry_of(&self, key: Option<&String>, new_value: &NewValue, column: usize) -> Option<String> {
        let head = |rest: String| match key {
            Some(key) => format!("{}: {rest}", self.key(key, Quote::Plain, true)),
            None => rest,
        };
        let around = |open: &str, pieces: Vec<String>, close: &str| {
            let tall =
                pieces.iter().any(|piece| piece.contains('\n')) || self.json && self.text.contains('\n');
            let wide = pieces.iter().map(String::len).sum::<usize>() + column > super::emit::MAX_FLOW_CHARS;
            if pieces.is_empty() || !(tall && wide) {
                return head(format!("{open}{}{close}", pieces.join(", ")));
            }
            let indent = format!("{}{}", self.newline, " ".repeat(column + self.indent_width));
            let end = format!("{}{}", self.newline, " ".repeat(column));
            head(format!("{open}{indent}{}{end}{close}", pieces.join(&format!(",{indent}"))))
        };
        let inner = column + self.indent_width;
        Some(match new_value {
            NewValue::Value(value) => head(self.brackets(value, column, false)),
            NewValue::Map(entries) => {
                let piece =
                    |(key, new_value): &(String, NewValue)| self.flow_entry_of(Some(key), new_value, inner);
                around("{", entries.iter().map(piece).collect::<Option<_>>()?, "}")
            }
            NewValue::List(items) => {
                let piece = |new_value: &NewValue| self.flow_entry_of(None, new_value, inner);
                around("[", items.iter().map(piece).collect::<Option<_>>()?, "]")
            }
            NewValue::Existing(path) => {
                let slot = self.slot_at(path)?;
                if key.is_some() != slot.entry().is_some() || !self.is_flow(slot.holder) {
                    return self.rewritten(slot, |value| head(self.brackets(value, column, false)));
                }
                let own = self.indentation(self.start(slot));
                let text = self.slice(self.start(slot), slot.own_end());
                self.reindent(&format!("{}{text}", " ".repeat(own)), own, column)
            }
        })
    }
}

//! Comments that stay when their neighbours go.
//!
//! A removed entry takes the comments above it along, unless they head the next entries. A comment between a
//! key and its value, or after `|`, stays with the key.
//!
//! Source: `docs/editing.md`, "Comments".

use super::block_style::replace;
use super::emit::Quote;
use super::locate::{DocumentText, Slot};
use crate::diagnostic::TextEdit;
use serde_json::Value as Json;

impl<'t> DocumentText<'t> {
    /// Returns the start of the lines to remove. `brought` means that the value is elsewhere now, with all comments
    /// directly above it. `None` within a line.
    pub(super) fn removed_from(&self, value_start: Slot<'t>, brought: bool) -> Option<usize> {
        let from = self.lines_start(value_start)?;
        let own = self.line_start(self.start(value_start));
        let heads_next =
            value_start.sibling(value_start.index + 1).is_some_and(|next| !self.is_separated(next));
        let stays = !brought && from < own && (heads_next || has_rule_line(self.slice(from, own)));
        Some(if stays { own } else { from })
    }

    fn is_separated(&self, value_start: Slot<'t>) -> bool {
        let own = self.line_start(self.start(value_start));
        self.is_empty_above(own) || self.lines_start(value_start).is_some_and(|from| from < own)
    }

    pub(super) fn has_comment(&self, from: usize, to: usize) -> bool {
        !self.json && self.slice(from, to).contains('#')
    }

    pub(super) fn header_comment(&self, start: usize, end: usize) -> &'t str {
        let line = self.line_end(start).min(end);
        let header = self.slice(start, line);
        let Some(at) = header.find('#').filter(|_| header.starts_with(['|', '>'])) else { return "" };
        let indicators = self.slice(start, start + at).trim_end().len();
        self.slice(start + indicators, line).trim_end()
    }

    /// Comments above the value stay.
    pub(super) fn replace_below(
        &self,
        value_start: Slot<'t>,
        value: &Json,
        after: &str,
    ) -> Option<Vec<TextEdit>> {
        let old = value_start.value()?;
        let written = self.slice(old.span.start, old.span.end);
        let comment = self.header_comment(old.span.start, old.span.end);
        let line = self.line_start(old.span.start);
        if matches!(value, Json::String(_)) || !after.contains(['\n', '\r']) {
            let text = match value {
                Json::String(_) => self.scalar(value, Quote::of(written), false),
                _ => after.trim_start().to_owned(),
            };
            return Some(vec![replace(old.span.start, old.span.end, format!("{text}{comment}"))]);
        }
        if !comment.is_empty() || !self.is_blank(line, old.span.start) {
            return None;
        }
        let lines = match after.strip_prefix(self.newline) {
            Some(lines) => lines.to_owned(),
            None => {
                let column = self.column(value_start.holder.span.start) + 2;
                format!("{}{}", " ".repeat(column), after.trim_start())
            }
        };
        Some(vec![replace(line, old.span.end, lines)])
    }

    /// Leaves `{}` or `[]` and the comments around it.
    pub(super) fn remove_only(
        &self,
        holder: Slot<'t>,
        slot: Slot<'t>,
        brought: bool,
    ) -> Option<Vec<TextEdit>> {
        let value_start = self.value_start(holder);
        let from = self.removed_from(slot, brought)?;
        if self.line_start(value_start) >= from {
            return None;
        }
        let empty = if slot.entry().is_some() { " {}" } else { " []" };
        let before = self.line_end(self.previous_line(from));
        Some(vec![replace(value_start, value_start, empty), replace(before, self.end(slot), "")])
    }

    /// Above the map, after its key, or at its end.
    pub(super) fn has_own_comments(&self, holder: Slot<'t>) -> bool {
        let Some(map) = holder.value() else { return false };
        let first = Slot { holder: map, index: 0 };
        let Some(last) = first.count().checked_sub(1).and_then(|last| first.sibling(last)) else {
            return false;
        };
        let above = self.removed_from(holder, false).unwrap_or_else(|| self.start(holder));
        if self.is_flow(map) {
            return self.has_comment(above, self.start(first))
                || self.has_comment(last.own_end(), map.span.end)
                || self.has_comment(self.line_end(map.span.end), self.end(holder));
        }
        let Some(from) = self.removed_from(first, false) else { return false };
        self.has_comment(above, from) || self.has_comment(self.end(last), self.end(holder))
    }
}

/// A rule line marks a section heading.
fn has_rule_line(lines: &str) -> bool {
    let rules = ["---", "===", "***", "###", "~~~", "___", "───", "═══"];
    rules.iter().any(|rule| lines.contains(rule)) || lines.trim_start().starts_with("##")
}

//! Computes a change's text edits by its container. Aliases are expanded first.

use super::apply_edits;
use super::block_style::replace;
use super::change::Change;
use super::locate::{DocumentText, Slot};
use crate::diagnostic::TextEdit;
use crate::source::ValueKind;
use crate::source::source_map::SourceMap;
use crate::value::Segment;
use serde_json::Value as Json;

/// `is_repeated` means that the edits are at an alias's anchor.
pub(super) struct LocalEdits {
    pub(super) edits: Vec<TextEdit>,
    pub(super) is_repeated: bool,
}

impl<'t> DocumentText<'t> {
    /// `None` if the text cannot express `meant`.
    pub(super) fn edits(&self, change: &Change, meant: &Json) -> Option<Vec<TextEdit>> {
        let path = change.path();
        let slots = self.resolve_path(path)?;
        if let Change::InsertRelocated { before, entries, .. } = change {
            return self.insert_relocated(&slots, *before, entries);
        }
        if let Some(depth) = slots.iter().position(|slot| self.is_alias(slot.holder)) {
            return self.rewrite(&slots, path, depth, meant);
        }
        let Some((slot, segment)) = slots.last().copied().zip(path.last()) else {
            return Some(self.rewrite_document(meant));
        };
        let empty = slot.count() == 0;
        let depth = slots.len() - 1;
        let adds = matches!(change, Change::Insert { .. })
            || (matches!(change, Change::Set { .. }) && slot.value().is_none());
        if empty && (adds || slot.holder.kind == ValueKind::Null) && !self.in_brackets(&slots) {
            return self.rewrite(&slots, path, depth, meant);
        }
        if change.removes() && slot.count() == 1 && !self.is_flow(slot.holder) {
            let brought = matches!(change, Change::RemoveRelocated { .. });
            let holder = depth.checked_sub(1).and_then(|above| slots.get(above));
            let only = holder.and_then(|holder| self.remove_only(*holder, slot, brought));
            return only.or_else(|| self.rewrite(&slots, path, depth, meant));
        }
        self.edits_in_place(change, slot, segment)
    }

    /// `None` if more than the container matters.
    pub(super) fn local_edits(&self, change: &Change) -> Option<LocalEdits> {
        let slots = self.resolve_path(change.path())?;
        let (slot, segment) = slots.last().copied().zip(change.path().last())?;
        let flow = self.is_flow(slot.holder);
        if slot.count() == 0 || slot.count() == 1 && !flow && change.removes() {
            return None;
        }
        let is_repeated = slots.iter().any(|slot| self.is_alias(slot.holder));
        Some(LocalEdits { edits: self.edits_in_place(change, slot, segment)?, is_repeated })
    }

    fn edits_in_place(&self, change: &Change, slot: Slot<'t>, segment: &Segment) -> Option<Vec<TextEdit>> {
        let adds = slot.value().is_none();
        let flow = self.is_flow(slot.holder);
        match change {
            Change::Set { value, .. } if !adds => self.replace(slot, value),
            Change::Set { value, .. } => self.insert(Slot { index: slot.count(), ..slot }, segment, value),
            Change::Insert { before, value, .. } => {
                let at =
                    if slot.holder.as_list().is_some() { slot.index } else { before.unwrap_or(usize::MAX) };
                self.insert(Slot { index: at.min(slot.count()), ..slot }, segment, value)
            }
            Change::Remove { .. } | Change::RemoveRelocated { .. } if flow => self.remove_in_flow(slot),
            Change::Remove { .. } => self.remove_in_block(slot, false),
            Change::RemoveRelocated { .. } => self.remove_in_block(slot, true),
            Change::Rename { key, .. } => {
                let span = slot.entry()?.key_span;
                let quote = super::emit::Quote::of(self.slice(span.start, span.end));
                Some(vec![replace(span.start, span.end, self.key(key, quote, flow))])
            }
            Change::Splice { edits, .. } => self.splice(slot, edits),
            Change::Move { to, .. } if *to == slot.index => Some(Vec::new()),
            // This path is the container itself.
            Change::InsertRelocated { .. } => None,
            Change::Move { to, .. } if flow => self.move_in_flow(slot, *to),
            Change::Move { to, .. } => self.move_in_block(slot, *to),
            Change::Copy { key, .. } if flow => self.copy_in_flow(slot, key),
            Change::Copy { key, .. } => self.copy_in_block(slot, key),
        }
    }

    /// Rewrites the whole string if its text differs there.
    fn splice(&self, slot: Slot<'t>, edits: &[TextEdit]) -> Option<Vec<TextEdit>> {
        let value = slot.value()?;
        let text = value.as_text()?;
        let source_map = SourceMap::new(self.text, value.span, text);
        let parts: Option<Vec<TextEdit>> = edits.iter().map(|edit| source_map.splice_in_file(edit)).collect();
        parts.or_else(|| self.replace(slot, &Json::from(apply_edits(text, edits))))
    }

    fn in_brackets(&self, slots: &[Slot<'t>]) -> bool {
        let outer = slots.len().checked_sub(2).and_then(|at| slots.get(at));
        self.json && !matches!(self.root.kind, ValueKind::Null)
            || outer.is_some_and(|outer| self.is_flow(outer.holder))
    }

    fn replace(&self, slot: Slot<'t>, value: &Json) -> Option<Vec<TextEdit>> {
        if self.is_flow(slot.holder) {
            self.replace_in_flow(slot, value)
        } else {
            self.replace_in_block(slot, value)
        }
    }

    fn insert(&self, slot: Slot<'t>, segment: &Segment, value: &Json) -> Option<Vec<TextEdit>> {
        if self.is_flow(slot.holder) {
            self.insert_in_flow(slot, segment, value)
        } else {
            self.insert_in_block(slot, segment, value)
        }
    }

    fn rewrite(
        &self,
        slots: &[Slot<'t>],
        path: &[Segment],
        depth: usize,
        meant: &Json,
    ) -> Option<Vec<TextEdit>> {
        let mut value = meant;
        for segment in path.get(..depth)? {
            value = match segment {
                Segment::Key(key) => value.get(key)?,
                Segment::Index(at) => value.get(at)?,
            };
        }
        match depth.checked_sub(1) {
            Some(above) => self.replace(*slots.get(above)?, value),
            None => Some(self.rewrite_document(value)),
        }
    }

    /// Keeps the comments around it.
    fn rewrite_document(&self, value: &Json) -> Vec<TextEdit> {
        let span = self.root.span;
        if self.json {
            return vec![replace(span.start, span.end, self.brackets(value, 0, true))];
        }
        let text = self.root_text(value);
        if span.end > span.start {
            return vec![replace(span.start, span.end, text)];
        }
        let end = self.text.len();
        let gap = if self.column(end) == 0 || self.text.is_empty() { "" } else { self.newline };
        vec![replace(end, end, format!("{gap}{text}{}", self.newline))]
    }
}

//! Which edits a change takes.
//!
//! Decides by what holds the changed value: a block, brackets, nothing at all, or an alias, which is written out first.

use super::apply_edits;
use super::block_style::replace;
use super::change::Change;
use super::locate::{DocumentText, Slot};
use crate::diagnostic::TextEdit;
use crate::source::ValueKind;
use crate::source::source_map::SourceMap;
use crate::value::Segment;
use serde_json::Value as Json;

/// The edits of a change, and whether an alias stands for its place, which is then elsewhere.
pub(super) struct LocalEdits {
    pub(super) edits: Vec<TextEdit>,
    pub(super) is_repeated: bool,
}

impl<'t> DocumentText<'t> {
    /// The edits of a change after which the document is `meant`; nothing where the text can't take it.
    pub(super) fn edits(&self, change: &Change, meant: &Json) -> Option<Vec<TextEdit>> {
        let path = change.path();
        let way = self.resolve_path(path)?;
        if let Change::InsertRelocated { before, entries, .. } = change {
            return self.insert_relocated(&way, *before, entries);
        }
        // What an alias repeats is written out in its place, changed.
        if let Some(depth) = way.iter().position(|held| self.is_alias(held.holder)) {
            return self.rewrite(&way, path, depth, meant);
        }
        let Some((held, segment)) = way.last().copied().zip(path.last()) else {
            return Some(self.rewrite_document(meant));
        };
        let empty = held.count() == 0;
        let depth = way.len() - 1;
        let adds = matches!(change, Change::Insert { .. })
            || (matches!(change, Change::Set { .. }) && held.value().is_none());
        if empty && (adds || held.holder.kind == ValueKind::Null) && !self.in_brackets(&way) {
            return self.rewrite(&way, path, depth, meant);
        }
        if change.removes() && held.count() == 1 && !self.is_flow(held.holder) {
            let brought = matches!(change, Change::RemoveRelocated { .. });
            let holder = depth.checked_sub(1).and_then(|above| way.get(above));
            let only = holder.and_then(|holder| self.remove_only(*holder, held, brought));
            return only.or_else(|| self.rewrite(&way, path, depth, meant));
        }
        self.edits_in_place(change, held, segment)
    }

    /// The edits of a change that needs no more of the document than what holds its place; nothing for any other.
    pub(super) fn local_edits(&self, change: &Change) -> Option<LocalEdits> {
        let way = self.resolve_path(change.path())?;
        let (held, segment) = way.last().copied().zip(change.path().last())?;
        let flow = self.is_flow(held.holder);
        if held.count() == 0 || held.count() == 1 && !flow && change.removes() {
            return None;
        }
        let is_repeated = way.iter().any(|held| self.is_alias(held.holder));
        Some(LocalEdits { edits: self.edits_in_place(change, held, segment)?, is_repeated })
    }

    fn edits_in_place(&self, change: &Change, held: Slot<'t>, segment: &Segment) -> Option<Vec<TextEdit>> {
        let adds = held.value().is_none();
        let flow = self.is_flow(held.holder);
        match change {
            Change::Set { value, .. } if !adds => self.replace(held, value),
            Change::Set { value, .. } => self.insert(Slot { index: held.count(), ..held }, segment, value),
            Change::Insert { before, value, .. } => {
                let at =
                    if held.holder.as_list().is_some() { held.index } else { before.unwrap_or(usize::MAX) };
                self.insert(Slot { index: at.min(held.count()), ..held }, segment, value)
            }
            Change::Remove { .. } | Change::RemoveRelocated { .. } if flow => self.remove_in_flow(held),
            Change::Remove { .. } => self.remove_in_block(held, false),
            Change::RemoveRelocated { .. } => self.remove_in_block(held, true),
            Change::Rename { key, .. } => {
                let span = held.entry()?.key_span;
                let quote = super::emit::Quote::of(self.slice(span.start, span.end));
                Some(vec![replace(span.start, span.end, self.key(key, quote, flow))])
            }
            Change::Splice { edits, .. } => self.splice(held, edits),
            Change::Move { to, .. } if *to == held.index => Some(Vec::new()),
            // What is brought comes to the map or list itself.
            Change::InsertRelocated { .. } => None,
            Change::Move { to, .. } if flow => self.move_in_flow(held, *to),
            Change::Move { to, .. } => self.move_in_block(held, *to),
            Change::Copy { key, .. } if flow => self.copy_in_flow(held, key),
            Change::Copy { key, .. } => self.copy_in_block(held, key),
        }
    }

    /// Replaces parts of a text where they stand; the whole of it where they are written otherwise than they are read.
    fn splice(&self, held: Slot<'t>, edits: &[TextEdit]) -> Option<Vec<TextEdit>> {
        let value = held.value()?;
        let text = value.as_text()?;
        let places = SourceMap::new(self.text, value.span, text);
        let parts: Option<Vec<TextEdit>> = edits.iter().map(|edit| places.splice_in_file(edit)).collect();
        parts.or_else(|| self.replace(held, &Json::from(apply_edits(text, edits))))
    }

    /// Whether what holds the last step of a way stands between brackets that are not its own.
    fn in_brackets(&self, way: &[Slot<'t>]) -> bool {
        let outer = way.len().checked_sub(2).and_then(|at| way.get(at));
        self.json && !matches!(self.root.kind, ValueKind::Null)
            || outer.is_some_and(|outer| self.is_flow(outer.holder))
    }

    fn replace(&self, held: Slot<'t>, value: &Json) -> Option<Vec<TextEdit>> {
        if self.is_flow(held.holder) {
            self.replace_in_flow(held, value)
        } else {
            self.replace_in_block(held, value)
        }
    }

    fn insert(&self, held: Slot<'t>, segment: &Segment, value: &Json) -> Option<Vec<TextEdit>> {
        if self.is_flow(held.holder) {
            self.insert_in_flow(held, segment, value)
        } else {
            self.insert_in_block(held, segment, value)
        }
    }

    /// Writes what holds the step at `depth` anew.
    fn rewrite(
        &self,
        way: &[Slot<'t>],
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
            Some(above) => self.replace(*way.get(above)?, value),
            None => Some(self.rewrite_document(value)),
        }
    }

    /// Writes the whole document anew, but for the comments around it.
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

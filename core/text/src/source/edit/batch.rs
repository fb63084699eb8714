//! Several changes in one parse. A change joins if its original path is known before the others are applied,
//! and its edits do not touch theirs.

use super::change::Change;
use super::locate::DocumentText;
use crate::diagnostic::{Span, TextEdit};
use crate::value::Segment;
use serde_json::Value as Json;

#[derive(Default)]
pub(super) struct Batch<'c> {
    changes: Vec<&'c Change>,
    pub(super) edits: Vec<TextEdit>,
    anchored: Vec<(&'c str, &'c [TextEdit])>,
}

impl<'c> Batch<'c> {
    /// Returns `false` if the change does not fit.
    pub(super) fn add(&mut self, document: &DocumentText<'c>, change: &'c Change) -> bool {
        let moves =
            matches!(change, Change::Move { .. } | Change::Copy { .. } | Change::InsertRelocated { .. });
        if moves || matches!(change, Change::Insert { before: Some(_), .. }) {
            return false;
        }
        let Some(path) = self.path_before(change.path(), matches!(change, Change::Insert { .. })) else {
            return false;
        };
        if let Change::Splice { edits, .. } = change
            && let Some(slot) = document.resolve_path(&path).and_then(|slots| slots.last().copied())
        {
            // Edits of an anchored string change its aliases.
            if slot
                .value()
                .and_then(|text| document.alias(text))
                .is_some_and(|name| self.is_changed(name, edits))
            {
                self.changes.push(change);
                return true;
            }
            self.anchored.extend(document.anchor(slot).map(|name| (name, edits.as_slice())));
        }
        let Some(plain) = document.local_edits(&change.with_path(path)) else { return false };
        if plain.is_repeated {
            // A value inside an alias changes at its anchor.
            if !plain.edits.iter().all(|edit| self.edits.contains(edit)) {
                return false;
            }
        } else {
            if !plain.edits.iter().all(|edit| self.fits(edit)) {
                return false;
            }
            for edit in plain.edits {
                self.edits.insert(self.place(&edit), edit);
            }
        }
        self.changes.push(change);
        true
    }

    fn is_changed(&self, name: &str, edits: &[TextEdit]) -> bool {
        self.anchored
            .iter()
            .rev()
            .find(|(anchor, _)| *anchor == name)
            .is_some_and(|(_, known)| *known == edits)
    }

    /// A path before the batch. `None` inside a new value.
    fn path_before(&self, path: &[Segment], inserts: bool) -> Option<Vec<Segment>> {
        let mut path = path.to_vec();
        for change in self.changes.iter().rev() {
            let (last, way) = change.path().split_last()?;
            if path.len() <= way.len() || !path.starts_with(way) {
                // An ancestor of a changed value differs now.
                if change.path().starts_with(&path) {
                    return None;
                }
                continue;
            }
            let deeper = path.len() > way.len() + 1;
            let step = path.get_mut(way.len())?;
            match (change, last, step) {
                (Change::Rename { key, .. }, _, Segment::Key(found)) if found == key => {
                    let Segment::Key(old) = last else { return None };
                    found.clone_from(old);
                }
                (
                    Change::Remove { .. } | Change::RemoveRelocated { .. },
                    Segment::Index(gone),
                    Segment::Index(at),
                ) if *at >= *gone => {
                    *at += 1;
                }
                (Change::Insert { .. }, Segment::Index(new), Segment::Index(at)) => match (*at).cmp(new) {
                    std::cmp::Ordering::Less => {}
                    std::cmp::Ordering::Equal if deeper || !inserts => return None,
                    std::cmp::Ordering::Equal => {}
                    std::cmp::Ordering::Greater => *at -= 1,
                },
                (_, _, step) if step == last => return None,
                _ => {}
            }
        }
        Some(path)
    }

    /// `None` if a path does not exist.
    pub(super) fn apply(&self, root: &mut Json) -> Option<()> {
        self.changes.iter().try_for_each(|change| change.apply(root))
    }

    fn place(&self, edit: &TextEdit) -> usize {
        let order = |span: Span| (span.start, span.end);
        self.edits.partition_point(|known| order(known.span) <= order(edit.span))
    }

    fn fits(&self, edit: &TextEdit) -> bool {
        let at = self.place(edit);
        let before = at.checked_sub(1).and_then(|at| self.edits.get(at));
        before.is_none_or(|before| before.span.end <= edit.span.start)
            && self.edits.get(at).is_none_or(|next| edit.span.end <= next.span.start)
    }
}

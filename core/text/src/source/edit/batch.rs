//! Several changes in one reading of the text.
//!
//! Decides which changes go together: those whose places in the text as it was can be told though the ones before are not made yet, and
//! whose edits do not touch each other. Whether the text then says what it should is found out by reading it, as for one change.

use super::change::Change;
use super::locate::DocumentText;
use crate::diagnostic::{Span, TextEdit};
use crate::value::Segment;
use serde_json::Value as Json;

/// Changes that go together.
#[derive(Default)]
pub(super) struct Batch<'c> {
    changes: Vec<&'c Change>,
    /// In the order of the text.
    pub(super) edits: Vec<TextEdit>,
    /// Which texts with an anchor were changed, and how.
    anchored: Vec<(&'c str, &'c [TextEdit])>,
}

impl<'c> Batch<'c> {
    /// Adds a change; says whether it goes with the others.
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
            // An alias follows its anchor.
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
            // What an alias repeats is changed where it is written.
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

    /// Whether the text with an anchor is changed in that way.
    fn is_changed(&self, name: &str, edits: &[TextEdit]) -> bool {
        self.anchored
            .iter()
            .rev()
            .find(|(anchor, _)| *anchor == name)
            .is_some_and(|(_, known)| *known == edits)
    }

    /// Where a path led before the changes; nothing where it leads into what they made.
    fn path_before(&self, path: &[Segment], inserts: bool) -> Option<Vec<Segment>> {
        let mut path = path.to_vec();
        for change in self.changes.iter().rev() {
            let (last, way) = change.path().split_last()?;
            if path.len() <= way.len() || !path.starts_with(way) {
                // What holds a place that was changed may be another now.
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

    /// Changes plain data likewise; nothing where one of them has no place.
    pub(super) fn apply(&self, root: &mut Json) -> Option<()> {
        self.changes.iter().try_for_each(|change| change.apply(root))
    }

    /// Where an edit goes among the others; behind one of the same place.
    fn place(&self, edit: &TextEdit) -> usize {
        let order = |span: Span| (span.start, span.end);
        self.edits.partition_point(|known| order(known.span) <= order(edit.span))
    }

    /// Whether an edit touches no other.
    fn fits(&self, edit: &TextEdit) -> bool {
        let at = self.place(edit);
        let before = at.checked_sub(1).and_then(|at| self.edits.get(at));
        before.is_none_or(|before| before.span.end <= edit.span.start)
            && self.edits.get(at).is_none_or(|next| edit.span.end <= next.span.start)
    }
}

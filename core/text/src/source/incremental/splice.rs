//! Replaces entries of the tree. Containers end with their last entry.

use super::Region;
use crate::source::{Entry, Spanned, ValueKind};
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct Splice<'r> {
    pub(super) region: &'r Region,
    pub(super) entries: ValueKind,
    pub(super) shift: usize,
    pub(super) end: usize,
    /// Shifts everything after them.
    pub(super) by: usize,
}

impl Splice<'_> {
    /// `None` if the entries do not fit. The tree is unchanged.
    pub(super) fn apply(mut self, tree: &mut Arc<Spanned>) -> Option<()> {
        if !self.fits(tree) {
            return None;
        }
        match &mut self.entries {
            ValueKind::List(items) => items.iter_mut().for_each(|item| shift(item, self.shift)),
            ValueKind::Map(entries) => entries.iter_mut().for_each(|entry| shift_entry(entry, self.shift)),
            _ => {}
        }
        self.place(Arc::make_mut(tree), 0);
        Some(())
    }

    fn fits(&self, tree: &Spanned) -> bool {
        let Region { first, last, .. } = self.region;
        match (&self.entries, self.region.holder(tree).map(|holder| &holder.kind)) {
            (ValueKind::List(_), Some(ValueKind::List(_))) => true,
            (ValueKind::Map(new), Some(ValueKind::Map(old))) => {
                let replaced = old.get(*first..=*last).unwrap_or_default();
                let same =
                    new.len() == replaced.len() && new.iter().zip(replaced).all(|(a, b)| a.key == b.key);
                let others = || old.iter().take(*first).chain(old.iter().skip(last + 1));
                same || new.iter().all(|new| others().all(|other| other.key != new.key))
            }
            _ => false,
        }
    }

    /// Returns whether `value` ends with the new entries.
    fn place(&mut self, value: &mut Spanned, depth: usize) -> bool {
        let Region { path: way, first, last, .. } = self.region;
        let (from, to) = way.get(depth).map_or((*first, *last), |at| (*at, *at));
        let is_last = match &mut value.kind {
            ValueKind::List(items) => {
                items.iter_mut().skip(to + 1).for_each(|item| shift(item, self.by));
                to + 1 == items.len()
            }
            ValueKind::Map(entries) => {
                entries.iter_mut().skip(to + 1).for_each(|entry| shift_entry(entry, self.by));
                to + 1 == entries.len()
            }
            _ => return false,
        };
        let ends = if depth < way.len() {
            let inner = match &mut value.kind {
                ValueKind::List(items) => items.get_mut(from),
                ValueKind::Map(entries) => entries.get_mut(from).map(|entry| &mut entry.value),
                _ => None,
            };
            inner.is_some_and(|inner| self.place(inner, depth + 1))
        } else {
            match (&mut value.kind, std::mem::replace(&mut self.entries, ValueKind::Null)) {
                (ValueKind::List(items), ValueKind::List(new)) => drop(items.splice(from..=to, new)),
                (ValueKind::Map(entries), ValueKind::Map(new)) => drop(entries.splice(from..=to, new)),
                _ => {}
            }
            true
        };
        let ends = ends && is_last;
        value.span.end = if ends { self.end } else { value.span.end.wrapping_add(self.by) };
        ends
    }
}

/// The depth limit makes recursion safe.
pub(in crate::source) fn shift(value: &mut Spanned, by: usize) {
    value.span = value.span.shifted(by);
    match &mut value.kind {
        ValueKind::List(items) => items.iter_mut().for_each(|item| shift(item, by)),
        ValueKind::Map(entries) => entries.iter_mut().for_each(|entry| shift_entry(entry, by)),
        _ => {}
    }
}

fn shift_entry(entry: &mut Entry, by: usize) {
    entry.key_span = entry.key_span.shifted(by);
    shift(&mut entry.value, by);
}

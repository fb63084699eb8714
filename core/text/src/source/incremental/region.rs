//! The entries of a block YAML text that a change can affect.
//!
//! An entry ends at the line of the next entry of the same or an enclosing container. Earlier entries are
//! safe while its first character stays, which ends everything with more indentation. Later entries are safe
//! while they begin at a line start.
//!
//! Invariants: 1. The tree belongs to the old text, all other positions to the new text. 2. Each region is
//! inside the previous one.
//!
//! Source: YAML 1.2.2 chapter 8.

use super::DirtyRange;
use crate::source::lexeme::byte;
use crate::source::{Spanned, ValueKind};

/// Consecutive entries.
#[derive(Debug)]
pub(super) struct Region {
    /// An index in each container around them.
    pub(super) path: Vec<usize>,
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) start: usize,
    /// A line start, or the end of the text.
    pub(super) end: usize,
    /// Opens all containers around the first entry.
    pub(super) opening: String,
    /// The container's offset in `opening`.
    pub(super) begins: usize,
}

impl Region {
    pub(super) fn holder<'t>(&self, tree: &'t Spanned) -> Option<&'t Spanned> {
        self.path.iter().try_fold(tree, |value, at| match &value.kind {
            ValueKind::List(items) => items.get(*at),
            ValueKind::Map(entries) => entries.get(*at).map(|entry| &entry.value),
            _ => None,
        })
    }

    pub(super) fn has_before(&self, tree: &Spanned, keys: &[String]) -> bool {
        let entries = self.holder(tree).and_then(Spanned::as_map).unwrap_or_default();
        entries.iter().take(self.first).any(|entry| keys.contains(&entry.key))
    }
}

/// Orders them from the widest to the narrowest.
pub(super) fn regions(tree: &Spanned, text: &str, range: DirtyRange) -> Vec<Region> {
    let mut found = Vec::new();
    let (mut value, mut limit) = (tree, text.len());
    let mut way = Vec::new();
    let mut opening = String::new();
    while let Some(block) = Block::of(value, text, range) {
        let Some(first) = block.count(range.start).checked_sub(1) else { break };
        if !block.is_settled(first) {
            break;
        }
        let (last, end) = block.end(first, limit);
        if let Some((start, indent)) = block.line(first).filter(|(_, indent)| *indent == block.column) {
            let mut opening = opening.clone();
            let begins = opening.len() + indent;
            // The parser may have dropped earlier entries, so indexes do not work.
            if start + indent > block.start {
                block.open(&mut opening, indent, " 0");
            }
            found.push(Region { path: way.clone(), first, last, start, end, opening, begins });
        }
        let Some(inner) = block.value(first).filter(|_| first == last) else { break };
        block.open(&mut opening, block.column, "");
        way.push(first);
        (value, limit) = (inner, end);
    }
    found
}

/// A block container that begins before the change.
struct Block<'t> {
    kind: &'t ValueKind,
    text: &'t str,
    dirty: DirtyRange,
    start: usize,
    column: usize,
}

impl<'t> Block<'t> {
    fn of(value: &'t Spanned, text: &'t str, range: DirtyRange) -> Option<Self> {
        let start = value.span.start;
        let is_block = matches!(value.kind, ValueKind::List(_) | ValueKind::Map(_))
            && !matches!(byte(text, start), b'{' | b'[');
        if !is_block || start >= range.start {
            return None;
        }
        // Other prefixes (`?`, anchors, tags) need a full parse.
        let line = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
        let prefix = text.get(line..start)?;
        let plain = prefix.bytes().all(|b| matches!(b, b' ' | b'-'));
        plain.then_some(Self { kind: &value.kind, text, dirty: range, start, column: prefix.len() })
    }

    /// `place` is before the change.
    fn count(&self, place: usize) -> usize {
        match self.kind {
            ValueKind::List(items) => items.partition_point(|item| item.span.start < place),
            ValueKind::Map(entries) => entries.partition_point(|entry| entry.key_span.start < place),
            _ => 0,
        }
    }

    /// Whether the text before the change proves this entry and its kind.
    fn is_settled(&self, at: usize) -> bool {
        let ValueKind::Map(entries) = self.kind else { return true };
        entries.get(at).is_some_and(|entry| {
            let start = entry.key_span.start;
            !matches!(byte(self.text, start), b'-' | b'?' | b':') || start + 1 < self.dirty.start
        })
    }

    fn value(&self, at: usize) -> Option<&'t Spanned> {
        match self.kind {
            ValueKind::List(items) => items.get(at),
            ValueKind::Map(entries) => entries.get(at).map(|entry| &entry.value),
            _ => None,
        }
    }

    /// A key, or the value after a dash. `None` inside the replaced range.
    fn begins(&self, at: usize) -> Option<usize> {
        let place = match self.kind {
            ValueKind::List(items) => items.get(at)?.span.start,
            ValueKind::Map(entries) => entries.get(at)?.key_span.start,
            _ => return None,
        };
        match place {
            place if place < self.dirty.start => Some(place),
            place if place >= self.dirty.before => Some(place.wrapping_add(self.dirty.shift())),
            _ => None,
        }
    }

    /// Line start and indentation. `None` after other text.
    fn line(&self, at: usize) -> Option<(usize, usize)> {
        let blank = |at: usize| at > 0 && byte(self.text, at - 1) == b' ';
        let mut place = self.begins(at)?;
        if matches!(self.kind, ValueKind::List(_)) {
            while blank(place) {
                place -= 1;
            }
            place = place.checked_sub(1).filter(|dash| byte(self.text, *dash) == b'-')?;
        }
        let mut line = place;
        while blank(line) {
            line -= 1;
        }
        (line == 0 || byte(self.text, line - 1) == b'\n').then_some((line, place - line))
    }

    /// The last affected entry, and the next line's start.
    fn end(&self, first: usize, limit: usize) -> (usize, usize) {
        let DirtyRange { after, lines, .. } = self.dirty;
        let untouched = |(line, column): &(usize, usize)| {
            (*line > after || (*line == after && lines)) && *column == self.column
        };
        let mut last = first;
        while self.value(last + 1).is_some() {
            if let Some((line, _)) = self.line(last + 1).filter(untouched) {
                return (last, line);
            }
            last += 1;
        }
        (last, limit)
    }

    fn open(&self, out: &mut String, indent: usize, value: &str) {
        out.push_str(&" ".repeat(indent));
        out.push_str(if matches!(self.kind, ValueKind::List(_)) { "-" } else { "k:" });
        out.push_str(value);
        out.push('\n');
    }
}

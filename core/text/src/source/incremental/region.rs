//! Which entries of a block YAML text a change can touch.
//!
//! Decides it by lines: an entry reaches from the line of its key or dash to the line of what follows it in the same list or map, or in one
//! around it. What comes before it can't be touched while the first character of the entry stays where it is: that ends all that
//! is indented further. What comes after it can't while its line begins a line.
//!
//! Invariants: the tree is of the text before the change, all other places are of the text after it; each region lies within the one
//! before it.
//!
//! Source: YAML 1.2.2 chapter 8.

use super::DirtyRange;
use crate::source::lexeme::byte;
use crate::source::{Spanned, ValueKind};

/// Some entries of a list or a map, one after another.
#[derive(Debug)]
pub(super) struct Region {
    /// The way to the list or map: the position of an entry in each one around it.
    pub(super) path: Vec<usize>,
    /// The first of its entries.
    pub(super) first: usize,
    /// The last of them.
    pub(super) last: usize,
    /// Where the line of the first one begins.
    pub(super) start: usize,
    /// Where the line begins that follows the last one, or the text ends.
    pub(super) end: usize,
    /// Lines that open what is open at the first one.
    pub(super) opening: String,
    /// Where the list or map begins, counted from the beginning of those lines.
    pub(super) begins: usize,
}

impl Region {
    /// The list or map that holds the entries.
    pub(super) fn holder<'t>(&self, tree: &'t Spanned) -> Option<&'t Spanned> {
        self.path.iter().try_fold(tree, |value, at| match &value.kind {
            ValueKind::List(items) => items.get(*at),
            ValueKind::Map(entries) => entries.get(*at).map(|entry| &entry.value),
            _ => None,
        })
    }

    /// Whether an entry before these has one of the keys.
    pub(super) fn has_before(&self, tree: &Spanned, keys: &[String]) -> bool {
        let entries = self.holder(tree).and_then(Spanned::as_map).unwrap_or_default();
        entries.iter().take(self.first).any(|entry| keys.contains(&entry.key))
    }
}

/// The entries that a change can touch, from the widest to the narrowest region of them.
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
            // What comes first may have been dropped.
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

/// A list or map in block style that begins before the change.
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
        // What else can precede it on its line (`?`, anchors, tags) is left to those who read everything.
        let line = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
        let prefix = text.get(line..start)?;
        let plain = prefix.bytes().all(|b| matches!(b, b' ' | b'-'));
        plain.then_some(Self { kind: &value.kind, text, dirty: range, start, column: prefix.len() })
    }

    /// How many entries begin before a place that lies before the change.
    fn count(&self, place: usize) -> usize {
        match self.kind {
            ValueKind::List(items) => items.partition_point(|item| item.span.start < place),
            ValueKind::Map(entries) => entries.partition_point(|entry| entry.key_span.start < place),
            _ => 0,
        }
    }

    /// Whether the characters before the change say that this is an entry, and of what.
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

    /// Where an entry begins: its key, or the value behind its dash. Nothing for what the change replaced.
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

    /// Where the line of an entry begins, and how many blanks are before it; nothing where something else is.
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

    /// The last entry that the change can touch, and where the line begins that follows it.
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

    /// Writes a line that opens an entry of it.
    fn open(&self, out: &mut String, indent: usize, value: &str) {
        out.push_str(&" ".repeat(indent));
        out.push_str(if matches!(self.kind, ValueKind::List(_)) { "-" } else { "k:" });
        out.push_str(value);
        out.push('\n');
    }
}

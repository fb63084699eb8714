//! Puts a tree together from its parts in the order of the text.
//!
//! Decides what both languages share: how deep and how large a tree may be, and that keys are unique. Knows nothing of
//! YAML or JSON, nor of the text but for what it quotes.
//!
//! Invariants: the stack holds the lists and maps that are open, at most [`MAX_DEPTH`]; an entry that can't be kept is
//! reported and its value dropped, so that everything after it is still read.

use super::{Document, Entry, Format, MAX_DEPTH, MAX_PROBLEMS, MAX_VALUES, Spanned, ValueKind};
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, Span, shorten_name, sorted_by_position};
use std::collections::HashMap;

/// Up to this many keys a map is searched, past it looked up.
const MAX_LINEAR_KEYS: usize = 8;

/// Reading can't go on; why stands among the diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ParseAborted;

/// A list or a map, while it is open.
#[derive(Debug)]
enum OpenContainer {
    List { start: usize, items: Vec<Spanned> },
    Map { start: usize, entries: Vec<Entry>, seen: HashMap<String, Span>, key: Key },
}

/// What a map waits for.
#[derive(Debug)]
enum Key {
    /// For a key.
    Awaited,
    /// For the value of this key.
    Pending(String, Span),
    /// For a value that will be dropped.
    Dropped,
}

/// What is open at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    None,
    List,
    Map,
}

/// A tree in the making.
#[derive(Debug, Default)]
pub(super) struct TreeBuilder {
    stack: Vec<OpenContainer>,
    root: Option<Spanned>,
    diagnostics: Vec<Diagnostic>,
    values: usize,
    deepest: usize,
}

impl TreeBuilder {
    /// What is open at the moment.
    pub(super) fn top(&self) -> Container {
        match self.stack.last() {
            None => Container::None,
            Some(OpenContainer::List { .. }) => Container::List,
            Some(OpenContainer::Map { .. }) => Container::Map,
        }
    }

    /// Whether the next thing is a key.
    pub(super) fn wants_key(&self) -> bool {
        matches!(self.stack.last(), Some(OpenContainer::Map { key: Key::Awaited, .. }))
    }

    /// Whether what is open has no value in the making.
    pub(super) fn is_ready(&self) -> bool {
        !matches!(self.stack.last(), Some(OpenContainer::Map { key: Key::Pending(..) | Key::Dropped, .. }))
    }

    /// Whether there was no problem until now.
    pub(super) fn has_no_diagnostics(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// How many lists and maps were open at most.
    pub(super) fn deepest(&self) -> usize {
        self.deepest
    }

    /// How many values were added.
    pub(super) fn values(&self) -> usize {
        self.values
    }

    /// Whether the list or map that is open at a depth begins at `start`.
    pub(super) fn is_open(&self, depth: usize, start: usize) -> bool {
        match self.stack.get(depth - 1) {
            Some(OpenContainer::List { start: at, .. } | OpenContainer::Map { start: at, .. }) => {
                *at == start
            }
            None => false,
        }
    }

    /// The keys so far of the map that is open at a depth.
    pub(super) fn keys(&self, depth: usize) -> Vec<String> {
        let Some(OpenContainer::Map { entries, key, .. }) = self.stack.get(depth - 1) else {
            return Vec::new();
        };
        let pending = if let Key::Pending(key, _) = key { Some(key) } else { None };
        entries.iter().map(|entry| &entry.key).chain(pending).cloned().collect_vec()
    }

    /// What the innermost list or map holds so far, and the problems found until now.
    pub(super) fn into_open(mut self) -> (Option<ValueKind>, Vec<Diagnostic>) {
        let open = self.stack.pop().map(|frame| match frame {
            OpenContainer::List { items, .. } => ValueKind::List(items),
            OpenContainer::Map { entries, .. } => ValueKind::Map(entries),
        });
        (open, self.diagnostics)
    }

    /// How many lists and maps are open.
    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Opens a list that begins at `start`.
    pub(super) fn open_list(&mut self, start: usize) -> Result<(), ParseAborted> {
        self.open(start, OpenContainer::List { start, items: Vec::new() })
    }

    /// Opens a map that begins at `start`.
    pub(super) fn open_map(&mut self, start: usize) -> Result<(), ParseAborted> {
        self.open(
            start,
            OpenContainer::Map { start, entries: Vec::new(), seen: HashMap::new(), key: Key::Awaited },
        )
    }

    /// Takes the innermost list or map, which ends before `end`, off the stack; it still has to be added.
    pub(super) fn close(&mut self, end: usize) -> Option<Spanned> {
        self.stack.pop().map(|frame| match frame {
            OpenContainer::List { start, items } => {
                Spanned { kind: ValueKind::List(items), span: Span::new(start, end) }
            }
            OpenContainer::Map { start, entries, .. } => {
                Spanned { kind: ValueKind::Map(entries), span: Span::new(start, end) }
            }
        })
    }

    /// Sets the key of the next value.
    pub(super) fn key(&mut self, name: String, span: Span) {
        let Some(OpenContainer::Map { entries, seen, key, .. }) = self.stack.last_mut() else { return };
        let first = if entries.len() <= MAX_LINEAR_KEYS {
            entries.iter().find(|entry| entry.key == name).map(|entry| entry.key_span)
        } else {
            if seen.is_empty() {
                seen.extend(entries.iter().map(|entry| (entry.key.clone(), entry.key_span)));
            }
            seen.get(&name).copied()
        };
        if let Some(first) = first {
            *key = Key::Dropped;
            let diagnostic = Diagnostic::new(
                Code::DuplicateKey,
                format!("the key `{}` stands twice", shorten_name(&name)),
            );
            return self
                .report(diagnostic.at(span).label(first, "first defined here").help("keep one of the two"));
        }
        if !seen.is_empty() {
            seen.insert(name.clone(), span);
        }
        *key = Key::Pending(name, span);
    }

    /// Reports that what stands at `span` can't be a key, and drops the next value.
    pub(super) fn bad_key(&mut self, span: Span, what: &ValueKind) {
        if let Some(OpenContainer::Map { key, .. }) = self.stack.last_mut() {
            *key = Key::Dropped;
        }
        let diagnostic = Diagnostic::new(
            Code::SourceKeyNotText,
            format!("a key must be text, but this is {}", what.describe()),
        );
        self.report(diagnostic.at(span).help(match what {
            ValueKind::List(_) | ValueKind::Map(_) => {
                "write a single word before the `:`, or quote a template that begins with a brace"
            }
            _ => "write the key in quotes",
        }));
    }

    /// Reports a number that JSON does not have; nothing stands in its place.
    pub(super) fn not_finite(&mut self, word: &str, span: Span) -> ValueKind {
        let diagnostic = Diagnostic::new(
            Code::SourceNotFinite,
            format!("`{}` is not a finite number", shorten_name(word)),
        );
        self.report(
            diagnostic
                .at(span)
                .help("write it in quotes, or write a number within the range of 64-bit floats"),
        );
        ValueKind::Null
    }

    /// Adds a value where the text is: to the open list, to the key before it, or as the root.
    pub(super) fn add(&mut self, value: Spanned) -> Result<(), ParseAborted> {
        self.count(1, value.span)?;
        match self.stack.last_mut() {
            None => self.root = Some(value),
            Some(OpenContainer::List { items, .. }) => items.push(value),
            Some(OpenContainer::Map { entries, key, .. }) => match std::mem::replace(key, Key::Awaited) {
                Key::Pending(key, key_span) => entries.push(Entry { key, key_span, value }),
                Key::Dropped => {}
                Key::Awaited => self.bad_key(value.span, &value.kind),
            },
        }
        Ok(())
    }

    /// Counts `values` more, which were seen at `span`.
    pub(super) fn count(&mut self, values: usize, span: Span) -> Result<(), ParseAborted> {
        self.values = self.values.saturating_add(values);
        if self.values <= MAX_VALUES {
            return Ok(());
        }
        let diagnostic =
            Diagnostic::new(Code::SourceTooLarge, format!("the file holds more than {MAX_VALUES} values"));
        self.stop(diagnostic.at(span).help("move large data out of the plan"))
    }

    /// Notes a problem.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_PROBLEMS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Notes the problem that ends the reading. It is listed even when many are.
    pub(super) fn stop<T>(&mut self, diagnostic: Diagnostic) -> Result<T, ParseAborted> {
        self.diagnostics.truncate(MAX_PROBLEMS - 1);
        self.diagnostics.push(diagnostic);
        Err(ParseAborted)
    }

    /// What came of it. A tree that was not finished is no tree.
    pub(super) fn finish(mut self, outcome: Result<(), ParseAborted>, format: Format) -> Document {
        self.diagnostics = sorted_by_position(std::mem::take(&mut self.diagnostics));
        Document { root: self.root.filter(|_| outcome.is_ok()), diagnostics: self.diagnostics, format }
    }

    fn open(&mut self, start: usize, frame: OpenContainer) -> Result<(), ParseAborted> {
        if self.stack.len() >= MAX_DEPTH {
            return self.stop(too_deep(Span::new(start, start + 1)));
        }
        self.stack.push(frame);
        self.deepest = self.deepest.max(self.stack.len());
        Ok(())
    }
}

/// The problem of a tree past [`MAX_DEPTH`].
pub(super) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new(Code::SourceTooDeep, format!("lists and maps are nested more than {MAX_DEPTH} deep"))
        .at(span)
        .help("flatten what is nested here")
}

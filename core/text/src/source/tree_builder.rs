//! Builds a tree from parts in text order, with limits for depth and size, and unique keys.
//!
//! The builder reports an invalid entry and drops its value, so the parser continues.

use super::{Document, Entry, Format, MAX_DEPTH, MAX_PROBLEMS, MAX_VALUES, Spanned, ValueKind};
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, Span, shorten_name, sorted_by_position};
use std::collections::HashMap;

const MAX_LINEAR_KEYS: usize = 8;

/// The last reported diagnostic is the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ParseAborted;

#[derive(Debug)]
enum OpenContainer {
    List { start: usize, items: Vec<Spanned> },
    Map { start: usize, entries: Vec<Entry>, seen: HashMap<String, Span>, key: Key },
}

/// The next part of an open map.
#[derive(Debug)]
enum Key {
    Awaited,
    Pending(String, Span),
    Dropped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    None,
    List,
    Map,
}

#[derive(Debug, Default)]
pub(super) struct TreeBuilder {
    stack: Vec<OpenContainer>,
    root: Option<Spanned>,
    diagnostics: Vec<Diagnostic>,
    values: usize,
    deepest: usize,
}

impl TreeBuilder {
    pub(super) fn top(&self) -> Container {
        match self.stack.last() {
            None => Container::None,
            Some(OpenContainer::List { .. }) => Container::List,
            Some(OpenContainer::Map { .. }) => Container::Map,
        }
    }

    pub(super) fn wants_key(&self) -> bool {
        matches!(self.stack.last(), Some(OpenContainer::Map { key: Key::Awaited, .. }))
    }

    pub(super) fn is_ready(&self) -> bool {
        !matches!(self.stack.last(), Some(OpenContainer::Map { key: Key::Pending(..) | Key::Dropped, .. }))
    }

    pub(super) fn has_no_diagnostics(&self) -> bool {
        self.diagnostics.is_empty()
    }

    pub(super) fn deepest(&self) -> usize {
        self.deepest
    }

    pub(super) fn values(&self) -> usize {
        self.values
    }

    pub(super) fn is_open(&self, depth: usize, start: usize) -> bool {
        match self.stack.get(depth - 1) {
            Some(OpenContainer::List { start: at, .. } | OpenContainer::Map { start: at, .. }) => {
                *at == start
            }
            None => false,
        }
    }

    pub(super) fn keys(&self, depth: usize) -> Vec<String> {
        let Some(OpenContainer::Map { entries, key, .. }) = self.stack.get(depth - 1) else {
            return Vec::new();
        };
        let pending = if let Key::Pending(key, _) = key { Some(key) } else { None };
        entries.iter().map(|entry| &entry.key).chain(pending).cloned().collect_vec()
    }

    pub(super) fn into_open(mut self) -> (Option<ValueKind>, Vec<Diagnostic>) {
        let open = self.stack.pop().map(|frame| match frame {
            OpenContainer::List { items, .. } => ValueKind::List(items),
            OpenContainer::Map { entries, .. } => ValueKind::Map(entries),
        });
        (open, self.diagnostics)
    }

    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    pub(super) fn open_list(&mut self, start: usize) -> Result<(), ParseAborted> {
        self.open(start, OpenContainer::List { start, items: Vec::new() })
    }

    pub(super) fn open_map(&mut self, start: usize) -> Result<(), ParseAborted> {
        self.open(
            start,
            OpenContainer::Map { start, entries: Vec::new(), seen: HashMap::new(), key: Key::Awaited },
        )
    }

    /// Closes the innermost container, which the caller adds.
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
                format!("the key `{}` is duplicate", shorten_name(&name)),
            );
            return self.report(
                diagnostic.at(span).label(first, "first defined here").help("remove one of the two"),
            );
        }
        if !seen.is_empty() {
            seen.insert(name.clone(), span);
        }
        *key = Key::Pending(name, span);
    }

    /// Drops the next value.
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

    /// Null replaces it.
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

    pub(super) fn count(&mut self, values: usize, span: Span) -> Result<(), ParseAborted> {
        self.values = self.values.saturating_add(values);
        if self.values <= MAX_VALUES {
            return Ok(());
        }
        let diagnostic =
            Diagnostic::new(Code::SourceTooLarge, format!("the file contains more than {MAX_VALUES} values"));
        self.stop(diagnostic.at(span).help("move large data out of the plan"))
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_PROBLEMS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Replaces the last diagnostic if there are too many.
    pub(super) fn stop<T>(&mut self, diagnostic: Diagnostic) -> Result<T, ParseAborted> {
        self.diagnostics.truncate(MAX_PROBLEMS - 1);
        self.diagnostics.push(diagnostic);
        Err(ParseAborted)
    }

    /// An incomplete tree becomes `None`.
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

pub(super) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new(Code::SourceTooDeep, format!("lists and maps are nested more than {MAX_DEPTH} deep"))
        .at(span)
        .help("flatten what is nested here")
}

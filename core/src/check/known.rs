//! What is known of a value, and what a path into it comes to.
//!
//! Decides whether a path can lead anywhere. Where a value may be one of several, a path leads nowhere only if it does in each. What the
//! plan itself writes down is doubtful and no more: where `??` stands in for it, the plan means to do without it.

use crate::diagnostic::brief;
use crate::list::List;
use crate::schema::{Partial, PathVerdict, Patterns, Possible, Schema};
use crate::value::{Segment, holds, list_index};
use serde_json::Value as Json;
use std::rc::Rc;

/// The steps into a value.
pub(super) type Path = Vec<Segment>;
/// What several places know of one value.
pub(super) type Shared<'a> = Rc<Known<'a>>;

/// How many parts a path may be followed through in all; past that nothing is claimed.
const PATIENCE: usize = 2_000;

/// What is known of a value.
#[derive(Debug)]
pub(super) enum Known<'a> {
    /// Nothing.
    Anything,
    /// Text, which has no parts.
    Text,
    /// A number or a truth value, which have no parts.
    Scalar,
    /// All of it.
    Constant(&'a Json),
    /// What a schema in the plan says.
    Schema(Box<Schema>),
    /// What a tool's schema says, as far as it can be understood.
    Tool(&'a Schema),
    /// A map with these keys, and no others where it is closed.
    Map { entries: Vec<(&'a str, Shared<'a>)>, is_closed: bool },
    /// A list of such values.
    List(Shared<'a>),
    /// A map that may have further keys, all of which end so.
    Open(Shared<'a>, &'static str),
    /// A part of another value.
    Part(Shared<'a>, Path),
    /// One of these.
    Either(Vec<Shared<'a>>),
}

/// What a path comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found<'k> {
    Fine,
    /// The step at a position leads nowhere; these names would do.
    Nowhere(usize, Vec<&'k str>),
    /// It may lead nowhere: these names are known there.
    Doubtful(usize, Vec<&'k str>),
}

impl Known<'_> {
    /// What a path into the value comes to.
    pub(super) fn follow(&self, path: &[Segment], patterns: Patterns) -> Found<'_> {
        Walk { patterns, patience: PATIENCE }.follow(self, path, 0)
    }

    /// The values that this may be.
    pub(super) fn alternatives(&self) -> Vec<&Self> {
        match self {
            Self::Either(values) => values.iter().flat_map(|value| value.alternatives()).list(),
            other => vec![other],
        }
    }

    /// What is known as a value with holes; nothing where only a schema describes it.
    pub(super) fn partial(&self) -> Option<Partial<'_>> {
        match self {
            Self::Anything | Self::Schema(_) | Self::Tool(_) | Self::Part(..) | Self::Either(_) => None,
            Self::Scalar | Self::Open(..) => None,
            Self::Text => Some(Partial::Text),
            Self::Constant(json) => Some(Partial::Known(json)),
            Self::List(_) => Some(Partial::List(Vec::new())),
            Self::Map { entries, .. } => {
                let mut parts = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    parts.push((*key, value.partial_entry()));
                }
                Some(Partial::Map(parts))
            }
        }
    }

    fn partial_entry(&self) -> Partial<'_> {
        match self {
            Self::List(_) => Partial::Hole,
            other => other.partial().unwrap_or(Partial::Hole),
        }
    }

    /// What the value at a path may be; nothing where that is not known. What the plan itself writes down is not judged.
    pub(super) fn possible(&self, path: &[Segment]) -> Option<Possible<'_>> {
        self.possible_at(path, PATIENCE)
    }

    fn possible_at(&self, path: &[Segment], patience: usize) -> Option<Possible<'_>> {
        let left = patience.checked_sub(1)?;
        match (self, path) {
            (Self::Text, []) => Some(Possible::text()),
            (Self::Scalar, []) => Some(Possible::scalar()),
            (Self::Map { .. }, []) => Some(Possible::map()),
            (Self::List(_), []) => Some(Possible::list()),
            (Self::Schema(schema), path) => Some(schema.possible(path)),
            (Self::Tool(schema), path) => Some(schema.possible(path)),
            (Self::Part(base, before), path) => {
                let whole = before.iter().chain(path).cloned().list();
                base.possible_at(&whole, left)
            }
            (Self::Either(values), path) => {
                let share = left / values.len().max(1);
                let mut values = values.iter().map(|value| value.possible_at(path, share));
                let first = values.next()??;
                values.try_fold(first, |all, value| Some(all.or(value?)))
            }
            (Self::Map { entries, .. }, [Segment::Key(key), rest @ ..]) => {
                let (_, value) = entries.iter().find(|(name, _)| name == key)?;
                value.possible_at(rest, left)
            }
            (Self::List(item), [Segment::Index(_), rest @ ..]) => item.possible_at(rest, left),
            (Self::Open(base, end), path) if !is_further(path, end) => base.possible_at(path, left),
            _ => None,
        }
    }

    /// Whether the value may be a list, which a path of no steps tells nothing of.
    pub(super) fn may_be_list(&self) -> bool {
        match self {
            Self::Text | Self::Scalar | Self::Map { .. } | Self::Open(..) => false,
            Self::Constant(json) => json.is_array(),
            _ => true,
        }
    }

    /// Why the value is never this one; nothing where it may be.
    pub(super) fn refuses(&self, value: &Json, patterns: Patterns) -> Option<String> {
        let is = |fits: bool, what: &str| (!fits).then(|| format!("it is {what}"));
        let by_schema = |schema: &Schema| {
            let report = schema.validate(value, patterns);
            report.violations.into_iter().next().filter(|_| !report.unfinished).map(|found| found.message)
        };
        match self {
            // A stub for a model gives anything where no schema says what the answer is.
            Self::Anything | Self::Part(..) | Self::Constant(_) | Self::Text => None,
            Self::Scalar => is(value.is_number() || value.is_boolean(), "a number or a truth value"),
            Self::Schema(schema) => by_schema(schema),
            Self::Tool(schema) => by_schema(schema),
            Self::Open(base, _) => base.refuses(value, patterns),
            Self::List(item) => match value.as_array() {
                Some(items) => items.iter().find_map(|value| item.refuses(value, patterns)),
                None => is(false, "a list"),
            },
            Self::Map { entries, is_closed } => {
                let Some(map) = value.as_object() else { return is(false, "a map") };
                let known = |key: &str| entries.iter().find(|(name, _)| *name == key);
                map.iter().find_map(|(key, value)| match known(key) {
                    Some((_, known)) => known.refuses(value, patterns),
                    None => is_closed.then(|| format!("it has no `{}`", brief(key))),
                })
            }
            Self::Either(values) => {
                let mut all = values.iter().map(|known| known.refuses(value, patterns));
                let first = all.next()??;
                all.all(|why| why.is_some()).then_some(first)
            }
        }
    }

    /// What kind of value it is, for messages.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Constant(Json::String(_)) => "text",
            Self::Constant(Json::Null) => "null",
            Self::Constant(Json::Bool(_)) => "a truth value",
            Self::Constant(Json::Number(_)) => "a number",
            Self::Map { .. } | Self::Open(..) | Self::Constant(Json::Object(_)) => "a map",
            _ => "no list",
        }
    }

    /// Whether the value may be text.
    pub(super) fn may_be_text(&self) -> bool {
        self.may_be_text_at(&[], PATIENCE)
    }

    fn may_be_text_at(&self, path: &[Segment], patience: usize) -> bool {
        let Some(left) = patience.checked_sub(1) else { return true };
        match (self, path) {
            (Self::Anything, _) | (Self::Text, []) => true,
            (Self::Schema(schema), path) => schema.may_be_text(path),
            (Self::Tool(schema), path) => schema.may_be_text(path),
            (Self::Constant(json), []) => json.is_string(),
            (Self::Part(base, before), path) => {
                let whole = before.iter().chain(path).cloned().list();
                base.may_be_text_at(&whole, left)
            }
            (Self::Either(values), path) => values.iter().any(|value| value.may_be_text_at(path, left / 2)),
            (Self::Map { entries, .. }, [Segment::Key(key), rest @ ..]) => {
                let entry = entries.iter().find(|(name, _)| name == key);
                entry.is_none_or(|(_, value)| value.may_be_text_at(rest, left))
            }
            (Self::List(item), [_, rest @ ..]) => item.may_be_text_at(rest, left),
            (Self::Open(base, end), path) => is_further(path, end) || base.may_be_text_at(path, left),
            (Self::Constant(_) | Self::Map { .. }, [_, ..]) => true,
            (Self::Text | Self::Scalar, _) | (Self::Map { .. } | Self::List(_), []) => false,
        }
    }
}

struct Walk {
    patterns: Patterns,
    patience: usize,
}

impl Walk {
    fn follow<'k>(&mut self, known: &'k Known<'_>, path: &[Segment], at: usize) -> Found<'k> {
        let Some(step) = path.get(at).filter(|_| self.patience > 0) else { return Found::Fine };
        self.patience -= 1;
        match known {
            Known::Anything => Found::Fine,
            Known::Text | Known::Scalar => Found::Nowhere(at, Vec::new()),
            Known::Constant(json) => constant(json, path, at),
            Known::List(item) if is_index(step) => self.follow(item, path, at + 1),
            Known::List(_) => Found::Nowhere(at, Vec::new()),
            Known::Open(_, end) if is_further(path.get(at..).unwrap_or_default(), end) => Found::Fine,
            Known::Open(base, _) => self.follow(base, path, at),
            Known::Map { entries, is_closed } => {
                let names = || entries.iter().map(|(key, _)| *key).list();
                match entries.iter().find(|(key, _)| matches!(step, Segment::Key(own) if own == key)) {
                    Some((_, value)) => self.follow(value, path, at + 1),
                    None if *is_closed => Found::Nowhere(at, names()),
                    None => Found::Doubtful(at, names()),
                }
            }
            Known::Tool(schema) => self.by_schema(schema, path, at),
            Known::Schema(schema) => self.by_schema(schema, path, at),
            Known::Part(base, before) => {
                let mut whole = before.clone();
                whole.extend(path.get(at..).unwrap_or_default().iter().cloned());
                let moved = |found: usize| found.checked_sub(before.len()).map(|own| own + at);
                // A part that is not there itself is reported where it is taken.
                match self.follow(base, &whole, 0) {
                    Found::Nowhere(found, names) => {
                        moved(found).map_or(Found::Fine, |at| Found::Nowhere(at, names))
                    }
                    Found::Doubtful(found, names) => {
                        moved(found).map_or(Found::Fine, |at| Found::Doubtful(at, names))
                    }
                    Found::Fine => Found::Fine,
                }
            }
            Known::Either(values) => self.either(values, path, at),
        }
    }

    fn by_schema<'k>(&self, schema: &'k Schema, path: &[Segment], base: usize) -> Found<'k> {
        let rest = path.get(base..).unwrap_or_default();
        let part = |length: usize| rest.get(..length).unwrap_or_default();
        match schema.path(rest, self.patterns) {
            PathVerdict::Impossible => {
                let fits =
                    |length: &usize| schema.path(part(*length), self.patterns) != PathVerdict::Impossible;
                let at = (0..rest.len()).rev().find(fits).unwrap_or(0);
                Found::Nowhere(base + at, schema.names_at(part(at)))
            }
            PathVerdict::Undeclared(at) => Found::Doubtful(base + at, schema.names_at(part(at))),
            _ => Found::Fine,
        }
    }

    /// The path that leads furthest tells most.
    fn either<'k>(&mut self, values: &'k [Shared<'_>], path: &[Segment], at: usize) -> Found<'k> {
        let (mut furthest, mut names, mut is_sure) = (0, Vec::new(), true);
        for value in values {
            let (at, known) = match self.follow(value, path, at) {
                Found::Fine => return Found::Fine,
                Found::Nowhere(at, known) => (at, known),
                Found::Doubtful(at, known) => {
                    is_sure = false;
                    (at, known)
                }
            };
            if at > furthest {
                names.clear();
            }
            if at >= furthest {
                furthest = at;
                names.extend(known);
            }
        }
        names.sort_unstable();
        names.dedup();
        if is_sure { Found::Nowhere(furthest, names) } else { Found::Doubtful(furthest, names) }
    }
}

/// Whether the first step of a path is a key that ends so.
fn is_further(path: &[Segment], end: &str) -> bool {
    matches!(path.first(), Some(Segment::Key(key)) if key.ends_with(end))
}

fn is_index(step: &Segment) -> bool {
    match step {
        Segment::Index(_) => true,
        Segment::Key(key) => list_index(key).is_some(),
    }
}

fn constant<'k>(json: &'k Json, path: &[Segment], base: usize) -> Found<'k> {
    let rest = path.get(base..).unwrap_or_default();
    let part = |length: usize| rest.get(..length).unwrap_or_default();
    if holds(json, rest) {
        return Found::Fine;
    }
    let at = (0..rest.len()).rev().find(|length| holds(json, part(*length))).unwrap_or(0);
    let names = part(at).iter().try_fold(json, |json, step| match step {
        Segment::Key(key) => json.get(key),
        Segment::Index(index) => json.get(index),
    });
    let names = names.and_then(Json::as_object).map(|map| map.keys().map(String::as_str).list());
    Found::Doubtful(base + at, names.unwrap_or_default())
}

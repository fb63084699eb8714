//! Decides which facts are certain about fully or partially known values.
//!
//! Invariants:
//! 1. Unknown parts may become anything, so they never cause violations.
//! 2. Access never copies.
//! 3. Children have the order of the text.

use super::decimal;
use serde_json::{Number, Value as Json, map};
use std::cmp::Ordering;
use std::slice;

/// A partially known value.
#[derive(Debug, Clone)]
pub enum Partial<'a> {
    /// Known JSON.
    Known(&'a Json),
    /// Unknown text.
    Text,
    /// Unknown type.
    Unknown,
    /// Perhaps partial items.
    List(Vec<Partial<'a>>),
    /// Known keys, perhaps partial values.
    Map(Vec<(&'a str, Partial<'a>)>),
}

/// `min` is the conjunction, `max` the disjunction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Validity {
    No,
    /// Depends on an unknown part.
    Maybe,
    Yes,
}

impl Validity {
    pub(super) fn from_bool(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    pub(super) fn negated(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Maybe => Self::Maybe,
            Self::Yes => Self::No,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum View<'a> {
    Json(&'a Json),
    /// Never [`Partial::Known`].
    Partial(&'a Partial<'a>),
    Name(&'a str),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ResolvedValue<'a> {
    Null,
    Bool(bool),
    Number(&'a Number),
    Text(&'a str),
    UnknownText,
    List,
    Map,
    Unknown,
}

impl<'a> View<'a> {
    /// A known value becomes a JSON view.
    pub(super) fn of(part: &'a Partial<'a>) -> Self {
        if let Partial::Known(json) = part { Self::Json(json) } else { Self::Partial(part) }
    }

    pub(super) fn resolve(self) -> ResolvedValue<'a> {
        match self {
            Self::Name(text) => ResolvedValue::Text(text),
            Self::Partial(Partial::Text) => ResolvedValue::UnknownText,
            Self::Partial(Partial::Unknown | Partial::Known(_)) => ResolvedValue::Unknown,
            Self::Partial(Partial::List(_)) => ResolvedValue::List,
            Self::Partial(Partial::Map(_)) => ResolvedValue::Map,
            Self::Json(json) => match json {
                Json::Null => ResolvedValue::Null,
                Json::Bool(flag) => ResolvedValue::Bool(*flag),
                Json::Number(number) => ResolvedValue::Number(number),
                Json::String(text) => ResolvedValue::Text(text),
                Json::Array(_) => ResolvedValue::List,
                Json::Object(_) => ResolvedValue::Map,
            },
        }
    }

    /// Ordered children.
    pub(super) fn children(self) -> Children<'a> {
        match self {
            Self::Json(Json::Array(items)) => Children::Items(0, items.iter()),
            Self::Json(Json::Object(map)) => Children::Entries(map.iter()),
            Self::Partial(Partial::List(parts)) => Children::Parts(0, parts.iter()),
            Self::Partial(Partial::Map(parts)) => Children::NamedParts(parts.iter()),
            _ => Children::Items(0, [].iter()),
        }
    }

    pub(super) fn len(self) -> usize {
        match self {
            Self::Json(Json::Array(items)) => items.len(),
            Self::Json(Json::Object(map)) => map.len(),
            Self::Partial(Partial::List(parts)) => parts.len(),
            Self::Partial(Partial::Map(parts)) => parts.len(),
            _ => 0,
        }
    }

    pub(super) fn has(self, key: &str) -> bool {
        match self {
            Self::Json(Json::Object(map)) => map.contains_key(key),
            Self::Partial(Partial::Map(parts)) => parts.iter().any(|(name, _)| *name == key),
            _ => false,
        }
    }

    pub(super) fn known(self) -> Option<&'a Json> {
        match self {
            Self::Json(json) => Some(json),
            _ => None,
        }
    }

    /// Adds the cost to `work`.
    pub(super) fn equals(self, other: &Json, work: &mut usize) -> Validity {
        *work += 1;
        match (self.resolve(), other) {
            (ResolvedValue::Unknown, _) | (ResolvedValue::UnknownText, Json::String(_)) => Validity::Maybe,
            (ResolvedValue::Null, Json::Null) => Validity::Yes,
            (ResolvedValue::Bool(a), Json::Bool(b)) => Validity::from_bool(a == *b),
            (ResolvedValue::Number(a), Json::Number(b)) => {
                *work += 8;
                Validity::from_bool(decimal::compare(a, b) == Ordering::Equal)
            }
            (ResolvedValue::Text(a), Json::String(b)) => {
                *work += if a.len() == b.len() { a.len() / 64 } else { 0 };
                Validity::from_bool(a == b)
            }
            (ResolvedValue::List, Json::Array(_)) | (ResolvedValue::Map, Json::Object(_))
                if View::Json(other).len() == self.len() =>
            {
                let mut validity = Validity::Yes;
                for (step, child) in self.children() {
                    let same = match step {
                        Step::Key(key) => other.get(key),
                        Step::Index(at) => other.get(at),
                        Step::Whole => None,
                    };
                    validity = validity.min(same.map_or(Validity::No, |same| child.equals(same, work)));
                    if validity == Validity::No {
                        break;
                    }
                }
                validity
            }
            _ => Validity::No,
        }
    }
}

#[derive(Debug)]
pub(super) enum Children<'a> {
    Items(usize, slice::Iter<'a, Json>),
    Entries(map::Iter<'a>),
    Parts(usize, slice::Iter<'a, Partial<'a>>),
    NamedParts(slice::Iter<'a, (&'a str, Partial<'a>)>),
}

impl<'a> Iterator for Children<'a> {
    type Item = (Step<'a>, View<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let index = |at: &mut usize| {
            *at += 1;
            Step::Index(*at - 1)
        };
        match self {
            Self::Items(at, items) => items.next().map(|item| (index(at), View::Json(item))),
            Self::Entries(entries) => entries.next().map(|(key, value)| (Step::Key(key), View::Json(value))),
            Self::Parts(at, parts) => parts.next().map(|part| (index(at), View::of(part))),
            Self::NamedParts(parts) => parts.next().map(|(key, part)| (Step::Key(key), View::of(part))),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'a> {
    Whole,
    Key(&'a str),
    Index(usize),
}

/// A linked list on the stack, which allocates only for reports.
#[derive(Debug, Clone, Copy)]
pub(super) struct InstancePath<'a> {
    pub(super) above: Option<&'a InstancePath<'a>>,
    pub(super) step: Step<'a>,
}

impl InstancePath<'_> {
    pub(super) const ROOT: InstancePath<'static> = InstancePath { above: None, step: Step::Whole };

    pub(super) fn pointer(&self) -> String {
        let above = self.above.map(InstancePath::pointer).unwrap_or_default();
        match self.step {
            Step::Whole => above,
            Step::Key(key) => [&above, "/", &escape(key)].concat(),
            Step::Index(index) => [&above, "/", &index.to_string()].concat(),
        }
    }
}

pub(super) fn escape(key: &str) -> String {
    let mut escaped = String::with_capacity(key.len());
    for c in key.chars() {
        match c {
            '~' => escaped.push_str("~0"),
            '/' => escaped.push_str("~1"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Unescaped pointer keys.
pub fn steps(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"))
}

//! The values that are checked, known in full or in part.
//!
//! Decides what is certain of a value with holes. A hole could become anything, so nothing is ever claimed of it.
//!
//! Invariants:
//! 1. looking at a value copies nothing of it;
//! 2. the children of a value have one order, which is that of its text.

use super::decimal;
use serde_json::{Number, Value as Json, map};
use std::cmp::Ordering;
use std::slice;

/// A value some of which is not known yet: arguments with templates in them.
#[derive(Debug, Clone)]
pub enum Partial<'a> {
    /// All of it is known.
    Known(&'a Json),
    /// Text, whatever it says.
    Text,
    /// Anything at all.
    Hole,
    /// A list, each item known or not.
    List(Vec<Partial<'a>>),
    /// A map whose keys are known.
    Map(Vec<(&'a str, Partial<'a>)>),
}

/// Whether something holds; in this order, so that "both" is the lesser and "either" the greater of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    /// It depends on what is not known.
    Maybe,
    Yes,
}

impl Fit {
    pub(super) fn when(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    pub(super) fn reversed(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Maybe => Self::Maybe,
            Self::Yes => Self::No,
        }
    }
}

/// A value wherever it stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum View<'a> {
    Json(&'a Json),
    /// Never one that is known in full.
    Part(&'a Partial<'a>),
    /// The name of an entry.
    Name(&'a str),
}

/// What a value turns out to be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Look<'a> {
    Null,
    Bool(bool),
    Number(&'a Number),
    Text(&'a str),
    SomeText,
    List,
    Map,
    Hole,
}

impl<'a> View<'a> {
    /// What is known in full is seen as what it is.
    pub(super) fn of(part: &'a Partial<'a>) -> Self {
        if let Partial::Known(json) = part { Self::Json(json) } else { Self::Part(part) }
    }

    pub(super) fn look(self) -> Look<'a> {
        match self {
            Self::Name(text) => Look::Text(text),
            Self::Part(Partial::Text) => Look::SomeText,
            Self::Part(Partial::Hole | Partial::Known(_)) => Look::Hole,
            Self::Part(Partial::List(_)) => Look::List,
            Self::Part(Partial::Map(_)) => Look::Map,
            Self::Json(json) => match json {
                Json::Null => Look::Null,
                Json::Bool(flag) => Look::Bool(*flag),
                Json::Number(number) => Look::Number(number),
                Json::String(text) => Look::Text(text),
                Json::Array(_) => Look::List,
                Json::Object(_) => Look::Map,
            },
        }
    }

    /// The items or entries in it, in order.
    pub(super) fn children(self) -> Children<'a> {
        match self {
            Self::Json(Json::Array(items)) => Children::Items(0, items.iter()),
            Self::Json(Json::Object(map)) => Children::Entries(map.iter()),
            Self::Part(Partial::List(parts)) => Children::Parts(0, parts.iter()),
            Self::Part(Partial::Map(parts)) => Children::NamedParts(parts.iter()),
            _ => Children::Items(0, [].iter()),
        }
    }

    /// How many there are.
    pub(super) fn len(self) -> usize {
        match self {
            Self::Json(Json::Array(items)) => items.len(),
            Self::Json(Json::Object(map)) => map.len(),
            Self::Part(Partial::List(parts)) => parts.len(),
            Self::Part(Partial::Map(parts)) => parts.len(),
            _ => 0,
        }
    }

    /// Whether it is a map that has `key`.
    pub(super) fn has(self, key: &str) -> bool {
        match self {
            Self::Json(Json::Object(map)) => map.contains_key(key),
            Self::Part(Partial::Map(parts)) => parts.iter().any(|(name, _)| *name == key),
            _ => false,
        }
    }

    /// The value when all of it is known.
    pub(super) fn known(self) -> Option<&'a Json> {
        match self {
            Self::Json(json) => Some(json),
            _ => None,
        }
    }

    /// Whether it is the same as `other`; `work` is how much there was to compare.
    pub(super) fn equals(self, other: &Json, work: &mut usize) -> Fit {
        *work += 1;
        match (self.look(), other) {
            (Look::Hole, _) | (Look::SomeText, Json::String(_)) => Fit::Maybe,
            (Look::Null, Json::Null) => Fit::Yes,
            (Look::Bool(a), Json::Bool(b)) => Fit::when(a == *b),
            (Look::Number(a), Json::Number(b)) => {
                *work += 8;
                Fit::when(decimal::compare(a, b) == Ordering::Equal)
            }
            (Look::Text(a), Json::String(b)) => {
                *work += if a.len() == b.len() { a.len() / 64 } else { 0 };
                Fit::when(a == b)
            }
            (Look::List, Json::Array(_)) | (Look::Map, Json::Object(_))
                if View::Json(other).len() == self.len() =>
            {
                let mut fit = Fit::Yes;
                for (step, child) in self.children() {
                    let same = match step {
                        Step::Key(key) => other.get(key),
                        Step::Index(at) => other.get(at),
                        Step::Whole => None,
                    };
                    fit = fit.min(same.map_or(Fit::No, |same| child.equals(same, work)));
                    if fit == Fit::No {
                        break;
                    }
                }
                fit
            }
            _ => Fit::No,
        }
    }
}

/// The children of a value.
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

/// One step into a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'a> {
    Whole,
    Key(&'a str),
    Index(usize),
}

/// Where in the value something stands: a chain of steps on the stack, so that a place costs nothing until it is told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) above: Option<&'a Place<'a>>,
    pub(super) step: Step<'a>,
}

impl Place<'_> {
    pub(super) const WHOLE: Place<'static> = Place { above: None, step: Step::Whole };

    /// Its JSON pointer.
    pub(super) fn pointer(&self) -> String {
        let above = self.above.map(Place::pointer).unwrap_or_default();
        match self.step {
            Step::Whole => above,
            Step::Key(key) => [&above, "/", &escape(key)].concat(),
            Step::Index(index) => [&above, "/", &index.to_string()].concat(),
        }
    }
}

/// A key as a step of a JSON pointer.
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

/// The keys of a JSON pointer.
pub fn steps(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"))
}

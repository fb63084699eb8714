//! Facts about a value before a run, to check paths.
//!
//! A path is invalid only if every alternative rejects it. Missing parts of constants are uncertain, since `??` expects
//! them.

mod entries;
mod value_type;

use crate::collect::CollectVec;
use crate::diagnostic::shorten_name;
use crate::schema::{Partial, PathStatus, Patterns, PossibleValues, Schema};
use crate::value::{Segment, get_path, has_path};
use entries::Entries;
use serde_json::Value as Json;
use std::rc::Rc;

pub(super) type Path = Vec<Segment>;
pub(super) type Shared<'a> = Rc<KnownValue<'a>>;

/// Beyond it, a value is unknown.
const PATH_BUDGET: usize = 2_000;
/// Beyond it, a path counts as valid. It is small, because a problem lists the names of all alternatives.
const ALTERNATIVES_BUDGET: usize = 500;

#[derive(Debug)]
pub(super) enum KnownValue<'a> {
    Anything,
    Text,
    Scalar,
    Constant(&'a Json),
    Schema(Box<Schema>),
    /// As far as the engine understands it.
    Tool(&'a Schema),
    /// A closed map has no other keys.
    Map {
        entries: Entries<'a>,
        is_closed: bool,
    },
    List(Shared<'a>),
    /// May have more keys with this suffix.
    ExtensibleMap(Shared<'a>, &'static str),
    Part(Shared<'a>, Path),
    OneOf(Vec<Shared<'a>>),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum PathCheck<'k> {
    Valid,
    /// Invalid segment and valid names.
    Invalid(usize, Vec<&'k str>),
    /// Possibly missing segment, and known names.
    Uncertain(usize, Vec<&'k str>),
}

impl<'a> KnownValue<'a> {
    pub(super) fn map(entries: Vec<(&'a str, Shared<'a>)>, is_closed: bool) -> Self {
        Self::Map { entries: Entries::new(entries), is_closed }
    }
}

impl KnownValue<'_> {
    pub(super) fn check_path(&self, path: &[Segment], patterns: Patterns) -> PathCheck<'_> {
        let mut walk = PathWalk { patterns, budget: ALTERNATIVES_BUDGET, has_alternatives: false };
        let mut found = walk.check_path(self, path, 0);
        if walk.has_alternatives
            && let PathCheck::Invalid(_, names) | PathCheck::Uncertain(_, names) = &mut found
        {
            names.sort_unstable();
            names.dedup();
        }
        found
    }

    pub(super) fn alternatives(&self) -> Vec<&Self> {
        match self {
            Self::OneOf(values) => values.iter().flat_map(|value| value.alternatives()).collect_vec(),
            other => vec![other],
        }
    }

    /// `None` if only a schema describes the value.
    pub(super) fn to_partial(&self) -> Option<Partial<'_>> {
        match self {
            Self::Anything | Self::Schema(_) | Self::Tool(_) | Self::Part(..) | Self::OneOf(_) => None,
            Self::Scalar | Self::ExtensibleMap(..) => None,
            Self::Text => Some(Partial::Text),
            Self::Constant(json) => Some(Partial::Known(json)),
            Self::List(_) => Some(Partial::List(Vec::new())),
            Self::Map { entries, .. } => {
                let mut parts = Vec::with_capacity(entries.len());
                for (key, value) in entries.iter() {
                    parts.push((*key, value.partial_entry()));
                }
                Some(Partial::Map(parts))
            }
        }
    }

    fn partial_entry(&self) -> Partial<'_> {
        match self {
            Self::List(_) => Partial::Unknown,
            other => other.to_partial().unwrap_or(Partial::Unknown),
        }
    }

    /// `None` if unknown. Doesn't check constants of the plan.
    pub(super) fn possible_values(&self, path: &[Segment]) -> Option<PossibleValues<'_>> {
        self.possible_at(path, PATH_BUDGET, false)
    }

    /// Like [`Self::possible_values`], but checks constants of the plan, too.
    pub(super) fn possible_constants(&self, path: &[Segment]) -> Option<PossibleValues<'_>> {
        self.possible_at(path, PATH_BUDGET, true)
    }

    fn possible_at(
        &self,
        path: &[Segment],
        work_budget: usize,
        constants: bool,
    ) -> Option<PossibleValues<'_>> {
        let remaining = work_budget.checked_sub(1)?;
        match (self, path) {
            (Self::Constant(json), path) if constants => get_path(json, path).map(PossibleValues::of_value),
            (Self::Text, []) => Some(PossibleValues::text()),
            (Self::Scalar, []) => Some(PossibleValues::scalar()),
            (Self::Map { .. }, []) => Some(PossibleValues::map()),
            (Self::List(_), []) => Some(PossibleValues::list()),
            (Self::Schema(schema), path) => Some(schema.possible(path)),
            (Self::Tool(schema), path) => Some(schema.possible(path)),
            (Self::Part(base, before), path) => {
                base.possible_at(&whole_path(before, path)?, remaining, constants)
            }
            (Self::OneOf(values), path) => {
                let share = remaining / values.len().max(1);
                let mut values = values.iter().map(|value| value.possible_at(path, share, constants));
                let first = values.next()??;
                values.try_fold(first, |all, value| Some(all.union(value?)))
            }
            (Self::Map { entries, .. }, [Segment::Key(key), rest @ ..]) => {
                let value = entries.get(key)?;
                value.possible_at(rest, remaining, constants)
            }
            (Self::List(item), [Segment::Index(_), rest @ ..]) => {
                item.possible_at(rest, remaining, constants)
            }
            (Self::ExtensibleMap(base, end), path) if !matches_suffix(path, end) => {
                base.possible_at(path, remaining, constants)
            }
            _ => None,
        }
    }

    /// Empty paths say nothing about lists.
    pub(super) fn may_be_list(&self) -> bool {
        match self {
            Self::Text | Self::Scalar | Self::Map { .. } | Self::ExtensibleMap(..) => false,
            Self::Constant(json) => json.is_array(),
            _ => true,
        }
    }

    /// Why the values always differ, `None` if they may be equal.
    pub(super) fn mismatch(&self, value: &Json, patterns: Patterns) -> Option<String> {
        let is = |fits: bool, what: &str| (!fits).then(|| format!("it is {what}"));
        let by_schema = |schema: &Schema| {
            let report = schema.validate(value, patterns);
            report.violations.into_iter().next().filter(|_| !report.is_incomplete).map(|found| found.message)
        };
        match self {
            // Model stubs may return anything without an answer schema.
            Self::Anything | Self::Part(..) | Self::Constant(_) | Self::Text => None,
            Self::Scalar => is(value.is_number() || value.is_boolean(), "a number or a truth value"),
            Self::Schema(schema) => by_schema(schema),
            Self::Tool(schema) => by_schema(schema),
            Self::ExtensibleMap(base, _) => base.mismatch(value, patterns),
            Self::List(item) => match value.as_array() {
                Some(items) => items.iter().find_map(|value| item.mismatch(value, patterns)),
                None => is(false, "a list"),
            },
            Self::Map { entries, is_closed } => {
                let Some(map) = value.as_object() else { return is(false, "a map") };
                map.iter().find_map(|(key, value)| match entries.get(key) {
                    Some(known_value) => known_value.mismatch(value, patterns),
                    None => is_closed.then(|| format!("it has no `{}`", shorten_name(key))),
                })
            }
            Self::OneOf(values) => {
                let mut all = values.iter().map(|known_value| known_value.mismatch(value, patterns));
                let first = all.next()??;
                all.all(|why| why.is_some()).then_some(first)
            }
        }
    }

    /// For messages.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Constant(Json::String(_)) => "text",
            Self::Constant(Json::Null) => "null",
            Self::Constant(Json::Bool(_)) => "a truth value",
            Self::Constant(Json::Number(_)) => "a number",
            Self::Map { .. } | Self::ExtensibleMap(..) | Self::Constant(Json::Object(_)) => "a map",
            _ => "no list",
        }
    }

    pub(super) fn may_be_text(&self) -> bool {
        self.may_be_text_at(&[], PATH_BUDGET)
    }

    fn may_be_text_at(&self, path: &[Segment], work_budget: usize) -> bool {
        let Some(remaining) = work_budget.checked_sub(1) else { return true };
        match (self, path) {
            (Self::Anything, _) | (Self::Text, []) => true,
            (Self::Schema(schema), path) => schema.may_be_text(path),
            (Self::Tool(schema), path) => schema.may_be_text(path),
            (Self::Constant(json), []) => json.is_string(),
            (Self::Part(base, before), path) => {
                whole_path(before, path).is_none_or(|whole| base.may_be_text_at(&whole, remaining))
            }
            (Self::OneOf(values), path) => {
                values.iter().any(|value| value.may_be_text_at(path, remaining / 2))
            }
            (Self::Map { entries, .. }, [Segment::Key(key), rest @ ..]) => {
                let entry = entries.get(key);
                entry.is_none_or(|value| value.may_be_text_at(rest, remaining))
            }
            (Self::List(item), [_, rest @ ..]) => item.may_be_text_at(rest, remaining),
            (Self::ExtensibleMap(base, end), path) => {
                matches_suffix(path, end) || base.may_be_text_at(path, remaining)
            }
            (Self::Constant(_) | Self::Map { .. }, [_, ..]) => true,
            (Self::Text | Self::Scalar, _) | (Self::Map { .. } | Self::List(_), []) => false,
        }
    }
}

/// Longer paths are not followed. A chain of nodes, of which each reads a part of the one before, has such.
const MAX_PATH: usize = 64;

fn whole_path(before: &[Segment], path: &[Segment]) -> Option<Vec<Segment>> {
    let whole = before.iter().chain(path);
    (before.len() + path.len() <= MAX_PATH).then(|| whole.cloned().collect_vec())
}

struct PathWalk {
    patterns: Patterns,
    budget: usize,
    has_alternatives: bool,
}

impl PathWalk {
    fn check_path<'k>(&mut self, known: &'k KnownValue<'_>, path: &[Segment], at: usize) -> PathCheck<'k> {
        let Some(step) = path.get(at).filter(|_| self.budget > 0) else { return PathCheck::Valid };
        self.budget -= 1;
        match known {
            KnownValue::Anything => PathCheck::Valid,
            KnownValue::Text | KnownValue::Scalar => PathCheck::Invalid(at, Vec::new()),
            KnownValue::Constant(json) => check_constant(json, path, at),
            KnownValue::List(item) if step.list_index().is_some() => self.check_path(item, path, at + 1),
            KnownValue::List(_) => PathCheck::Invalid(at, Vec::new()),
            KnownValue::ExtensibleMap(_, end) if matches_suffix(path.get(at..).unwrap_or_default(), end) => {
                PathCheck::Valid
            }
            KnownValue::ExtensibleMap(base, _) => self.check_path(base, path, at),
            KnownValue::Map { entries, is_closed } => {
                let names = || entries.iter().map(|(key, _)| *key).collect_vec();
                let known = match step {
                    Segment::Key(key) => entries.get(key),
                    Segment::Index(_) => None,
                };
                match known {
                    Some(value) => self.check_path(value, path, at + 1),
                    None if *is_closed => PathCheck::Invalid(at, names()),
                    None => PathCheck::Uncertain(at, names()),
                }
            }
            KnownValue::Tool(schema) => self.check_schema(schema, path, at),
            KnownValue::Schema(schema) => self.check_schema(schema, path, at),
            KnownValue::Part(base, before) => {
                let rest = path.get(at..).unwrap_or_default();
                let Some(whole) = whole_path(before, rest) else { return PathCheck::Valid };
                let moved = |found: usize| found.checked_sub(before.len()).map(|own| own + at);
                // Missing parts are reported at the part itself.
                match self.check_path(base, &whole, 0) {
                    PathCheck::Invalid(found, names) => {
                        moved(found).map_or(PathCheck::Valid, |at| PathCheck::Invalid(at, names))
                    }
                    PathCheck::Uncertain(found, names) => {
                        moved(found).map_or(PathCheck::Valid, |at| PathCheck::Uncertain(at, names))
                    }
                    PathCheck::Valid => PathCheck::Valid,
                }
            }
            KnownValue::OneOf(values) => self.check_alternatives(values, path, at),
        }
    }

    fn check_schema<'k>(&self, schema: &'k Schema, path: &[Segment], base: usize) -> PathCheck<'k> {
        let rest = path.get(base..).unwrap_or_default();
        let part = |length: usize| rest.get(..length).unwrap_or_default();
        match schema.path_status(rest, self.patterns) {
            PathStatus::Impossible => {
                let fits = |length: &usize| {
                    schema.path_status(part(*length), self.patterns) != PathStatus::Impossible
                };
                let at = (0..rest.len()).rev().find(fits).unwrap_or(0);
                PathCheck::Invalid(base + at, schema.names_at(part(at)))
            }
            PathStatus::Undeclared(at) => PathCheck::Uncertain(base + at, schema.names_at(part(at))),
            _ => PathCheck::Valid,
        }
    }

    /// The furthest path has the most useful names.
    fn check_alternatives<'k>(
        &mut self,
        values: &'k [Shared<'_>],
        path: &[Segment],
        at: usize,
    ) -> PathCheck<'k> {
        self.has_alternatives = true;
        let (mut furthest, mut names, mut is_sure) = (0, Vec::new(), true);
        for value in values {
            let (at, mut known) = match self.check_path(value, path, at) {
                PathCheck::Valid => return PathCheck::Valid,
                PathCheck::Invalid(at, known) => (at, known),
                PathCheck::Uncertain(at, known) => {
                    is_sure = false;
                    (at, known)
                }
            };
            if at > furthest {
                names.clear();
            }
            if at >= furthest {
                furthest = at;
                // Nested alternatives would be copied at each level.
                if known.len() > names.len() {
                    std::mem::swap(&mut known, &mut names);
                }
                names.extend(known);
            }
        }
        if is_sure { PathCheck::Invalid(furthest, names) } else { PathCheck::Uncertain(furthest, names) }
    }
}

fn matches_suffix(path: &[Segment], end: &str) -> bool {
    matches!(path.first(), Some(Segment::Key(key)) if key.ends_with(end))
}

fn check_constant<'k>(json: &'k Json, path: &[Segment], base: usize) -> PathCheck<'k> {
    let rest = path.get(base..).unwrap_or_default();
    let part = |length: usize| rest.get(..length).unwrap_or_default();
    if has_path(json, rest) {
        return PathCheck::Valid;
    }
    let at = (0..rest.len()).rev().find(|length| has_path(json, part(*length))).unwrap_or(0);
    let names = part(at).iter().try_fold(json, |json, step| match step {
        Segment::Key(key) => json.get(key),
        Segment::Index(index) => json.get(index),
    });
    let names = names.and_then(Json::as_object).map(|map| map.keys().map(String::as_str).collect_vec());
    PathCheck::Uncertain(base + at, names.unwrap_or_default())
}

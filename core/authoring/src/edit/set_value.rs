//! Sets and removes values at any path. Creates missing maps, and removes some empty ones.

use super::error::EditResult;
use super::node::GraphEditor;
use serde_json::{Map, Value as Json};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::{Code, Diagnostic, shorten_name};
use stepgraph_core::source::edit::{Change, NewValue, has_own_comments};
use stepgraph_core::source::{Spanned, ValueKind};
use stepgraph_core::value::Segment;

/// These mean nothing when empty.
const EMPTY_IS_ABSENT: [&str; 5] = ["with", "metadata", "limits", "inputs", "servers"];

impl GraphEditor<'_, '_> {
    pub(super) fn set_value(
        &self,
        base: &[Segment],
        value: &Spanned,
        path: &[Segment],
        new: Option<&Json>,
    ) -> EditResult<Vec<Change>> {
        let mut at = value;
        for (depth, step) in path.iter().enumerate() {
            let here = || [base, path.get(..=depth).unwrap_or_default()].concat();
            let rest = path.get(depth + 1..).unwrap_or_default();
            let next = match (&at.kind, step) {
                (ValueKind::Null, _) => None,
                (ValueKind::Map(_), Segment::Key(key)) => at.get(key).map(|entry| &entry.value),
                (ValueKind::List(items), Segment::Index(index)) if *index <= items.len() => items.get(*index),
                _ => return Err(no_such_path(at, step)),
            };
            let last = rest.is_empty();
            match (next, new) {
                (Some(next), _) if !last && !matches!(next.kind, ValueKind::Null) => at = next,
                (None, None) => return Ok(Vec::new()),
                (Some(_), None) if !last => return Ok(Vec::new()),
                (Some(_), None) => return Ok(vec![self.remove_value(base, value, path)]),
                (Some(_), Some(new)) => {
                    return Ok(vec![Change::Set { path: here(), value: wrap_in_path(rest, new)? }]);
                }
                (None, Some(new)) => {
                    let value = wrap_in_path(rest, new)?;
                    return Ok(vec![match (&at.kind, step) {
                        (_, Segment::Index(_)) => Change::Insert { path: here(), before: None, value },
                        _ => Change::Set { path: here(), value },
                    }]);
                }
            }
        }
        Ok(Vec::new())
    }

    fn remove_value(&self, base: &[Segment], value: &Spanned, path: &[Segment]) -> Change {
        let whole = [base, path].concat();
        match path {
            [Segment::Key(holder), Segment::Key(_)] if EMPTY_IS_ABSENT.contains(&holder.as_str()) => {
                self.remove_entry(whole, value.get(holder).map(|entry| &entry.value))
            }
            _ => Change::Remove { path: whole },
        }
    }

    /// Also removes a surrounding map without other entries and comments.
    pub(super) fn remove_entry(&self, mut path: Vec<Segment>, holder: Option<&Spanned>) -> Change {
        let alone = holder.and_then(Spanned::as_map).is_some_and(|entries| entries.len() == 1);
        if let Some(entry) = path.pop().filter(|_| !alone || self.has_own_comments(&path)) {
            path.push(entry);
        }
        Change::Remove { path }
    }

    pub(super) fn has_own_comments(&self, path: &[Segment]) -> bool {
        let root = self.syntax.graphs.first().map(|graph| graph.map);
        root.is_some_and(|root| has_own_comments(self.text, root, path))
    }
}

fn wrap_in_path(path: &[Segment], value: &Json) -> EditResult<Json> {
    path.iter().rev().try_fold(value.clone(), |value, step| match step {
        Segment::Key(key) => Ok(Json::Object(Map::from_iter([(key.clone(), value)]))),
        Segment::Index(0) => Ok(Json::Array(vec![value])),
        Segment::Index(_) => Err(no_such_step("a list that is not there yet", step)),
    })
}

fn no_such_path(at: &Spanned, step: &Segment) -> Box<Diagnostic> {
    let mut diagnostic = no_such_step(at.kind.describe(), step);
    diagnostic.span = Some(at.span);
    diagnostic
}

fn no_such_step(holder: &str, step: &Segment) -> Box<Diagnostic> {
    let step = match step {
        Segment::Key(key) => format!("no key `{}`", shorten_name(key)),
        Segment::Index(at) => format!("no position {at}"),
    };
    let diagnostic = Diagnostic::new(Code::EditNowhere, format!("{holder} has {step}"));
    Box::new(diagnostic.help("name keys of maps and positions of lists that are there"))
}

/// Precedes the first existing key of `followers`.
pub(super) fn add_entry(
    base: &[Segment],
    map: &Spanned,
    key: &str,
    value: Json,
    followers: &[&str],
) -> Change {
    let path = [base, &[Segment::Key(key.to_owned())]].concat();
    let entries = map.as_map().unwrap_or_default();
    let before = entries.iter().position(|entry| followers.contains(&entry.key.as_str()));
    match before {
        Some(_) => Change::Insert { path, before, value },
        None => Change::Set { path, value },
    }
}

pub(super) fn number_json(value: f64) -> Json {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "casts of floats stop at the bounds, and the bounds are checked"
    )]
    let whole = value as i64;
    if value.fract() == 0.0 && value.abs() < 1e15 { Json::from(whole) } else { Json::from(value) }
}

pub(super) fn pair_json(place: [f64; 2]) -> Json {
    Json::Array(place.iter().map(|value| number_json(*value)).collect_vec())
}

/// Does nothing if the key exists.
pub(super) fn add_new_value(
    base: &[Segment],
    map: &Spanned,
    key: &str,
    draft: NewValue,
    followers: &[&str],
) -> Vec<Change> {
    let entries = map.as_map().unwrap_or_default();
    let before = entries.iter().position(|entry| followers.contains(&entry.key.as_str()));
    let mut changes = Vec::new();
    let mut before = before;
    if let Some(at) = entries.iter().position(|entry| entry.key == key) {
        changes.push(Change::Remove { path: [base, &[Segment::Key(key.to_owned())]].concat() });
        before = before.map(|before| before - usize::from(at < before));
    }
    changes.push(Change::InsertRelocated {
        path: base.to_vec(),
        before,
        entries: vec![(key.to_owned(), draft)],
    });
    changes
}

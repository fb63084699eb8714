//! A change, and its effect on plain data.

use super::apply_edits;
use crate::diagnostic::TextEdit;
use crate::value::Segment;
use serde_json::{Map, Value as Json};

/// One change. Paths start at the root.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Replaces a value, or appends a missing key.
    Set {
        /// Its path.
        path: Vec<Segment>,
        /// New value.
        value: Json,
    },
    /// Inserts a value at a new key or list index.
    Insert {
        /// Its path.
        path: Vec<Segment>,
        /// The next entry in a map, by default the end.
        before: Option<usize>,
        /// New value.
        value: Json,
    },
    /// Removes a value. Comments stay if they head the next entries.
    Remove {
        /// Its path.
        path: Vec<Segment>,
    },
    /// Removes the original after [`Change::InsertRelocated`], with all comments directly above it.
    RemoveRelocated {
        /// Its path.
        path: Vec<Segment>,
    },
    /// Renames a key.
    Rename {
        /// Its path.
        path: Vec<Segment>,
        /// New key.
        key: String,
    },
    /// Moves a list's item, with its comments.
    Move {
        /// Its path.
        path: Vec<Segment>,
        /// New index.
        to: usize,
    },
    /// Replaces parts of a string, however it's quoted.
    Splice {
        /// Its path.
        path: Vec<Segment>,
        /// In order. Spans are byte offsets in the parsed string.
        edits: Vec<TextEdit>,
    },
    /// Inserts values, maybe with verbatim copies of other parts.
    InsertRelocated {
        /// The container's path.
        path: Vec<Segment>,
        /// The next entry or item, by default the end.
        before: Option<usize>,
        /// Lists ignore keys.
        entries: Vec<(String, NewValue)>,
    },
    /// Copies a map's entry verbatim after it.
    Copy {
        /// Its path.
        path: Vec<Segment>,
        /// Copy's key.
        key: String,
    },
}

/// Inserted value.
#[derive(Debug, Clone, PartialEq)]
pub enum NewValue {
    /// Plain data.
    Value(Json),
    /// A map.
    Map(Vec<(String, NewValue)>),
    /// A list.
    List(Vec<NewValue>),
    /// A value as written. As an entry it keeps its key.
    Existing(Vec<Segment>),
}

impl NewValue {
    /// Takes existing values from `root`.
    pub(super) fn to_json(&self, root: &Json) -> Option<Json> {
        Some(match self {
            Self::Value(value) => value.clone(),
            Self::Map(entries) => {
                let entry = |(key, new_value): &(String, Self)| Some((key.clone(), new_value.to_json(root)?));
                Json::Object(entries.iter().map(entry).collect::<Option<_>>()?)
            }
            Self::List(items) => {
                Json::Array(items.iter().map(|item| item.to_json(root)).collect::<Option<_>>()?)
            }
            Self::Existing(path) => path
                .iter()
                .try_fold(root, |json, step| match step {
                    Segment::Key(key) => json.get(key),
                    Segment::Index(at) => json.get(at),
                })?
                .clone(),
        })
    }
}

/// Creates a path.
pub fn keys(names: &[&str]) -> Vec<Segment> {
    names.iter().map(|name| Segment::Key((*name).to_owned())).collect()
}

pub(super) fn show(path: &[Segment]) -> String {
    let mut out = String::new();
    for segment in path {
        match segment {
            Segment::Key(key) if out.is_empty() => out.push_str(key),
            Segment::Key(key) => out.extend([".", key.as_str()]),
            Segment::Index(index) => out.extend(["[", index.to_string().as_str(), "]"]),
        }
    }
    out
}

impl Change {
    pub(super) fn removes(&self) -> bool {
        matches!(self, Self::Remove { .. } | Self::RemoveRelocated { .. })
    }

    /// Its path.
    pub fn path(&self) -> &[Segment] {
        match self {
            Self::Set { path, .. }
            | Self::Insert { path, .. }
            | Self::Remove { path }
            | Self::RemoveRelocated { path }
            | Self::Rename { path, .. }
            | Self::Move { path, .. }
            | Self::Splice { path, .. }
            | Self::InsertRelocated { path, .. }
            | Self::Copy { path, .. } => path,
        }
    }

    pub(super) fn with_path(&self, new: Vec<Segment>) -> Self {
        let mut change = self.clone();
        match &mut change {
            Self::Set { path, .. }
            | Self::Insert { path, .. }
            | Self::Remove { path }
            | Self::RemoveRelocated { path }
            | Self::Rename { path, .. }
            | Self::Move { path, .. }
            | Self::Splice { path, .. }
            | Self::InsertRelocated { path, .. }
            | Self::Copy { path, .. } => *path = new,
        }
        change
    }

    /// `None` if the path does not exist.
    pub(super) fn apply(&self, root: &mut Json) -> Option<()> {
        if let Self::InsertRelocated { path, before, entries } = self {
            return insert_relocated(root, path, *before, entries);
        }
        let Some((last, way)) = self.path().split_last() else {
            let Self::Set { value, .. } = self else { return None };
            *root = value.clone();
            return Some(());
        };
        let holder = way.iter().try_fold(root, child_mut)?;
        if let Self::Splice { edits, .. } = self {
            let Json::String(text) = child_mut(holder, last)? else { return None };
            *text = apply_edits(text, edits);
            return Some(());
        }
        match (holder, last) {
            (Json::Object(map), Segment::Key(key)) => self.in_map(map, key),
            (Json::Array(list), Segment::Index(at)) => self.in_list(list, *at),
            // An empty value becomes a map or list.
            (holder @ Json::Null, Segment::Key(key)) => {
                let (Self::Set { value, .. } | Self::Insert { value, .. }) = self else { return None };
                *holder = Json::Object(Map::from_iter([(key.clone(), value.clone())]));
                Some(())
            }
            (holder @ Json::Null, Segment::Index(0)) => {
                let Self::Insert { value, .. } = self else { return None };
                *holder = Json::Array(vec![value.clone()]);
                Some(())
            }
            _ => None,
        }
    }

    fn in_map(&self, map: &mut Map<String, Json>, key: &str) -> Option<()> {
        let at = map.keys().position(|known| known == key);
        match (self, at) {
            (Self::Set { value, .. }, Some(_)) => *map.get_mut(key)? = value.clone(),
            (Self::Set { value, .. }, None) => drop(map.insert(key.to_owned(), value.clone())),
            (Self::Insert { before, value, .. }, None) => {
                let end = map.len();
                map.shift_insert(before.unwrap_or(end).min(end), key.to_owned(), value.clone());
            }
            (Self::Remove { .. } | Self::RemoveRelocated { .. }, Some(_)) => drop(map.shift_remove(key)),
            (Self::Rename { key: new, .. }, Some(_)) if new == key => {}
            (Self::Rename { key: new, .. }, Some(at)) if !map.contains_key(new) => {
                let value = map.shift_remove(key)?;
                map.shift_insert(at, new.clone(), value);
            }
            (Self::Copy { key: new, .. }, Some(at)) if !map.contains_key(new) => {
                let value = map.get(key)?.clone();
                map.shift_insert(at + 1, new.clone(), value);
            }
            _ => return None,
        }
        Some(())
    }

    fn in_list(&self, list: &mut Vec<Json>, at: usize) -> Option<()> {
        match self {
            Self::Set { value, .. } => *list.get_mut(at)? = value.clone(),
            Self::Insert { value, .. } if at <= list.len() => list.insert(at, value.clone()),
            Self::Remove { .. } | Self::RemoveRelocated { .. } if at < list.len() => drop(list.remove(at)),
            Self::Move { to, .. } if at < list.len() && *to < list.len() => {
                let item = list.remove(at);
                list.insert(*to, item);
            }
            _ => return None,
        }
        Some(())
    }
}

fn insert_relocated(
    root: &mut Json,
    path: &[Segment],
    before: Option<usize>,
    entries: &[(String, NewValue)],
) -> Option<()> {
    let value = |(key, new_value): &(String, NewValue)| Some((key.clone(), new_value.to_json(root)?));
    let values: Vec<(String, Json)> = entries.iter().map(value).collect::<Option<_>>()?;
    let holder = path.iter().try_fold(root, child_mut)?;
    for (number, (key, value)) in values.into_iter().enumerate() {
        match holder {
            Json::Object(map) if !map.contains_key(&key) => {
                let end = map.len();
                map.shift_insert(before.map_or(end, |at| (at + number).min(end)), key, value);
            }
            Json::Array(list) => {
                list.insert(before.map_or(list.len(), |at| at + number).min(list.len()), value);
            }
            _ => return None,
        }
    }
    Some(())
}

fn child_mut<'j>(json: &'j mut Json, segment: &Segment) -> Option<&'j mut Json> {
    match (json, segment) {
        (Json::Object(map), Segment::Key(key)) => map.get_mut(key),
        (Json::Array(list), Segment::Index(at)) => list.get_mut(*at),
        _ => None,
    }
}

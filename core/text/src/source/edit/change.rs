//! A change of a document, and its effect on the document as plain data.

use super::apply_edits;
use crate::diagnostic::TextEdit;
use crate::value::Segment;
use serde_json::{Map, Value as Json};

/// One change. Paths start at the root, with keys of maps and indexes of lists.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Replaces the value at a path. Appends the key if its map lacks it.
    Set {
        /// The path of the value.
        path: Vec<Segment>,
        /// The new value.
        value: Json,
    },
    /// Inserts a value. The path ends with its key, or with its index in a list.
    Insert {
        /// The path of the new value.
        path: Vec<Segment>,
        /// The index of the next entry in the map. The default is the end. Lists use the path.
        before: Option<usize>,
        /// The new value.
        value: Json,
    },
    /// Removes an entry or item. Comments stay if they also head the next entries.
    Remove {
        /// The path of the value.
        path: Vec<Segment>,
    },
    /// Removes the original of a value that [`Change::InsertRelocated`] copied, with all comments directly above it.
    RemoveRelocated {
        /// The path of the value.
        path: Vec<Segment>,
    },
    /// Renames the key of an entry.
    Rename {
        /// The path of the entry.
        path: Vec<Segment>,
        /// The new key.
        key: String,
    },
    /// Moves an item of a list, with its comments.
    Move {
        /// The path of the item.
        path: Vec<Segment>,
        /// The new index.
        to: usize,
    },
    /// Replaces parts of a string, in any quoting style.
    Splice {
        /// The path of the string.
        path: Vec<Segment>,
        /// The replacements, in order. Their spans are byte offsets in the parsed string.
        edits: Vec<TextEdit>,
    },
    /// Inserts entries or items that may contain verbatim copies of other parts of the document, with comments.
    InsertRelocated {
        /// The path of the map or list.
        path: Vec<Segment>,
        /// The index of the next entry or item. The default is the end.
        before: Option<usize>,
        /// The new entries. Lists ignore the keys.
        entries: Vec<(String, NewValue)>,
    },
    /// Inserts a verbatim copy of a map entry after the original.
    Copy {
        /// The path of the entry.
        path: Vec<Segment>,
        /// The key of the copy.
        key: String,
    },
}

/// A value to insert.
#[derive(Debug, Clone, PartialEq)]
pub enum NewValue {
    /// Plain data.
    Value(Json),
    /// A map of values to insert.
    Map(Vec<(String, NewValue)>),
    /// A list of values to insert.
    List(Vec<NewValue>),
    /// The value at a path, as written. As an entry it keeps its key.
    Existing(Vec<Segment>),
}

impl NewValue {
    /// Resolves to plain data, with the values of the document `root`.
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

/// Creates a path of keys.
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

    /// Returns the path of the changed value.
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

    /// Applies the change to plain data. `None` if the path does not exist.
    pub(super) fn apply(&self, root: &mut Json) -> Option<()> {
        if let Self::InsertRelocated { path, before, entries } = self {
            return insert_relocated(root, path, *before, entries);
        }
        let Some((last, way)) = self.path().split_last() else {
            let Self::Set { value, .. } = self else { return None };
            *root = value.clone();
            return Some(());
        };
        let holder = way.iter().try_fold(root, step)?;
        if let Self::Splice { edits, .. } = self {
            let Json::String(text) = step(holder, last)? else { return None };
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
    let holder = path.iter().try_fold(root, step)?;
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

fn step<'j>(json: &'j mut Json, segment: &Segment) -> Option<&'j mut Json> {
    match (json, segment) {
        (Json::Object(map), Segment::Key(key)) => map.get_mut(key),
        (Json::Array(list), Segment::Index(at)) => list.get_mut(*at),
        _ => None,
    }
}

//! One change of a document, and what it means for the document as plain data.

use super::apply_edits;
use crate::diagnostic::TextEdit;
use crate::value::Segment;
use serde_json::{Map, Value as Json};

/// One change. Paths begin at the root: keys of maps, positions in lists.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Puts a value in the place of the one at a path; a key that its map lacks is added at the end.
    Set {
        /// Where.
        path: Vec<Segment>,
        /// What.
        value: Json,
    },
    /// Adds a value: the path ends with its key, or with its position in a list.
    Insert {
        /// Where it will be found.
        path: Vec<Segment>,
        /// Before which entry of the map; at the end unless given. Lists go by the path.
        before: Option<usize>,
        /// What.
        value: Json,
    },
    /// Takes away an entry of a map or an item of a list. Comments that head what follows as well stay.
    Remove {
        /// Where.
        path: Vec<Segment>,
    },
    /// Takes away what [`Change::InsertRelocated`] brought elsewhere, with all comments right above it.
    RemoveRelocated {
        /// Where.
        path: Vec<Segment>,
    },
    /// Gives an entry another key.
    Rename {
        /// Where.
        path: Vec<Segment>,
        /// The new key.
        key: String,
    },
    /// Moves an item of a list, comments and all.
    Move {
        /// Where.
        path: Vec<Segment>,
        /// Which position it will have.
        to: usize,
    },
    /// Replaces parts of a text, whatever quotes or lines it is written in.
    Splice {
        /// Where.
        path: Vec<Segment>,
        /// The parts, in order, in bytes of the text as it is read.
        edits: Vec<TextEdit>,
    },
    /// Adds entries or items of which parts are as they are written elsewhere in the document, comments and all.
    InsertRelocated {
        /// The map or list.
        path: Vec<Segment>,
        /// Before which entry or item; at the end unless given.
        before: Option<usize>,
        /// What: keys are those of a map.
        entries: Vec<(String, NewValue)>,
    },
    /// Copies an entry of a map, as it is written, behind itself.
    Copy {
        /// Where.
        path: Vec<Segment>,
        /// The key of the copy.
        key: String,
    },
}

/// A value in the making.
#[derive(Debug, Clone, PartialEq)]
pub enum NewValue {
    /// A new value.
    Value(Json),
    /// A map of such.
    Map(Vec<(String, NewValue)>),
    /// A list of such.
    List(Vec<NewValue>),
    /// What stands at a path, as it is written there. As an entry it keeps its key.
    Existing(Vec<Segment>),
}

impl NewValue {
    /// As plain data, in that document.
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

/// A path of keys.
pub fn keys(names: &[&str]) -> Vec<Segment> {
    names.iter().map(|name| Segment::Key((*name).to_owned())).collect()
}

/// A path as people write it.
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
    /// Whether it takes something away.
    pub(super) fn removes(&self) -> bool {
        matches!(self, Self::Remove { .. } | Self::RemoveRelocated { .. })
    }

    /// What is changed.
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

    /// The same at another place.
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

    /// Changes plain data likewise; nothing where there is no such place.
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
            // An empty value becomes what is put into it.
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

/// Adds entries or items to plain data.
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

/// One step into data.
fn step<'j>(json: &'j mut Json, segment: &Segment) -> Option<&'j mut Json> {
    match (json, segment) {
        (Json::Object(map), Segment::Key(key)) => map.get_mut(key),
        (Json::Array(list), Segment::Index(at)) => list.get_mut(*at),
        _ => None,
    }
}

//! The values of a host, as the evaluator sees them.
//!
//! A [`ValueId`] is the number of a value within the data. Its lookup copies no data. The evaluator knows hosts
//! only as trait objects, so the WebAssembly module has one evaluator for JSON and for values in JavaScript.

use crate::base::{Path, TextView, View, get_path, list_index, ordered_keys};
use serde_json::Value as Json;
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::Arc;

/// The number of a location within the values of a host.
pub type ValueId = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the functions' own names")]
pub enum TextTest {
    Contains,
    StartsWith,
    EndsWith,
}

impl TextTest {
    pub(crate) fn holds(self, text: &str, part: &str) -> bool {
        match self {
            Self::Contains => text.contains(part),
            Self::StartsWith => text.starts_with(part),
            Self::EndsWith => text.ends_with(part),
        }
    }
}

/// The values that an expression refers to.
pub trait ValueSource: Debug {
    /// Returns the id of a root, by the number that [`crate::Names::root`] returned.
    fn root(&self, root: u32) -> Option<ValueId>;
    /// Returns a view of the value at the end of a path from another value.
    fn view(&self, id: ValueId, path: &Path) -> View<'_>;
    /// Returns the id of the value at the end of a path from another value.
    fn child(&self, id: ValueId, path: &Path) -> Option<ValueId>;
    /// Returns the id of a list element.
    fn element(&self, id: ValueId, index: u32) -> Option<ValueId>;
    /// Returns a view of the value at the end of a path from a list element, without an id for the element.
    fn element_view(&self, id: ValueId, index: u32, path: &Path) -> View<'_>;
    /// Returns the id of the value of a key in a map, or in a list if the key consists of digits.
    fn entry(&self, id: ValueId, key: &str) -> Option<ValueId>;
    /// Counts the elements of a list or the keys of a map.
    fn count(&self, id: ValueId) -> usize;
    /// Returns the keys of a map, in order.
    fn keys(&self, id: ValueId) -> Vec<String>;
    /// Returns the text at the end of a path from another value.
    fn text(&self, id: ValueId, path: &Path) -> Option<Cow<'_, str>>;
    /// Tests the text at the end of a path for a part, given with the program's number for it. Also returns the length
    /// of the text.
    fn test_text(&self, id: ValueId, path: &Path, test: TextTest, part: (&str, u32)) -> (bool, usize);
    /// Returns a value as JSON.
    fn json(&self, id: ValueId) -> Option<Cow<'_, Json>>;
    /// Estimates how many bytes a new value copies if it includes this one. Returns 0 if both share the data.
    fn copied(&self, id: ValueId) -> usize;
    /// Estimates the size of the JSON text of a value, in bytes.
    fn weight(&self, id: ValueId) -> f64;
}

/// A host of JSON values.
pub struct JsonSource<'a> {
    roots: Roots<'a>,
    /// The locations by number.
    values: RefCell<Vec<&'a Json>>,
}

enum Roots<'a> {
    List(Vec<&'a Json>),
    Shared(&'a dyn Fn(u32) -> Option<&'a Arc<Json>>),
}

impl<'a> JsonSource<'a> {
    /// Creates a host from the values of its roots, by number.
    pub fn new(roots: Vec<&'a Json>) -> Self {
        Self { roots: Roots::List(roots), values: RefCell::default() }
    }

    /// Creates a host from a function that returns the shared value of a root.
    pub fn shared(roots: &'a dyn Fn(u32) -> Option<&'a Arc<Json>>) -> Self {
        Self { roots: Roots::Shared(roots), values: RefCell::default() }
    }

    /// Returns a value by its id.
    pub fn get(&self, id: ValueId) -> Option<&'a Json> {
        self.values.borrow().get(id as usize).copied()
    }

    fn add(&self, json: &'a Json) -> Option<ValueId> {
        let mut values = self.values.borrow_mut();
        values.push(json);
        u32::try_from(values.len() - 1).ok()
    }

    fn at(&self, id: ValueId, path: &Path) -> Option<&'a Json> {
        get_path(self.get(id)?, &path.segments)
    }
}

impl Debug for JsonSource<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JsonSource").field("values", &self.values).finish_non_exhaustive()
    }
}

impl ValueSource for JsonSource<'_> {
    fn root(&self, root: u32) -> Option<ValueId> {
        self.add(match &self.roots {
            Roots::List(roots) => roots.get(root as usize)?,
            Roots::Shared(roots) => roots(root)?,
        })
    }

    fn view(&self, id: ValueId, path: &Path) -> View<'_> {
        self.at(id, path).map_or(View::Missing, view)
    }

    fn child(&self, id: ValueId, path: &Path) -> Option<ValueId> {
        self.add(self.at(id, path)?)
    }

    fn element(&self, id: ValueId, index: u32) -> Option<ValueId> {
        self.add(self.get(id)?.as_array()?.get(index as usize)?)
    }

    fn element_view(&self, id: ValueId, index: u32, path: &Path) -> View<'_> {
        let element = self.get(id).and_then(Json::as_array).and_then(|list| list.get(index as usize));
        element.and_then(|element| get_path(element, &path.segments)).map_or(View::Missing, view)
    }

    fn entry(&self, id: ValueId, key: &str) -> Option<ValueId> {
        self.add(match self.get(id)? {
            Json::Object(map) => map.get(key)?,
            Json::Array(list) => list.get(list_index(key)?)?,
            _ => return None,
        })
    }

    fn count(&self, id: ValueId) -> usize {
        match self.get(id) {
            Some(Json::Array(list)) => list.len(),
            Some(Json::Object(map)) => map.len(),
            _ => 0,
        }
    }

    fn keys(&self, id: ValueId) -> Vec<String> {
        let map = self.get(id).and_then(Json::as_object);
        map.map(|map| ordered_keys(map).into_iter().cloned().collect()).unwrap_or_default()
    }

    fn text(&self, id: ValueId, path: &Path) -> Option<Cow<'_, str>> {
        self.at(id, path)?.as_str().map(Cow::Borrowed)
    }

    fn test_text(&self, id: ValueId, path: &Path, test: TextTest, (part, _): (&str, u32)) -> (bool, usize) {
        let text = self.at(id, path).and_then(Json::as_str).unwrap_or_default();
        (test.holds(text, part), text.len())
    }

    fn json(&self, id: ValueId) -> Option<Cow<'_, Json>> {
        self.get(id).map(Cow::Borrowed)
    }

    fn copied(&self, id: ValueId) -> usize {
        self.get(id).map_or(0, size_of_copy)
    }

    fn weight(&self, id: ValueId) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "no value is as large as a float can't count")]
        let bytes = self.copied(id) as f64;
        bytes
    }
}

fn size_of_copy(value: &Json) -> usize {
    match value {
        Json::String(text) => text.len() + 8,
        Json::Array(list) => list.iter().map(size_of_copy).sum::<usize>() + 8,
        Json::Object(map) => {
            map.iter().map(|(key, value)| key.len() + size_of_copy(value)).sum::<usize>() + 8
        }
        _ => 8,
    }
}

pub(crate) fn view(value: &Json) -> View<'_> {
    match value {
        Json::Null => View::Null,
        Json::Bool(truth) => View::Bool(*truth),
        Json::Number(number) => View::Number(number.as_f64().unwrap_or(0.0)),
        Json::String(text) => View::Text(TextView::Inline(text)),
        Json::Array(_) => View::List,
        Json::Object(_) => View::Map,
    }
}

//! A host's values for the evaluator.
//!
//! Hosts are trait objects, so the WebAssembly module has one evaluator for JSON and for values in
//! JavaScript. Lookup of a [`ValueId`] copies no data.

use crate::base::{Path, TextView, View, get_path, list_index, ordered_keys};
use serde_json::Value as Json;
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::Arc;

/// A location's number.
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

/// An expression's data.
pub trait ValueSource: Debug {
    /// Takes the number from [`crate::Names::root`].
    fn root(&self, root: u32) -> Option<ValueId>;
    /// A view along a path.
    fn view(&self, id: ValueId, path: &Path) -> View<'_>;
    /// An id along a path.
    fn child(&self, id: ValueId, path: &Path) -> Option<ValueId>;
    /// Element's id.
    fn element(&self, id: ValueId, index: u32) -> Option<ValueId>;
    /// An element's view along a path, without an id.
    fn element_view(&self, id: ValueId, index: u32, path: &Path) -> View<'_>;
    /// The id of a key's value in a map, or of digits in a list.
    fn entry(&self, id: ValueId, key: &str) -> Option<ValueId>;
    /// Counts elements or keys.
    fn count(&self, id: ValueId) -> usize;
    /// Ordered keys.
    fn keys(&self, id: ValueId) -> Vec<String>;
    /// Text along a path.
    fn text(&self, id: ValueId, path: &Path) -> Option<Cow<'_, str>>;
    /// Tests the text for a part, given with its literal number. Also returns the text's length.
    fn test_text(&self, id: ValueId, path: &Path, test: TextTest, part: (&str, u32)) -> (bool, usize);
    /// As JSON.
    fn json(&self, id: ValueId) -> Option<Cow<'_, Json>>;
    /// Estimates copied bytes of a new value that includes this one, 0 if shared.
    fn copied(&self, id: ValueId) -> usize;
    /// Estimated bytes of JSON.
    fn weight(&self, id: ValueId) -> f64;
}

/// JSON values.
pub struct JsonSource<'a> {
    roots: Roots<'a>,
    /// Values by number.
    values: RefCell<Vec<&'a Json>>,
}

enum Roots<'a> {
    List(Vec<&'a Json>),
    Shared(&'a dyn Fn(u32) -> Option<&'a Arc<Json>>),
}

impl<'a> JsonSource<'a> {
    /// Takes roots by number.
    pub fn new(roots: Vec<&'a Json>) -> Self {
        Self { roots: Roots::List(roots), values: RefCell::default() }
    }

    /// Looks up shared roots.
    pub fn shared(roots: &'a dyn Fn(u32) -> Option<&'a Arc<Json>>) -> Self {
        Self { roots: Roots::Shared(roots), values: RefCell::default() }
    }

    /// Finds by id.
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

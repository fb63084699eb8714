//! The interface of the engine to the values of a host.
//!
//! Defines the operations that conditions and templates need. Values are JSON in native code. In WebAssembly they stay
//! in a JavaScript table.
//!
//! Invariants:
//! 1. Values never change, so runs can share them.
//! 2. Every operation has equal results for both kinds of values.

use crate::base::{Path, View, get_path, json_text};
use crate::value_source::{JsonSource, ValueId, ValueSource, view};
use serde_json::Value as Json;
use std::fmt::Debug;
use std::sync::Arc;

/// A value of a run: inputs and outputs of nodes, the run's input, results of stubs.
///
/// A clone must be cheap and share the data.
pub trait Value: Clone + Debug + 'static {
    /// The storage of a run's values: empty natively, a table of the host in WebAssembly.
    type Arena: Debug;

    /// Converts from JSON.
    fn from_json(space: &Self::Arena, json: &Json) -> Self;
    /// Creates a list of values.
    fn list(space: &Self::Arena, items: Vec<Self>) -> Self;
    /// Creates a map of values, with keys in order.
    fn map(space: &Self::Arena, entries: Vec<(String, Self)>) -> Self;

    /// Returns a view of the value at `path`.
    fn view(&self, path: &Path) -> View<'_>;
    /// Returns the value at `path`, shared.
    fn get(&self, space: &Self::Arena, path: &Path) -> Option<Self>;
    /// Returns the string at `path`, if it is one.
    fn text(&self, path: &Path) -> Option<String>;
    /// Returns a JSON copy of the value at `path`.
    fn json(&self, path: &Path) -> Option<Json>;
    /// Returns whether the map at `path` has `key`.
    fn has_key(&self, path: &Path, key: &str) -> bool;
    /// Returns whether the string at `path` contains `part`, the program's literal with the number `literal`.
    fn text_contains(&self, path: &Path, part: &str, literal: u32) -> bool;
    /// Returns whether the list at `path` has the text `part`, the program's literal with the number `literal`. Call it
    /// only directly after [`Value::view`] of the same list.
    fn has_text(&self, path: &Path, part: &str, literal: u32) -> bool;
    /// Returns an element of the list at `path`. `None` after its end. Call it only directly after [`Value::view`] of
    /// the same list, so that a host need not look up the list again.
    fn element(&self, path: &Path, index: u32) -> Option<View<'_>>;
    /// Returns the length of a list, and 0 for all other values.
    fn length(&self) -> usize;
    /// Returns an element of a list, shared.
    fn item(&self, space: &Self::Arena, index: u32) -> Option<Self>;
    /// Returns the size of the JSON text, in bytes.
    fn bytes(&self) -> f64;
    /// Estimates the size of the JSON text in bytes, without delay. A value that occurs several times counts each
    /// time.
    fn weight(&self) -> f64 {
        self.bytes()
    }
    /// Returns a number that is equal only for shared values, within one run.
    fn identity(&self) -> u64;

    /// The values of an evaluation.
    type Source<'a>: ValueSource;

    /// Creates the host of an evaluation. `roots` returns the value of a root by its number.
    fn source<'a>(space: &'a Self::Arena, roots: &'a dyn Fn(u32) -> Option<&'a Self>) -> Self::Source<'a>;
    /// Returns a value by its id, shared.
    fn share(space: &Self::Arena, host: &Self::Source<'_>, id: ValueId) -> Self;
}

impl Value for Arc<Json> {
    type Arena = ();

    fn from_json((): &(), json: &Json) -> Self {
        Arc::new(json.clone())
    }

    fn list((): &(), items: Vec<Self>) -> Self {
        Arc::new(Json::Array(items.into_iter().map(unshare).collect()))
    }

    fn map((): &(), entries: Vec<(String, Self)>) -> Self {
        Arc::new(Json::Object(entries.into_iter().map(|(key, value)| (key, unshare(value))).collect()))
    }

    fn view(&self, path: &Path) -> View<'_> {
        get_path(self, &path.segments).map_or(View::Missing, view)
    }

    fn text_contains(&self, path: &Path, part: &str, _: u32) -> bool {
        matches!(get_path(self, &path.segments), Some(Json::String(text)) if text.contains(part))
    }

    fn has_text(&self, path: &Path, part: &str, _: u32) -> bool {
        let list = get_path(self, &path.segments).and_then(Json::as_array);
        list.is_some_and(|items| items.iter().any(|item| item.as_str() == Some(part)))
    }

    fn element(&self, path: &Path, index: u32) -> Option<View<'_>> {
        get_path(self, &path.segments)?.as_array()?.get(index as usize).map(view)
    }

    fn length(&self) -> usize {
        self.as_array().map_or(0, Vec::len)
    }

    fn item(&self, (): &(), index: u32) -> Option<Self> {
        self.as_array()?.get(index as usize).map(|item| Arc::new(item.clone()))
    }

    fn identity(&self) -> u64 {
        Arc::as_ptr(self) as usize as u64
    }

    fn bytes(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "no text is as long as a float can't count")]
        let bytes = json_text(self).len() as f64;
        bytes
    }

    fn get(&self, (): &(), path: &Path) -> Option<Self> {
        if path.segments.is_empty() {
            return Some(Arc::clone(self));
        }
        get_path(self, &path.segments).map(|found| Arc::new(found.clone()))
    }

    fn text(&self, path: &Path) -> Option<String> {
        get_path(self, &path.segments)?.as_str().map(str::to_owned)
    }

    fn json(&self, path: &Path) -> Option<Json> {
        get_path(self, &path.segments).cloned()
    }

    fn has_key(&self, path: &Path, key: &str) -> bool {
        matches!(get_path(self, &path.segments), Some(Json::Object(map)) if map.contains_key(key))
    }

    type Source<'a> = JsonSource<'a>;

    fn source<'a>((): &'a (), roots: &'a dyn Fn(u32) -> Option<&'a Self>) -> JsonSource<'a> {
        JsonSource::shared(roots)
    }

    fn share((): &(), host: &JsonSource<'_>, id: ValueId) -> Self {
        Arc::new(host.get(id).cloned().unwrap_or_default())
    }
}

fn unshare(value: Arc<Json>) -> Json {
    Arc::try_unwrap(value).unwrap_or_else(|shared| (*shared).clone())
}

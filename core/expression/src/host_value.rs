//! The engine's operations on values: native JSON, or a JavaScript table in WebAssembly.
//!
//! Invariants:
//! 1. Values never change, so runs can share them.
//! 2. Every operation has equal results for both kinds.

use crate::base::{Path, View, get_path, json_text};
use crate::value_source::{JsonSource, ValueId, ValueSource, view};
use serde_json::Value as Json;
use std::fmt::Debug;
use std::sync::Arc;

/// A value of a run. Clones must share the data.
pub trait Value: Clone + Debug + 'static {
    /// Empty natively, a table of the host in WebAssembly.
    type Arena: Debug;

    /// Converts JSON.
    fn from_json(space: &Self::Arena, json: &Json) -> Self;
    /// A list.
    fn list(space: &Self::Arena, items: Vec<Self>) -> Self;
    /// An ordered map.
    fn map(space: &Self::Arena, entries: Vec<(String, Self)>) -> Self;

    /// A view.
    fn view(&self, path: &Path) -> View<'_>;
    /// A shared value.
    fn get(&self, space: &Self::Arena, path: &Path) -> Option<Self>;
    /// A string.
    fn text(&self, path: &Path) -> Option<String>;
    /// A copy.
    fn json(&self, path: &Path) -> Option<Json>;
    /// Whether the map has `key`.
    fn has_key(&self, path: &Path, key: &str) -> bool;
    /// Whether the string contains `part`, the program's literal number `literal`.
    fn text_contains(&self, path: &Path, part: &str, literal: u32) -> bool;
    /// Whether the list has the text `part`, the literal number `literal`. Call it directly after
    /// [`Value::view`] of the list.
    fn has_text(&self, path: &Path, part: &str, literal: u32) -> bool;
    /// An element of a list, `None` after the end. Call it directly after [`Value::view`] of the list, so a
    /// host need not look it up again.
    fn element(&self, path: &Path, index: u32) -> Option<View<'_>>;
    /// A list's length, otherwise 0.
    fn length(&self) -> usize;
    /// Shared element.
    fn item(&self, space: &Self::Arena, index: u32) -> Option<Self>;
    /// The size of its JSON text.
    fn bytes(&self) -> f64;
    /// Estimates [`Value::bytes`] without delay. A repeated value counts each time.
    fn weight(&self) -> f64 {
        self.bytes()
    }
    /// Equal only for shared values of a run.
    fn identity(&self) -> u64;

    /// An evaluation's values.
    type Source<'a>: ValueSource;

    /// `roots` looks up by number.
    fn source<'a>(space: &'a Self::Arena, roots: &'a dyn Fn(u32) -> Option<&'a Self>) -> Self::Source<'a>;
    /// Shared, by id.
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

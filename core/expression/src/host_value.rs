//! The interface of the engine to the values of a host.
//!
//! Decides the questions that conditions, templates and expressions ask. Values are JSON in native code. In WebAssembly they stay
//! in a table of JavaScript. A node is a location within a value: a reference in native code, a number in WebAssembly. Getting a
//! node copies nothing.
//!
//! Invariants:
//! 1. values are shared, never copied, and never changed;
//! 2. both kinds of values give equal answers to equal questions.

use crate::base::{Path, TextView, View, get_path, json_text, list_index, ordered_keys};
use crate::error::Error;
use crate::evaluate::{Limits, Outcome, Scope};
use crate::memory::Memory;
use crate::program::Program;
use serde_json::Value as Json;
use std::borrow::Cow;
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

    /// A location within a value.
    type Node<'a>: Copy + Debug;

    /// Returns the node of the whole value.
    fn node(&self) -> Self::Node<'_>;
    /// Reads the value at the end of a path from a node.
    fn view_node<'a>(node: Self::Node<'a>, path: &Path) -> View<'a>;
    /// Returns the node at the end of a path from another node.
    fn child<'a>(space: &'a Self::Arena, node: Self::Node<'a>, path: &Path) -> Option<Self::Node<'a>>;
    /// Returns the node of a list element.
    fn element_node<'a>(space: &'a Self::Arena, node: Self::Node<'a>, index: u32) -> Option<Self::Node<'a>>;
    /// Returns the node of a key: of a map, or of a list if the key consists of digits.
    fn entry<'a>(space: &'a Self::Arena, node: Self::Node<'a>, key: &str) -> Option<Self::Node<'a>>;
    /// Counts the elements of a list or the keys of a map.
    fn count(node: Self::Node<'_>) -> usize;
    /// Returns the keys of a map, in order.
    fn keys(node: Self::Node<'_>) -> Vec<String>;
    /// Returns the text at the end of a path from a node.
    fn text_of<'a>(node: Self::Node<'a>, path: &Path) -> Option<Cow<'a, str>>;
    /// Whether the text at the end of a path contains `part`. `literal` is the program's number for `part`.
    fn contains_text(node: Self::Node<'_>, path: &Path, part: &str, literal: u32) -> bool;
    /// Returns the value of a node as JSON.
    fn json_of(node: Self::Node<'_>) -> Option<Cow<'_, Json>>;
    /// Returns the value of a node, shared.
    fn share(space: &Self::Arena, node: Self::Node<'_>) -> Self;
    /// Estimates how many bytes a new value copies if it includes this node: 0 if it shares the node.
    fn copied(node: Self::Node<'_>) -> usize;
    /// Estimates how many bytes the JSON text of a node has.
    fn weight_of(node: Self::Node<'_>) -> f64;

    /// Evaluates a program, and passes the outcome on. Write `result(program.evaluate(scope, &Memory::new(), limits))` in each
    /// implementation: the memory refers to itself, and only code that knows the type of nodes can drop it.
    fn evaluate(
        program: &Program,
        scope: &dyn Scope<Self>,
        limits: Limits,
        result: &mut dyn FnMut(Result<Outcome<'_, Self>, Error>),
    );
}

impl Value for Arc<Json> {
    fn evaluate(
        program: &Program,
        scope: &dyn Scope<Self>,
        limits: Limits,
        result: &mut dyn FnMut(Result<Outcome<'_, Self>, Error>),
    ) {
        result(program.evaluate(scope, &Memory::new(), limits));
    }

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

    type Node<'a> = &'a Json;

    fn node(&self) -> &Json {
        self
    }

    fn view_node<'a>(node: Self::Node<'a>, path: &Path) -> View<'a> {
        get_path(node, &path.segments).map_or(View::Missing, view)
    }

    fn child<'a>((): &'a (), node: &'a Json, path: &Path) -> Option<&'a Json> {
        get_path(node, &path.segments)
    }

    fn element_node<'a>((): &'a (), node: &'a Json, index: u32) -> Option<&'a Json> {
        node.as_array()?.get(index as usize)
    }

    fn entry<'a>((): &'a (), node: &'a Json, key: &str) -> Option<&'a Json> {
        match node {
            Json::Object(map) => map.get(key),
            Json::Array(list) => list.get(list_index(key)?),
            _ => None,
        }
    }

    fn count(node: &Json) -> usize {
        match node {
            Json::Array(list) => list.len(),
            Json::Object(map) => map.len(),
            _ => 0,
        }
    }

    fn keys(node: &Json) -> Vec<String> {
        node.as_object().map(|map| ordered_keys(map).into_iter().cloned().collect()).unwrap_or_default()
    }

    fn text_of<'a>(node: Self::Node<'a>, path: &Path) -> Option<Cow<'a, str>> {
        get_path(node, &path.segments)?.as_str().map(Cow::Borrowed)
    }

    fn contains_text(node: &Json, path: &Path, part: &str, _: u32) -> bool {
        get_path(node, &path.segments).and_then(Json::as_str).is_some_and(|text| text.contains(part))
    }

    fn json_of(node: Self::Node<'_>) -> Option<Cow<'_, Json>> {
        Some(Cow::Borrowed(node))
    }

    fn share((): &(), node: &Json) -> Self {
        Arc::new(node.clone())
    }

    fn weight_of(node: &Json) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "no value is as large as a float can't count")]
        let bytes = Self::copied(node) as f64;
        bytes
    }

    fn copied(node: &Json) -> usize {
        match node {
            Json::String(text) => text.len() + 8,
            Json::Array(list) => list.iter().map(Self::copied).sum::<usize>() + 8,
            Json::Object(map) => {
                map.iter().map(|(key, value)| key.len() + Self::copied(value)).sum::<usize>() + 8
            }
            _ => 8,
        }
    }
}

fn view(value: &Json) -> View<'_> {
    match value {
        Json::Null => View::Null,
        Json::Bool(truth) => View::Bool(*truth),
        Json::Number(number) => View::Number(number.as_f64().unwrap_or(0.0)),
        Json::String(text) => View::Text(TextView::Here(text)),
        Json::Array(_) => View::List,
        Json::Object(_) => View::Map,
    }
}

fn unshare(value: Arc<Json>) -> Json {
    Arc::try_unwrap(value).unwrap_or_else(|shared| (*shared).clone())
}

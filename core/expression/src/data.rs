//! The interface between the evaluator and values of the host, in addition to [`Value`].
//!
//! A node is a location within a value: a reference in native code, a number in WebAssembly. Getting a node copies
//! nothing.

use crate::base::{Path, TextView, Value, View, get_path, list_index};
use serde_json::Value as Json;
use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

/// A value whose parts can be visited without copying them.
pub trait Data: Value + 'static {
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
}

impl Data for Arc<Json> {
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
        node.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default()
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

//! The values of a host, as the evaluator sees them.
//!
//! A node is the number of a location within the values. The lookup of a node copies no data. The evaluator knows hosts
//! only as trait objects, so the WebAssembly module has one evaluator for JSON and for values in JavaScript.

use crate::base::{Path, TextView, View, get_path, list_index, ordered_keys};
use serde_json::Value as Json;
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::Arc;

/// The number of a location within the values of a host.
pub type Node = u32;

/// A test of a text for a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the functions' own names")]
pub enum TextTest {
    Contains,
    StartsWith,
    EndsWith,
}

impl TextTest {
    /// Whether a text passes the test.
    pub(crate) fn holds(self, text: &str, part: &str) -> bool {
        match self {
            Self::Contains => text.contains(part),
            Self::StartsWith => text.starts_with(part),
            Self::EndsWith => text.ends_with(part),
        }
    }
}

/// The values that an expression refers to.
pub trait Host: Debug {
    /// Returns the node of a root, by the number that [`crate::Names::root`] returned.
    fn root(&self, root: u32) -> Option<Node>;
    /// Returns a view of the value at the end of a path from a node.
    fn view(&self, node: Node, path: &Path) -> View<'_>;
    /// Returns the node at the end of a path from another node.
    fn child(&self, node: Node, path: &Path) -> Option<Node>;
    /// Returns the node of a list element.
    fn element(&self, node: Node, index: u32) -> Option<Node>;
    /// Returns a view of the value at the end of a path from a list element, without a node for the element.
    fn element_view(&self, node: Node, index: u32, path: &Path) -> View<'_>;
    /// Returns the node of a key in a map, or in a list if the key consists of digits.
    fn entry(&self, node: Node, key: &str) -> Option<Node>;
    /// Counts the elements of a list or the keys of a map.
    fn count(&self, node: Node) -> usize;
    /// Returns the keys of a map, in order.
    fn keys(&self, node: Node) -> Vec<String>;
    /// Returns the text at the end of a path from a node.
    fn text(&self, node: Node, path: &Path) -> Option<Cow<'_, str>>;
    /// Tests the text at the end of a path for `part`. `literal` is the program's number for `part`.
    fn test_text(&self, node: Node, path: &Path, test: TextTest, part: &str, literal: u32) -> bool;
    /// Returns the value of a node as JSON.
    fn json(&self, node: Node) -> Option<Cow<'_, Json>>;
    /// Estimates how many bytes a new value copies if it includes this node. Returns 0 if the value shares the node.
    fn copied(&self, node: Node) -> usize;
    /// Estimates the size of the JSON text of a node, in bytes.
    fn weight(&self, node: Node) -> f64;
}

/// A host of JSON values.
pub struct JsonHost<'a> {
    roots: Roots<'a>,
    /// The locations by number.
    nodes: RefCell<Vec<&'a Json>>,
}

enum Roots<'a> {
    List(Vec<&'a Json>),
    Shared(&'a dyn Fn(u32) -> Option<&'a Arc<Json>>),
}

impl<'a> JsonHost<'a> {
    /// Creates a host from the values of its roots, by number.
    pub fn new(roots: Vec<&'a Json>) -> Self {
        Self { roots: Roots::List(roots), nodes: RefCell::default() }
    }

    /// Creates a host from a function that returns the shared value of a root.
    pub fn shared(roots: &'a dyn Fn(u32) -> Option<&'a Arc<Json>>) -> Self {
        Self { roots: Roots::Shared(roots), nodes: RefCell::default() }
    }

    /// Returns the value of a node.
    pub fn get(&self, node: Node) -> Option<&'a Json> {
        self.nodes.borrow().get(node as usize).copied()
    }

    fn add(&self, json: &'a Json) -> Option<Node> {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(json);
        u32::try_from(nodes.len() - 1).ok()
    }

    fn at(&self, node: Node, path: &Path) -> Option<&'a Json> {
        get_path(self.get(node)?, &path.segments)
    }
}

impl Debug for JsonHost<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JsonHost").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

impl Host for JsonHost<'_> {
    fn root(&self, root: u32) -> Option<Node> {
        self.add(match &self.roots {
            Roots::List(roots) => roots.get(root as usize)?,
            Roots::Shared(roots) => roots(root)?,
        })
    }

    fn view(&self, node: Node, path: &Path) -> View<'_> {
        self.at(node, path).map_or(View::Missing, view)
    }

    fn child(&self, node: Node, path: &Path) -> Option<Node> {
        self.add(self.at(node, path)?)
    }

    fn element(&self, node: Node, index: u32) -> Option<Node> {
        self.add(self.get(node)?.as_array()?.get(index as usize)?)
    }

    fn element_view(&self, node: Node, index: u32, path: &Path) -> View<'_> {
        let element = self.get(node).and_then(Json::as_array).and_then(|list| list.get(index as usize));
        element.and_then(|element| get_path(element, &path.segments)).map_or(View::Missing, view)
    }

    fn entry(&self, node: Node, key: &str) -> Option<Node> {
        self.add(match self.get(node)? {
            Json::Object(map) => map.get(key)?,
            Json::Array(list) => list.get(list_index(key)?)?,
            _ => return None,
        })
    }

    fn count(&self, node: Node) -> usize {
        match self.get(node) {
            Some(Json::Array(list)) => list.len(),
            Some(Json::Object(map)) => map.len(),
            _ => 0,
        }
    }

    fn keys(&self, node: Node) -> Vec<String> {
        let map = self.get(node).and_then(Json::as_object);
        map.map(|map| ordered_keys(map).into_iter().cloned().collect()).unwrap_or_default()
    }

    fn text(&self, node: Node, path: &Path) -> Option<Cow<'_, str>> {
        self.at(node, path)?.as_str().map(Cow::Borrowed)
    }

    fn test_text(&self, node: Node, path: &Path, test: TextTest, part: &str, _: u32) -> bool {
        self.at(node, path).and_then(Json::as_str).is_some_and(|text| test.holds(text, part))
    }

    fn json(&self, node: Node) -> Option<Cow<'_, Json>> {
        self.get(node).map(Cow::Borrowed)
    }

    fn copied(&self, node: Node) -> usize {
        self.get(node).map_or(0, size_of_copy)
    }

    fn weight(&self, node: Node) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "no value is as large as a float can't count")]
        let bytes = self.copied(node) as f64;
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
        Json::String(text) => View::Text(TextView::Here(text)),
        Json::Array(_) => View::List,
        Json::Object(_) => View::Map,
    }
}

//! Builds a graph whose edge targets may still be unknown. It omits edges to the end, or leads them to a
//! `noop` node if they must prevent another edge.

use crate::interop::break_loops;
use crate::interop::node_keys::KeyAllocator;
use serde_json::{Map, Value as Json};
use std::collections::HashMap;
use stepgraph_core::diagnostic::Span;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EdgeTarget {
    Next,
    End,
    Task(String, Span),
    Node(String),
}

#[derive(Debug, Clone)]
pub(super) struct PendingEdge {
    pub(super) from: String,
    pub(super) target: EdgeTarget,
    pub(super) condition: Option<String>,
    pub(super) comment: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct GraphBuilder {
    pub(super) nodes: Map<String, Json>,
    pub(super) edges: Vec<PendingEdge>,
    pub(super) comments: Vec<(String, String)>,
}

impl GraphBuilder {
    pub(super) fn add_node(&mut self, key: &str, node: Map<String, Json>) {
        self.nodes.insert(key.to_owned(), Json::Object(node));
    }

    pub(super) fn add_edge(&mut self, from: &str, target: EdgeTarget, condition: Option<String>) {
        self.edges.push(PendingEdge { from: from.to_owned(), target, condition, comment: None });
    }

    /// Whether there were any.
    pub(super) fn break_endless_loops(&mut self, start: &str) -> bool {
        let places: HashMap<&str, usize> =
            self.nodes.keys().enumerate().map(|(at, key)| (key.as_str(), at)).collect();
        let (mut edges, mut numbers) = (Vec::new(), Vec::new());
        for (number, edge) in self.edges.iter().enumerate() {
            let EdgeTarget::Node(to) = &edge.target else { continue };
            if let (Some(from), Some(to)) = (places.get(edge.from.as_str()), places.get(to.as_str())) {
                edges.push(break_loops::Edge { from: *from, to: *to, condition: edge.condition.clone() });
                numbers.push(number);
            }
        }
        let start = places.get(start).copied().unwrap_or(0);
        let closed = break_loops::break_endless_loops(self.nodes.len(), start, &mut edges);
        for at in &closed {
            let edge = numbers.get(*at).and_then(|number| self.edges.get_mut(*number));
            if let (Some(edge), Some(opened)) = (edge, edges.get(*at)) {
                edge.condition.clone_from(&opened.condition);
            }
        }
        !closed.is_empty()
    }

    pub(super) fn finish(
        mut self,
        start: &str,
        keys: &mut KeyAllocator,
    ) -> (Map<String, Json>, Vec<(String, String)>) {
        let mut end: Option<String> = None;
        let mut edges = Vec::new();
        for edge in std::mem::take(&mut self.edges) {
            let to = match edge.target {
                EdgeTarget::Node(key) => key,
                _ if edge.condition.is_none() => continue,
                _ => end.get_or_insert_with(|| keys.make_unique("end".to_owned())).clone(),
            };
            let mut map = Map::new();
            map.insert("from".to_owned(), Json::from(edge.from));
            map.insert("to".to_owned(), Json::from(to));
            if let Some(condition) = edge.condition {
                map.insert("condition".to_owned(), Json::from(condition));
            }
            if let Some(comment) = edge.comment {
                self.comments.push((format!("/edges/{}", edges.len()), comment));
            }
            edges.push(Json::Object(map));
        }
        if let Some(end) = end {
            self.add_node(&end, node_of_type("noop"));
        }
        let mut map = Map::new();
        map.insert("start".to_owned(), Json::from(start));
        map.insert("nodes".to_owned(), Json::Object(self.nodes));
        if !edges.is_empty() {
            map.insert("edges".to_owned(), Json::Array(edges));
        }
        (map, self.comments)
    }
}

pub(super) fn node_of_type(kind: &str) -> Map<String, Json> {
    Map::from_iter([("type".to_owned(), Json::from(kind))])
}

pub(super) fn log_node(value: Json) -> Map<String, Json> {
    let mut node = node_of_type("log");
    node.insert("input".to_owned(), value);
    node
}

pub(super) fn path_part(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

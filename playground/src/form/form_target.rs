//! Locates nodes, edges and graphs in the syntax tree, even of invalid plans.

use super::Owner;
use stepgraph_authoring::language::Document;
use stepgraph_core::source::{Entry, Spanned};

/// An owner's place.
#[derive(Debug, Clone, Copy)]
pub struct FormTarget<'d> {
    /// Document with the owner.
    pub document: &'d Document,
    /// The graph's map.
    pub graph: &'d Spanned,
    /// The owner's map.
    pub value: &'d Spanned,
    /// Node entry.
    pub entry: Option<&'d Entry>,
}

impl<'d> FormTarget<'d> {
    /// `None` if it does not exist.
    pub fn new(document: &'d Document, owner: &Owner) -> Option<Self> {
        let root = document.tree()?;
        Some(match owner {
            Owner::Plan => Self { document, graph: root, value: root, entry: None },
            Owner::Node(scope, key) => {
                let graph = graph(root, scope)?;
                let entry = graph.get("nodes")?.value.get(key)?;
                Self { document, graph, value: &entry.value, entry: Some(entry) }
            }
            Owner::Edge(scope, at) => {
                let graph = graph(root, scope)?;
                let value = graph.get("edges")?.value.as_list()?.get(*at)?;
                Self { document, graph, value, entry: None }
            }
        })
    }

    /// A text setting.
    pub fn text(&self, key: &str) -> Option<&'d str> {
        self.value.get(key)?.value.as_text()
    }

    /// Keys of nodes.
    pub fn nodes(&self) -> impl Iterator<Item = &'d str> {
        nodes(self.graph).iter().map(|entry| entry.key.as_str())
    }
}

pub(super) fn graph<'d>(root: &'d Spanned, scope: &str) -> Option<&'d Spanned> {
    let mut graph = root;
    let mut names = scope.split('/').filter(|name| !name.is_empty());
    while let Some(name) = names.next() {
        let node = &graph.get("nodes")?.value.get(name)?.value;
        graph = match (node.get("graph").or_else(|| node.get("do")), node.get("branches")) {
            (Some(inner), _) => &inner.value,
            (None, Some(branches)) => &branches.value.get(names.next()?)?.value,
            (None, None) => return None,
        };
    }
    Some(graph)
}

pub(super) fn nodes(graph: &Spanned) -> &[Entry] {
    graph.get("nodes").and_then(|entry| entry.value.as_map()).unwrap_or_default()
}

pub(super) fn edges(graph: &Spanned) -> impl Iterator<Item = (usize, [&str; 3])> {
    let list = graph.get("edges").and_then(|entry| entry.value.as_list()).unwrap_or_default();
    list.iter().enumerate().map(|(at, edge)| {
        let text = |key: &str| edge.get(key).and_then(|entry| entry.value.as_text()).unwrap_or_default();
        (at, [text("from"), text("to"), text("condition")])
    })
}

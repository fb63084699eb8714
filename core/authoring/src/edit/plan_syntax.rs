//! Reads the graphs, nodes and edges of a document, and skips unreadable entries. Edge indexes are those of the
//! document.
//!
//! Invariant: a graph comes before the graphs inside it.

use std::collections::HashMap;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::graph::scalar_text;
use stepgraph_core::graph::{BRANCHES, NESTED_KEYS, scoped_name};
use stepgraph_core::source::{Spanned, ValueKind};
use stepgraph_core::value::Segment;

#[derive(Debug)]
pub(super) struct PlanSyntax<'d> {
    pub(super) graphs: Vec<GraphSyntax<'d>>,
}

#[derive(Debug)]
pub(super) struct GraphSyntax<'d> {
    /// Node keys, joined by `/`.
    pub(super) scope: String,
    pub(super) path: Vec<Segment>,
    /// No map in an empty document.
    pub(super) map: &'d Spanned,
    pub(super) owner: Option<(usize, usize)>,
    pub(super) nodes: Vec<NodeSyntax<'d>>,
    pub(super) edges: Vec<EdgeSyntax<'d>>,
    keys: HashMap<&'d str, usize>,
    ids: HashMap<String, usize>,
}

#[derive(Debug)]
pub(super) struct NodeSyntax<'d> {
    pub(super) key: &'d str,
    pub(super) span: stepgraph_core::diagnostic::Span,
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) value: &'d Spanned,
}

/// Invalid ends are `None`.
#[derive(Debug)]
pub(super) struct EdgeSyntax<'d> {
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) value: &'d Spanned,
}

pub(super) fn text_of(map: &Spanned, key: &str) -> Option<String> {
    scalar_text(&map.get(key)?.value).filter(|text| !text.trim().is_empty())
}

impl NodeSyntax<'_> {
    pub(super) fn has_id(&self) -> bool {
        text_of(self.value, "id").is_some()
    }
}

impl EdgeSyntax<'_> {
    pub(super) fn condition(&self) -> String {
        text_of(self.value, "condition").unwrap_or_default()
    }
}

impl<'d> PlanSyntax<'d> {
    pub(super) fn new(root: &'d Spanned) -> Self {
        let mut graphs = vec![GraphSyntax::new(root, String::new(), Vec::new(), None)];
        let mut next = 0;
        while let Some(graph) = graphs.get(next) {
            let mut inner = Vec::new();
            for (at, node) in graph.nodes.iter().enumerate() {
                let scope = scoped_name(&graph.scope, node.key);
                let path = graph.path_to(&["nodes", node.key]);
                for key in NESTED_KEYS {
                    let Some(held) = node.value.get(key).map(|entry| &entry.value) else { continue };
                    let path = [&path[..], &[Segment::Key(key.to_owned())]].concat();
                    if key != BRANCHES {
                        inner.push(GraphSyntax::new(held, scope.clone(), path, Some((next, at))));
                        continue;
                    }
                    for branch in held.as_map().unwrap_or_default() {
                        let path = [&path[..], &[Segment::Key(branch.key.clone())]].concat();
                        let scope = scoped_name(&scope, &branch.key);
                        inner.push(GraphSyntax::new(&branch.value, scope, path, Some((next, at))));
                    }
                }
            }
            graphs.append(&mut inner);
            next += 1;
        }
        Self { graphs }
    }

    pub(super) fn find(&self, scope: &str) -> Option<usize> {
        self.graphs.iter().position(|graph| graph.scope == scope)
    }

    pub(super) fn graph(&self, at: usize) -> Option<&GraphSyntax<'d>> {
        self.graphs.get(at)
    }

    pub(super) fn node(&self, (graph, node): (usize, usize)) -> Option<&NodeSyntax<'d>> {
        self.graphs.get(graph)?.nodes.get(node)
    }

    pub(super) fn enclosing(&self, graph: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(graph), |at| Some(self.graphs.get(*at)?.owner?.0))
    }
}

impl<'d> GraphSyntax<'d> {
    fn new(map: &'d Spanned, scope: String, path: Vec<Segment>, owner: Option<(usize, usize)>) -> Self {
        let nodes = map.get("nodes").and_then(|entry| entry.value.as_map()).unwrap_or_default();
        let nodes: Vec<NodeSyntax<'d>> = nodes
            .iter()
            .map(|entry| NodeSyntax {
                key: &entry.key,
                span: entry.key_span,
                id: text_of(&entry.value, "id").unwrap_or_else(|| entry.key.clone()),
                kind: text_of(&entry.value, "type").unwrap_or_default(),
                value: &entry.value,
            })
            .collect_vec();
        let edges = map.get("edges").and_then(|entry| entry.value.as_list()).unwrap_or_default();
        let end = |edge: &Spanned, key: &str| text_of(edge, key);
        let edges = edges
            .iter()
            .map(|edge| EdgeSyntax { from: end(edge, "from"), to: end(edge, "to"), value: edge })
            .collect_vec();
        let keys = nodes.iter().enumerate().map(|(at, node)| (node.key, at)).collect();
        // The first of equal ids wins: the diagnostic points to the second.
        let ids = nodes.iter().enumerate().rev().map(|(at, node)| (node.id.clone(), at)).collect();
        Self { scope, path, map, owner, nodes, edges, keys, ids }
    }

    pub(super) fn path_to(&self, keys: &[&str]) -> Vec<Segment> {
        let keys = keys.iter().map(|key| Segment::Key((*key).to_owned()));
        self.path.iter().cloned().chain(keys).collect_vec()
    }

    pub(super) fn edge_path(&self, edge: usize, keys: &[&str]) -> Vec<Segment> {
        let mut path = self.path_to(&["edges"]);
        path.push(Segment::Index(edge));
        path.extend(keys.iter().map(|key| Segment::Key((*key).to_owned())));
        path
    }

    pub(super) fn with_key(&self, key: &str) -> Option<usize> {
        self.keys.get(key).copied()
    }

    pub(super) fn with_id(&self, id: &str) -> Option<usize> {
        self.ids.get(id).copied()
    }

    pub(super) fn start(&self) -> Option<String> {
        text_of(self.map, "start")
    }

    pub(super) fn inferred_start(&self) -> Option<&'d str> {
        let mut entered = vec![false; self.nodes.len()];
        for edge in &self.edges {
            self.with_key(edge.from.as_deref()?)?;
            let target = self.with_key(edge.to.as_deref()?)?;
            if let Some(entered) = entered.get_mut(target) {
                *entered = true;
            }
        }
        let mut first = self.nodes.iter().zip(&entered).filter(|(_, entered)| !**entered);
        let only = first.next()?.0.key;
        first.next().is_none().then_some(only)
    }

    pub(super) fn position(&self, key: &str) -> Option<usize> {
        match &self.map.kind {
            ValueKind::Map(entries) => entries.iter().position(|entry| entry.key == key),
            _ => None,
        }
    }

    /// Omits duplicates and the node itself.
    pub(super) fn successors(&self, key: &str) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for edge in self.edges.iter().filter(|edge| edge.from.as_deref() == Some(key)) {
            if let Some(to) = edge.to.as_deref().filter(|to| *to != key && !found.contains(to)) {
                found.push(to);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepgraph_core::graph::PlanGraph;
    use stepgraph_core::source::Format;

    fn check(text: &str) {
        let plan = PlanGraph::parse(text, Format::Auto).graph.filter(PlanGraph::is_sound).unwrap();
        let syntax = PlanSyntax::new(&plan.document);
        let graphs = plan.graphs();
        for graph in &graphs {
            let found = syntax.graphs.iter().find(|found| found.scope == graph.scope).unwrap();
            let nodes: Vec<_> =
                found.nodes.iter().map(|node| (node.key, node.id.as_str(), node.kind.as_str())).collect();
            let expect: Vec<_> =
                graph.nodes.iter().map(|node| (&*node.key, node.id.as_str(), node.kind.as_str())).collect();
            assert_eq!(nodes, expect, "{}: {text}", graph.scope);
            let edges: Vec<_> =
                found.edges.iter().map(|edge| (edge.from.as_deref(), edge.to.as_deref())).collect();
            let ends = |edge: &stepgraph_core::graph::Edge| (edge.from.name.clone(), edge.to.name.clone());
            let expect: Vec<_> = graph.edges.iter().map(ends).collect();
            let expect: Vec<_> =
                expect.iter().map(|(from, to)| (Some(from.as_str()), Some(to.as_str()))).collect();
            assert_eq!(edges, expect, "{}: {text}", graph.scope);
            let start = found.start().or_else(|| found.inferred_start().map(str::to_owned));
            let named = |start: usize| graph.nodes.get(start).map(|node| node.key.clone());
            assert_eq!(start, graph.start.and_then(named), "{}: {text}", graph.scope);
        }
        assert_eq!(syntax.graphs.len(), graphs.len(), "{text}");
    }

    const PLANS: [&str; 20] = [
        include_str!("../../../../examples/agent.yaml"),
        include_str!("../../../../examples/approval.yaml"),
        include_str!("../../../../examples/everything.yaml"),
        include_str!("../../../../examples/fan-out.yaml"),
        include_str!("../../../../examples/hello.yaml"),
        include_str!("../../../../examples/menu.yaml"),
        include_str!("../../../../examples/plan-gather.yaml"),
        include_str!("../../../../examples/retry-loop.yaml"),
        include_str!("../../../../examples/talent.yaml"),
        include_str!("../../../../examples/triage.yaml"),
        include_str!("../../../../examples/weather.yaml"),
        include_str!("../../../../examples/gallery/en/branches.yaml"),
        include_str!("../../../../examples/gallery/en/loop.yaml"),
        include_str!("../../../../examples/gallery/en/map.yaml"),
        include_str!("../../../../examples/gallery/en/nested.yaml"),
        include_str!("../../../../examples/gallery/en/parallel.yaml"),
        include_str!("../../../../examples/gallery/en/race.yaml"),
        include_str!("../../../../examples/gallery/en/templates.yaml"),
        include_str!("../../../../examples/gallery/en/react.yaml"),
        include_str!("../../../../examples/gallery/en/author.yaml"),
    ];

    #[test]
    fn agrees_with_the_graph() {
        for text in PLANS {
            check(text);
        }
    }
}

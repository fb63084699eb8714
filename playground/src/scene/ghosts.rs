//! Edges that lead nowhere, and the missing nodes that they name, as the drawing shows them.
//!
//! Decides that a broken edge is drawn as long as one of its ends is there: to a ghost, which stands for the missing
//! node. Ghosts come after the nodes of the graph.
//!
//! Invariant: edges are numbered by their place in the drawing; [`Drawn::index`] gives their position in the plan.

use std::borrow::Cow;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expr::Condition;
use stepgraph_core::graph::{BrokenEdge, Edge, Graph, Named, Node};

/// A graph as it is drawn.
pub(super) struct Drawn<'a> {
    /// Its nodes and ghosts, and all edges that can be drawn.
    pub(super) graph: Cow<'a, Graph>,
    /// How many of its nodes are none of the plan's.
    ghosts: usize,
    /// The positions of its edges in the plan, where they differ from those here; and which are broken.
    edges: Option<Vec<(usize, bool)>>,
}

impl<'a> Drawn<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        if graph.broken.is_empty() {
            return Self { graph: Cow::Borrowed(graph), ghosts: 0, edges: None };
        }
        let mut drawn = graph.clone();
        for broken in &graph.broken {
            if broken.source.is_none() && broken.target.is_none() {
                continue;
            }
            let source =
                broken.source.unwrap_or_else(|| ghost(&mut drawn, graph, broken.from.as_ref(), broken));
            let target =
                broken.target.unwrap_or_else(|| ghost(&mut drawn, graph, broken.to.as_ref(), broken));
            drawn.edges.push(edge(broken, source, target));
        }
        drawn.edges.sort_by_key(|edge| edge.index);
        let is_broken = |index: usize| graph.broken.iter().any(|edge| edge.index == index);
        let edges = drawn.edges.iter().map(|edge| (edge.index, is_broken(edge.index))).collect();
        drawn.outgoing = vec![Vec::new(); drawn.nodes.len()];
        for (at, edge) in drawn.edges.iter_mut().enumerate() {
            edge.index = at;
            drawn.outgoing.get_mut(edge.source).into_iter().for_each(|list| list.push(at));
        }
        let ghosts = drawn.nodes.len() - graph.nodes.len();
        Self { graph: Cow::Owned(drawn), ghosts, edges: Some(edges) }
    }

    /// Whether a node is none of the plan's.
    pub(super) fn is_ghost(&self, node: usize) -> bool {
        node + self.ghosts >= self.graph.nodes.len()
    }

    /// The position of an edge in the plan.
    pub(super) fn index(&self, edge: usize) -> usize {
        self.edges.as_ref().and_then(|edges| edges.get(edge)).map_or(edge, |(index, _)| *index)
    }

    /// Whether an edge lacks an end.
    pub(super) fn is_broken(&self, edge: usize) -> bool {
        self.edges.as_ref().and_then(|edges| edges.get(edge)).is_some_and(|(_, broken)| *broken)
    }
}

/// The position of the ghost of a name. An end that names nothing has a ghost of its own.
fn ghost(drawn: &mut Graph, graph: &Graph, named: Option<&Named>, edge: &BrokenEdge) -> usize {
    let name = named.map_or_else(|| format!("?{}", edge.index), |named| named.name.clone());
    let first = graph.nodes.len();
    let known = drawn.nodes.iter().skip(first).position(|node| node.key == name);
    known.map_or_else(
        || {
            drawn.nodes.push(node(name, named.map_or(edge.span, |named| named.span)));
            drawn.nodes.len() - 1
        },
        |at| first + at,
    )
}

fn node(key: String, span: Span) -> Node {
    Node {
        id: key.clone(),
        key,
        key_span: span,
        id_span: span,
        kind: String::new(),
        kind_span: span,
        tool: None,
        input: None,
        input_span: span,
        metadata: Vec::new(),
        with: None,
        with_span: span,
        visits: None,
        retry: None,
        timeout_ms: None,
        nested: Vec::new(),
        is_broken: true,
    }
}

fn edge(broken: &BrokenEdge, source: usize, target: usize) -> Edge {
    let named =
        |end: &Option<Named>| end.clone().unwrap_or_else(|| Named { name: String::new(), span: broken.span });
    Edge {
        from: named(&broken.from),
        to: named(&broken.to),
        source,
        target,
        text: broken.text.clone(),
        condition_span: broken.span,
        condition: Condition::Unreadable,
        index: broken.index,
    }
}

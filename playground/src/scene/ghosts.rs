//! What the edges of a graph are in its drawing, and the ghosts to which edges lead that name no node.
//!
//! Decides that a broken edge is drawn as long as one of its ends is there: the other end is a ghost, which stands for
//! the missing node. Ghosts are numbered after the nodes of the graph.

use stepgraph_core::diagnostic::Span;
use stepgraph_core::expr::Condition;
use stepgraph_core::graph::{BrokenEdge, Graph, Named};

/// An edge as it is drawn, between nodes and ghosts by number.
pub(super) struct Link<'a> {
    /// Its position in the plan.
    pub(super) index: usize,
    pub(super) source: usize,
    pub(super) target: usize,
    /// Its condition as written.
    pub(super) text: &'a str,
    /// Its condition; none of an edge that lacks an end.
    pub(super) condition: Option<&'a Condition>,
}

/// What is drawn between the nodes of a graph.
pub(super) struct Links<'a> {
    /// The edges that can be drawn, in the order of the plan.
    pub(super) list: Vec<Link<'a>>,
    /// The names that are missing, and where one of the edges names them.
    pub(super) ghosts: Vec<(String, Span)>,
}

impl<'a> Links<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        let sound = graph.edges.iter().map(|edge| Link {
            index: edge.index,
            source: edge.source,
            target: edge.target,
            text: &edge.condition_text,
            condition: Some(&edge.condition),
        });
        let mut links = Self { list: sound.collect(), ghosts: Vec::new() };
        for edge in &graph.broken {
            links.add(edge, graph.nodes.len());
        }
        if !graph.broken.is_empty() {
            links.list.sort_by_key(|link| link.index);
        }
        links
    }

    fn add(&mut self, edge: &'a BrokenEdge, nodes: usize) {
        if edge.source.is_none() && edge.target.is_none() {
            return;
        }
        let source = edge.source.unwrap_or_else(|| nodes + self.ghost(edge.from.as_ref(), edge));
        let target = edge.target.unwrap_or_else(|| nodes + self.ghost(edge.to.as_ref(), edge));
        self.list.push(Link {
            index: edge.index,
            source,
            target,
            text: &edge.condition_text,
            condition: None,
        });
    }

    /// The ghost of a name. An end that names nothing has a ghost of its own.
    fn ghost(&mut self, named: Option<&Named>, edge: &BrokenEdge) -> usize {
        let (name, span) = match named {
            Some(named) => (named.name.clone(), named.span),
            None => (format!("?{}", edge.index), edge.span),
        };
        let known = self.ghosts.iter().position(|(ghost, _)| *ghost == name);
        known.unwrap_or_else(|| {
            self.ghosts.push((name, span));
            self.ghosts.len() - 1
        })
    }
}

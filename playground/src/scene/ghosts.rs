//! Drawable edges, and ghosts for missing nodes. An edge with one existing end is drawn. Ghost indexes follow nodes'.

use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::Condition;
use stepgraph_core::graph::{BrokenEdge, Graph, Named};

/// Ends may be ghosts.
pub(super) struct Link<'a> {
    pub(super) index: usize,
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) text: &'a str,
    /// `None` if broken.
    pub(super) condition: Option<&'a Condition>,
}

pub(super) struct Links<'a> {
    /// In plan order.
    pub(super) list: Vec<Link<'a>>,
    /// Each has the span of one mention.
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

    /// Unnamed ends get their own.
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

//! Drawable edges, and ghosts for missing nodes. An edge with one existing end is drawn. Ghost indexes follow nodes'.

use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::Condition;
use stepgraph_core::graph::{BrokenEdge, Graph, Named};
use stepgraph_core::sort::sort_indexes;

/// Ends may be ghosts.
#[derive(Clone, Copy)]
pub(super) struct Link<'a> {
    pub(super) index: usize,
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) text: &'a str,
    /// `None` if broken.
    pub(super) condition: Option<&'a Condition>,
}

pub(super) struct Links<'a> {
    /// In plan order, but a node's edges without a condition are in the last of its places.
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
        links.move_fallbacks_last();
        links
    }

    fn move_fallbacks_last(&mut self) {
        let written = self.list.clone();
        let source = |at: usize| written.get(at).map(|link| link.source);
        let is_fallback = |at: usize| {
            written.get(at).is_some_and(|link| {
                link.condition.map_or(link.text.is_empty(), |condition| *condition == Condition::Fallback)
            })
        };
        let mut places: Vec<usize> = (0..written.len()).collect();
        sort_indexes(&mut places, &mut |a, b| source(a).cmp(&source(b)));
        let mut tried = places.clone();
        // Both sorts are stable.
        sort_indexes(&mut tried, &mut |a, b| {
            source(a).cmp(&source(b)).then(is_fallback(a).cmp(&is_fallback(b)))
        });
        for (place, from) in places.into_iter().zip(tried) {
            if let (Some(slot), Some(link)) = (self.list.get_mut(place), written.get(from)) {
                *slot = *link;
            }
        }
    }

    pub(super) fn text_order(&self) -> Vec<usize> {
        let index = |at: usize| self.list.get(at).map(|link| link.index);
        let mut order: Vec<usize> = (0..self.list.len()).collect();
        sort_indexes(&mut order, &mut |a, b| index(a).cmp(&index(b)));
        order
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

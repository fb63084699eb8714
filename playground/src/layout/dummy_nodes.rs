//! The graph with a place in every layer that an edge crosses.
//!
//! Decides what stands in each layer: nodes, and for each edge that passes a layer a thin place of its own, so that edges go around
//! nodes and not through them. Very long edges are left out of it when they would be more than all else: they are drawn straight.

use super::ranking::Ranks;
use super::{get_or_default, set_at};
use crate::geometry::Size;
use stepgraph_core::adjacency::Adjacency;

/// How wide the place of a passing edge is.
const DUMMY_WIDTH: f64 = 12.0;
/// So many places of passing edges for each node and edge, and some: beyond that the longest have none.
const DUMMIES_PER_ELEMENT: usize = 6;
/// Small graphs get all of them.
const MIN_DUMMIES: usize = 4_000;

/// A graph of places, each in its layer. Places below the number of nodes are nodes.
#[derive(Debug)]
pub(super) struct RankedGraph {
    /// The places of each layer, from left to right.
    pub(super) layers: Vec<Vec<usize>>,
    /// The layer of each place.
    pub(super) rank: Vec<usize>,
    /// The places above that lead to each.
    pub(super) above: Adjacency<usize>,
    /// The places below that each leads to.
    pub(super) below: Adjacency<usize>,
    /// How large each place is.
    pub(super) sizes: Vec<Size>,
    /// The thin places of each edge, in its own direction.
    pub(super) dummy_chains: Vec<Vec<usize>>,
    /// How many of the places are nodes.
    pub(super) nodes: usize,
}

impl RankedGraph {
    pub(super) fn new(sizes: &[Size], edges: &[(usize, usize)], ranks: &Ranks) -> Self {
        let nodes = sizes.len();
        let height = ranks.of.iter().max().map_or(0, |last| last + 1);
        let mut graph = Self {
            layers: vec![Vec::new(); height],
            rank: ranks.of.clone(),
            above: Adjacency::default(),
            below: Adjacency::default(),
            sizes: sizes.to_vec(),
            dummy_chains: vec![Vec::new(); edges.len()],
            nodes,
        };
        for node in 0..nodes {
            if let Some(layer) = graph.layers.get_mut(get_or_default(&ranks.of, node)) {
                layer.push(node);
            }
        }
        let longest = max_span(nodes, edges, ranks);
        let mut joins = Vec::with_capacity(2 * edges.len());
        for (edge, (from, to)) in edges.iter().enumerate() {
            graph.add_dummies(edge, *from, *to, longest, &mut joins);
        }
        let turned: Vec<(usize, usize)> = joins.iter().map(|(upper, lower)| (*lower, *upper)).collect();
        graph.above = Adjacency::new(graph.rank.len(), &turned);
        graph.below = Adjacency::new(graph.rank.len(), &joins);
        graph
    }

    /// The same as `above`, or `below`, each part in the order of its layer.
    pub(super) fn in_order(&self, above: bool) -> Adjacency<usize> {
        let adjacent = if above { &self.below } else { &self.above };
        let mut pairs = Vec::with_capacity(adjacent.count());
        for vertex in self.layers.iter().flatten() {
            pairs.extend(adjacent.get(*vertex).iter().map(|other| (*other, *vertex)));
        }
        Adjacency::new(self.rank.len(), &pairs)
    }

    /// Whether a place is a passing edge's.
    pub(super) fn is_dummy(&self, vertex: usize) -> bool {
        vertex >= self.nodes
    }

    /// Gives an edge its places, and joins them: the upper to the lower.
    fn add_dummies(
        &mut self,
        edge: usize,
        from: usize,
        to: usize,
        longest: usize,
        joins: &mut Vec<(usize, usize)>,
    ) {
        let (a, b) = (get_or_default(&self.rank, from), get_or_default(&self.rank, to));
        let (upper, lower, up) = if a <= b { (from, to, false) } else { (to, from, true) };
        let (first, last) = (a.min(b), a.max(b));
        if from >= self.nodes || to >= self.nodes || last == first || last - first > longest {
            return;
        }
        let mut at_hand = upper;
        let mut chain = Vec::with_capacity(last - first - 1);
        for rank in first + 1..last {
            let vertex = self.add_dummy(rank);
            joins.push((at_hand, vertex));
            chain.push(vertex);
            at_hand = vertex;
        }
        joins.push((at_hand, lower));
        if up {
            chain.reverse();
        }
        set_at(&mut self.dummy_chains, edge, chain);
    }

    fn add_dummy(&mut self, rank: usize) -> usize {
        let vertex = self.rank.len();
        self.rank.push(rank);
        self.sizes.push(Size::new(DUMMY_WIDTH, 0.0));
        if let Some(layer) = self.layers.get_mut(rank) {
            layer.push(vertex);
        }
        vertex
    }
}

/// How many layers an edge may span to be given places, so that there are not too many of them.
fn max_span(nodes: usize, edges: &[(usize, usize)], ranks: &Ranks) -> usize {
    let mut spans = vec![0_usize; ranks.of.iter().max().map_or(0, |last| last + 1)];
    for (from, to) in edges {
        let span = get_or_default(&ranks.of, *from).abs_diff(get_or_default(&ranks.of, *to));
        let more = get_or_default(&spans, span) + 1;
        set_at(&mut spans, span, more);
    }
    let mut space = MIN_DUMMIES + DUMMIES_PER_ELEMENT * (nodes + edges.len());
    for (span, count) in spans.into_iter().enumerate() {
        let Some(left) = space.checked_sub(span.saturating_mul(count)) else { return span.saturating_sub(1) };
        space = left;
    }
    usize::MAX
}

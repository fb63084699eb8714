//! Adds a dummy vertex per layer that an edge crosses, to lead edges around nodes. Beyond a limit, the longest edges
//! are straight.

use super::ranking::Ranks;
use super::{get_or_default, set_at};
use crate::geometry::Size;
use stepgraph_core::adjacency::Adjacency;

const DUMMY_WIDTH: f64 = 12.0;
/// Per node and edge, beyond the minimum.
const DUMMIES_PER_ELEMENT: usize = 6;
/// Always allowed.
const MIN_DUMMIES: usize = 4_000;

/// Vertices below the number of nodes are nodes.
#[derive(Debug)]
pub(super) struct RankedGraph {
    /// Left to right.
    pub(super) layers: Vec<Vec<usize>>,
    pub(super) rank: Vec<usize>,
    pub(super) above: Adjacency<usize>,
    pub(super) below: Adjacency<usize>,
    pub(super) sizes: Vec<Size>,
    /// Per edge, from source to target.
    pub(super) dummy_chains: Vec<Vec<usize>>,
    pub(super) is_back_dummy: Vec<bool>,
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
            is_back_dummy: Vec::new(),
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
        graph.is_back_dummy = vec![false; graph.rank.len()];
        for (chain, back) in graph.dummy_chains.iter().zip(&ranks.back) {
            for vertex in chain.iter().filter(|_| *back) {
                set_at(&mut graph.is_back_dummy, *vertex, true);
            }
        }
        let turned: Vec<(usize, usize)> = joins.iter().map(|(upper, lower)| (*lower, *upper)).collect();
        graph.above = Adjacency::new(graph.rank.len(), &turned);
        graph.below = Adjacency::new(graph.rank.len(), &joins);
        graph
    }

    /// Neighbours in layer order.
    pub(super) fn in_order(&self, above: bool) -> Adjacency<usize> {
        let adjacent = if above { &self.below } else { &self.above };
        let mut pairs = Vec::with_capacity(adjacent.count());
        for vertex in self.layers.iter().flatten() {
            pairs.extend(adjacent.get(*vertex).iter().map(|other| (*other, *vertex)));
        }
        Adjacency::new(self.rank.len(), &pairs)
    }

    pub(super) fn layer_heights(&self) -> Vec<f64> {
        let height = |vertex: &usize| get_or_default(&self.sizes, *vertex).height;
        self.layers.iter().map(|layer| layer.iter().map(height).fold(0.0, f64::max)).collect()
    }

    /// At most one neighbour above and below.
    pub(super) fn is_thin(&self, vertex: usize) -> bool {
        self.above.get(vertex).len() < 2 && self.below.get(vertex).len() < 2
    }

    pub(super) fn is_dummy(&self, vertex: usize) -> bool {
        vertex >= self.nodes
    }

    /// Joins them from top to bottom.
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

/// Longer edges exceed the budget.
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

//! The graph with a place in every layer that an edge crosses.
//!
//! Decides what stands in each layer: nodes, and for each edge that passes a layer a thin place of its own, so that edges go around
//! nodes and not through them. Very long edges are left out of it when they would be more than all else: they are drawn straight.

use super::layers::Ranks;
use super::{at, put};
use crate::geometry::Size;
use stepgraph_core::adjacency::Lists;

/// How wide the place of a passing edge is.
const THIN: f64 = 12.0;
/// So many places of passing edges for each node and edge, and some: beyond that the longest have none.
const SHARE: usize = 6;
/// Small graphs get all of them.
const ALWAYS: usize = 4_000;

/// A graph of places, each in its layer. Places below the number of nodes are nodes.
#[derive(Debug)]
pub(super) struct Layered {
    /// The places of each layer, from left to right.
    pub(super) layers: Vec<Vec<usize>>,
    /// The layer of each place.
    pub(super) rank: Vec<usize>,
    /// The places above that lead to each.
    pub(super) above: Lists<usize>,
    /// The places below that each leads to.
    pub(super) below: Lists<usize>,
    /// How large each place is.
    pub(super) sizes: Vec<Size>,
    /// The thin places of each edge, in its own direction.
    pub(super) chains: Vec<Vec<usize>>,
    /// How many of the places are nodes.
    pub(super) nodes: usize,
}

impl Layered {
    pub(super) fn new(sizes: &[Size], edges: &[(usize, usize)], ranks: &Ranks) -> Self {
        let nodes = sizes.len();
        let height = ranks.of.iter().max().map_or(0, |last| last + 1);
        let mut layered = Self {
            layers: vec![Vec::new(); height],
            rank: ranks.of.clone(),
            above: Lists::default(),
            below: Lists::default(),
            sizes: sizes.to_vec(),
            chains: vec![Vec::new(); edges.len()],
            nodes,
        };
        for node in 0..nodes {
            if let Some(layer) = layered.layers.get_mut(at(&ranks.of, node)) {
                layer.push(node);
            }
        }
        let longest = longest(nodes, edges, ranks);
        let mut joins = Vec::with_capacity(2 * edges.len());
        for (edge, (from, to)) in edges.iter().enumerate() {
            layered.thread(edge, *from, *to, longest, &mut joins);
        }
        let turned: Vec<(usize, usize)> = joins.iter().map(|(upper, lower)| (*lower, *upper)).collect();
        layered.above = Lists::new(layered.rank.len(), &turned);
        layered.below = Lists::new(layered.rank.len(), &joins);
        layered
    }

    /// The same as `above`, or `below`, each part in the order of its layer.
    pub(super) fn in_order(&self, above: bool) -> Lists<usize> {
        let joined = if above { &self.below } else { &self.above };
        let mut pairs = Vec::with_capacity(joined.count());
        for place in self.layers.iter().flatten() {
            pairs.extend(joined.of(*place).iter().map(|other| (*other, *place)));
        }
        Lists::new(self.rank.len(), &pairs)
    }

    /// Whether a place is a passing edge's.
    pub(super) fn is_thin(&self, place: usize) -> bool {
        place >= self.nodes
    }

    /// Gives an edge its places, and joins them: the upper to the lower.
    fn thread(
        &mut self,
        edge: usize,
        from: usize,
        to: usize,
        longest: usize,
        joins: &mut Vec<(usize, usize)>,
    ) {
        let (a, b) = (at(&self.rank, from), at(&self.rank, to));
        let (upper, lower, up) = if a <= b { (from, to, false) } else { (to, from, true) };
        let (first, last) = (a.min(b), a.max(b));
        if from >= self.nodes || to >= self.nodes || last == first || last - first > longest {
            return;
        }
        let mut at_hand = upper;
        let mut chain = Vec::with_capacity(last - first - 1);
        for rank in first + 1..last {
            let place = self.thin(rank);
            joins.push((at_hand, place));
            chain.push(place);
            at_hand = place;
        }
        joins.push((at_hand, lower));
        if up {
            chain.reverse();
        }
        put(&mut self.chains, edge, chain);
    }

    fn thin(&mut self, rank: usize) -> usize {
        let place = self.rank.len();
        self.rank.push(rank);
        self.sizes.push(Size::new(THIN, 0.0));
        if let Some(layer) = self.layers.get_mut(rank) {
            layer.push(place);
        }
        place
    }
}

/// How many layers an edge may span to be given places, so that there are not too many of them.
fn longest(nodes: usize, edges: &[(usize, usize)], ranks: &Ranks) -> usize {
    let mut spans = vec![0_usize; ranks.of.iter().max().map_or(0, |last| last + 1)];
    for (from, to) in edges {
        let span = at(&ranks.of, *from).abs_diff(at(&ranks.of, *to));
        let more = at(&spans, span) + 1;
        put(&mut spans, span, more);
    }
    let mut room = ALWAYS + SHARE * (nodes + edges.len());
    for (span, count) in spans.into_iter().enumerate() {
        let Some(left) = room.checked_sub(span.saturating_mul(count)) else { return span.saturating_sub(1) };
        room = left;
    }
    usize::MAX
}

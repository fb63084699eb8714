//! Decides how back edges leave and enter nodes: at the side, unless forward edges would cross them there.

use super::dummy_nodes::RankedGraph;
use super::{LayoutInput, get_or_default};
use crate::geometry::Point;
use stepgraph_core::sort;

/// End of a back edge, the innermost first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum BackEnd {
    /// Between forward edges, at the top of a source and the bottom of a target.
    Between,
    /// At the side, with a turn beside the node.
    #[default]
    Beside,
    /// At the side, straight to the edge's first bend.
    Level,
}

/// The nearest forward edges may end this far outside.
const TURN: f64 = 4.0;
/// Least length of the part from the side to the bend.
const MIN_LEVEL: f64 = 8.0;
/// Around the bend.
const CLEARANCE: f64 = 6.0;

/// The leftmost and rightmost neighbour by forward edges.
#[derive(Clone, Copy)]
struct Reach(f64, f64);

impl Default for Reach {
    fn default() -> Self {
        Self(f64::INFINITY, f64::NEG_INFINITY)
    }
}

/// At the source and the target of each edge. Ends of forward edges are the default.
pub(super) fn choose_back_ends(
    graph: &RankedGraph,
    centres: &[Point],
    input: &LayoutInput,
    is_back: &[bool],
) -> Vec<(BackEnd, BackEnd)> {
    let chain = |edge: usize| graph.dummy_chains.get(edge).map_or(&[][..], Vec::as_slice);
    let mut above = vec![Reach::default(); graph.nodes];
    let mut below = above.clone();
    let extend = |list: &mut Vec<Reach>, node: usize, other: usize| {
        if let Some(reach) = list.get_mut(node) {
            let x = get_or_default(centres, other).x;
            *reach = Reach(reach.0.min(x), reach.1.max(x));
        }
    };
    for (edge, (from, to)) in input.edges.iter().enumerate() {
        if !get_or_default(is_back, edge) {
            extend(&mut below, *from, chain(edge).first().copied().unwrap_or(*to));
            extend(&mut above, *to, chain(edge).last().copied().unwrap_or(*from));
        }
    }
    let index = super::adjacent_swaps::layer_indexes(graph);
    let view = View { graph, centres, input, index };
    let mut ends = Vec::new();
    for (edge, (from, to)) in input.edges.iter().enumerate() {
        if from != to && get_or_default(is_back, edge) {
            let (first, last) = (chain(edge).first(), chain(edge).last());
            ends.push((view.end(*from, *to, first, get_or_default(&above, *from)), edge, true));
            ends.push((view.end(*to, *from, last, get_or_default(&below, *to)), edge, false));
        }
    }
    let mut found = vec![<(BackEnd, BackEnd)>::default(); input.edges.len()];
    for (kind, edge, is_source) in nested(ends) {
        if let Some(ends) = found.get_mut(edge) {
            *(if is_source { &mut ends.0 } else { &mut ends.1 }) = kind;
        }
    }
    found
}

/// An end, with its edge and whether it is at the source.
type EdgeEnd = (End, usize, bool);

#[derive(Clone, Copy)]
struct End {
    node: usize,
    is_left: bool,
    /// Distance of the next vertex from the node's centre.
    lane: f64,
    kind: BackEnd,
}

/// An inner edge that went further out than an outer one would cross it.
fn nested(mut ends: Vec<EdgeEnd>) -> Vec<(BackEnd, usize, bool)> {
    let side = |(end, _, is_source): &EdgeEnd| (end.node, end.is_left, *is_source);
    sort::sort_items(&mut ends, |a, b| side(a).cmp(&side(b)).then(b.0.lane.total_cmp(&a.0.lane)));
    let mut found = Vec::with_capacity(ends.len());
    for ends in ends.chunk_by(|a, b| side(a) == side(b)) {
        let mut limit = BackEnd::Level;
        for (end, edge, is_source) in ends {
            limit = limit.min(end.kind);
            found.push((limit, *edge, *is_source));
        }
    }
    found
}

struct View<'a> {
    graph: &'a RankedGraph,
    centres: &'a [Point],
    input: &'a LayoutInput,
    index: Vec<usize>,
}

impl View<'_> {
    fn x(&self, vertex: usize) -> f64 {
        get_or_default(self.centres, vertex).x
    }

    fn half(&self, vertex: usize) -> f64 {
        get_or_default(&self.graph.sizes, vertex).width / 2.0
    }

    /// `bend` is the dummy vertex next to `node`.
    fn end(&self, node: usize, other: usize, bend: Option<&usize>, reach: Reach) -> End {
        let (x, half) = (self.x(node), self.half(node));
        let is_left = bend.map_or(self.x(other) + self.half(other) < x, |bend| self.x(*bend) < x);
        // Distances outwards from the node's centre.
        let out = |at: f64| if is_left { x - at } else { at - x };
        let lane = out(self.x(bend.copied().unwrap_or(other)));
        let furthest = out(if is_left { reach.0 } else { reach.1 });
        let has_loop = !is_left && get_or_default(&self.input.beside, node) > 0.0;
        let next = self.neighbour(node, is_left).map(|next| out(self.x(next)) - self.half(next));
        let is_free = bend.is_some() && next.is_none_or(|next| next > lane + CLEARANCE);
        let is_inside = bend.is_some() && lane < half;
        let kind = if has_loop || is_inside || furthest > lane {
            BackEnd::Between
        } else if is_free && lane >= half + MIN_LEVEL {
            BackEnd::Level
        } else if furthest > half + TURN {
            BackEnd::Between
        } else {
            BackEnd::Beside
        };
        End { node, is_left, lane, kind }
    }

    fn neighbour(&self, node: usize, is_left: bool) -> Option<usize> {
        let layer = self.graph.layers.get(get_or_default(&self.graph.rank, node))?;
        let at = get_or_default(&self.index, node);
        layer.get(if is_left { at.checked_sub(1)? } else { at + 1 }).copied()
    }
}

//! Where the nodes of a graph stand when nobody has placed them: in layers, from the start downwards or to the right.
//!
//! Decides layers, the order within each, and coordinates. Knows nothing of plans or of drawing: nodes are numbers with sizes.
//!
//! Files: `ranking` which layer each node is in · `edge_labels` room for what is written on edges · `dummy_nodes` edges that cross layers · `ordering`
//! who stands beside whom · `coordinates` coordinates · `incremental` nodes that are new among others.
//!
//! Invariants: 1. the same graph is laid out the same way every time; 2. no two nodes touch; 3. time and memory are linear in nodes
//! and edges, or all but, and nothing recurses over them; 4. what is added to a graph leaves the order of what was there, where that
//! costs no more crossings.
//!
//! Source: Sugiyama's method; Brandes and Köpf, "Fast and Simple Horizontal Coordinate Assignment" (2001).

mod coordinates;
mod dummy_nodes;
mod edge_labels;
mod incremental;
mod ordering;
mod ranking;

pub use incremental::place_new_nodes;

use crate::geometry::{Point, Rect, Size};
use dummy_nodes::RankedGraph;

/// Which way a graph runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LayoutDirection {
    /// From top to bottom.
    #[default]
    Down,
    /// From left to right.
    Right,
}

/// A graph to be laid out.
#[derive(Debug, Clone, Default)]
pub struct LayoutInput {
    /// How large each node is.
    pub sizes: Vec<Size>,
    /// Edges by the positions of their ends.
    pub edges: Vec<(usize, usize)>,
    /// The node at which it begins.
    pub start: Option<usize>,
    /// Where nodes stood before, which settles their order beside each other; shorter or empty when nothing is known.
    pub previous: Vec<Option<Point>>,
    /// Which way it runs.
    pub direction: LayoutDirection,
    /// Room between neighbours of a layer.
    pub gap: f64,
    /// Room between layers.
    pub layer_gap: f64,
    /// How large what is written on each edge is; shorter or empty when nothing is.
    pub labels: Vec<Size>,
    /// Room above and below what is written on edges.
    pub label_gap: f64,
}

/// A graph that was laid out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LayoutResult {
    /// The left upper corner of each node.
    pub positions: Vec<Point>,
    /// Where each edge passes between its ends, in the direction of the edge; most have nothing.
    pub bends: Vec<Vec<Point>>,
    /// The middle of what is written on each edge, where there was room for it.
    pub labels: Vec<Option<Point>>,
    /// Which edges lead back to an earlier layer.
    pub is_back: Vec<bool>,
    /// How large the whole is; it begins at zero.
    pub size: Size,
}

/// Lays out a graph.
///
/// # Example
/// ```
/// use stepgraph_playground::geometry::Size;
/// use stepgraph_playground::layout::{LayoutInput, compute_layout};
/// let sizes = vec![Size::new(160.0, 48.0); 3];
/// let diagram = LayoutInput { sizes, edges: vec![(0, 1), (0, 2)], gap: 40.0, layer_gap: 64.0, ..LayoutInput::default() };
/// let found = compute_layout(&diagram);
/// assert_eq!(found.positions[1].y, found.positions[2].y);
/// assert_eq!(found.positions[0].x, (found.positions[1].x + found.positions[2].x) / 2.0);
/// ```
pub fn compute_layout(input: &LayoutInput) -> LayoutResult {
    let turned = input.direction == LayoutDirection::Right;
    let turn_all = |sizes: &[Size]| -> Vec<Size> {
        sizes.iter().map(|size| if turned { size.transposed() } else { *size }).collect()
    };
    let sizes = turn_all(&input.sizes);
    let before: Vec<Option<Point>> = input
        .previous
        .iter()
        .map(|point| point.map(|point| if turned { point.transposed() } else { point }))
        .collect();
    let mut ranks = ranking::assign_ranks(sizes.len(), &input.edges, input.start);
    let labels = edge_labels::LabelLayers::reserve_layers(input, &mut ranks);
    let mut graph = RankedGraph::new(&sizes, &input.edges, &ranks);
    let labels_at = labels.set_sizes(&mut graph, &turn_all(&input.labels));
    ordering::order_layers(&mut graph, &before);
    let centres = coordinates::assign_coordinates(&graph, input.gap, &labels.gaps(graph.layers.len(), input));
    let mut found = to_layout(&graph, &centres, &sizes, &labels_at);
    found.is_back = ranks.back;
    if turned {
        transpose(&mut found);
    }
    found
}

/// Which edges close a loop, in whatever way the nodes are placed.
pub fn back_edges(input: &LayoutInput) -> Vec<bool> {
    ranking::assign_ranks(input.sizes.len(), &input.edges, input.start).back
}

/// The centres of all places as corners of nodes and bends of edges, moved so that all begins at zero.
fn to_layout(
    graph: &RankedGraph,
    centres: &[Point],
    sizes: &[Size],
    labels: &[Option<usize>],
) -> LayoutResult {
    let position = |(centre, size): (&Point, &Size)| centre.plus(-size.width / 2.0, -size.height / 2.0);
    let mut positions: Vec<Point> = centres.iter().zip(sizes).map(position).collect();
    let bend = |vertex: &usize| get_or_default(centres, *vertex);
    let mut bends: Vec<Vec<Point>> =
        graph.dummy_chains.iter().map(|chain| chain.iter().map(bend).collect()).collect();
    let written = |vertex: &usize| {
        Rect::centred_at(get_or_default(centres, *vertex), get_or_default(&graph.sizes, *vertex))
    };
    let nodes = positions.iter().zip(sizes).map(|(position, size)| Rect::new(*position, *size));
    let passing = bends.iter().flatten().map(|bend| Rect::new(*bend, Size::default()));
    let all = nodes.chain(passing).chain(labels.iter().flatten().map(written));
    let all = Rect::union_all(all).unwrap_or_default();
    let mut labels: Vec<Option<Point>> = labels.iter().map(|place| place.as_ref().map(bend)).collect();
    let points = positions.iter_mut().chain(bends.iter_mut().flatten()).chain(labels.iter_mut().flatten());
    for point in points {
        *point = point.plus(-all.min.x, -all.min.y);
    }
    LayoutResult { positions, bends, labels, is_back: Vec::new(), size: all.size }
}

fn transpose(found: &mut LayoutResult) {
    for point in found
        .positions
        .iter_mut()
        .chain(found.bends.iter_mut().flatten())
        .chain(found.labels.iter_mut().flatten())
    {
        *point = point.transposed();
    }
    found.size = found.size.transposed();
}

/// What a list has at a position; the default past its end.
fn get_or_default<T: Copy + Default>(list: &[T], position: usize) -> T {
    list.get(position).copied().unwrap_or_default()
}

/// Puts something at a position of a list.
fn set_at<T>(list: &mut [T], position: usize, value: T) {
    if let Some(place) = list.get_mut(position) {
        *place = value;
    }
}

#[cfg(test)]
mod tests;

//! Automatic layout of a graph in layers, downwards or to the right.
//!
//! Files: `ranking` assigns layers · `edge_labels` reserves space for edge labels · `dummy_nodes` routes edges
//! through layers · `ordering` orders the nodes of a layer · `coordinates` assigns coordinates · `incremental` places
//! new nodes.
//!
//! Invariants: 1. the layout is deterministic. 2. nodes do not touch. 3. time and memory are about linear in nodes
//! and edges, without recursion. 4. the order of existing nodes is preserved.
//!
//! Source: Sugiyama's method; Brandes and Köpf, "Fast and Simple Horizontal Coordinate Assignment" (2001).

mod adjacent_swaps;
mod coordinates;
mod dummy_nodes;
mod edge_labels;
mod incremental;
mod ordering;
mod ranking;

pub use incremental::place_new_nodes;

use crate::geometry::{Point, Rect, Size};
use dummy_nodes::RankedGraph;

/// Horizontal distance up to which two bends are above each other.
const STRAIGHT: f64 = 0.5;

/// Direction of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LayoutDirection {
    /// Top to bottom.
    #[default]
    Down,
    /// Left to right.
    Right,
}

impl LayoutDirection {
    /// Returns the name in stored settings.
    pub fn id(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::Right => "right",
        }
    }

    /// Parses a name. Unknown names are the default.
    pub fn from_id(id: &str) -> Self {
        if id == Self::Right.id() { Self::Right } else { Self::Down }
    }

    /// Returns the other direction.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Down => Self::Right,
            Self::Right => Self::Down,
        }
    }

    /// Converts a point to a downward layout, or back.
    #[must_use]
    pub fn turn_point(self, point: Point) -> Point {
        if self == Self::Right { point.transposed() } else { point }
    }

    /// Converts a size to a downward layout, or back.
    #[must_use]
    pub fn turn_size(self, size: Size) -> Size {
        if self == Self::Right { size.transposed() } else { size }
    }

    /// Converts a rectangle to a downward layout, or back.
    #[must_use]
    pub fn turn_rect(self, area: Rect) -> Rect {
        if self == Self::Right { area.transposed() } else { area }
    }
}

/// Graph to lay out.
#[derive(Debug, Clone, Default)]
pub struct LayoutInput {
    /// Size of each node.
    pub sizes: Vec<Size>,
    /// Edges as pairs of node indexes.
    pub edges: Vec<(usize, usize)>,
    /// Start node.
    pub start: Option<usize>,
    /// Previous positions, which determine the order in a layer. May be shorter than the nodes.
    pub previous: Vec<Option<Point>>,
    /// Direction.
    pub direction: LayoutDirection,
    /// Space beside each node within its layer, such as for edges to itself. May be shorter than the nodes.
    pub beside: Vec<f64>,
    /// Gap between nodes in a layer.
    pub gap: f64,
    /// Gap between layers.
    pub layer_gap: f64,
    /// Size of each edge label. May be shorter than the edges.
    pub labels: Vec<Size>,
    /// Gap above and below edge labels.
    pub label_gap: f64,
}

/// Laid out graph.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LayoutResult {
    /// Top left corner of each node.
    pub positions: Vec<Point>,
    /// Bend points of each edge, from source to target. Most edges have none.
    pub bends: Vec<Vec<Point>>,
    /// Centre of each edge label that has reserved space.
    pub labels: Vec<Option<Point>>,
    /// Whether each edge is a back edge.
    pub is_back: Vec<bool>,
    /// Total size. The top left corner is at zero.
    pub size: Size,
}

/// Lays out a graph.
///
/// # Example
/// ```
/// use stepgraph_playground::geometry::Size;
/// use stepgraph_playground::layout::{LayoutInput, compute_layout};
/// let sizes = vec![Size::new(160.0, 48.0); 3];
/// let edges = vec![(0, 1), (0, 2)];
/// let diagram = LayoutInput { sizes, edges, gap: 40.0, layer_gap: 64.0, ..LayoutInput::default() };
/// let found = compute_layout(&diagram);
/// assert_eq!(found.positions[1].y, found.positions[2].y);
/// assert_eq!(found.positions[0].x, (found.positions[1].x + found.positions[2].x) / 2.0);
/// ```
pub fn compute_layout(input: &LayoutInput) -> LayoutResult {
    let direction = input.direction;
    let turn_all =
        |sizes: &[Size]| -> Vec<Size> { sizes.iter().map(|size| direction.turn_size(*size)).collect() };
    let sizes = turn_all(&input.sizes);
    let before: Vec<Option<Point>> =
        input.previous.iter().map(|point| point.map(|point| direction.turn_point(point))).collect();
    let mut ranks = ranking::assign_ranks(sizes.len(), &input.edges, input.start);
    let labels = edge_labels::LabelLayers::reserve_layers(input, &mut ranks);
    let mut graph = RankedGraph::new(&sizes, &input.edges, &ranks);
    let labels_at = labels.set_sizes(&mut graph, &turn_all(&input.labels));
    ordering::order_layers(&mut graph, &before);
    let centres = coordinates::assign_coordinates(&graph, input, &labels.gaps(graph.layers.len(), input));
    let mut found = to_layout(&graph, &centres, &sizes, &labels_at);
    found.is_back = ranks.back;
    found.turn(direction);
    found
}

impl LayoutResult {
    /// Converts a result to a downward layout, or back.
    pub(crate) fn turn(&mut self, direction: LayoutDirection) {
        let bends = self.bends.iter_mut().flatten();
        for point in self.positions.iter_mut().chain(bends).chain(self.labels.iter_mut().flatten()) {
            *point = direction.turn_point(*point);
        }
        self.size = direction.turn_size(self.size);
    }
}

/// Returns which edges are back edges. Positions do not matter.
pub fn back_edges(input: &LayoutInput) -> Vec<bool> {
    ranking::assign_ranks(input.sizes.len(), &input.edges, input.start).back
}

/// Converts centres to corners and bends, with the top left corner at zero.
fn to_layout(
    graph: &RankedGraph,
    centres: &[Point],
    sizes: &[Size],
    labels: &[Option<usize>],
) -> LayoutResult {
    let position = |(centre, size): (&Point, &Size)| centre.plus(-size.width / 2.0, -size.height / 2.0);
    let mut positions: Vec<Point> = centres.iter().zip(sizes).map(position).collect();
    let bend = |vertex: &usize| get_or_default(centres, *vertex);
    let heights = graph.layer_heights();
    let mut bends: Vec<Vec<Point>> =
        graph.dummy_chains.iter().map(|chain| chain_bends(graph, chain, centres, &heights)).collect();
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

/// Returns the bends of an edge. It passes each layer straight, so that it touches no node there.
fn chain_bends(graph: &RankedGraph, chain: &[usize], centres: &[Point], heights: &[f64]) -> Vec<Point> {
    let rank = |vertex: &usize| get_or_default(&graph.rank, *vertex);
    let is_up = chain.first().is_some_and(|vertex| get_or_default(&graph.is_back_dummy, *vertex));
    let mut bends: Vec<Point> = Vec::with_capacity(2 * chain.len());
    for vertex in chain {
        let centre = get_or_default(centres, *vertex);
        let half = get_or_default(heights, rank(vertex)) / if is_up { -2.0 } else { 2.0 };
        // A straight run has two bends, however long it is.
        let is_straight = |point: &Point| (point.x - centre.x).abs() < STRAIGHT;
        if bends.len() > 1 && bends.iter().rev().take(2).all(is_straight) {
            bends.pop();
        } else {
            bends.push(centre.plus(0.0, -half));
        }
        bends.push(centre.plus(0.0, half));
    }
    bends
}

fn get_or_default<T: Copy + Default>(list: &[T], position: usize) -> T {
    list.get(position).copied().unwrap_or_default()
}

/// Sets an item if the index exists.
fn set_at<T>(list: &mut [T], position: usize, value: T) {
    if let Some(place) = list.get_mut(position) {
        *place = value;
    }
}

#[cfg(test)]
mod tests;

//! Layered graph layout, downwards or to the right.
//!
//! Invariants: 1. deterministic. 2. nodes don't touch. 3. about linear time and memory, no recursion. 4. existing nodes
//! keep their order.
//!
//! Source: Sugiyama's method.

mod adjacent_swaps;
mod back_ends;
mod branch_order;
mod chain_moves;
mod coordinates;
mod cycle_removal;
mod dummy_nodes;
mod edge_labels;
mod incremental;
mod main_line;
mod ordering;
mod previous_order;
mod ranking;

pub use back_ends::BackEnd;
pub use incremental::place_new_nodes;

use crate::geometry::{Point, Rect, Size};
use dummy_nodes::RankedGraph;
use edge_labels::LabelLayers;
use ranking::Ranks;

/// Bends this close are above each other.
const STRAIGHT: f64 = 0.5;

/// Layout direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LayoutDirection {
    /// Top to bottom.
    #[default]
    Down,
    /// Left to right.
    Right,
}

impl LayoutDirection {
    /// Name in settings.
    pub fn id(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::Right => "right",
        }
    }

    /// Unknown names are the default.
    pub fn from_id(id: &str) -> Self {
        if id == Self::Right.id() { Self::Right } else { Self::Down }
    }

    /// Other direction.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Down => Self::Right,
            Self::Right => Self::Down,
        }
    }

    /// To a downward layout, or back.
    #[must_use]
    pub fn turn_point(self, point: Point) -> Point {
        if self == Self::Right { point.transposed() } else { point }
    }

    /// To a downward layout, or back.
    #[must_use]
    pub fn turn_size(self, size: Size) -> Size {
        if self == Self::Right { size.transposed() } else { size }
    }

    /// To a downward layout, or back.
    #[must_use]
    pub fn turn_rect(self, area: Rect) -> Rect {
        if self == Self::Right { area.transposed() } else { area }
    }
}

/// Graph to lay out.
#[derive(Debug, Clone, Default)]
pub struct LayoutInput {
    /// Per node.
    pub sizes: Vec<Size>,
    /// Node index pairs. Those of a node are in the order of their branches.
    pub edges: Vec<(usize, usize)>,
    /// The edges in the order of the text, in which cycles are sought. May be empty if it is the same.
    pub text_order: Vec<usize>,
    /// Start node.
    pub start: Option<usize>,
    /// They order each layer. May be shorter than the nodes.
    pub previous: Vec<Option<Point>>,
    /// Direction.
    pub direction: LayoutDirection,
    /// Space within the layer, such as for self-edges. May be shorter.
    pub beside: Vec<f64>,
    /// Within layers.
    pub gap: f64,
    /// Between layers.
    pub layer_gap: f64,
    /// Per edge. May be shorter.
    pub labels: Vec<Size>,
    /// Around edge labels.
    pub label_gap: f64,
}

/// Finished layout.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LayoutResult {
    /// Top left corners.
    pub positions: Vec<Point>,
    /// Listed from source to target, mostly empty.
    pub bends: Vec<Vec<Point>>,
    /// Reserved label centres.
    pub labels: Vec<Option<Point>>,
    /// Back edges.
    pub is_back: Vec<bool>,
    /// How back edges leave their source and enter their target.
    pub back_ends: Vec<(BackEnd, BackEnd)>,
    /// Extent from the origin.
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
/// assert_eq!(found.positions[0].x, found.positions[1].x);
/// ```
pub fn compute_layout(input: &LayoutInput) -> LayoutResult {
    let task = Downward::new(input);
    let Layered { ranks, labels, graph, labels_at, .. } = task.layered();
    let centres = coordinates::assign_coordinates(&graph, input, &labels.gaps(graph.layers.len(), input));
    let mut found = to_layout(&graph, &centres, &task.sizes, &labels_at);
    found.back_ends = back_ends::choose_back_ends(&graph, &centres, input, &ranks.back);
    found.is_back = ranks.back;
    found.turn(input.direction);
    found
}

stepgraph_lazy::lazy! {
    /// Lazy, because the first plan has no crossings.
    fn try_back_edges(task: &Downward<'_>, best: &mut Layered) = cycle_removal::try_back_edges;
}

/// A layout to do, turned downwards.
struct Downward<'a> {
    input: &'a LayoutInput,
    sizes: Vec<Size>,
    labels: Vec<Size>,
    before: Vec<Option<Point>>,
}

impl<'a> Downward<'a> {
    fn new(input: &'a LayoutInput) -> Self {
        let direction = input.direction;
        let turn_all =
            |sizes: &[Size]| -> Vec<Size> { sizes.iter().map(|size| direction.turn_size(*size)).collect() };
        Self {
            input,
            sizes: turn_all(&input.sizes),
            labels: turn_all(&input.labels),
            before: input.previous.iter().map(|point| point.map(|at| direction.turn_point(at))).collect(),
        }
    }

    fn text_order(&self) -> Vec<usize> {
        let order = &self.input.text_order;
        if order.is_empty() { (0..self.input.edges.len()).collect() } else { order.clone() }
    }

    fn ranks(&self, order: &[usize]) -> Ranks {
        ranking::assign_ranks(self.sizes.len(), &self.input.edges, self.input.start, order)
    }

    fn layered(&self) -> Layered {
        let mut found = Layered::new(self, self.ranks(&self.text_order()));
        if found.crossings > 0 && found.ranks.back.contains(&true) {
            try_back_edges(self, &mut found);
        }
        found
    }
}

/// A graph in layers, in order.
struct Layered {
    ranks: Ranks,
    labels: LabelLayers,
    graph: RankedGraph,
    labels_at: Vec<Option<usize>>,
    /// In an order without previous positions, so that these don't change the back edges.
    crossings: usize,
}

impl Layered {
    fn new(task: &Downward<'_>, mut ranks: Ranks) -> Self {
        let labels = LabelLayers::reserve_layers(task.input, &mut ranks);
        let mut graph = RankedGraph::new(&task.sizes, &task.input.edges, &ranks);
        let labels_at = labels.set_sizes(&mut graph, &task.labels);
        let crossings = ordering::order_layers(&mut graph, &task.before);
        Self { ranks, labels, graph, labels_at, crossings }
    }
}

impl LayoutResult {
    /// Converts to a downward layout, or back.
    pub(crate) fn turn(&mut self, direction: LayoutDirection) {
        let bends = self.bends.iter_mut().flatten();
        for point in self.positions.iter_mut().chain(bends).chain(self.labels.iter_mut().flatten()) {
            *point = direction.turn_point(*point);
        }
        self.size = direction.turn_size(self.size);
    }
}

/// Returns the back edges. Positions do not matter.
pub fn back_edges(input: &LayoutInput) -> Vec<bool> {
    let task = Downward::new(input);
    if input.sizes.len() > cycle_removal::MAX_VERTICES {
        return task.ranks(&task.text_order()).back;
    }
    task.layered().ranks.back
}

/// The top left corner becomes zero.
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
    LayoutResult { positions, bends, labels, size: all.size, ..LayoutResult::default() }
}

/// The edge is straight through each layer, where it touches no node.
fn chain_bends(graph: &RankedGraph, chain: &[usize], centres: &[Point], heights: &[f64]) -> Vec<Point> {
    let rank = |vertex: &usize| get_or_default(&graph.rank, *vertex);
    let is_up = chain.first().is_some_and(|vertex| get_or_default(&graph.is_back_dummy, *vertex));
    let mut bends: Vec<Point> = Vec::with_capacity(2 * chain.len());
    for vertex in chain {
        let centre = get_or_default(centres, *vertex);
        let half = get_or_default(heights, rank(vertex)) / if is_up { -2.0 } else { 2.0 };
        // A straight run has two bends.
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

/// Ignores missing indexes.
fn set_at<T>(list: &mut [T], position: usize, value: T) {
    if let Some(place) = list.get_mut(position) {
        *place = value;
    }
}

#[cfg(test)]
mod tests;

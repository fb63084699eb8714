//! What moves under a pointer.
//!
//! Decides which boxes and edges go along when nodes are dragged, and moves them without laying anything out: edges between moved nodes
//! go with them, edges that hold on to what stays are led straight.
//!
//! Invariant: what was dragged and brought back is as it was.

use super::route::{back_curve, forward_curve};
use super::{Scene, SceneEdge, SceneNode};
use crate::geometry::{Point, Rect};

/// Nodes that are being dragged, with all that goes along.
#[derive(Debug, Clone, Default)]
pub struct Dragged {
    nodes: Vec<(usize, Rect)>,
    frames: Vec<(usize, Rect)>,
    edges: Vec<(usize, SceneEdge)>,
    by: Point,
}

impl Dragged {
    /// The nodes by their positions in the drawing, those inside others among them.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        self.nodes.iter().map(|(node, _)| *node)
    }

    /// The edges whose curves change.
    pub fn edges(&self) -> impl Iterator<Item = usize> {
        self.edges.iter().map(|(edge, _)| *edge)
    }

    /// How far they are from where they were.
    pub fn by(&self) -> Point {
        self.by
    }
}

impl Scene {
    /// Begins to drag nodes.
    pub fn grab(&self, is_selected: impl Fn(&SceneNode) -> bool) -> Dragged {
        let mut moves = vec![false; self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate() {
            // A node comes before those inside it, so its holder is known.
            let parent = self.holder(node);
            let is_moved = is_selected(node) || parent.is_some_and(|parent| is_moved(&moves, parent));
            if let Some(place) = moves.get_mut(number) {
                *place = is_moved;
            }
        }
        let held = |owner: Option<usize>| owner.is_some_and(|owner| is_moved(&moves, owner));
        let nodes = self.nodes.iter().enumerate().filter(|(number, _)| is_moved(&moves, *number));
        let frames = self.groups.iter().enumerate().filter(|(_, group)| held(group.owner));
        let edges = self.edges.iter().enumerate();
        let edges = edges.filter(|(_, edge)| is_moved(&moves, edge.from) || is_moved(&moves, edge.to));
        Dragged {
            nodes: nodes.map(|(number, node)| (number, node.area)).collect(),
            frames: frames.map(|(number, group)| (number, group.area)).collect(),
            edges: edges.map(|(number, edge)| (number, edge.clone())).collect(),
            by: Point::default(),
        }
    }

    /// Moves what is dragged so far from where it was.
    pub fn drag(&mut self, dragged: &mut Dragged, by: Point) {
        dragged.by = by;
        let shifted = |area: &Rect| Rect::new(area.min.plus(by.x, by.y), area.size);
        for (number, area) in &dragged.nodes {
            if let Some(node) = self.nodes.get_mut(*number) {
                node.area = shifted(area);
            }
        }
        for (number, area) in &dragged.frames {
            if let Some(group) = self.groups.get_mut(*number) {
                group.area = shifted(area);
            }
        }
        let moves: std::collections::HashSet<usize> = dragged.nodes().collect();
        for (number, edge) in &dragged.edges {
            let is_integer = moves.contains(&edge.from) && moves.contains(&edge.to);
            let led = if is_integer || by == Point::default() {
                edge.translated(by)
            } else {
                self.straightened(edge)
            };
            if let Some(place) = self.edges.get_mut(*number) {
                *place = led;
            }
        }
    }

    /// The position of the node inside which another one stands.
    fn holder(&self, node: &SceneNode) -> Option<usize> {
        if node.scope.is_empty() {
            return None;
        }
        self.groups.iter().find(|group| group.scope == node.scope)?.owner
    }

    /// An edge that leads straight from where one end is now to where the other is.
    fn straightened(&self, edge: &SceneEdge) -> SceneEdge {
        let area = |node: usize| self.nodes.get(node).map(|node| node.area).unwrap_or_default();
        let (from, to) = (area(edge.from), area(edge.to));
        let curve = if edge.is_back {
            back_curve(&from, &to, &[], edge.ports)
        } else {
            forward_curve(&from, &to, &[], edge.ports)
        };
        let label_box = Rect::centred_at(curve.middle(), edge.label_box.size);
        SceneEdge { curve, label_box, ..edge.clone() }
    }
}

impl SceneEdge {
    /// The same so far from here.
    pub(super) fn translated(&self, by: Point) -> Self {
        let mut edge = self.clone();
        edge.curve.shift(by);
        edge.label_box.min = edge.label_box.min.plus(by.x, by.y);
        edge
    }
}

fn is_moved(moves: &[bool], node: usize) -> bool {
    moves.get(node).copied().unwrap_or_default()
}

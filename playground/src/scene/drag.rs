//! Moves dragged nodes with nested items and edges between them, without a layout. Other connected edges become
//! straight. Invariant: dragging back restores the scene.

use super::route::{back_curve, forward_curve};
use super::{Scene, SceneEdge, SceneNode};
use crate::geometry::{Point, Rect};
use crate::layout::BackEnd;

/// The dragged items and everything that moves along.
#[derive(Debug, Clone, Default)]
pub struct Dragged {
    nodes: Vec<(usize, Rect)>,
    frames: Vec<(usize, Rect)>,
    edges: Vec<(usize, SceneEdge)>,
}

impl Dragged {
    /// Includes nested nodes.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        self.nodes.iter().map(|(node, _)| *node)
    }

    /// Changed curves.
    pub fn edges(&self) -> impl Iterator<Item = usize> {
        self.edges.iter().map(|(edge, _)| *edge)
    }
}

impl Scene {
    /// Starts dragging.
    pub fn grab(&self, is_selected: impl Fn(&SceneNode) -> bool) -> Dragged {
        let mut moves = vec![false; self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate() {
            // Groups come first, so its state is known.
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
        }
    }

    /// Moves to the distance `by` from the start.
    pub fn drag(&mut self, dragged: &mut Dragged, by: Point) {
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

    fn holder(&self, node: &SceneNode) -> Option<usize> {
        if node.scope.is_empty() {
            return None;
        }
        self.groups.iter().find(|group| group.scope == node.scope)?.owner
    }

    fn straightened(&self, edge: &SceneEdge) -> SceneEdge {
        let area = |node: usize| self.nodes.get(node).map(|node| node.area).unwrap_or_default();
        let turned = |area: Rect| self.direction.turn_rect(area);
        let (from, to) = (turned(area(edge.from)), turned(area(edge.to)));
        let mut curve = if edge.is_back {
            back_curve(&from, &to, &[], edge.ports, <(BackEnd, BackEnd)>::default())
        } else {
            forward_curve(&from, &to, &[], edge.ports)
        };
        curve.turn(self.direction);
        let label_box = Rect::centred_at(curve.middle(), edge.label_box.size);
        SceneEdge { curve, label_box, ..edge.clone() }
    }
}

impl SceneEdge {
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

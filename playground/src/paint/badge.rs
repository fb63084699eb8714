//! The space of a node's run badge.
//!
//! The badge lies on the lower border, next to the handle in the middle and to the ends of edges. It may reach beyond its
//! node, up to the next neighbour or label.

use super::indexed_scene::IndexedScene;
use crate::geometry::{Point, Rect, Size};
use crate::scene::Scene;

/// From the middle of the node, as in `canvas.css`.
const START: f64 = 12.0;
/// Above and below the border.
const HALF_HEIGHT: f64 = 9.0;
/// Longer values are cut.
const MAX_WIDTH: f64 = 132.0;
const GAP: f64 = 6.0;
/// From the end of an edge, with its arrowhead.
const END_GAP: f64 = 9.0;

impl IndexedScene {
    /// Start of the badge, from the middle of the node, and its greatest width.
    pub fn badge_space(&self, scene: &Scene, number: usize) -> (f64, f64) {
        let Some(own) = scene.nodes.get(number).map(|node| node.area) else { return (START, MAX_WIDTH) };
        let start = self.badge_start(scene, number, &own);
        let begin = Point::new(own.centre().x + start, own.max().y - HALF_HEIGHT);
        let inside = own.max().x - begin.x;
        let most = MAX_WIDTH.max(inside + 2.0 * START);
        // Neighbours have badges on their upper border.
        let place = Rect::new(begin, Size::new(most + GAP, 2.0 * HALF_HEIGHT)).expanded(HALF_HEIGHT);
        let nodes = self.node_index.intersecting(&place).into_iter().filter(|other| *other != number);
        let nodes = nodes.filter_map(|other| scene.nodes.get(other)).map(|node| node.area);
        let labels = self.edge_index.intersecting(&place).into_iter();
        let labels = labels.filter_map(|edge| scene.edges.get(edge)).filter(|edge| !edge.label.is_empty());
        let labels = labels.map(|edge| edge.label_box).filter(|label| label.intersects(&place));
        let free = nodes
            .chain(labels)
            .map(|area| area.min.x - GAP - begin.x)
            .filter(|space| *space > 0.0)
            .fold(most, f64::min);
        (start, free.max(inside))
    }

    /// Right of the ends of edges on the lower border.
    fn badge_start(&self, scene: &Scene, number: usize, own: &Rect) -> f64 {
        let border = Rect::new(Point::new(own.min.x, own.max().y), Size::new(own.size.width, 1.0));
        let edges = self.edge_index.intersecting(&border.expanded(1.0)).into_iter();
        let edges = edges.filter_map(|edge| scene.edges.get(edge));
        let ends = edges.flat_map(|edge| {
            let ends = [(edge.from, edge.curve.start), (edge.to, edge.curve.end())];
            ends.into_iter().filter(|(node, end)| *node == number && (end.y - own.max().y).abs() < 1.0)
        });
        let right = ends.map(|(_, end)| end.x - own.centre().x + END_GAP).fold(START, f64::max);
        right.min(own.size.width / 2.0 - START).max(START)
    }
}

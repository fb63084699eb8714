//! The space of a node's run badge.
//!
//! The badge lies on the lower border, next to the handle in the middle. It may reach beyond its node, up to the next
//! neighbour or label.

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

impl IndexedScene {
    /// Greatest width of the badge.
    pub fn badge_width(&self, scene: &Scene, number: usize) -> f64 {
        let Some(own) = scene.nodes.get(number).map(|node| node.area) else { return MAX_WIDTH };
        let begin = Point::new(own.centre().x + START, own.max().y - HALF_HEIGHT);
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
        free.max(inside)
    }
}

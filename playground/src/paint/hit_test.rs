//! Finds elements by position, because distant nodes have none in the DOM. Labels are above nodes, nodes above edges.
//! An open group's node has only the header.

use super::indexed_scene::IndexedScene;
use crate::geometry::{Point, Rect, Size};
use crate::gesture::Hit;
use crate::scene::{Scene, SceneGroup};

/// Header of open groups.
pub const GROUP_HEADER_HEIGHT: f64 = 44.0;

impl IndexedScene {
    /// At a point. Edges count within `reach`.
    pub fn hit_test(&self, scene: &Scene, at: Point, reach: f64) -> Hit {
        let around = Rect::centred_at(at, Size::new(2.0 * reach, 2.0 * reach));
        let lines = self.edge_index.intersecting(&around);
        let tagged = |line: &&usize| {
            scene.edges.get(**line).is_some_and(|edge| !edge.label.is_empty() && edge.label_box.contains(at))
        };
        if let Some(line) = lines.iter().rev().find(tagged) {
            return Hit::Edge(*line);
        }
        if let Some(node) = self.node_under(scene, at) {
            return Hit::Node(node);
        }
        let distance =
            |line: &usize| scene.edges.get(*line).map_or(f64::INFINITY, |edge| edge.curve.distance(at));
        let nearest = lines.iter().map(|line| (distance(line), *line)).min_by(|a, b| a.0.total_cmp(&b.0));
        match nearest {
            Some((distance, line)) if distance <= reach => Hit::Edge(line),
            _ => Hit::Nothing,
        }
    }

    /// Innermost node there.
    pub fn node_under(&self, scene: &Scene, at: Point) -> Option<usize> {
        let exists = |node: &usize| {
            let Some(node) = scene.nodes.get(*node) else { return false };
            node.is_expanded != Some(true) || at.y <= node.area.min.y + GROUP_HEADER_HEIGHT
        };
        self.node_index.at(at).into_iter().rev().find(exists)
    }

    /// Innermost scope and its origin. The frame around a group's area belongs to it.
    pub fn scope_at(scene: &Scene, at: Point) -> (String, Point) {
        let owner = |group: &SceneGroup| scene.nodes.get(group.owner?);
        let find = |is_inside: &dyn Fn(&SceneGroup) -> bool| {
            scene.groups.iter().rev().find(|group| group.owner.is_some() && is_inside(group))
        };
        let group = find(&|group| group.area.contains(at))
            .or_else(|| find(&|group| owner(group).is_some_and(|node| node.area.contains(at))))
            .or(scene.groups.first());
        group.map(|group| (group.scope.clone(), group.origin)).unwrap_or_default()
    }
}

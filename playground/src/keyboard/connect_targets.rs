//! Which nodes an edge may lead to.
//!
//! Decides in which order nodes are offered; which may be, is decided for pointers and keys alike by [`crate::paint::connect_error`]. The list is made
//! in one go, since asking for each of ten thousand nodes would take as many looks at all edges.

use super::spatial_navigation::rows;
use crate::gesture::EdgeDrag;
use crate::paint::connect_error;
use crate::scene::Scene;

/// Whether a new edge may lead from one node to another: as for pointers.
pub fn can_connect(scene: &Scene, from: usize, to: usize) -> bool {
    scene.nodes.get(to).is_some() && connect_error(scene, EdgeDrag::New(from), to).is_none()
}

/// All nodes that a new edge may lead to: those below first, then in reading order.
pub fn connect_targets(scene: &Scene, from: usize) -> Vec<usize> {
    let Some(current) = scene.nodes.get(from) else { return Vec::new() };
    let taken: Vec<usize> = scene
        .edges
        .iter()
        .filter(|edge| edge.from == from && edge.label.trim().is_empty())
        .map(|edge| edge.to)
        .collect();
    let own = |at: &usize| {
        let same = scene.nodes.get(*at).is_some_and(|node| node.scope == current.scope);
        *at != from && same && !taken.contains(at)
    };
    let mut found = rows(scene, &(0..scene.nodes.len()).filter(own).collect::<Vec<_>>());
    let is_above = |at: &usize| {
        let centre = scene.nodes.get(*at).map(|node| node.area.centre()).unwrap_or_default();
        centre.y <= current.area.centre().y
    };
    found.sort_by_key(is_above);
    found
}

//! Lists targets of a new edge in one pass over the edges, by the rules of [`crate::paint::connect_error`].

use super::spatial_navigation::rows;
use crate::scene::Scene;

/// Nodes below first, then in reading order.
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

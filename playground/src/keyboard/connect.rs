//! Which nodes an edge may lead to.
//!
//! Decides that an edge stays in its graph, and that one which would say nothing new is not offered: a second one between the same nodes
//! without a condition, or one from a node to itself, which without a condition never ends.

use super::walk::rows;
use crate::scene::Scene;

/// Whether a new edge may lead from one node to another.
pub fn may_connect(scene: &Scene, from: usize, to: usize) -> bool {
    let Some((a, b)) = scene.nodes.get(from).zip(scene.nodes.get(to)) else { return false };
    let is_there =
        scene.edges.iter().any(|line| line.from == from && line.to == to && line.label.trim().is_empty());
    from != to && a.scope == b.scope && !is_there
}

/// All nodes that a new edge may lead to: those below first, then in reading order.
pub fn targets(scene: &Scene, from: usize) -> Vec<usize> {
    let Some(here) = scene.nodes.get(from) else { return Vec::new() };
    let taken: Vec<usize> = scene
        .edges
        .iter()
        .filter(|line| line.from == from && line.label.trim().is_empty())
        .map(|line| line.to)
        .collect();
    let own = |at: &usize| {
        let same = scene.nodes.get(*at).is_some_and(|node| node.scope == here.scope);
        *at != from && same && !taken.contains(at)
    };
    let mut found = rows(scene, &(0..scene.nodes.len()).filter(own).collect::<Vec<_>>());
    let is_above = |at: &usize| {
        let centre = scene.nodes.get(*at).map(|node| node.area.centre()).unwrap_or_default();
        centre.y <= here.area.centre().y
    };
    found.sort_by_key(is_above);
    found
}

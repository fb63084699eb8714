//! Selected items by name, which survives edits.

use super::PlanEditor;
use crate::geometry::Rect;
use crate::scene::{Scene, SceneNode};
use std::collections::BTreeSet;

/// Selected items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    nodes: BTreeSet<String>,
    /// Scope and index.
    edges: BTreeSet<(String, usize)>,
}

impl Selection {
    /// Node paths.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(String::as_str)
    }

    /// Scope and index.
    pub fn edges(&self) -> impl Iterator<Item = (&str, usize)> {
        self.edges.iter().map(|(scope, edge)| (scope.as_str(), *edge))
    }

    /// Is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.edges.is_empty()
    }

    /// Contains it.
    pub fn has_node(&self, node_path: &str) -> bool {
        self.nodes.contains(node_path)
    }

    pub(super) fn has_scene_node(&self, node: &SceneNode) -> bool {
        !self.nodes.is_empty() && self.nodes.contains(&node.node_path())
    }

    /// Contains it.
    pub fn has_edge(&self, scope: &str, edge: usize) -> bool {
        self.edges.contains(&(scope.to_owned(), edge))
    }

    /// If nothing else is selected.
    pub fn only_node(&self) -> Option<&str> {
        let only = self.nodes.len() == 1 && self.edges.is_empty();
        self.nodes.iter().next().filter(|_| only).map(String::as_str)
    }

    /// If nothing else is selected.
    pub fn only_edge(&self) -> Option<(&str, usize)> {
        self.edges().next().filter(|_| self.edges.len() == 1 && self.nodes.is_empty())
    }

    pub(super) fn retain_existing(&mut self, scene: &Scene) {
        if !self.nodes.is_empty() {
            let known: BTreeSet<String> = plan_nodes(scene).map(SceneNode::node_path).collect();
            self.nodes.retain(|node_path| known.contains(node_path));
        }
        self.edges.retain(|(scope, edge)| {
            scene.edges.iter().any(|scene_edge| scene_edge.scope == *scope && scene_edge.index == *edge)
        });
    }
}

impl PlanEditor {
    /// `extend` toggles it.
    pub fn select_node(&mut self, node_path: &str, extend: bool) {
        if !extend {
            self.selection = Selection::default();
        }
        if self.select_ghost(node_path) {
            return;
        }
        if !extend || !self.selection.nodes.remove(node_path) {
            self.selection.nodes.insert(node_path.to_owned());
        }
        self.selection.retain_existing(&self.scene);
    }

    /// A ghost is no plan node, so its edges are selected. Returns true for one.
    fn select_ghost(&mut self, node_path: &str) -> bool {
        let Some(ghost) = self.scene.node_at_path(node_path) else { return false };
        let is_ghost = self.scene.nodes.get(ghost).is_some_and(|node| node.is_ghost);
        if is_ghost {
            let named = self.scene.edges.iter().filter(|edge| edge.from == ghost || edge.to == ghost);
            self.selection.edges.extend(named.map(|edge| (edge.scope.clone(), edge.index)));
        }
        is_ghost
    }

    /// `extend` toggles it.
    pub fn select_edge(&mut self, scope: &str, edge: usize, extend: bool) {
        if !extend {
            self.selection = Selection::default();
        }
        let key = (scope.to_owned(), edge);
        if !extend || !self.selection.edges.remove(&key) {
            self.selection.edges.insert(key);
        }
        self.selection.retain_existing(&self.scene);
    }

    /// Nodes fully inside, except those nested in selected ones.
    pub fn select_area(&mut self, area: &Rect) {
        let inside = |node: &&SceneNode| area.contains(node.area.min) && area.contains(node.area.max());
        self.selection.nodes.extend(plan_nodes(&self.scene).filter(inside).map(SceneNode::node_path));
        self.deselect_nested();
    }

    /// Top-level nodes.
    pub fn select_all(&mut self) {
        let own = plan_nodes(&self.scene).filter(|node| node.scope.is_empty());
        self.selection = Selection { nodes: own.map(SceneNode::node_path).collect(), ..Selection::default() };
    }

    /// Clears the selection.
    pub fn clear_selection(&mut self) {
        self.selection = Selection::default();
    }

    /// They move with their group.
    fn deselect_nested(&mut self) {
        let all = self.selection.nodes.clone();
        let is_nested = |node_path: &String| {
            node_path
                .match_indices('/')
                .any(|(at, _)| node_path.get(..at).is_some_and(|outer| all.contains(outer)))
        };
        self.selection.nodes.retain(|node_path| !is_nested(node_path));
    }
}

fn plan_nodes(scene: &Scene) -> impl Iterator<Item = &SceneNode> {
    scene.nodes.iter().filter(|node| !node.is_ghost)
}

//! What is selected.
//!
//! Decides by names, not by numbers: a selection survives edits that leave the selected things there.

use super::Session;
use crate::geometry::Rect;
use crate::scene::Scene;
use std::collections::BTreeSet;

/// Selected nodes and edges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Nodes by place.
    nodes: BTreeSet<String>,
    /// Edges by scope and position.
    edges: BTreeSet<(String, usize)>,
}

impl Selection {
    /// The places of the nodes.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(String::as_str)
    }

    /// The edges: scope and position.
    pub fn edges(&self) -> impl Iterator<Item = (&str, usize)> {
        self.edges.iter().map(|(scope, edge)| (scope.as_str(), *edge))
    }

    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.edges.is_empty()
    }

    /// Whether a node is.
    pub fn has_node(&self, place: &str) -> bool {
        self.nodes.contains(place)
    }

    /// The same of a node of the drawing.
    pub(super) fn has(&self, node: &crate::scene::NodeBox) -> bool {
        !self.nodes.is_empty() && self.nodes.contains(&node.place())
    }

    /// Whether an edge is.
    pub fn has_edge(&self, scope: &str, edge: usize) -> bool {
        self.edges.contains(&(scope.to_owned(), edge))
    }

    /// The node, when it is the only thing selected.
    pub fn only_node(&self) -> Option<&str> {
        let only = self.nodes.len() == 1 && self.edges.is_empty();
        self.nodes.iter().next().filter(|_| only).map(String::as_str)
    }

    /// Forgets what is not there any more.
    pub(super) fn keep(&mut self, scene: &Scene) {
        if !self.nodes.is_empty() {
            let known: BTreeSet<String> = scene.nodes.iter().map(crate::scene::NodeBox::place).collect();
            self.nodes.retain(|place| known.contains(place));
        }
        self.edges.retain(|(scope, edge)| {
            scene.edges.iter().any(|line| line.scope == *scope && line.index == *edge)
        });
    }
}

impl Session {
    /// Selects a node, alone or in addition; one that is selected already is taken away in addition.
    pub fn choose_node(&mut self, place: &str, extend: bool) {
        if !extend {
            self.selection = Selection::default();
        }
        if !extend || !self.selection.nodes.remove(place) {
            self.selection.nodes.insert(place.to_owned());
        }
        self.selection.keep(&self.scene);
    }

    /// Selects an edge likewise.
    pub fn choose_edge(&mut self, scope: &str, edge: usize, extend: bool) {
        if !extend {
            self.selection = Selection::default();
        }
        let key = (scope.to_owned(), edge);
        if !extend || !self.selection.edges.remove(&key) {
            self.selection.edges.insert(key);
        }
        self.selection.keep(&self.scene);
    }

    /// Selects what lies in an area: whole nodes, and not those that stand inside a selected one.
    pub fn choose_area(&mut self, area: &Rect) {
        let inside =
            |node: &&crate::scene::NodeBox| area.contains(node.area.min) && area.contains(node.area.max());
        self.selection.nodes.extend(self.scene.nodes.iter().filter(inside).map(crate::scene::NodeBox::place));
        self.without_nested();
    }

    /// Selects all nodes of the plan's own graph.
    pub fn choose_all(&mut self) {
        let own = self.scene.nodes.iter().filter(|node| node.scope.is_empty());
        self.selection =
            Selection { nodes: own.map(crate::scene::NodeBox::place).collect(), ..Selection::default() };
    }

    /// Selects nothing.
    pub fn choose_nothing(&mut self) {
        self.selection = Selection::default();
    }

    /// Who moves a node moves what is inside it.
    fn without_nested(&mut self) {
        let all = self.selection.nodes.clone();
        let is_nested = |place: &String| {
            place.match_indices('/').any(|(at, _)| place.get(..at).is_some_and(|outer| all.contains(outer)))
        };
        self.selection.nodes.retain(|place| !is_nested(place));
    }
}

//! A plan as positioned nodes, edges and groups, for the canvas, the outline and hit tests.
//!
//! Positions come from the plan's `layout`, or else from the automatic layout.
//!
//! Files: `measure` sizes of nodes and labels · `build` scene of a graph and its nested graphs · `positions` node
//! positions · `ports` ends of edges at a node · `ghosts` drawable edges and missing nodes · `route` edge curves ·
//! `edge_labels` label positions · `drag` dragged elements.
//!
//! Invariants: 1. nodes are in plan order, each before its nested nodes. 2. nested nodes are inside their group. 3.
//! the time is about linear in the plan.

mod build;
mod drag;
mod edge_labels;
mod ghosts;
mod measure;
mod note;
mod ports;
mod positions;
mod route;

pub use build::build_scene;
pub use drag::Dragged;
pub(crate) use measure::{MAX_LABEL_LETTERS, letter_width};
pub use route::Curve;

use crate::geometry::{Point, Rect};
use crate::layout::LayoutDirection;
use std::collections::{HashMap, HashSet};
use stepgraph_core::diagnostic::Span;
use stepgraph_core::graph::scoped_name;

/// A drawable plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// Nodes.
    pub nodes: Vec<SceneNode>,
    /// Edges.
    pub edges: Vec<SceneEdge>,
    /// Visible graphs, the top-level one first.
    pub groups: Vec<SceneGroup>,
    /// Bounds of all elements.
    pub bounds: Rect,
    /// Direction of edges.
    pub direction: LayoutDirection,
}

/// A node of the scene.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneNode {
    /// Scope: empty for the top-level graph, `fan/a` for branch `a` of node `fan`.
    pub scope: String,
    /// Key in `nodes`.
    pub key: String,
    /// Type.
    pub kind: String,
    /// Title, or the key.
    pub title: String,
    /// Tool, or type, with the key if there is a title.
    pub subtitle: String,
    /// Comments of the text about the node, or empty.
    pub note: String,
    /// Bounds.
    pub area: Rect,
    /// Position in its graph, as in `layout`.
    pub position: Point,
    /// Position in its graph from the automatic layout.
    pub auto_position: Point,
    /// Whether it is the start node.
    pub is_start: bool,
    /// Whether it is a ghost: an edge names it, but the plan has no such node.
    pub is_ghost: bool,
    /// Whether its nested graphs are visible, or `None` without any.
    pub is_expanded: Option<bool>,
    /// Whether `layout` contains its position.
    pub is_placed: bool,
    /// Span of its key in the text.
    pub span: Span,
}

/// An edge of the scene.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneEdge {
    /// Scope.
    pub scope: String,
    /// Index in `edges` of its graph.
    pub index: usize,
    /// Index of the source node.
    pub from: usize,
    /// Index of the target node.
    pub to: usize,
    /// Condition, or empty.
    pub label: String,
    /// Whether only a failure takes it.
    pub is_failure: bool,
    /// Whether an end is missing or the condition is invalid.
    pub is_broken: bool,
    /// Whether it is a back edge.
    pub is_back: bool,
    /// Curve.
    pub curve: Curve,
    /// Offsets of its ends from the middle of their sides.
    pub ports: (f64, f64),
    /// Box of its label, or the place for one.
    pub label_box: Rect,
}

/// A visible graph.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneGroup {
    /// Scope of its nodes.
    pub scope: String,
    /// Index of the node that contains it, or `None` for the top-level graph.
    pub owner: Option<usize>,
    /// Branch name, or empty.
    pub name: String,
    /// Bounds.
    pub area: Rect,
    /// Origin of its `layout` on the canvas.
    pub origin: Point,
}

/// View settings of the user that are not in the plan.
#[derive(Debug, Clone, Default)]
pub struct ViewOptions {
    /// Node paths of open groups, such as `fan` or `fan/a/inner`.
    pub expanded: HashSet<String>,
    /// Direction of the automatic layout and of edges.
    pub direction: LayoutDirection,
    /// Previous positions, which keep nodes in order and near fixed nodes.
    pub previous: HashMap<String, PreviousPosition>,
}

/// Position of a node in the previous scene.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PreviousPosition {
    /// Position from the automatic layout.
    pub auto_position: Point,
    /// Actual position, if it must stay.
    pub position: Option<Point>,
}

impl SceneNode {
    /// Returns the node path, such as `fan/a/fetch`.
    pub fn node_path(&self) -> String {
        scoped_name(&self.scope, &self.key)
    }
}

impl Scene {
    /// Returns the index of a node by its path.
    pub fn node_at_path(&self, node_path: &str) -> Option<usize> {
        let (scope, key) = node_path.rsplit_once('/').unwrap_or(("", node_path));
        self.nodes.iter().position(|node| node.key == key && node.scope == scope)
    }
}

#[cfg(test)]
mod tests;

//! A plan as positioned nodes, edges and groups, by its `layout` or the automatic one.
//!
//! Invariants: 1. plan order, a node before its nested ones. 2. nested nodes are inside their group. 3. about linear
//! time.

mod build;
mod drag;
mod edge_labels;
mod ghosts;
mod measure;
mod note;
mod outer_lanes;
mod ports;
mod positions;
mod route;

pub use build::build_scene;
pub use drag::Dragged;
use measure::has_space_for_note;
pub(crate) use measure::{MAX_LABEL_LETTERS, letter_width};
pub use note::NodeSpans;
pub(crate) use note::{can_have_note, note_edits};
pub use route::Curve;

use crate::geometry::{Point, Rect};
use crate::layout::LayoutDirection;
use std::collections::{HashMap, HashSet};
use stepgraph_core::graph::scoped_name;

/// Drawable plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// Nodes.
    pub nodes: Vec<SceneNode>,
    /// Edges.
    pub edges: Vec<SceneEdge>,
    /// The top-level graph is first.
    pub groups: Vec<SceneGroup>,
    /// All elements.
    pub bounds: Rect,
    /// Edge direction.
    pub direction: LayoutDirection,
}

/// Scene node.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneNode {
    /// Empty at the top. `fan/a` is branch `a` of `fan`.
    pub scope: String,
    /// In `nodes`.
    pub key: String,
    /// Type.
    pub kind: String,
    /// Defaults to the key.
    pub title: String,
    /// Tool or type, with the key beside a title.
    pub subtitle: String,
    /// Comments, or empty.
    pub note: String,
    /// Bounds.
    pub area: Rect,
    /// In its graph, as in `layout`.
    pub position: Point,
    /// Position in the automatic layout.
    pub auto_position: Point,
    /// Starts its graph.
    pub is_start: bool,
    /// Missing from the plan, but named by an edge.
    pub is_ghost: bool,
    /// `None` without nested graphs.
    pub is_expanded: Option<bool>,
    /// `layout` has its position.
    pub is_placed: bool,
    /// In the text.
    pub spans: NodeSpans,
}

/// Scene edge.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneEdge {
    /// Scope.
    pub scope: String,
    /// In `edges`.
    pub index: usize,
    /// Source node.
    pub from: usize,
    /// Target node.
    pub to: usize,
    /// Condition, or empty.
    pub label: String,
    /// Taken only after failure.
    pub is_failure: bool,
    /// An end is missing, or the condition invalid.
    pub is_broken: bool,
    /// Back edge.
    pub is_back: bool,
    /// Curve.
    pub curve: Curve,
    /// Offsets from mid-side.
    pub ports: (f64, f64),
    /// Or the place for one.
    pub label_box: Rect,
}

/// Visible graph.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneGroup {
    /// Node scope.
    pub scope: String,
    /// Its node. `None` at the top.
    pub owner: Option<usize>,
    /// Branch, or empty.
    pub name: String,
    /// Bounds.
    pub area: Rect,
    /// Origin of its `layout`.
    pub origin: Point,
}

/// User settings outside the plan.
#[derive(Debug, Clone, Default)]
pub struct ViewOptions {
    /// Open groups, such as `fan` or `fan/a/inner`.
    pub expanded: HashSet<String>,
    /// Layout direction.
    pub direction: LayoutDirection,
    /// Keep nodes in order and near fixed ones.
    pub previous: HashMap<String, PreviousPosition>,
}

/// Values from the previous scene.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PreviousPosition {
    /// Position in the automatic layout.
    pub auto_position: Point,
    /// If it must stay.
    pub position: Option<Point>,
}

impl SceneNode {
    /// The note's first line.
    pub(crate) fn short_note(&self) -> Option<&str> {
        self.note.lines().next()
    }

    /// The second line of its card: the note follows if it has space.
    pub fn detail_line(&self) -> String {
        let has_space = |note: &&str| has_space_for_note(self.area.size.width, &self.subtitle, note);
        let note = self.short_note().filter(has_space);
        [self.subtitle.as_str(), note.map_or("", |_| " · "), note.unwrap_or_default()].concat()
    }

    /// Such as `fan/a/fetch`.
    pub fn node_path(&self) -> String {
        scoped_name(&self.scope, &self.key)
    }
}

impl Scene {
    /// Finds a node.
    pub fn node_at_path(&self, node_path: &str) -> Option<usize> {
        let (scope, key) = node_path.rsplit_once('/').unwrap_or(("", node_path));
        self.nodes.iter().position(|node| node.key == key && node.scope == scope)
    }
}

#[cfg(test)]
mod tests;

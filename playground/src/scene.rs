//! A plan as boxes and lines, each with its place: what the canvas draws, what the outline reads, what pointers hit.
//!
//! Decides how large nodes are, where they stand (where the file's `layout` says, else where the layered layout puts them), which graphs
//! inside nodes are shown, and along which curve an edge runs. Knows nothing of pixels on a screen.
//!
//! Files: `measure` how large a node is · `build` boxes and lines of a graph, and of those inside it · `positions` where nodes stand · `ports`
//! where edges leave and arrive · `ghosts` edges as they are drawn, and what stands for missing nodes · `route` the curve of an edge · `edge_labels` where conditions are written · `drag` what moves under a pointer.
//!
//! Invariants: 1. nodes of one graph come in its order, and a node before those inside it; 2. what stands inside a node lies within its
//! box; 3. linear in the plan, or all but.

mod build;
mod drag;
mod edge_labels;
mod ghosts;
mod measure;
mod ports;
mod positions;
mod route;

pub use build::build_scene;
pub use drag::Dragged;
pub(crate) use measure::{MAX_LABEL_LETTERS, letter_width};
pub use route::Curve;

use crate::geometry::{Point, Rect};
use std::collections::{HashMap, HashSet};
use stepgraph_core::diagnostic::Span;
use stepgraph_core::graph::scoped_name;

/// A drawing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// The nodes.
    pub nodes: Vec<SceneNode>,
    /// The edges.
    pub edges: Vec<SceneEdge>,
    /// The graphs that are shown: the plan's own first.
    pub groups: Vec<SceneGroup>,
    /// All of it.
    pub bounds: Rect,
}

/// A node in a drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneNode {
    /// The graph it stands in: empty for the plan's own, `fan/a` for branch `a` of node `fan`.
    pub scope: String,
    /// Its key in `nodes`.
    pub key: String,
    /// What it does.
    pub kind: String,
    /// What is written large: its title, or its key.
    pub title: String,
    /// What is written below: the key when there is a title, a tool, or the type.
    pub subtitle: String,
    /// Where it is.
    pub area: Rect,
    /// Where it stands in its own graph, as `layout` counts.
    pub position: Point,
    /// Where it would stand there if nobody had placed anything.
    pub auto_position: Point,
    /// Whether the graph begins here.
    pub is_start: bool,
    /// Whether the plan has no such node: an edge names it.
    pub is_ghost: bool,
    /// Whether it has graphs inside, and whether they are shown.
    pub is_expanded: Option<bool>,
    /// Whether a person has placed it.
    pub is_placed: bool,
    /// Where its key stands in the text.
    pub span: Span,
}

/// An edge in a drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneEdge {
    /// The graph it stands in.
    pub scope: String,
    /// Its position in `edges` of that graph.
    pub index: usize,
    /// The node it leaves, by position in the drawing.
    pub from: usize,
    /// The node it reaches, by position in the drawing.
    pub to: usize,
    /// Its condition; empty for none.
    pub label: String,
    /// Whether only a failure takes it.
    pub is_failure: bool,
    /// Whether one of its ends is not there, or its condition can't be read.
    pub is_broken: bool,
    /// Whether it closes a loop.
    pub is_back: bool,
    /// How it runs.
    pub curve: Curve,
    /// How far from the middle of a side it leaves and arrives.
    pub ports: (f64, f64),
    /// Where its condition is written, or would be: in its middle at first.
    pub label_box: Rect,
}

/// A graph inside a node.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneGroup {
    /// The scope of what stands in it.
    pub scope: String,
    /// The node that holds it, by position in the drawing; nothing for the plan's own graph.
    pub owner: Option<usize>,
    /// The name of the branch; empty for an only one.
    pub name: String,
    /// Where it is.
    pub area: Rect,
    /// Where in the drawing its own zero is, from which its `layout` counts.
    pub origin: Point,
}

/// What a person has chosen about a drawing, beyond what the file says.
#[derive(Debug, Clone, Default)]
pub struct ViewOptions {
    /// The nodes whose graphs are shown, by place: `fan`, `fan/a/inner`.
    pub expanded: HashSet<String>,
    /// Where nodes stood, so that they keep their order, and their place beside what a person has placed.
    pub previous: HashMap<String, PreviousPosition>,
}

/// Where a node stood when the plan was drawn last.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PreviousPosition {
    /// Where it would have stood if nobody had placed anything.
    pub auto_position: Point,
    /// Where it did, as long as that counts.
    pub position: Option<Point>,
}

impl SceneNode {
    /// Its place in the whole plan, by keys: `fan/a/fetch`.
    pub fn node_path(&self) -> String {
        scoped_name(&self.scope, &self.key)
    }
}

impl Scene {
    /// The node at a place of the plan.
    pub fn node_at_path(&self, node_path: &str) -> Option<usize> {
        let (scope, key) = node_path.rsplit_once('/').unwrap_or(("", node_path));
        self.nodes.iter().position(|node| node.key == key && node.scope == scope)
    }
}

#[cfg(test)]
mod tests;

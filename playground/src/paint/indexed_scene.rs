//! A scene with indexes and states, updated when it changes, not per frame.

use crate::appearance::NodeAppearance;
use crate::geometry::Rect;
use crate::plan_editor::PlanEditor;
use crate::run_overlay::{NodeStatus, RunOverlay};
use crate::scene::{SceneEdge, SceneNode};
use crate::spatial_index::SpatialIndex;
use crate::svg::truncate;
use std::collections::HashMap;
use stepgraph_core::diagnostic::Severity;

const TITLE_LETTER_WIDTH: f64 = 7.5;

/// Element state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ElementState {
    /// Taken edges are [`NodeStatus::Done`], others [`NodeStatus::Skipped`] or, with a failed condition,
    /// [`NodeStatus::Failed`].
    pub status: NodeStatus,
    /// Highest severity.
    pub problem: Option<Severity>,
    /// The status is a result of an earlier version of the plan.
    pub is_outdated: bool,
    /// User flags.
    pub flags: Flags,
}

/// User flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    /// Selected.
    pub is_selected: bool,
    /// Has a breakpoint.
    pub has_breakpoint: bool,
    /// Fixed output.
    pub is_pinned: bool,
}

/// An element of the scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// Node index.
    Node {
        /// Node index.
        number: usize,
        /// A part of it is meant that the scene does not show.
        is_hidden: bool,
    },
    /// Edge index.
    Edge(usize),
}

/// Scene with indexes.
#[derive(Debug, Default)]
pub struct IndexedScene {
    drawing: Option<u64>,
    /// Node bounds.
    pub node_index: SpatialIndex,
    /// Includes labels.
    pub edge_index: SpatialIndex,
    /// Indexed by node.
    pub appearances: Vec<NodeAppearance>,
    /// Truncated titles.
    pub titles: Vec<String>,
    node_numbers: HashMap<String, usize>,
    edge_numbers: HashMap<(String, usize), usize>,
    /// Indexed by node.
    pub node_states: Vec<ElementState>,
    /// Indexed by edge.
    pub edge_states: Vec<ElementState>,
}

impl IndexedScene {
    /// Returns true if the scene has changed.
    pub fn sync(&mut self, editor: &PlanEditor) -> bool {
        if self.drawing == Some(editor.scene_version()) {
            return false;
        }
        self.drawing = Some(editor.scene_version());
        let scene = editor.scene();
        (self.node_index, self.edge_index) = (SpatialIndex::default(), SpatialIndex::default());
        for (number, node) in scene.nodes.iter().enumerate() {
            self.node_index.insert(number, node.area);
        }
        for (number, scene_edge) in scene.edges.iter().enumerate() {
            self.edge_index.insert(number, edge_bounds(scene_edge));
        }
        self.appearances = scene.nodes.iter().map(|node| NodeAppearance::for_type(&node.kind)).collect();
        let space = |width: f64| ((width - 60.0) / TITLE_LETTER_WIDTH).max(4.0);
        let title = |node: &SceneNode| truncate(&node.title, space(node.area.size.width));
        self.titles = scene.nodes.iter().map(title).collect();
        self.node_numbers =
            scene.nodes.iter().enumerate().map(|(number, node)| (node.node_path(), number)).collect();
        let edge = |(number, scene_edge): (usize, &SceneEdge)| {
            ((scene_edge.scope.clone(), scene_edge.index), number)
        };
        self.edge_numbers = scene.edges.iter().enumerate().map(edge).collect();
        true
    }

    /// Whether it shows an earlier scene.
    pub fn is_outdated(&self, editor: &PlanEditor) -> bool {
        self.drawing.is_some_and(|drawing| drawing != editor.scene_version())
    }

    /// Updates dragged bounds.
    pub fn sync_drag(&mut self, editor: &PlanEditor) {
        let scene = editor.scene();
        let Some(dragged) = editor.dragged() else { return };
        for number in dragged.nodes() {
            if let Some(node) = scene.nodes.get(number) {
                self.node_index.insert(number, node.area);
            }
        }
        for number in dragged.edges() {
            if let Some(edge) = scene.edges.get(number) {
                self.edge_index.insert(number, edge_bounds(edge));
            }
        }
    }

    /// Recomputes states, without problems.
    pub fn update_states(&mut self, editor: &PlanEditor, overlay: &RunOverlay) {
        let scene = editor.scene();
        self.node_states = vec![ElementState::default(); scene.nodes.len()];
        self.edge_states = vec![ElementState::default(); scene.edges.len()];
        for node_path in editor.selection().nodes() {
            if let Some(element_state) = self.node_state_mut(node_path) {
                element_state.flags.is_selected = true;
            }
        }
        for (scope, edge) in editor.selection().edges() {
            if let Some(element_state) = self.edge_state_mut(scope, edge) {
                element_state.flags.is_selected = true;
            }
        }
        for (node_path, state) in &overlay.nodes {
            if let Some(element_state) = self.node_state_mut(node_path) {
                element_state.status = state.status;
                element_state.is_outdated = overlay.is_outdated && state.status.is_result();
                (element_state.flags.has_breakpoint, element_state.flags.is_pinned) =
                    (state.has_breakpoint, state.is_pinned);
            }
        }
        for ((scope, edge), status) in &overlay.edges {
            if let Some(element_state) = self.edge_state_mut(scope, *edge) {
                element_state.status = *status;
                element_state.is_outdated = overlay.is_outdated;
            }
        }
    }

    /// Adds problems to the states.
    pub fn update_problems(&mut self, editor: &PlanEditor) {
        for (path, problems) in editor.problems() {
            let worst = problems.first().map(|problem| problem.severity);
            let element_state = match self.element_of(&path) {
                Some(Element::Node { number, .. }) => self.node_states.get_mut(number),
                Some(Element::Edge(number)) => self.edge_states.get_mut(number),
                None => None,
            };
            if let Some(element_state) = element_state {
                // The most severe is the first in order, and nothing the last.
                element_state.problem = [element_state.problem, worst].into_iter().flatten().min();
            }
        }
    }

    /// The element that shows the problems of a path, as in [`PlanEditor::problems`]. A collapsed group shows those of
    /// its nodes and edges.
    pub fn element_of(&self, path: &str) -> Option<Element> {
        let edge = path.rsplit_once('#').and_then(|(scope, edge)| Some((scope, edge.parse().ok()?)));
        let mut node_path = match edge {
            Some((scope, edge)) => {
                let scope = scope.trim_end_matches('/');
                if let Some(number) = self.edge_number(scope, edge) {
                    return Some(Element::Edge(number));
                }
                scope
            }
            None => path,
        };
        let mut is_hidden = edge.is_some();
        loop {
            if let Some(number) = self.node_number(node_path) {
                return Some(Element::Node { number, is_hidden });
            }
            is_hidden = true;
            node_path = node_path.rsplit_once('/')?.0;
        }
    }

    /// Node index.
    pub fn node_number(&self, node_path: &str) -> Option<usize> {
        self.node_numbers.get(node_path).copied()
    }

    /// Edge index.
    pub fn edge_number(&self, scope: &str, edge: usize) -> Option<usize> {
        self.edge_numbers.get(&(scope.to_owned(), edge)).copied()
    }

    /// Node state.
    pub fn node_state(&self, number: usize) -> ElementState {
        self.node_states.get(number).copied().unwrap_or_default()
    }

    /// Edge state.
    pub fn edge_state(&self, number: usize) -> ElementState {
        self.edge_states.get(number).copied().unwrap_or_default()
    }

    fn node_state_mut(&mut self, node_path: &str) -> Option<&mut ElementState> {
        let number = self.node_number(node_path)?;
        self.node_states.get_mut(number)
    }

    fn edge_state_mut(&mut self, scope: &str, edge: usize) -> Option<&mut ElementState> {
        let number = self.edge_number(scope, edge)?;
        self.edge_states.get_mut(number)
    }
}

fn edge_bounds(edge: &SceneEdge) -> Rect {
    edge.curve.bounds().union(&edge.label_box)
}

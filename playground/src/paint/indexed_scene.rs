//! What is known of a drawing as a whole, worked out when it changes and not for every frame.
//!
//! Decides how each node and each edge fares: selected, wrong, running. All of it is looked up by position while painting.

use crate::appearance::NodeAppearance;
use crate::geometry::Rect;
use crate::plan_editor::PlanEditor;
use crate::run_overlay::{NodeStatus, RunOverlay};
use crate::scene::{SceneEdge, SceneNode};
use crate::spatial_index::SpatialIndex;
use crate::svg::cut;
use std::collections::HashMap;
use stepgraph_core::diagnostic::Severity;

/// How wide a letter of a painted title is.
const LETTER: f64 = 7.5;

/// What a run and the checker say of a node or an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ElementState {
    /// How a run fares there; of an edge, [`NodeStatus::Done`] when it was taken and [`NodeStatus::Skipped`] when it was not.
    pub mark: NodeStatus,
    /// The worst problem.
    pub problem: Option<Severity>,
    /// What a person has done there.
    pub flags: Flags,
}

/// What a person has done to a node or an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    /// It is selected.
    pub is_chosen: bool,
    /// A run stops before it.
    pub has_breakpoint: bool,
    /// Its output is given.
    pub is_pinned: bool,
}

/// A drawing with its indexes.
#[derive(Debug, Default)]
pub struct IndexedScene {
    /// The drawing's number, as the session counts.
    drawing: Option<u64>,
    /// Nodes by where they are.
    pub nodes: SpatialIndex,
    /// Edges by where they and their conditions are.
    pub lines: SpatialIndex,
    /// What each node looks like.
    pub looks: Vec<NodeAppearance>,
    /// Their titles, as far as there is room for them.
    pub titles: Vec<String>,
    /// Nodes by place.
    places: HashMap<String, usize>,
    /// Edges by scope and position.
    edges: HashMap<(String, usize), usize>,
    /// How nodes fare.
    pub node_fares: Vec<ElementState>,
    /// How edges fare.
    pub line_fares: Vec<ElementState>,
}

impl IndexedScene {
    /// Follows the drawing; gives whether it is another one than before.
    pub fn follow(&mut self, session: &PlanEditor) -> bool {
        if self.drawing == Some(session.drawings()) {
            return false;
        }
        self.drawing = Some(session.drawings());
        let scene = session.scene();
        (self.nodes, self.lines) = (SpatialIndex::default(), SpatialIndex::default());
        for (number, node) in scene.nodes.iter().enumerate() {
            self.nodes.put(number, node.area);
        }
        for (number, line) in scene.edges.iter().enumerate() {
            self.lines.put(number, reach(line));
        }
        self.looks = scene.nodes.iter().map(|node| NodeAppearance::of(&node.kind)).collect();
        let room = |width: f64| ((width - 60.0) / LETTER).max(4.0);
        let title = |node: &SceneNode| cut(&node.title, room(node.area.size.width));
        self.titles = scene.nodes.iter().map(title).collect();
        self.places = scene.nodes.iter().enumerate().map(|(number, node)| (node.place(), number)).collect();
        let edge = |(number, line): (usize, &SceneEdge)| ((line.scope.clone(), line.index), number);
        self.edges = scene.edges.iter().enumerate().map(edge).collect();
        true
    }

    /// What was dragged is elsewhere now.
    pub fn follow_drag(&mut self, session: &PlanEditor) {
        let scene = session.scene();
        let Some(dragged) = session.dragged() else { return };
        for number in dragged.nodes() {
            if let Some(node) = scene.nodes.get(number) {
                self.nodes.put(number, node.area);
            }
        }
        for number in dragged.edges() {
            if let Some(line) = scene.edges.get(number) {
                self.lines.put(number, reach(line));
            }
        }
    }

    /// Finds out how everything fares.
    pub fn judge(&mut self, session: &PlanEditor, marks: &RunOverlay) {
        let scene = session.scene();
        self.node_fares = vec![ElementState::default(); scene.nodes.len()];
        self.line_fares = vec![ElementState::default(); scene.edges.len()];
        for place in session.selection().nodes() {
            if let Some(fare) = self.node_fare(place) {
                fare.flags.is_chosen = true;
            }
        }
        for (scope, edge) in session.selection().edges() {
            if let Some(fare) = self.line_fare(scope, edge) {
                fare.flags.is_chosen = true;
            }
        }
        for (place, mark) in &marks.nodes {
            if let Some(fare) = self.node_fare(place) {
                fare.mark = mark.mark;
                (fare.flags.has_breakpoint, fare.flags.is_pinned) = (mark.breakpoint, mark.pinned);
            }
        }
        for ((scope, edge), was_taken) in &marks.edges {
            if let Some(fare) = self.line_fare(scope, *edge) {
                fare.mark = if *was_taken { NodeStatus::Done } else { NodeStatus::Skipped };
            }
        }
        for (place, problems) in session.problems() {
            let worst = problems.first().map(|problem| problem.severity);
            let edge = place.rsplit_once('#').and_then(|(scope, edge)| Some((scope, edge.parse().ok()?)));
            let fare = match edge {
                Some((scope, edge)) => self.line_fare(scope.trim_end_matches('/'), edge),
                None => self.node_fare(&place),
            };
            if let Some(fare) = fare {
                fare.problem = worst;
            }
        }
    }

    /// The position of a node.
    pub fn node(&self, place: &str) -> Option<usize> {
        self.places.get(place).copied()
    }

    /// The position of an edge.
    pub fn line(&self, scope: &str, edge: usize) -> Option<usize> {
        self.edges.get(&(scope.to_owned(), edge)).copied()
    }

    /// How a node fares, by position.
    pub fn node_at(&self, number: usize) -> ElementState {
        self.node_fares.get(number).copied().unwrap_or_default()
    }

    /// How an edge fares, by position.
    pub fn line_at(&self, number: usize) -> ElementState {
        self.line_fares.get(number).copied().unwrap_or_default()
    }

    fn node_fare(&mut self, place: &str) -> Option<&mut ElementState> {
        let number = self.node(place)?;
        self.node_fares.get_mut(number)
    }

    fn line_fare(&mut self, scope: &str, edge: usize) -> Option<&mut ElementState> {
        let number = self.line(scope, edge)?;
        self.line_fares.get_mut(number)
    }
}

/// All that is drawn of an edge.
fn reach(line: &SceneEdge) -> Rect {
    line.curve.bounds().with(&line.tag)
}

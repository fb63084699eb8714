//! Visible elements. Zoom decides the detail, states the colours.

use super::indexed_scene::{ElementState, IndexedScene};
use crate::appearance::NodeAppearance;
use crate::geometry::{Rect, Size};
use crate::run_overlay::NodeStatus;
use crate::scene::Scene;
use crate::viewport::Viewport;
use stepgraph_core::diagnostic::Severity;

const MIN_CARD_ZOOM: f64 = 0.6;
const SMALL_PLAN_NODES: usize = 150;
const MIN_CARD_ZOOM_SMALL: f64 = 0.2;
const MIN_TITLE_ZOOM: f64 = 0.35;
const MIN_CURVE_ZOOM: f64 = 0.25;
/// So elements exist before they scroll in.
const MARGIN: f64 = 64.0;

/// Detail of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum LevelOfDetail {
    /// Boxes in type colours.
    #[default]
    Boxes,
    /// Boxes with titles.
    Titles,
    /// DOM elements.
    Cards,
}

impl LevelOfDetail {
    /// Depends on zoom and node count.
    pub fn for_zoom(zoom: f64, nodes: usize) -> Self {
        if zoom >= MIN_CARD_ZOOM || nodes <= SMALL_PLAN_NODES && zoom >= MIN_CARD_ZOOM_SMALL {
            Self::Cards
        } else if zoom >= MIN_TITLE_ZOOM {
            Self::Titles
        } else {
            Self::Boxes
        }
    }
}

/// Edge style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeStyle {
    /// Not taken.
    NotTaken,
    /// No state.
    Plain,
    /// Failure edge.
    Failure,
    /// Taken by an earlier version of the plan.
    TakenEarlier,
    /// Taken edge.
    Taken,
    /// Has a warning, such as that it is never taken.
    Suspect,
    /// Has an error.
    Invalid,
    /// Selected or hovered.
    Selected,
}

impl EdgeStyle {
    /// In paint order.
    pub const ALL: [Self; 8] = [
        Self::NotTaken,
        Self::Plain,
        Self::Failure,
        Self::TakenEarlier,
        Self::Taken,
        Self::Suspect,
        Self::Invalid,
        Self::Selected,
    ];

    fn from_state(state: ElementState, is_failure: bool, is_near: bool) -> Self {
        match state {
            state if state.flags.is_selected || is_near => Self::Selected,
            ElementState { is_outdated: true, problem, status, .. } if !is_error(problem) => {
                if status == NodeStatus::Done { Self::TakenEarlier } else { Self::NotTaken }
            }
            ElementState { status: NodeStatus::Done, .. } => Self::Taken,
            ElementState { status: NodeStatus::Failed, .. } => Self::Invalid,
            ElementState { problem, .. } if is_error(problem) => Self::Invalid,
            ElementState { problem: Some(Severity::Warning), .. } => Self::Suspect,
            ElementState { status: NodeStatus::Skipped, .. } => Self::NotTaken,
            _ if is_failure => Self::Failure,
            _ => Self::Plain,
        }
    }
}

fn is_error(problem: Option<Severity>) -> bool {
    problem == Some(Severity::Error)
}

/// Scene indexes to paint.
#[derive(Debug, Default)]
pub struct DisplayList {
    /// Node detail.
    pub level_of_detail: LevelOfDetail,
    /// Draws curves and arrowheads.
    pub has_curves: bool,
    /// Outer before inner.
    pub groups: Vec<usize>,
    /// In the order of [`EdgeStyle::ALL`].
    pub edges_by_style: [Vec<usize>; 8],
    /// Grouped by appearance.
    pub boxes: Vec<(NodeAppearance, Vec<usize>)>,
    /// DOM nodes in scene order.
    pub cards: Vec<usize>,
    /// Edges with a DOM label, or a place for one.
    pub edge_labels: Vec<usize>,
    nodes: Vec<usize>,
    lines: Vec<usize>,
}

impl DisplayList {
    /// Computes the lists. The focused `always_card` stays in the DOM even outside.
    pub fn compose(
        &mut self,
        scene: &Scene,
        indexed: &IndexedScene,
        (view, screen): (&Viewport, Size),
        always_card: Option<usize>,
        hovered: Option<usize>,
    ) {
        let visible = view.visible_area(screen);
        self.compose_part(scene, indexed, (view.zoom, visible), always_card, hovered);
        let visible = visible.expanded(MARGIN / view.zoom);
        self.edge_labels.clear();
        if self.level_of_detail == LevelOfDetail::Cards {
            let is_seen =
                |line: &usize| scene.edges.get(*line).is_some_and(|edge| edge.label_box.intersects(&visible));
            self.edge_labels.extend(self.lines.iter().copied().filter(is_seen));
        }
    }

    /// Only an area.
    pub fn compose_part(
        &mut self,
        scene: &Scene,
        indexed: &IndexedScene,
        (zoom, area): (f64, Rect),
        always_card: Option<usize>,
        hovered: Option<usize>,
    ) {
        let area = area.expanded(MARGIN / zoom);
        self.level_of_detail = LevelOfDetail::for_zoom(zoom, scene.nodes.len());
        self.has_curves = zoom >= MIN_CURVE_ZOOM;
        indexed.node_index.intersecting_into(&area, &mut self.nodes);
        indexed.edge_index.intersecting_into(&area, &mut self.lines);
        self.sort_edges(scene, indexed, hovered);
        self.sort_nodes(scene, indexed, always_card);
    }

    fn sort_edges(&mut self, scene: &Scene, indexed: &IndexedScene, hovered: Option<usize>) {
        self.edges_by_style.iter_mut().for_each(Vec::clear);
        for number in &self.lines {
            let is_failure = scene.edges.get(*number).is_some_and(|edge| edge.is_failure);
            let style =
                EdgeStyle::from_state(indexed.edge_state(*number), is_failure, hovered == Some(*number));
            if let Some(list) = self.edges_by_style.get_mut(style as usize) {
                list.push(*number);
            }
        }
    }

    fn sort_nodes(&mut self, scene: &Scene, indexed: &IndexedScene, always_card: Option<usize>) {
        self.groups.clear();
        self.cards.clear();
        self.boxes.iter_mut().for_each(|(_, list)| list.clear());
        for number in &self.nodes {
            let is_open = scene.nodes.get(*number).is_some_and(|node| node.is_expanded == Some(true));
            if is_open {
                self.groups.push(*number);
            }
            if self.level_of_detail == LevelOfDetail::Cards {
                self.cards.push(*number);
            } else if !is_open {
                let appearance = indexed.appearances.get(*number).copied().unwrap_or(NodeAppearance::Group);
                match self.boxes.iter_mut().find(|(known, _)| *known == appearance) {
                    Some((_, list)) => list.push(*number),
                    None => self.boxes.push((appearance, vec![*number])),
                }
            }
        }
        if let Some(kept) = always_card
            && let Err(at) = self.cards.binary_search(&kept)
        {
            self.cards.insert(at, kept);
        }
    }

    /// Visible nodes.
    pub fn visible_nodes(&self) -> &[usize] {
        &self.nodes
    }
}

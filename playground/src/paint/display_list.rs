//! What is seen of a drawing now.
//!
//! Decides the detail by the zoom, and the ink of everything by how it fares.

use super::indexed_scene::{ElementState, IndexedScene};
use crate::appearance::NodeAppearance;
use crate::geometry::{Rect, Size};
use crate::run_overlay::NodeStatus;
use crate::scene::Scene;
use crate::viewport::Viewport;

/// From this zoom on, nodes are elements; of small plans they always are.
const MIN_CARD_ZOOM: f64 = 0.6;
const SMALL_PLAN_NODES: usize = 150;
const MIN_CARD_ZOOM_SMALL: f64 = 0.2;
/// From this zoom on, boxes have titles.
const MIN_TITLE_ZOOM: f64 = 0.35;
/// From this zoom on, edges are curves and have heads.
const MIN_CURVE_ZOOM: f64 = 0.25;
/// How far beyond the border things are kept, so that they are there when they come in.
const MARGIN: f64 = 64.0;

/// How much of a node is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum LevelOfDetail {
    /// A box in the colour of its kind.
    #[default]
    Boxes,
    /// A box with its title.
    Titles,
    /// An element of the page.
    Cards,
}

impl LevelOfDetail {
    /// That of a zoom, in a drawing with so many nodes.
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

/// The ink of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeStyle {
    /// A run has passed it by.
    NotTaken,
    /// As any.
    Plain,
    /// Failures take it.
    Failure,
    /// A run has taken it.
    Taken,
    /// It is wrong.
    Invalid,
    /// It is selected, or under the pointer.
    Selected,
}

impl EdgeStyle {
    /// All of them, those below first.
    pub const ALL: [Self; 6] =
        [Self::NotTaken, Self::Plain, Self::Failure, Self::Taken, Self::Invalid, Self::Selected];

    fn from_state(state: ElementState, is_failure: bool, is_near: bool) -> Self {
        match state {
            state if state.flags.is_selected || is_near => Self::Selected,
            ElementState { status: NodeStatus::Done, .. } => Self::Taken,
            ElementState { problem: Some(stepgraph_core::diagnostic::Severity::Error), .. } => Self::Invalid,
            ElementState { status: NodeStatus::Skipped, .. } => Self::NotTaken,
            _ if is_failure => Self::Failure,
            _ => Self::Plain,
        }
    }
}

/// What is painted, by positions in the drawing.
#[derive(Debug, Default)]
pub struct DisplayList {
    /// How much of each node.
    pub level_of_detail: LevelOfDetail,
    /// Whether edges are curves with heads.
    pub has_curves: bool,
    /// Graphs that are shown inside nodes, the outer before the inner.
    pub groups: Vec<usize>,
    /// Edges by ink, as in [`EdgeStyle::ALL`].
    pub edges_by_style: [Vec<usize>; 6],
    /// Boxes, those of one look after each other.
    pub boxes: Vec<(NodeAppearance, Vec<usize>)>,
    /// Nodes that are elements, in the order of the drawing.
    pub cards: Vec<usize>,
    /// Edges whose conditions, or the places for them, are elements.
    pub edge_labels: Vec<usize>,
    nodes: Vec<usize>,
    lines: Vec<usize>,
}

impl DisplayList {
    /// Finds out what is seen. `kept` are nodes that are elements wherever they are: what has the focus must not vanish.
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

    /// Finds out what has to be painted in a part of the drawing, at a zoom.
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

    /// The nodes that are seen.
    pub fn visible_nodes(&self) -> &[usize] {
        &self.nodes
    }
}

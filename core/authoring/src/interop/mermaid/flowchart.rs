//! A flowchart as its text says it: nodes, arrows, frames, and where each stands.
//!
//! Decides nothing about plans.

use std::collections::{HashMap, HashSet};
use stepgraph_core::diagnostic::Span;

/// A flowchart.
#[derive(Debug, Default)]
pub(super) struct Flowchart {
    /// What it calls itself, in its front matter or for screen readers.
    pub(super) title: Option<String>,
    /// What a drawing of ours says of its plan; nothing in any other.
    pub(super) own_record: Option<String>,
    pub(super) nodes: Vec<FlowNode>,
    pub(super) edges: Vec<FlowEdge>,
    pub(super) subgraphs: Vec<FlowSubgraph>,
    /// The ids of arrows that have one.
    pub(super) edge_ids: HashSet<String>,
    node_indexes: HashMap<String, usize>,
    subgraph_indexes: HashMap<String, usize>,
}

/// A node.
#[derive(Debug)]
pub(super) struct FlowNode {
    pub(super) id: String,
    /// Where it is named first.
    pub(super) span: Span,
    /// What stands in it, line by line; none where it is its id.
    pub(super) label: Option<Vec<String>>,
    pub(super) shape: Shape,
    /// The frame it stands in.
    pub(super) subgraph: Option<usize>,
    pub(super) record: Option<String>,
}

/// The shapes that mean something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Shape {
    /// Whatever else there is.
    #[default]
    Any,
    /// Where the path parts.
    Diamond,
}

/// An arrow from one id to another.
#[derive(Debug)]
pub(super) struct FlowEdge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) span: Span,
    pub(super) label: Option<String>,
    pub(super) record: Option<String>,
}

/// A frame around nodes.
#[derive(Debug)]
pub(super) struct FlowSubgraph {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) span: Span,
    pub(super) parent: Option<usize>,
    /// How many frames are around it.
    pub(super) depth: usize,
    pub(super) record: Option<String>,
}

impl Flowchart {
    /// The number of an id, a new one where it is named first.
    pub(super) fn node(&mut self, id: &str, span: Span) -> usize {
        if let Some(known) = self.node_indexes.get(id) {
            return *known;
        }
        let number = self.nodes.len();
        self.node_indexes.insert(id.to_owned(), number);
        let id = id.to_owned();
        self.nodes.push(FlowNode { id, span, label: None, shape: Shape::Any, subgraph: None, record: None });
        number
    }

    /// Opens a frame.
    pub(super) fn add_subgraph(
        &mut self,
        id: String,
        title: String,
        span: Span,
        parent: Option<usize>,
    ) -> usize {
        let number = self.subgraphs.len();
        let depth = parent.and_then(|parent| self.subgraphs.get(parent)).map_or(0, |parent| parent.depth + 1);
        self.subgraph_indexes.entry(id.clone()).or_insert(number);
        self.subgraphs.push(FlowSubgraph { id, title, span, parent, depth, record: None });
        number
    }

    /// The frame of an id.
    pub(super) fn subgraph_of(&self, id: &str) -> Option<usize> {
        self.subgraph_indexes.get(id).copied()
    }
}

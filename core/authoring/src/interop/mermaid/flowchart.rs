//! A flowchart's syntax tree.

use std::collections::{HashMap, HashSet};
use stepgraph_core::diagnostic::Span;

#[derive(Debug, Default)]
pub(super) struct Flowchart {
    pub(super) title: Option<String>,
    pub(super) own_record: Option<String>,
    pub(super) nodes: Vec<FlowNode>,
    pub(super) edges: Vec<FlowEdge>,
    pub(super) subgraphs: Vec<FlowSubgraph>,
    pub(super) edge_ids: HashSet<String>,
    node_indexes: HashMap<String, usize>,
    subgraph_indexes: HashMap<String, usize>,
}

#[derive(Debug)]
pub(super) struct FlowNode {
    pub(super) id: String,
    pub(super) span: Span,
    /// `None` if the id is the label.
    pub(super) label: Option<Vec<String>>,
    pub(super) shape: Shape,
    pub(super) subgraph: Option<usize>,
    pub(super) record: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Shape {
    #[default]
    Any,
    Diamond,
}

#[derive(Debug)]
pub(super) struct FlowEdge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) span: Span,
    pub(super) label: Option<String>,
    pub(super) record: Option<String>,
}

#[derive(Debug)]
pub(super) struct FlowSubgraph {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) span: Span,
    pub(super) parent: Option<usize>,
    pub(super) depth: usize,
    pub(super) record: Option<String>,
}

impl Flowchart {
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

    pub(super) fn subgraph_of(&self, id: &str) -> Option<usize> {
        self.subgraph_indexes.get(id).copied()
    }
}

//! Converts a plan to diagram elements, independent of the output format.
//!
//! A node with nested graphs is a subgraph with entry and exit markers for its edges.
//!
//! Invariants:
//! 1. Ids depend only on positions.
//! 2. Linear in the plan. The parser limits the depth of recursion.
//! 3. Every node and every edge of the plan appears exactly once.

use super::node_label;
use stepgraph_core::expression::Condition;
use stepgraph_core::graph::{Edge, Graph, Node, PlanGraph, is_failure_condition};
use stepgraph_core::kind;

#[derive(Debug)]
pub(super) enum DiagramItem {
    OpenSubgraph(Subgraph),
    CloseSubgraph,
    Node(DiagramNode),
    Marker(String, GraphMarker),
    Edge(DiagramEdge),
}

#[derive(Debug)]
pub(super) struct Subgraph {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) is_branch: bool,
    pub(super) is_unreachable: bool,
    pub(super) record: Option<String>,
}

#[derive(Debug)]
pub(super) struct DiagramNode {
    pub(super) id: String,
    pub(super) style: NodeStyle,
    pub(super) lines: Vec<String>,
    pub(super) is_unreachable: bool,
    pub(super) record: Option<String>,
}

#[derive(Debug)]
pub(super) struct DiagramEdge {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) style: EdgeStyle,
    pub(super) is_back: bool,
    pub(super) label: Option<String>,
    pub(super) record: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GraphMarker {
    Start,
    End,
    Entry,
    Exit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EdgeStyle {
    Normal,
    Failure,
    /// It is no edge of the plan.
    Marker,
    /// Taken if no condition holds.
    MayEnd,
}

/// A node's style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeStyle {
    /// Calls a tool.
    Tool,
    /// Calls a model.
    Model,
    /// Branches.
    Decision,
    /// Passes its input on.
    Pass,
    /// Logs a value.
    Log,
    /// Computes values.
    Set,
    /// It waits.
    Wait,
    /// Requests approval.
    Approval,
    /// The host handles it.
    Other,
}

impl NodeStyle {
    /// A type's style.
    pub fn for_type(kind: &str) -> Self {
        match kind::resolve_alias(kind) {
            "tool" | "gather" | "execute_tools" => Self::Tool,
            "llm" | "agent" | "plan" | "react" => Self::Model,
            "decision" => Self::Decision,
            "noop" => Self::Pass,
            "log" => Self::Log,
            "set" => Self::Set,
            "wait" => Self::Wait,
            "approve" => Self::Approval,
            kind if kind::Stage::of(kind).is_some() => Self::Model,
            _ => Self::Other,
        }
    }

    /// Also a class in diagrams.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Model => "model",
            Self::Decision => "decision",
            Self::Pass => "pass",
            Self::Log => "log",
            Self::Set => "set",
            Self::Wait => "wait",
            Self::Approval => "ask",
            Self::Other => "other",
        }
    }
}

pub(super) fn items(plan: &PlanGraph) -> Vec<DiagramItem> {
    let mut walk = DiagramBuilder { items: Vec::new(), edges: Vec::new(), count: 0 };
    let ends = MarkerIds { first: "start".to_owned(), last: "finish".to_owned() };
    let has_end = (0..plan.root.nodes.len()).any(|at| end_style(&plan.root, at).is_some());
    walk.items.push(DiagramItem::Marker(ends.first.clone(), GraphMarker::Start));
    walk.add_graph(&plan.root, &ends);
    if has_end {
        walk.items.push(DiagramItem::Marker(ends.last, GraphMarker::End));
    }
    walk.items.append(&mut walk.edges);
    walk.items
}

struct MarkerIds {
    first: String,
    last: String,
}

struct DiagramBuilder {
    items: Vec<DiagramItem>,
    /// Mermaid adds every node that an edge names inside a subgraph to that subgraph.
    edges: Vec<DiagramItem>,
    count: usize,
}

impl DiagramBuilder {
    fn add_graph(&mut self, graph: &Graph, ends: &MarkerIds) {
        let traversal = GraphTraversal::new(graph);
        let ports: Vec<(String, String)> = graph
            .nodes
            .iter()
            .enumerate()
            .map(|(at, node)| self.add_node(node, !traversal.is_reached(at)))
            .collect();
        let entry = |at: usize| ports.get(at).map(|(way_in, _)| way_in.clone());
        let exit = |at: usize| ports.get(at).map(|(_, way_out)| way_out.clone());
        if let Some(to) = graph.start.and_then(entry) {
            self.add_marker_edge(ends.first.clone(), to, EdgeStyle::Marker);
        }
        for at in 0..graph.nodes.len() {
            let several = graph.outgoing.get(at).is_some_and(|edges| edges.len() > 1);
            for edge in graph.edges_from(at) {
                if let (Some(from), Some(to)) = (exit(at), entry(edge.target)) {
                    self.edges.push(DiagramItem::Edge(diagram_edge(
                        edge,
                        from,
                        to,
                        several,
                        traversal.is_back(edge),
                    )));
                }
            }
            if let (Some(from), Some(style)) = (exit(at), end_style(graph, at)) {
                self.add_marker_edge(from, ends.last.clone(), style);
            }
        }
    }

    fn add_marker_edge(&mut self, from: String, to: String, style: EdgeStyle) {
        self.edges.push(DiagramItem::Edge(DiagramEdge {
            from,
            to,
            style,
            is_back: false,
            label: None,
            record: None,
        }));
    }

    /// Returns the ends for incoming and outgoing edges.
    fn add_node(&mut self, node: &Node, is_lost: bool) -> (String, String) {
        let id = format!("n{}", self.count);
        self.count += 1;
        let closed = node.closed_file();
        if node.nested.is_empty() || closed.is_some() {
            let mut lines = node_label::lines(node);
            let record = node_label::record(node, &node_label::parse(&lines));
            lines.extend(closed.map(node_label::shorten_name));
            self.items.push(DiagramItem::Node(DiagramNode {
                id: id.clone(),
                style: NodeStyle::for_type(&node.kind),
                lines,
                is_unreachable: is_lost,
                record,
            }));
            return (id.clone(), id);
        }
        let ends = MarkerIds { first: format!("{id}_in"), last: format!("{id}_out") };
        let title = node_label::title(node);
        let record = node_label::record(node, &node_label::parse_title(&title));
        self.items.push(DiagramItem::OpenSubgraph(Subgraph {
            id: id.clone(),
            title,
            is_branch: false,
            is_unreachable: is_lost,
            record,
        }));
        self.items.push(DiagramItem::Marker(ends.first.clone(), GraphMarker::Entry));
        for (branch, nested) in node.nested.iter().enumerate() {
            let is_branch = nested.key == "branches";
            let framed = is_branch || node.nested.len() > 1;
            if framed {
                let title = node_label::shorten_name(&nested.name);
                let record = if is_branch {
                    (title != nested.name).then(|| node_label::single_field("branch", &nested.name))
                } else {
                    Some(node_label::single_field("holder", nested.key))
                };
                let id = format!("{id}_{branch}");
                self.items.push(DiagramItem::OpenSubgraph(Subgraph {
                    id,
                    title,
                    is_branch: true,
                    is_unreachable: false,
                    record,
                }));
            }
            self.add_graph(&nested.graph, &ends);
            if framed {
                self.items.push(DiagramItem::CloseSubgraph);
            }
        }
        self.items.push(DiagramItem::Marker(ends.last.clone(), GraphMarker::Exit));
        self.items.push(DiagramItem::CloseSubgraph);
        (ends.first, ends.last)
    }
}

fn diagram_edge(edge: &Edge, from: String, to: String, several: bool, is_back: bool) -> DiagramEdge {
    let written = edge.condition_text.trim();
    let label = match (&edge.condition, written) {
        (Condition::Fallback, "") => several.then(|| "else".to_owned()),
        _ => Some(node_label::shorten_condition(written)),
    };
    let told = label.as_deref().is_none_or(|label| label == written || written.is_empty());
    let record = (!told).then(|| node_label::single_field("condition", &edge.condition_text));
    let style = if edge.condition.references_error() { EdgeStyle::Failure } else { EdgeStyle::Normal };
    DiagramEdge { from, to, style, is_back, label, record }
}

/// `None` if a fallback edge always continues.
fn end_style(graph: &Graph, at: usize) -> Option<EdgeStyle> {
    let mut some = false;
    for edge in graph.edges_from(at) {
        match &edge.condition {
            Condition::Fallback => return None,
            condition => some |= !is_failure_condition(condition),
        }
    }
    Some(if some { EdgeStyle::MayEnd } else { EdgeStyle::Marker })
}

struct GraphTraversal {
    reached: Vec<bool>,
    back: Vec<bool>,
}

impl GraphTraversal {
    fn new(graph: &Graph) -> Self {
        let mut search = DepthFirstSearch {
            graph,
            visited: vec![false; graph.nodes.len()],
            on_path: vec![false; graph.nodes.len()],
            back: vec![false; graph.edges.len()],
        };
        if let Some(start) = graph.start {
            search.search_from(start);
        }
        let reached = search.visited.clone();
        for node in 0..graph.nodes.len() {
            search.search_from(node);
        }
        Self { reached, back: search.back }
    }

    fn is_reached(&self, node: usize) -> bool {
        is_set(&self.reached, node)
    }

    fn is_back(&self, edge: &Edge) -> bool {
        is_set(&self.back, edge.index)
    }
}

struct DepthFirstSearch<'a> {
    graph: &'a Graph,
    visited: Vec<bool>,
    on_path: Vec<bool>,
    back: Vec<bool>,
}

impl DepthFirstSearch<'_> {
    fn search_from(&mut self, start: usize) {
        let mut stack = Vec::new();
        if !is_set(&self.visited, start) {
            self.enter(start, &mut stack);
        }
        while let Some((node, next)) = stack.last_mut() {
            let edges = self.graph.outgoing.get(*node).map(Vec::as_slice).unwrap_or_default();
            let edge = edges.get(*next).and_then(|at| Some((*at, self.graph.edges.get(*at)?.target)));
            *next += 1;
            match edge {
                None => {
                    set(&mut self.on_path, *node, false);
                    stack.pop();
                }
                Some((edge, target)) if is_set(&self.on_path, target) => set(&mut self.back, edge, true),
                Some((_, target)) if is_set(&self.visited, target) => {}
                Some((_, target)) => self.enter(target, &mut stack),
            }
        }
    }

    fn enter(&mut self, node: usize, stack: &mut Vec<(usize, usize)>) {
        set(&mut self.visited, node, true);
        set(&mut self.on_path, node, true);
        stack.push((node, 0));
    }
}

fn set(list: &mut [bool], at: usize, value: bool) {
    if let Some(entry) = list.get_mut(at) {
        *entry = value;
    }
}

fn is_set(list: &[bool], at: usize) -> bool {
    list.get(at) == Some(&true)
}

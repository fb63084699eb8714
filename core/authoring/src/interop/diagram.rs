//! A plan as a list of what is drawn, in the order in which it is written down: frames, nodes, marks, arrows.
//!
//! Decides what a drawing shows: a node that runs graphs is a frame with a way in and a way out, to which all edges of the node lead;
//! every graph has a mark where it begins and one where it ends; edges that close a loop and edges that failures take are told apart.
//! Does not know how any of it is spelt.
//!
//! Invariants:
//! 1. ids are made here and depend on nothing but positions;
//! 2. linear in the plan; recursion only into graphs inside nodes, which the reader bounds;
//! 3. every node and every edge of the plan is in the list exactly once.

use super::node_label;
use stepgraph_core::expr::Condition;
use stepgraph_core::graph::{Edge, Graph, Node, PlanGraph, waits_for_failure};
use stepgraph_core::kind;

/// One thing in a drawing.
#[derive(Debug)]
pub(super) enum DiagramItem {
    /// What follows stands in a frame, until it is closed.
    OpenSubgraph(Subgraph),
    /// The end of the last frame that was opened.
    CloseSubgraph,
    /// A node.
    Node(DiagramNode),
    /// Where a graph begins or ends: id and which.
    Marker(String, GraphMarker),
    /// An arrow between two ids.
    Edge(DiagramEdge),
}

/// A frame around a graph.
#[derive(Debug)]
pub(super) struct Subgraph {
    pub(super) id: String,
    /// What stands above it.
    pub(super) title: String,
    /// Whether it is one of several graphs of a node, and not a node.
    pub(super) is_branch: bool,
    /// Whether no run can reach it.
    pub(super) is_unreachable: bool,
    /// What the title does not say.
    pub(super) record: Option<String>,
}

/// A node without graphs inside.
#[derive(Debug)]
pub(super) struct DiagramNode {
    pub(super) id: String,
    pub(super) style: NodeStyle,
    /// What stands in it: its name, and what it does where the name does not say so.
    pub(super) lines: Vec<String>,
    pub(super) is_unreachable: bool,
    pub(super) record: Option<String>,
}

/// An arrow.
#[derive(Debug)]
pub(super) struct DiagramEdge {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) style: EdgeStyle,
    /// Whether it closes a loop.
    pub(super) is_back: bool,
    pub(super) label: Option<String>,
    pub(super) record: Option<String>,
}

/// Marks of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GraphMarker {
    /// Where the plan begins.
    Start,
    /// Where the plan ends.
    End,
    /// Where a frame is entered.
    Entry,
    /// Where it is left.
    Exit,
}

/// What an arrow stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EdgeStyle {
    /// An edge of the plan.
    Normal,
    /// An edge that a failure takes.
    Failure,
    /// From a mark, or to one: no edge of the plan.
    Marker,
    /// The same where a run may end, if no condition holds.
    MayEnd,
}

/// What a node looks like, which says what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeStyle {
    /// Calls a tool.
    Tool,
    /// Asks a model.
    Model,
    /// Where the path parts.
    Decision,
    /// Passes on what came before.
    Pass,
    /// Says something.
    Log,
    /// Asks a person.
    Approval,
    /// Whatever the host makes of it.
    Other,
}

impl NodeStyle {
    /// That of a type.
    pub fn for_type(kind: &str) -> Self {
        match kind::meant(kind) {
            "tool" | "gather" | "execute_tools" => Self::Tool,
            "llm" | "agent" | "plan" | "react" => Self::Model,
            "decision" => Self::Decision,
            "noop" => Self::Pass,
            "log" => Self::Log,
            "approve" => Self::Approval,
            kind if kind::Stage::of(kind).is_some() => Self::Model,
            _ => Self::Other,
        }
    }

    /// The word for it, which is a class in a drawing.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Model => "model",
            Self::Decision => "decision",
            Self::Pass => "pass",
            Self::Log => "log",
            Self::Approval => "ask",
            Self::Other => "other",
        }
    }
}

/// Everything that a drawing of the plan shows.
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

/// The marks of a graph.
struct MarkerIds {
    first: String,
    last: String,
}

struct DiagramBuilder {
    items: Vec<DiagramItem>,
    /// They come last: in Mermaid, what an arrow names within a frame belongs to that frame.
    edges: Vec<DiagramItem>,
    /// Nodes drawn so far, in all graphs.
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

    /// Draws a node; where edges lead to it, and where they leave it.
    fn add_node(&mut self, node: &Node, is_lost: bool) -> (String, String) {
        let id = format!("n{}", self.count);
        self.count += 1;
        if node.nested.is_empty() {
            let lines = node_label::lines(node);
            let record = node_label::record(node, &node_label::parse(&lines));
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
    let written = edge.text.trim();
    let label = match (&edge.condition, written) {
        (Condition::Fallback, "") => several.then(|| "else".to_owned()),
        _ => Some(node_label::shorten_condition(written)),
    };
    let told = label.as_deref().is_none_or(|label| label == written || written.is_empty());
    let record = (!told).then(|| node_label::single_field("condition", &edge.text));
    let style = if edge.condition.mentions_error() { EdgeStyle::Failure } else { EdgeStyle::Normal };
    DiagramEdge { from, to, style, is_back, label, record }
}

/// How a run may end at a node that completed: nothing when some edge always leads on.
fn end_style(graph: &Graph, at: usize) -> Option<EdgeStyle> {
    let mut some = false;
    for edge in graph.edges_from(at) {
        match &edge.condition {
            Condition::Fallback => return None,
            condition => some |= !waits_for_failure(condition),
        }
    }
    Some(if some { EdgeStyle::MayEnd } else { EdgeStyle::Marker })
}

/// What is known of the paths through a graph.
struct GraphTraversal {
    reached: Vec<bool>,
    /// By the position of the edge.
    back: Vec<bool>,
}

impl GraphTraversal {
    /// Goes through the graph depth first, edges in the order of the text: those that lead to where it came from close loops.
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

/// A search through a graph, depth first.
struct DepthFirstSearch<'a> {
    graph: &'a Graph,
    visited: Vec<bool>,
    /// Whether a node is on the way to where the search is.
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

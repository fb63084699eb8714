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

use super::label;
use stepgraph_core::expr::Condition;
use stepgraph_core::graph::{Edge, Graph, Node, PlanGraph, is_failure_condition};
use stepgraph_core::kind;

/// One thing in a drawing.
#[derive(Debug)]
pub(super) enum Item {
    /// What follows stands in a frame, until it is closed.
    Open(Frame),
    /// The end of the last frame that was opened.
    Close,
    /// A node.
    Node(Vertex),
    /// Where a graph begins or ends: id and which.
    Mark(String, Mark),
    /// An arrow between two ids.
    Arrow(Arrow),
}

/// A frame around a graph.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) id: String,
    /// What stands above it.
    pub(super) title: String,
    /// Whether it is one of several graphs of a node, and not a node.
    pub(super) is_branch: bool,
    /// Whether no run can reach it.
    pub(super) is_lost: bool,
    /// What the title does not say.
    pub(super) record: Option<String>,
}

/// A node without graphs inside.
#[derive(Debug)]
pub(super) struct Vertex {
    pub(super) id: String,
    pub(super) look: Look,
    /// What stands in it: its name, and what it does where the name does not say so.
    pub(super) lines: Vec<String>,
    pub(super) is_lost: bool,
    pub(super) record: Option<String>,
}

/// An arrow.
#[derive(Debug)]
pub(super) struct Arrow {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) stroke: Stroke,
    /// Whether it closes a loop.
    pub(super) is_back: bool,
    pub(super) label: Option<String>,
    pub(super) record: Option<String>,
}

/// Marks of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Where the plan begins.
    Start,
    /// Where the plan ends.
    Finish,
    /// Where a frame is entered.
    In,
    /// Where it is left.
    Out,
}

/// What an arrow stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stroke {
    /// An edge of the plan.
    Edge,
    /// An edge that a failure takes.
    Failure,
    /// From a mark, or to one: no edge of the plan.
    Way,
    /// The same where a run may end, if no condition holds.
    MayEnd,
}

/// What a node looks like, which says what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Look {
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
    Ask,
    /// Whatever the host makes of it.
    Other,
}

impl Look {
    /// That of a type.
    pub fn of(kind: &str) -> Self {
        match kind::resolve_alias(kind) {
            "tool" | "gather" | "execute_tools" => Self::Tool,
            "llm" | "agent" | "plan" | "react" => Self::Model,
            "decision" => Self::Decision,
            "noop" => Self::Pass,
            "log" => Self::Log,
            "approve" => Self::Ask,
            kind if kind::Stage::of(kind).is_some() => Self::Model,
            _ => Self::Other,
        }
    }

    /// The word for it, which is a class in a drawing.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Model => "model",
            Self::Decision => "decision",
            Self::Pass => "pass",
            Self::Log => "log",
            Self::Ask => "ask",
            Self::Other => "other",
        }
    }
}

/// Everything that a drawing of the plan shows.
pub(super) fn items(plan: &PlanGraph) -> Vec<Item> {
    let mut walk = Walk { items: Vec::new(), arrows: Vec::new(), count: 0 };
    let ends = Ends { first: "start".to_owned(), last: "finish".to_owned() };
    let has_end = (0..plan.root.nodes.len()).any(|at| end_of(&plan.root, at).is_some());
    walk.items.push(Item::Mark(ends.first.clone(), Mark::Start));
    walk.graph(&plan.root, &ends);
    if has_end {
        walk.items.push(Item::Mark(ends.last, Mark::Finish));
    }
    walk.items.append(&mut walk.arrows);
    walk.items
}

/// The marks of a graph.
struct Ends {
    first: String,
    last: String,
}

struct Walk {
    items: Vec<Item>,
    /// They come last: in Mermaid, what an arrow names within a frame belongs to that frame.
    arrows: Vec<Item>,
    /// Nodes drawn so far, in all graphs.
    count: usize,
}

impl Walk {
    fn graph(&mut self, graph: &Graph, ends: &Ends) {
        let survey = Survey::new(graph);
        let ports: Vec<(String, String)> = graph
            .nodes
            .iter()
            .enumerate()
            .map(|(at, node)| self.node(node, !survey.is_reached(at)))
            .collect();
        let entry = |at: usize| ports.get(at).map(|(way_in, _)| way_in.clone());
        let exit = |at: usize| ports.get(at).map(|(_, way_out)| way_out.clone());
        if let Some(to) = graph.start.and_then(entry) {
            self.way(ends.first.clone(), to, Stroke::Way);
        }
        for at in 0..graph.nodes.len() {
            let several = graph.outgoing.get(at).is_some_and(|edges| edges.len() > 1);
            for edge in graph.edges_from(at) {
                if let (Some(from), Some(to)) = (exit(at), entry(edge.target)) {
                    self.arrows.push(Item::Arrow(arrow(edge, from, to, several, survey.is_back(edge))));
                }
            }
            if let (Some(from), Some(stroke)) = (exit(at), end_of(graph, at)) {
                self.way(from, ends.last.clone(), stroke);
            }
        }
    }

    fn way(&mut self, from: String, to: String, stroke: Stroke) {
        self.arrows.push(Item::Arrow(Arrow { from, to, stroke, is_back: false, label: None, record: None }));
    }

    /// Draws a node; where edges lead to it, and where they leave it.
    fn node(&mut self, node: &Node, is_lost: bool) -> (String, String) {
        let id = format!("n{}", self.count);
        self.count += 1;
        if node.nested.is_empty() {
            let lines = label::lines(node);
            let record = label::record(node, &label::read(&lines));
            self.items.push(Item::Node(Vertex {
                id: id.clone(),
                look: Look::of(&node.kind),
                lines,
                is_lost,
                record,
            }));
            return (id.clone(), id);
        }
        let ends = Ends { first: format!("{id}_in"), last: format!("{id}_out") };
        let title = label::title(node);
        let record = label::record(node, &label::read_title(&title));
        self.items.push(Item::Open(Frame { id: id.clone(), title, is_branch: false, is_lost, record }));
        self.items.push(Item::Mark(ends.first.clone(), Mark::In));
        for (branch, nested) in node.nested.iter().enumerate() {
            let is_branch = nested.key == "branches";
            let framed = is_branch || node.nested.len() > 1;
            if framed {
                let title = label::short(&nested.name);
                let record = if is_branch {
                    (title != nested.name).then(|| label::named("branch", &nested.name))
                } else {
                    Some(label::named("holder", nested.key))
                };
                let id = format!("{id}_{branch}");
                self.items.push(Item::Open(Frame { id, title, is_branch: true, is_lost: false, record }));
            }
            self.graph(&nested.graph, &ends);
            if framed {
                self.items.push(Item::Close);
            }
        }
        self.items.push(Item::Mark(ends.last.clone(), Mark::Out));
        self.items.push(Item::Close);
        (ends.first, ends.last)
    }
}

fn arrow(edge: &Edge, from: String, to: String, several: bool, is_back: bool) -> Arrow {
    let written = edge.condition_text.trim();
    let label = match (&edge.condition, written) {
        (Condition::Fallback, "") => several.then(|| "else".to_owned()),
        _ => Some(label::short_condition(written)),
    };
    let told = label.as_deref().is_none_or(|label| label == written || written.is_empty());
    let record = (!told).then(|| label::named("condition", &edge.condition_text));
    let stroke = if edge.condition.mentions_error() { Stroke::Failure } else { Stroke::Edge };
    Arrow { from, to, stroke, is_back, label, record }
}

/// How a run may end at a node that completed: nothing when some edge always leads on.
fn end_of(graph: &Graph, at: usize) -> Option<Stroke> {
    let mut some = false;
    for edge in graph.edges_from(at) {
        match &edge.condition {
            Condition::Fallback => return None,
            condition => some |= !is_failure_condition(condition),
        }
    }
    Some(if some { Stroke::MayEnd } else { Stroke::Way })
}

/// What is known of the paths through a graph.
struct Survey {
    reached: Vec<bool>,
    /// By the position of the edge.
    back: Vec<bool>,
}

impl Survey {
    /// Goes through the graph depth first, edges in the order of the text: those that lead to where it came from close loops.
    fn new(graph: &Graph) -> Self {
        let mut search = Search {
            graph,
            seen: vec![false; graph.nodes.len()],
            on_way: vec![false; graph.nodes.len()],
            back: vec![false; graph.edges.len()],
        };
        if let Some(start) = graph.start {
            search.from(start);
        }
        let reached = search.seen.clone();
        for node in 0..graph.nodes.len() {
            search.from(node);
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
struct Search<'a> {
    graph: &'a Graph,
    seen: Vec<bool>,
    /// Whether a node is on the way to where the search is.
    on_way: Vec<bool>,
    back: Vec<bool>,
}

impl Search<'_> {
    fn from(&mut self, start: usize) {
        let mut stack = Vec::new();
        if !is_set(&self.seen, start) {
            self.enter(start, &mut stack);
        }
        while let Some((node, next)) = stack.last_mut() {
            let edges = self.graph.outgoing.get(*node).map(Vec::as_slice).unwrap_or_default();
            let edge = edges.get(*next).and_then(|at| Some((*at, self.graph.edges.get(*at)?.target)));
            *next += 1;
            match edge {
                None => {
                    set(&mut self.on_way, *node, false);
                    stack.pop();
                }
                Some((edge, target)) if is_set(&self.on_way, target) => set(&mut self.back, edge, true),
                Some((_, target)) if is_set(&self.seen, target) => {}
                Some((_, target)) => self.enter(target, &mut stack),
            }
        }
    }

    fn enter(&mut self, node: usize, stack: &mut Vec<(usize, usize)>) {
        set(&mut self.seen, node, true);
        set(&mut self.on_way, node, true);
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

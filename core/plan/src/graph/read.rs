//! From a document to a plan.
//!
//! Decides what each key of a plan file holds. Goes on after every problem, so that all are reported at once.

mod cases;
mod edges;
mod given;
mod known;
mod nodes;
mod reader;
mod settings;

pub use given::is_url;

use super::shape::{Keys, Shape, wrong};
use super::{Graph, Named, Node, PlanGraph, Turn, within};
use edges::Edges;
pub use known::{UnusedStubs, unused_stubs};
use reader::{Names, Reader};
use std::sync::Arc;
use stepgraph_text::diagnostic::{Code, Diagnostic, Problems, Severity, Span, Target, brief};
use stepgraph_text::list::List;
use stepgraph_text::source::{Kind, Spanned};

const KEYS: Keys = Keys {
    known: &[
        "id",
        "start",
        "nodes",
        "edges",
        "format",
        "description",
        "inputs",
        "servers",
        "limits",
        "layout",
        "tests",
    ],
    required: &["nodes"],
};
/// What a graph inside a node may hold: the rest is the plan's.
const NESTED_KEYS: Keys =
    Keys { known: &["start", "nodes", "edges", "description", "layout"], required: &["nodes"] };

/// Reads a plan; `None` for what is no map.
pub(super) fn read(root: Arc<Spanned>, source: &str, problems: &mut Problems) -> Option<PlanGraph> {
    let mut reader = Reader { source, problems, scope: String::new(), way: Vec::new() };
    // A text that says nothing yet is a plan to which nodes can be added.
    let shape = match root.kind {
        Kind::Null => Shape::default(),
        _ => Shape::of(&root, "a plan", Target::Document, reader.problems)?,
    };
    shape.keys(&KEYS, reader.problems);
    reader.format(&shape);
    let id = shape.text("id", reader.problems).map(|id| id.name);
    shape.text("description", reader.problems);
    let limits = reader.limits(&shape);
    let inputs = reader.inputs(&shape);
    let servers = reader.servers(&shape);
    let graph = reader.graph(&shape, root.span);
    let given = reader.cases(&shape, &graph);
    let source = source.to_owned();
    let errors = Vec::new();
    Some(PlanGraph { id, root: graph, inputs, servers, limits, errors, given, document: root, source })
}

impl Reader<'_> {
    /// A graph inside a node, which may be any value.
    fn nested(&mut self, value: &Spanned, turn: Turn, scope: String) -> Graph {
        let outer = (std::mem::replace(&mut self.scope, scope), self.way.len());
        self.way.push(turn);
        let shape = Shape::of(value, "a graph inside a node", self.on(&[]), self.problems);
        let graph = match shape {
            Some(shape) => {
                shape.keys(&NESTED_KEYS, self.problems);
                shape.text("description", self.problems);
                self.graph(&shape, value.span)
            }
            None => self.graph_of(Vec::new(), Edges::default(), (None, None)),
        };
        self.scope = outer.0;
        self.way.truncate(outer.1);
        graph
    }

    /// The nodes, edges and start of a graph.
    fn graph(&mut self, shape: &Shape<'_>, whole: Span) -> Graph {
        let nodes = self.nodes(shape, whole);
        let names = Names::new(&nodes);
        let found = self.edges(shape, &names);
        self.layout(shape, &names);
        let start = self.start(shape, &names, &found);
        self.graph_of(nodes, found, start)
    }

    fn graph_of(&self, nodes: Vec<Node>, found: Edges, start: (Option<usize>, Option<Span>)) -> Graph {
        Graph {
            start: start.0,
            start_span: start.1,
            outgoing: found.outgoing(nodes.len()),
            whole: found.whole,
            edges: found.list,
            broken: found.broken,
            nodes,
            scope: self.scope.clone(),
            way: self.way.clone(),
        }
    }

    /// The graph at hand as the place of a problem, or something in it.
    fn on(&self, names: &[&str]) -> Target {
        match names {
            [] if self.scope.is_empty() => Target::Document,
            [] => Target::Node(self.scope.clone()),
            [name, ..] => Target::Node(within(&self.scope, name)),
        }
    }

    fn format(&mut self, shape: &Shape<'_>) {
        let Some(value) = shape.get("format") else { return };
        if !matches!(&value.kind, Kind::Number(number) if number.as_f64() == Some(1.0)) {
            let problem = Diagnostic::new(Code::UnknownFormat, "this version knows `format: 1` only");
            self.problems
                .push(problem.at(value.span).help("write `format: 1`, or use a newer version of stepgraph"));
        }
    }

    fn layout(&mut self, shape: &Shape<'_>, names: &Names<'_>) {
        let Some(value) = shape.get("layout") else { return };
        let Kind::Map(entries) = &value.kind else {
            self.problems.push(wrong(value, "`layout`", "a map"));
            return;
        };
        for entry in entries {
            let pair = matches!(&entry.value.kind, Kind::List(items)
                if items.len() == 2 && items.iter().all(|item| matches!(item.kind, Kind::Number(_))));
            if !pair {
                self.problems.push(wrong(&entry.value, "a place in `layout`", "a pair of numbers"));
            }
            if names.position(&entry.key).is_none() && !names.nodes.is_empty() {
                let named = Named { name: entry.key.clone(), span: entry.key_span };
                let mut problem = names.unknown(Code::UnknownNode, &named, self.problems);
                problem.severity = Severity::Warning;
                // An entry that is there already can't be put there once more.
                problem.fix.retain(|edit| entries.iter().all(|entry| entry.key != edit.text));
                if problem.fix.is_empty() {
                    problem.help = Some("remove this entry".to_owned());
                }
                self.problems.push(problem);
            }
        }
    }

    /// The start that is named, or the only one that there can be.
    fn start(
        &mut self,
        shape: &Shape<'_>,
        names: &Names<'_>,
        found: &Edges,
    ) -> (Option<usize>, Option<Span>) {
        let written = shape.text("start", self.problems);
        let named = written.filter(|start| !start.name.trim().is_empty());
        // What is no text was reported; guessing would report it again.
        let given = named.is_some() || shape.get("start").is_some_and(|value| value.as_text().is_none());
        let Some(start) = named else {
            // With a broken edge nobody knows which nodes have incoming ones.
            let judged = !given && found.whole && !names.nodes.is_empty();
            return (if judged { self.infer_start(shape, names.nodes, found) } else { None }, None);
        };
        let position = names.position(&start.name);
        if position.is_none() && !names.nodes.is_empty() {
            let problem = names.unknown(Code::UnknownStart, &start, self.problems);
            self.problems.push(problem);
        }
        (position, Some(start.span))
    }

    fn infer_start(&mut self, shape: &Shape<'_>, nodes: &[Node], found: &Edges) -> Option<usize> {
        let mut entered = vec![false; nodes.len()];
        for edge in &found.list {
            if let Some(entered) = entered.get_mut(edge.target) {
                *entered = true;
            }
        }
        let candidates: Vec<&Node> =
            nodes.iter().zip(&entered).filter(|(_, entered)| !**entered).map(|(node, _)| node).list();
        let place = shape.key_span("nodes").unwrap_or_default();
        match candidates.as_slice() {
            [_] => entered.iter().position(|entered| !entered),
            [] => {
                self.problems.push(
                    Diagnostic::new(Code::NoStart, "every node has an incoming edge, so none is the start")
                        .at(place)
                        .help("name the first node in `start`"),
                );
                None
            }
            several => {
                self.problems.push(ambiguous(several, place));
                None
            }
        }
    }
}

/// How many candidates are shown before the rest is only counted.
const SHOWN: usize = 5;

fn ambiguous(candidates: &[&Node], place: Span) -> Diagnostic {
    let named = candidates.iter().take(SHOWN);
    let mut shown = named.clone().map(|node| format!("`{}`", brief(&node.key))).list().join(", ");
    if candidates.len() > SHOWN {
        shown = format!("{shown} and {} more", candidates.len() - SHOWN);
    }
    let problem = Diagnostic::new(
        Code::AmbiguousStart,
        format!("{shown} have no incoming edge; any could be the start"),
    )
    .at(place)
    .help("name the first node in `start`");
    named.fold(problem, |problem, node| problem.label(node.key_span, "no edge leads here"))
}

/// The maps of a plan by the way to them, their keys, and those that must be there.
pub fn known_keys() -> Vec<(&'static str, &'static [&'static str], &'static [&'static str])> {
    let all = [
        ("", KEYS),
        ("nodes.graph", NESTED_KEYS),
        ("nodes", nodes::KEYS),
        ("edges", edges::KEYS),
        ("nodes.retry", settings::RETRY),
        ("limits", given::LIMITS),
        ("servers", given::SERVER),
        ("tests", cases::TEST),
        ("tests.expect", cases::EXPECT),
        ("tests.stubs", cases::STUBS),
    ];
    all.map(|(way, keys)| (way, keys.known, keys.required)).into()
}

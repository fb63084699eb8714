//! From a document to a plan.
//!
//! Decides what each key of a plan file holds. Goes on after every problem, so that all are reported at once.

mod edges;
mod nodes;

use super::shape::{Shape, wrong};
use super::{Limits, Node, PlanGraph};
use crate::diagnostic::{Code, Diagnostic, Severity, Span, Target, near};
use crate::source::{Kind, Spanned};
use std::collections::HashMap;

const KEYS: [&str; 9] =
    ["id", "start", "nodes", "edges", "format", "description", "limits", "layout", "tests"];
const REFUSED: [&str; 2] = ["inputs", "servers"];

/// What is at hand while a plan is read.
struct Reader<'a> {
    /// The text of the file.
    source: &'a str,
    problems: &'a mut Vec<Diagnostic>,
}

/// The position of each node by its key.
type Keys = HashMap<String, usize>;

/// Reads a plan; `None` when there is nothing to check.
pub(super) fn read(root: Spanned, source: &str, problems: &mut Vec<Diagnostic>) -> Option<PlanGraph> {
    if root.kind == Kind::Null {
        problems.push(no_nodes(root.span));
        return None;
    }
    let mut reader = Reader { source, problems };
    let shape = Shape::of(&root, "a plan", Target::Document, reader.problems)?;
    shape.keys(&KEYS, &REFUSED, reader.problems);
    reader.format(&shape);
    let id = shape.text("id", reader.problems).map(|id| id.name);
    shape.text("description", reader.problems);
    let limits = reader.limits(&shape);
    let nodes = reader.nodes(&shape, root.span);
    let keys: Keys = nodes.iter().enumerate().map(|(i, node)| (node.key.clone(), i)).collect();
    let found = reader.edges(&shape, &nodes, &keys);
    reader.layout(&shape, &keys);
    let mut graph = PlanGraph {
        id,
        start: None,
        start_span: None,
        outgoing: found.outgoing(nodes.len()),
        nodes,
        edges: found.edges,
        limits,
        document: Spanned { kind: Kind::Null, span: root.span },
    };
    reader.start(&shape, &mut graph, &keys, found.broken);
    graph.document = root;
    Some(graph)
}

fn no_nodes(span: Span) -> Diagnostic {
    Diagnostic::new(Code::NoNodes, "the plan has no nodes")
        .at(Span::at(span.start))
        .help("add a node under `nodes`, as in `nodes: {hello: {type: log, input: hi}}`")
}

impl Reader<'_> {
    fn format(&mut self, shape: &Shape<'_>) {
        let Some(value) = shape.get("format") else { return };
        if !matches!(&value.kind, Kind::Number(number) if number.as_f64() == Some(1.0)) {
            let problem = Diagnostic::new(Code::UnknownFormat, "this version knows `format: 1` only");
            self.problems
                .push(problem.at(value.span).help("write `format: 1`, or use a newer version of stepgraph"));
        }
    }

    fn limits(&mut self, shape: &Shape<'_>) -> Limits {
        let mut limits = Limits::default();
        let Some(value) = shape.get("limits") else { return limits };
        let Some(shape) = Shape::of(value, "`limits`", Target::Document, self.problems) else {
            return limits;
        };
        shape.keys(&["visits", "steps", "calls"], &["timeout_ms", "tokens", "output_bytes"], self.problems);
        limits.visits = shape.count("visits", self.problems).unwrap_or(limits.visits);
        limits.steps = shape.count("steps", self.problems);
        limits.calls = shape.count("calls", self.problems);
        limits
    }

    fn layout(&mut self, shape: &Shape<'_>, keys: &Keys) {
        let Some(value) = shape.get("layout") else { return };
        let Kind::Map(entries) = &value.kind else {
            self.problems.push(wrong(value, "`layout`", "a map"));
            return;
        };
        for entry in entries {
            let pair = matches!(&entry.value.kind, Kind::List(items)
                if items.len() == 2 && items.iter().all(|item| matches!(item.kind, Kind::Number(_))));
            if !pair {
                self.problems.push(wrong(&entry.value, "a place in `layout`", "a list of two numbers"));
            }
            if !keys.contains_key(&entry.key) {
                let mut problem = unknown_node(&entry.key, keys, None).at(entry.key_span);
                problem.severity = Severity::Warning;
                self.problems.push(problem);
            }
        }
    }

    fn start(&mut self, shape: &Shape<'_>, graph: &mut PlanGraph, keys: &Keys, broken: bool) {
        match shape.text("start", self.problems).filter(|start| !start.name.trim().is_empty()) {
            Some(start) => {
                graph.start = keys.get(&start.name).copied();
                graph.start_span = Some(start.span);
                if graph.start.is_none() {
                    let mut problem = unknown_node(&start.name, keys, Some(&graph.nodes)).at(start.span);
                    problem.code = Code::UnknownStart;
                    self.problems.push(problem);
                }
            }
            // With a broken edge nobody knows which nodes have incoming ones.
            None if broken || graph.nodes.is_empty() => {}
            None => self.infer_start(graph, shape.get("nodes").map_or(Span::default(), |nodes| nodes.span)),
        }
    }

    fn infer_start(&mut self, graph: &mut PlanGraph, nodes: Span) {
        let mut entered = vec![false; graph.nodes.len()];
        for edge in &graph.edges {
            if let Some(entered) = entered.get_mut(edge.target) {
                *entered = true;
            }
        }
        let candidates: Vec<usize> =
            (0..graph.nodes.len()).filter(|node| entered.get(*node) == Some(&false)).collect();
        match candidates.as_slice() {
            [only] => graph.start = Some(*only),
            [] => self.problems.push(
                Diagnostic::new(Code::NoStart, "every node has an incoming edge, so none is the start")
                    .at(Span::at(nodes.start))
                    .help("name the first node in `start`"),
            ),
            several => self.problems.push(ambiguous(several, &graph.nodes, nodes)),
        }
    }
}

/// How many candidates are shown before the rest is only counted.
const SHOWN: usize = 5;

fn ambiguous(candidates: &[usize], nodes: &[Node], span: Span) -> Diagnostic {
    let named = candidates.iter().take(SHOWN).filter_map(|node| nodes.get(*node));
    let mut shown = named.clone().map(|node| format!("`{}`", node.key)).collect::<Vec<_>>().join(", ");
    if candidates.len() > SHOWN {
        shown = format!("{shown} and {} more", candidates.len() - SHOWN);
    }
    let problem = Diagnostic::new(
        Code::AmbiguousStart,
        format!("{shown} have no incoming edge; any could be the start"),
    )
    .at(Span::at(span.start))
    .help("name the first node in `start`");
    named.fold(problem, |problem, node| problem.label(node.key_span, "no edge leads here"))
}

/// A name that is no key of `nodes`; `nodes` are given where an id could have been meant.
fn unknown_node(name: &str, keys: &Keys, nodes: Option<&[Node]>) -> Diagnostic {
    let by_id = nodes.and_then(|nodes| nodes.iter().find(|node| node.id == name));
    let help = match (by_id, near(name, keys.keys().map(String::as_str))) {
        (Some(node), _) => format!("write `{}`, the key of the node whose id this is", node.key),
        (None, Some(meant)) => format!("did you mean `{meant}`?"),
        (None, None) => format!("add a node `{name}`, or name one that is there"),
    };
    Diagnostic::new(Code::UnknownNode, format!("there is no node `{name}`")).help(help)
}

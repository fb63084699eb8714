//! The nodes of a plan.

use super::super::shape::{Keys, Shape, scalar_text, wrong};
use super::super::{Named, Node, Texts};
use super::reader::{Reader, no_nodes};
use crate::key::did_you_mean;
use std::collections::HashMap;
use std::fmt;
use stepgraph_text::diagnostic::{Code, Diagnostic, Span, brief};
use stepgraph_text::list::List;
use stepgraph_text::source::{Entry, Kind, Spanned};

pub(super) const KEYS: Keys = Keys {
    known: &[
        "id",
        "type",
        "tool",
        "input",
        "metadata",
        "description",
        "with",
        "visits",
        "retry",
        "timeout_ms",
        "graph",
        "branches",
        "do",
    ],
    required: &["type"],
};

impl Reader<'_> {
    /// All nodes, in order; one without a type is kept, so that edges to it are no second mistake.
    pub(super) fn nodes(&mut self, shape: &Shape<'_>, whole: Span) -> Vec<Node> {
        let entries = match shape.get("nodes") {
            Some(Spanned { kind: Kind::Map(entries), .. }) if !entries.is_empty() => entries,
            Some(value) if !matches!(value.kind, Kind::Map(_)) => {
                self.problems.push(wrong(value, "`nodes`", "a map from id to node"));
                return Vec::new();
            }
            Some(empty) => {
                self.problems.push(no_nodes(empty.span));
                return Vec::new();
            }
            None => {
                self.no_nodes(shape, whole);
                return Vec::new();
            }
        };
        let nodes: Vec<Node> = entries.iter().enumerate().map(|(i, entry)| self.node(i, entry)).list();
        self.ids(&nodes);
        nodes
    }

    fn no_nodes(&mut self, shape: &Shape<'_>, whole: Span) {
        let problem = no_nodes(shape.key_span("nodes").unwrap_or(Span::at(whole.start)));
        self.problems.push(match shape.misspelt("nodes") {
            Some(entry) => did_you_mean(problem.at(entry.key_span), "nodes", &entry.key),
            None => problem,
        });
    }

    fn node(&mut self, position: usize, entry: &Entry) -> Node {
        let mut node = Node {
            key: entry.key.clone(),
            key_span: entry.key_span,
            id: entry.key.clone(),
            id_span: entry.key_span,
            kind: String::new(),
            kind_span: entry.key_span,
            tool: None,
            input: None,
            input_span: entry.key_span,
            metadata: Vec::new(),
            with: None,
            with_span: entry.key_span,
            visits: None,
            retry: None,
            timeout_ms: None,
            nested: Vec::new(),
            is_broken: false,
        };
        let target = self.on(&[&entry.key]);
        if entry.value.kind == Kind::Null {
            self.problems.push(missing_type(&node).on(target));
            node.is_broken = true;
            return node;
        }
        // Written only where it is told.
        let what = fmt::from_fn(|out| write!(out, "node `{}`", brief(&entry.key)));
        match Shape::of(&entry.value, what, target, self.problems) {
            Some(shape) => {
                self.fill(&mut node, &shape);
                node.nested = self.nested_graphs(position, &node, &shape);
                node.is_broken = is_broken(&node, &shape);
            }
            None => node.is_broken = true,
        }
        node
    }

    fn fill(&mut self, node: &mut Node, shape: &Shape<'_>) {
        shape.keys(&KEYS, self.problems);
        let filled = |name: &Named| !name.name.trim().is_empty();
        if let Some(id) = shape.text("id", self.problems).filter(filled) {
            (node.id, node.id_span) = (id.name, id.span);
        }
        match shape.text("type", self.problems).filter(filled) {
            Some(kind) => (node.kind, node.kind_span) = (kind.name, kind.span),
            None if shape.get("type").is_some_and(|value| scalar_text(value).is_none()) => {}
            None => {
                let problem = missing_type(node).on(self.on(&[&node.key]));
                self.problems.push(match shape.misspelt("type") {
                    Some(entry) => did_you_mean(problem.at(entry.key_span), "type", &entry.key),
                    None => problem,
                });
            }
        }
        shape.text("description", self.problems);
        self.metadata(node, shape);
        let tool = shape.text("tool", self.problems).filter(filled);
        node.tool = tool.or_else(|| metadata_tool(shape)).or(node.tool.take());
        node.visits = shape.count("visits", self.problems);
        node.timeout_ms = shape.amount("timeout_ms", 1, self.problems);
        node.retry = self.retry(node, shape);
        self.texts(node, shape);
    }

    fn texts(&mut self, node: &mut Node, shape: &Shape<'_>) {
        let (input, with) = (shape.get("input"), shape.get("with"));
        if input.is_none() && with.is_none() {
            return;
        }
        let target = self.on(&[&node.key]);
        let off = |entry: &Entry| entry.value.kind == Kind::Bool(false);
        let plain = with.and_then(|with| with.get("templates")).is_some_and(off);
        let mut read = |value: &Spanned| {
            if plain {
                Texts::Constant(value.to_json())
            } else {
                Texts::read(value, self.source, &target, self.problems)
            }
        };
        if let Some(input) = input {
            node.input = Some(read(input));
            node.input_span = input.span;
        }
        match with {
            Some(with) if matches!(with.kind, Kind::Map(_)) => {
                node.with = Some(read(with));
                node.with_span = with.span;
            }
            Some(with) => self.problems.push(wrong(with, "`with`", "a map of settings").on(target)),
            None => {}
        }
    }

    fn metadata(&mut self, node: &mut Node, shape: &Shape<'_>) {
        let Some(value) = shape.get("metadata") else { return };
        let Kind::Map(entries) = &value.kind else {
            self.problems.push(wrong(value, "`metadata`", "a map of text").on(self.on(&[&node.key])));
            return;
        };
        for entry in entries.iter().filter(|entry| entry.value.kind != Kind::Null) {
            match scalar_text(&entry.value) {
                Some(text) => node.metadata.push((entry.key.clone(), text)),
                None => self.problems.push(
                    wrong(&entry.value, &format!("metadata `{}`", brief(&entry.key)), "text")
                        .on(self.on(&[&node.key])),
                ),
            }
        }
    }

    /// Two nodes with one id, and ids that mean something else.
    fn ids(&mut self, nodes: &[Node]) {
        // Keys differ from each other.
        let are_keys = nodes.iter().all(|node| node.id == node.key);
        let mut seen: HashMap<&str, &Node> = HashMap::new();
        for node in nodes {
            if matches!(node.id.as_str(), "input" | "memory") {
                let problem =
                    Diagnostic::new(Code::ReservedId, format!("`{}` names what the run is given", node.id));
                let problem = problem.on(self.on(&[&node.key]));
                self.problems.push(problem.at(node.id_span).help("give the node another id"));
                continue;
            }
            if are_keys {
                continue;
            }
            if let Some(first) = seen.get(node.id.as_str()) {
                self.problems.push(
                    Diagnostic::new(
                        Code::DuplicateId,
                        format!("two nodes have the id `{}`", brief(&node.id)),
                    )
                    .on(self.on(&[&node.key]))
                    .at(node.id_span)
                    .label(first.id_span, "first here")
                    .help("give one of them another `id`"),
                );
            } else {
                seen.insert(&node.id, node);
            }
        }
    }
}

/// Whether something was left out of a node by which hosts judge it.
fn is_broken(node: &Node, shape: &Shape<'_>) -> bool {
    let no_map = |key: &str| shape.get(key).is_some_and(|value| !matches!(value.kind, Kind::Map(_)));
    node.kind.is_empty() || ["with", "graph", "branches", "do"].into_iter().any(no_map)
}

fn missing_type(node: &Node) -> Diagnostic {
    Diagnostic::new(Code::MissingType, format!("node `{}` has no type", brief(&node.key)))
        .at(node.key_span)
        .help("say what it does, as in `type: tool`")
}

fn metadata_tool(shape: &Shape<'_>) -> Option<Named> {
    let entry = shape.get("metadata")?.get("tool")?;
    let name = scalar_text(&entry.value)?;
    (!name.trim().is_empty()).then_some(Named { name, span: entry.value.span })
}

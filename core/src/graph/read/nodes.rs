//! The nodes of a plan.

use super::super::shape::{Shape, scalar_text, wrong};
use super::super::{Named, Node, Texts};
use super::{Reader, no_nodes};
use crate::diagnostic::{Code, Diagnostic, Span, Target};
use crate::source::{Entry, Kind, Spanned};
use std::collections::HashMap;

const KEYS: [&str; 8] = ["id", "type", "tool", "input", "metadata", "description", "with", "visits"];
const REFUSED: [&str; 5] = ["retry", "timeout_ms", "graph", "branches", "do"];

impl Reader<'_> {
    /// All nodes, in order; one without a type is kept, so that edges to it are no second mistake.
    pub(super) fn nodes(&mut self, shape: &Shape<'_>, whole: Span) -> Vec<Node> {
        let entries = match shape.get("nodes") {
            Some(Spanned { kind: Kind::Map(entries), .. }) if !entries.is_empty() => entries,
            Some(value) if !matches!(value.kind, Kind::Map(_)) => {
                self.problems.push(wrong(value, "`nodes`", "a map from id to node"));
                return Vec::new();
            }
            found => {
                self.problems.push(no_nodes(found.map_or(whole, |value| value.span)));
                return Vec::new();
            }
        };
        let nodes: Vec<Node> = entries.iter().map(|entry| self.node(entry)).collect();
        self.ids(&nodes);
        nodes
    }

    fn node(&mut self, entry: &Entry) -> Node {
        let target = Target::Node(entry.key.clone());
        let mut node = Node {
            key: entry.key.clone(),
            key_span: entry.key_span,
            id: entry.key.clone(),
            kind: String::new(),
            kind_span: entry.key_span,
            tool: None,
            input: None,
            input_span: entry.key_span,
            metadata: Vec::new(),
            with: None,
            with_span: entry.key_span,
            visits: None,
        };
        if entry.value.kind == Kind::Null {
            self.problems.push(missing_type(&node));
            return node;
        }
        if let Some(shape) = Shape::of(&entry.value, &format!("node `{}`", entry.key), target, self.problems)
        {
            self.fill(&mut node, &shape);
        }
        node
    }

    fn fill(&mut self, node: &mut Node, shape: &Shape<'_>) {
        shape.keys(&KEYS, &REFUSED, self.problems);
        let filled = |name: &Named| !name.name.trim().is_empty();
        if let Some(id) = shape.text("id", self.problems).filter(filled) {
            node.id = id.name;
        }
        match shape.text("type", self.problems).filter(filled) {
            Some(kind) => (node.kind, node.kind_span) = (kind.name, kind.span),
            None if shape.get("type").is_some_and(|value| scalar_text(value).is_none()) => {}
            None => self.problems.push(missing_type(node)),
        }
        shape.text("description", self.problems);
        self.metadata(node, shape);
        let tool = shape.text("tool", self.problems).filter(filled);
        node.tool = tool.or_else(|| metadata_tool(shape)).or(node.tool.take());
        node.visits = shape.count("visits", self.problems);
        self.texts(node, shape);
    }

    fn texts(&mut self, node: &mut Node, shape: &Shape<'_>) {
        let off = Kind::Bool(false);
        let templates = shape
            .get("with")
            .and_then(|with| with.get("templates"))
            .is_none_or(|entry| entry.value.kind != off);
        let from = self.problems.len();
        if let Some(input) = shape.get("input") {
            node.input = Some(Texts::read(input, self.source, templates, self.problems));
            node.input_span = input.span;
        }
        if let Some(with) = shape.get("with") {
            if matches!(with.kind, Kind::Map(_)) {
                node.with = Some(Texts::read(with, self.source, templates, self.problems));
                node.with_span = with.span;
            } else {
                self.problems.push(wrong(with, "`with`", "a map of settings"));
            }
        }
        for problem in self.problems.iter_mut().skip(from) {
            problem.target = Target::Node(node.key.clone());
        }
    }

    fn metadata(&mut self, node: &mut Node, shape: &Shape<'_>) {
        let Some(value) = shape.get("metadata") else { return };
        let Kind::Map(entries) = &value.kind else {
            self.problems
                .push(wrong(value, "`metadata`", "a map of text").on(Target::Node(node.key.clone())));
            return;
        };
        for entry in entries.iter().filter(|entry| entry.value.kind != Kind::Null) {
            match scalar_text(&entry.value) {
                Some(text) => node.metadata.push((entry.key.clone(), text)),
                None => self.problems.push(
                    wrong(&entry.value, &format!("metadata `{}`", entry.key), "text")
                        .on(Target::Node(node.key.clone())),
                ),
            }
        }
    }

    /// Two nodes with one id, and ids that mean something else.
    fn ids(&mut self, nodes: &[Node]) {
        let mut seen: HashMap<&str, &Node> = HashMap::new();
        for node in nodes {
            let target = Target::Node(node.key.clone());
            if matches!(node.id.as_str(), "input" | "memory") {
                let problem =
                    Diagnostic::new(Code::ReservedId, format!("`{}` names what the run is given", node.id));
                self.problems.push(problem.on(target).at(node.key_span).help("give the node another id"));
            } else if let Some(first) = seen.get(node.id.as_str()) {
                self.problems.push(
                    Diagnostic::new(Code::DuplicateId, format!("two nodes have the id `{}`", node.id))
                        .on(target)
                        .at(node.key_span)
                        .label(first.key_span, "first here")
                        .help("give one of them another `id`"),
                );
            } else {
                seen.insert(&node.id, node);
            }
        }
    }
}

fn missing_type(node: &Node) -> Diagnostic {
    Diagnostic::new(Code::MissingType, format!("node `{}` has no type", node.key))
        .on(Target::Node(node.key.clone()))
        .at(node.key_span)
        .help("say what it does, as in `type: tool`")
}

fn metadata_tool(shape: &Shape<'_>) -> Option<Named> {
    let entry = shape.get("metadata")?.get("tool")?;
    let name = scalar_text(&entry.value)?;
    (!name.trim().is_empty()).then_some(Named { name, span: entry.value.span })
}

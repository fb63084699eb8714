//! Reads nodes.

use super::super::map_reader::{KeySpec, MapReader, key_of_plan, scalar_text, wrong_type};
use super::super::{Named, Node, TemplateValue};
use super::PLAN_KEYS;
use super::reader::{Reader, no_nodes};
use crate::key::did_you_mean;
use std::collections::HashMap;
use std::fmt;
use stepgraph_text::diagnostic::{Code, Diagnostic, Span, shorten_name};
use stepgraph_text::source::{Entry, Spanned, ValueKind};

pub(in super::super) const KEYS: KeySpec = KeySpec {
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

/// How many of these entries are settings that stand beside an empty node. A `type` with text begins them.
fn settings_beside(entries: &[Entry]) -> usize {
    let is_setting = |entry: &&Entry| KEYS.known.contains(&entry.key.as_str());
    let has_type = |entry: &Entry| entry.key == "type" && matches!(entry.value.kind, ValueKind::Text(_));
    let count = entries.iter().take_while(is_setting).count();
    if entries.iter().take(count).any(has_type) { count } else { 0 }
}

#[inline(never)]
fn not_indented(node: &Entry, setting: &Entry) -> Diagnostic {
    let (key, id) = (shorten_name(&setting.key), shorten_name(&node.key));
    Diagnostic::new(Code::WrongShape, format!("`{key}` stands beside node `{id}`, not in it"))
        .at(setting.key_span)
        .help(format!("indent the settings of `{id}` deeper than `{id}`"))
}

impl Reader<'_> {
    /// Keeps nodes without a type, so that their edges cause no second error.
    pub(super) fn nodes(&mut self, map: &MapReader<'_>, whole: Span) -> Vec<Node> {
        let entries = match map.get("nodes") {
            Some(Spanned { kind: ValueKind::Map(entries), .. }) if !entries.is_empty() => entries,
            Some(value) if !matches!(value.kind, ValueKind::Map(_)) => {
                self.problems.push(wrong_type(value, "`nodes`", "a map from id to node"));
                return Vec::new();
            }
            Some(empty) => {
                self.problems.push(no_nodes(empty.span));
                return Vec::new();
            }
            None => {
                self.no_nodes(map, whole);
                return Vec::new();
            }
        };
        let mut nodes: Vec<Node> = Vec::with_capacity(entries.len());
        let mut rest = entries.as_slice();
        while let [entry, after @ ..] = rest {
            let settings = if entry.value.kind == ValueKind::Null { settings_beside(after) } else { 0 };
            rest = after.get(settings..).unwrap_or_default();
            let is_suspect = PLAN_KEYS.known.contains(&entry.key.as_str());
            match (is_suspect.then(|| key_of_plan(entry)).flatten(), after.first()) {
                (Some(diagnostic), _) => self.problems.push(diagnostic),
                (None, Some(first)) if settings > 0 => self.problems.push(not_indented(entry, first)),
                _ => nodes.push(self.node(nodes.len(), entry)),
            }
        }
        self.check_ids(&nodes);
        nodes
    }

    fn no_nodes(&mut self, map: &MapReader<'_>, whole: Span) {
        let diagnostic = no_nodes(map.key_span("nodes").unwrap_or(Span::at(whole.start)));
        self.problems.push(match map.misspelt_entry("nodes") {
            Some(entry) => did_you_mean(diagnostic.at(entry.key_span), "nodes", &entry.key),
            None => diagnostic,
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
        let target = self.target(&[&entry.key]);
        if entry.value.kind == ValueKind::Null {
            self.problems.push(missing_type(&node).on(target));
            node.is_broken = true;
            return node;
        }
        // Formatted for diagnostics only.
        let what = fmt::from_fn(|out| write!(out, "node `{}`", shorten_name(&entry.key)));
        match MapReader::new(&entry.value, what, target, self.problems) {
            Some(map) => {
                self.read_fields(&mut node, &map);
                node.nested = self.nested_graphs(position, &node, &map);
                node.is_broken = is_broken(&node, &map);
            }
            None => node.is_broken = true,
        }
        node
    }

    fn read_fields(&mut self, node: &mut Node, map: &MapReader<'_>) {
        map.check_keys(&KEYS, self.problems);
        let filled = |name: &Named| !name.name.trim().is_empty();
        if let Some(id) = map.text("id", self.problems).filter(filled) {
            (node.id, node.id_span) = (id.name, id.span);
        }
        match map.text("type", self.problems).filter(filled) {
            Some(kind) => (node.kind, node.kind_span) = (kind.name, kind.span),
            None if map.get("type").is_some_and(|value| scalar_text(value).is_none()) => {}
            None => {
                let diagnostic = missing_type(node).on(self.target(&[&node.key]));
                self.problems.push(match map.misspelt_entry("type") {
                    Some(entry) => did_you_mean(diagnostic.at(entry.key_span), "type", &entry.key),
                    None => diagnostic,
                });
            }
        }
        map.text("description", self.problems);
        self.metadata(node, map);
        let tool = map.text("tool", self.problems).filter(filled);
        node.tool = tool.or_else(|| metadata_tool(map)).or(node.tool.take());
        node.visits = map.count("visits", self.problems);
        node.timeout_ms = map.amount("timeout_ms", 1, self.problems);
        node.retry = self.retry(node, map);
        self.read_templates(node, map);
    }

    fn read_templates(&mut self, node: &mut Node, map: &MapReader<'_>) {
        let (input, with) = (map.get("input"), map.get("with"));
        if input.is_none() && with.is_none() {
            return;
        }
        let target = self.target(&[&node.key]);
        let off = |entry: &Entry| entry.value.kind == ValueKind::Bool(false);
        let plain = with.and_then(|with| with.get("templates")).is_some_and(off);
        let mut read = |value: &Spanned| {
            if plain {
                TemplateValue::Constant(value.to_json())
            } else {
                TemplateValue::parse(value, self.source, &target, self.problems)
            }
        };
        if let Some(input) = input {
            node.input = Some(read(input));
            node.input_span = input.span;
        }
        match with {
            Some(with) if matches!(with.kind, ValueKind::Map(_)) => {
                node.with = Some(read(with));
                node.with_span = with.span;
            }
            Some(with) => self.problems.push(wrong_type(with, "`with`", "a map of settings").on(target)),
            None => {}
        }
    }

    fn metadata(&mut self, node: &mut Node, map: &MapReader<'_>) {
        let Some(value) = map.get("metadata") else { return };
        let ValueKind::Map(entries) = &value.kind else {
            self.problems
                .push(wrong_type(value, "`metadata`", "a map of text").on(self.target(&[&node.key])));
            return;
        };
        for entry in entries.iter().filter(|entry| entry.value.kind != ValueKind::Null) {
            match scalar_text(&entry.value) {
                Some(text) => node.metadata.push((entry.key.clone(), text)),
                None => self.problems.push(
                    wrong_type(&entry.value, &format!("metadata `{}`", shorten_name(&entry.key)), "text")
                        .on(self.target(&[&node.key])),
                ),
            }
        }
    }

    fn check_ids(&mut self, nodes: &[Node]) {
        // Keys are unique.
        let are_keys = nodes.iter().all(|node| node.id == node.key);
        let mut seen: HashMap<&str, &Node> = HashMap::new();
        for node in nodes {
            if matches!(node.id.as_str(), "input" | "memory") {
                let diagnostic = Diagnostic::new(
                    Code::ReservedId,
                    format!("`{}` is the name of an initial value of the run", node.id),
                );
                let diagnostic = diagnostic.on(self.target(&[&node.key]));
                self.problems.push(diagnostic.at(node.id_span).help("give the node another id"));
                continue;
            }
            if are_keys {
                continue;
            }
            if let Some(first) = seen.get(node.id.as_str()) {
                self.problems.push(
                    Diagnostic::new(
                        Code::DuplicateId,
                        format!("two nodes have the id `{}`", shorten_name(&node.id)),
                    )
                    .on(self.target(&[&node.key]))
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

/// Whether hosts should skip their checks.
fn is_broken(node: &Node, map: &MapReader<'_>) -> bool {
    let no_map = |key: &str| map.get(key).is_some_and(|value| !matches!(value.kind, ValueKind::Map(_)));
    let branches = map.get("branches").and_then(Spanned::as_map).unwrap_or_default();
    let has_path = branches.iter().any(|branch| branch.value.as_text().is_some());
    has_path || node.kind.is_empty() || ["with", "graph", "branches", "do"].into_iter().any(no_map)
}

fn missing_type(node: &Node) -> Diagnostic {
    Diagnostic::new(Code::MissingType, format!("node `{}` has no type", shorten_name(&node.key)))
        .at(node.key_span)
        .help("add a type, as in `type: tool`")
}

fn metadata_tool(map: &MapReader<'_>) -> Option<Named> {
    let entry = map.get("metadata")?.get("tool")?;
    let name = scalar_text(&entry.value)?;
    (!name.trim().is_empty()).then_some(Named { name, span: entry.value.span })
}

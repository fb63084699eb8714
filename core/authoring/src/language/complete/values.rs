//! Completes keywords, names of nodes, tools and models, and values that a schema allows.

use super::keys::{argument_doc, type_ranks};
use super::{Candidate, Completer, CompletionKind, schemas};
use crate::language::markdown;
use crate::language::partial_graph::{PartialGraph, documentation, nodes, summary};
use crate::language::plan_format::{BEHAVIOURS, DECISIONS, EnumValue, ValueSpec};
use crate::language::syntax_tree::{PathStep, ValueForm};
use crate::language::value_type::ValueType;
use serde_json::Value as Json;
use std::collections::HashSet;
use std::fmt::Write as _;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::tool::{ToolErrorKind, ToolInfo, ToolRegistry};

const FAILURE_CODES: &[EnumValue] = &[
    ("tool/*", "Any failure of a tool."),
    ("model/*", "Any failure of a model."),
    ("node/timeout", "A try took longer than `timeout_ms`."),
    ("handler/failed", "The host's handler failed."),
    ("tool/invalid-result", "A result does not fit the tool's output schema."),
    ("model/failed", "The model's provider failed."),
    ("model/bad-reply", "An answer does not fit its schema."),
    ("template/missing", "A template refers to what is not there."),
    ("agent/turn-limit", "The model asked for calls in its last turn."),
    ("agent/cut-off", "An answer was cut off at `max_tokens`."),
    ("map/not-a-list", "The input of a `map` is no list."),
    ("join/none-completed", "Of the branches or elements, none completed."),
    ("run/visit-limit", "A node was visited too often."),
];

impl Completer<'_, '_> {
    pub(super) fn values(&mut self) {
        match self.spec() {
            ValueSpec::NodeType => self.node_types(),
            ValueSpec::NodeKey => self.node_keys(),
            ValueSpec::NodeId => self.node_ids(),
            ValueSpec::Tool => self.tools(),
            ValueSpec::Model => self.model_names(),
            ValueSpec::Bool => self.words(&[("true", ""), ("false", "")], true),
            ValueSpec::Enum(words) => self.words(words, false),
            ValueSpec::OneOrMany(ValueSpec::FailureCode) | ValueSpec::FailureCode => self.codes(),
            ValueSpec::Behaviour => self.words(BEHAVIOURS, false),
            ValueSpec::Decision => self.words(DECISIONS, false),
            ValueSpec::Format => self.typed_values(&ValueType::from_schema(serde_json::json!({"const": 1}))),
            ValueSpec::Condition => self.condition(),
            ValueSpec::Input | ValueSpec::Template | ValueSpec::NumberTemplate => {
                let free = matches!(self.spec(), ValueSpec::Input);
                if !self.template() && free {
                    let value_type = self.argument_type();
                    self.typed_values(&value_type);
                    self.whole_templates(&value_type);
                }
            }
            ValueSpec::Schema => self.schema_values(),
            ValueSpec::Any if self.is_test_input() => self.typed_values(&self.run_input()),
            _ => {}
        }
    }

    fn node_types(&mut self) {
        for (rank, spec) in type_ranks() {
            self.add_word(rank, CompletionKind::Type, spec.name, "built-in", Some(spec.doc.to_owned()));
        }
        let host = self.inference.capabilities;
        for name in host.types.iter().flat_map(stepgraph_core::interner::NameTable::iter) {
            self.add_word(100, CompletionKind::Type, name, "type of the host", None);
        }
        for (name, tool) in host.tools.iter().flat_map(ToolRegistry::iter) {
            self.tool(150, name, tool);
        }
        // Types of the plan, even if no known host handles them.
        let tree = self.inference.tree;
        let own = self.location.node;
        let known: HashSet<String> = self.completions.iter().map(|(_, found)| found.label.clone()).collect();
        for node in nodes(tree, self.location.graph)
            .into_iter()
            .filter(|node| Some(node.item) != own && !node.kind.is_empty())
        {
            if !known.contains(node.kind.as_ref()) {
                self.add_word(120, CompletionKind::Type, &node.kind, "type of this plan", None);
            }
        }
    }

    fn node_keys(&mut self) {
        let tree = self.inference.tree;
        let graph = PartialGraph::new(tree, self.location.graph);
        let is_key = |key: &str| matches!(self.context.path.last(), Some(PathStep::Key(last)) if last == key);
        let (from, to) = (is_key("from"), is_key("to"));
        // An edge rarely connects a node to itself.
        let other = self.location.edge.and_then(|edge| tree.text_of(edge, if to { "from" } else { "to" }));
        for (at, node) in graph.nodes.iter().enumerate() {
            let open = |ways: &[Vec<usize>]| ways.get(at).is_none_or(Vec::is_empty);
            let likely = if from { open(&graph.after) } else { open(&graph.before) };
            let own = other.as_ref().is_some_and(|other| *other == node.key);
            let rank = u32::from(!likely) + if own { 10 } else { 0 };
            let doc = documentation(tree, node.item).map(|doc| markdown::text(&doc));
            self.add_word(rank, CompletionKind::Node, &node.key, &summary(tree, node.item), doc);
        }
    }

    fn node_ids(&mut self) {
        let tree = self.inference.tree;
        for (rank, node) in (0..).zip(nodes(tree, 0)) {
            let doc = documentation(tree, node.item).map(|doc| markdown::text(&doc));
            self.add_word(rank, CompletionKind::Node, &node.id, &summary(tree, node.item), doc);
        }
    }

    fn tools(&mut self) {
        let given = self.siblings();
        for (rank, (name, tool)) in
            (0..).zip(self.inference.capabilities.tools.iter().flat_map(ToolRegistry::iter))
        {
            if !given.contains(name) {
                self.tool(rank, name, tool);
            }
        }
    }

    fn siblings(&self) -> HashSet<String> {
        let tree = self.tree();
        let at = self.context.holder();
        let list = if tree.item(at).form == ValueForm::List { at } else { tree.item(at).parent };
        if tree.item(list).form != ValueForm::List {
            return HashSet::new();
        }
        let others = tree.children(list).filter(|item| *item != at);
        others.filter_map(|item| tree.scalar(item)).map(std::borrow::Cow::into_owned).collect()
    }

    fn tool(&mut self, rank: u32, name: &str, tool: &ToolInfo) {
        let value_type = ValueType::from_schema(tool.input_schema.clone());
        let needed = value_type
            .properties()
            .into_iter()
            .filter(|property| property.required)
            .map(|property| property.name);
        let takes = needed.map(|name| markdown::code(&name)).collect_vec().join(", ");
        let mut doc = tool.description.as_deref().map(markdown::text).unwrap_or_default();
        if !takes.is_empty() {
            let _ = write!(doc, "\n\nNeeds {takes}.");
        }
        let detail =
            tool.server.as_ref().map_or_else(|| "tool".to_owned(), |server| format!("tool of {server}"));
        self.add_word(rank, CompletionKind::Tool, name, &detail, (!doc.is_empty()).then_some(doc));
        // The filter also matches the qualified name.
        let qualified = tool.qualified();
        if qualified != name
            && let Some((_, found)) = self.completions.last_mut()
        {
            found.filter.push(' ');
            found.filter.push_str(&qualified);
        }
    }

    fn model_names(&mut self) {
        if self.template() {
            return;
        }
        for (rank, name) in (0..).zip(self.models()) {
            self.add_word(rank, CompletionKind::Model, &name, "model", None);
        }
    }

    fn words(&mut self, words: &[EnumValue], bare: bool) {
        for (rank, (word, doc)) in (0..).zip(words) {
            let doc = (!doc.is_empty()).then(|| (*doc).to_owned());
            if bare {
                let text = self.writer.prefix() + word;
                let kind = CompletionKind::Value;
                self.add_edit(Candidate { rank, kind, label: word, detail: "", doc }, text);
            } else {
                self.add_word(rank, CompletionKind::Value, word, "", doc);
            }
        }
    }

    fn codes(&mut self) {
        let given = self.siblings();
        let tools = ToolErrorKind::ALL.iter().map(|fault| (fault.code(), ""));
        for (rank, (code, doc)) in (0..).zip(FAILURE_CODES.iter().copied().chain(tools)) {
            if !given.contains(code) {
                self.add_word(
                    rank,
                    CompletionKind::Value,
                    code,
                    "code",
                    (!doc.is_empty()).then(|| doc.to_owned()),
                );
            }
        }
    }

    pub(super) fn typed_values(&mut self, value_type: &ValueType) {
        for (rank, value) in (0..).zip(value_type.values()) {
            let text = self.writer.json(&value);
            let label = match &value {
                Json::String(text) => text.clone(),
                other => stepgraph_core::value::json_text(other),
            };
            let (kind, detail, doc) =
                (CompletionKind::Value, &value_type.describe(), argument_doc(value_type));
            self.add_edit(Candidate { rank, kind, label: &label, detail, doc }, text);
        }
    }

    fn schema_values(&mut self) {
        let spec = schemas::value(&self.context.path, self.location.free_depth);
        match spec {
            Some(ValueSpec::Enum(words)) => self.words(words, false),
            _ if self.is_required_list() => self.required_names(),
            _ => {}
        }
    }

    fn is_required_list(&self) -> bool {
        let path = &self.context.path;
        let list = path.len().checked_sub(2).and_then(|at| path.get(at));
        matches!((list, path.last()), (Some(PathStep::Key(key)), Some(PathStep::Index(_))) if key == "required")
    }

    fn required_names(&mut self) {
        let tree = self.inference.tree;
        let at = self.context.holder();
        let list = if tree.item(at).form == ValueForm::List { at } else { tree.item(at).parent };
        let Some(properties) = tree.get(tree.item(list).parent, "properties") else { return };
        let given = self.siblings();
        for name in tree.children(properties).filter_map(|item| tree.key(item)).collect_vec() {
            if !given.contains(name.as_ref()) {
                self.add_word(0, CompletionKind::Property, &name, "", None);
            }
        }
    }
}

//! Values: words that are known, names of nodes, tools and models, and what a schema allows.

use super::keys::{argument_doc, type_ranks};
use super::{Asked, CompletionKind, schemas};
use crate::language::markdown;
use crate::language::model::{BEHAVIOURS, DECISIONS, What, Word};
use crate::language::nodes::{Ways, about, described, nodes};
use crate::language::shape::Shape;
use crate::language::sketch::{Form, Step};
use serde_json::Value as Json;
use std::collections::HashSet;
use std::fmt::Write as _;
use stepgraph_core::list::List;
use stepgraph_core::tool::{ToolErrorKind, ToolInfo, ToolRegistry};

/// Codes of failures that are no tool's.
const CODES: &[Word] = &[
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
    ("join/none-completed", "Nothing completed of which one had to."),
    ("run/visit-limit", "A node was visited too often."),
];

impl Asked<'_, '_> {
    /// The values that may stand at the place.
    pub(super) fn values(&mut self) {
        match self.what() {
            What::Kind => self.kinds(),
            What::NodeKey => self.node_keys(),
            What::NodeId => self.node_ids(),
            What::Tool => self.tools(),
            What::Model => self.model_names(),
            What::Truth => self.words(&[("true", ""), ("false", "")], true),
            What::Word(words) => self.words(words, false),
            What::Several(What::FailureCode) | What::FailureCode => self.codes(),
            What::Behaviour => self.words(BEHAVIOURS, false),
            What::Decision => self.words(DECISIONS, false),
            What::Format => self.shaped(&Shape::of(serde_json::json!({"const": 1}))),
            What::Condition => self.condition(),
            What::Input | What::Template => {
                let free = matches!(self.what(), What::Input);
                if !self.template() && free {
                    let shape = self.argument_shape();
                    self.shaped(&shape);
                    self.whole_templates(&shape);
                }
            }
            What::Schema => self.schema_values(),
            What::Any if self.is_test_input() => self.shaped(&self.run_input()),
            _ => {}
        }
    }

    fn kinds(&mut self) {
        for (rank, kind) in type_ranks() {
            self.word(rank, CompletionKind::Type, kind.name, "built-in", Some(kind.doc.to_owned()));
        }
        let host = self.given.host;
        for name in host.types.iter().flat_map(stepgraph_core::names::Names::iter) {
            self.word(100, CompletionKind::Type, name, "type of the host", None);
        }
        for (name, tool) in host.tools.iter().flat_map(ToolRegistry::iter) {
            self.tool(150, name, tool);
        }
        // Types that the plan uses elsewhere, whoever handles them.
        let sketch = self.given.sketch;
        let own = self.meaning.node;
        let known: HashSet<String> = self.found.iter().map(|(_, found)| found.label.clone()).collect();
        for node in nodes(sketch, self.meaning.graph)
            .into_iter()
            .filter(|node| Some(node.item) != own && !node.kind.is_empty())
        {
            if !known.contains(node.kind.as_ref()) {
                self.word(120, CompletionKind::Type, &node.kind, "type of this plan", None);
            }
        }
    }

    fn node_keys(&mut self) {
        let sketch = self.given.sketch;
        let ways = Ways::new(sketch, self.meaning.graph);
        let is_key = |key: &str| matches!(self.place.path.last(), Some(Step::Key(last)) if last == key);
        let (from, to) = (is_key("from"), is_key("to"));
        // An edge rarely leads to its own beginning.
        let other = self.meaning.edge.and_then(|edge| sketch.text_of(edge, if to { "from" } else { "to" }));
        for (at, node) in ways.nodes.iter().enumerate() {
            let open = |ways: &[Vec<usize>]| ways.get(at).is_none_or(Vec::is_empty);
            let likely = if from { open(&ways.after) } else { open(&ways.before) };
            let own = other.as_ref().is_some_and(|other| *other == node.key);
            let rank = u32::from(!likely) + if own { 10 } else { 0 };
            let doc = described(sketch, node.item).map(|doc| markdown::text(&doc));
            self.word(rank, CompletionKind::Node, &node.key, &about(sketch, node.item), doc);
        }
    }

    fn node_ids(&mut self) {
        let sketch = self.given.sketch;
        for (rank, node) in (0..).zip(nodes(sketch, 0)) {
            let doc = described(sketch, node.item).map(|doc| markdown::text(&doc));
            self.word(rank, CompletionKind::Node, &node.id, &about(sketch, node.item), doc);
        }
    }

    fn tools(&mut self) {
        let given = self.siblings();
        for (rank, (name, tool)) in (0..).zip(self.given.host.tools.iter().flat_map(ToolRegistry::iter)) {
            if !given.contains(name) {
                self.tool(rank, name, tool);
            }
        }
    }

    /// The other texts of a list.
    fn siblings(&self) -> HashSet<String> {
        let sketch = self.sketch();
        let at = self.place.holder();
        let list = if sketch.item(at).form == Form::List { at } else { sketch.item(at).parent };
        if sketch.item(list).form != Form::List {
            return HashSet::new();
        }
        let others = sketch.children(list).filter(|item| *item != at);
        others.filter_map(|item| sketch.scalar(item)).map(std::borrow::Cow::into_owned).collect()
    }

    fn tool(&mut self, rank: u32, name: &str, tool: &ToolInfo) {
        let shape = Shape::of(tool.input_schema.clone());
        let needed =
            shape.properties().into_iter().filter(|property| property.required).map(|property| property.name);
        let takes = needed.map(|name| markdown::code(&name)).list().join(", ");
        let mut doc = tool.description.as_deref().map(markdown::text).unwrap_or_default();
        if !takes.is_empty() {
            let _ = write!(doc, "\n\nNeeds {takes}.");
        }
        let detail =
            tool.server.as_ref().map_or_else(|| "tool".to_owned(), |server| format!("tool of {server}"));
        self.word(rank, CompletionKind::Tool, name, &detail, (!doc.is_empty()).then_some(doc));
        // Whoever begins with the server finds its tools, too.
        let qualified = tool.qualified();
        if qualified != name
            && let Some((_, found)) = self.found.last_mut()
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
            self.word(rank, CompletionKind::Model, &name, "model", None);
        }
    }

    fn words(&mut self, words: &[Word], bare: bool) {
        for (rank, (word, doc)) in (0..).zip(words) {
            let doc = (!doc.is_empty()).then(|| (*doc).to_owned());
            if bare {
                let text = self.writer.lead() + word;
                self.put(rank, CompletionKind::Value, word, text, "", doc);
            } else {
                self.word(rank, CompletionKind::Value, word, "", doc);
            }
        }
    }

    fn codes(&mut self) {
        let given = self.siblings();
        let tools = ToolErrorKind::ALL.iter().map(|fault| (fault.code(), ""));
        for (rank, (code, doc)) in (0..).zip(CODES.iter().copied().chain(tools)) {
            if !given.contains(code) {
                self.word(
                    rank,
                    CompletionKind::Value,
                    code,
                    "code",
                    (!doc.is_empty()).then(|| doc.to_owned()),
                );
            }
        }
    }

    /// The values that a schema names.
    pub(super) fn shaped(&mut self, shape: &Shape) {
        for (rank, value) in (0..).zip(shape.values()) {
            let text = self.writer.json(&value);
            let label = match &value {
                Json::String(text) => text.clone(),
                other => stepgraph_core::value::json_text(other),
            };
            self.put(rank, CompletionKind::Value, &label, text, &shape.kind(), argument_doc(shape));
        }
    }

    fn schema_values(&mut self) {
        let what = schemas::value(&self.place.path, self.meaning.inside);
        match what {
            Some(What::Word(words)) => self.words(words, false),
            _ if self.is_required_list() => self.required_names(),
            _ => {}
        }
    }

    /// Whether the place is in the list of names that must be there.
    fn is_required_list(&self) -> bool {
        let path = &self.place.path;
        let list = path.len().checked_sub(2).and_then(|at| path.get(at));
        matches!((list, path.last()), (Some(Step::Key(key)), Some(Step::Index(_))) if key == "required")
    }

    /// The entries that a schema speaks of, and does not yet require.
    fn required_names(&mut self) {
        let sketch = self.given.sketch;
        let at = self.place.holder();
        let list = if sketch.item(at).form == Form::List { at } else { sketch.item(at).parent };
        let Some(properties) = sketch.get(sketch.item(list).parent, "properties") else { return };
        let given = self.siblings();
        for name in sketch.children(properties).filter_map(|item| sketch.key(item)).list() {
            if !given.contains(name.as_ref()) {
                self.word(0, CompletionKind::Property, &name, "", None);
            }
        }
    }
}

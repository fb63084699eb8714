//! Keys of maps: those that may stand there and do not yet.

use super::{Asked, CompletionKind, schemas};
use crate::language::Completion;
use crate::language::given::{Given, segments};
use crate::language::markdown::{self, code};
use crate::language::model::{BEHAVIOUR, Field, Meaning, NODE, Names, What, built_in, kinds};
use crate::language::nodes::{about, described, edges, nodes};
use crate::language::shape::Shape;
use crate::language::sketch::{Form, Step};
use std::collections::HashSet;
use stepgraph_core::diagnostic::TextEdit;
use stepgraph_core::list::List;

/// A key that can be written.
pub(super) struct Proposal<'p> {
    pub(super) key: &'p str,
    pub(super) value: What,
    pub(super) detail: String,
    pub(super) doc: Option<String>,
    pub(super) required: bool,
    pub(super) rank: u32,
}

impl Asked<'_, '_> {
    /// The keys of the map at the place.
    pub(super) fn keys(&mut self) {
        match self.what() {
            What::Map(object) => {
                let fields: Vec<&Field> = object.fields.iter().list();
                let fields = if object.what == NODE.what { self.fitting(&fields) } else { fields };
                self.fields(&fields);
            }
            What::Settings => {
                let kind = self.meaning.kind(self.sketch());
                let settings = kind.and_then(|kind| built_in(&kind)).map_or(&[][..], |kind| kind.settings);
                self.fields(&settings.iter().list());
            }
            What::Behaviour => self.fields(&BEHAVIOUR.fields.iter().list()),
            What::Named(names, inner) => self.names(names, *inner),
            What::Input => self.arguments(),
            What::Schema => self.schema_keys(),
            What::Any if self.is_test_input() => self.properties(&self.run_input()),
            _ => {}
        }
    }

    /// The keys that are there already, but for the one at hand.
    fn taken(&self) -> HashSet<String> {
        let holder = self.place.holder();
        if self.sketch().item(holder).form != Form::Map {
            return HashSet::new();
        }
        let own = self.place.entry;
        let others = self.sketch().children(holder).filter(|child| Some(*child) != own);
        others.filter_map(|child| self.sketch().key(child)).map(std::borrow::Cow::into_owned).collect()
    }

    /// The keys of a node, those that its type needs first; those of other types last.
    fn fitting<'f>(&self, fields: &[&'f Field]) -> Vec<&'f Field> {
        let holder = self.place.holder();
        let kind = self.sketch().text_of(holder, "type").unwrap_or_default();
        let needs = built_in(&kind).map_or(&[][..], |kind| kind.needs);
        let special = ["tool", "graph", "branches", "do"];
        let first = |field: &&&Field| field.required || needs.contains(&field.key);
        let other = |field: &&&Field| special.contains(&field.key) && !needs.contains(&field.key);
        let middle = fields.iter().filter(|field| !first(field) && !other(field));
        let last: Vec<_> =
            fields.iter().filter(other).filter(|_| kind.is_empty() || built_in(&kind).is_none()).list();
        fields.iter().filter(first).chain(middle).chain(last).copied().list()
    }

    fn fields(&mut self, fields: &[&Field]) {
        for (rank, field) in (0..).zip(fields) {
            let doc = if field.required { format!("{} Required.", field.doc) } else { field.doc.to_owned() };
            let detail = field.value.describe().to_owned();
            self.propose(&Proposal {
                key: field.key,
                value: field.value,
                detail,
                doc: Some(doc),
                required: field.required,
                rank,
            });
        }
    }

    pub(super) fn propose(&mut self, proposal: &Proposal<'_>) {
        if proposal.key.trim().is_empty() || self.taken().contains(proposal.key) {
            return;
        }
        let needs: Vec<(&str, What)> = match proposal.value {
            What::Map(object) => object
                .fields
                .iter()
                .filter(|field| field.required)
                .map(|field| (field.key, field.value))
                .list(),
            _ => Vec::new(),
        };
        let (text, snippet) = self.writer.entry(proposal.key, proposal.value, &needs);
        let edit = TextEdit { span: self.place.span, text };
        let again = !matches!(
            proposal.value,
            What::Text | What::Prose | What::Number { .. } | What::Any | What::Pair
        );
        let rank = proposal.rank + if proposal.required { 0 } else { 100 };
        self.add(
            rank,
            Completion {
                label: proposal.key.to_owned(),
                kind: CompletionKind::Key,
                detail: (!proposal.detail.is_empty()).then(|| proposal.detail.clone()),
                documentation: proposal.doc.clone(),
                edit,
                snippet,
                filter: self.writer.filter(proposal.key),
                again,
            },
        );
    }

    /// Names that stand for something.
    fn names(&mut self, names: Names, value: What) {
        let sketch = self.given.sketch;
        match names {
            Names::NodeKeys | Names::NodeIds => {
                let graph = self.meaning.graph;
                for (rank, node) in (0..).zip(nodes(sketch, graph)) {
                    let key = if names == Names::NodeKeys { &node.key } else { &node.id };
                    let doc = described(sketch, node.item).map(|doc| markdown::text(&doc));
                    self.propose(&Proposal {
                        key,
                        value,
                        detail: about(sketch, node.item),
                        doc,
                        required: false,
                        rank,
                    });
                }
            }
            Names::Nodes => self.missing_nodes(value),
            Names::Tools => {
                for (rank, (name, tool)) in
                    (0..).zip(self.given.host.tools.iter().flat_map(stepgraph_core::tool::ToolRegistry::iter))
                {
                    let doc = tool.description.as_deref().map(markdown::text);
                    self.propose(&Proposal {
                        key: name,
                        value,
                        detail: "tool".to_owned(),
                        doc,
                        required: false,
                        rank,
                    });
                }
                let named = nodes(sketch, 0).into_iter().filter_map(|node| sketch.text_of(node.item, "tool"));
                for name in named {
                    self.propose(&Proposal {
                        key: &name,
                        value,
                        detail: "tool of this plan".to_owned(),
                        doc: None,
                        required: false,
                        rank: 50,
                    });
                }
            }
            Names::Kinds => {
                for node in nodes(sketch, 0).into_iter().filter(|node| !node.kind.is_empty()) {
                    let doc = built_in(&node.kind).map(|kind| kind.doc.to_owned());
                    let rank = u32::from(doc.is_some()) * 50;
                    self.propose(&Proposal {
                        key: &node.kind,
                        value,
                        detail: "type of this plan".to_owned(),
                        doc,
                        required: false,
                        rank,
                    });
                }
            }
            Names::Models => {
                for name in self.models() {
                    self.propose(&Proposal {
                        key: &name,
                        value,
                        detail: "model".to_owned(),
                        doc: None,
                        required: false,
                        rank: 0,
                    });
                }
            }
            Names::Own => {}
        }
    }

    /// Nodes that edges speak of and that are not there.
    fn missing_nodes(&mut self, value: What) {
        let sketch = self.given.sketch;
        let graph = self.meaning.graph;
        let start = sketch.text_of(graph, "start");
        let ends = edges(sketch, graph).into_iter().flat_map(|edge| [edge.from, edge.to]);
        let there: HashSet<_> = nodes(sketch, graph)
            .into_iter()
            .filter(|node| Some(node.item) != self.place.entry)
            .map(|node| node.key)
            .collect();
        for name in start.into_iter().chain(ends).filter(|name| !name.is_empty() && !there.contains(name)) {
            let detail = "an edge leads here".to_owned();
            self.propose(&Proposal { key: &name, value, detail, doc: None, required: false, rank: 0 });
        }
    }

    /// The arguments of the tool that a node calls.
    fn arguments(&mut self) {
        let shape = self.argument_shape();
        self.properties(&shape);
    }

    /// What the value at the place must be, where it is an argument of a tool.
    pub(super) fn argument_shape(&self) -> Shape {
        let inner = self.place.path.len().saturating_sub(self.meaning.inside);
        let path = segments(self.place.path.get(inner..).unwrap_or_default());
        arguments_of(&self.given, &self.meaning).at(&path)
    }

    pub(super) fn properties(&mut self, shape: &Shape) {
        for (rank, property) in (0..).zip(shape.properties()) {
            let kind = property.shape.kind();
            let value = match kind.as_str() {
                "map" => What::Map(&NOTHING),
                "list" => What::List(&What::Any),
                "text" => What::Text,
                _ => What::Any,
            };
            let detail = if property.required { format!("{kind}, required") } else { kind };
            let doc = argument_doc(&property.shape);
            self.propose(&Proposal {
                key: &property.name,
                value,
                detail,
                doc,
                required: property.required,
                rank,
            });
        }
    }

    /// Whether the place is in the input of a test.
    pub(super) fn is_test_input(&self) -> bool {
        let key = |step: &Step<'_>, name: &str| matches!(step, Step::Key(key) if key == name);
        match self.place.path.as_slice() {
            [tests, Step::Index(_), input, ..] => key(tests, "tests") && key(input, "input"),
            _ => false,
        }
    }

    /// What a run of the plan must be given, at the place in the input of a test.
    pub(super) fn run_input(&self) -> Shape {
        let path = segments(self.place.path.get(3..).unwrap_or_default());
        self.given.run_input().at(&path)
    }

    fn schema_keys(&mut self) {
        if schemas::names_are_free(&self.place.path, self.meaning.inside) {
            return;
        }
        for (rank, (key, value, doc)) in (0..).zip(schemas::KEYWORDS) {
            let detail = value.describe().to_owned();
            self.propose(&Proposal {
                key,
                value: *value,
                detail,
                doc: Some((*doc).to_owned()),
                required: false,
                rank,
            });
        }
    }

    /// Maps as items of a list.
    pub(super) fn items(&mut self) {
        let What::Map(object) = self.what() else { return };
        let fields: Vec<&Field> = object.fields.iter().filter(|field| field.required).list();
        // As the item before is written.
        let sketch = self.sketch();
        let flow = sketch
            .children(self.place.holder())
            .last()
            .map_or(object.what == "an edge", |item| sketch.item(item).flow);
        let (text, snippet) = self.writer.map(&fields, flow || self.place.flow);
        let lead = self.writer.lead();
        let names = fields.iter().map(|field| field.key).list().join(", ");
        self.add(
            0,
            Completion {
                label: format!("{{{names}}}"),
                kind: CompletionKind::Snippet,
                detail: Some(object.what.to_owned()),
                documentation: self.meaning.field.map(|field| field.doc.to_owned()),
                edit: TextEdit { span: self.place.span, text: format!("{lead}{text}") },
                snippet: Some(format!("{lead}{snippet}")),
                filter: lead + names.as_str(),
                again: false,
            },
        );
    }

    pub(super) fn models(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .given
            .host
            .models
            .iter()
            .flat_map(stepgraph_core::names::Names::iter)
            .map(str::to_owned)
            .list();
        if !names.iter().any(|name| name == "default") {
            names.push("default".to_owned());
        }
        names
    }
}

/// A map of which nothing is known.
static NOTHING: crate::language::model::Object =
    crate::language::model::Object { what: "a map", fields: &[] };

/// What the input of a node must be: the arguments of the tool that it calls.
pub(crate) fn arguments_of(given: &Given<'_, '_>, meaning: &Meaning) -> Shape {
    let Some(node) = meaning.node else { return Shape::default() };
    let kind = given.sketch.text_of(node, "type").unwrap_or_default();
    let name = if kind == "tool" { given.sketch.text_of(node, "tool").unwrap_or_default() } else { kind };
    let tool = given.host.tools.as_ref().and_then(|tools| tools.get(&name));
    tool.map_or_else(Shape::default, |tool| Shape::of(tool.input_schema.clone()))
}

/// Whether the arguments of a tool are known at a place.
pub(crate) fn is_argument(given: &Given<'_, '_>, meaning: &Meaning) -> bool {
    arguments_of(given, meaning).is_known()
}

/// What a schema says of an argument.
pub(crate) fn argument_doc(shape: &Shape) -> Option<String> {
    let mut parts: Vec<String> = shape.description().map(|text| markdown::text(&text)).into_iter().list();
    let values = shape.values();
    if !values.is_empty() {
        let shown = values
            .iter()
            .take(12)
            .map(|value| code(&stepgraph_core::value::json_text(value)))
            .list()
            .join(", ");
        parts.push(format!("One of {shown}."));
    }
    parts.extend(shape.usual().map(|value| format!("{} unless given.", code(&value))));
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// The types that may stand for a node, the common ones first.
pub(super) fn type_ranks() -> impl Iterator<Item = (u32, &'static crate::language::model::Kind)> {
    (0..).zip(kinds()).map(|(rank, kind)| (if kind.common { rank } else { 200 + rank }, kind))
}

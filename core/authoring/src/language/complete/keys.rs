//! Completes a map's keys.

use super::{Completer, CompletionKind, schemas};
use crate::language::Completion;
use crate::language::inference::{Inference, segments};
use crate::language::markdown::{self, code};
use crate::language::partial_graph::{documentation, edges, nodes, summary};
use crate::language::plan_format::{
    BEHAVIOUR, FieldSpec, KeyNames, NODE, PlanLocation, ValueSpec, built_in, node_types,
};
use crate::language::syntax_tree::{PathStep, ValueForm};
use crate::language::value_type::ValueType;
use std::collections::HashSet;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::TextEdit;

pub(super) struct Proposal<'p> {
    pub(super) key: &'p str,
    pub(super) value: ValueSpec,
    pub(super) detail: String,
    pub(super) doc: Option<String>,
    pub(super) required: bool,
    pub(super) rank: u32,
}

impl Completer<'_, '_> {
    pub(super) fn keys(&mut self) {
        match self.spec() {
            ValueSpec::Map(map_spec) => {
                let fields: Vec<&FieldSpec> = map_spec.fields.iter().collect_vec();
                let fields =
                    if map_spec.title == NODE.title { self.applicable_fields(&fields) } else { fields };
                self.fields(&fields);
            }
            ValueSpec::Settings => {
                let kind = self.location.node_type(self.tree());
                let settings = kind.and_then(|kind| built_in(&kind)).map_or(&[][..], |spec| spec.settings);
                self.fields(&settings.iter().collect_vec());
            }
            ValueSpec::Behaviour => self.fields(&BEHAVIOUR.fields.iter().collect_vec()),
            ValueSpec::Named(names, inner) => self.names(names, *inner),
            ValueSpec::Input => self.arguments(),
            ValueSpec::Schema => self.schema_keys(),
            ValueSpec::Any if self.is_test_input() => self.properties(&self.run_input()),
            _ => {}
        }
    }

    fn present_keys(&self) -> HashSet<String> {
        let holder = self.context.holder();
        if self.tree().item(holder).form != ValueForm::Map {
            return HashSet::new();
        }
        let own = self.context.entry;
        let others = self.tree().children(holder).filter(|child| Some(*child) != own);
        others.filter_map(|child| self.tree().key(child)).map(std::borrow::Cow::into_owned).collect()
    }

    /// Keys of other types come last.
    fn applicable_fields<'f>(&self, fields: &[&'f FieldSpec]) -> Vec<&'f FieldSpec> {
        let holder = self.context.holder();
        let kind = self.tree().text_of(holder, "type").unwrap_or_default();
        let needs = built_in(&kind).map_or(&[][..], |spec| spec.required_keys);
        let special = ["tool", "graph", "branches", "do"];
        let first = |field: &&&FieldSpec| field.required || needs.contains(&field.key);
        let other = |field: &&&FieldSpec| special.contains(&field.key) && !needs.contains(&field.key);
        let middle = fields.iter().filter(|field| !first(field) && !other(field));
        let last: Vec<_> = fields
            .iter()
            .filter(other)
            .filter(|_| kind.is_empty() || built_in(&kind).is_none())
            .collect_vec();
        fields.iter().filter(first).chain(middle).chain(last).copied().collect_vec()
    }

    fn fields(&mut self, fields: &[&FieldSpec]) {
        for (rank, field) in (0..).zip(fields) {
            let doc = if field.required { format!("{} Required.", field.doc) } else { field.doc.to_owned() };
            let detail = field.value.describe().to_owned();
            self.add_key(&Proposal {
                key: field.key,
                value: field.value,
                detail,
                doc: Some(doc),
                required: field.required,
                rank,
            });
        }
    }

    pub(super) fn add_key(&mut self, proposal: &Proposal<'_>) {
        if proposal.key.trim().is_empty() || self.present_keys().contains(proposal.key) {
            return;
        }
        let needs: Vec<(&str, ValueSpec)> = match proposal.value {
            ValueSpec::Map(map_spec) => map_spec
                .fields
                .iter()
                .filter(|field| field.required)
                .map(|field| (field.key, field.value))
                .collect_vec(),
            _ => Vec::new(),
        };
        let (text, snippet) = self.writer.entry(proposal.key, proposal.value, &needs);
        let edit = TextEdit { span: self.context.span, text };
        let again = !matches!(
            proposal.value,
            ValueSpec::Text | ValueSpec::Prose | ValueSpec::Number { .. } | ValueSpec::Any | ValueSpec::Pair
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
                retriggers: again,
            },
        );
    }

    fn names(&mut self, names: KeyNames, value: ValueSpec) {
        let tree = self.inference.tree;
        match names {
            KeyNames::NodeKeys | KeyNames::NodeIds => {
                let graph = self.location.graph;
                for (rank, node) in (0..).zip(nodes(tree, graph)) {
                    let key = if names == KeyNames::NodeKeys { &node.key } else { &node.id };
                    let doc = documentation(tree, node.item).map(|doc| markdown::text(&doc));
                    self.add_key(&Proposal {
                        key,
                        value,
                        detail: summary(tree, node.item),
                        doc,
                        required: false,
                        rank,
                    });
                }
            }
            KeyNames::DeclaredNodes => self.missing_nodes(value),
            KeyNames::Tools => {
                for (rank, (name, tool)) in (0..).zip(
                    self.inference
                        .capabilities
                        .tools
                        .iter()
                        .flat_map(stepgraph_core::tool::ToolRegistry::iter),
                ) {
                    let doc = tool.description.as_deref().map(markdown::text);
                    self.add_key(&Proposal {
                        key: name,
                        value,
                        detail: "tool".to_owned(),
                        doc,
                        required: false,
                        rank,
                    });
                }
                let named = nodes(tree, 0).into_iter().filter_map(|node| tree.text_of(node.item, "tool"));
                for name in named {
                    self.add_key(&Proposal {
                        key: &name,
                        value,
                        detail: "tool of this plan".to_owned(),
                        doc: None,
                        required: false,
                        rank: 50,
                    });
                }
            }
            KeyNames::NodeTypes => {
                for node in nodes(tree, 0).into_iter().filter(|node| !node.kind.is_empty()) {
                    let doc = built_in(&node.kind).map(|spec| spec.doc.to_owned());
                    let rank = u32::from(doc.is_some()) * 50;
                    self.add_key(&Proposal {
                        key: &node.kind,
                        value,
                        detail: "type of this plan".to_owned(),
                        doc,
                        required: false,
                        rank,
                    });
                }
            }
            KeyNames::Models => {
                for name in self.models() {
                    self.add_key(&Proposal {
                        key: &name,
                        value,
                        detail: "model".to_owned(),
                        doc: None,
                        required: false,
                        rank: 0,
                    });
                }
            }
            KeyNames::Declared => {}
        }
    }

    fn missing_nodes(&mut self, value: ValueSpec) {
        let tree = self.inference.tree;
        let graph = self.location.graph;
        let start = tree.text_of(graph, "start");
        let ends = edges(tree, graph).into_iter().flat_map(|edge| [edge.from, edge.to]);
        let there: HashSet<_> = nodes(tree, graph)
            .into_iter()
            .filter(|node| Some(node.item) != self.context.entry)
            .map(|node| node.key)
            .collect();
        for name in start.into_iter().chain(ends).filter(|name| !name.is_empty() && !there.contains(name)) {
            let detail = "an edge leads here".to_owned();
            self.add_key(&Proposal { key: &name, value, detail, doc: None, required: false, rank: 0 });
        }
    }

    fn arguments(&mut self) {
        let value_type = self.argument_type();
        self.properties(&value_type);
    }

    pub(super) fn argument_type(&self) -> ValueType {
        let inner = self.context.path.len().saturating_sub(self.location.free_depth);
        let path = segments(self.context.path.get(inner..).unwrap_or_default());
        arguments_of(&self.inference, &self.location).at(&path)
    }

    pub(super) fn properties(&mut self, value_type: &ValueType) {
        for (rank, property) in (0..).zip(value_type.properties()) {
            let kind = property.value_type.describe();
            let value = match kind.as_str() {
                "map" => ValueSpec::Map(&UNKNOWN_MAP),
                "list" => ValueSpec::List(&ValueSpec::Any),
                "text" => ValueSpec::Text,
                _ => ValueSpec::Any,
            };
            let detail = if property.required { format!("{kind}, required") } else { kind };
            let doc = argument_doc(&property.value_type);
            self.add_key(&Proposal {
                key: &property.name,
                value,
                detail,
                doc,
                required: property.required,
                rank,
            });
        }
    }

    pub(super) fn is_test_input(&self) -> bool {
        let key = |step: &PathStep<'_>, name: &str| matches!(step, PathStep::Key(key) if key == name);
        match self.context.path.as_slice() {
            [tests, PathStep::Index(_), input, ..] => key(tests, "tests") && key(input, "input"),
            _ => false,
        }
    }

    pub(super) fn run_input(&self) -> ValueType {
        let path = segments(self.context.path.get(3..).unwrap_or_default());
        self.inference.run_input().at(&path)
    }

    fn schema_keys(&mut self) {
        if schemas::names_are_free(&self.context.path, self.location.free_depth) {
            return;
        }
        for (rank, (key, value, doc)) in (0..).zip(schemas::KEYWORDS) {
            let detail = value.describe().to_owned();
            self.add_key(&Proposal {
                key,
                value: *value,
                detail,
                doc: Some((*doc).to_owned()),
                required: false,
                rank,
            });
        }
    }

    pub(super) fn items(&mut self) {
        let ValueSpec::Map(map_spec) = self.spec() else { return };
        let fields: Vec<&FieldSpec> = map_spec.fields.iter().filter(|field| field.required).collect_vec();
        // Use the previous item's style.
        let tree = self.tree();
        let flow = tree
            .children(self.context.holder())
            .last()
            .map_or(map_spec.title == "an edge", |item| tree.item(item).flow);
        let (text, snippet) = self.writer.map(&fields, flow || self.context.flow);
        let lead = self.writer.prefix();
        let names = fields.iter().map(|field| field.key).collect_vec().join(", ");
        self.add(
            0,
            Completion {
                label: format!("{{{names}}}"),
                kind: CompletionKind::Snippet,
                detail: Some(map_spec.title.to_owned()),
                documentation: self.location.field.map(|field| field.doc.to_owned()),
                edit: TextEdit { span: self.context.span, text: format!("{lead}{text}") },
                snippet: Some(format!("{lead}{snippet}")),
                filter: lead + names.as_str(),
                retriggers: false,
            },
        );
    }

    pub(super) fn models(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .inference
            .capabilities
            .models
            .iter()
            .flat_map(stepgraph_core::interner::NameTable::iter)
            .map(str::to_owned)
            .collect_vec();
        if !names.iter().any(|name| name == "default") {
            names.push("default".to_owned());
        }
        names
    }
}

static UNKNOWN_MAP: crate::language::plan_format::MapSpec =
    crate::language::plan_format::MapSpec { title: "a map", fields: &[] };

pub(crate) fn arguments_of(inference: &Inference<'_, '_>, location: &PlanLocation) -> ValueType {
    let Some(node) = location.node else { return ValueType::default() };
    let kind = inference.tree.text_of(node, "type").unwrap_or_default();
    let name = if kind == "tool" { inference.tree.text_of(node, "tool").unwrap_or_default() } else { kind };
    let tool = inference.capabilities.tools.as_ref().and_then(|tools| tools.get(&name));
    tool.map_or_else(ValueType::default, |tool| ValueType::from_schema(tool.input_schema.clone()))
}

pub(crate) fn is_argument(inference: &Inference<'_, '_>, location: &PlanLocation) -> bool {
    arguments_of(inference, location).is_known()
}

pub(crate) fn argument_doc(value_type: &ValueType) -> Option<String> {
    let mut parts: Vec<String> =
        value_type.description().map(|text| markdown::text(&text)).into_iter().collect_vec();
    let values = value_type.values();
    if !values.is_empty() {
        let shown = values
            .iter()
            .take(12)
            .map(|value| code(&stepgraph_core::value::json_text(value)))
            .collect_vec()
            .join(", ");
        parts.push(format!("One of {shown}."));
    }
    parts.extend(value_type.default_value().map(|value| format!("By default {}.", code(&value))));
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

pub(super) fn type_ranks() -> impl Iterator<Item = (u32, &'static crate::language::plan_format::NodeTypeSpec)>
{
    (0..).zip(node_types()).map(|(rank, spec)| (if spec.is_common { rank } else { 200 + rank }, spec))
}

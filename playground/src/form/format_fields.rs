//! Fields from the core's tables. `untyped_fields` shows other keys.

use super::build::{FieldTarget, FormBuilder};
use super::labels;
use super::{Addition, Choice, Control, Field};
use serde_json::{Value as Json, json};
use std::collections::HashSet;
use stepgraph_authoring::language::plan_format::{
    EnumValue, FieldSpec as Known, KeyNames, MapSpec, ValueSpec, node_types,
};
use stepgraph_core::interner::Interner;
use stepgraph_core::source::{Spanned, ValueKind};
use stepgraph_core::tool::ToolRegistry;

/// Codes that users handle most.
const COMMON_CODES: [&str; 8] = [
    "tool/*",
    "tool/failed",
    "tool/invalid-arguments",
    "model/*",
    "model/failed",
    "handler/failed",
    "node/timeout",
    "template/missing",
];

impl<'d> FormBuilder<'d> {
    pub(super) fn key_field(&mut self, spec: &'static Known, target: &FieldTarget<'d>) -> String {
        let label = labels::label(spec, self.lang);
        let mut field = self.field_by_spec(spec.value, target, label.name.to_owned());
        field.help = label.help;
        field.default_text = labels::default_text(spec, self.lang);
        field.is_required = spec.required;
        self.add_field(field)
    }

    fn field_by_spec(&mut self, what: ValueSpec, target: &FieldTarget<'d>, label: String) -> Field {
        let control = match what {
            ValueSpec::Map(object) => return self.map_field(object, target, label),
            ValueSpec::Named(names, inner) => return self.named_map_field(names, *inner, target, label),
            ValueSpec::List(inner) => return self.list_field(*inner, target, label),
            ValueSpec::OneOrMany(inner) => {
                let only_choice = target.value_kind().is_some_and(|kind| !matches!(kind, ValueKind::List(_)));
                return if only_choice {
                    self.field_by_spec(*inner, target, label)
                } else {
                    self.list_field(*inner, target, label)
                };
            }
            ValueSpec::Input | ValueSpec::Any | ValueSpec::Settings => {
                let mut field = self.untyped_field(target, matches!(what, ValueSpec::Input));
                field.label = label;
                return field;
            }
            ValueSpec::Schema => return self.schema_editor_field(target, label),
            ValueSpec::Text => Control::Text { is_multiline: false },
            ValueSpec::Prose | ValueSpec::Template => Control::Text { is_multiline: true },
            ValueSpec::Bool => Control::Boolean,
            ValueSpec::Number { min, max, integer } => {
                Control::Number { min: Some(f64::from(min)), max: max.map(f64::from), is_integer: integer }
            }
            ValueSpec::NumberTemplate => Control::Number { min: Some(0.0), max: None, is_integer: false },
            ValueSpec::Enum(words) => {
                Control::Choice(words.iter().map(|word| self.enum_choice(word)).collect())
            }
            ValueSpec::Format => Control::Choice(vec![plain_choice(json!(1))]),
            ValueSpec::Condition => Control::Condition,
            ValueSpec::NodeKey => {
                Control::Choice(self.target.nodes().map(|key| plain_choice(json!(key))).collect())
            }
            ValueSpec::NodeId => {
                Control::Combobox(self.target.nodes().map(|key| plain_choice(json!(key))).collect())
            }
            ValueSpec::NodeType => Control::Combobox(self.type_choices()),
            ValueSpec::Tool => Control::Combobox(self.tool_choices()),
            ValueSpec::Model => Control::Combobox(self.model_choices()),
            ValueSpec::FailureCode => {
                Control::Combobox(COMMON_CODES.iter().map(|code| plain_choice(json!(code))).collect())
            }
            ValueSpec::Pair | ValueSpec::Behaviour | ValueSpec::Decision => {
                return self.raw_field(target, label);
            }
        };
        let mut field = self.field(target, label, control);
        field.is_template =
            matches!(what, ValueSpec::Template | ValueSpec::NumberTemplate | ValueSpec::Model);
        self.or_raw(field, target)
    }

    /// Falls back to text for maps and lists.
    pub(super) fn or_raw(&mut self, field: Field, target: &FieldTarget<'d>) -> Field {
        let holds_more = matches!(target.value_kind(), Some(ValueKind::List(_) | ValueKind::Map(_)));
        if !holds_more {
            return field;
        }
        let shown = self.raw_field(target, field.label.clone());
        Field { control: shown.control, source: shown.source, ..field }
    }

    pub(super) fn raw_field(&mut self, target: &FieldTarget<'d>, label: String) -> Field {
        let mut field = self.field(target, label, Control::Raw);
        field.source = Some(target.value.map(|value| self.source_text(value)).unwrap_or_default());
        field
    }

    fn map_field(&mut self, object: &'static MapSpec, target: &FieldTarget<'d>, label: String) -> Field {
        if !self.can_nest(target)
            || target.value_kind().is_some_and(|kind| !matches!(kind, ValueKind::Map(_)))
        {
            return self.raw_field(target, label);
        }
        let mut field = self.field(target, label, Control::Group);
        field.children =
            object.fields.iter().map(|spec| self.key_field(spec, &target.child(spec.key))).collect();
        // Nothing is missing from a map that the plan does without.
        for child in field.children.iter().filter(|_| target.value.is_none()) {
            self.fields.entry(child.clone()).and_modify(|child| child.is_required = false);
        }
        let entries = target.value.and_then(Spanned::as_map).unwrap_or_default();
        for entry in entries.iter().filter(|entry| object.field(&entry.key).is_none()) {
            let mut unknown = self.untyped_field(&target.child(&entry.key), false);
            unknown.is_removable = true;
            let id = self.add_field(unknown);
            field.children.push(id);
        }
        field
    }

    fn named_map_field(
        &mut self,
        names: KeyNames,
        inner: ValueSpec,
        target: &FieldTarget<'d>,
        label: String,
    ) -> Field {
        let entries = target.value.and_then(Spanned::as_map);
        if !self.can_nest(target) || (target.value_kind().is_some() && entries.is_none()) {
            return self.raw_field(target, label);
        }
        let entries = entries.unwrap_or_default();
        let mut field = self.field(target, label, Control::Group);
        for entry in entries {
            if self.remaining_fields() == 0 {
                field.hidden_count += 1;
                continue;
            }
            let mut child = self.field_by_spec(inner, &target.child(&entry.key), entry.key.clone());
            child.is_removable = true;
            let id = self.add_field(child);
            field.children.push(id);
        }
        let known: Vec<String> = match names {
            KeyNames::NodeKeys | KeyNames::NodeIds => self.target.nodes().map(str::to_owned).collect(),
            KeyNames::Tools => self.tool_choices().into_iter().map(|choice| choice.label).collect(),
            _ => Vec::new(),
        };
        let is_new = |name: &String| !entries.iter().any(|entry| entry.key == *name);
        let choice = |label: String| Choice { value: initial_value(inner), label, help: String::new() };
        let choices = known.into_iter().filter(is_new).map(choice).collect();
        field.addition = Some(Addition::Entry {
            known_names: choices,
            accepts_any_name: true,
            initial_value: initial_value(inner),
        });
        field
    }

    fn list_field(&mut self, inner: ValueSpec, target: &FieldTarget<'d>, label: String) -> Field {
        let items = target.value.and_then(Spanned::as_list);
        if !self.can_nest(target) || (target.value_kind().is_some() && items.is_none()) {
            return self.raw_field(target, label);
        }
        let items = items.unwrap_or_default();
        let mut field = self.field(target, label, Control::Group);
        for (at, item) in items.iter().enumerate() {
            if self.remaining_fields() == 0 {
                field.hidden_count += 1;
                continue;
            }
            let target = target.item(at, item);
            let label =
                item.get("name").and_then(|entry| entry.value.as_text()).unwrap_or(&target.key).to_owned();
            let mut child = self.field_by_spec(inner, &target, label);
            child.is_removable = true;
            child.item = Some((at, items.len()));
            let id = self.add_field(child);
            field.children.push(id);
        }
        field.addition = Some(Addition::Item { initial_value: initial_value(inner) });
        field
    }

    fn enum_choice(&self, (word, doc): &EnumValue) -> Choice {
        Choice { value: json!(word), label: (*word).to_owned(), help: labels::translate_doc(doc, self.lang) }
    }

    pub(super) fn type_choices(&self) -> Vec<Choice> {
        let built_in = node_types().iter().filter(|kind| kind.is_common).map(|kind| Choice {
            value: json!(kind.name),
            label: kind.name.to_owned(),
            help: labels::node_type_help(kind, self.lang),
        });
        let host = self.target.document.capabilities().types.iter().flat_map(Interner::iter);
        let own = host.map(|name| plain_choice(json!(name)));
        // Types hide tools of the same name, except from `type: tool`.
        let mut known = HashSet::new();
        let is_first = |choice: &Choice| known.insert(choice.label.clone());
        built_in.chain(own).chain(self.tool_choices()).filter(is_first).collect()
    }

    fn tool_choices(&self) -> Vec<Choice> {
        let tools = self.target.document.capabilities().tools.iter().flat_map(ToolRegistry::iter);
        let tool = |(name, tool): (&str, &stepgraph_core::tool::ToolInfo)| Choice {
            value: json!(name),
            label: name.to_owned(),
            help: tool.description.clone().unwrap_or_default(),
        };
        tools.map(tool).collect()
    }

    fn model_choices(&self) -> Vec<Choice> {
        let known = self.target.document.capabilities().models.iter().flat_map(Interner::iter);
        let mut all: Vec<&str> = known.collect();
        if !all.contains(&"default") {
            all.insert(0, "default");
        }
        all.into_iter().map(|name| plain_choice(json!(name))).collect()
    }

    pub(super) fn tool_of(&self, kind: &str) -> Option<String> {
        let named = || {
            let metadata = self.target.value.get("metadata").and_then(|entry| entry.value.get("tool"));
            self.target.text("tool").or_else(|| metadata.and_then(|entry| entry.value.as_text()))
        };
        let name = if kind == "tool" { named()? } else { kind };
        self.target.document.capabilities().has_tool(name).then(|| name.to_owned())
    }

    pub(super) fn input_schema(&self, tool: &str) -> Option<Json> {
        let tools = self.target.document.capabilities().tools.as_ref()?;
        Some(tools.get(tool)?.input_schema.clone())
    }
}

pub(super) fn plain_choice(value: Json) -> Choice {
    let label = match &value {
        Json::String(text) => text.clone(),
        Json::Number(n) => n.as_f64().map(stepgraph_core::value::number_text).unwrap_or_default(),
        other => stepgraph_core::value::json_text(other),
    };
    Choice { value, label, help: String::new() }
}

fn initial_value(what: ValueSpec) -> Json {
    match what {
        ValueSpec::Map(object) => {
            let required = object.fields.iter().filter(|field| field.required);
            required.map(|field| (field.key.to_owned(), initial_value(field.value))).collect()
        }
        ValueSpec::Named(..) | ValueSpec::Settings => json!({}),
        ValueSpec::List(_) => json!([]),
        ValueSpec::Bool => json!(false),
        ValueSpec::Number { min, .. } => json!(min),
        ValueSpec::NumberTemplate => json!(0),
        ValueSpec::Enum(words) => words.first().map(|(word, _)| json!(word)).unwrap_or_default(),
        ValueSpec::Schema => json!({"type": "string"}),
        ValueSpec::Behaviour => json!("echo"),
        _ => json!(""),
    }
}

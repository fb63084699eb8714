//! Fields of the maps that a plan consists of, from the core's own tables.
//!
//! Decides how each kind of value is asked for. What the tables don't know is `free`'s affair, so that it isn't lost.

use super::build::{Maker, Spot};
use super::labels;
use super::{Adds, Choice, Control, Field};
use serde_json::{Value as Json, json};
use std::collections::HashSet;
use stepgraph_authoring::language::plan_format::{
    EnumValue, FieldSpec as Known, KeyNames, MapSpec, ValueSpec, node_types,
};
use stepgraph_core::interner::Numbered;
use stepgraph_core::source::{Kind, Spanned};
use stepgraph_core::tool::Catalogue;

/// Failures that people ask for most.
const CODES: [&str; 8] = [
    "tool/*",
    "tool/failed",
    "tool/invalid-arguments",
    "model/*",
    "model/failed",
    "handler/failed",
    "node/timeout",
    "template/missing",
];

impl<'d> Maker<'d> {
    /// The field of a key that a table knows.
    pub(super) fn known(&mut self, known: &'static Known, spot: &Spot<'d>) -> String {
        let said = labels::label(known, self.lang);
        let mut field = self.by_what(known.value, spot, said.name.to_owned());
        field.help = said.help;
        field.usual = labels::usual(known, self.lang);
        field.required = known.required;
        self.put(field)
    }

    /// A field of a kind of value.
    fn by_what(&mut self, what: ValueSpec, spot: &Spot<'d>, label: String) -> Field {
        let control = match what {
            ValueSpec::Map(object) => return self.object(object, spot, label),
            ValueSpec::Named(names, inner) => return self.named(names, *inner, spot, label),
            ValueSpec::List(inner) => return self.list(*inner, spot, label),
            ValueSpec::OneOrMany(inner) => {
                let lone = spot.kind().is_some_and(|kind| !matches!(kind, Kind::List(_)));
                return if lone { self.by_what(*inner, spot, label) } else { self.list(*inner, spot, label) };
            }
            ValueSpec::Input | ValueSpec::Any | ValueSpec::Settings => {
                let mut field = self.free(spot, matches!(what, ValueSpec::Input));
                field.label = label;
                return field;
            }
            ValueSpec::Schema => return self.schema_of_schemas(spot, label),
            ValueSpec::Text => Control::Text { long: false },
            ValueSpec::Prose | ValueSpec::Template => Control::Text { long: true },
            ValueSpec::Bool => Control::Truth,
            ValueSpec::Number { min: least, max: most, integer: whole } => {
                Control::Number { least: Some(f64::from(least)), most: most.map(f64::from), whole }
            }
            ValueSpec::Enum(words) => Control::Choice(words.iter().map(|word| self.word(word)).collect()),
            ValueSpec::Format => Control::Choice(vec![lone(json!(1))]),
            ValueSpec::Condition => Control::Condition,
            ValueSpec::NodeKey => Control::Choice(self.place.nodes().map(|key| lone(json!(key))).collect()),
            ValueSpec::NodeId => Control::Proposed(self.place.nodes().map(|key| lone(json!(key))).collect()),
            ValueSpec::NodeType => Control::Proposed(self.types()),
            ValueSpec::Tool => Control::Proposed(self.tools()),
            ValueSpec::Model => Control::Proposed(self.models()),
            ValueSpec::FailureCode => Control::Proposed(CODES.iter().map(|code| lone(json!(code))).collect()),
            ValueSpec::Pair | ValueSpec::Behaviour | ValueSpec::Decision => return self.raw(spot, label),
        };
        let mut field = self.field(spot, label, control);
        field.template = matches!(what, ValueSpec::Template | ValueSpec::Model);
        self.or_raw(field, spot)
    }

    /// The same as text, where something else is written than the control can show.
    pub(super) fn or_raw(&mut self, field: Field, spot: &Spot<'d>) -> Field {
        let holds_more = matches!(spot.kind(), Some(Kind::List(_) | Kind::Map(_)));
        if !holds_more {
            return field;
        }
        let shown = self.raw(spot, field.label.clone());
        Field { control: shown.control, source: shown.source, ..field }
    }

    /// A field that shows its value as it stands in the text.
    pub(super) fn raw(&mut self, spot: &Spot<'d>, label: String) -> Field {
        let mut field = self.field(spot, label, Control::Raw);
        field.source = Some(spot.value.map(|value| self.source(value)).unwrap_or_default());
        field
    }

    fn object(&mut self, object: &'static MapSpec, spot: &Spot<'d>, label: String) -> Field {
        if !self.may_hold(spot) || spot.kind().is_some_and(|kind| !matches!(kind, Kind::Map(_))) {
            return self.raw(spot, label);
        }
        let mut field = self.field(spot, label, Control::Group);
        field.parts = object.fields.iter().map(|known| self.known(known, &spot.inner(known.key))).collect();
        let entries = spot.value.and_then(Spanned::as_map).unwrap_or_default();
        for entry in entries.iter().filter(|entry| object.field(&entry.key).is_none()) {
            let mut strange = self.free(&spot.inner(&entry.key), false);
            strange.removable = true;
            let id = self.put(strange);
            field.parts.push(id);
        }
        field
    }

    fn named(&mut self, names: KeyNames, inner: ValueSpec, spot: &Spot<'d>, label: String) -> Field {
        let entries = spot.value.and_then(Spanned::as_map);
        if !self.may_hold(spot) || (spot.kind().is_some() && entries.is_none()) {
            return self.raw(spot, label);
        }
        let entries = entries.unwrap_or_default();
        let mut field = self.field(spot, label, Control::Group);
        for entry in entries {
            if self.left() == 0 {
                field.hidden += 1;
                continue;
            }
            let mut part = self.by_what(inner, &spot.inner(&entry.key), entry.key.clone());
            part.removable = true;
            let id = self.put(part);
            field.parts.push(id);
        }
        let known: Vec<String> = match names {
            KeyNames::NodeKeys | KeyNames::NodeIds => self.place.nodes().map(str::to_owned).collect(),
            KeyNames::Tools => self.tools().into_iter().map(|choice| choice.label).collect(),
            _ => Vec::new(),
        };
        let is_new = |name: &String| !entries.iter().any(|entry| entry.key == *name);
        let choice = |label: String| Choice { value: fresh(inner), label, help: String::new() };
        let known = known.into_iter().filter(is_new).map(choice).collect();
        field.adds = Some(Adds::Entry { known, any: true, fresh: fresh(inner) });
        field
    }

    fn list(&mut self, inner: ValueSpec, spot: &Spot<'d>, label: String) -> Field {
        let items = spot.value.and_then(Spanned::as_list);
        if !self.may_hold(spot) || (spot.kind().is_some() && items.is_none()) {
            return self.raw(spot, label);
        }
        let items = items.unwrap_or_default();
        let mut field = self.field(spot, label, Control::Group);
        for (at, item) in items.iter().enumerate() {
            if self.left() == 0 {
                field.hidden += 1;
                continue;
            }
            let spot = spot.item(at, item);
            let label =
                item.get("name").and_then(|entry| entry.value.as_text()).unwrap_or(&spot.key).to_owned();
            let mut part = self.by_what(inner, &spot, label);
            part.removable = true;
            part.item = Some((at, items.len()));
            let id = self.put(part);
            field.parts.push(id);
        }
        field.adds = Some(Adds::Item { fresh: fresh(inner) });
        field
    }

    fn word(&self, (word, doc): &EnumValue) -> Choice {
        Choice { value: json!(word), label: (*word).to_owned(), help: labels::said(doc, self.lang) }
    }

    /// The types that a node can have: those built in, then the tools that there are.
    pub(super) fn types(&self) -> Vec<Choice> {
        let built_in = node_types().iter().filter(|kind| kind.is_common).map(|kind| Choice {
            value: json!(kind.name),
            label: kind.name.to_owned(),
            help: labels::kind(kind, self.lang),
        });
        let host = self.place.document.capabilities().types.iter().flat_map(Numbered::iter);
        let own = host.map(|name| lone(json!(name)));
        // A tool that is called as a type is can be called by `type: tool` alone.
        let mut known = HashSet::new();
        let is_first = |choice: &Choice| known.insert(choice.label.clone());
        built_in.chain(own).chain(self.tools()).filter(is_first).collect()
    }

    fn tools(&self) -> Vec<Choice> {
        let tools = self.place.document.capabilities().tools.iter().flat_map(Catalogue::iter);
        let tool = |(name, tool): (&str, &stepgraph_core::tool::ToolInfo)| Choice {
            value: json!(name),
            label: name.to_owned(),
            help: tool.description.clone().unwrap_or_default(),
        };
        tools.map(tool).collect()
    }

    fn models(&self) -> Vec<Choice> {
        let known = self.place.document.capabilities().models.iter().flat_map(Numbered::iter);
        let mut all: Vec<&str> = known.collect();
        if !all.contains(&"default") {
            all.insert(0, "default");
        }
        all.into_iter().map(|name| lone(json!(name))).collect()
    }

    /// The tool that a node of this type calls.
    pub(super) fn tool_of(&self, kind: &str) -> Option<String> {
        let named = || {
            let metadata = self.place.value.get("metadata").and_then(|entry| entry.value.get("tool"));
            self.place.text("tool").or_else(|| metadata.and_then(|entry| entry.value.as_text()))
        };
        let name = if kind == "tool" { named()? } else { kind };
        self.place.document.capabilities().has_tool(name).then(|| name.to_owned())
    }

    /// What a tool must be given.
    pub(super) fn input_schema(&self, tool: &str) -> Option<Json> {
        let tools = self.place.document.capabilities().tools.as_ref()?;
        Some(tools.get(tool)?.input_schema.clone())
    }
}

/// A choice that says it all.
pub(super) fn lone(value: Json) -> Choice {
    let label = match &value {
        Json::String(text) => text.clone(),
        Json::Number(n) => n.as_f64().map(stepgraph_core::value::number_text).unwrap_or_default(),
        other => stepgraph_core::value::json_text(other),
    };
    Choice { value, label, help: String::new() }
}

/// What is written first where something of that kind is added.
fn fresh(what: ValueSpec) -> Json {
    match what {
        ValueSpec::Map(object) => {
            let needed = object.fields.iter().filter(|field| field.required);
            needed.map(|field| (field.key.to_owned(), fresh(field.value))).collect()
        }
        ValueSpec::Named(..) | ValueSpec::Settings => json!({}),
        ValueSpec::List(_) => json!([]),
        ValueSpec::Bool => json!(false),
        ValueSpec::Number { min: least, .. } => json!(least),
        ValueSpec::Enum(words) => words.first().map(|(word, _)| json!(word)).unwrap_or_default(),
        ValueSpec::Schema => json!({"type": "string"}),
        ValueSpec::Behaviour => json!("echo"),
        _ => json!(""),
    }
}

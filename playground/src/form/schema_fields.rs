//! Fields from JSON Schema, for tools and plans. Schemas are untrusted, and unusual ones become text. The checker
//! validates values.
//!
//! Invariant: references stay in the document, and steps are limited.

use super::build::{FieldTarget, FormBuilder};
use super::format_fields::plain_choice;
use super::labels;
use super::untyped_fields::MAX_LINE_CHARS;
use super::value_schema::{allowed_types, is_valid, resolve};
use super::{Addition, Choice, Control, Field};
use serde_json::{Map, Value as Json, json};
use stepgraph_core::source::{Spanned, ValueKind};
use stepgraph_core::value::number_text;

const MAX_VARIANTS: usize = 24;

#[derive(Debug, Clone, Copy)]
pub(super) struct SchemaView<'s> {
    schema: &'s Json,
    root: &'s Json,
}

impl<'d> FormBuilder<'d> {
    pub(super) fn argument_fields(&mut self, schema: &Json, target: &FieldTarget<'d>) -> String {
        let view = SchemaView { schema, root: schema };
        let mut field = self.field_by_schema(view, target, true);
        if let Some(spec) = stepgraph_authoring::language::plan_format::NODE.field("input") {
            let label = labels::label(spec, self.lang);
            label.name.clone_into(&mut field.label);
            field.default_text = labels::default_text(spec, self.lang);
        }
        field.help = labels::form_text(labels::FormText::Arguments, self.lang);
        self.add_field(field)
    }

    pub(super) fn schema_editor_field(&mut self, target: &FieldTarget<'d>, label: String) -> Field {
        if !matches!(target.value_kind(), None | Some(ValueKind::Map(_))) || !self.can_nest(target) {
            return self.raw_field(target, label);
        }
        let meta = labels::meta_schema(self.lang);
        let mut field = self.field_by_schema(SchemaView { schema: &meta, root: &meta }, target, false);
        // `add` offers rare keywords that are not set.
        let common = ["type", "description", "default", "enum", "properties", "items", "required"];
        let kind = target.value.and_then(|value| value.get("type")).and_then(|entry| entry.value.as_text());
        let wanted = |key: &str| match key {
            "properties" | "required" => kind == Some("object"),
            "items" => kind == Some("array"),
            "enum" => !matches!(kind, Some("object" | "array" | "boolean")),
            other => common.contains(&other),
        };
        let mut choices = Vec::new();
        let parts = std::mem::take(&mut field.children);
        for id in parts {
            let Some(child) = self.get(&id) else { continue };
            if child.value.is_some() || (target.value_kind().is_some() && wanted(&child.key)) {
                field.children.push(id);
            } else {
                let value = initial_value(
                    meta.get("properties").and_then(|all| all.get(&child.key)).unwrap_or(&meta),
                    &meta,
                    0,
                );
                choices.push(Choice { value, label: child.key.clone(), help: child.help.clone() });
            }
        }
        field.addition =
            Some(Addition::Entry { known_names: choices, accepts_any_name: true, initial_value: json!("") });
        field.label = label;
        field
    }

    fn field_by_schema(&mut self, view: SchemaView<'_>, target: &FieldTarget<'d>, template: bool) -> Field {
        if view.schema.get("x-schema").is_some() {
            let title = view.schema.get("title").and_then(Json::as_str).unwrap_or(&target.key).to_owned();
            return self.schema_editor_field(target, title);
        }
        let schema = resolve(view.schema, view.root);
        let view = SchemaView { schema: &schema, root: view.root };
        let mut field = self.field_of_variant(view, target, template);
        field.is_template = template;
        let said = |key: &str| schema.get(key).and_then(Json::as_str).filter(|text| !text.trim().is_empty());
        said("title").unwrap_or(&target.key).clone_into(&mut field.label);
        said("description").unwrap_or_default().clone_into(&mut field.help);
        field.hint = labels::value_type_text(&schema, self.lang);
        if let Some(default_text) = schema.get("default") {
            field.default_text = plain_choice(default_text.clone()).label;
        }
        field
    }

    fn field_of_variant(&mut self, view: SchemaView<'_>, target: &FieldTarget<'d>, template: bool) -> Field {
        let schema = view.schema;
        let label = target.key.clone();
        if let Some(only) = schema.get("const") {
            let field = self.field(target, label, Control::Boolean);
            return Self::choice_field(field, vec![plain_choice(only.clone())]);
        }
        if let Some(choices) = enum_choices(view) {
            let field = self.field(target, label, Control::Boolean);
            let field = Self::choice_field(field, choices);
            return self.or_raw(field, target);
        }
        let forms = variant_schemas(view);
        if forms.len() > 1 {
            return self.variants_field(view, &forms, target, template);
        }
        let types = allowed_types(schema);
        let [only] = types.as_slice() else { return self.untyped_field(target, template) };
        let written = target.value_kind();
        let limit = |keys: [&str; 2]| keys.iter().find_map(|key| schema.get(key).and_then(Json::as_f64));
        let control = match (*only, written) {
            ("object", None | Some(ValueKind::Map(_))) if self.can_nest(target) => {
                return self.object_field(view, target, template);
            }
            ("array", None | Some(ValueKind::List(_))) if self.can_nest(target) => {
                return self.array_field(view, target, template);
            }
            ("object" | "array", Some(ValueKind::Text(_))) if template => {
                Control::Text { is_multiline: false }
            }
            ("object" | "array", _) => return self.raw_field(target, label),
            ("boolean", _) => Control::Boolean,
            ("integer" | "number", _) => Control::Number {
                min: limit(["minimum", "exclusiveMinimum"]),
                max: limit(["maximum", "exclusiveMaximum"]),
                is_integer: *only == "integer",
            },
            ("string", _) => Control::Text { is_multiline: is_long(schema, written) },
            _ => return self.untyped_field(target, template),
        };
        let field = self.field(target, label, control);
        self.or_raw(field, target)
    }

    fn object_field(&mut self, view: SchemaView<'_>, target: &FieldTarget<'d>, template: bool) -> Field {
        let mut field = self.field(target, target.key.clone(), Control::Group);
        let nothing = Map::new();
        let properties = view.schema.get("properties").and_then(Json::as_object).unwrap_or(&nothing);
        let required =
            view.schema.get("required").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let required: Vec<&str> = required.iter().filter_map(Json::as_str).collect();
        let (first, then): (Vec<_>, Vec<_>) =
            properties.iter().partition(|(key, _)| required.contains(&key.as_str()));
        for (key, schema) in first.into_iter().chain(then) {
            if self.remaining_fields() == 0 {
                field.hidden_count += 1;
                continue;
            }
            let mut child = self.field_by_schema(SchemaView { schema, ..view }, &target.child(key), template);
            child.is_required = required.contains(&key.as_str());
            let id = self.add_field(child);
            field.children.push(id);
        }
        let others = view.schema.get("additionalProperties");
        for entry in target.value.and_then(Spanned::as_map).unwrap_or_default() {
            if properties.contains_key(&entry.key) {
                continue;
            }
            if self.remaining_fields() == 0 {
                field.hidden_count += 1;
                continue;
            }
            let inner = target.child(&entry.key);
            let mut child = match others.filter(|schema| schema.is_object()) {
                Some(schema) => self.field_by_schema(SchemaView { schema, ..view }, &inner, template),
                None => self.untyped_field(&inner, template),
            };
            child.is_removable = true;
            let id = self.add_field(child);
            field.children.push(id);
        }
        if others != Some(&Json::Bool(false)) {
            let initial = others
                .filter(|schema| schema.is_object())
                .map_or(json!(""), |schema| initial_value(schema, view.root, 0));
            field.addition = Some(Addition::Entry {
                known_names: Vec::new(),
                accepts_any_name: true,
                initial_value: initial,
            });
        }
        field
    }

    fn array_field(&mut self, view: SchemaView<'_>, target: &FieldTarget<'d>, template: bool) -> Field {
        let mut field = self.field(target, target.key.clone(), Control::Group);
        let first =
            view.schema.get("prefixItems").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let rest = view.schema.get("items").filter(|schema| schema.is_object());
        let items = target.value.and_then(Spanned::as_list).unwrap_or_default();
        for (at, item) in items.iter().enumerate() {
            if self.remaining_fields() == 0 {
                field.hidden_count += 1;
                continue;
            }
            let inner = target.item(at, item);
            let mut child = match first.get(at).or(rest) {
                Some(schema) => self.field_by_schema(SchemaView { schema, ..view }, &inner, template),
                None => self.untyped_field(&inner, template),
            };
            (child.is_removable, child.item) = (true, Some((at, items.len())));
            let id = self.add_field(child);
            field.children.push(id);
        }
        let max =
            view.schema.get("maxItems").and_then(Json::as_u64).and_then(|max| usize::try_from(max).ok());
        if max.is_none_or(|max| items.len() < max) {
            let next = first.get(items.len()).or(rest);
            let initial = next.map_or(json!(""), |schema| initial_value(schema, view.root, 0));
            field.addition = Some(Addition::Item { initial_value: initial });
        }
        field
    }

    fn variants_field(
        &mut self,
        view: SchemaView<'_>,
        forms: &[Json],
        target: &FieldTarget<'d>,
        template: bool,
    ) -> Field {
        let written = target.value.map(Spanned::to_json);
        let is_text =
            matches!(target.value_kind(), Some(ValueKind::Text(text)) if template && text.contains("${"));
        let fitting =
            written.as_ref().and_then(|value| forms.iter().position(|form| is_valid(form, view.root, value)));
        let alike = || {
            let value = written.as_ref()?;
            forms.iter().position(|form| {
                allowed_types(&resolve(form, view.root)).iter().any(|name| is_type(value, name))
            })
        };
        let selected = fitting.or_else(alike).unwrap_or(0);
        let option = |(at, form): (usize, &Json)| {
            let form = resolve(form, view.root);
            let said = |key: &str| form.get(key).and_then(Json::as_str).map(str::to_owned);
            let label = said("title").or_else(|| const_name(&form)).unwrap_or_else(|| {
                let kind = labels::value_type_text(&form, self.lang);
                if kind.is_empty() { (at + 1).to_string() } else { kind }
            });
            Choice {
                value: initial_value(&form, view.root, 0),
                label,
                help: said("description").unwrap_or_default(),
            }
        };
        let options = forms.iter().enumerate().map(option).collect();
        let form = forms.get(selected).filter(|_| !is_text);
        // Variants may recurse, so each adds a level.
        let deeper = FieldTarget { depth: target.depth + 1, ..target.clone() };
        let target = &deeper;
        let mut inner = match form.filter(|_| self.can_nest(target)) {
            Some(schema) => self.field_by_schema(SchemaView { schema, ..view }, target, template),
            None => self.untyped_field(target, template),
        };
        inner.id.push_str("?of");
        let mut field = self.field(target, target.key.clone(), Control::Variants { options, selected });
        field.children = vec![self.add_field(inner)];
        field
    }
}

/// Reads `enum`, or the variants' `const`.
fn enum_choices(view: SchemaView<'_>) -> Option<Vec<Choice>> {
    if let Some(values) = view.schema.get("enum").and_then(Json::as_array) {
        return Some(
            values.iter().filter(|value| !value.is_null()).map(|value| plain_choice(value.clone())).collect(),
        );
    }
    let forms = ["oneOf", "anyOf"].iter().find_map(|key| view.schema.get(key).and_then(Json::as_array))?;
    let choice = |form: &Json| {
        let form = resolve(form, view.root);
        let value = form.get("const")?.clone();
        let said = |key: &str| form.get(key).and_then(Json::as_str).map(str::to_owned);
        let label = said("title").unwrap_or_else(|| plain_choice(value.clone()).label);
        Some(Choice { value, label, help: said("description").unwrap_or_default() })
    };
    forms.iter().map(choice).collect()
}

fn variant_schemas(view: SchemaView<'_>) -> Vec<Json> {
    let forms = ["oneOf", "anyOf"].iter().find_map(|key| view.schema.get(key).and_then(Json::as_array));
    let is_nothing = |form: &&Json| form.get("type").is_some_and(|kind| kind == "null");
    let forms = forms.map(Vec::as_slice).unwrap_or_default();
    forms.iter().filter(|form| !is_nothing(form)).take(MAX_VARIANTS).cloned().collect()
}

/// Identifies a variant, such as `kind: circle`.
fn const_name(form: &Json) -> Option<String> {
    let properties = form.get("properties")?.as_object()?;
    properties.iter().find_map(|(key, schema)| {
        let only = schema.get("const").or_else(|| match schema.get("enum")?.as_array()?.as_slice() {
            [only] => Some(only),
            _ => None,
        })?;
        Some([key.as_str(), ": ", &plain_choice(only.clone()).label].concat())
    })
}

fn is_long(schema: &Json, written: Option<&ValueKind>) -> bool {
    let by_length = schema.get("maxLength").and_then(Json::as_u64).is_some_and(|max| max > 200);
    by_length
        || matches!(written, Some(ValueKind::Text(text)) if text.len() > MAX_LINE_CHARS || text.contains('\n'))
}

fn is_type(value: &Json, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

/// Simple, and usually valid.
fn initial_value(schema: &Json, root: &Json, depth: usize) -> Json {
    let schema = resolve(schema, root);
    for key in ["default", "const"] {
        if let Some(value) = schema.get(key) {
            return value.clone();
        }
    }
    if let Some(first) = schema.get("enum").and_then(|values| values.get(0)) {
        return first.clone();
    }
    let form = ["oneOf", "anyOf"].iter().find_map(|key| schema.get(key).and_then(|forms| forms.get(0)));
    match (allowed_types(&schema).first().copied(), form) {
        _ if schema.get("x-schema").is_some() => json!({"type": "string"}),
        _ if depth > 3 => Json::Null,
        (None, Some(form)) => initial_value(form, root, depth + 1),
        (Some("object"), _) => {
            let required = schema.get("required").and_then(Json::as_array).into_iter().flatten();
            let part = |key: &Json| {
                let key = key.as_str()?;
                let schema = schema.get("properties")?.get(key)?;
                Some((key.to_owned(), initial_value(schema, root, depth + 1)))
            };
            required.filter_map(part).collect()
        }
        (Some("array"), _) => json!([]),
        (Some("boolean"), _) => json!(false),
        (Some("integer" | "number"), _) => schema.get("minimum").cloned().unwrap_or(json!(0)),
        _ => json!(""),
    }
}

pub(super) fn range_text(min: Option<f64>, max: Option<f64>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => [number_text(min).as_str(), "–", &number_text(max)].concat(),
        (Some(min), None) => ["≥ ", &number_text(min)].concat(),
        (None, Some(max)) => ["≤ ", &number_text(max)].concat(),
        (None, None) => String::new(),
    }
}

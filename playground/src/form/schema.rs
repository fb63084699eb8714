//! Fields by JSON Schema: arguments of tools, and schemas themselves.
//!
//! Decides how each schema is asked for: by its type, its listed values, its forms to choose from. Strangers write these schemas; what is odd
//! in one makes a field of text, and whether a value fits is said by the check, not here.
//!
//! Invariants: references lead into the schema's own document only, and only so far.

use super::build::{Maker, Spot};
use super::free::LINE;
use super::known::lone;
use super::labels;
use super::shape::{fits, resolved, types};
use super::{Adds, Choice, Control, Field};
use serde_json::{Map, Value as Json, json};
use stepgraph_core::source::{Kind, Spanned};
use stepgraph_core::value::number_text;

/// The forms to choose from that are shown at most.
const MOST_FORMS: usize = 24;

/// A schema and the document that its references lead into.
#[derive(Debug, Clone, Copy)]
pub(super) struct Says<'s> {
    schema: &'s Json,
    root: &'s Json,
}

impl<'d> Maker<'d> {
    /// The arguments of a tool.
    pub(super) fn arguments(&mut self, schema: &Json, spot: &Spot<'d>) -> String {
        let says = Says { schema, root: schema };
        let mut field = self.by_schema(says, spot, true);
        if let Some(known) = stepgraph_authoring::language::plan_format::NODE.field("input") {
            let said = labels::label(known, self.lang);
            said.name.clone_into(&mut field.label);
            field.usual = labels::usual(known, self.lang);
        }
        field.help = labels::words(labels::Note::Arguments, self.lang);
        self.put(field)
    }

    /// A JSON Schema that stands in a plan: what it says of a value, as fields.
    pub(super) fn schema_of_schemas(&mut self, spot: &Spot<'d>, label: String) -> Field {
        if !matches!(spot.kind(), None | Some(Kind::Map(_))) || !self.may_hold(spot) {
            return self.raw(spot, label);
        }
        let meta = labels::meta_schema(self.lang);
        let mut field = self.by_schema(Says { schema: &meta, root: &meta }, spot, false);
        // Keywords are looked at one by one: those that are not there and rarely are stand behind `add`.
        let common = ["type", "description", "default", "enum", "properties", "items", "required"];
        let kind = spot.value.and_then(|value| value.get("type")).and_then(|entry| entry.value.as_text());
        let wanted = |key: &str| match key {
            "properties" | "required" => kind == Some("object"),
            "items" => kind == Some("array"),
            "enum" => !matches!(kind, Some("object" | "array" | "boolean")),
            other => common.contains(&other),
        };
        let mut known = Vec::new();
        let parts = std::mem::take(&mut field.parts);
        for id in parts {
            let Some(part) = self.get(&id) else { continue };
            if part.value.is_some() || (spot.kind().is_some() && wanted(&part.key)) {
                field.parts.push(id);
            } else {
                let value = fresh(
                    meta.get("properties").and_then(|all| all.get(&part.key)).unwrap_or(&meta),
                    &meta,
                    0,
                );
                known.push(Choice { value, label: part.key.clone(), help: part.help.clone() });
            }
        }
        field.adds = Some(Adds::Entry { known, any: true, fresh: json!("") });
        field.label = label;
        field
    }

    /// A field of what a schema says.
    fn by_schema(&mut self, says: Says<'_>, spot: &Spot<'d>, template: bool) -> Field {
        if says.schema.get("x-schema").is_some() {
            let title = says.schema.get("title").and_then(Json::as_str).unwrap_or(&spot.key).to_owned();
            return self.schema_of_schemas(spot, title);
        }
        let schema = resolved(says.schema, says.root);
        let says = Says { schema: &schema, root: says.root };
        let mut field = self.of_form(says, spot, template);
        field.template = template;
        let said = |key: &str| schema.get(key).and_then(Json::as_str).filter(|text| !text.trim().is_empty());
        said("title").unwrap_or(&spot.key).clone_into(&mut field.label);
        said("description").unwrap_or_default().clone_into(&mut field.help);
        field.hint = labels::kind_of_value(&schema, self.lang);
        if let Some(usual) = schema.get("default") {
            field.usual = lone(usual.clone()).label;
        }
        field
    }

    fn of_form(&mut self, says: Says<'_>, spot: &Spot<'d>, template: bool) -> Field {
        let schema = says.schema;
        let label = spot.key.clone();
        if let Some(only) = schema.get("const") {
            let field = self.field(spot, label, Control::Truth);
            return Self::chosen(field, vec![lone(only.clone())]);
        }
        if let Some(choices) = listed(says) {
            let field = self.field(spot, label, Control::Truth);
            let field = Self::chosen(field, choices);
            return self.or_raw(field, spot);
        }
        let forms = forms(says);
        if forms.len() > 1 {
            return self.variants(says, &forms, spot, template);
        }
        let types = types(schema);
        let [only] = types.as_slice() else { return self.free(spot, template) };
        let written = spot.kind();
        let limit = |keys: [&str; 2]| keys.iter().find_map(|key| schema.get(key).and_then(Json::as_f64));
        let control = match (*only, written) {
            ("object", None | Some(Kind::Map(_))) if self.may_hold(spot) => {
                return self.map(says, spot, template);
            }
            ("array", None | Some(Kind::List(_))) if self.may_hold(spot) => {
                return self.items(says, spot, template);
            }
            ("object" | "array", Some(Kind::Text(_))) if template => Control::Text { long: false },
            ("object" | "array", _) => return self.raw(spot, label),
            ("boolean", _) => Control::Truth,
            ("integer" | "number", _) => Control::Number {
                least: limit(["minimum", "exclusiveMinimum"]),
                most: limit(["maximum", "exclusiveMaximum"]),
                whole: *only == "integer",
            },
            ("string", _) => Control::Text { long: is_long(schema, written) },
            _ => return self.free(spot, template),
        };
        let field = self.field(spot, label, control);
        self.or_raw(field, spot)
    }

    fn map(&mut self, says: Says<'_>, spot: &Spot<'d>, template: bool) -> Field {
        let mut field = self.field(spot, spot.key.clone(), Control::Group);
        let nothing = Map::new();
        let properties = says.schema.get("properties").and_then(Json::as_object).unwrap_or(&nothing);
        let needed =
            says.schema.get("required").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let needed: Vec<&str> = needed.iter().filter_map(Json::as_str).collect();
        let (first, then): (Vec<_>, Vec<_>) =
            properties.iter().partition(|(key, _)| needed.contains(&key.as_str()));
        for (key, schema) in first.into_iter().chain(then) {
            if self.left() == 0 {
                field.hidden += 1;
                continue;
            }
            let mut part = self.by_schema(Says { schema, ..says }, &spot.inner(key), template);
            part.required = needed.contains(&key.as_str());
            let id = self.put(part);
            field.parts.push(id);
        }
        let others = says.schema.get("additionalProperties");
        for entry in spot.value.and_then(Spanned::as_map).unwrap_or_default() {
            if properties.contains_key(&entry.key) {
                continue;
            }
            if self.left() == 0 {
                field.hidden += 1;
                continue;
            }
            let inner = spot.inner(&entry.key);
            let mut part = match others.filter(|schema| schema.is_object()) {
                Some(schema) => self.by_schema(Says { schema, ..says }, &inner, template),
                None => self.free(&inner, template),
            };
            part.removable = true;
            let id = self.put(part);
            field.parts.push(id);
        }
        if others != Some(&Json::Bool(false)) {
            let fresh = others
                .filter(|schema| schema.is_object())
                .map_or(json!(""), |schema| fresh(schema, says.root, 0));
            field.adds = Some(Adds::Entry { known: Vec::new(), any: true, fresh });
        }
        field
    }

    fn items(&mut self, says: Says<'_>, spot: &Spot<'d>, template: bool) -> Field {
        let mut field = self.field(spot, spot.key.clone(), Control::Group);
        let first =
            says.schema.get("prefixItems").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let rest = says.schema.get("items").filter(|schema| schema.is_object());
        let items = spot.value.and_then(Spanned::as_list).unwrap_or_default();
        for (at, item) in items.iter().enumerate() {
            if self.left() == 0 {
                field.hidden += 1;
                continue;
            }
            let inner = spot.item(at, item);
            let mut part = match first.get(at).or(rest) {
                Some(schema) => self.by_schema(Says { schema, ..says }, &inner, template),
                None => self.free(&inner, template),
            };
            (part.removable, part.item) = (true, Some((at, items.len())));
            let id = self.put(part);
            field.parts.push(id);
        }
        let most =
            says.schema.get("maxItems").and_then(Json::as_u64).and_then(|most| usize::try_from(most).ok());
        if most.is_none_or(|most| items.len() < most) {
            let next = first.get(items.len()).or(rest);
            let fresh = next.map_or(json!(""), |schema| fresh(schema, says.root, 0));
            field.adds = Some(Adds::Item { fresh });
        }
        field
    }

    /// One of several forms.
    fn variants(&mut self, says: Says<'_>, forms: &[Json], spot: &Spot<'d>, template: bool) -> Field {
        let written = spot.value.map(Spanned::to_json);
        let is_text = matches!(spot.kind(), Some(Kind::Text(text)) if template && text.contains("${"));
        let fitting =
            written.as_ref().and_then(|value| forms.iter().position(|form| fits(form, says.root, value)));
        let alike = || {
            let value = written.as_ref()?;
            forms
                .iter()
                .position(|form| types(&resolved(form, says.root)).iter().any(|name| is_of(value, name)))
        };
        let chosen = fitting.or_else(alike).unwrap_or(0);
        let option = |(at, form): (usize, &Json)| {
            let form = resolved(form, says.root);
            let said = |key: &str| form.get(key).and_then(Json::as_str).map(str::to_owned);
            let label = said("title").or_else(|| named_by_const(&form)).unwrap_or_else(|| {
                let kind = labels::kind_of_value(&form, self.lang);
                if kind.is_empty() { (at + 1).to_string() } else { kind }
            });
            Choice { value: fresh(&form, says.root, 0), label, help: said("description").unwrap_or_default() }
        };
        let options = forms.iter().enumerate().map(option).collect();
        let form = forms.get(chosen).filter(|_| !is_text);
        // Forms may hold themselves: each choice counts as a step inward.
        let deeper = Spot { depth: spot.depth + 1, ..spot.clone() };
        let spot = &deeper;
        let mut inner = match form.filter(|_| self.may_hold(spot)) {
            Some(schema) => self.by_schema(Says { schema, ..says }, spot, template),
            None => self.free(spot, template),
        };
        inner.id.push_str("?of");
        let mut field = self.field(spot, spot.key.clone(), Control::Variants { options, chosen });
        field.parts = vec![self.put(inner)];
        field
    }
}

/// The values that a schema names, with what they are called.
fn listed(says: Says<'_>) -> Option<Vec<Choice>> {
    if let Some(values) = says.schema.get("enum").and_then(Json::as_array) {
        return Some(
            values.iter().filter(|value| !value.is_null()).map(|value| lone(value.clone())).collect(),
        );
    }
    let forms = ["oneOf", "anyOf"].iter().find_map(|key| says.schema.get(key).and_then(Json::as_array))?;
    let choice = |form: &Json| {
        let form = resolved(form, says.root);
        let value = form.get("const")?.clone();
        let said = |key: &str| form.get(key).and_then(Json::as_str).map(str::to_owned);
        let label = said("title").unwrap_or_else(|| lone(value.clone()).label);
        Some(Choice { value, label, help: said("description").unwrap_or_default() })
    };
    forms.iter().map(choice).collect()
}

/// The forms that a value may have, without that of nothing.
fn forms(says: Says<'_>) -> Vec<Json> {
    let forms = ["oneOf", "anyOf"].iter().find_map(|key| says.schema.get(key).and_then(Json::as_array));
    let is_nothing = |form: &&Json| form.get("type").is_some_and(|kind| kind == "null");
    let forms = forms.map(Vec::as_slice).unwrap_or_default();
    forms.iter().filter(|form| !is_nothing(form)).take(MOST_FORMS).cloned().collect()
}

/// The value that tells one form from another: `kind: circle`.
fn named_by_const(form: &Json) -> Option<String> {
    let properties = form.get("properties")?.as_object()?;
    properties.iter().find_map(|(key, schema)| {
        let only = schema.get("const").or_else(|| match schema.get("enum")?.as_array()?.as_slice() {
            [only] => Some(only),
            _ => None,
        })?;
        Some([key.as_str(), ": ", &lone(only.clone()).label].concat())
    })
}

fn is_long(schema: &Json, written: Option<&Kind>) -> bool {
    let by_length = schema.get("maxLength").and_then(Json::as_u64).is_some_and(|most| most > 200);
    by_length || matches!(written, Some(Kind::Text(text)) if text.len() > LINE || text.contains('\n'))
}

fn is_of(value: &Json, name: &str) -> bool {
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

/// A first value that fits a schema, as far as that is easily found.
fn fresh(schema: &Json, root: &Json, depth: usize) -> Json {
    let schema = resolved(schema, root);
    for key in ["default", "const"] {
        if let Some(value) = schema.get(key) {
            return value.clone();
        }
    }
    if let Some(first) = schema.get("enum").and_then(|values| values.get(0)) {
        return first.clone();
    }
    let form = ["oneOf", "anyOf"].iter().find_map(|key| schema.get(key).and_then(|forms| forms.get(0)));
    match (types(&schema).first().copied(), form) {
        _ if schema.get("x-schema").is_some() => json!({"type": "string"}),
        _ if depth > 3 => Json::Null,
        (None, Some(form)) => fresh(form, root, depth + 1),
        (Some("object"), _) => {
            let needed = schema.get("required").and_then(Json::as_array).into_iter().flatten();
            let part = |key: &Json| {
                let key = key.as_str()?;
                let schema = schema.get("properties")?.get(key)?;
                Some((key.to_owned(), fresh(schema, root, depth + 1)))
            };
            needed.filter_map(part).collect()
        }
        (Some("array"), _) => json!([]),
        (Some("boolean"), _) => json!(false),
        (Some("integer" | "number"), _) => schema.get("minimum").cloned().unwrap_or(json!(0)),
        _ => json!(""),
    }
}

/// The bounds of a number or of a text's length, as people write them: `1–10`, `≥ 0`.
pub(super) fn bounds(least: Option<f64>, most: Option<f64>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => [number_text(least).as_str(), "–", &number_text(most)].concat(),
        (Some(least), None) => ["≥ ", &number_text(least)].concat(),
        (None, Some(most)) => ["≤ ", &number_text(most)].concat(),
        (None, None) => String::new(),
    }
}

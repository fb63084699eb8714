//! Fields of a flat schema, for elicitation or run input. Other values are JSON. Invariant: answers have only the
//! schema's names, and all required ones.
//!
//! Source: MCP, elicitation.

use super::apply_message::{list, text};
use serde_json::{Map, Value as Json};
use stepgraph_core::json::parse;
use stepgraph_core::value::json_text;

/// A field's control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// A text.
    Text,
    /// True: integers.
    Number(bool),
    /// A checkbox.
    Boolean,
    /// Values with labels.
    Choice(Vec<(String, String)>),
    /// JSON text.
    Json,
}

/// Question field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Answer name.
    pub name: String,
    /// Label.
    pub title: String,
    /// Description.
    pub description: String,
    /// Control.
    pub kind: FieldKind,
    /// Required.
    pub is_required: bool,
    /// Initial text.
    pub initial_text: String,
}

/// Invalid or missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidInput;

/// In schema order.
pub fn fields(schema: &Json) -> Vec<Field> {
    let required = list(schema, "required");
    let Some(properties) = schema.get("properties").and_then(Json::as_object) else { return Vec::new() };
    let field = |(name, schema): (&String, &Json)| {
        let required = required.iter().any(|one| one.as_str() == Some(name));
        field(name, schema, required)
    };
    properties.iter().map(field).collect()
}

/// A value's field.
pub fn field(name: &str, schema: &Json, is_needed: bool) -> Field {
    let kind = field_kind(schema);
    let default_text = schema.get("default").map(|value| input_text(value, &kind)).unwrap_or_default();
    let title = Some(text(schema, "title")).filter(|title| !title.is_empty()).unwrap_or(name);
    let description = text(schema, "description").to_owned();
    Field {
        name: name.to_owned(),
        title: title.to_owned(),
        description,
        kind,
        is_required: is_needed,
        initial_text: default_text,
    }
}

fn field_kind(schema: &Json) -> FieldKind {
    let values = list(schema, "enum");
    if !values.is_empty() && values.iter().all(Json::is_string) {
        let names = list(schema, "enumNames");
        let named = values.iter().filter_map(Json::as_str).enumerate().map(|(at, value)| {
            let name = names.get(at).and_then(Json::as_str).unwrap_or(value);
            (value.to_owned(), name.to_owned())
        });
        return FieldKind::Choice(named.collect());
    }
    let one_of = list(schema, "oneOf");
    if !one_of.is_empty() && one_of.iter().all(|one| one.get("const").is_some_and(Json::is_string)) {
        let named = one_of.iter().map(|one| {
            let value = text(one, "const");
            let title = Some(text(one, "title")).filter(|title| !title.is_empty()).unwrap_or(value);
            (value.to_owned(), title.to_owned())
        });
        return FieldKind::Choice(named.collect());
    }
    match text(schema, "type") {
        "string" => FieldKind::Text,
        "number" => FieldKind::Number(false),
        "integer" => FieldKind::Number(true),
        "boolean" => FieldKind::Boolean,
        _ => FieldKind::Json,
    }
}

fn input_text(value: &Json, kind: &FieldKind) -> String {
    match (value, kind) {
        (Json::String(text), FieldKind::Text | FieldKind::Choice(_)) => text.clone(),
        _ => json_text(value),
    }
}

impl Field {
    /// `None` for an empty optional field.
    ///
    /// # Errors
    /// If the value is invalid or missing.
    pub fn parse(&self, typed: &str) -> Result<Option<Json>, InvalidInput> {
        let is_empty = typed.trim().is_empty();
        if is_empty && self.kind != FieldKind::Boolean {
            return if self.is_required { Err(InvalidInput) } else { Ok(None) };
        }
        match &self.kind {
            FieldKind::Text => Ok(Some(Json::String(typed.to_owned()))),
            FieldKind::Boolean => Ok(Some(Json::Bool(typed == "true"))),
            FieldKind::Choice(all) => {
                let is_one = all.iter().any(|(value, _)| value == typed);
                if is_one { Ok(Some(Json::String(typed.to_owned()))) } else { Err(InvalidInput) }
            }
            FieldKind::Number(is_integer) => {
                let number = parse(typed).filter(Json::is_number);
                let fits = |number: &Json| !is_integer || number.as_f64().is_some_and(|n| n.fract() == 0.0);
                number.filter(fits).map(Some).ok_or(InvalidInput)
            }
            FieldKind::Json => parse(typed).map(Some).ok_or(InvalidInput),
        }
    }
}

/// Parses all.
///
/// # Errors
/// Indexes of invalid or missing fields.
pub fn parse_answer(fields: &[Field], typed: &[String]) -> Result<Json, Vec<usize>> {
    let mut invalid = Vec::new();
    let mut map = Map::new();
    for (at, field) in fields.iter().enumerate() {
        match field.parse(typed.get(at).map_or("", String::as_str)) {
            Ok(Some(value)) => drop(map.insert(field.name.clone(), value)),
            Ok(None) => {}
            Err(InvalidInput) => invalid.push(at),
        }
    }
    if invalid.is_empty() { Ok(Json::Object(map)) } else { Err(invalid) }
}

/// JSON, else text. Empty is null.
pub fn parse_run_input(typed: &str) -> Json {
    if typed.trim().is_empty() {
        return Json::Null;
    }
    parse(typed).unwrap_or_else(|| Json::String(typed.to_owned()))
}

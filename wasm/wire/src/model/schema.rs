//! Schemas in the subsets of JSON Schema that providers enforce.
//!
//! Invariant: a schema from [`adapt_schema`] allows every answer that fits the original and adds no
//! undeclared properties. It may allow more, because the caller validates against the original.
//!
//! Source: the providers' documentation on structured output.

use serde_json::{Map, Value as Json};

pub(super) struct SchemaRules {
    /// Supported, separated by spaces. The description carries the others as text.
    pub(super) keywords: &'static str,
    /// Whether every object must be closed, which rules out maps with arbitrary keys.
    pub(super) requires_closed: bool,
    /// Whether every property must be required, and every keyword supported.
    pub(super) requires_all: bool,
}

impl SchemaRules {
    fn supports(&self, key: &str) -> bool {
        self.keywords.split(' ').any(|kept| kept == key)
    }
}

pub(super) fn adapt_schema(schema: &Json, rules: &SchemaRules) -> Option<Json> {
    let mut fits = !rules.requires_closed || is_object(schema);
    let adapted = adapt(schema, rules, &mut fits);
    fits.then_some(adapted)
}

/// All providers require an object.
pub(super) fn tool_schema(schema: &Json) -> Json {
    let mut map = schema.as_object().cloned().unwrap_or_default();
    map.shift_remove("$schema");
    map.insert("type".to_owned(), "object".into());
    map.entry("properties").or_insert_with(|| Json::Object(Map::new()));
    Json::Object(map)
}

pub(super) fn describe(schema: &Json) -> String {
    [
        "Answer with JSON alone, without any other text. It must be valid against this JSON Schema:\n",
        &schema.to_string(),
    ]
    .concat()
}

/// They don't constrain values.
const ANNOTATIONS: [&str; 7] =
    ["$schema", "$id", "$comment", "examples", "deprecated", "readOnly", "writeOnly"];
/// They describe properties elsewhere, so the object can't be closed by its own.
const OPEN_APPLICATORS: [&str; 7] = [
    "allOf",
    "patternProperties",
    "dependentSchemas",
    "unevaluatedProperties",
    "propertyNames",
    "$dynamicRef",
    "if",
];

fn is_object(schema: &Json) -> bool {
    schema.get("type").and_then(Json::as_str) == Some("object")
}

fn adapt(schema: &Json, rules: &SchemaRules, fits: &mut bool) -> Json {
    let Json::Object(map) = schema else {
        // A closed object can't express `true`, and no schema needs `false`.
        *fits &= !rules.requires_closed;
        return schema.clone();
    };
    let (mut out, mut description) = (Map::new(), String::new());
    for (key, value) in map {
        let (key, value) = translate_keyword(key, value, rules);
        if ANNOTATIONS.contains(&key) {
            continue;
        }
        *fits &= !(rules.requires_closed && OPEN_APPLICATORS.contains(&key));
        if rules.supports(key) {
            out.insert(key.to_owned(), adapt_keyword(key, &value, rules, fits));
        } else {
            *fits &= !rules.requires_all;
            let comma = if description.is_empty() { "" } else { ", " };
            description = [&description, comma, key, ": ", &value.to_string()].concat();
        }
    }
    if !description.is_empty() {
        let before = out
            .get("description")
            .and_then(Json::as_str)
            .map(|text| [text, " "].concat())
            .unwrap_or_default();
        out.insert("description".to_owned(), [&before, "(", &description, ")"].concat().into());
    }
    if rules.requires_closed && (is_object(schema) || map.contains_key("properties")) {
        close_object(&mut out, rules, fits);
    }
    Json::Object(out)
}

fn translate_keyword<'k>(key: &'k str, value: &Json, rules: &SchemaRules) -> (&'k str, Json) {
    match key {
        "oneOf" if !rules.supports("oneOf") => ("anyOf", value.clone()),
        "const" if !rules.supports("const") => ("enum", Json::from(vec![value.clone()])),
        _ => (key, value.clone()),
    }
}

fn adapt_keyword(key: &str, value: &Json, rules: &SchemaRules, fits: &mut bool) -> Json {
    match (key, value) {
        ("properties" | "$defs" | "definitions", Json::Object(map)) => {
            map.iter().map(|(name, schema)| (name.clone(), adapt(schema, rules, fits))).collect()
        }
        ("anyOf" | "oneOf" | "prefixItems", Json::Array(list)) => {
            list.iter().map(|schema| adapt(schema, rules, fits)).collect()
        }
        ("items" | "additionalProperties", Json::Object(_)) => adapt(value, rules, fits),
        _ => value.clone(),
    }
}

/// Does not fit if closing forbids values that the schema allows.
fn close_object(out: &mut Map<String, Json>, rules: &SchemaRules, fits: &mut bool) {
    let named = out.get("properties").and_then(Json::as_object);
    let open = match out.get("additionalProperties") {
        None => named.is_none(),
        Some(more) => *more != Json::Bool(false),
    };
    *fits &= !open && !out.contains_key("anyOf");
    if rules.requires_all {
        let required = out.get("required").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        *fits &= named
            .is_none_or(|named| named.keys().all(|name| required.iter().any(|other| other == name.as_str())));
    }
    out.insert("additionalProperties".to_owned(), false.into());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const STRICT: SchemaRules = SchemaRules {
        keywords: "type properties required additionalProperties anyOf const items description",
        requires_closed: true,
        requires_all: true,
    };
    const CLOSED: SchemaRules = SchemaRules { requires_all: false, ..STRICT };
    const LOOSE: SchemaRules = SchemaRules {
        keywords: "type properties oneOf enum items minimum description",
        requires_closed: false,
        requires_all: false,
    };

    #[test]
    fn adaptations() {
        let number = json!({"type": "number"});
        for (rules, schema, expect) in [
            (
                &STRICT,
                json!({"$schema": "x", "type": "object", "properties": {"a": number}, "required": ["a"], "additionalProperties": false}),
                Some(
                    json!({"type": "object", "properties": {"a": number}, "required": ["a"], "additionalProperties": false}),
                ),
            ),
            (
                &STRICT,
                json!({"type": "object", "properties": {"a": {"oneOf": [number, {"const": 1}]}}, "required": ["a"]}),
                Some(json!({
                    "type": "object", "properties": {"a": {"anyOf": [number, {"const": 1}]}}, "required": ["a"],
                    "additionalProperties": false,
                })),
            ),
            (&STRICT, json!({"type": "object", "properties": {"a": number}}), None),
            (
                &STRICT,
                json!({"type": "object", "properties": {"a": {"minimum": 1}}, "required": ["a"]}),
                None,
            ),
            (&STRICT, json!({"type": "array", "items": number}), None),
            (
                &CLOSED,
                json!({"type": "object", "properties": {"a": {"type": "number", "minimum": 1, "maximum": 2}, "b": {"description": "B", "minLength": 3}}}),
                Some(json!({
                    "type": "object",
                    "properties": {"a": {"type": "number", "description": "(minimum: 1, maximum: 2)"}, "b": {"description": "B (minLength: 3)"}},
                    "additionalProperties": false,
                })),
            ),
            (&CLOSED, json!({"type": "object"}), None),
            (&CLOSED, json!({"type": "object", "additionalProperties": number}), None),
            (&CLOSED, json!({"type": "object", "properties": {"a": {"type": "object"}}}), None),
            (&CLOSED, json!({"type": "object", "properties": {"a": true}}), None),
            (&CLOSED, json!({"type": "object", "properties": {}, "allOf": [{"required": ["a"]}]}), None),
            (
                &CLOSED,
                json!({"type": "object", "properties": {}, "anyOf": [{"properties": {"a": number}}]}),
                None,
            ),
            (
                &LOOSE,
                json!({"type": "object", "properties": {"a": {"const": 1}, "b": {"oneOf": [{"pattern": "x"}]}}}),
                Some(
                    json!({"type": "object", "properties": {"a": {"enum": [1]}, "b": {"oneOf": [{"description": "(pattern: \"x\")"}]}}}),
                ),
            ),
            (&LOOSE, json!(true), Some(json!(true))),
            (
                &LOOSE,
                json!({"properties": {"pattern": number}}),
                Some(json!({"properties": {"pattern": number}})),
            ),
        ] {
            assert_eq!(adapt_schema(&schema, rules), expect, "{schema}");
        }
    }

    #[test]
    fn tools_take_an_object() {
        for (schema, expect) in [
            (json!({}), json!({"type": "object", "properties": {}})),
            (json!(true), json!({"type": "object", "properties": {}})),
            (
                json!({"$schema": "x", "type": "object", "properties": {"a": {}}, "required": ["a"]}),
                json!({"type": "object", "properties": {"a": {}}, "required": ["a"]}),
            ),
        ] {
            assert_eq!(tool_schema(&schema), expect);
        }
    }
}

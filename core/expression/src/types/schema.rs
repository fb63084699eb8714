//! Derives types from JSON Schema, ignoring keywords such as `pattern`. An unclear schema becomes
//! [`Type::Dyn`].

use super::{Field, Object, Type};
use serde_json::{Map, Value as Json, json};
use std::rc::Rc;

const MAX_DEPTH: usize = 16;

impl Type {
    /// The type of valid values.
    ///
    /// # Example
    /// ```
    /// use stepgraph_expression::Type;
    /// let schema = serde_json::json!({
    ///     "type": "object", "required": ["title"],
    ///     "properties": {"title": {"type": "string"}, "tags": {"type": "array", "items": {"enum": ["hot", null]}}},
    ///     "additionalProperties": false,
    /// });
    /// assert_eq!(Type::from_schema(&schema).to_string(), "{title: string, tags?: list(string or null)}");
    /// ```
    pub fn from_schema(schema: &Json) -> Self {
        Reader { root: schema, budget: 1000 }.read(schema, 0)
    }

    /// Timestamps, durations and types become text.
    ///
    /// # Example
    /// ```
    /// use stepgraph_expression::Type;
    /// let kind = Type::list(Type::Number.or(&Type::Null));
    /// let schema = serde_json::json!({"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "null"}]}});
    /// assert_eq!(kind.to_schema(), schema);
    /// ```
    pub fn to_schema(&self) -> Json {
        let named = |name: &str| json!({"type": name});
        match self {
            Self::Dyn => json!({}),
            Self::Null => named("null"),
            Self::Bool => named("boolean"),
            Self::Int => named("integer"),
            Self::Double | Self::Number => named("number"),
            Self::String | Self::Timestamp | Self::Duration | Self::Type => named("string"),
            Self::List(element) => json!({"type": "array", "items": element.to_schema()}),
            Self::Map(value) => json!({"type": "object", "additionalProperties": value.to_schema()}),
            Self::Union(members) => json!({"anyOf": members.iter().map(Self::to_schema).collect::<Vec<_>>()}),
            Self::Object(object) => {
                let fields = object.fields.iter().map(|field| (field.name.clone(), field.kind.to_schema()));
                let required: Vec<&str> =
                    object.fields.iter().filter(|field| field.required).map(|field| &*field.name).collect();
                let properties: Map<String, Json> = fields.collect();
                json!({"type": "object", "properties": properties, "required": required, "additionalProperties": object.open})
            }
        }
    }
}

struct Reader<'a> {
    root: &'a Json,
    /// How many schemas remain.
    budget: usize,
}

impl<'a> Reader<'a> {
    fn read(&mut self, schema: &'a Json, depth: usize) -> Type {
        let Json::Object(map) = schema else { return Type::Dyn };
        if depth > MAX_DEPTH || self.budget == 0 {
            return Type::Dyn;
        }
        self.budget -= 1;
        if let Some(pointer) = map.get("$ref").and_then(Json::as_str) {
            let target = pointer.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            return target.map_or(Type::Dyn, |target| self.read(target, depth + 1));
        }
        if let Some(value) = map.get("const") {
            return Type::of_json(value);
        }
        if let Some(Json::Array(values)) = map.get("enum") {
            return Type::one_of(values.iter().map(Type::of_json));
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(Json::Array(schemas)) = map.get(key) {
                return Type::one_of(schemas.iter().map(|schema| self.read(schema, depth + 1)));
            }
        }
        match map.get("type") {
            Some(Json::String(name)) => self.named(name, map, depth),
            Some(Json::Array(names)) => {
                Type::one_of(names.iter().filter_map(Json::as_str).map(|name| self.named(name, map, depth)))
            }
            _ if map.contains_key("properties") => self.object(map, depth),
            _ => Type::Dyn,
        }
    }

    fn named(&mut self, name: &str, map: &'a Map<String, Json>, depth: usize) -> Type {
        match name {
            "null" => Type::Null,
            "boolean" => Type::Bool,
            "integer" | "number" => Type::Number,
            "string" => Type::String,
            "array" => {
                let items = map.get("items").map(|items| self.read(items, depth + 1));
                Type::list(items.unwrap_or_default())
            }
            "object" => self.object(map, depth),
            _ => Type::Dyn,
        }
    }

    fn object(&mut self, map: &'a Map<String, Json>, depth: usize) -> Type {
        let others = map.get("additionalProperties");
        let required = map.get("required").and_then(Json::as_array);
        let is_required =
            |name: &String| required.is_some_and(|names| names.iter().any(|known| known == name));
        let mut fields = Vec::new();
        for (name, schema) in map.get("properties").and_then(Json::as_object).into_iter().flatten() {
            let kind = self.read(schema, depth + 1);
            fields.push(Field { name: name.clone(), kind, required: is_required(name) });
        }
        if fields.is_empty() && others != Some(&Json::Bool(false)) {
            let value = others.map(|others| self.read(others, depth + 1));
            return Type::Map(Rc::new(value.unwrap_or_default()));
        }
        let open = others != Some(&Json::Bool(false))
            || map.contains_key("patternProperties")
            || map.contains_key("allOf");
        Type::Object(Rc::new(Object { fields, open, is_complete: false }))
    }
}

impl Type {
    /// The type of data.
    pub fn of_json(value: &Json) -> Self {
        match value {
            Json::Null => Self::Null,
            Json::Bool(_) => Self::Bool,
            Json::Number(_) => Self::Number,
            Json::String(_) => Self::String,
            Json::Array(items) => Self::list(Self::one_of(items.iter().map(Self::of_json))),
            Json::Object(_) => Self::Map(Rc::new(Self::Dyn)),
        }
    }
}

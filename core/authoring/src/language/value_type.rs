//! A value's type as JSON Schemas describe it. Validation is in [`stepgraph_core::schema`].
//!
//! Invariants: `$ref` resolves only within its own document. The work is limited for any schema.

use serde_json::Value as Json;
use std::sync::Arc;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::value::{Segment, json_text};

const MAX_SUBSCHEMAS: usize = 64;

/// Empty if unknown.
#[derive(Debug, Clone, Default)]
pub(crate) struct ValueType {
    /// Each document resolves its `$ref`s.
    alternatives: Vec<(Arc<Json>, Json)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Property {
    pub(crate) name: String,
    /// Every such map has it.
    pub(crate) required: bool,
    pub(crate) value_type: ValueType,
}

impl ValueType {
    pub(crate) fn from_schema(schema: Json) -> Self {
        let root = Arc::new(schema);
        Self { alternatives: vec![(Arc::clone(&root), (*root).clone())] }
    }

    pub(crate) fn is_known(&self) -> bool {
        !self.alternatives.is_empty()
    }

    pub(crate) fn union(value_types: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = Vec::new();
        for value_type in value_types {
            if !value_type.is_known() {
                return Self::default();
            }
            parts.extend(value_type.alternatives);
        }
        parts.truncate(MAX_SUBSCHEMAS);
        Self { alternatives: parts }
    }

    pub(crate) fn map(entries: impl IntoIterator<Item = (String, Self)>) -> Self {
        let mut value_type = Self::from_schema(serde_json::json!({"type": "object"}));
        for (name, part) in entries {
            for (root, schema) in part.union_parts() {
                let holder = serde_json::json!({"type": "object", "properties": {name.as_str(): schema}});
                value_type.alternatives.push((root, holder));
            }
        }
        value_type
    }

    pub(crate) fn list(self) -> Self {
        let list =
            |(root, schema): (Arc<Json>, Json)| (root, serde_json::json!({"type": "array", "items": schema}));
        Self { alternatives: self.union_parts().into_iter().map(list).collect_vec() }
    }

    fn union_parts(self) -> Vec<(Arc<Json>, Json)> {
        if self.alternatives.is_empty() {
            vec![(Arc::new(Json::Null), Json::Bool(true))]
        } else {
            self.alternatives
        }
    }

    fn all(&self) -> Vec<(Arc<Json>, &Json)> {
        let mut work: Vec<(Arc<Json>, &Json)> =
            self.alternatives.iter().rev().map(|(root, schema)| (Arc::clone(root), schema)).collect_vec();
        let mut found = Vec::new();
        while let Some((root, schema)) = work.pop() {
            if found.len() >= MAX_SUBSCHEMAS || !schema.is_object() {
                continue;
            }
            for key in ["oneOf", "anyOf", "allOf"] {
                for inner in
                    schema.get(key).and_then(Json::as_array).into_iter().flatten().rev().take(MAX_SUBSCHEMAS)
                {
                    work.push((Arc::clone(&root), inner));
                }
            }
            for key in ["else", "then"] {
                work.extend(schema.get(key).map(|inner| (Arc::clone(&root), inner)));
            }
            found.push((root, schema));
        }
        found
    }

    fn resolved(&self) -> Self {
        let mut parts = self.alternatives.clone();
        let mut at = 0;
        while let Some((root, schema)) = parts.get(at).cloned() {
            at += 1;
            let lone = Self { alternatives: vec![(Arc::clone(&root), schema)] };
            for (root, inner) in lone.all() {
                let target = inner
                    .get("$ref")
                    .and_then(Json::as_str)
                    .and_then(|name| root.pointer(name.strip_prefix('#')?));
                if let Some(target) = target.filter(|_| parts.len() < MAX_SUBSCHEMAS)
                    && !parts.iter().any(|(_, known)| known == target)
                {
                    parts.push((Arc::clone(&root), target.clone()));
                }
            }
        }
        Self { alternatives: parts }
    }

    pub(crate) fn properties(&self) -> Vec<Property> {
        let resolved = self.resolved();
        let mut found: Vec<Property> = Vec::new();
        for (root, schema) in resolved.all() {
            let needed = schema.get("required").and_then(Json::as_array);
            let needs = |name: &str| needed.is_some_and(|names| names.iter().any(|known| known == name));
            for (name, part) in schema.get("properties").and_then(Json::as_object).into_iter().flatten() {
                let value_type = Self { alternatives: vec![(Arc::clone(&root), part.clone())] };
                match found.iter_mut().find(|known| known.name == *name) {
                    Some(known) => known.value_type.alternatives.extend(value_type.alternatives),
                    None => found.push(Property { name: name.clone(), required: needs(name), value_type }),
                }
            }
        }
        found
    }

    pub(crate) fn step(&self, step: &Segment) -> Self {
        let resolved = self.resolved();
        let mut parts = Vec::new();
        for (root, schema) in resolved.all() {
            let position = match step {
                Segment::Index(at) => Some(*at),
                Segment::Key(key) => key.parse().ok(),
            };
            let named = match step {
                Segment::Key(key) => schema.get("properties").and_then(|properties| properties.get(key)),
                Segment::Index(_) => None,
            };
            let rest = schema
                .get("additionalProperties")
                .filter(|rest| rest.is_object() && matches!(step, Segment::Key(_)));
            let item = position.and_then(|at| {
                schema.get("prefixItems").and_then(|items| items.get(at)).or_else(|| schema.get("items"))
            });
            parts.extend(named.or(rest).or(item).map(|part| (Arc::clone(&root), part.clone())));
        }
        Self { alternatives: parts }
    }

    pub(crate) fn at(&self, path: &[Segment]) -> Self {
        path.iter().fold(self.clone(), |value_type, step| value_type.step(step))
    }

    pub(crate) fn values(&self) -> Vec<Json> {
        let mut found: Vec<Json> = Vec::new();
        let resolved = self.resolved();
        for (_, schema) in resolved.all() {
            let listed = schema.get("enum").and_then(Json::as_array).into_iter().flatten();
            let truths = [Json::Bool(true), Json::Bool(false)];
            let truths = truths.iter().filter(|_| schema.get("type").is_some_and(|kind| kind == "boolean"));
            for value in listed.chain(schema.get("const")).chain(truths) {
                if !found.contains(value) {
                    found.push(value.clone());
                }
            }
        }
        found
    }

    pub(crate) fn describe(&self) -> String {
        let mut kinds: Vec<String> = Vec::new();
        let resolved = self.resolved();
        for (_, schema) in resolved.all() {
            let named = schema.get("type");
            let mut all: Vec<&str> =
                named.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect_vec();
            all.extend(named.and_then(Json::as_str));
            for kind in all {
                let word = match kind {
                    "string" => "text".to_owned(),
                    "object" => "map".to_owned(),
                    "array" => "list".to_owned(),
                    "boolean" => "true or false".to_owned(),
                    "integer" => "whole number".to_owned(),
                    other => other.chars().take(30).collect(),
                };
                if !kinds.contains(&word) {
                    kinds.push(word);
                }
            }
            if all_words(schema) && named.is_none() && !kinds.iter().any(|kind| kind == "text") {
                kinds.push("text".to_owned());
            }
        }
        kinds.join(" or ")
    }

    pub(crate) fn description(&self) -> Option<String> {
        let resolved = self.resolved();
        let said = |key: &str| {
            let all = resolved.all();
            all.iter().find_map(|(_, schema)| schema.get(key).and_then(Json::as_str).map(str::to_owned))
        };
        said("description").or_else(|| said("title")).filter(|text| !text.trim().is_empty())
    }

    pub(crate) fn default_value(&self) -> Option<String> {
        self.alternatives.iter().find_map(|(_, schema)| schema.get("default").map(json_text))
    }
}

fn all_words(schema: &Json) -> bool {
    let listed = schema.get("enum").and_then(Json::as_array);
    listed.is_some_and(|values| !values.is_empty() && values.iter().all(Json::is_string))
}

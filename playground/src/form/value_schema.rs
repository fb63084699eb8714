//! Schemas of outputs and inputs, for suggestions only.
//!
//! Invariant: references stay in the document, and steps are limited.

use super::form_target::{FormTarget, edges, nodes};
use serde_json::{Map, Value as Json, json};
use stepgraph_authoring::language::plan_format::built_in;
use stepgraph_core::kind::passes_last;
use stepgraph_core::kind::settings::VALUES;
use stepgraph_core::schema::{Patterns, Schema};
use stepgraph_core::source::{Entry, Spanned};

const MAX_REFERENCES: usize = 16;

/// Follows `$ref` and merges `allOf`.
pub fn resolve(schema: &Json, root: &Json) -> Json {
    let mut schema = schema.clone();
    for _ in 0..MAX_REFERENCES {
        let Some(target) = schema.get("$ref").and_then(Json::as_str) else { break };
        let found = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer)).cloned();
        let beside = std::mem::take(&mut schema);
        schema = found.unwrap_or_default();
        if let (Some(own), Json::Object(beside)) = (schema.as_object_mut(), beside) {
            own.extend(beside.into_iter().filter(|(key, _)| key != "$ref"));
        }
    }
    let all = schema.get("allOf").and_then(Json::as_array).cloned().unwrap_or_default();
    for part in all.iter().take(MAX_REFERENCES) {
        let part = if part.get("$ref").is_some() { resolve(part, root) } else { part.clone() };
        merge(&mut schema, part);
    }
    schema
}

fn merge(schema: &mut Json, part: Json) {
    let (Some(own), Json::Object(part)) = (schema.as_object_mut(), part) else { return };
    for (key, value) in part {
        match (own.get_mut(&key), value) {
            (None, value) => drop(own.insert(key, value)),
            (Some(Json::Object(own)), Json::Object(more)) if key == "properties" => own.extend(more),
            (Some(Json::Array(own)), Json::Array(more)) if key == "required" => own.extend(more),
            _ => {}
        }
    }
}

/// Types except null. Keywords imply a missing `type`.
pub fn allowed_types(schema: &Json) -> Vec<&str> {
    let named = schema.get("type");
    let listed = named.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
    let all: Vec<&str> =
        named.and_then(Json::as_str).into_iter().chain(listed).filter(|name| *name != "null").collect();
    if all.is_empty() && named.is_none() {
        let by = [("properties", "object"), ("items", "array"), ("prefixItems", "array")];
        return by
            .iter()
            .find(|(key, _)| schema.get(key).is_some())
            .map(|(_, name)| *name)
            .into_iter()
            .collect();
    }
    all
}

/// Validates a value.
pub fn is_valid(schema: &Json, root: &Json, value: &Json) -> bool {
    let mut schema = schema.clone();
    if let Some(own) = schema.as_object_mut() {
        for key in ["$defs", "definitions"] {
            if let Some(parts) = root.get(key).filter(|_| !own.contains_key(key)) {
                own.insert(key.to_owned(), parts.clone());
            }
        }
    }
    Schema::compile_lenient(&schema, Patterns::default()).0.validate(value, Patterns::default()).is_valid()
}

pub(super) fn output_schema(
    target: &FormTarget<'_>,
    graph: &Spanned,
    entry: &Entry,
    left: usize,
) -> Option<Json> {
    let left = left.checked_sub(1)?;
    let text = |key: &str| entry.value.get(key).and_then(|found| found.value.as_text());
    let setting = |key: &str| Some(&entry.value.get("with")?.value.get(key)?.value);
    let capabilities = target.document.capabilities();
    let tool = |name: &str| capabilities.tools.as_ref()?.get(name)?.output_schema.clone();
    let kind = text("type")?;
    if capabilities.handles_type(kind) {
        return None;
    }
    let adjacent = || setting("join").and_then(Spanned::as_text).unwrap_or("all") == "all";
    match kind {
        "tool" => tool(text("tool")?),
        "llm" | "agent" | "llm_call" if setting("schema").is_some() => Some(setting("schema")?.to_json()),
        kind if passes_last(kind) => last_schema(target, graph, &entry.key, left),
        "set" => {
            let values = setting(VALUES)?.as_map()?.iter();
            let properties = values.map(|value| (value.key.clone(), Json::Bool(true)));
            Some(json!({"type": "object", "properties": properties.collect::<Map<_, _>>()}))
        }
        "log" if entry.value.get("input").is_none() => last_schema(target, graph, &entry.key, left),
        "graph" => graph_output_schema(target, &entry.value.get("graph")?.value, left),
        "map" if adjacent() => {
            let each = graph_output_schema(target, &entry.value.get("do")?.value, left)?;
            Some(json!({"type": "array", "items": each}))
        }
        "parallel" if adjacent() => {
            let branches = entry.value.get("branches")?.value.as_map()?;
            let branch = |branch: &Entry| {
                (
                    branch.key.clone(),
                    graph_output_schema(target, &branch.value, left).unwrap_or(Json::Bool(true)),
                )
            };
            Some(json!({"type": "object", "properties": branches.iter().map(branch).collect::<Map<_, _>>()}))
        }
        other => match built_in(other) {
            Some(known) => known.output_schema(),
            None => tool(other),
        },
    }
}

/// Requires that all preceding nodes agree.
pub(super) fn last_schema(target: &FormTarget<'_>, graph: &Spanned, key: &str, left: usize) -> Option<Json> {
    let left = left.checked_sub(1)?;
    let from: Vec<&str> =
        edges(graph).filter(|(_, [_, to, _])| *to == key).map(|(_, [from, ..])| from).collect();
    if from.is_empty() && std::ptr::eq(graph, target.document.tree()?) {
        return input_schema(target);
    }
    let mut input = from.iter().map(|from| {
        let entry = nodes(graph).iter().find(|entry| entry.key == *from)?;
        output_schema(target, graph, entry, left)
    });
    let first = input.next()??;
    input.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

fn graph_output_schema(target: &FormTarget<'_>, graph: &Spanned, left: usize) -> Option<Json> {
    let leaves = |key: &str| edges(graph).any(|(_, [from, ..])| from == key);
    let mut ends = nodes(graph).iter().filter(|entry| !leaves(&entry.key));
    let only = ends.next().filter(|_| ends.next().is_none())?;
    output_schema(target, graph, only, left)
}

pub(super) fn input_schema(target: &FormTarget<'_>) -> Option<Json> {
    let inputs = &target.document.tree()?.get("inputs")?.value;
    Some(json!({"type": "object", "properties": inputs.to_json()}))
}

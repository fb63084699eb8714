//! Fills references with results of earlier calls.
//!
//! As in plans, one that is the whole string keeps its value's type. Within text, strings appear verbatim, null as
//! nothing, all else as JSON.

use super::reference_syntax::is_reference;
use crate::collect::CollectVec;
use crate::expression::{Computed, Reference, Root, TemplatePart};
use crate::graph::TemplateValue;
use crate::value::{Segment, get_path, plain_text};
use serde_json::{Map, Value as Json};

pub(crate) fn parse_parameters(parameters: &Json) -> TemplateValue {
    // Syntax errors were already reported.
    TemplateValue::from_json(parameters, is_reference, &mut |_, _| {})
}

pub(crate) fn dependencies(texts: &TemplateValue) -> Vec<usize> {
    match texts {
        TemplateValue::Constant(_) => Vec::new(),
        TemplateValue::Template(template, _) => {
            template.references().filter_map(|(reference, _)| call_index(reference)).collect_vec()
        }
        TemplateValue::List(items) => items.iter().flat_map(dependencies).collect_vec(),
        TemplateValue::Map(entries) => {
            entries.iter().flat_map(|(_, value)| dependencies(value)).collect_vec()
        }
    }
}

/// Fails with the first reference without a value.
pub(crate) fn resolve(texts: &TemplateValue, result: &dyn Fn(usize) -> Option<Json>) -> Result<Json, String> {
    match texts {
        TemplateValue::Constant(json) => Ok(json.clone()),
        TemplateValue::List(items) => {
            let mut filled = Vec::with_capacity(items.len());
            for item in items {
                filled.push(resolve(item, result)?);
            }
            Ok(Json::Array(filled))
        }
        TemplateValue::Map(entries) => {
            let mut filled = Map::new();
            for (key, value) in entries {
                filled.insert(key.clone(), resolve(value, result)?);
            }
            Ok(Json::Object(filled))
        }
        TemplateValue::Template(template, _) => match template.parts.as_slice() {
            [placeholder @ (TemplatePart::Placeholder { .. } | TemplatePart::Computed { .. })] => {
                resolve_part(placeholder, result)
            }
            parts => {
                let mut text = String::new();
                for piece in parts {
                    text.push_str(&plain_text(&resolve_part(piece, result)?));
                }
                Ok(Json::from(text))
            }
        },
    }
}

fn resolve_part(part: &TemplatePart, result: &dyn Fn(usize) -> Option<Json>) -> Result<Json, String> {
    let (choices, fallback) = match part {
        TemplatePart::Text(text) => return Ok(Json::from(text.as_str())),
        TemplatePart::Placeholder { choices, fallback, .. } => (choices, fallback),
        TemplatePart::Computed { computed, .. } => return resolve_computed(computed, result),
    };
    // Null before `??` counts as missing.
    let found = choices.iter().enumerate().find_map(|(at, reference)| {
        let whole = result(call_index(reference)?)?;
        let value = get_path(&whole, reference.path.get(1..)?)?;
        let is_last = at + 1 == choices.len() && fallback.is_none();
        (is_last || !value.is_null()).then(|| value.clone())
    });
    found.or_else(|| fallback.clone()).ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect_vec();
        format!("{} is not there", names.join(" and "))
    })
}

fn resolve_computed(computed: &Computed, result: &dyn Fn(usize) -> Option<Json>) -> Result<Json, String> {
    let mut calls: Vec<Json> = Vec::new();
    for number in computed.references.iter().filter_map(|found| call_index(&found.reference)) {
        let Some(value) = result(number) else { continue };
        if number >= calls.len() {
            calls.resize(number + 1, Json::Null);
        }
        if let Some(slot) = calls.get_mut(number) {
            *slot = value;
        }
    }
    let scope = serde_json::json!({"call": calls});
    let found = computed.evaluate_json(&scope).map_err(|error| error.message)?;
    found.ok_or_else(|| format!("`{}` has no value", computed.ast))
}

fn call_index(reference: &Reference) -> Option<usize> {
    match (&reference.root, reference.path.first()) {
        (Root::Call, Some(Segment::Index(number))) => Some(*number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_become_what_calls_gave() {
        let results = [json!({"items": [{"id": 7}], "name": "a", "none": null}), json!([true, "b"])];
        let result = |at: usize| results.get(at).cloned();
        for (parameters, expect, needed) in [
            (json!({"a": 1}), Ok(json!({"a": 1})), vec![]),
            (json!({"a": "${call[0].items[0].id}"}), Ok(json!({"a": 7})), vec![0]),
            (
                json!(["${call[1]}", {"b": "${call[0].none}"}]),
                Ok(json!([[true, "b"], {"b": null}])),
                vec![1, 0],
            ),
            (
                json!("${call[0].name}: ${call[0].items} ${call[0].none}."),
                Ok(json!("a: [{\"id\":7}] .")),
                vec![0, 0, 0],
            ),
            (json!("${call[1].5 ?? call[0].name ?? 3}"), Ok(json!("a")), vec![1, 0]),
            (json!("${call[0].none ?? call[0].name}"), Ok(json!("a")), vec![0, 0]),
            (json!("${call[0].none ?? null}"), Ok(json!(null)), vec![0]),
            (json!("${call[1].5 ?? call[0].none}"), Ok(json!(null)), vec![1, 0]),
            (json!("${call[1].5 ?? 3}"), Ok(json!(3)), vec![1]),
            (json!("$${call[0]}"), Ok(json!("${call[0]}")), vec![]),
            (json!("${call[0].lost}"), Err("`call[0].lost` is not there".to_owned()), vec![0]),
        ] {
            let template = parse_parameters(&parameters);
            assert_eq!(resolve(&template, &result), expect, "{parameters}");
            assert_eq!(dependencies(&template), needed, "{parameters}");
        }
    }
}

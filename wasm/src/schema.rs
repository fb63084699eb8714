//! JavaScript bindings for JSON Schema, with JavaScript's regular expressions.

use serde_json::Value as Json;
use stepgraph_codec::json;
use stepgraph_core::schema::{PatternMatch, Patterns, Schema, ValidationReport};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(raw_module = "../dist/patterns.js")]
extern "C" {
    /// Returns 0 for no match, 1 for a match, 2 for an invalid pattern, plus three times the work.
    fn evaluate_pattern(pattern: &str, text: &str) -> u32;
}

pub(crate) fn patterns() -> Patterns {
    Patterns::new(|pattern, text| {
        let verdict = evaluate_pattern(pattern, text);
        let matches = match verdict % 3 {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        };
        PatternMatch { matches, work: (verdict / 3) as usize }
    })
}

/// Validates a list of values. `resources` maps further documents that the schema may reference.
///
/// Returns JSON `[errors, reports]`, without reports if the schema has errors. An error is `[path, message]`,
/// a report `[omitted, incomplete, violations]`, a violation `[instancePath, keyword, schemaPath, message]`.
/// `omitted` counts the violations above the limit. `incomplete` tells that validation hit a limit.
#[wasm_bindgen]
pub fn schema_reports(schema: &str, values: &str, resources: &str) -> String {
    let mut errors = Vec::new();
    let mut reports = Vec::new();
    match Schema::compile(&json::parse(schema), &json::parse(resources), patterns()) {
        Ok(schema) => {
            for value in json::parse(values).as_array().into_iter().flatten() {
                reports.push(report_json(&schema.validate(value, patterns())));
            }
        }
        Err(found) => {
            for error in found {
                errors.push(texts_json(&[&error.path, &error.message]));
            }
        }
    }
    Json::from(vec![Json::from(errors), Json::from(reports)]).to_string()
}

fn report_json(report: &ValidationReport) -> Json {
    let mut violations = Vec::new();
    for found in &report.violations {
        violations.push(texts_json(&[
            &found.instance_path,
            found.keyword,
            &found.schema_path,
            &found.message,
        ]));
    }
    Json::from(vec![Json::from(report.omitted), Json::from(report.is_incomplete), Json::from(violations)])
}

fn texts_json(texts: &[&str]) -> Json {
    let mut list = Vec::with_capacity(texts.len());
    for text in texts {
        list.push(Json::from(*text));
    }
    Json::from(list)
}

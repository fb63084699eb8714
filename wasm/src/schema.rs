//! JSON Schema, as JavaScript sees it, with JavaScript's own regular expressions.
//!
//! Decides nothing: reads a schema and checks values by the core, and writes what was found as JSON.

use serde_json::Value as Json;
use stepgraph_codec::json;
use stepgraph_core::schema::{PatternMatch, Patterns, Schema, ValidationReport};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(raw_module = "../dist/patterns.js")]
extern "C" {
    /// 1 when some part of a text matches, 0 when none does, 2 when the pattern can't be read; and three times the work.
    fn pattern_judged(pattern: &str, text: &str) -> u32;
}

/// The host's regular expressions.
pub(crate) fn patterns() -> Patterns {
    Patterns::new(|pattern, text| {
        let judged = pattern_judged(pattern, text);
        let matches = match judged % 3 {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        };
        PatternMatch { matches, work: (judged / 3) as usize }
    })
}

/// What is wrong with values by a schema: from JSON texts, the schema, a list of values, and a map of further documents that it may
/// refer to.
///
/// JSON `[errors, reports]`: `[path, message]` of each error; for each value `[more, unfinished, violations]` and of each violation
/// `[instancePath, keyword, schemaPath, message]`. With errors of the schema there are no reports.
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

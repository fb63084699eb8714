//! JSON Schema, as JavaScript sees it, with JavaScript's own regular expressions.
//!
//! Decides nothing: reads a schema and checks values by the core, and writes what was found as JSON.

use serde_json::{Value as Json, json};
use stepgraph_core::schema::{Patterns, Report, Schema};
use stepgraph_engine::json;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(raw_module = "../dist/patterns.js")]
extern "C" {
    /// 1 when some part of a text matches, 0 when none does, -1 when the pattern can't be read.
    fn pattern_test(pattern: &str, text: &str) -> i32;
}

/// The host's regular expressions.
pub(crate) fn patterns() -> Patterns {
    Patterns::new(|pattern, text| match pattern_test(pattern, text) {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    })
}

/// What is wrong with values by a schema: from JSON texts, the schema, a list of values, and a map of further documents that it may
/// refer to.
///
/// JSON `{errors: [{path, message}], reports: [{violations: [{instancePath, keyword, schemaPath, message}], more, unfinished}]}`; with
/// errors of the schema there are no reports. A value that can't be read gets no report, nor do those after it.
#[wasm_bindgen]
pub fn schema_reports(schema: &str, values: &str, resources: &str) -> String {
    let mut errors = Vec::new();
    let mut reports = Vec::new();
    match Schema::compile(&json::read(schema), &json::read(resources), patterns()) {
        Ok(schema) => {
            for value in json::read(values).as_array().into_iter().flatten() {
                reports.push(report(&schema.validate(value, patterns())));
            }
        }
        Err(found) => {
            for error in found {
                errors.push(json!({"path": error.path, "message": error.message}));
            }
        }
    }
    json!({"errors": errors, "reports": reports}).to_string()
}

fn report(report: &Report) -> Json {
    let mut violations = Vec::new();
    for violation in &report.violations {
        violations.push(json!({
            "instancePath": violation.instance_path, "keyword": violation.keyword,
            "schemaPath": violation.schema_path, "message": violation.message,
        }));
    }
    json!({"violations": violations, "more": report.more, "unfinished": report.unfinished})
}

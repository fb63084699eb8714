//! JSON Schema, as JavaScript sees it, with JavaScript's own regular expressions.
//!
//! Decides nothing: reads a schema and checks values by the core, and writes what was found as JSON.

use serde_json::{Value as Json, json};
use stepgraph_core::schema::{Patterns, Schema, SchemaError, Violation};
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

/// A schema that was read, or what is wrong with it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct JsonSchema(Result<Schema, Vec<SchemaError>>);

#[wasm_bindgen]
impl JsonSchema {
    /// From JSON texts: the schema, and a map of further documents that it may refer to.
    #[wasm_bindgen(constructor)]
    pub fn new(schema: &str, resources: &str) -> Self {
        Self(Schema::compile(&json::read(schema), &json::read(resources), patterns()))
    }

    /// What is wrong with the schema, as JSON `[{path, message}]`.
    pub fn errors(&self) -> String {
        let one = |error: &SchemaError| json!({"path": error.path, "message": error.message});
        self.0.as_ref().err().into_iter().flatten().map(one).collect::<Json>().to_string()
    }

    /// What is wrong with a value, as JSON `{violations: [{instancePath, keyword, schemaPath, message}], more, unfinished}`; null when the
    /// schema can't be used.
    pub fn violations(&self, value: &str) -> String {
        let Ok(schema) = &self.0 else { return Json::Null.to_string() };
        let report = schema.validate(&json::read(value), patterns());
        let one = |violation: &Violation| {
            json!({
                "instancePath": violation.instance_path, "keyword": violation.keyword,
                "schemaPath": violation.schema_path, "message": violation.message,
            })
        };
        json!({
            "violations": report.violations.iter().map(one).collect::<Json>(),
            "more": report.more, "unfinished": report.unfinished,
        })
        .to_string()
    }
}

//! JavaScript bindings for expressions.

use serde_json::{Map, Value as Json, json};
use stepgraph_codec::diagnostics::diagnostic_json;
use stepgraph_codec::json;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::Diagnostic;
use stepgraph_core::expression::{Error, check_expression as check, evaluate};
use stepgraph_core::source::SourceIndex;
use wasm_bindgen::prelude::wasm_bindgen;

/// Evaluates an expression. `scope` is a JSON map from roots to values. Returns JSON: `{value}`, `{}` if the result is missing, or
/// `{error}` with a diagnostic.
#[wasm_bindgen]
pub fn evaluate_expression(text: &str, scope: &str) -> String {
    let mut result = Map::new();
    match evaluate(text, &json::parse(scope)) {
        Ok(value) => result.extend(value.map(|value| ("value".to_owned(), value))),
        Err(error) => {
            result.insert("error".to_owned(), to_json(error, text));
        }
    }
    stepgraph_core::value::json_text(&Json::Object(result))
}

/// Checks an expression. `types` is a JSON map from roots to schemas. Returns JSON: `{type, schema, diagnostics}`.
#[wasm_bindgen]
pub fn check_expression(text: &str, types: &str) -> String {
    let (kind, errors) = check(text, &json::parse(types));
    let diagnostics = errors.into_iter().map(|error| to_json(error, text)).collect_vec();
    json!({"type": kind.to_string(), "schema": kind.to_schema(), "diagnostics": diagnostics}).to_string()
}

fn to_json(error: Error, text: &str) -> Json {
    let mut diagnostic = Diagnostic::new(error.code, error.message).at(error.span);
    diagnostic.help = error.help;
    diagnostic.fix = error.fix.into_iter().collect();
    diagnostic_json(&diagnostic, &SourceIndex::new(text))
}

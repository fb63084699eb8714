//! JavaScript bindings for expressions.

use crate::schema::patterns;
use serde_json::{Map, Value as Json, json};
use stepgraph_codec::diagnostics::diagnostic_json;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::{Code, Diagnostic};
use stepgraph_core::expression::{Error, check_expression as check, evaluate};
use stepgraph_core::schema::Schema;
use stepgraph_core::source::SourceIndex;
use wasm_bindgen::prelude::wasm_bindgen;

/// Evaluates an expression. `scope` is a JSON map from roots to values. Returns JSON: `{value}`, `{}` if it
/// is missing, or `{error}`.
#[wasm_bindgen]
pub fn evaluate_expression(text: &str, scope: &str) -> String {
    let mut result = Map::new();
    reserve_memory(scope);
    let Some(scope) = stepgraph_core::json::parse(scope) else {
        return json!({"error": diagnostic_json(&too_deep("the scope"), &SourceIndex::new(""))}).to_string();
    };
    match evaluate(text, &scope) {
        Ok(value) => result.extend(value.map(|value| ("value".to_owned(), value))),
        Err(error) => {
            result.insert("error".to_owned(), to_json(error, text));
        }
    }
    stepgraph_core::value::json_text(&Json::Object(result))
}

/// Reserves at once what large data need. The garbage collector may run for each growth.
fn reserve_memory(text: &str) {
    const LARGE: usize = 256 * 1024;
    // Values are larger than their text.
    const GROWTH: usize = 8;
    const MAX: usize = 1 << 26;
    if text.len() > LARGE {
        let mut reserved = Vec::<u8>::new();
        // Without it, the evaluation is only slower.
        drop(reserved.try_reserve_exact(text.len().saturating_mul(GROWTH).min(MAX)));
        drop(std::hint::black_box(reserved));
    }
}

/// Checks an expression. `types` is a JSON map from roots to schemas. Returns JSON:
/// `{type, schema, diagnostics}`, or `{error}` for an invalid schema.
#[wasm_bindgen]
pub fn check_expression(text: &str, types: &str) -> String {
    let types = stepgraph_core::json::parse(types);
    let error = types.as_ref().map_or_else(|| Some(too_deep("a schema")), schema_error);
    let types = types.unwrap_or_default();
    if let Some(diagnostic) = error {
        return json!({"error": diagnostic_json(&diagnostic, &SourceIndex::new(""))}).to_string();
    }
    let (kind, errors) = check(text, &types);
    let diagnostics = errors.into_iter().map(|error| to_json(error, text)).collect_vec();
    json!({"type": kind.to_string(), "schema": kind.to_schema(), "diagnostics": diagnostics}).to_string()
}

fn too_deep(subject: &str) -> Diagnostic {
    Diagnostic::new(Code::ExpressionTooDeep, format!("{subject} is nested too deeply"))
        .help("nest lists and maps at most 128 levels deep")
}

fn schema_error(types: &Json) -> Option<Diagnostic> {
    let compiled = |schema| Schema::compile(schema, &(), patterns());
    let mut errors = types.as_object().into_iter().flatten().filter_map(|(name, schema)| {
        let error = compiled(schema).err()?.into_iter().next()?;
        let message = format!("the schema of `{}` is invalid at `{}`: {}", name, error.path, error.message);
        Some(Diagnostic::new(Code::SchemaInvalid, message).help("write a JSON Schema of draft 2020-12"))
    });
    errors.next()
}

fn to_json(error: Error, text: &str) -> Json {
    let mut diagnostic = Diagnostic::new(error.code, error.message).at(error.span);
    diagnostic.help = error.help;
    diagnostic.fix = error.fix.into_iter().collect();
    diagnostic_json(&diagnostic, &SourceIndex::new(text))
}

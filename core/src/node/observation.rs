//! The results of calls for a model, with failures and truncation as text.

use crate::failure::Failure;
use crate::model::ToolCall;
use serde_json::{Value as Json, json};

pub(crate) const MAX_RESULT_BYTES: usize = 50_000;

/// `None` if no map.
pub(crate) fn arguments_of(call: &ToolCall) -> Option<Json> {
    let arguments = match &call.arguments {
        Json::Null => Some(json!({})),
        Json::String(text) if text.trim().is_empty() => Some(json!({})),
        Json::String(text) => crate::json::parse(text),
        other => Some(other.clone()),
    };
    arguments.filter(Json::is_object)
}

pub(crate) fn too_large(bytes: &str) -> Failure {
    let message = format!(
        "the tool returned {bytes} bytes, and a model receives at most {MAX_RESULT_BYTES}; ask it for less"
    );
    Failure::new("tool/too-large", message)
}

pub(crate) fn failure_text(failure: &Failure) -> String {
    match failure.code.as_str() {
        "tool/failed" => failure.message.clone(),
        code => format!("{code}: {}", failure.message),
    }
}

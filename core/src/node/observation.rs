//! What a model is told of its calls.
//!
//! Decides what becomes of results that are too long and of failures: to a model a mistake is an observation, not the end.

use crate::failure::Failure;
use crate::model::ToolCall;
use serde_json::{Value as Json, json};

/// The most bytes of one result that a model is given.
pub(crate) const MOST_RESULT: usize = 50_000;

/// The arguments of a call; nothing where they are no map.
pub(crate) fn arguments_of(call: &ToolCall) -> Option<Json> {
    let arguments = match &call.arguments {
        Json::Null => Some(json!({})),
        Json::String(text) if text.trim().is_empty() => Some(json!({})),
        Json::String(text) => crate::json::parse(text),
        other => Some(other.clone()),
    };
    arguments.filter(Json::is_object)
}

/// A result that is too long for a model.
pub(crate) fn too_large(bytes: &str) -> Failure {
    let message =
        format!("the tool gave {bytes} bytes, and a model is given at most {MOST_RESULT}; ask it for less");
    Failure::new("tool/too-large", message)
}

/// What a model is told of a failure.
pub(crate) fn observation(failure: &Failure) -> String {
    match failure.code.as_str() {
        "tool/failed" => failure.message.clone(),
        code => format!("{code}: {}", failure.message),
    }
}

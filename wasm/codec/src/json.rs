//! Reads JSON from this package's TypeScript. Derived deserializers would add two to four kilobytes each to
//! the module.
//!
//! Invariant: absent values and values of a wrong type count as null.

use serde_json::Value as Json;
use stepgraph_core::source::Format;

/// Parses JSON. Invalid JSON becomes null.
#[inline]
pub fn parse(text: &str) -> Json {
    stepgraph_core::json::parse(text).unwrap_or(Json::Null)
}

/// Returns a key's text.
#[inline]
pub fn text_at(json: &Json, key: &str) -> Option<String> {
    json.get(key)?.as_str().map(str::to_owned)
}

/// Returns a key's list of texts.
#[inline]
pub fn texts_at(json: &Json, key: &str) -> Option<Vec<String>> {
    let list = json.get(key)?.as_array()?;
    Some(list.iter().filter_map(Json::as_str).map(str::to_owned).collect())
}

/// Reads `[[name, value], …]`.
#[inline]
pub fn pairs(json: &Json) -> Vec<(String, String)> {
    let pair = |json: &Json| Some((json.get(0)?.as_str()?.to_owned(), json.get(1)?.as_str()?.to_owned()));
    json.as_array().map(|list| list.iter().filter_map(pair).collect()).unwrap_or_default()
}

/// Converts to a whole number. Larger numbers saturate.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, which is what is wanted"
)]
#[inline]
pub fn to_count(number: f64) -> Option<u32> {
    (number >= 0.0).then_some(number as u32)
}

/// Returns a format by name. Unknown names detect it.
#[inline]
pub fn parse_format(name: &str) -> Format {
    match name {
        "json" => Format::Json,
        "yaml" => Format::Yaml,
        _ => Format::Auto,
    }
}

//! Taking things from JSON that comes from this package's own TypeScript.
//!
//! By hand and not by derived code: each derived reader adds two to four kilobytes to the module.
//!
//! Invariant: what is absent or of the wrong kind is as if it were null; nothing here fails.

use serde_json::Value as Json;
use stepgraph_core::source::Format;

/// The value of a JSON text.
#[inline]
pub fn parse(text: &str) -> Json {
    stepgraph_core::json::parse(text).unwrap_or(Json::Null)
}

/// The text under a key.
#[inline]
pub fn text_at(json: &Json, key: &str) -> Option<String> {
    json.get(key)?.as_str().map(str::to_owned)
}

/// The texts of the list under a key.
#[inline]
pub fn texts_at(json: &Json, key: &str) -> Option<Vec<String>> {
    let list = json.get(key)?.as_array()?;
    Some(list.iter().filter_map(Json::as_str).map(str::to_owned).collect())
}

/// Pairs of texts, as headers are written: `[[name, value], …]`.
#[inline]
pub fn pairs(json: &Json) -> Vec<(String, String)> {
    let pair = |json: &Json| Some((json.get(0)?.as_str()?.to_owned(), json.get(1)?.as_str()?.to_owned()));
    json.as_array().map(|list| list.iter().filter_map(pair).collect()).unwrap_or_default()
}

/// A bound: a whole number, the largest there is for anything larger.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, which is what is wanted"
)]
#[inline]
pub fn to_count(number: f64) -> Option<u32> {
    (number >= 0.0).then_some(number as u32)
}

/// The language of a text, by its name: `yaml`, `json`, or anything else for whichever it is.
#[inline]
pub fn parse_format(name: &str) -> Format {
    match name {
        "json" => Format::Json,
        "yaml" => Format::Yaml,
        _ => Format::Auto,
    }
}

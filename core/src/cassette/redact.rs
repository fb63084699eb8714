//! What must not be written into a file that people hand on: values that stand under the name of a secret.
//!
//! Decides by the key alone, and compares keys without case, `-`, `_` and blanks. The same list stands in `wasm/js/redact.ts`;
//! one fixture holds both to it. What a secret says inside a text is not found, but for what a tool gave: a model is told that as text,
//! and nothing that was redacted there may stand here.

use crate::json;
use crate::value::json_text;
use serde_json::{Map, Value as Json};

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";

const NAMES: [&str; 8] =
    ["authorization", "proxyauthorization", "cookie", "setcookie", "token", "credentials", "passwd", "pwd"];
const ENDINGS: [&str; 13] = [
    "apikey",
    "password",
    "passphrase",
    "secret",
    "privatekey",
    "secretkey",
    "secretaccesskey",
    "accesstoken",
    "refreshtoken",
    "authtoken",
    "bearertoken",
    "sessiontoken",
    "idtoken",
];

/// Whether a key says that a secret stands under it.
pub fn is_secret(key: &str) -> bool {
    let plain: String =
        key.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect();
    NAMES.contains(&plain.as_str()) || ENDINGS.iter().any(|ending| plain.ends_with(ending))
}

/// A value without secrets. Yes, no and null tell nothing and stay.
pub fn redacted(value: &Json) -> Json {
    match value {
        Json::Array(items) => items.iter().map(redacted).collect(),
        Json::Object(map) => {
            let of_tool = map.get("role").and_then(Json::as_str) == Some("tool");
            let one = |(key, value): (&String, &Json)| {
                if let (true, "content", Some(text)) = (of_tool, key.as_str(), value.as_str()) {
                    return (key.clone(), result(text).map_or_else(|| value.clone(), Json::from));
                }
                let telling = !matches!(value, Json::Null | Json::Bool(_));
                let value = if telling && is_secret(key) { REDACTED.into() } else { redacted(value) };
                (key.clone(), value)
            };
            Json::Object(map.iter().map(one).collect::<Map<_, _>>())
        }
        plain => plain.clone(),
    }
}

/// What a tool gave, as text without secrets; nothing when it has none, or is no JSON.
fn result(text: &str) -> Option<String> {
    let value = text.starts_with(['{', '[']).then(|| json::parse(text))??;
    let plain = redacted(&value);
    (plain != value).then(|| json_text(&plain))
}

//! JSON-RPC messages, whatever their methods mean. Servers of 2025-03-26 may send batches.
//!
//! Source: JSON-RPC 2.0; the specification's base protocol.

use serde_json::{Map, Value, json};
use stepgraph_core::json;

/// An unknown method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// Invalid parameters.
pub const INVALID_PARAMS: i64 = -32602;
/// A header is missing or contradicts the body (modern).
pub const HEADER_MISMATCH: i64 = -32020;
/// The server needs a capability that the client lacks (modern).
pub const MISSING_CAPABILITY: i64 = -32021;
/// The server does not support the revision (modern).
pub const UNSUPPORTED_VERSION: i64 = -32022;
/// The user must visit URLs first (2025-11-25).
pub const VISIT_REQUIRED: i64 = -32042;
/// An internal error.
pub const INTERNAL_ERROR: i64 = -32603;

/// An answer's error.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    /// The code.
    pub code: i64,
    /// The message.
    pub message: String,
    /// Additional data.
    pub data: Value,
}

/// A message from a server.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// An answer, without an id if the server could not read the request.
    Answer {
        /// The request's id.
        id: Option<u64>,
        /// The result or the error.
        outcome: Result<Value, RpcError>,
    },
    /// A request.
    Request {
        /// Goes back unchanged.
        id: Value,
        /// The method.
        method: String,
        /// The parameters.
        params: Value,
    },
    /// A notification.
    Notification {
        /// The method.
        method: String,
        /// The parameters.
        params: Value,
    },
}

/// Serializes a request.
pub fn request(id: u64, method: &str, params: &Map<String, Value>) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// Serializes a notification.
pub fn notification(method: &str, params: Option<Value>) -> String {
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    if let (Some(map), Some(params)) = (message.as_object_mut(), params) {
        map.insert("params".to_owned(), params);
    }
    message.to_string()
}

/// Answers a ping, and refuses other methods with `METHOD_NOT_FOUND`.
pub fn reply(id: &Value, method: &str) -> String {
    if method == "ping" {
        return answer(id, Ok(json!({})));
    }
    answer(id, Err((METHOD_NOT_FOUND, &format!("`{method}` is not supported by this client"))))
}

/// Serializes a result, or an error's code and message.
pub fn answer(id: &Value, outcome: Result<Value, (i64, &str)>) -> String {
    let (key, value) = match outcome {
        Ok(result) => ("result", result),
        Err((code, message)) => ("error", json!({"code": code, "message": message})),
    };
    json!({"jsonrpc": "2.0", "id": id, key: value}).to_string()
}

/// Parses a body or an event. `None` if it is not JSON-RPC.
pub fn parse(bytes: &[u8]) -> Option<Vec<Message>> {
    let text = std::str::from_utf8(bytes).ok()?;
    match json::parse(text.strip_prefix('\u{feff}').unwrap_or(text))? {
        Value::Array(list) => list.into_iter().map(parse_one).collect(),
        value => parse_one(value).map(|message| vec![message]),
    }
}

fn parse_one(value: Value) -> Option<Message> {
    let Value::Object(mut map) = value else { return None };
    let id = map.shift_remove("id").filter(|id| !id.is_null());
    if let Some(Value::String(method)) = map.get("method") {
        let method = method.clone();
        let params = map.shift_remove("params").unwrap_or_default();
        return Some(match id {
            Some(id) => Message::Request { id, method, params },
            None => Message::Notification { method, params },
        });
    }
    // The client's ids are numbers. Others become a number that no request has.
    let id = id.map(|id| parse_id(&id).unwrap_or(u64::MAX));
    if let Some(Value::Object(error)) = map.get("error") {
        return Some(Message::Answer { id, outcome: Err(parse_error(error)) });
    }
    let result = map.shift_remove("result")?;
    Some(Message::Answer { id, outcome: Ok(result) })
}

/// Accepts any notation: `2.0` is `2`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the bounds were checked")]
fn parse_id(id: &Value) -> Option<u64> {
    const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;
    let written = || id.as_f64().filter(|id| (0.0..=MAX_SAFE_INTEGER).contains(id) && id.fract() == 0.0);
    id.as_u64().or_else(|| written().map(|id| id as u64))
}

fn parse_error(error: &Map<String, Value>) -> RpcError {
    RpcError {
        code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
        message: error.get("message").and_then(Value::as_str).unwrap_or("no reason given").to_owned(),
        data: error.get("data").cloned().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages() {
        let answer = |id, outcome| Some(vec![Message::Answer { id, outcome }]);
        let error = |code, message: &str, data| Err(RpcError { code, message: message.to_owned(), data });
        for (text, expect) in [
            (r#"{"jsonrpc":"2.0","id":3,"result":{}}"#, answer(Some(3), Ok(json!({})))),
            (r#"{"id":3,"result":null}"#, answer(Some(3), Ok(Value::Null))),
            (r#"{"id":3.0,"result":1}"#, answer(Some(3), Ok(json!(1)))),
            (r#"{"id":3.5,"result":1}"#, answer(Some(u64::MAX), Ok(json!(1)))),
            ("\u{feff}{\"id\":3,\"result\":1}", answer(Some(3), Ok(json!(1)))),
            (r#"{"id":"3","result":1}"#, answer(Some(u64::MAX), Ok(json!(1)))),
            (
                r#"{"id":3,"error":{"code":-1,"message":"m","data":[1]}}"#,
                answer(Some(3), error(-1, "m", json!([1]))),
            ),
            (r#"{"id":null,"error":{}}"#, answer(None, error(0, "no reason given", Value::Null))),
            (
                r#"{"id":"x","method":"ping"}"#,
                Some(vec![Message::Request { id: json!("x"), method: "ping".into(), params: Value::Null }]),
            ),
            (
                r#"{"method":"n","params":{"a":1}}"#,
                Some(vec![Message::Notification { method: "n".into(), params: json!({"a": 1}) }]),
            ),
            ("[]", Some(vec![])),
            (r#"[{"id":1,"result":1}]"#, answer(Some(1), Ok(json!(1)))),
            (r#"[{"id":1,"result":1},2]"#, None),
            (r#"{"id":3}"#, None),
            (r#"{"id":3,"error":"bad"}"#, None),
            ("<html>", None),
            ("", None),
            ("3", None),
        ] {
            assert_eq!(parse(text.as_bytes()), expect, "{text}");
        }
        assert_eq!(parse(b"\xff"), None);
        assert_eq!(parse("[".repeat(100_000).as_bytes()), None);
    }

    #[test]
    fn replies() {
        assert_eq!(reply(&json!("a"), "ping"), r#"{"jsonrpc":"2.0","id":"a","result":{}}"#);
        assert!(reply(&json!(1), "roots/list").contains("-32601"));
        let failed = answer(&json!(1), Err((INTERNAL_ERROR, "oh")));
        assert_eq!(failed, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"oh"}}"#);
        let description = notification("notifications/cancelled", Some(json!({"requestId": 1})));
        assert_eq!(
            description,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#
        );
    }
}

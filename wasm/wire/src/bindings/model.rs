//! JavaScript bindings for models.

use super::{failed_json, parse_head};
use crate::http::HttpFailure;
use crate::model::{Options, call};
use serde_json::{Value, json};
use stepgraph_codec::json;
use stepgraph_core::model::{ChatReply, ChatRequest, Message, ModelError, ModelErrorKind};
use stepgraph_core::source::MAX_DEPTH;
use wasm_bindgen::prelude::wasm_bindgen;

/// A request to a model.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ModelCall {
    call: call::Call,
    unread: Option<ModelError>,
}

#[wasm_bindgen]
impl ModelCall {
    /// Takes JSON `{format, base_url, model, key, headers: [[name, value]], in_page}` and a chat request in
    /// JSON. `streams` requests an event stream.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str, chat: &str, streams: bool) -> Self {
        let unread =
            stepgraph_core::json::parse(options).is_none().then(too_deep).or_else(|| chat_error(chat));
        let options = json::parse(options);
        let text = |key| json::text_at(&options, key).unwrap_or_default();
        let options = Options {
            format: text("format"),
            base_url: text("base_url"),
            model: text("model"),
            key: json::text_at(&options, "key"),
            headers: options.get("headers").map(json::pairs).unwrap_or_default(),
            in_page: options.get("in_page") == Some(&Value::Bool(true)),
        };
        let chat = ChatRequest::from_json(&json::parse(chat));
        Self { call: call::Call::new(options, chat, streams), unread }
    }

    /// Starts the next attempt. Returns JSON `{method, url, headers, body}`, or
    /// `{type: "failed", code, message}` for an invalid chat request.
    pub fn request(&mut self) -> String {
        match &self.unread {
            None => self.call.request().to_json().to_string(),
            Some(error) => failed_json(error.code(), &error.message).to_string(),
        }
    }

    /// Receives status and headers (JSON `[[name, value]]`).
    pub fn head(&mut self, status: u16, headers: &str) {
        self.call.head(parse_head(status, headers));
    }

    /// Receives a chunk of the body. Returns whether the driver can stop reading.
    pub fn chunk(&mut self, bytes: &[u8]) -> bool {
        self.call.chunk(bytes)
    }

    /// Receives a chunk. Returns whether the driver can stop reading.
    pub fn deltas(&mut self) -> Option<String> {
        let deltas = self.call.deltas();
        (!deltas.is_empty()).then(|| Value::Array(deltas).to_string())
    }

    /// Returns JSON `{type: "done", value}` or `{type: "failed", code, message}`.
    pub fn end(&mut self) -> String {
        outcome_json(self.call.end())
    }

    /// Returns an incomplete answer's failure as JSON `{type: "failed", code, message}`.
    pub fn failed(&mut self, timeout: bool, message: &str) -> String {
        outcome_json(Err(self.call.failed(&HttpFailure { is_timeout: timeout, message: message.to_owned() })))
    }

    /// Returns the milliseconds to wait before a retry, or `undefined` for no retry. `attempt` counts those
    /// so far. `now_ms` is since the epoch.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times are small"
    )]
    pub fn retry_after(&self, attempt: u32, now_ms: f64) -> Option<f64> {
        self.call.retry_after(attempt, now_ms as u64).map(|ms| ms as f64)
    }
}

fn chat_error(chat: &str) -> Option<ModelError> {
    let Some(chat) = stepgraph_core::json::parse(chat) else { return Some(too_deep()) };
    let messages = chat.get("messages").and_then(Value::as_array);
    let Some(messages) = messages else {
        return Some(invalid_request("the request has no list of `messages`"));
    };
    let at = messages.iter().position(|message| Message::from_json(message).is_none())?;
    Some(invalid_request(&format!("`messages[{at}]` has no `role` that is known, or no text for `content`")))
}

fn too_deep() -> ModelError {
    invalid_request(&format!(
        "the request can't be read; is something in it nested more than {MAX_DEPTH} deep?"
    ))
}

fn invalid_request(message: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Refused, message)
}

fn outcome_json(outcome: Result<ChatReply, ModelError>) -> String {
    match outcome {
        Ok(reply) => json!({"type": "done", "value": reply.to_json()}).to_string(),
        Err(error) => failed_json(error.code(), &error.message).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &str = r#"{"base_url":"http://host"}"#;

    #[test]
    fn rejects_incomplete_requests() {
        let deep = format!(r#"{{"messages":[],"schema":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        let message = r#"{"role":"user","content":"hi"}"#;
        for (options, chat, expect) in [
            (OPTIONS, format!(r#"{{"messages":[{message}]}}"#), None),
            (OPTIONS, r#"{"messages":[]}"#.to_owned(), None),
            (OPTIONS, deep, Some("nested")),
            ("{", format!(r#"{{"messages":[{message}]}}"#), Some("nested")),
            (OPTIONS, String::new(), Some("nested")),
            (OPTIONS, "{}".to_owned(), Some("no list of `messages`")),
            (OPTIONS, r#"{"messages":"hi"}"#.to_owned(), Some("no list of `messages`")),
            (
                OPTIONS,
                format!(r#"{{"messages":[{message},{{"role":"user","content":[{{"text":"hi"}}]}}]}}"#),
                Some("`messages[1]`"),
            ),
            (OPTIONS, r#"{"messages":[{"role":"robot","content":""}]}"#.to_owned(), Some("`messages[0]`")),
        ] {
            let mut call = ModelCall::new(options, &chat, false);
            let request = json::parse(&call.request());
            match expect {
                None => assert_eq!(request["url"], "http://host/chat/completions", "{chat}"),
                Some(expect) => {
                    assert_eq!(
                        (&request["type"], &request["code"]),
                        (&json!("failed"), &json!("model/refused")),
                        "{chat}"
                    );
                    assert!(request["message"].as_str().unwrap().contains(expect), "{request}");
                    assert_eq!(call.retry_after(1, 0.0), None);
                }
            }
        }
    }
}

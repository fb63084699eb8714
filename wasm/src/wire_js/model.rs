//! The wire formats of models, as a class of JavaScript.

use super::{failed, head};
use crate::http::Failure;
use crate::model::{Options, call};
use serde_json::{Value, json};
use stepgraph_core::model::{ChatReply, ChatRequest, ModelError};
use stepgraph_shapes::json;
use wasm_bindgen::prelude::wasm_bindgen;

/// One request to a model, and the answer to its latest try.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ModelCall(call::Call);

#[wasm_bindgen]
impl ModelCall {
    /// From JSON `{format, base_url, model, key, headers: [[name, value]], in_page}` and a chat request in JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str, chat: &str, streams: bool) -> Self {
        let options = json::read(options);
        let text = |key| json::text(&options, key).unwrap_or_default();
        let options = Options {
            format: text("format"),
            base_url: text("base_url"),
            model: text("model"),
            key: json::text(&options, "key"),
            headers: options.get("headers").map(json::pairs).unwrap_or_default(),
            in_page: options.get("in_page") == Some(&Value::Bool(true)),
        };
        Self(call::Call::new(options, ChatRequest::from_json(&json::read(chat)), streams))
    }

    /// The request of the next try, as JSON.
    pub fn request(&mut self) -> String {
        self.0.request().to_json().to_string()
    }

    /// What an answer says before its body.
    pub fn head(&mut self, status: u16, headers: &str) {
        self.0.head(head(status, headers));
    }

    /// A part of the body. Gives whether the rest need not be read.
    pub fn chunk(&mut self, bytes: &[u8]) -> bool {
        self.0.chunk(bytes)
    }

    /// What the answer has said since this was last asked, as a JSON list; nothing for an empty one.
    pub fn deltas(&mut self) -> Option<String> {
        let deltas = self.0.deltas();
        (!deltas.is_empty()).then(|| Value::Array(deltas).to_string())
    }

    /// What the whole answer means, as JSON: `{type: "done", value}` or `{type: "failed", code, message}`.
    pub fn end(&mut self) -> String {
        outcome(self.0.end())
    }

    /// The failure of a try without an answer, as JSON `{type: "failed", code, message}`.
    pub fn failed(&mut self, timeout: bool, message: &str) -> String {
        outcome(Err(self.0.failed(&Failure { timeout, message: message.to_owned() })))
    }

    /// How many milliseconds to wait before another try; nothing if there should be none.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times are small"
    )]
    pub fn retry_after(&self, attempt: u32, now_ms: f64) -> Option<f64> {
        self.0.retry_after(attempt, now_ms as u64).map(|ms| ms as f64)
    }
}

fn outcome(outcome: Result<ChatReply, ModelError>) -> String {
    match outcome {
        Ok(reply) => json!({"type": "done", "value": reply.to_json()}).to_string(),
        Err(error) => failed(error.code(), &error.message).to_string(),
    }
}

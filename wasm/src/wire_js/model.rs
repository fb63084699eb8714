//! The wire formats of models, as classes and functions of JavaScript.

use super::{failed, head};
use crate::http::{Failure, HttpHead};
use crate::model::{self, openai_chat};
use serde_json::json;
use stepgraph_core::model::{ChatReply, ChatRequest, ModelError};
use stepgraph_engine::json;
use wasm_bindgen::prelude::wasm_bindgen;

/// One model behind OpenAI's wire format.
#[wasm_bindgen]
#[derive(Debug)]
pub struct OpenaiChat(openai_chat::Options);

#[wasm_bindgen]
impl OpenaiChat {
    /// From JSON `{base_url, model, key, headers: [[name, value]]}`.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Self {
        let options = json::read(options);
        Self(openai_chat::Options {
            base_url: json::text(&options, "base_url").unwrap_or_default(),
            model: json::text(&options, "model").unwrap_or_default(),
            key: json::text(&options, "key"),
            headers: options.get("headers").map(json::pairs).unwrap_or_default(),
        })
    }

    /// The request to be sent, as JSON, for a chat request in JSON.
    pub fn request(&self, chat: &str) -> String {
        openai_chat::request(&self.0, &ChatRequest::from_json(&json::read(chat))).to_json().to_string()
    }

    /// What the answer means, as JSON: `{type: "done", value}` or `{type: "failed", code, message}`.
    pub fn reply(&self, status: u16, body: &[u8]) -> String {
        outcome(openai_chat::reply(&self.0, &HttpHead::new(status), body))
    }

    /// The failure of a request without an answer, as JSON `{type: "failed", code, message}`.
    pub fn failed(&self, timeout: bool, message: &str) -> String {
        outcome(Err(openai_chat::failed(&self.0, &Failure { timeout, message: message.to_owned() })))
    }

    /// The failure of an answer that is longer than `limit` bytes, as JSON `{type: "failed", code, message}`.
    pub fn too_large(&self, limit: usize) -> String {
        outcome(Err(openai_chat::too_large(&self.0, limit)))
    }
}

/// How many milliseconds to wait before a model is asked again; nothing if it is not worth it. See `model::retry_after`.
#[wasm_bindgen]
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "times are small"
)]
pub fn retry_after(status: u16, headers: &str, attempt: u32, now_ms: f64) -> Option<f64> {
    model::retry_after(&head(status, headers), attempt, now_ms as u64).map(|ms| ms as f64)
}

fn outcome(outcome: Result<ChatReply, ModelError>) -> String {
    match outcome {
        Ok(reply) => json!({"type": "done", "value": reply.to_json()}).to_string(),
        Err(error) => failed(error.code(), &error.message).to_string(),
    }
}

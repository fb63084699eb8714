//! The wire protocols as classes and functions of JavaScript.
//!
//! Decides nothing: every function turns text into a shape of ours, calls one function, and turns the answer into text.
//! JSON text crosses the border in half the time that objects take.
//!
//! Invariant: what comes from TypeScript of this package is well-formed; should it not be, the value is as if absent.

use crate::http::{Failure, HttpHead, HttpRequest};
use crate::mcp::{Exchange, Limits, Options, Session, Step};
use crate::model::{self, openai_chat};
use serde_json::{Value, json};
use stepgraph_core::model::{ChatReply, ChatRequest, ModelError};
use stepgraph_engine::json;
use wasm_bindgen::prelude::wasm_bindgen;

/// The connection to one MCP server.
#[wasm_bindgen]
#[derive(Debug)]
pub struct McpSession(Session);

#[wasm_bindgen]
impl McpSession {
    /// From JSON `{url, name, key, headers: [[name, value]]}`.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Self {
        let options = json::read(options);
        Self(Session::new(Options {
            url: json::text(&options, "url").unwrap_or_default(),
            name: json::text(&options, "name").unwrap_or_default(),
            key: json::text(&options, "key"),
            headers: options.get("headers").map(json::pairs).unwrap_or_default(),
            limits: Limits::default(),
        }))
    }

    /// Lists the tools.
    pub fn list(&self) -> McpExchange {
        McpExchange(self.0.list())
    }

    /// Calls a tool; `arguments` are JSON.
    pub fn call(&self, name: &str, arguments: &str) -> McpExchange {
        McpExchange(self.0.call(name, json::read(arguments)))
    }

    /// Ends the session.
    pub fn close(&self) -> McpExchange {
        McpExchange(self.0.close())
    }
}

/// One operation on an MCP server.
#[wasm_bindgen]
#[derive(Debug)]
pub struct McpExchange(Exchange);

#[wasm_bindgen]
impl McpExchange {
    /// JSON: `{type: "send", request}`, `{type: "wait"}`, `{type: "done", value}` or `{type: "failed", code, message}`.
    pub fn step(&mut self) -> String {
        let step = match self.0.step() {
            Step::Send(request) => json!({"type": "send", "request": request.to_json()}),
            Step::Wait => json!({"type": "wait"}),
            Step::Done(Ok(value)) => json!({"type": "done", "value": value}),
            Step::Done(Err(error)) => failed(error.code(), &error.message),
        };
        step.to_string()
    }

    /// Status and headers (JSON `[[name, value]]`) of the answer.
    pub fn head(&mut self, status: u16, headers: &str) {
        self.0.head(head(status, headers));
    }

    /// A part of the answer's body. Gives whether the rest need not be read.
    pub fn chunk(&mut self, bytes: &[u8]) -> bool {
        self.0.chunk(bytes)
    }

    /// Requests to be sent beside the outstanding one, as a JSON list; nothing if there are none.
    pub fn asides(&mut self) -> Option<String> {
        let asides = self.0.asides();
        (!asides.is_empty()).then(|| asides.iter().map(HttpRequest::to_json).collect::<Value>().to_string())
    }

    /// The answer has ended.
    pub fn end(&mut self) {
        self.0.end();
    }

    /// There is no answer, or it broke off.
    pub fn failed(&mut self, timeout: bool, message: &str) {
        self.0.failed(Failure { timeout, message: message.to_owned() });
    }
}

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

fn head(status: u16, headers: &str) -> HttpHead {
    HttpHead { status, headers: json::pairs(&json::read(headers)) }
}

fn outcome(outcome: Result<ChatReply, ModelError>) -> String {
    match outcome {
        Ok(reply) => json!({"type": "done", "value": reply.to_json()}).to_string(),
        Err(error) => failed(error.code(), &error.message).to_string(),
    }
}

fn failed(code: &str, message: &str) -> Value {
    json!({"type": "failed", "code": code, "message": message})
}

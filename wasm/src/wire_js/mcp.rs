//! The connection to a server of tools, as classes of JavaScript.

use super::{failed, head};
use crate::http::{Failure, HttpRequest};
use crate::mcp::{Exchange, Limits, Options, Session, Step};
use serde_json::{Value, json};
use stepgraph_engine::json;
use wasm_bindgen::prelude::wasm_bindgen;

/// The connection to one MCP server.
#[wasm_bindgen]
#[derive(Debug)]
pub struct McpSession(Session);

#[wasm_bindgen]
impl McpSession {
    /// From JSON `{url, name, key, headers: [[name, value]], auth}`.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Self {
        let options = json::read(options);
        Self(Session::new(Options {
            url: json::text(&options, "url").unwrap_or_default(),
            name: json::text(&options, "name").unwrap_or_default(),
            key: json::text(&options, "key"),
            headers: options.get("headers").map(json::pairs).unwrap_or_default(),
            auth: options.get("auth") == Some(&Value::Bool(true)),
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

    /// Sends this as a bearer token from now on.
    pub fn set_key(&self, key: Option<String>) {
        self.0.set_key(key);
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
    /// JSON: `{type: "send", request}`, `{type: "wait"}`, `{type: "challenge", status, header}`,
    /// `{type: "done", value}` or `{type: "failed", code, message}`.
    pub fn step(&mut self) -> String {
        let step = match self.0.step() {
            Step::Send(request) => json!({"type": "send", "request": request.to_json()}),
            Step::Wait => json!({"type": "wait"}),
            Step::Challenge { status, header } => {
                json!({"type": "challenge", "status": status, "header": header})
            }
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

    /// Whether there is a new token after a challenge.
    pub fn authorized(&mut self, again: bool) {
        self.0.authorized(again);
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

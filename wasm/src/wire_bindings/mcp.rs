//! The connection to a server of tools, as classes of JavaScript.

use super::{failed_json, parse_head};
use crate::http::{HttpFailure, HttpRequest};
use crate::mcp::{Limits, Operation, Options, ServerMessage, Session, Step};
use serde_json::{Map, Value, json};
use stepgraph_codec::json;
use stepgraph_core::json::parse;
use wasm_bindgen::prelude::wasm_bindgen;

/// The connection to one MCP server.
#[wasm_bindgen]
#[derive(Debug)]
pub struct McpSession(Session);

#[wasm_bindgen]
impl McpSession {
    /// From JSON `{url, name, key, headers: [[name, value]], auth, capabilities, version, known, pause, page}`.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Self {
        let options = json::parse(options);
        let mut limits = Limits::default();
        limits.pause_ms = options.get("pause").and_then(Value::as_u64).unwrap_or(limits.pause_ms);
        Self(Session::new(Options {
            url: json::text_at(&options, "url").unwrap_or_default(),
            name: json::text_at(&options, "name").unwrap_or_default(),
            key: json::text_at(&options, "key"),
            headers: options.get("headers").map(json::pairs).unwrap_or_default(),
            has_auth: options.get("auth") == Some(&Value::Bool(true)),
            capabilities: options.get("capabilities").and_then(Value::as_object).cloned().unwrap_or_default(),
            version: json::text_at(&options, "version"),
            in_page: options.get("page") == Some(&Value::Bool(true)),
            known_version: json::text_at(&options, "known"),
            limits,
        }))
    }

    /// Opens the connection.
    pub fn open(&self) -> McpExchange {
        McpExchange(self.0.open())
    }

    /// Lists the tools.
    pub fn list(&self) -> McpExchange {
        McpExchange(self.0.list())
    }

    /// Calls a tool; `arguments` and `meta` are JSON.
    pub fn call(&self, name: &str, arguments: &str, meta: &str) -> McpExchange {
        let meta = match parse(meta) {
            Some(Value::Object(meta)) => meta,
            _ => Map::new(),
        };
        let arguments = parse(arguments).map(|arguments| self.0.call(name, arguments, meta));
        McpExchange(arguments.unwrap_or_else(|| self.0.unserializable("arguments")))
    }

    /// Sends any request; `params` are JSON. With `pages` the results of all pages become one.
    pub fn request(&self, method: &str, params: &str, pages: bool) -> McpExchange {
        let operation = match parse(params) {
            Some(Value::Object(params)) => self.0.request(method, params, pages),
            _ => self.0.unserializable("a map of parameters"),
        };
        McpExchange(operation)
    }

    /// Hears of changes; `filter` is JSON.
    pub fn watch(&self, filter: &str) -> McpExchange {
        McpExchange(self.0.watch(json::parse(filter)))
    }

    /// Sends this as a bearer token from now on.
    pub fn set_key(&self, key: Option<String>) {
        self.0.set_key(key);
    }

    /// The request that answers what the server has asked: `value` as JSON, or why there is none.
    pub fn reply(&self, id: &str, value: Option<String>, error: &str) -> Option<String> {
        let value = match value {
            Some(value) => parse(&value).ok_or("the client's answer can't be written down"),
            None => Err(error),
        };
        self.0.reply(&json::parse(id), value).map(request_text)
    }

    /// The revision that is spoken, once that is known.
    pub fn version(&self) -> Option<String> {
        self.0.version().map(str::to_owned)
    }

    /// JSON: `{version, server, capabilities, instructions}`.
    pub fn about(&self) -> String {
        self.0.server_info().to_string()
    }

    /// Ends the session.
    pub fn close(&self) -> McpExchange {
        McpExchange(self.0.close())
    }
}

/// One operation on an MCP server.
#[wasm_bindgen]
#[derive(Debug)]
pub struct McpExchange(Operation);

#[wasm_bindgen]
impl McpExchange {
    /// JSON: `{type: "send", request}`, `{type: "wait"}`, `{type: "pause", ms}`, `{type: "challenge", status, header}`,
    /// `{type: "ask", requests}`, `{type: "done", value, ttl}` or `{type: "failed", code, message}`.
    pub fn step(&mut self) -> String {
        let step = match self.0.step() {
            Step::Send(request) => json!({"type": "send", "request": request.to_json()}),
            Step::Wait => json!({"type": "wait"}),
            Step::Pause(ms) => json!({"type": "pause", "ms": ms}),
            Step::Challenge { status, header } => {
                json!({"type": "challenge", "status": status, "header": header})
            }
            Step::Ask(requests) => json!({"type": "ask", "requests": requests}),
            Step::Done(Ok(value)) => json!({"type": "done", "value": value, "ttl": self.0.ttl_ms()}),
            Step::Done(Err(error)) => failed_json(error.code(), &error.message),
        };
        step.to_string()
    }

    /// Status and headers (JSON `[[name, value]]`) of the answer. Gives whether its body need not be read.
    pub fn head(&mut self, status: u16, headers: &str) -> bool {
        self.0.head(parse_head(status, headers))
    }

    /// A part of the answer's body. Gives whether the rest need not be read.
    pub fn chunk(&mut self, bytes: &[u8]) -> bool {
        self.0.chunk(bytes)
    }

    /// What the server has said beside the answer, as a JSON list of `{type: "send", request}`, `{type: "ask", id, method, params}`,
    /// `{type: "withdrawn", id}`, `{type: "progress", progress}` and `{type: "changed", change}`; nothing if there is nothing.
    pub fn news(&mut self) -> Option<String> {
        let messages = self.0.server_messages();
        let json = |messages| match messages {
            ServerMessage::Send(request) => json!({"type": "send", "request": request.to_json()}),
            ServerMessage::Request { id, method, params } => {
                json!({"type": "ask", "id": id, "method": method, "params": params})
            }
            ServerMessage::Withdrawn(id) => json!({"type": "withdrawn", "id": id}),
            ServerMessage::Progress(progress) => json!({"type": "progress", "progress": progress}),
            ServerMessage::Changed(change) => json!({"type": "changed", "change": change}),
        };
        (!messages.is_empty()).then(|| messages.into_iter().map(json).collect::<Value>().to_string())
    }

    /// The request, if there is one, that tells the server that nobody waits any more.
    pub fn cancel(&self, reason: &str) -> Option<String> {
        self.0.cancel(reason).map(request_text)
    }

    /// Whether there is a new token after a challenge.
    pub fn authorized(&mut self, is_retry: bool) {
        self.0.authorized(is_retry);
    }

    /// The answers, as JSON, to what the server has asked.
    pub fn answer(&mut self, answers: &str) {
        self.0.answer(json::parse(answers));
    }

    /// The answer has ended.
    pub fn end(&mut self) {
        self.0.end();
    }

    /// There is no answer, or it broke off.
    pub fn failed(&mut self, timeout: bool, message: &str) {
        self.0.failed(HttpFailure { is_timeout: timeout, message: message.to_owned() });
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is mapped over what is not needed any more")]
fn request_text(request: HttpRequest) -> String {
    request.to_json().to_string()
}

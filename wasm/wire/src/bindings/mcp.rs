//! JavaScript bindings for MCP sessions.

use super::{failed_json, parse_head};
use crate::http::{HttpFailure, HttpRequest};
use crate::mcp::{Limits, Operation, Options, ServerMessage, Session, Step};
use serde_json::{Map, Value, json};
use stepgraph_codec::json;
use stepgraph_core::json::parse;
use wasm_bindgen::prelude::wasm_bindgen;

/// An MCP server's connection.
#[wasm_bindgen]
#[derive(Debug)]
pub struct McpSession(Session);

#[wasm_bindgen]
impl McpSession {
    /// Takes JSON
    /// `{url, name, key, headers: [[name, value]], auth, capabilities, version, known, pause, page}`. `auth`
    /// and `page` are booleans, `pause` is in milliseconds. `version` is the only revision to use, `known`
    /// that of an earlier connection.
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
    pub fn open(&self) -> McpOperation {
        McpOperation::new(self.0.open())
    }

    /// Lists the tools of all pages.
    pub fn list(&self) -> McpOperation {
        McpOperation::new(self.0.list())
    }

    /// Calls a tool. Unreadable JSON `arguments` fail at once. A `meta` that is not an object is ignored.
    pub fn call(&self, name: &str, arguments: &str, meta: &str) -> McpOperation {
        let meta = match parse(meta) {
            Some(Value::Object(meta)) => meta,
            _ => Map::new(),
        };
        let arguments = parse(arguments).map(|arguments| self.0.call(name, arguments, meta));
        McpOperation::new(arguments.unwrap_or_else(|| self.0.unserializable("arguments")))
    }

    /// Sends any request. Fails at once if `params` is no JSON object. `pages` joins all pages.
    pub fn request(&self, method: &str, params: &str, pages: bool) -> McpOperation {
        let operation = match parse(params) {
            Some(Value::Object(params)) => self.0.request(method, params, pages),
            _ => self.0.unserializable("a map of parameters"),
        };
        McpOperation::new(operation)
    }

    /// Reports changes that match the JSON
    /// `{toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions}`.
    pub fn watch(&self, filter: &str) -> McpOperation {
        McpOperation::new(self.0.watch(json::parse(filter)))
    }

    /// Sets the bearer token of later requests.
    pub fn set_key(&self, key: Option<String>) {
        self.0.set_key(key);
    }

    /// Returns the JSON request that answers a server's request with `value` or, without it, `error`.
    /// `undefined` if the connection is not open.
    pub fn reply(&self, id: &str, value: Option<String>, error: &str) -> Option<String> {
        let value = match value {
            Some(value) => parse(&value).ok_or("the client's answer can't be written down"),
            None => Err(error),
        };
        self.0.reply(&json::parse(id), value).map(request_text)
    }

    /// Returns the protocol revision, or `undefined` if the connection is not open.
    pub fn version(&self) -> Option<String> {
        self.0.version().map(str::to_owned)
    }

    /// Returns JSON `{version, server, capabilities, instructions}`. Unknown values are `null`.
    pub fn about(&self) -> String {
        self.0.server_info().to_string()
    }

    /// Ends the session.
    pub fn close(&self) -> McpOperation {
        McpOperation::new(self.0.close())
    }
}

/// An operation on an MCP server.
#[wasm_bindgen]
#[derive(Debug)]
pub struct McpOperation {
    operation: Operation,
    /// The last request's body.
    body: Option<String>,
}

impl McpOperation {
    fn new(operation: Operation) -> Self {
        Self { operation, body: None }
    }
}

#[wasm_bindgen]
impl McpOperation {
    /// Sets the trace context of all requests.
    pub fn set_trace(&mut self, traceparent: &str, tracestate: Option<String>) {
        let entries = [("traceparent", Some(traceparent.to_owned())), ("tracestate", tracestate)];
        let entries = entries.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.into())));
        self.operation.set_trace_meta(entries.collect());
    }

    /// Returns the next step as JSON: `{type: "send", request}`, `{type: "wait"}`, `{type: "pause", ms}`,
    /// `{type: "challenge", status, header}`, `{type: "ask", requests}`, `{type: "done", value, ttl}` or
    /// `{type: "failed", code, message}`. `ttl` is in milliseconds, or `null`. The request's body comes from
    /// `body`, so that JSON does not escape it.
    pub fn step(&mut self) -> String {
        let step = match self.operation.step() {
            Step::Send(mut request) => {
                self.body = request.body.take();
                json!({"type": "send", "request": request.to_json()})
            }
            Step::Wait => json!({"type": "wait"}),
            Step::Pause(ms) => json!({"type": "pause", "ms": ms}),
            Step::Challenge { status, header } => {
                json!({"type": "challenge", "status": status, "header": header})
            }
            Step::Ask(requests) => json!({"type": "ask", "requests": requests}),
            Step::Done(Ok(value)) => json!({"type": "done", "value": value, "ttl": self.operation.ttl_ms()}),
            Step::Done(Err(error)) => failed_json(error.code(), &error.message),
        };
        step.to_string()
    }

    /// Returns the request's body, once.
    pub fn body(&mut self) -> Option<String> {
        self.body.take()
    }

    /// Receives status and headers (JSON `[[name, value]]`). Returns whether the driver can skip the body.
    pub fn head(&mut self, status: u16, headers: &str) -> bool {
        self.operation.head(parse_head(status, headers))
    }

    /// Receives a chunk. Returns whether the driver can stop reading.
    pub fn chunk(&mut self, bytes: &[u8]) -> bool {
        self.operation.chunk(bytes)
    }

    /// Returns new server messages as a JSON list, or `undefined`: `{type: "send", request}`,
    /// `{type: "ask", id, method, params}`, `{type: "withdrawn", id}`, `{type: "progress", progress}` or
    /// `{type: "changed", change}`.
    pub fn server_messages(&mut self) -> Option<String> {
        let messages = self.operation.server_messages();
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

    /// Returns the cancelling request as JSON, if needed.
    pub fn cancel(&self, reason: &str) -> Option<String> {
        self.operation.cancel(reason).map(request_text)
    }

    /// Continues after a challenge: retries with a new token, or fails.
    pub fn authorized(&mut self, is_retry: bool) {
        self.operation.authorized(is_retry);
    }

    /// Receives answers to the server's requests: JSON `{name: answer}`.
    pub fn answer(&mut self, answers: &str) {
        self.operation.answer(json::parse(answers));
    }

    /// Ends the response.
    pub fn end(&mut self) {
        self.operation.end();
    }

    /// Reports a missing or incomplete response.
    pub fn failed(&mut self, timeout: bool, message: &str) {
        self.operation.failed(HttpFailure { is_timeout: timeout, message: message.to_owned() });
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is mapped over what is not needed any more")]
fn request_text(request: HttpRequest) -> String {
    request.to_json().to_string()
}

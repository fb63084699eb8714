//! The state that a session's operations share, and the headers and metadata of every request.
//!
//! Invariants: those of [`super::session`].
//!
//! Source: specification 2026-07-28 (basic/transports/streamable-http) and 2025-11-25 (basic/transports).

use super::MODERN;
use super::content::ToolList;
use super::era::{ConnectionPhase, ProtocolEra};
use super::message;
use super::options::Options;
use super::param_headers::{self, ParamHeader};
use crate::http::{HttpRequest, Secrets, display_url};
use crate::names::{NameMap, NameSet};
use serde_json::{Map, Value, json};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::secret_names::is_secret;
use stepgraph_core::tool::{ToolError, ToolErrorKind};

#[derive(Debug)]
pub(super) struct Connection {
    pub(super) options: Options,
    pub(super) secrets: Secrets,
    /// Results may contain harmless headers' values, so only certain credentials are here.
    pub(super) credentials: Secrets,
    pub(super) phase: ConnectionPhase,
    /// Counts openings, so that an operation notices the loss of its session.
    pub(super) generation: u64,
    pub(super) tools: NameMap<KnownTool>,
    pub(super) server_info: Map<String, Value>,
    /// Whether the era comes from an earlier connection and is unconfirmed.
    pub(super) is_assumed: bool,
    pub(super) is_known_legacy: bool,
    pub(super) delivered_headers: NameSet,
    /// Ended the modern era. Reported if the legacy era fails too.
    pub(super) blocked_error: Option<ToolError>,
    last_id: u64,
}

#[derive(Debug)]
pub(super) struct KnownTool {
    param_headers: Vec<ParamHeader>,
    pub(super) is_repeatable: bool,
    error: Option<String>,
}

#[derive(Debug)]
pub(super) struct RpcRequest<'r> {
    pub(super) id: u64,
    pub(super) method: &'r str,
    pub(super) params: Map<String, Value>,
    pub(super) tool: Option<&'r str>,
    pub(super) trace_meta: &'r Map<String, Value>,
}

impl Connection {
    pub(super) fn new(options: Options) -> Self {
        let version = options.version.as_deref().or(options.known_version.as_deref());
        let modern = version == Some(MODERN);
        Self {
            secrets: Secrets::of_connection(&options.url, options.key.as_deref(), &options.headers),
            credentials: credentials(&options),
            phase: if modern { ConnectionPhase::Open(ProtocolEra::Modern) } else { ConnectionPhase::Closed },
            generation: 0,
            tools: NameMap::default(),
            server_info: Map::new(),
            is_assumed: options.version.is_none() && version.is_some(),
            is_known_legacy: version.is_some() && !modern,
            delivered_headers: NameSet::default(),
            blocked_error: None,
            last_id: 0,
            options,
        }
    }

    pub(super) fn accepts_version(&self, version: &str) -> bool {
        self.options.version.as_deref().is_none_or(|wanted| wanted == version)
    }

    /// `request` is `{method, params}`.
    pub(super) fn can_answer(&self, request: &Value) -> bool {
        let offers = |name: &str| self.options.capabilities.get(name);
        match request.get("method").and_then(Value::as_str).unwrap_or_default() {
            "elicitation/create" => {
                let mode =
                    request.get("params").and_then(|params| params.get("mode")).and_then(Value::as_str);
                offers("elicitation").is_some_and(|modes| modes.get(mode.unwrap_or("form")).is_some())
            }
            "sampling/createMessage" => offers("sampling").is_some(),
            "roots/list" => offers("roots").is_some(),
            _ => false,
        }
    }

    pub(super) fn remember_tools(&mut self, found: ToolList) -> Value {
        let known = found.tools.into_iter().map(|(tool, mirrors)| {
            let repeatable = tool.is_repeatable();
            let json = tool.to_json();
            self.tools.insert(
                tool.name,
                KnownTool { param_headers: mirrors, is_repeatable: repeatable, error: tool.unavailable },
            );
            json
        });
        known.collect()
    }

    pub(super) fn tool_error(&self, name: &str) -> Option<ToolError> {
        let reason = self.tools.get(name)?.error.as_ref()?;
        Some(
            self.error(
                ToolErrorKind::Unavailable,
                &format!("lists `{name}`, which can't be called: {reason}"),
            ),
        )
    }

    /// A request that is not repeatable never relies on an assumed era.
    pub(super) fn phase_for(&mut self, is_repeatable: bool) -> ConnectionPhase {
        if self.is_assumed && matches!(self.phase, ConnectionPhase::Open(_)) && !is_repeatable {
            self.is_assumed = false;
            self.phase = ConnectionPhase::Closed;
        }
        self.phase.clone()
    }

    pub(super) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    pub(super) fn open(&mut self, era: ProtocolEra) {
        self.is_known_legacy = era != ProtocolEra::Modern;
        self.is_assumed = false;
        self.generation += 1;
        self.phase = ConnectionPhase::Open(era);
    }

    /// Ignores newer sessions than `generation`.
    pub(super) fn drop_session(&mut self, generation: u64) {
        if self.generation == generation && matches!(self.phase, ConnectionPhase::Open(_)) {
            self.phase = ConnectionPhase::Closed;
        }
    }

    pub(super) fn error(&self, kind: ToolErrorKind, message: &str) -> ToolError {
        ToolError::new(kind, self.secrets.redact(&format!("`{}` {message}", display_url(&self.options.url))))
    }

    pub(super) fn request(&self, era: &ProtocolEra, request: RpcRequest<'_>) -> HttpRequest {
        let RpcRequest { id, method, mut params, tool, trace_meta } = request;
        add_trace_meta(&mut params, trace_meta);
        if let Some(meta) = tool.and_then(|_| meta_of(&mut params)) {
            meta.insert("progressToken".to_owned(), id.into());
        }
        if *era != ProtocolEra::Modern {
            return self.post(legacy_headers(era), message::request(id, method, &params));
        }
        let mut headers = vec![
            ("mcp-protocol-version".to_owned(), MODERN.to_owned()),
            ("mcp-method".to_owned(), method.to_owned()),
        ];
        let key = match method {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => "",
        };
        let named = params.get(key).and_then(Value::as_str);
        headers.extend(named.map(|name| ("mcp-name".to_owned(), param_headers::encode_value(name))));
        let mirrors = tool.and_then(|name| self.tools.get(name)).map(|tool| tool.param_headers.as_slice());
        if let (Some(mirrors), Some(arguments)) = (mirrors, params.get("arguments")) {
            headers.extend(param_headers::headers(mirrors, arguments));
        }
        let own = [
            ("protocolVersion", MODERN.into()),
            ("clientInfo", client_info()),
            ("clientCapabilities", Value::Object(self.options.capabilities.clone())),
        ];
        if let Some(meta) = meta_of(&mut params) {
            meta.extend(own.map(|(key, value)| (format!("io.modelcontextprotocol/{key}"), value)));
        }
        self.post(headers, message::request(id, method, &params))
    }

    /// For messages without a reply.
    pub(super) fn reply_request(&self, era: &ProtocolEra, message: String) -> HttpRequest {
        self.post(legacy_headers(era), message)
    }

    /// Resumes after the event `mark`, or opens a stream of events that belong to no request.
    pub(super) fn stream_request(&self, era: &ProtocolEra, mark: Option<&str>) -> HttpRequest {
        let mut special = legacy_headers(era);
        special.push(("accept".to_owned(), "text/event-stream".to_owned()));
        special.extend(mark.map(|mark| ("last-event-id".to_owned(), mark.to_owned())));
        HttpRequest {
            method: "GET",
            url: self.options.url.clone(),
            headers: self.headers(special),
            body: None,
        }
    }

    pub(super) fn end_session_request(&self) -> Option<HttpRequest> {
        let ConnectionPhase::Open(era) = &self.phase else { return None };
        era.session()?;
        let headers = self.headers(legacy_headers(era));
        Some(HttpRequest { method: "DELETE", url: self.options.url.clone(), headers, body: None })
    }

    pub(super) fn post(&self, special: Vec<(String, String)>, body: String) -> HttpRequest {
        let mut headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), "application/json, text/event-stream".to_owned()),
        ];
        headers.extend(self.headers(special));
        HttpRequest { method: "POST", url: self.options.url.clone(), headers, body: Some(body) }
    }

    /// The user's headers can't replace the protocol's.
    fn headers(&self, special: Vec<(String, String)>) -> Vec<(String, String)> {
        let mut headers = special;
        let key = self.options.key.iter().map(|key| ("authorization".to_owned(), format!("Bearer {key}")));
        let own = self.options.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
        for (name, value) in own.chain(key) {
            let taken = matches!(name.as_str(), "content-type" | "accept")
                || headers.iter().any(|(other, _)| *other == name);
            if !taken {
                headers.push((name, value));
            }
        }
        headers
    }
}

fn credentials(options: &Options) -> Secrets {
    let named = options.headers.iter().filter(|(name, _)| is_secret(name));
    Secrets::of_connection("", options.key.as_deref(), &named.cloned().collect_vec())
}

/// SEP-414. The host's entries stay.
pub(super) fn add_trace_meta(params: &mut Map<String, Value>, trace_meta: &Map<String, Value>) {
    if trace_meta.is_empty() {
        return;
    }
    if let Some(meta) = meta_of(params) {
        for (key, value) in trace_meta {
            meta.entry(key).or_insert_with(|| value.clone());
        }
    }
}

/// Creates `_meta` if absent.
fn meta_of(params: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    params.entry("_meta").or_insert_with(|| Value::Object(Map::new())).as_object_mut()
}

pub(super) fn client_info() -> Value {
    json!({"name": "stepgraph", "version": env!("CARGO_PKG_VERSION")})
}

/// The version header exists since 2025-06-18. Older servers may refuse it.
fn legacy_headers(era: &ProtocolEra) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    if era.version() >= "2025-06-18" {
        headers.push(("mcp-protocol-version".to_owned(), era.version().to_owned()));
    }
    if let Some(session) = era.session() {
        headers.push(("mcp-session-id".to_owned(), session.to_owned()));
    }
    headers
}

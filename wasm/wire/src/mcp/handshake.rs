//! Decides a server's era: a probe for the modern one, then the legacy handshake.
//!
//! Invariants:
//! 1. The handshake takes at most six requests.
//! 2. Unless a server states that it is modern, the client tries the legacy handshake before it fails.
//! 3. The era of an earlier connection counts until the server contradicts it.
//!
//! Source: specification 2026-07-28 (basic/versioning) and 2025-11-25 (basic/lifecycle); the responses of
//! real legacy servers to the probe, including 5xx.

use super::connection::{Connection, RpcRequest, add_trace_meta, client_info};
use super::era::ProtocolEra;
use super::message;
use super::reply::{Body, Reply};
use super::reply_error::reply_error;
use super::{LEGACY, MODERN};
use crate::http::HttpRequest;
use serde_json::{Map, Value};
use stepgraph_core::tool::{ToolError, ToolErrorKind};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HandshakeStep {
    /// `is_retry` after the server named another version.
    Probe {
        is_retry: bool,
    },
    Initialize,
    Initialized(ProtocolEra),
    /// Tests whether the host can send these headers. In a page, the server must allow them.
    Blocked {
        headers: Vec<(String, String)>,
        error: ToolError,
    },
}

impl HandshakeStep {
    pub(super) fn first(connection: &Connection) -> Self {
        if connection.is_known_legacy { Self::Initialize } else { Self::Probe { is_retry: false } }
    }

    pub(super) fn request(
        &self,
        connection: &Connection,
        id: u64,
        trace_meta: &Map<String, Value>,
    ) -> HttpRequest {
        let discover =
            || RpcRequest { id, method: "server/discover", params: Map::new(), tool: None, trace_meta };
        match self {
            Self::Probe { .. } => connection.request(&ProtocolEra::Modern, discover()),
            Self::Blocked { headers, .. } => {
                let mut request = connection.request(&ProtocolEra::Modern, discover());
                request.headers.extend(headers.iter().cloned());
                request
            }
            Self::Initialize => {
                let version = connection.options.version.as_deref().or(LEGACY.first().copied());
                let mut params = Map::from_iter([
                    ("protocolVersion".to_owned(), version.into()),
                    ("capabilities".to_owned(), Value::Object(connection.options.capabilities.clone())),
                    ("clientInfo".to_owned(), client_info()),
                ]);
                add_trace_meta(&mut params, trace_meta);
                connection.post(Vec::new(), message::request(id, "initialize", &params))
            }
            Self::Initialized(era) => {
                connection.reply_request(era, message::notification("notifications/initialized", None))
            }
        }
    }
}

#[derive(Debug, PartialEq)]
pub(super) enum HandshakeResult {
    Ask(HandshakeStep),
    Open(ProtocolEra),
    Fail(ToolError),
}

pub(super) fn handle_reply(
    connection: &mut Connection,
    step: HandshakeStep,
    reply: &Reply,
) -> HandshakeResult {
    match step {
        HandshakeStep::Probe { is_retry } => handle_probe(connection, is_retry, reply),
        HandshakeStep::Initialize => handle_initialize(connection, reply),
        HandshakeStep::Blocked { error, .. } if reply.is_lost() => {
            connection.is_known_legacy = true;
            connection.blocked_error = Some(error);
            HandshakeResult::Ask(HandshakeStep::Initialize)
        }
        HandshakeStep::Blocked { error, .. } => HandshakeResult::Fail(error),
        // A notification has no response. If the server refuses it, the next request fails.
        HandshakeStep::Initialized(era) => match &reply.body {
            Body::Failed(_) => HandshakeResult::Fail(reply_error(connection, reply)),
            _ => HandshakeResult::Open(era),
        },
    }
}

/// Legacy servers answer the probe with nearly anything, and a browser may refuse to send it.
fn handle_probe(connection: &mut Connection, is_retry: bool, reply: &Reply) -> HandshakeResult {
    let legacy = HandshakeResult::Ask(HandshakeStep::Initialize);
    match &reply.body {
        Body::Failed(failure) if failure.is_timeout => HandshakeResult::Fail(reply_error(connection, reply)),
        _ if matches!(reply.head.status, 401 | 403) => HandshakeResult::Fail(reply_error(connection, reply)),
        Body::Result(result) if has_version(result, "supportedVersions", MODERN) => {
            let meta = || result.get("_meta")?.get("io.modelcontextprotocol/serverInfo");
            remember_server(connection, result, meta().or_else(|| result.get("serverInfo")));
            HandshakeResult::Open(ProtocolEra::Modern)
        }
        Body::Error(error) => match error.code {
            message::UNSUPPORTED_VERSION if has_version(&error.data, "supported", MODERN) && !is_retry => {
                HandshakeResult::Ask(HandshakeStep::Probe { is_retry: true })
            }
            message::UNSUPPORTED_VERSION
                if !LEGACY.iter().any(|version| has_version(&error.data, "supported", version)) =>
            {
                let message =
                    format!("supports no revision of the protocol that this client supports: {}", error.data);
                HandshakeResult::Fail(connection.error(ToolErrorKind::UnsupportedVersion, &message))
            }
            message::HEADER_MISMATCH | message::MISSING_CAPABILITY => {
                HandshakeResult::Open(ProtocolEra::Modern)
            }
            _ => legacy,
        },
        _ => legacy,
    }
}

fn handle_initialize(connection: &mut Connection, reply: &Reply) -> HandshakeResult {
    let Body::Result(result) = &reply.body else {
        let late = matches!(&reply.body, Body::Failed(failure) if failure.is_timeout);
        if connection.is_assumed && !late {
            (connection.is_assumed, connection.is_known_legacy) = (false, false);
            return HandshakeResult::Ask(HandshakeStep::Probe { is_retry: false });
        }
        let blocked = connection.blocked_error.take();
        if blocked.is_some() {
            // The legacy era was only a guess.
            connection.is_known_legacy = false;
        }
        return HandshakeResult::Fail(blocked.unwrap_or_else(|| reply_error(connection, reply)));
    };
    let spoken = result.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let known = LEGACY.into_iter().find(|version| *version == spoken && connection.accepts_version(version));
    let Some(version) = known else {
        let message = format!("uses revision `{spoken}` of the protocol, which this client does not support");
        return HandshakeResult::Fail(connection.error(ToolErrorKind::UnsupportedVersion, &message));
    };
    remember_server(connection, result, result.get("serverInfo"));
    let session = reply.head.header("mcp-session-id").map(str::to_owned);
    HandshakeResult::Ask(HandshakeStep::Initialized(ProtocolEra::Legacy { version, session }))
}

fn remember_server(connection: &mut Connection, result: &Value, server: Option<&Value>) {
    let said = [
        ("server", server),
        ("capabilities", result.get("capabilities")),
        ("instructions", result.get("instructions")),
    ];
    connection.server_info =
        said.map(|(key, value)| (key.to_owned(), value.cloned().unwrap_or_default())).into_iter().collect();
}

pub(super) fn has_version(value: &Value, key: &str, version: &str) -> bool {
    value.get(key).and_then(Value::as_array).is_some_and(|list| list.iter().any(|item| item == version))
}

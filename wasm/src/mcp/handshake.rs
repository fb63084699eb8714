//! How a connection is opened: is the server modern, and if not, the handshake of the legacy era.
//!
//! Decides which era a server belongs to and what follows from each answer on the way. Keeps nothing.
//!
//! Invariants:
//! 1. whatever the server answers, at most six requests are made;
//! 2. a server that does not say in so many words that it is modern is greeted in the legacy way before it is given up;
//! 3. what an earlier connection has found of the era is believed only until the server contradicts it.
//!
//! Source: specification 2026-07-28 (basic/versioning) and 2025-11-25 (basic/lifecycle); the answers that real servers
//! of the legacy era give to the probe, 5xx among them.

use super::connection::Connection;
use super::message;
use super::reply::{Body, Reply};
use super::reply_error::reply_error;
use super::session::ProtocolEra;
use super::{LEGACY, MODERN};
use serde_json::Value;
use stepgraph_core::tool::{ToolError, ToolErrorKind};

/// What is being asked while the connection is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HandshakeStep {
    /// Whether the server is modern. `again` after it has named another version than the one asked with.
    Probe { is_retry: bool },
    /// The legacy handshake.
    Initialize,
    /// The end of the handshake.
    Initialized(ProtocolEra),
    /// Whether the host can send these headers, without which it can reach the server. In a page, the server may not have allowed them.
    Blocked { headers: Vec<(String, String)>, error: ToolError },
}

/// What follows from the answer to a [`HandshakeStep`].
#[derive(Debug, PartialEq)]
pub(super) enum HandshakeResult {
    Ask(HandshakeStep),
    Open(ProtocolEra),
    Fail(ToolError),
}

/// What follows from the answer to a stage.
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
        // A notification has no answer. Should the server not like it, the next request will tell.
        HandshakeStep::Initialized(era) => match &reply.body {
            Body::Failed(_) => HandshakeResult::Fail(reply_error(connection, reply)),
            _ => HandshakeResult::Open(era),
        },
    }
}

/// A server that does not say that it is modern is taken for a legacy one: those answer the probe with nearly anything,
/// and in a page the browser itself may refuse to send it.
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
                    format!("speaks no revision of the protocol that is known here: {}", error.data);
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
            // It was only a guess that the server is an older one.
            connection.is_known_legacy = false;
        }
        return HandshakeResult::Fail(blocked.unwrap_or_else(|| reply_error(connection, reply)));
    };
    let spoken = result.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let known = LEGACY.into_iter().find(|version| *version == spoken && connection.accepts_version(version));
    let Some(version) = known else {
        let message = format!("speaks revision `{spoken}` of the protocol, which is not spoken here");
        return HandshakeResult::Fail(connection.error(ToolErrorKind::UnsupportedVersion, &message));
    };
    remember_server(connection, result, result.get("serverInfo"));
    let session = reply.head.header("mcp-session-id").map(str::to_owned);
    HandshakeResult::Ask(HandshakeStep::Initialized(ProtocolEra::Legacy { version, session }))
}

/// Remembers what the server says of itself.
fn remember_server(connection: &mut Connection, result: &Value, server: Option<&Value>) {
    let said = [
        ("server", server),
        ("capabilities", result.get("capabilities")),
        ("instructions", result.get("instructions")),
    ];
    connection.server_info =
        said.map(|(key, value)| (key.to_owned(), value.cloned().unwrap_or_default())).into_iter().collect();
}

/// Whether a list of revisions names this one.
pub(super) fn has_version(value: &Value, key: &str, version: &str) -> bool {
    value.get(key).and_then(Value::as_array).is_some_and(|list| list.iter().any(|item| item == version))
}

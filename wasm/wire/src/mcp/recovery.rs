//! Decides which recovery is possible after a refusal: lost session, missing token, other revision, other
//! era.
//!
//! Source: specification 2026-07-28 (basic/versioning, basic/authorization) and 2025-11-25
//! (basic/transports); responses of real servers.

use super::connection::Connection;
use super::era::ProtocolEra;
use super::handshake::has_version;
use super::message::{INVALID_PARAMS, METHOD_NOT_FOUND, RpcError};
use super::reply::{Body, Reply};
use super::{LEGACY, MODERN};
use crate::http::HttpRequest;
use serde_json::Value;
use stepgraph_core::collect::CollectVec;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecoveryAction {
    Repeat,
    Renew,
    Renegotiate,
    /// Falls back to the legacy era, whose headers a browser may send.
    Unblock,
}

#[derive(Debug, Default)]
pub(super) struct AttemptedRecoveries(Vec<RecoveryAction>);

impl AttemptedRecoveries {
    pub(super) fn is_first_attempt(&mut self, action: RecoveryAction) -> bool {
        let first = !self.0.contains(&action);
        self.0.push(action);
        first
    }

    pub(super) fn reset(&mut self, action: RecoveryAction) {
        self.0.retain(|attempted| *attempted != action);
    }
}

#[derive(Debug)]
pub(super) struct SentRequest {
    pub(super) era: ProtocolEra,
    pub(super) generation: u64,
    pub(super) id: u64,
    pub(super) is_resumed: bool,
    pub(super) special_headers: Vec<(String, String)>,
}

pub(super) fn special_headers(request: &HttpRequest) -> Vec<(String, String)> {
    let special = |(name, _): &&(String, String)| name == "mcp-name" || name.starts_with("mcp-param-");
    request.headers.iter().filter(special).cloned().collect_vec()
}

/// A browser may have blocked headers that never reached the server: it sends only those that the server
/// allows.
pub(super) fn may_be_blocked(connection: &mut Connection, sent: &SentRequest, reply: &Reply) -> bool {
    let names = sent.special_headers.iter().map(|(name, _)| name);
    if reply.head.status != 0 {
        for name in names {
            connection.delivered_headers.insert(name.clone());
        }
        return false;
    }
    let new = names.into_iter().any(|name| !connection.delivered_headers.contains(name));
    // Elsewhere, the server may have executed the unanswered request.
    new && reply.is_lost() && connection.options.in_page && connection.options.version.is_none()
}

/// The same revision counts if the server supports it.
pub(super) fn can_renegotiate(
    connection: &mut Connection,
    era: &ProtocolEra,
    generation: u64,
    data: &Value,
) -> bool {
    let modern = has_version(data, "supported", MODERN) && connection.accepts_version(MODERN);
    if *era == ProtocolEra::Modern && modern {
        return true;
    }
    let legacy = LEGACY
        .iter()
        .any(|version| has_version(data, "supported", version) && connection.accepts_version(version));
    if modern || legacy {
        connection.is_known_legacy = !modern;
        connection.drop_session(generation);
    }
    modern || legacy
}

/// The server answers unlike a modern one, or a browser blocks the request.
pub(super) fn is_wrong_era(connection: &mut Connection, generation: u64, reply: &Reply) -> bool {
    let wrong = connection.is_assumed && (reply.is_lost() || matches!(reply.head.status, 400 | 404 | 405));
    connection.is_assumed = false;
    if wrong {
        connection.is_known_legacy = false;
        connection.drop_session(generation);
    }
    wrong
}

pub(super) fn needs_token(reply: &Reply) -> bool {
    let scope =
        || reply.head.header("www-authenticate").is_some_and(|text| text.contains("insufficient_scope"));
    reply.head.status == 401 || reply.head.status == 403 && scope()
}

/// The specification requires status 404. Some servers use 400 with an explanation.
pub(super) fn is_session_lost(era: &ProtocolEra, reply: &Reply) -> bool {
    if era.session().is_none() {
        return false;
    }
    let message = match &reply.body {
        // The server found the session if it rejects method or parameters.
        Body::Error(RpcError { code: METHOD_NOT_FOUND | INVALID_PARAMS, .. }) => return false,
        Body::Error(error) => &error.message,
        Body::NotJsonRpc(text) => text,
        _ => "",
    };
    let message = message.to_ascii_lowercase();
    match reply.head.status {
        404 => true,
        400 => message.contains("session") || message.contains("not initialized"),
        _ => false,
    }
}

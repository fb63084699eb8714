//! What a refusal really means: a session that is gone, a token that is wanted, another revision, another era.
//!
//! Decides whether there is something to be tried after it. Knows nothing of operations: whoever asks tries it.
//!
//! Source: specification 2026-07-28 (basic/versioning, basic/authorization) and 2025-11-25 (basic/transports); the answers of real servers.

use super::connection::Connection;
use super::handshake::has_version;
use super::message::{INVALID_PARAMS, METHOD_NOT_FOUND, RpcError};
use super::reply::{Body, Reply};
use super::session::ProtocolEra;
use super::{LEGACY, MODERN};
use crate::http::HttpRequest;
use serde_json::Value;
use stepgraph_core::collect::CollectVec;

/// What may help once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecoveryAction {
    /// Asking again what changes nothing.
    Repeat,
    /// A new session.
    Renew,
    /// Another revision.
    Renegotiate,
    /// The older era, whose headers a page's browser may send.
    Unblock,
}

/// The remedies that were tried.
#[derive(Debug, Default)]
pub(super) struct AttemptedRecoveries(Vec<RecoveryAction>);

impl AttemptedRecoveries {
    /// Whether this one is tried for the first time.
    pub(super) fn is_first_attempt(&mut self, action: RecoveryAction) -> bool {
        let first = !self.0.contains(&action);
        self.0.push(action);
        first
    }

    /// Lets it be tried again.
    pub(super) fn reset(&mut self, action: RecoveryAction) {
        self.0.retain(|attempted| *attempted != action);
    }
}

/// What must be known of a request when its answer is there.
#[derive(Debug)]
pub(super) struct SentRequest {
    pub(super) era: ProtocolEra,
    pub(super) generation: u64,
    pub(super) id: u64,
    /// Whether it takes up the stream of an earlier request.
    pub(super) is_resumed: bool,
    pub(super) special_headers: Vec<(String, String)>,
}

/// The headers of a request that not every request has.
pub(super) fn special_headers(request: &HttpRequest) -> Vec<(String, String)> {
    let special = |(name, _): &&(String, String)| name == "mcp-name" || name.starts_with("mcp-param-");
    request.headers.iter().filter(special).cloned().collect_vec()
}

/// Whether a request had no answer though others had, and has headers that have never got through: a page's browser sends only those
/// that the server allows.
pub(super) fn may_be_blocked(connection: &mut Connection, sent: &SentRequest, reply: &Reply) -> bool {
    let names = sent.special_headers.iter().map(|(name, _)| name);
    if reply.head.status != 0 {
        connection.delivered_headers.extend(names.cloned());
        return false;
    }
    let new = names.into_iter().any(|name| !connection.delivered_headers.contains(name));
    // Elsewhere nothing stands between the client and the server: the server may have carried out what it never answered.
    new && reply.is_lost() && connection.options.in_page && connection.options.version.is_none()
}

/// Whether there is another revision to be tried, or the same once more because the server names it.
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

/// Whether the server was taken for a modern one because it once was, and now answers like none; or a page's browser lets nothing through.
pub(super) fn is_wrong_era(connection: &mut Connection, generation: u64, reply: &Reply) -> bool {
    let wrong = connection.is_assumed && (reply.is_lost() || matches!(reply.head.status, 400 | 404 | 405));
    connection.is_assumed = false;
    if wrong {
        connection.is_known_legacy = false;
        connection.drop_session(generation);
    }
    wrong
}

/// Whether the server refuses for want of a token that it would take.
pub(super) fn needs_token(reply: &Reply) -> bool {
    let scope =
        || reply.head.header("www-authenticate").is_some_and(|text| text.contains("insufficient_scope"));
    reply.head.status == 401 || reply.head.status == 403 && scope()
}

/// Whether the server does not know the session that the request named. The specification says 404; some say 400 and
/// explain it in words.
pub(super) fn is_session_lost(era: &ProtocolEra, reply: &Reply) -> bool {
    if era.session().is_none() {
        return false;
    }
    let message = match &reply.body {
        // A server that finds fault with what it was asked has found the session.
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

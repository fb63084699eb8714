//! What a server says beside its answers: how far it has come, what has changed, what it wants to know.
//!
//! Decides what of it concerns the host, and what is answered at once. Keeps nothing.
//!
//! Invariant: in the modern era a server may not ask, so it gets no answer.
//!
//! Source: specification 2025-11-25 (basic/utilities/progress, client/*) and 2026-07-28 (basic/patterns/progress and subscriptions).

use super::connection::Connection;
use super::message::{self, Message};
use super::session::ProtocolEra;
use crate::http::HttpRequest;
use serde_json::{Value, json};

/// Something that arrived beside the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerMessage {
    /// To be sent at once; its answer does not matter.
    Send(HttpRequest),
    /// To be answered by the host, by [`super::Session::reply`].
    Request {
        /// To be handed back as it is.
        id: Value,
        /// What is wanted.
        method: String,
        /// The rest of it.
        params: Value,
    },
    /// The server needs no answer any more to what it asked under this id.
    Withdrawn(Value),
    /// How far the call has come: `{progress, total?, message?}`.
    Progress(Value),
    /// What has changed: `{what: "tools" | "prompts" | "resources" | "resource", uri?}`.
    Changed(Value),
}

/// What a message that came with the answer to request `id` means for the host.
pub(super) fn from_message(
    connection: &Connection,
    era: &ProtocolEra,
    id: u64,
    message: Message,
) -> Option<ServerMessage> {
    match message {
        Message::Request { id, method, params } => from_request(connection, era, id, method, params),
        Message::Notification { method, mut params } => match method.strip_prefix("notifications/")? {
            "progress" => (params.get("progressToken").and_then(Value::as_u64) == Some(id)).then(|| {
                if let Value::Object(map) = &mut params {
                    map.retain(|key, _| matches!(key.as_str(), "progress" | "total" | "message"));
                }
                ServerMessage::Progress(connection.credentials.redact_value(params))
            }),
            "cancelled" => Some(ServerMessage::Withdrawn(params.get("requestId").cloned()?)),
            "tools/list_changed" => Some(list_changed("tools")),
            "prompts/list_changed" => Some(list_changed("prompts")),
            "resources/list_changed" => Some(list_changed("resources")),
            "resources/updated" => {
                Some(ServerMessage::Changed(json!({"what": "resource", "uri": params.get("uri")})))
            }
            _ => None,
        },
        Message::Answer { .. } => None,
    }
}

/// A list that has changed.
pub(super) fn list_changed(what: &str) -> ServerMessage {
    ServerMessage::Changed(json!({"what": what}))
}

fn from_request(
    connection: &Connection,
    era: &ProtocolEra,
    id: Value,
    method: String,
    params: Value,
) -> Option<ServerMessage> {
    if *era == ProtocolEra::Modern {
        return None;
    }
    if connection.can_answer(&json!({"method": method, "params": params})) {
        return Some(ServerMessage::Request { id, method, params });
    }
    Some(ServerMessage::Send(connection.reply_request(era, message::reply(&id, &method))))
}

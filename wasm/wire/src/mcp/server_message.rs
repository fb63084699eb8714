//! Messages next to a server's answers (progress, changes, requests): which of them concern the host, and
//! which get an immediate answer.
//!
//! Invariant: a modern server may not send requests, so it gets no answer.
//!
//! Source: specification 2025-11-25 (basic/utilities/progress, client/*) and 2026-07-28
//! (basic/patterns/progress and subscriptions).

use super::connection::Connection;
use super::era::ProtocolEra;
use super::message::{self, Message};
use crate::http::HttpRequest;
use serde_json::{Value, json};

/// A message for the driver or the host.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerMessage {
    /// Send this at once. Ignore the response.
    Send(HttpRequest),
    /// Answer this with [`super::Session::reply`].
    Request {
        /// Goes back unchanged.
        id: Value,
        /// The method.
        method: String,
        /// The parameters.
        params: Value,
    },
    /// The id of a cancelled request.
    Withdrawn(Value),
    /// `{progress, total?, message?}`.
    Progress(Value),
    /// `{what: "tools" | "prompts" | "resources" | "resource", uri?}`.
    Changed(Value),
}

/// The message arrived with the response to request `id`.
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

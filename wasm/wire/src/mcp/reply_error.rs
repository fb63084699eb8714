//! Decides code and message of replies without a result, so that a problem has the same code everywhere.
//!
//! Invariant: secrets are redacted.

use super::connection::Connection;
use super::message;
use super::reply::{Body, Reply};
use crate::http::{MAX_EXCERPT_CHARS, MAX_LONG_EXCERPT_CHARS, excerpt};
use serde_json::Value;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::tool::{ToolError, ToolErrorKind};

pub(super) fn reply_error(connection: &Connection, reply: &Reply) -> ToolError {
    let status = reply.head.status;
    // A cut before redaction would leave the beginning of a key.
    let quoted = |text: &str, max| excerpt(connection.secrets.redact(text).as_bytes(), max);
    match &reply.body {
        Body::Failed(failure) if failure.is_timeout => {
            connection.error(ToolErrorKind::Timeout, "did not answer in time")
        }
        Body::Failed(failure) => connection
            .error(ToolErrorKind::Unreachable, &format!("could not be reached: {}", failure.message)),
        Body::TooLarge => {
            let limit = connection.options.limits.answer_bytes;
            connection.error(ToolErrorKind::TooLarge, &format!("answered with more than {limit} bytes"))
        }
        _ if matches!(status, 401 | 403) => connection.error(
            ToolErrorKind::Unauthorized,
            &format!("refused the key, or requires one (status {status})"),
        ),
        Body::Error(error) => {
            let kind = match error.code {
                message::INVALID_PARAMS => ToolErrorKind::InvalidArguments,
                message::UNSUPPORTED_VERSION => ToolErrorKind::UnsupportedVersion,
                message::VISIT_REQUIRED => ToolErrorKind::InputRequired,
                message::MISSING_CAPABILITY => return missing_capabilities(connection, &error.data),
                _ => ToolErrorKind::Protocol,
            };
            let message = quoted(&error.message, MAX_LONG_EXCERPT_CHARS);
            connection.error(kind, &format!("answered with error {}: {message}", error.code))
        }
        Body::NotJsonRpc(text) if !reply.head.is_ok() => connection.error(
            ToolErrorKind::Protocol,
            &format!("answered with status {status}: {}", quoted(text, MAX_EXCERPT_CHARS)),
        ),
        _ if !reply.head.is_ok() => {
            connection.error(ToolErrorKind::Protocol, &format!("answered with status {status}"))
        }
        Body::NotJsonRpc(text) => connection.error(
            ToolErrorKind::BadReply,
            &format!(
                "answered with something that is not the protocol's: {}",
                quoted(text, MAX_EXCERPT_CHARS)
            ),
        ),
        Body::Broken => connection.error(ToolErrorKind::StreamBroken, "ended its stream before the answer"),
        Body::Empty | Body::Result(_) => connection.error(ToolErrorKind::BadReply, "sent an empty answer"),
    }
}

fn missing_capabilities(connection: &Connection, data: &Value) -> ToolError {
    let wanted = data.get("requiredCapabilities").and_then(Value::as_object).map(|map| map.keys());
    let names: Vec<&str> = wanted.into_iter().flatten().map(String::as_str).collect_vec();
    let names = names.join("`, `");
    connection.error(
        ToolErrorKind::MissingCapability,
        &format!("requires `{names}` of the client, which this client does not support"),
    )
}

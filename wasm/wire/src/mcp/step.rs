//! The steps of an operation.

use crate::http::HttpRequest;
use serde_json::Value;
use stepgraph_core::tool::ToolError;

/// The driver's next step.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Send this request.
    Send(HttpRequest),
    /// Another operation opens the connection, or a request is pending. Ask again after it progresses.
    Wait,
    /// Ask again after these milliseconds.
    Pause(u64),
    /// Get a token, then call [`super::Operation::authorized`].
    Challenge {
        /// 401, or 403 if the token lacks a scope.
        status: u16,
        /// `www-authenticate`, if the host can read it.
        header: Option<String>,
    },
    /// Answer `{name: {method, params}}` with [`super::Operation::answer`].
    Ask(Value),
    /// The operation ended.
    Done(Result<Value, ToolError>),
}

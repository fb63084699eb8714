//! The steps of an operation for the driver.

use crate::http::HttpRequest;
use serde_json::Value;
use stepgraph_core::tool::ToolError;

/// The next step for the driver.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Send this request and report the response.
    Send(HttpRequest),
    /// Another operation of the session opens the connection, or a request is pending. Ask again after it
    /// progresses.
    Wait,
    /// Ask again after this many milliseconds.
    Pause(u64),
    /// The server requires a token or another one. Get one, then call [`super::Operation::authorized`].
    Challenge {
        /// 401, or 403 if the token lacks a scope.
        status: u16,
        /// The `www-authenticate` header, if the host can read it.
        header: Option<String>,
    },
    /// The server requests input: `{name: {method, params}}`. Answer each one with
    /// [`super::Operation::answer`].
    Ask(Value),
    /// The operation ended.
    Done(Result<Value, ToolError>),
}

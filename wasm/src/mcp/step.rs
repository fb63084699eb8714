//! What an operation wants the driver to do next. Decides nothing.

use crate::http::HttpRequest;
use serde_json::Value;
use stepgraph_core::tool::ToolError;

/// What the driver is to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Send this, and tell what comes back.
    Send(HttpRequest),
    /// Ask again when another operation of the session has got on: it is opening the connection.
    Wait,
    /// Ask again after so many milliseconds.
    Pause(u64),
    /// The server wants a token, or another one: get one, and say by [`super::Operation::authorized`] whether that went well.
    Challenge {
        /// 401, or 403 when the token does not reach far enough.
        status: u16,
        /// What the server says of it in `www-authenticate`, as far as the host may read it.
        header: Option<String>,
    },
    /// The server asks back: `{name: {method, params}}`. Answer each by [`super::Operation::answer`].
    Ask(Value),
    /// Nothing more: this is what came of it.
    Done(Result<Value, ToolError>),
}

//! A client for the Model Context Protocol over Streamable HTTP.
//!
//! Decides which requests to send, when, and how to read the responses. It supports both eras of the
//! protocol. *Modern* is 2026-07-28, which is stateless. *Legacy* is 2025-11-25 and earlier, with a handshake
//! and a session. There is no `fetch` and no clock here: an [`Operation`] returns requests, and the driver
//! passes it the responses.
//!
//! Files:
//! * [`message`]: JSON-RPC messages
//! * [`reply`]: one response, as JSON or as an event stream
//! * [`param_headers`]: arguments repeated in headers
//! * [`content`]: tool lists and values of calls
//! * [`session`]: the connection for the host
//! * `connection`: state that operations share
//! * `options`: options and limits of a connection
//! * `era`: the era and phase of a connection
//! * `handshake`: opening the connection
//! * [`operation_goal`]: the goal of an operation
//! * [`operation`]: one operation, [`step`] by step
//! * [`server_message`]: messages next to the response
//! * `stream`: broken streams
//! * `recovery`: recovery after a response
//! * `reply_error`: errors of responses
//! * [`auth`]: access tokens
//!
//! Source: revisions 2024-11-05 to 2026-07-28 of the specification.

pub mod auth;
mod connection;
pub mod content;
mod era;
mod handshake;
pub mod message;
pub mod operation;
pub mod operation_goal;
mod options;
pub mod param_headers;
mod recovery;
pub mod reply;
mod reply_error;
pub mod server_message;
pub mod session;
pub mod step;
mod stream;

pub use operation::Operation;
pub use options::{Limits, Options};
pub use server_message::ServerMessage;
pub use session::Session;
pub use step::Step;

/// The stateless revision.
pub const MODERN: &str = "2026-07-28";
/// The supported revisions with a handshake, newest first.
pub const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

#[cfg(test)]
mod tests;

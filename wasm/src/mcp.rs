//! The Model Context Protocol over Streamable HTTP, from the side of the client.
//!
//! Decides what is sent to a server, when, and what its answers mean, in both eras of the protocol: *modern*
//! (2026-07-28, stateless) and *legacy* (2025-11-25 and before, with a handshake and a session). Knows no `fetch` and
//! no clock: an [`Operation`] says what to send and is told what came back.
//!
//! Files: [`message`] JSON-RPC · [`reply`] one answer, as JSON or as an event stream · [`param_headers`] arguments repeated in
//! headers · [`content`] what results mean · [`session`] the connection · `connection` what its operations share · `handshake` how
//! it begins · [`operation_goal`] what an operation is for · [`operation`] one operation, [`step`] by step · [`server_message`] what a server says beside its
//! answers · `stream` an answer that comes in pieces · `recovery` what may be tried after one · `reply_error` what went wrong · [`auth`] getting a token.
//!
//! Source: revisions 2024-11-05 to 2026-07-28 of the specification.

pub mod auth;
mod connection;
pub mod content;
mod handshake;
pub mod message;
pub mod operation;
pub mod operation_goal;
pub mod param_headers;
mod recovery;
pub mod reply;
mod reply_error;
pub mod server_message;
pub mod session;
pub mod step;
mod stream;

pub use operation::Operation;
pub use server_message::ServerMessage;
pub use session::{Limits, Options, Session};
pub use step::Step;

/// The stateless revision.
pub const MODERN: &str = "2026-07-28";
/// The revisions with a handshake that are understood, newest first.
pub const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

#[cfg(test)]
mod tests;

//! A client for the Model Context Protocol over Streamable HTTP: an [`Operation`] returns requests, and the
//! driver passes it the responses.
//!
//! *Modern* is 2026-07-28, which is stateless. *Legacy* is 2025-11-25 and earlier, with a handshake and a
//! session.
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
/// The revisions with a handshake, newest first.
pub const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

#[cfg(test)]
mod tests;
